"""Bring answers that come back in another form into the form that is asked: one fault costs once.

A function may return its two values exchanged, only one of them, or the right array within a tuple,
transposed, or with an axis of length 1 too many or too few. A form counts only where all answers of the
function have it, whatever their sizes, so that square arrays never decide. The checks of published cases
judge the answers as they came and name the fault; all others judge what is restored here.

A form is found by shapes, kinds and order, never by what the right numbers are: whoever returns a tuple of
guesses must not get the best of them. Where several arrays may be the only one that is asked, the first of
them is, as PyTorch returns an output before its weights. Where several parts are asked, the last that may be
meant are, because results come after what they are made from.
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
from autograder.language import say
from autograder.sandbox.report import Answer, Answers
from autograder.verdict.arrays import (
    MOST_PARTS,
    as_answer,
    as_entries,
    deviation,
    has_items,
    of_one_shape,
)
from autograder.verdict.comparison import DEMANDED_DTYPES, compare_case
from autograder.verdict.describe import shape_of
from autograder.verdict.explanation_faults import explaining
from autograder.verdict.failure import Failure, FailureKind
from autograder.verdict.known import KnownCase
from autograder.verdict.titles import with_article
from autograder.worker.composites import SEQUENCES
from autograder.worker.wire import Array

MOST_CHOICES = 20_000
"""Where shapes leave more ways than this to place the parts, the form is unclear without trying them."""
AXIS_OF_ONE = (
    "Axes of length 1 are too many or missing: `.squeeze(axis)` takes one out, and `[..., None]` adds one at "
    "the end."
)


FORMS_IN_WORDS = {
    "axis-of-one": "with an axis of length 1 too many or too few",
    "returns-extra": "among other values",
    "returns-output-only": "without the other values",
    "returns-transposed": "transposed",
    "returns-tuple": "in a tuple",
    "weights-context-swapped": "in the wrong order",
}
"""How values come back, by the label of a form."""


class Layout(enum.IntEnum):
    """How the axes of an array relate to those that are asked; where several fit, the first counts."""

    AS_ASKED = 0
    RESHAPED = 1
    TRANSPOSED = 2


@dataclass(frozen=True)
class Place:
    """Where an expected part is: its index in the returned sequence, None where it is all that came."""

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
        present = []
        for place in self.places:
            if place is not None:
                present.append(place)
        if len(present) < len(self.places):
            if len(present) == 1 and (self.count or 1) == 1:
                return "returns-output-only"
            return ""
        indices = [place.index for place in present]
        if indices == [0] and self.count == 1:
            return "returns-tuple"
        if None not in indices and self.count != len(indices):
            return "returns-extra"
        if indices == [1, 0]:
            return "weights-context-swapped"
        layouts = {place.layout for place in present}
        if Layout.TRANSPOSED in layouts:
            return "returns-transposed"
        if Layout.RESHAPED in layouts and self.is_of_arrays:
            return "axis-of-one"
        return ""

    @property
    def in_words(self) -> str:
        """How values of this form come back, as the end of a sentence."""
        return say(FORMS_IN_WORDS.get(self.label, "in another form"))

    def advice(
        self,
        fact: str,
        names: Sequence[str],
        is_right: bool,
        value: Any,
        expected: Any,
    ) -> str:
        """Say what to return, and whether the numbers are right.

        Args:
            fact: what comparison says about the form of the value.
            names: names of the parts that the task returns.
            is_right: whether the numbers are right once the form is restored.
            value: what was returned.
            expected: the expected answer.
        """
        remedy = say("return ({names}).", names=", ".join(names))
        last_name = names[-1]
        missing = self._missing(names)

        # Only the form is wrong: one value is asked for, or an axis of length 1 is all that differs.
        reshaped = 0
        for place in self.places:
            if place is not None and place.layout is Layout.RESHAPED:
                reshaped += 1
        is_one_reshaped = reshaped == 1
        if self.label == "axis-of-one" and is_right and is_one_reshaped:
            return say(
                "{fact} The numbers are right. {remedy}",
                fact=fact,
                remedy=say(AXIS_OF_ONE),
            )
        if len(self.places) == 1:
            return say(
                "{fact} The numbers are right, but not in the form that the "
                "handout asks for.",
                fact=fact,
            )

        # Several are asked for, and some are missing.
        present = len(names) - len(missing)
        if missing and self.count not in (None, present):
            text = say(
                "Only {count} of {total} values come back",
                count=self.count,
                total=len(names),
            )
            if is_right:
                text = say(
                    "{fact}, and the {last_name} is right",
                    fact=text,
                    last_name=last_name,
                )
            return f"{text}: {remedy}"
        if present == 1:
            text = say("Only the {last_name} comes back", last_name=last_name)
            if is_right:
                text = say("{fact}, and it is right", fact=text)
            return f"{text}: {remedy}"

        # All are there, in another order or form.
        values = say("Judging by their shapes, the values")
        if is_right:
            values = say("The right values")
        difference = self._difference(names, value, expected)
        return say(
            "{values} come back{difference}: {remedy}",
            values=values,
            difference=difference,
            remedy=remedy,
        )

    def _missing(self, names: Sequence[str]) -> list[str]:
        missing = []
        for name, place in zip(names, self.places, strict=True):
            if place is None:
                missing.append(name)
        return missing

    def _difference(self, names: Sequence[str], value: Any, expected: Any) -> str:
        """Say how a value differs from the tuple that is asked: parts, their order and their forms."""
        ways = []
        missing = self._missing(names)
        if missing:
            ways.append(say("without the {missing}", missing=", ".join(missing)))
        elif self.label == "returns-extra":
            ways.append(say("together with others"))
        indices = []
        is_whole = False
        for place in self.places:
            if place is None:
                continue
            if place.index is None:
                is_whole = True
            else:
                indices.append(place.index)
        if not is_whole and indices != sorted(indices):
            ways.append(say("in the wrong order"))
        if isinstance(value, dict):
            ways.append(say("in a dictionary"))

        forms = []
        parts = zip(names, self.places, parts_of(expected), strict=True)
        for name, place, expected_part in parts:
            if place is None or place.layout is Layout.AS_ASKED:
                continue
            title = with_article(name)
            verb = "is"
            has = "has"
            if name.endswith("s"):
                verb = "are"
                has = "have"
            if place.layout is Layout.TRANSPOSED:
                forms.append(say("{title} {verb} transposed", title=title, verb=verb))
                continue
            array = as_entries(_item(value, place.index))
            expected_array = as_entries(expected_part)
            if array is not None and expected_array is not None:
                shape = shape_of(array)
                expected_shape = shape_of(expected_array)
                forms.append(
                    say(
                        "{title} {has} the shape {shape} instead of {expected_shape}",
                        title=title,
                        has=has,
                        shape=shape,
                        expected_shape=expected_shape,
                    )
                )

        all_ways = f" {say('and')} ".join(ways)
        all_forms = f", {say('and')} ".join(forms)
        if ways and forms:
            return " " + say(
                "{all_ways}, and {all_forms}", all_ways=all_ways, all_forms=all_forms
            )
        if ways:
            return f" {all_ways}"
        if forms:
            return say(", but {all_forms}", all_forms=all_forms)
        return " " + say("in another form")

    def remedy(self, names: Sequence[str]) -> str:
        """Say what to do about the form, whether the numbers are right or wrong."""
        if not self.label:
            return ""
        if self.label == "returns-transposed":
            return say("Exchange rows and columns (`.T`).")
        if self.label == "axis-of-one":
            return say(AXIS_OF_ONE)
        if len(names) > 1:
            return say("Return ({names}).", names=", ".join(names))
        if not names:
            return say("Return only the array.")
        return say("Return only the {name}.", name=names[0])

    def restore(self, value: Any, known: KnownCase) -> Any:
        """Return an answer's value in the form that is asked; a value of another form stays as it is.

        If only the last part came back and it is right, the missing parts count as right: it is made from them.
        """
        expected = parts_of(known.expected)
        parts: list[Any] = []
        for place, expected_part in zip(self.places, expected, strict=True):
            parts.append(_part_at(value, place, expected_part))
        last_part = parts[-1]
        if None in self.places and last_part is not None:
            if deviation(last_part, expected[-1]) <= known.tolerance:
                for index, place in enumerate(self.places):
                    if place is None:
                        parts[index] = expected[index]
        for part in parts:
            if part is None:
                return value
        if isinstance(known.expected, tuple):
            return tuple(parts)
        return parts[0]


class AsReturned(Mapping[str, Answer]):
    """Answers by key as they were returned, but with each expected exception as a value.

    An answer is looked up when it is asked for: on a student's machine its call is made only then.
    """

    def __init__(self, answers: Answers, known: Sequence[KnownCase]) -> None:
        self._answers = answers
        self._raising = {case.case.id: case for case in known if case.case.raises}

    def __iter__(self) -> Iterator[str]:
        return iter(self._answers)

    def __len__(self) -> int:
        return len(self._answers)

    def __getitem__(self, key: str) -> Answer:
        answer = self._answers[key]
        if key in self._raising:
            return self._raising[key].exception_as_value(answer)
        return answer


class Restored(Mapping[str, Answer]):
    """A submission's answers in the form that is asked, by key; each is restored when it is asked for.

    Only functions with published cases are restored, because it is their check that the fault costs.

    Attributes:
        as_returned: the answers in the form in which the submission returned them.
    """

    def __init__(
        self,
        answers: Answers,
        known: Sequence[KnownCase] = (),
        tasks: Sequence[Task] = (),
    ) -> None:
        self.as_returned = AsReturned(answers, known)
        self._forms: dict[str, Form | None] = {}
        self._restored: dict[str, Answer] = {}
        self._asked: dict[str, tuple[Task, KnownCase]] = {}  # by the key of the answer
        self._chained = set[str]()
        for task in tasks:
            if task.chained:
                self._chained.add(task.name)
            cases = []
            published = []
            for known_case in known:
                case = known_case.case
                if case.task != task.name or not case.expects:
                    continue
                if known_case.is_structured:  # only arrays have a form
                    continue
                cases.append(known_case)
                if case.group is Group.PUBLISHED:
                    published.append(known_case)
            if not published:
                continue
            for known_case in cases:
                self._asked[known_case.case.id] = (task, known_case)
            if task.value:
                self._asked[value_key(task.value)] = (task, published[0])

    def __iter__(self) -> Iterator[str]:
        return iter(self.as_returned)

    def __len__(self) -> int:
        return len(self.as_returned)

    def __getitem__(self, key: str) -> Answer:
        if key not in self._restored:
            answer = self.as_returned[key]
            if key in self._asked:
                _, known = self._asked[key]
                answer = self.restored(known, answer)
            self._restored[key] = answer
        return self._restored[key]

    def restored(self, known: KnownCase, answer: Answer) -> Answer:
        """Return the answer to a case, or to a further call like it, in the form that is asked."""
        if not answer.is_usable:
            return answer
        form = self.form(known.case.task)
        if form is None:
            return answer
        return replace(answer, value=form.restore(answer.value, known))

    def form(self, task: str) -> Form | None:
        """Return the form of a task's answers, None where it is the one that is asked or is unclear."""
        if task not in self._forms:
            answered = [
                (known, self.as_returned[key].value)
                for key, known in self._usable(task)
            ]
            self._forms[task] = find_form(answered, task in self._chained)
        return self._forms[task]

    def form_failure(self, key: str) -> Failure | None:
        """Return what is wrong with the form of an answer; None where the form is the one that is asked.

        Where this answer has the right form, another answer to the same task may show another one.
        """
        if key not in self._asked:
            return None
        task, first = self._asked[key]
        form = self.form(task.name)
        if form is None:
            return None
        for other_key, known in [(key, first), *self._usable(task.name)]:
            value = self.as_returned[other_key].value
            failure = compare_case(known, value, task.returns)
            if failure is None:
                continue
            with explaining(f"the form of the answers to {task.name}"):
                is_right = compare_case(known, self[other_key].value) is None
                is_one_wrong_value = len(form.places) == 1 and not is_right
                if not failure.misconceptions and not is_one_wrong_value:
                    text = form.advice(
                        failure.student, task.returns, is_right, value, known.expected
                    )
                    labels = (form.label,) if form.label else ()
                    failure = replace(failure.reworded(text), misconceptions=labels)
                    if is_right and failure.kind is FailureKind.VALUES:
                        # A caller of this function stops before its numbers count.
                        failure = replace(failure, kind=FailureKind.ARITY)
            return failure
        return None

    def wrong_dtype(self, key: str) -> Failure | None:
        """Return what is wrong where answers are right but for the dtype that the task asks for."""
        if key not in self._asked:
            return None
        task, first = self._asked[key]
        if task.dtype is None:
            return None
        label = DEMANDED_DTYPES[task.dtype].label
        for other_key, known in [(key, first), *self._usable(task.name)]:
            value = self[other_key].value
            failure = compare_case(known, value, task.returns, dtype=task.dtype)
            if failure is not None and label in failure.misconceptions:
                return failure
        return None

    def _usable(self, task: str) -> list[tuple[str, KnownCase]]:
        """Return keys and cases of a task's answers that have a value; its top-level value where none has."""
        answers_to_cases = []
        top_level_values = []
        for key, (asked_task, known) in self._asked.items():
            if asked_task.name != task or not self.as_returned[key].is_usable:
                continue
            if key == known.case.id:
                answers_to_cases.append((key, known))
            else:
                top_level_values.append((key, known))
        return answers_to_cases or top_level_values


def value_key(name: str) -> str:
    """Return the key of a top-level value among the answers."""
    return f"value/{name}"


def find_form(
    answered: Sequence[tuple[KnownCase, Any]], is_chained: bool = False
) -> Form | None:
    """Return the form that all values of a function have, None where it is as asked or unclear.

    Args:
        answered: cases with the values that were returned for them.
        is_chained: whether the last part is made from the others, so that these may be missing.
    """
    for known, _ in answered:
        for part in parts_of(known.expected):
            if as_entries(part) is None:
                return None  # tuples within a tuple have no form of their own
    if all(_is_as_asked(value, known.expected) for known, value in answered):
        return None

    # How many values come back, where it is always as many.
    counts = set()
    for _, value in answered:
        items = _items(value)
        counts.add(len(items) if items else None)
    count = None
    if len(counts) == 1:
        count = counts.pop()

    # Where each part may be, and where they are together.
    first_case, _ = answered[0]
    expected_parts = parts_of(first_case.expected)
    last_index = len(expected_parts) - 1
    options = []
    for part in range(len(expected_parts)):
        may_be_whole = part == last_index and count != 1
        options.append(_options(answered, part, count, whole=may_be_whole))
    places: tuple[Place | None, ...] | None = _places_by_shape(options)
    if places is None and is_chained and (count or 1) < len(expected_parts):
        places = _last_part_only(options)
    if places is None:
        return None
    has_list = any(isinstance(part, list) for part in expected_parts)
    return Form(places, count, is_of_arrays=not has_list)


def _is_as_asked(value: Any, expected: Any) -> bool:
    """Return whether a value has the form that is asked, whatever its numbers."""
    expected_parts = parts_of(expected)
    parts = [value]
    if isinstance(expected, tuple):
        parts = value
    if not has_items(parts, len(expected_parts)):
        return False
    for part, expected_part in zip(parts, expected_parts, strict=True):
        if of_one_shape(part, expected_part) is None:
            return False
    return True


def _options(
    answered: Sequence[tuple[KnownCase, Any]], part: int, count: int | None, whole: bool
) -> list[Place]:
    """Return where one part may be in all values, by their shapes and kinds.

    Only the last part, or the only one, may be ``whole``: all that was returned.
    """
    indices: list[int | None] = list(range(count or 0))
    if whole:
        indices.insert(0, None)
    options = []
    for index in indices:
        layouts = set(Layout)
        for known, value in answered:
            expected_part = parts_of(known.expected)[part]
            layouts &= _layouts(_item(value, index), expected_part)
        if layouts:
            options.append(Place(index, min(layouts)))
    return options


def _places_by_shape(options: Sequence[Sequence[Place]]) -> tuple[Place, ...] | None:
    """Return the places of all parts as a person would take them who does not know the answer.

    If shapes leave a choice, a single part is the first that may be meant. Several parts are the last that
    may be meant in the order that is asked, and in the reverse order if none are in that one. None if that
    leaves no single choice either.
    """
    if math.prod(len(places) for places in options) > MOST_CHOICES:
        return None
    choices: list[tuple[Place, ...]] = []
    in_order: list[tuple[Place, ...]] = []
    in_reverse: list[tuple[Place, ...]] = []
    for places in itertools.product(*options):  # the earliest places first
        indices = []
        for place in places:
            index = place.index
            if index is None:
                index = -1
            indices.append(index)
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
        if len(options) == 1:
            return in_order[0]
        return in_order[-1]
    if len(in_reverse) == 1:
        return in_reverse[0]
    return None


def _last_part_only(
    options: Sequence[Sequence[Place]],
) -> tuple[Place | None, ...] | None:
    """Return the place of the last part, and of each other part that alone fits its item.

    An item that may be either of two parts counts as neither of them.
    """
    *others, last = options
    if len(last) != 1:
        return None
    rivals = Counter[int | None]()
    for part in others:
        rivals.update(place.index for place in part)
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
    """Return the parts of an expected tuple; a list of like items is one part, as an array is."""
    if isinstance(expected, tuple):
        return expected
    return (expected,)


def _items(value: Any) -> list[Any] | None:
    """Return the items of a sequence or dictionary, if they are few enough to be parts of an answer."""
    items = value
    if isinstance(value, dict):
        items = list(value.values())
    if isinstance(items, SEQUENCES) and 0 < len(items) <= MOST_PARTS:
        return list(items)
    return None


def _item(value: Any, index: int | None) -> Any:
    """Return one item of a value, or all of it for no index; None where there is no such item."""
    if index is None:
        return value
    items = _items(value) or []
    if index < len(items):
        return items[index]
    return None


def _layouts(value: Any, expected: Any) -> set[Layout]:
    """Return the layouts in which a value may be the expected one: a square array has two, and so has a list."""
    expected_array = cast(Array, as_entries(expected))
    array = as_answer(value, expected_array)
    if array is None:
        return set()
    sizes = _sizes_above_1(array)
    expected_sizes = _sizes_above_1(expected_array)
    layouts = set()
    if len(expected_sizes) <= 2 and sizes == expected_sizes[::-1]:
        layouts.add(Layout.TRANSPOSED)
    if sizes == expected_sizes:
        has_shape = array.shape == expected_array.shape
        if has_shape:
            layouts.add(Layout.AS_ASKED)
        # A list of n rows and one of n columns look alike: they are not called transposed.
        if not has_shape or isinstance(expected, list):
            layouts.add(Layout.RESHAPED)
    return layouts


def _sizes_above_1(array: Array) -> list[int]:
    """Return the sizes of an array without axes of length 1; an empty axis stays."""
    sizes = []
    for size in array.shape:
        if size != 1:
            sizes.append(size)
    return sizes


def _part_at(value: Any, place: Place | None, expected: Any) -> Array | None:
    """Return the array at a place, in the expected shape; None if none there fits."""
    if place is None:
        return None
    item = _item(value, place.index)
    if place.layout not in _layouts(item, expected):
        return None
    array = cast(Array, as_entries(item))  # it has a layout, so it is an array
    expected_array = cast(Array, as_entries(expected))
    if place.layout is Layout.TRANSPOSED:
        array = array.squeeze().T
    return array.reshape(expected_array.shape)
