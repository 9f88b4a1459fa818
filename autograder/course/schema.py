"""Read TOML and JSON files into typed records; an error names the file, the key and the expected value.

A table of a file is a ``Record``. Conditions that its types cannot express are checked by its
``__post_init__``, which raises ``ValueError`` with a message that begins with the key, see ``wrong_value``::

    class Window(Record):
        first: Count
        last: Count

        def __post_init__(self) -> None:
            if self.last < self.first:
                raise wrong_value("last", "a number not below `first`", self.last)
"""

from __future__ import annotations

import datetime as dt
import functools
import json
import math
import re
import tomllib
from collections import Counter
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Annotated, Any, TypeVar

import msgspec
from msgspec import Meta

from autograder.course.homework import CourseError

Text = Annotated[str, Meta(pattern=r"\S", description="a text that is not blank")]
Texts = Annotated[
    tuple[str, ...], Meta(min_length=1, description="a list of at least one text")
]
Name = Annotated[
    str,
    Meta(
        pattern=r"^[^\W\d]\w*\Z",
        description="a name of letters, digits and underscores",
    ),
]
Amount = Annotated[float, Meta(ge=0, description="a number, not negative")]
Count = Annotated[int, Meta(ge=0, description="a whole number, not negative")]
T = TypeVar("T")
_EXPECTED = {
    "string": "a text",
    "integer": "a whole number",
    "number": "a number",
    "boolean": "true or false",
    "date-time": "a date and time such as 2027-01-31T23:59:00Z",
    "array": "a list",
    "object": "a table",
}
"""What a type or format of a JSON schema is called in messages."""
MAX_SHOWN = 60


class Record(msgspec.Struct, kw_only=True, forbid_unknown_fields=True):
    """One table of a file; an unknown key is refused, because a misspelt one would be ignored otherwise."""


def read_toml(path: Path, kind: type[T]) -> T:
    """Read a TOML file.

    Raises:
        CourseError: it cannot be read, is not TOML, or a key is missing, unknown or of another kind.
    """
    return parse_toml(read_text(path), kind, str(path))


def parse_toml(text: str, kind: type[T], place: str) -> T:
    """Read TOML from a text, as ``read_toml`` does; ``place`` stands for the file in messages."""
    try:
        tree = _tree_of(text)
    except tomllib.TOMLDecodeError as error:
        raise CourseError(f"{place}: not valid TOML: {error}") from error
    return typed(tree, kind, place)


def read_json(path: Path, kind: type[T]) -> T:
    """Read a JSON file; raises like ``read_toml``."""
    try:
        tree = json.loads(read_text(path), parse_float=_finite, parse_constant=str)
    except json.JSONDecodeError as error:
        raise CourseError(f"{path}: not valid JSON: {error}") from error
    return typed(tree, kind, str(path))


def typed(tree: Any, kind: type[T], place: str, key: str = "") -> T:
    """Return plain values as a typed record.

    Args:
        tree: dictionaries, lists and scalars, as TOML and JSON hold them.
        kind: the type of the result.
        place: the file, for messages.
        key: the key in the file that the values belong to.

    Raises:
        CourseError: a key is missing, unknown or of another kind.
    """
    try:
        return msgspec.convert(
            tree, kind, builtin_types=(dt.datetime, dt.date, dt.time)
        )
    except msgspec.ValidationError as error:
        message = _explained(error, tree, kind, key)
        raise CourseError(f"{place}: {message}") from error


def wrong_value(key: str, expected: str, value: object) -> ValueError:
    """Return the error that the value of a key is not as expected."""
    text = json.dumps(value, ensure_ascii=False, default=str)
    if len(text) > MAX_SHOWN:
        text = f"{text[:MAX_SHOWN]}…"
    message = f"expected {expected}, got {text}"
    return ValueError(f"{key}: {message}" if key else message)


def refuse_duplicates(key: str, field: str, names: Iterable[str]) -> None:
    """Raise ``ValueError`` if two tables of a list have the same name."""
    for name, times in Counter(names).items():
        if times > 1:
            raise ValueError(f"{key}: two have the {field} {name!r}")


def read_text(path: Path) -> str:
    """Return the text of a course's file; raises ``CourseError`` if it cannot be read or is not UTF-8."""
    try:
        return path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise CourseError(f"{path} cannot be read: {error}") from error


def _finite(text: str) -> float | str:
    """Return a number; ``nan`` and ``inf`` stay text, so that no field for numbers accepts them."""
    number = float(text)
    if math.isfinite(number):
        return number
    return text


# One command reads the files of a course several times; nobody changes the parsed trees.
_tree_of = functools.lru_cache(maxsize=64)(
    functools.partial(tomllib.loads, parse_float=_finite)
)


def _explained(
    error: msgspec.ValidationError, tree: Any, kind: type[Any], key: str
) -> str:
    """Say in the words of this module what is wrong with values.

    Only the place is taken from the error of msgspec, a path such as ``$.tasks[1].points``. It is followed through
    the values and through the JSON schema of the type, whose descriptions say what is expected there.
    """
    message, _, path = str(error).partition(" - at `$")
    [schema], definitions = msgspec.json.schema_components(
        [kind], ref_template="{name}"
    )
    schema = _resolved(schema, definitions, tree)
    known_path, _, _ = path.partition("[...]")  # a key or value of a dictionary
    for name, index in re.findall(r"\.([\w-]+)|\[(\d+)\]", known_path):
        if index:
            tree = tree[int(index)]
            schema = schema.get("items", {})
            key = f"{key}[{int(index) + 1}]"
        else:
            tree = tree[name]
            schema = schema.get("properties", {}).get(name, {})
            key = f"{key}.{name}".lstrip(".")
        schema = _resolved(schema, definitions, tree)
    if error.__cause__ is not None:  # raised by a record's own __post_init__
        return f"{key}.{message}".lstrip(".")
    if isinstance(tree, dict):
        known_keys = schema.get("properties", tree)
        for name in tree:
            if name not in known_keys:
                unknown = f"{key}.{name}".lstrip(".")
                return (
                    f"{unknown} is unknown; the known keys are {', '.join(known_keys)}"
                )
        for name in schema.get("required", ()):
            if name not in tree:
                missing = f"{key}.{name}".lstrip(".")
                return f"{missing} is missing"
    return str(wrong_value(key, _expectation(schema), tree))


def _expectation(schema: Mapping[str, Any]) -> str:
    """Describe the values that a JSON schema allows."""
    if "description" in schema:
        return str(schema["description"])
    if schema.get("enum"):
        return f"one of {', '.join(schema['enum'])}"
    return _EXPECTED[schema.get("format") or schema["type"]]


def _resolved(schema: Any, definitions: Mapping[str, Any], tree: Any) -> Any:
    """Return the JSON schema that a value was compared with: of several, the one that its tag names."""
    if "$ref" in schema:
        return definitions[schema["$ref"]]
    if "anyOf" not in schema:
        return schema
    tag = schema.get("discriminator")
    if tag and isinstance(tree, dict):
        tag_field = tag["propertyName"]
        if tag_field not in tree:
            return {"required": [tag_field]}
        for name, reference in tag["mapping"].items():
            if name == tree[tag_field]:
                return definitions[reference]
        # The tag is not one of the known ones, so the error is about the tag itself.
        return {"properties": {tag_field: {"enum": list(tag["mapping"])}}}
    alternatives = []
    for alternative in schema["anyOf"]:
        if alternative != {"type": "null"}:
            alternatives.append(alternative)
    return _resolved(alternatives[0], definitions, tree)
