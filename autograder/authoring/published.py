"""The published values: numbers printed in the course's sources, kept as text that a person can review."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from autograder.course.cases import Group
from autograder.course.homework import CourseError, Homework
from autograder.course.schema import Amount, Count, Record, Text, read_toml, wrong
from autograder.verdict.arrays import as_entries, differences, kind_of
from autograder.verdict.known import KnownCase
from autograder.worker.wire import Array

PUBLISHED = "published.toml"
ROUNDING = 1e-9
MAX_RENDERED = 400


class Published(Record):
    """One printed array: which case (and which part of its result) it is, and to how many decimals.

    ``rows`` and ``columns`` say that only the first ones are printed. ``agreement`` replaces half a unit
    of the last decimal where the printed inputs themselves were rounded.
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
            raise wrong("printed", "rows of numbers, equally long", self.printed)

    @property
    def numbers(self) -> Array:
        """The printed text as an array of two dimensions; booleans are 1 and 0, or True and False."""
        lines = self.printed.replace("True", "1").replace("False", "0").splitlines()
        return np.array(
            [[float(one) for one in line.split()] for line in lines if line.strip()]
        )

    @property
    def allowed(self) -> float:
        """The largest difference that rounding explains."""
        return self.agreement or 0.5 * 10.0**-self.decimals + ROUNDING

    def computed(self, known: KnownCase) -> Array:
        """Cut the computed result to what is printed."""
        return self.whole(known)[: self.rows, : self.columns]

    def whole(self, known: KnownCase) -> Array:
        """Return the computed result, also of the rows and columns that are not printed.

        Of more than two axes, all matrices stand one below another.
        """
        value = known.expected
        if self.part is not None:
            if not isinstance(value, tuple | list) or self.part >= len(value):
                raise CourseError(
                    f"{self.case}: `part` = {self.part}, but the result is {kind_of(value)}"
                )
            value = value[self.part]
        array = as_entries(value)
        if array is None:
            raise CourseError(
                f"{self.case}: `part` is missing for a result of several arrays"
            )
        array = array.astype(float) if array.dtype.kind == "b" else array
        return (
            array.reshape(-1, array.shape[-1])
            if array.ndim > 2
            else np.atleast_2d(array)
        )


class _PublishedFile(Record):
    source: Text | None = None
    values: tuple[Published, ...] = ()


def read_published(homework: Homework) -> Sequence[Published]:
    """Read a homework's ``published.toml``; without the file there are no printed values."""
    path = homework.folder / PUBLISHED
    return read_toml(path, _PublishedFile).values if path.is_file() else ()


def disagreements(
    published: Sequence[Published], known: Sequence[KnownCase]
) -> Iterator[str]:
    """Yield one line for each printed array that the computed results do not reproduce."""
    by_name = {one.case.name: one for one in known if one.case.group == Group.PUBLISHED}
    for printed in published:
        where, numbers = f"published/{printed.case}", printed.numbers
        if printed.case not in by_name:
            yield f"{where}: there is no such case"
        elif (
            computed := printed.computed(by_name[printed.case])
        ).shape != numbers.shape:
            yield f"{where}: shape {computed.shape}, printed {numbers.shape}"
        elif (
            not (largest := float(differences(computed, numbers).max()))
            <= printed.allowed
        ):  # NaN disagrees
            yield f"{where}: differs by {largest:.3g}, allowed is {printed.allowed:.3g}"


def render_published(
    homework: Homework, published: Sequence[Published], known: Sequence[KnownCase]
) -> str:
    """Return the computed values of all published cases as text, to the printed decimals where printed."""
    printed = {(one.case, one.part): one for one in published}
    lines = [f"Published values of {homework.id}: {homework.title}"]
    for one in known:
        if one.case.group != Group.PUBLISHED or not one.case.expects:
            continue
        names = homework.task(one.case.task).returns
        in_parts = isinstance(one.expected, tuple | list)
        for i, value in enumerate(one.expected if in_parts else [one.expected]):
            label = (names[i] if i < len(names) else f"item {i}") if in_parts else ""
            title, array = f"{one.case.name} {label}".rstrip(), as_entries(value)
            if array is None or array.size > MAX_RENDERED:
                lines += [
                    "",
                    f"{title}: shape {'?' if array is None else array.shape}, stored only",
                ]
                continue
            source = printed.get((one.case.name, i if in_parts else None))
            decimals = source.decimals if source else 6
            note = f", printed in the source to {decimals} decimals" if source else ""
            table = np.array2string(
                np.atleast_2d(array),
                precision=decimals,
                suppress_small=True,
                floatmode="fixed",
                max_line_width=200,
            )
            lines += ["", f"{title}: shape {array.shape}{note}", table]
    return "\n".join(lines) + "\n"
