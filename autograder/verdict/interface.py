"""Bring answers that come back in another form into the form that is asked: one fault costs once.

A function may return its two values exchanged, only one of them, or the right array within a tuple,
transposed, or with an axis of length 1 too many or too few. A form counts only where all answers of the
function have it, whatever their sizes, so that square arrays never decide. The checks of published cases
judge the answers as they came and name the fault; all others judge what is restored here.

A form is found by shapes, kinds and order, never by what the right numbers are: whoever returns a tuple of
guesses must not get the best of them. Where several arrays may be the only one that is asked, the first of
them is, as PyTorch returns an output before its weights. Where several parts are asked, the last that may be
meant are, for results come after what they are made from.
"""

from __future__ import annotations

import enum
import itertools
import math
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, cast

from autograder.course.cases import Group
from autograder.course.homework import Task
from autograder.sandbox.report import Answer, Answers
from autograder.verdict.arrays import (
    MOST_PARTS,
    as_answer,
    as_entries,
    deviation,
    shape_of,
)
from autograder.verdict.comparison import NUMBERS_FOR_BOOLEANS, compare_case
from autograder.verdict.explanation_faults import explaining
from autograder.verdict.failure import Failure, FailureKind
from autograder.verdict.known import KnownCase
from autograder.worker.wire import Array

MOST_CHOICES = 20_000
"""Where shapes leave more ways than this to place the parts, the form is unclear without trying them."""
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
            return (
                "returns-output-only" if len(present) == (self.count or 1) == 1 else ""
            )
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

    def explained(
        self,
        finding: Failure,
        names: Sequence[str],
        is_right: bool,
        value: Any,
        expected: Any,
    ) -> Failure:
        """Say of a finding about the form of a value what to return, and whether the numbers are right."""
        if len(self.places) == 1 and not is_right:
            return finding
        start = f"{'The right' if is_right else 'To judge by their shapes, the'} values come back"
        missing = [
            name
            for name, place in zip(names, self.places, strict=True)
            if place is None
        ]
        text = f"{start}{self._described(names, value, expected)}: return ({', '.join(names)})."
        if len(self.places) == 1:
            text = f"{finding.student} The numbers are right, but not in the form that is asked for."
        elif missing and self.count not in (None, len(names) - len(missing)):
            right = f", and the {names[-1]} is right" if is_right else ""
            text = f"Only {self.count} of {len(names)} values come back{right}: return ({', '.join(names)})."
        elif len(missing) == len(names) - 1:
            right = ", and it is right" if is_right else ""
            text = (
                f"Only the {names[-1]} comes back{right}: return ({', '.join(names)})."
            )
        reshaped = [
            place for place in self.places if place and place.layout is Layout.RESHAPED
        ]
        if self.label == "axis-of-one" and is_right and len(reshaped) == 1:
            text = f"{finding.student} The numbers are right. {AXIS_OF_ONE}"
        # what is called with it stops before its numbers count
        kind = (
            FailureKind.ARITY
            if is_right and finding.kind is FailureKind.VALUES
            else finding.kind
        )
        return replace(
            finding,
            kind=kind,
            student=text,
            misconceptions=(self.label,) if self.label else (),
        )

    def _described(self, names: Sequence[str], value: Any, expected: Any) -> str:
        """Say how a value differs from the tuple that is asked: parts, their order and their forms."""
        missing = [
            name
            for name, place in zip(names, self.places, strict=True)
            if place is None
        ]
        indices = [place.index for place in self.places if place is not None]
        ways = []
        if missing:
            ways.append(f"without the {', '.join(missing)}")
        elif self.label == "returns-extra":
            ways.append("among others")
        if None not in indices and indices != sorted(
            indices, key=lambda index: index or 0
        ):
            ways.append("in another order")
        if isinstance(value, dict):
            ways.append("in a dictionary")

        forms = []
        for name, place, right in zip(
            names, self.places, parts_of(expected), strict=True
        ):
            if place is None or place.layout is Layout.AS_ASKED:
                continue
            array, wanted = as_entries(_item(value, place.index)), as_entries(right)
            title = name.replace("_", " ")
            verb = ("are", "have") if title.endswith("s") else ("is", "has")
            if place.layout is Layout.TRANSPOSED:
                forms.append(f"the {title} {verb[0]} transposed")
            elif array is not None and wanted is not None:
                shapes = f"{shape_of(array)} in place of {shape_of(wanted)}"
                forms.append(f"the {title} {verb[1]} the shape {shapes}")
        where = f" {' and '.join(ways)}" if ways else ""
        if not forms:
            return where or " in another form"
        return f"{where}, {'and' if ways else 'but'} {', and '.join(forms)}"

    def remedy(self, names: Sequence[str]) -> str:
        """Say what to do about the form, whether the numbers are right or wrong."""
        if self.label == "returns-transposed":
            return "Exchange rows and columns (`.T`)."
        if self.label == "axis-of-one":
            return AXIS_OF_ONE
        wanted = (
            f"({', '.join(names)})"
            if len(names) > 1
            else f"the {' '.join(names) or 'array'} by itself"
        )
        return f"Return {wanted}." if self.label else ""

    def restore(self, value: Any, known: KnownCase) -> Any:
        """Return an answer's value in the form that is asked; what is not of this form stays as it is.

        A missing part counts as right where the last part is right, for that is made from it.
        """
        wanted = parts_of(known.expected)
        parts = [
            _part_at(value, place, one)
            for place, one in zip(self.places, wanted, strict=True)
        ]
        if None in self.places and parts[-1] is not None:
            is_right = deviation(parts[-1], wanted[-1]) <= known.tolerance
            missing = [is_right and place is None for place in self.places]
            parts = [
                right if out else own
                for own, right, out in zip(parts, wanted, missing, strict=True)
            ]
        if any(part is None for part in parts):
            return value
        return tuple(parts) if isinstance(known.expected, tuple) else parts[0]


class Restored(Mapping[str, Answer]):
    """A submission's answers in the form that is asked, by key; ``came`` holds them as they came.

    Only functions with published cases are looked at, for it is their check that the fault costs.
    """

    def __init__(
        self, came: Answers, known: Sequence[KnownCase] = (), tasks: Sequence[Task] = ()
    ) -> None:
        self.came = came
        self._asked: dict[str, tuple[Task, KnownCase]] = {}  # by the key of the answer
        for task in tasks:
            own = [
                one for one in known if one.case.task == task.name and one.case.expects
            ]
            published = [one for one in own if one.case.group is Group.PUBLISHED]
            if published:
                self._asked |= {one.case.id: (task, one) for one in own}
                self._asked |= (
                    {value_key(task.value): (task, published[0])} if task.value else {}
                )
        self._forms: dict[str, Form | None] = {}

    def __getitem__(self, key: str) -> Answer:
        answer = self.came[key]
        return (
            self.restored(self._asked[key][1], answer) if key in self._asked else answer
        )

    def __iter__(self) -> Iterator[str]:
        return iter(self.came)

    def __len__(self) -> int:
        return len(self.came)

    def restored(self, known: KnownCase, answer: Answer) -> Answer:
        """Return the answer to a case, or to a further call like it, in the form that is asked."""
        form = self.form(known.case.task) if answer.is_usable else None
        return (
            answer
            if form is None
            else replace(answer, value=form.restore(answer.value, known))
        )

    def form(self, task: str) -> Form | None:
        """The form of a task's answers, None where it is the one that is asked or where it is unclear."""
        if task not in self._forms:
            found = [(known, self.came[key].value) for key, known in self._usable(task)]
            is_chained = any(
                one.chained for one, _ in self._asked.values() if one.name == task
            )
            self._forms[task] = find_form(found, is_chained)
        return self._forms[task]

    def fault(self, key: str) -> Failure | None:
        """What is wrong with the form of an answer, or of others to the same task where this one has none.

        None where the task's answers have the form that is asked.
        """
        if key not in self._asked:
            return None
        task, first = self._asked[key]
        form = self.form(task.name)
        for other, known in [(key, first), *self._usable(task.name)]:
            value = self.came[other].value
            if form and (finding := compare_case(known, value, task.returns)):
                with explaining(f"the form of the answers to {task.name}"):
                    is_right = compare_case(known, self[other].value) is None
                    if not finding.misconceptions:
                        finding = form.explained(
                            finding, task.returns, is_right, value, known.expected
                        )
                return finding
        return None

    def numbers_for_booleans(self, key: str) -> Failure | None:
        """What is wrong where booleans are asked and an answer that is otherwise right holds 0 and 1."""
        if key not in self._asked or self._asked[key][0].dtype != "bool":
            return None
        task, first = self._asked[key]
        for other, known in [(key, first), *self._usable(task.name)]:
            finding = compare_case(
                known, self[other].value, task.returns, only_booleans=True
            )
            if finding and NUMBERS_FOR_BOOLEANS in finding.misconceptions:
                return finding
        return None

    def _usable(self, task: str) -> list[tuple[str, KnownCase]]:
        """The keys and cases of a task's answers that have a value; its top-level value where none has."""
        own = [
            (key, known)
            for key, (one, known) in self._asked.items()
            if one.name == task
        ]
        usable = [(key, known) for key, known in own if self.came[key].is_usable]
        return [(key, known) for key, known in usable if key == known.case.id] or usable


def value_key(name: str) -> str:
    """The key of a top-level value among the answers."""
    return f"value/{name}"


def find_form(
    answered: Sequence[tuple[KnownCase, Any]], is_chained: bool = False
) -> Form | None:
    """Return the form that all values of a function have, None where it is as asked or unclear.

    Where they are chained, the last part is made from the others, so that these may be missing.
    """
    asked = (part for known, _ in answered for part in parts_of(known.expected))
    if any(
        as_entries(part) is None for part in asked
    ):  # tuples within a tuple have no form of their own
        return None
    if all(_is_as_asked(value, known.expected) for known, value in answered):
        return None
    lengths = {
        None if (items := _items(value)) is None else len(items)
        for _, value in answered
    }
    count = lengths.pop() if len(lengths) == 1 else None
    part_count = len(parts_of(answered[0][0].expected))
    options = [
        _options(answered, part, count, whole=part == part_count - 1 and count != 1)
        for part in range(part_count)
    ]
    places: tuple[Place | None, ...] | None = _places_by_shape(options)
    if places is None and is_chained and (count or 1) < part_count:
        places = _last_part_only(options)
    if places is None:
        return None
    is_of_arrays = not any(
        isinstance(part, list) for part in parts_of(answered[0][0].expected)
    )
    return Form(places, count, is_of_arrays)


def _is_as_asked(value: Any, expected: Any) -> bool:
    """Whether a value has the form that is asked, whatever its numbers."""
    wanted, parts = (
        parts_of(expected),
        value if isinstance(expected, tuple) else [value],
    )
    is_sequence = isinstance(parts, tuple | list) and len(parts) == len(wanted)
    return is_sequence and all(
        Layout.AS_ASKED in found for found in map(_layouts, parts, wanted)
    )


def _options(
    answered: Sequence[tuple[KnownCase, Any]], part: int, count: int | None, whole: bool
) -> list[Place]:
    """Return where one part may lie in all values, by their shapes and kinds.

    Only the last part, or the only one, may be ``whole``: all that was returned.
    """
    options = []
    wanted = [parts_of(known.expected)[part] for known, _ in answered]
    for index in [*([None] if whole else []), *range(count or 0)]:
        items = [_item(value, index) for _, value in answered]
        layouts = set.intersection(*map(_layouts, items, wanted))
        if layouts:
            options.append(Place(index, min(layouts)))
    return options


def _places_by_shape(options: Sequence[Sequence[Place]]) -> tuple[Place, ...] | None:
    """Return the places of all parts as a person would take them who does not know the answer.

    If shapes leave a choice, a single part is the first that may be meant. Several parts are the last that
    may be meant in the order that is asked, and in the reverse order if none are in that one. None if that
    leaves no single choice either.
    """
    if math.prod(map(len, options)) > MOST_CHOICES:
        return None
    choices, in_order, in_reverse = [], [], []
    for places in itertools.product(*options):
        indices = [-1 if place.index is None else place.index for place in places]
        if len(set(indices)) < len(indices):
            continue  # one item cannot be two parts
        choices.append(places)
        if indices == sorted(indices):
            in_order.append(places)
        if indices == sorted(indices, reverse=True):
            in_reverse.append(places)
    if len(choices) == 1:
        return choices[0]
    if in_order:
        return in_order[
            0 if len(options) == 1 else -1
        ]  # ``product`` yields the earliest places first
    return in_reverse[0] if len(in_reverse) == 1 else None


def _last_part_only(
    options: Sequence[Sequence[Place]],
) -> tuple[Place | None, ...] | None:
    """Return the place of the last part, and of those others that can only be what one item is.

    An item that may be either of two parts counts as neither of them.
    """
    *others, last = options
    if len(last) != 1:
        return None
    rivals = Counter(place.index for places in others for place in places)
    places: list[Place | None] = []
    for part in others:
        is_clear = (
            len(part) == 1
            and rivals[part[0].index] == 1
            and part[0].index != last[0].index
        )
        places.append(part[0] if is_clear else None)
    return (*places, last[0])


def parts_of(expected: Any) -> Sequence[Any]:
    """What is asked: the parts of a tuple; a list of like items is one part, as an array is."""
    return expected if isinstance(expected, tuple) else (expected,)


def _items(value: Any) -> list[Any] | None:
    """The items of a returned sequence or dictionary, of which few enough can be parts of an answer."""
    items = list(value.values()) if isinstance(value, dict) else value
    return (
        list(items)
        if isinstance(items, tuple | list) and 0 < len(items) <= MOST_PARTS
        else None
    )


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
    array, wanted = (
        cast(Array, as_entries(item)),
        cast(Array, as_entries(expected)),
    )  # they have a layout
    return (array.squeeze().T if place.layout is Layout.TRANSPOSED else array).reshape(
        wanted.shape
    )
