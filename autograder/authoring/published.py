"""The published values: numbers printed in the course's sources, kept as text that a person can review."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from autograder.course.cases import Group
from autograder.course.homework import CourseError, Homework
from autograder.course.schema import Amount, Count, Record, Text, read_toml, wrong_value
from autograder.exhibits.cells import BLANK, shown_lines
from autograder.exhibits.parts import parts_named
from autograder.verdict.arrays import as_entries, differences
from autograder.verdict.describe import describe
from autograder.verdict.kinds import structure_of
from autograder.verdict.known import KnownCase
from autograder.worker.wire import Array

PUBLISHED = "published.toml"
ROUNDING = 1e-9
MAX_RENDERED = 400
"""Larger arrays are not written as text."""
UNPRINTED_DECIMALS = 6


class Published(Record):
    """One printed array.

    Attributes:
        case: the name of its case.
        printed: its text.
        decimals: to how many decimals it is printed.
        part: which part of the case's result it is.
        rows: only so many rows are printed, the first ones.
        columns: only so many columns are printed, the first ones.
        agreement: replaces half a unit of the last decimal where the printed inputs themselves were rounded.
    """

    case: Text
    printed: Text
    decimals: Count
    part: Count | None = None
    rows: Count | None = None
    columns: Count | None = None
    agreement: Amount | None = None

    def __post_init__(self) -> None:
        try:
            is_printed = not np.isnan(self.numbers).any()
        except ValueError:
            is_printed = False
        if not is_printed:
            raise wrong_value("printed", "rows of numbers, equally long", self.printed)

    @property
    def numbers(self) -> Array:
        """The printed text as an array of two dimensions; booleans are 1 and 0, or True and False."""
        text = self.printed.replace("True", "1").replace("False", "0")
        rows = []
        for line in text.splitlines():
            if line.strip():
                rows.append([float(word) for word in line.split()])
        return np.array(rows)

    @property
    def allowed(self) -> float:
        """The largest difference that rounding explains."""
        return self.agreement or 0.5 * 10.0**-self.decimals + ROUNDING

    def computed(self, known: KnownCase) -> Array:
        """Return the part of the computed result that is printed."""
        return self.whole(known)[: self.rows, : self.columns]

    def whole(self, known: KnownCase) -> Array:
        """Return the computed result, also of the rows and columns that are not printed.

        Of more than two axes, all matrices stand one below another.

        Raises:
            CourseError: ``part`` does not fit the result.
        """
        value = known.expected
        has_parts = isinstance(value, tuple | list)
        if self.part is not None:
            if not has_parts or self.part >= len(value):
                raise CourseError(
                    f"{self.case}: `part` = {self.part}, but the result is {describe(value)}"
                )
            value = value[self.part]
        array = as_entries(value)
        if array is None and self.part is None and has_parts:
            raise CourseError(
                f"{self.case}: `part` is missing for a result of several arrays"
            )
        if array is None:
            raise CourseError(
                f"{self.case}: numbers are printed, but the solution returns {describe(value)}"
            )
        if array.dtype.kind == "b":
            array = array.astype(float)
        if array.ndim > 2:
            return array.reshape(-1, array.shape[-1])
        return np.atleast_2d(array)


class _PublishedFile(Record):
    source: Text | None = None
    values: tuple[Published, ...] = ()


def read_published(homework: Homework) -> Sequence[Published]:
    """Read a homework's ``published.toml``; without the file there are no printed values."""
    path = homework.folder / PUBLISHED
    if not path.is_file():
        return ()
    return read_toml(path, _PublishedFile).values


def published_by_name(known_cases: Sequence[KnownCase]) -> dict[str, KnownCase]:
    """Return the published cases by their names, to which printed values refer."""
    known_by_name = {}
    for known in known_cases:
        if known.case.group == Group.PUBLISHED:
            known_by_name[known.case.name] = known
    return known_by_name


def disagreements(
    published: Sequence[Published],
    known_cases: Sequence[KnownCase],
) -> Iterator[str]:
    """Yield one line for each printed array that the computed results do not reproduce."""
    known_by_name = published_by_name(known_cases)
    for printed in published:
        where = f"published/{printed.case}"
        numbers = printed.numbers
        if printed.case not in known_by_name:
            yield f"{where}: there is no such case"
            continue
        computed = printed.computed(known_by_name[printed.case])
        if computed.shape != numbers.shape:
            yield f"{where}: shape {computed.shape}, printed {numbers.shape}"
            continue
        largest = float(differences(computed, numbers).max())
        allowed = printed.allowed
        if not largest <= allowed:  # NaN disagrees
            yield f"{where}: differs by {largest:.3g}, allowed is {allowed:.3g}"


def render_published(
    homework: Homework,
    published: Sequence[Published],
    known_cases: Sequence[KnownCase],
) -> str:
    """Return the computed values of all published cases as text, to the printed decimals where printed."""
    printed = {(values.case, values.part): values for values in published}
    lines = [f"Published values of {homework.id}: {homework.title}"]
    for known in known_cases:
        case = known.case
        if case.group != Group.PUBLISHED or not case.expects:
            continue

        # The parts of the result, each with its title; a result that is one array has the case's name.
        parts: list[tuple[int | None, str, Any]] = []
        if known.is_structured:
            for name, value in parts_named(known.expected):
                parts.append((None, f"{case.name} {name}".rstrip(), value))
        elif isinstance(known.expected, tuple | list):
            names = homework.task(case.task).returns
            for index, value in enumerate(known.expected):
                name = f"item {index}"
                if index < len(names):
                    name = names[index]
                title = f"{case.name} {name}".rstrip()
                parts.append((index, title, value))
        else:
            parts.append((None, case.name.rstrip(), known.expected))

        for part, title, value in parts:
            array = as_entries(value)
            part_of_kind = structure_of(value)
            if array is None and part_of_kind is not None:
                value_lines = [line.replace(BLANK, " ") for line in shown_lines(value)]
                lines += ["", f"{title}: {part_of_kind.name}", *value_lines]
                continue
            if array is None or array.size > MAX_RENDERED:
                shape = "?" if array is None else array.shape
                lines += ["", f"{title}: shape {shape}, stored only"]
                continue
            decimals = UNPRINTED_DECIMALS
            note = ""
            if (case.name, part) in printed:
                decimals = printed[case.name, part].decimals
                note = f", printed in the source to {decimals} decimals"
            table = np.array2string(
                np.atleast_2d(array),
                precision=decimals,
                suppress_small=True,
                floatmode="fixed",
                max_line_width=200,
            )
            lines += ["", f"{title}: shape {array.shape}{note}", table]
    return "\n".join(lines) + "\n"
