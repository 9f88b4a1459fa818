"""Bring answers that come back in another form into the form that is asked: one fault costs once.

A function may return its two values exchanged, only one of them, or the right array within a tuple,
transposed, or with an axis of length 1 too many or too few. A form counts only where all answers of the
function have it, whatever their sizes, so that square arrays never decide. The checks of published cases
judge the answers as they came and name the fault; all others judge what is restored here.
"""

from __future__ import annotations

import enum
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, cast

from autograder.course import Group, Task
from autograder.judging.comparison import (
    MOST_PARTS,
    NUMBERS_FOR_BOOLEANS,
    Finding,
    Kind,
    as_answer,
    as_entries,
    deviation,
)
from autograder.judging.known import KnownCase
from autograder.sandbox import Answer, Answers
from autograder.worker import Array

AXIS_OF_ONE = (
    "Axes of length 1 are too many or missing: `.squeeze(axis)` takes one out, and `[..., None]` adds one at "
    "the end."
)


class Layout(enum.IntEnum):
    """How the axes of an array relate to those that are asked; where several fit, the first counts."""

    AS_ASKED = 0
    RESHAPED = 1
    TRANSPOSED = 2


@dataclass(frozen=True)
class Place:
    """Where an expected part lies: its index in the returned sequence, None where it is all that came."""

    index: int | None
    layout: Layout


@dataclass(frozen=True)
class Form:
    """The form that all answers of one function have, with a place for each part that is asked.

    A place is None where the part is missing. ``count`` is the length of the returned sequence, if one came
    back. ``is_of_arrays`` is false where a list of like items is asked. The numbers may be right or wrong: a
    form is found by the shapes.
    """

    places: tuple[Place | None, ...]
    count: int | None
    is_of_arrays: bool = True

    @property
    def label(self) -> str:
        """The name of the fault, where it has one."""
        present = [place for place in self.places if place is not None]
        indices = [place.index for place in present]
        if None in self.places:
            return "returns-output-only" if len(present) == 1 else ""
        if indices == [0] and self.count == 1:
            return "returns-tuple"
        if None not in indices and self.count != len(indices):
            return "returns-extra"
        if indices == [1, 0]:
            return "weights-context-swapped"
        layouts = {place.layout for place in present}
        if Layout.TRANSPOSED in layouts:
            return "returns-transposed"
        return "axis-of-one" if Layout.RESHAPED in layouts and self.is_of_arrays else ""

    def explained(self, finding: Finding, names: Sequence[str], is_right: bool) -> Finding:
        """Say of a finding about the form what to return, and whether the numbers are right."""
        if len(self.places) == 1 and not is_right:
            return finding
        start = f"{'The right' if is_right else 'To judge by their shapes, the'} values come back"
        missing = [name for name, place in zip(names, self.places, strict=True) if place is None]
        where = "among others" if self.label == "returns-extra" else "in another order or form"
        where = f"without the {', '.join(missing)}" if missing else where
        text = f"{start} {where}: return ({', '.join(names)})."
        if len(self.places) == 1:
            text = f"{finding.student} The numbers are right, but not in the form that is asked for."
        elif len(missing) == len(names) - 1:
            right = ", and it is right" if is_right else ""
            text = f"Only the {names[-1]} comes back{right}: return ({', '.join(names)})."
        if self.label == "axis-of-one" and is_right:
            text = f"{finding.student} The numbers are right. {AXIS_OF_ONE}"
        # what is called with it stops before its numbers count
        kind = Kind.ARITY if is_right and finding.kind is Kind.VALUES else finding.kind
        return replace(finding, kind=kind, student=text, misconceptions=(self.label,) if self.label else ())

    def remedy(self, names: Sequence[str]) -> str:
        """Say what to do about the form, whether the numbers are right or wrong."""
        if self.label == "returns-transposed":
            return "Exchange rows and columns (`.T`)."
        if self.label == "axis-of-one":
            return AXIS_OF_ONE
        wanted = f"({', '.join(names)})" if len(names) > 1 else f"the {' '.join(names) or 'array'} by itself"
        return f"Return {wanted}." if self.label else ""

    def restore(self, value: Any, known: KnownCase) -> Any:
        """Return an answer's value in the form that is asked; what is not of this form stays as it is.

        A missing part counts as right where the last part is right, for that is made from it.
        """
        wanted = parts_of(known.expected)
        parts = [_part_at(value, place, one) for place, one in zip(self.places, wanted, strict=True)]
        if None in self.places and parts[-1] is not None:
            is_right = deviation(parts[-1], wanted[-1]) <= known.tolerance
            missing = [is_right and place is None for place in self.places]
            parts = [right if out else own for own, right, out in zip(parts, wanted, missing, strict=True)]
        if any(part is None for part in parts):
            return value
        return tuple(parts) if isinstance(known.expected, tuple) else parts[0]


class Restored(Mapping[str, Answer]):
    """A submission's answers in the form that is asked, by key; ``came`` holds them as they came.

    Only functions with published cases are looked at, for it is their check that the fault costs.
    """

    def __init__(self, came: Answers, known: Sequence[KnownCase] = (), tasks: Sequence[Task] = ()) -> None:
        self.came = came
        self._asked: dict[str, tuple[Task, KnownCase]] = {}  # by the key of the answer
        for task in tasks:
            own = [one for one in known if one.case.task == task.name and one.case.expects]
            published = [one for one in own if one.case.group is Group.PUBLISHED]
            if published:
                self._asked |= {one.case.id: (task, one) for one in own}
                self._asked |= {value_key(task.value): (task, published[0])} if task.value else {}
        self._forms: dict[str, Form | None] = {}

    def __getitem__(self, key: str) -> Answer:
        answer = self.came[key]
        return self.restored(self._asked[key][1], answer) if key in self._asked else answer

    def __iter__(self) -> Iterator[str]:
        return iter(self.came)

    def __len__(self) -> int:
        return len(self.came)

    def restored(self, known: KnownCase, answer: Answer) -> Answer:
        """Return the answer to a case, or to a further call like it, in the form that is asked."""
        form = self.form(known.case.task) if answer.is_usable else None
        return answer if form is None else replace(answer, value=form.restore(answer.value, known))

    def form(self, task: str) -> Form | None:
        """The form of a task's answers, None where it is the one that is asked or where it is unclear."""
        if task not in self._forms:
            found = [(known, self.came[key].value) for key, known in self._usable(task)]
            is_chained = any(one.chained for one, _ in self._asked.values() if one.name == task)
            self._forms[task] = find_form(found, is_chained)
        return self._forms[task]

    def fault(self, key: str) -> Finding | None:
        """What is wrong with the form of an answer, or of others to the same task where this one has none.

        None where the task's answers have the form that is asked.
        """
        if key not in self._asked:
            return None
        task, first = self._asked[key]
        form = self.form(task.name)
        for other, known in [(key, first), *self._usable(task.name)]:
            if form and (finding := known.compare(self.came[other].value, task.returns)):
                is_right = known.compare(self[other].value) is None
                return finding if finding.misconceptions else form.explained(finding, task.returns, is_right)
        return None

    def numbers_for_booleans(self, key: str) -> Finding | None:
        """What is wrong where booleans are asked and an answer that is otherwise right holds 0 and 1."""
        if key not in self._asked or self._asked[key][0].dtype != "bool":
            return None
        task, first = self._asked[key]
        for other, known in [(key, first), *self._usable(task.name)]:
            finding = known.compare(self[other].value, task.returns, only_booleans=True)
            if finding and NUMBERS_FOR_BOOLEANS in finding.misconceptions:
                return finding
        return None

    def _usable(self, task: str) -> list[tuple[str, KnownCase]]:
        """The keys and cases of a task's answers that have a value; its top-level value where none has."""
        own = [(key, known) for key, (one, known) in self._asked.items() if one.name == task]
        usable = [(key, known) for key, known in own if self.came[key].is_usable]
        return [(key, known) for key, known in usable if key == known.case.id] or usable


def value_key(name: str) -> str:
    """The key of a top-level value among the answers."""
    return f"value/{name}"


def find_form(answered: Sequence[tuple[KnownCase, Any]], is_chained: bool = False) -> Form | None:
    """Return the form that all values of a function have, None where it is as asked or unclear.

    Where they are chained, the last part is made from the others, so that these may be missing.
    """
    asked = (part for known, _ in answered for part in parts_of(known.expected))
    if any(as_entries(part) is None for part in asked):  # tuples within a tuple have no form of their own
        return None
    if all(_is_as_asked(value, known.expected) for known, value in answered):
        return None
    lengths = {None if (items := _items(value)) is None else len(items) for _, value in answered}
    count = lengths.pop() if len(lengths) == 1 else None
    parts = range(len(parts_of(answered[0][0].expected)))
    places = _choose([_options(answered, part, count, whole=part == parts[-1]) for part in parts], count or 1)
    if places is None or (None in places and not is_chained):
        return None
    is_of_arrays = not any(isinstance(part, list) for part in parts_of(answered[0][0].expected))
    return Form(places, count, is_of_arrays)


def _is_as_asked(value: Any, expected: Any) -> bool:
    """Whether a value has the form that is asked, whatever its numbers."""
    wanted, parts = parts_of(expected), value if isinstance(expected, tuple) else [value]
    is_sequence = isinstance(parts, tuple | list) and len(parts) == len(wanted)
    return is_sequence and all(Layout.AS_ASKED in found for found in map(_layouts, parts, wanted))


def _options(
    answered: Sequence[tuple[KnownCase, Any]], part: int, count: int | None, whole: bool
) -> dict[Place, int]:
    """Where one part may lie in all values, and in how many of them it is right there.

    Only the last part, or the only one, may be ``whole``: all that was returned.
    """
    options = {}
    wanted = [parts_of(known.expected)[part] for known, _ in answered]
    for index in [*([None] if whole else []), *range(count or 0)]:
        items = [_item(value, index) for _, value in answered]
        layouts = set.intersection(*map(_layouts, items, wanted))
        if layouts:
            place = Place(index, min(layouts))
            pairs = zip(answered, wanted, strict=True)
            far = ((known, deviation(_part_at(value, place, one), one)) for (known, value), one in pairs)
            options[place] = sum(off <= known.tolerance for known, off in far)
    return options


def _choose(options: Sequence[Mapping[Place, int]], count: int) -> tuple[Place | None, ...] | None:
    """Return a place for each part, those that are right most often first; None where that is unclear."""
    chosen: dict[int, Place | None] = {}
    for part in sorted(range(len(options)), key=lambda part: -max(options[part].values(), default=0)):
        used = {place.index for place in chosen.values() if place is not None}
        free = {place: right for place, right in options[part].items() if place.index not in used}
        ranked = sorted(free, key=lambda place: (-free[place], place.index != part, place.layout))
        is_guess = len(ranked) > 1 and not free[ranked[0]]
        is_own = bool(ranked) and ranked[0].index == part and count == len(options)
        if (is_guess and not is_own) or (not ranked and count >= len(options)):
            return None
        chosen[part] = ranked[0] if ranked else None
    return tuple(chosen[part] for part in range(len(options))) if chosen[len(options) - 1] else None


def parts_of(expected: Any) -> Sequence[Any]:
    """What is asked: the parts of a tuple; a list of like items is one part, as an array is."""
    return expected if isinstance(expected, tuple) else (expected,)


def _items(value: Any) -> list[Any] | None:
    """The items of a returned sequence or dictionary, of which few enough can be parts of an answer."""
    items = list(value.values()) if isinstance(value, dict) else value
    return list(items) if isinstance(items, tuple | list) and 0 < len(items) <= MOST_PARTS else None


def _item(value: Any, index: int | None) -> Any:
    items = [] if index is None else _items(value) or []
    return value if index is None else items[index] if index < len(items) else None


def _layouts(value: Any, expected: Any) -> set[Layout]:
    """The layouts in which a value may be what is expected; of a square array, they are two."""
    wanted = cast(Array, as_entries(expected))
    array = as_answer(value, wanted)
    if array is None:
        return set()
    here, there = ([size for size in one.shape if size != 1] for one in (array, wanted))
    found = {Layout.TRANSPOSED} if len(there) <= 2 and here == there[::-1] else set()
    plain = Layout.AS_ASKED if array.shape == wanted.shape else Layout.RESHAPED
    return found | ({plain} if here == there else set())


def _part_at(value: Any, place: Place | None, expected: Any) -> Array | None:
    """The array at a place, in the shape of what is expected; None where none is there that fits."""
    item = None if place is None else _item(value, place.index)
    if place is None or place.layout not in _layouts(item, expected):
        return None
    array, wanted = cast(Array, as_entries(item)), cast(Array, as_entries(expected))  # they have a layout
    return (array.squeeze().T if place.layout is Layout.TRANSPOSED else array).reshape(wanted.shape)
