"""The published values: numbers printed in the course's sources, kept as text that a person can review."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from autograder.comparison.compare import as_array
from autograder.comparison.describe import kind_of
from autograder.homework.model import CourseError, Homework
from autograder.homework.table import Table
from autograder.reference.known import KnownCase
from autograder.worker.wire import Array

PUBLISHED = "published.toml"
FILE_KEYS = ("source", "values")
VALUE_KEYS = ("case", "printed", "decimals", "part", "rows", "columns", "agreement")
ROUNDING = 1e-9
MAX_RENDERED = 400


@dataclass(frozen=True, eq=False)
class Published:
    """One printed array: which case (and which part of its result) it is, and to how many decimals.

    ``rows`` and ``columns`` say that only the first ones are printed. ``agreement`` replaces half a unit
    of the last decimal where the printed inputs themselves were rounded.
    """

    case: str
    numbers: Array
    decimals: int
    part: int | None = None
    rows: int | None = None
    columns: int | None = None
    agreement: float | None = None

    @property
    def allowed(self) -> float:
        """The largest difference that rounding explains."""
        return self.agreement or 0.5 * 10.0**-self.decimals + ROUNDING

    def computed(self, known: KnownCase) -> Array:
        """Cut the computed result to what is printed.

        Raises:
            CourseError: ``part`` does not fit the result.
        """
        array = as_array(self._part_of(known.expected))
        if array is None:
            raise CourseError(f"{self.case}: `part` is missing for a result of several arrays")
        return np.atleast_2d(array)[: self.rows, : self.columns]

    def _part_of(self, value: Any) -> Any:
        if self.part is None:
            return value
        if not isinstance(value, tuple | list) or self.part >= len(value):
            raise CourseError(f"{self.case}: `part` = {self.part}, but the result is {kind_of(value)}")
        return value[self.part]


def read_published(homework: Homework) -> list[Published]:
    """Read a homework's ``published.toml``; a homework without one has no printed values.

    Raises:
        CourseError: the file is malformed.
    """
    path = homework.folder / PUBLISHED
    if not path.is_file():
        return []
    try:
        table = Table(tomllib.loads(path.read_text(encoding="utf-8")))
        table.only(FILE_KEYS)
        return [_published(entry) for entry in table.tables("values")] if "values" in table.values else []
    except ValueError as error:
        raise CourseError(f"{path}: {error}") from error


def _published(entry: Table) -> Published:
    entry.only(VALUE_KEYS)
    optional: dict[str, Any] = {
        key: entry.number(key, whole=key != "agreement")
        for key in ("part", "rows", "columns", "agreement")
        if key in entry.values
    }
    decimals = int(entry.number("decimals", whole=True))
    return Published(entry.text("case"), _numbers(entry, "printed"), decimals, **optional)


def _numbers(entry: Table, key: str) -> Array:
    lines = entry.text(key).strip().splitlines()
    try:
        numbers = np.array([[float(number) for number in line.split()] for line in lines])
    except ValueError as error:
        raise entry.wrong(key, f"rows of numbers, equally long ({error})") from error
    if not np.isfinite(numbers).all():
        raise entry.wrong(key, "rows of finite numbers")
    return numbers


def disagreements(published: Sequence[Published], known: Sequence[KnownCase]) -> Iterator[str]:
    """Yield one line for each printed array that the computed results do not reproduce."""
    by_name = {one.case.name: one for one in known if one.case.group == "published"}
    for printed in published:
        if printed.case not in by_name:
            yield f"published/{printed.case}: there is no such case"
            continue
        computed = printed.computed(by_name[printed.case])
        if computed.shape != printed.numbers.shape:
            yield f"published/{printed.case}: shape {computed.shape}, printed {printed.numbers.shape}"
            continue
        largest = float(np.abs(computed - printed.numbers).max())
        if not largest <= printed.allowed:  # so that NaN disagrees
            yield f"published/{printed.case}: differs by {largest:.3g}, allowed is {printed.allowed:.3g}"


def render_published(homework: Homework, published: Sequence[Published], known: Sequence[KnownCase]) -> str:
    """Return the computed values of all published cases as text, to the printed decimals where printed."""
    printed = {(one.case, one.part): one for one in published}
    lines = [f"Published values of {homework.id}: {homework.title}", ""]
    for one in known:
        if one.case.group != "published":
            continue
        parts = (
            list(enumerate(one.expected))
            if isinstance(one.expected, tuple | list)
            else [(None, one.expected)]
        )
        for part, value in parts:
            lines += _render(homework, one, part, value, printed.get((one.case.name, part)))
    return "\n".join(lines).rstrip() + "\n"


def _render(
    homework: Homework, known: KnownCase, part: int | None, value: Any, printed: Published | None
) -> list[str]:
    array = as_array(value)
    names = homework.task(known.case.task).returns
    label = (
        names[part] if part is not None and part < len(names) else ("" if part is None else f"item {part}")
    )
    title = f"{known.case.name} {label}".rstrip()
    if array is None or array.size > MAX_RENDERED:
        shape = "?" if array is None else array.shape
        return [f"{title}: shape {shape}, stored only", ""]
    decimals = printed.decimals if printed else 6
    note = f", printed in the source to {decimals} decimals" if printed else ""
    table = np.array2string(
        np.atleast_2d(array), precision=decimals, suppress_small=True, floatmode="fixed", max_line_width=200
    )
    return [f"{title}: shape {array.shape}{note}", table, ""]
