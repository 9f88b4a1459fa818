"""Read TOML and JSON files into typed records; a complaint names the file, the key and what belongs there.

A table of a file is a ``Record``. What its types cannot say, its ``__post_init__`` checks: it raises
``ValueError`` with a message that begins with the key, see ``wrong``.
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
_KINDS = {
    "string": "a text",
    "integer": "a whole number",
    "number": "a number",
    "boolean": "true or false",
    "date-time": "a date and time such as 2027-01-31T23:59:00Z",
    "array": "a list",
    "object": "a table",
}
MAX_SHOWN = 60


class Record(msgspec.Struct, kw_only=True, forbid_unknown_fields=True):
    """One table of a file; a key that it does not know is refused, for a misspelt one would be ignored."""


def read_toml(path: Path, kind: type[T]) -> T:
    """Read a TOML file.

    Raises:
        CourseError: it cannot be read, is not TOML, or a key is missing, unknown or of another kind.
    """
    return parse_toml(_text(path), kind, str(path))


def parse_toml(text: str, kind: type[T], place: str) -> T:
    """Read TOML from a text, as ``read_toml`` does; ``place`` is named in complaints."""
    try:
        tree = _tree_of(text)
    except tomllib.TOMLDecodeError as error:
        raise CourseError(f"{place}: not valid TOML: {error}") from error
    return typed(tree, kind, place)


def read_json(path: Path, kind: type[T]) -> T:
    """Read a JSON file; raises as ``read_toml``."""
    try:
        tree = json.loads(_text(path), parse_float=_finite, parse_constant=str)
    except json.JSONDecodeError as error:
        raise CourseError(f"{path}: not valid JSON: {error}") from error
    return typed(tree, kind, str(path))


def typed(tree: Any, kind: type[T], place: str, key: str = "") -> T:
    """Return plain values as the wanted type; ``key`` says where in the file they stand.

    Raises:
        CourseError: a key is missing, unknown or of another kind.
    """
    try:
        return msgspec.convert(
            tree, kind, builtin_types=(dt.datetime, dt.date, dt.time)
        )
    except msgspec.ValidationError as error:
        raise CourseError(
            f"{place}: {_complaint(str(error), tree, kind, key)}"
        ) from error


def wrong(key: str, expected: str, value: object) -> ValueError:
    """Return the complaint that the value of a key is another than expected."""
    shown = json.dumps(value, ensure_ascii=False, default=str)
    shown = shown if len(shown) <= MAX_SHOWN else f"{shown[:MAX_SHOWN]}…"
    return ValueError(f"{key}: expected {expected}, got {shown}".removeprefix(": "))


def refuse_twins(key: str, field: str, names: Iterable[str]) -> None:
    """Raise the complaint that two tables of a list have the same name, if any two have."""
    for name, times in Counter(names).items():
        if times > 1:
            raise ValueError(f"{key}: two have the {field} {name!r}")


def _text(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise CourseError(f"{path} cannot be read: {error}") from error


def _finite(text: str) -> float | str:
    """Leave ``nan`` and ``inf`` a text, which no number is read from."""
    number = float(text)
    return number if math.isfinite(number) else text


def _complaint(error: str, tree: Any, kind: type[Any], key: str) -> str:
    """Say in words what the library reports with a path such as ``$.tasks[1].points``."""
    message, _, path = error.partition(" - at `$")
    [schema], named = msgspec.json.schema_components([kind], ref_template="{name}")
    schema = _chosen(schema, named, tree)
    for name, number in re.findall(r"\.([\w-]+)|\[(\d+)\]", path.partition("[...]")[0]):
        below = (
            schema.get("items", {})
            if number
            else schema.get("properties", {}).get(name, {})
        )
        tree = tree[int(number)] if number else tree[name]
        key = f"{key}[{int(number) + 1}]" if number else f"{key}.{name}".lstrip(".")
        schema = _chosen(below, named, tree)
    if message.startswith(("Expected ", "Invalid ", "Number out of range")):
        choice = ", ".join(schema.get("enum", ()))
        expected = (
            f"one of {choice}"
            if choice
            else _KINDS[schema.get("format") or schema["type"]]
        )
        return str(wrong(key, schema.get("description", expected), tree))
    field = re.fullmatch(
        r"Object (missing required|contains unknown) field `(.*)`", message
    )
    if not field:  # a record's own complaint
        return f"{key}.{message}".lstrip(".")
    key = f"{key}.{field[2]}".lstrip(".")
    if field[1] == "missing required":
        return f"{key} is missing"
    return f"{key} is unknown; the known keys are {', '.join(schema['properties'])}"


def _chosen(schema: Any, named: Mapping[str, Any], tree: Any) -> Any:
    """Return the JSON schema that a value was held against: of several, the one that its tag names."""
    if "$ref" in schema:
        return named[schema["$ref"]]
    if "anyOf" not in schema:
        return schema
    tag = schema.get("discriminator")
    if tag and isinstance(tree, dict) and tag["propertyName"] in tree:
        for name, chosen in tag["mapping"].items():
            if name == tree[tag["propertyName"]]:
                return named[chosen]
        return {"properties": {tag["propertyName"]: {"enum": list(tag["mapping"])}}}
    return _chosen(
        next(one for one in schema["anyOf"] if one != {"type": "null"}), named, tree
    )


# One command reads the files of a course several times; nobody changes what was read.
_tree_of = functools.lru_cache(maxsize=64)(
    functools.partial(tomllib.loads, parse_float=_finite)
)
