"""Read TOML and JSON files into typed records; a complaint names the file, the key and what belongs there.

A table of a file is a ``Record``. What its types cannot say, its ``__post_init__`` checks: it raises
``ValueError`` with a message that begins with the key, see ``wrong``.
"""

from __future__ import annotations

import datetime as dt
import json
import math
import re
import tomllib
from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from typing import Annotated, Any, TypeVar

import msgspec
from msgspec import Meta, inspect

from autograder.homework.model import CourseError

Text = Annotated[str, Meta(pattern=r"\S", description="a text that is not blank")]
Texts = Annotated[tuple[str, ...], Meta(min_length=1, description="a list of at least one text")]
Name = Annotated[
    str, Meta(pattern=r"\A[^\W\d]\w*\Z", description="a name of letters, digits and underscores")
]
Amount = Annotated[float, Meta(ge=0, description="a number, not negative")]
Count = Annotated[int, Meta(ge=0, description="a whole number, not negative")]
T = TypeVar("T")
_KINDS: dict[type[inspect.Type], str] = {
    inspect.StrType: "a text",
    inspect.IntType: "a whole number",
    inspect.FloatType: "a number",
    inspect.BoolType: "true or false",
    inspect.DateTimeType: "a date and time such as 2027-01-31T23:59:00Z",
    inspect.VarTupleType: "a list",
    inspect.DictType: "a table",
    inspect.StructType: "a table",
    inspect.DataclassType: "a table",
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
    """Read TOML from a text; ``place`` is named in complaints.

    Raises:
        CourseError: as ``read_toml``.
    """
    try:
        tree = tomllib.loads(text, parse_float=_finite)
    except tomllib.TOMLDecodeError as error:
        raise CourseError(f"{place}: not valid TOML: {error}") from error
    return typed(tree, kind, place)


def read_json(path: Path, kind: type[T]) -> T:
    """Read a JSON file.

    Raises:
        CourseError: it cannot be read, is not JSON, or a key is missing, unknown or of another kind.
    """
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
        return msgspec.convert(tree, kind, builtin_types=(dt.datetime, dt.date, dt.time))
    except msgspec.ValidationError as error:
        raise CourseError(f"{place}: {_complaint(str(error), tree, kind, key)}") from error


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
    info = inspect.type_info(kind)
    for name, number in re.findall(r"\.([\w-]+)|\[(\d+)\]", path.partition("[...]")[0]):
        info = _below(info, name, tree)
        tree = tree[int(number)] if number else tree[name]
        key = f"{key}[{int(number) + 1}]" if number else f"{key}.{name}".lstrip(".")
    if message.startswith(("Expected ", "Invalid ")):
        return str(wrong(key, _expected(info), tree))
    field = re.fullmatch(r"Object (missing required|contains unknown) field `(.*)`", message)
    if not field:  # a record's own complaint
        return f"{key}.{message}".lstrip(".")
    key = f"{key}.{field[2]}".lstrip(".")
    if field[1] == "missing required":
        return f"{key} is missing"
    table = _chosen(info, tree)
    assert isinstance(table, inspect.StructType)
    known = [table.tag_field or "", *(one.encode_name for one in table.fields)]
    return f"{key} is unknown; the known keys are {', '.join(filter(None, known))}"


def _below(info: inspect.Type, name: str, tree: Any) -> inspect.Type:
    """Return the type of what lies under a key, or in a list."""
    tagged = _tagged(info)
    if name and name in (one.tag_field for one in tagged):
        return inspect.LiteralType(tuple(str(one.tag) for one in tagged))
    info = _chosen(info, tree)
    if isinstance(info, inspect.StructType | inspect.DataclassType):
        return next(field.type for field in info.fields if field.encode_name == name)
    return info.item_type if isinstance(info, inspect.VarTupleType) else inspect.AnyType()


def _chosen(info: inspect.Type, tree: Any) -> inspect.Type:
    """Return the type that a value was read as: without its notes, and of a union the one it is tagged as."""
    if isinstance(info, inspect.Metadata):
        return _chosen(info.type, tree)
    if isinstance(info, inspect.UnionType):
        keys = tree if isinstance(tree, dict) else {}
        return next((one for one in _tagged(info) if keys.get(one.tag_field) == one.tag), info.types[0])
    return info


def _tagged(info: inspect.Type) -> list[inspect.StructType]:
    members = info.types if isinstance(info, inspect.UnionType) else ()
    return [one for one in members if isinstance(one, inspect.StructType)]


def _expected(info: inspect.Type) -> str:
    """Say what belongs there."""
    if isinstance(info, inspect.Metadata):
        return str((info.extra_json_schema or {})["description"])
    if isinstance(info, inspect.UnionType):  # null cannot be written, so an optional value is the other type
        return _expected(next(one for one in info.types if not isinstance(one, inspect.NoneType)))
    if isinstance(info, inspect.LiteralType):
        return f"one of {', '.join(map(str, info.values))}"
    if isinstance(info, inspect.EnumType):
        return f"one of {', '.join(one.value for one in info.cls)}"
    return _KINDS.get(type(info), "another kind of value")
