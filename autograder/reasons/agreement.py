"""Compare a submission's answers with those of known mistakes, and find the mistakes that agree with them."""

from __future__ import annotations

import math
import re
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol
from weakref import WeakKeyDictionary

import numpy as np

from autograder.course.calls import FunctionCall
from autograder.course.cases import Group
from autograder.language import say
from autograder.reasons.landmarks import Landmark, landmark_of
from autograder.sandbox.report import Answer, Answers, StudentError
from autograder.verdict.arrays import (
    MOST_PARTS,
    as_array,
    as_entries,
    as_mask,
    broadcasting_axes,
    deviation,
    holds_more,
)
from autograder.verdict.failure import NO_REASON, Labels, Reason
from autograder.verdict.known import OPEN, KnownCase, KnownCases
from autograder.verdict.misfits import Misfit, misfits_of, read_misfit
from autograder.worker.wire import Array, Bag, decode, encode

LARGEST_CASE = 4000
"""Diagnosis looks at no case of more numbers, and reads no longer list."""
MOST_OPTIONS = 3
"""Of more mistakes that explain the answers equally well, only what they share is reported."""
LEAST_MISFITS = 2
"""So many different misfits must agree where no wrong number does; the sizes of cases differ."""
LEAST_SHAPES = 2
"""Wrong numbers must agree in cases of so many different shapes."""
LEAST_NUMBERS = 8
"""So many different wrong numbers must agree where a mistake explains some of the cases only."""
CANNOT_HOLD_DECIMALS = r"Cannot cast ufunc '\w+' output from dtype\('float"
"""What NumPy says where decimals are to be written into an array of whole numbers."""
LEAVES_THE_FLOATS = frozenset(
    {"OverflowError", "ZeroDivisionError", "FloatingPointError"}
)
Sayings = Mapping[str, Reason]
"""The explanation of each single mistake, by its id."""


@dataclass(frozen=True, eq=False)
class Variant:
    """The reference solution with one or more known mistakes, and its answers.

    Attributes:
        labels: ids of the mistakes.
        answers: its answers by the ids of the cases.
        misfits: those of its exceptions that are about shapes, by the ids of the cases.
    """

    labels: Labels
    answers: Answers
    misfits: Mapping[str, Misfit] = field(default_factory=dict)
    _right: WeakKeyDictionary[KnownCase, bool] = field(
        default_factory=WeakKeyDictionary, repr=False
    )
    _landmarks: WeakKeyDictionary[KnownCase, Landmark | None] = field(
        default_factory=WeakKeyDictionary, repr=False
    )

    @property
    def answers_something(self) -> bool:
        """Whether the variant returns a value in any case, and does not raise in all of them."""
        return any(answer.is_usable for answer in self.answers.values())

    def is_right(self, known: KnownCase) -> bool:
        """Return whether the variant is right in a case; computed once, for every submission asks again."""
        if known not in self._right:
            self._right[known] = known.is_right(self.answers[known.case.id])
        return self._right[known]

    def landmark(self, known: KnownCase) -> Landmark | None:
        """Return a number that shows at once of most answers to a case that they are not the variant's."""
        if known not in self._landmarks:
            landmark = None
            answer = self.answers[known.case.id]
            if answer.is_usable and not known.case.raises:
                landmark = landmark_of(answer.value, known.expected, known.tolerance)
            self._landmarks[known] = landmark
        return self._landmarks[known]

    def gives(self, answer: Answer, known: KnownCase) -> bool:
        """Return whether the variant gives this answer to a case."""
        landmark = self.landmark(known)
        if landmark is not None and landmark.is_missed_by(answer.value):
            return False
        own_answer = self.answers[known.case.id]
        if known.case.raises:
            answer = known.exception_as_value(answer)
            own_answer = known.exception_as_value(own_answer)
        return same_answer(answer, own_answer, known.tolerance)

    def gives_all(self, answers: Answers, cases: Iterable[KnownCase]) -> bool:
        """Return whether the variant gives these answers to all of some cases."""
        return all(self.gives(answers[known.case.id], known) for known in cases)


class Diagnose(Protocol):
    """Names the mistake behind the answers to some cases of a task; without ``pairs``, a single one only."""

    def __call__(
        self, task: str, answers: Answers, cases: KnownCases, *, pairs: bool = True
    ) -> Reason: ...


class FindSlip(Protocol):
    """Names the slip of the solution that answers some cases of a task as the submission does."""

    def __call__(self, task: str, answers: Answers, cases: KnownCases) -> Reason: ...


# Cases that diagnosis looks at


def diagnostic_cases(known: Iterable[KnownCase], task: str) -> list[KnownCase]:
    """Return the cases of a task that diagnosis looks at: stored, of moderate size, with only values."""
    cases = []
    for candidate in known:
        case = candidate.case
        if case.task != task or case.group is Group.FRESH or not case.expects:
            continue
        if candidate.gradients is not None:
            continue
        if candidate.size <= LARGEST_CASE:
            cases.append(candidate)
    return cases


def without_cut_decimals(answers: Answers, cases: KnownCases) -> list[KnownCase]:
    """Leave out the cases in which NumPy refused to write decimals into an array of whole numbers.

    The code stops there before any other mistake shows. Where nothing wrong came back besides, all cases are kept.
    """
    telling_cases = []
    for known in cases:
        error = answers[known.case.id].error
        if error is None or not re.match(CANNOT_HOLD_DECIMALS, error.message):
            telling_cases.append(known)
    if len(telling_cases) < len(cases) and usable_wrong_cases(answers, telling_cases):
        return telling_cases
    return list(cases)


def wrong_among(answers: Answers, cases: Iterable[KnownCase]) -> list[KnownCase]:
    """Return the cases to which the answers are wrong."""
    wrong_cases = []
    for known in cases:
        if not known.is_right(answers[known.case.id]):
            wrong_cases.append(known)
    return wrong_cases


def usable_wrong_cases(answers: Answers, cases: KnownCases) -> list[KnownCase]:
    """Return the cases to which values came back that are wrong, and did not become too large on the way."""
    wrong_cases = []
    for known in wrong_among(answers, cases):
        answer = answers[known.case.id]
        if answer.is_usable and not breaks_down(answer):
            wrong_cases.append(known)
    return wrong_cases


# Variants in files


def written_variant(
    variant: Variant, cases: KnownCases, arrays: Bag
) -> dict[str, dict[str, Any]]:
    """Return a variant as an entry of a file: its answers by case id, without those that are right.

    Args:
        variant: the variant to write.
        cases: the cases that it answered.
        arrays: receives the arrays, under keys that begin with its prefix and the case.
    """
    entry: dict[str, dict[str, Any]] = {}
    prefix = arrays.prefix
    for known in cases:
        case_id = known.case.id
        answer = known.exception_as_value(variant.answers[case_id])
        arrays.prefix = prefix and f"{prefix}/{case_id}#"
        if answer.error is not None:
            entry[case_id] = {"raises": answer.error.type}
            misfit = variant.misfits.get(case_id)
            if misfit is not None:
                entry[case_id] |= misfit.written()
        elif not known.is_right(answer):
            entry[case_id] = {"returns": encode(answer.value, arrays)}
    arrays.prefix = prefix
    return entry


def read_variant(
    label: str,
    entry: Mapping[str, Mapping[str, Any]],
    cases: KnownCases,
    arrays: dict[str, Array],
) -> Variant:
    """Read what ``written_variant`` returned; the answer to a case that is not listed is the expected one.

    Args:
        label: id of the mistake.
        entry: the entry of the file.
        cases: the cases that the variant answered.
        arrays: the arrays that the entry refers to.
    """
    answers = {known.case.id: Answer(value=known.expected) for known in cases}
    misfits = {}
    for case_id in answers.keys() & entry.keys():
        written = entry[case_id]
        if "returns" in written:
            answers[case_id] = Answer(decode(written["returns"], arrays))
            continue
        answers[case_id] = Answer(error=StudentError(written["raises"]))
        misfit = read_misfit(written)
        if misfit is not None:
            misfits[case_id] = misfit
    return Variant((label,), answers, misfits)


# Variants that agree with a submission


def agreeing(
    answers: Answers,
    cases: KnownCases,
    variants: Iterable[Variant],
    *,
    any_exception: bool = False,
) -> list[Variant]:
    """Return the variants that are wrong in some case and agree with the answers in every case.

    An exception in common proves little. A variant must also have a wrong number in common, or raise for the
    same misfits in cases of different sizes.

    Args:
        answers: the submission's answers by case id.
        cases: the cases to compare.
        variants: the possible mistakes.
        any_exception: a variant without wrong numbers agrees whatever both raise, as long as it returns
            something in one case.
    """
    for known in cases:
        if holds_more(answers[known.case.id].value, LARGEST_CASE):
            return []
    misfits = _misfits_in(answers, cases)
    variants_alike = []
    for variant in variants:
        if not variant.gives_all(answers, cases) or not is_visible(variant, cases):
            continue
        usable = []
        for known in cases:
            if variant.answers[known.case.id].is_usable:
                usable.append(known)
        is_enough_to_raise = any_exception and bool(usable)
        if (
            is_enough_to_raise
            or is_visible(variant, usable)
            or same_misfits(misfits, cases, variant)
        ):
            variants_alike.append(variant)
    return variants_alike


def single_mistakes(
    answers: Answers,
    cases: KnownCases,
    singles: Sequence[Variant],
    sayings: Sayings,
) -> list[Variant]:
    """Return the single mistakes that agree with the answers in every case.

    Code for one size only raises at others in many ways: that it does is what the mistake is. Along an axis of
    length 1 it may return anything instead, for such an axis fits all others.

    Args:
        answers: the submission's answers by case id.
        cases: the cases to compare.
        singles: the variants with one mistake each.
        sayings: the explanation of each mistake.
    """
    variants_alike = agreeing(answers, cases, singles)
    if variants_alike:
        return variants_alike
    about_size = []
    for single in singles:
        if sayings[single.labels[0]].about_size:
            about_size.append(single)
    return agreeing(
        answers, _without_axes_of_one(cases), about_size, any_exception=True
    )


def _without_axes_of_one(cases: KnownCases) -> KnownCases:
    """Return the cases without an axis of length 1; all where there is no other."""
    cases_without_axis = []
    for known in cases:
        if not known.has_axis_of_one:
            cases_without_axis.append(known)
    return cases_without_axis or cases


def proved_by_exceptions(
    answers: Answers,
    cases: KnownCases,
    singles: Sequence[Variant],
    sayings: Sayings,
) -> list[Variant]:
    """Return the mistakes that raise for the same misfits, if one of them is proved by its exception.

    What the code would return for other sizes does not count then. Mistakes that raise the same and are not
    proved by it are returned as well: they are as possible. The arguments are those of ``single_mistakes``.
    """
    # Along an axis of length 1 some code returns a value where other code raises: `einsum` repeats it.
    cases = _without_axes_of_one(cases)
    misfits = _misfits_in(answers, cases)
    proving = []
    for single in singles:
        if sayings[single.labels[0]].by_exception:
            proving.append(single)
    alike = []
    for single in singles:
        if same_misfits(misfits, cases, single):
            alike.append(single)
    if any(single in proving for single in alike):
        return alike
    # An earlier exception, such as that of a mask, may hide the proof in some cases.
    possible = []
    for single in proving:
        if same_misfits(misfits, cases, single, may_be_hidden=answers):
            possible.append(single)
    return possible


def _misfits_where_raises(
    variant: Variant, cases: Iterable[KnownCase], misfits: Mapping[str, Misfit]
) -> Iterator[tuple[KnownCase, Misfit | None, Misfit | None]]:
    """Yield each case in which a variant raises, with the submission's misfit and the variant's."""
    for known in cases:
        case_id = known.case.id
        if variant.answers[case_id].error is not None:
            yield known, misfits.get(case_id), variant.misfits.get(case_id)


def same_misfits(
    misfits: Mapping[str, Misfit],
    cases: Iterable[KnownCase],
    variant: Variant,
    *,
    may_be_hidden: Answers | None = None,
) -> bool:
    """Return whether a submission has the variant's misfit wherever that raises, in cases of different sizes.

    Exceptions that are not about shapes say too little of a mistake.

    Args:
        misfits: the submission's misfits by case id.
        cases: the cases to compare.
        variant: the possible mistake.
        may_be_hidden: the submission's answers, if it may raise something else in cases that are not published.
    """
    shared_misfits = set()
    for known, misfit, expected in _misfits_where_raises(variant, cases, misfits):
        if misfit is not None and expected is not None:
            if misfit.is_like(expected):
                shared_misfits.add(expected)
                continue
            if misfit.operation == expected.operation:
                return False  # not an earlier exception, but the same step with other arrays
        if may_be_hidden is None or may_be_hidden[known.case.id].error is None:
            return False
        if known.case.group is Group.PUBLISHED:
            return False
    return len(shared_misfits) >= LEAST_MISFITS


def raises_alike(answers: Answers, cases: KnownCases, variant: Variant) -> bool:
    """Return whether a submission has the variant's misfit wherever that raises, or none where it has none."""
    misfits = _misfits_in(answers, cases)
    for _, misfit, expected in _misfits_where_raises(variant, cases, misfits):
        if misfit is None and expected is None:
            continue
        if misfit is None or expected is None or not misfit.has_shapes_of(expected):
            return False
    return True


def are_told_apart_nowhere(
    first: Variant, second: Variant, cases: Iterable[KnownCase]
) -> bool:
    """Return whether two mistakes answer alike in every case: the same numbers, or the same misfit of shapes."""
    for known in cases:
        case_id = known.case.id
        if not second.gives(first.answers[case_id], known):
            return False
        misfit = first.misfits.get(case_id)
        other_misfit = second.misfits.get(case_id)
        if misfit is not None and other_misfit is not None:
            if not misfit.is_like(other_misfit):
                return False
    return True


def is_visible(variant: Variant, cases: Iterable[KnownCase]) -> bool:
    """Return whether some case distinguishes the variant from the right answer."""
    return not all(variant.is_right(known) for known in cases)


def are_right(answers: Answers, cases: Iterable[KnownCase]) -> bool:
    """Return whether the answers to all cases are right."""
    return not wrong_among(answers, cases)


def _misfits_in(answers: Answers, cases: KnownCases) -> dict[str, Misfit]:
    """Return the misfits of a submission in some cases, by case id."""
    return misfits_of({known.case.id: answers[known.case.id] for known in cases})


# Variants that explain some of the answers


def explaining_some(
    answers: Answers, cases: KnownCases, variants: Iterable[Variant]
) -> list[Variant]:
    """Return the variants that explain most wrong answers, where none explains all of them.

    A program with two faults often shows them in different cases: without a mask its heads are cut wrongly,
    and with one the mask is ignored as well. Cases are sorted into kinds by topic and by the axes of the
    arguments. A variant explains a kind if it agrees with every wrong finite answer to it, so sizes that
    happen to be equal in one case of a kind prove nothing. A variant that is wrong where the submission is
    right is out.

    Args:
        answers: the submission's answers by case id.
        cases: the cases to compare.
        variants: the possible mistakes.
    """
    wrong_cases = wrong_among(answers, cases)
    right_cases = []
    for known in cases:
        if known not in wrong_cases:
            right_cases.append(known)
    wrong_cases_by_kind: dict[Hashable, list[KnownCase]] = {}
    for known in usable_wrong_cases(answers, wrong_cases):
        wrong_cases_by_kind.setdefault(_kind(known), []).append(known)

    best_variants: list[Variant] = []
    most_explained = 0
    for variant in variants:
        if is_visible(variant, right_cases):
            continue
        explained_cases = []
        for cases_of_kind in wrong_cases_by_kind.values():
            if variant.gives_all(answers, cases_of_kind):
                explained_cases += cases_of_kind
        if len(explained_cases) < max(most_explained, 1):
            continue
        if not is_evidence(answers, explained_cases):
            continue
        if len(explained_cases) > most_explained:
            best_variants = []
        best_variants.append(variant)
        most_explained = len(explained_cases)
    return best_variants


def explaining_what_is_wrong(
    answers: Answers, cases: KnownCases, variants: Iterable[Variant]
) -> list[Variant]:
    """Return the variants that give all published and public answers, and every wrong answer to hidden cases.

    A program that catches the extreme case only, such as a mask without any True, is right in a hidden case in
    which the mistake is not. That takes nothing away from what explains all its wrong answers. Answers to open
    cases must be the variant's throughout: there the student sees which ones are right.

    Args:
        answers: the submission's answers by case id.
        cases: the cases to compare.
        variants: the possible mistakes.
    """
    open_cases = []
    for known in cases:
        if known.case.group in OPEN:
            open_cases.append(known)
    wrong_cases = wrong_among(answers, cases)
    if not is_evidence(answers, wrong_cases):
        return []
    explaining_variants = []
    for variant in variants:
        if not is_visible(variant, open_cases):
            continue
        if variant.gives_all(answers, [*open_cases, *wrong_cases]):
            explaining_variants.append(variant)
    return explaining_variants


def count_agreeing(answers: Answers, cases: KnownCases, variant: Variant) -> int:
    """Count the wrong answers that a variant gives as well; a variant that is wrong elsewhere counts none."""
    count = 0
    for known in cases:
        answer = answers[known.case.id]
        is_given = variant.gives(answer, known)
        if known.is_right(answer):
            if not is_given:
                return 0
        elif is_given:
            count += 1
    return count


def _kind(known: KnownCase) -> Hashable:
    """Return the topic of a case, and for each argument of the call whether it is None, or its axes.

    A mask with an axis of length 1 is of another kind than one without, and so is an empty array.
    """
    call = known.case.call
    kind: list[Hashable] = [known.case.topic]
    for argument in call.args if isinstance(call, FunctionCall) else ():
        array = as_entries(argument)
        mask = as_mask(argument)
        if array is None or array.ndim == 0:
            kind.append(argument is None)
        elif mask is not None:
            kind.append(broadcasting_axes(mask))
        else:
            kind.append((array.ndim, array.size == 0))
    return tuple(kind)


def is_evidence(answers: Answers, cases: KnownCases) -> bool:
    """Return whether cases of different sizes hold more different wrong numbers than can agree by chance."""
    shapes_of_cases = set()
    wrong_numbers = set()
    for known in cases:
        expected_parts = _parts(known.expected)
        shapes = []
        for part in expected_parts:
            expected_array = as_entries(part)
            shapes.append(None if expected_array is None else expected_array.shape)
        shapes_of_cases.add(tuple(shapes))

        parts = _parts(answers[known.case.id].value)
        for part, expected_part in zip(parts, expected_parts, strict=False):
            array = as_array(part, LARGEST_CASE)
            expected = as_array(expected_part)
            if array is None or expected is None or array.shape != expected.shape:
                continue
            tolerance = known.tolerance
            is_equal = np.isclose(array, expected, rtol=tolerance, atol=tolerance)
            numbers = array[~is_equal].astype(float)
            wrong_numbers.update(np.round(numbers, 6).tolist())
    return len(shapes_of_cases) >= LEAST_SHAPES and len(wrong_numbers) >= LEAST_NUMBERS


def _parts(value: Any) -> Sequence[Any]:
    return value[:MOST_PARTS] if isinstance(value, tuple) else (value,)


# Answers


def same_answer(answer: Answer, other: Answer, tolerance: float) -> bool:
    """Return whether two answers are equal: both without a value, or with the same numbers, NaNs in place.

    True is the number 1 here.
    """
    if not answer.is_usable or not other.is_usable:
        return answer.is_usable == other.is_usable
    distance = deviation(answer.value, other.value)
    if distance <= tolerance:
        return True
    # The distance is relative to its second value and accepts numbers for booleans, so the order matters. The
    # reverse distance is at least d / (1 + d), which exceeds the tolerance if d is more than twice as large.
    if 2 * tolerance < distance < math.inf and tolerance < 0.5:
        return False
    return deviation(other.value, answer.value) <= tolerance


def breaks_down(answer: Answer) -> bool:
    """Return whether numbers became too large, or were divided by 0, on the way to an answer.

    Where NumPy gives NaN or infinity, plain Python raises.
    """
    if answer.error is not None:
        return answer.error.type in LEAVES_THE_FLOATS
    values = [answer.value]
    if isinstance(answer.value, tuple | list):
        values += answer.value[:MOST_PARTS]
    for value in values:
        array = as_array(value, LARGEST_CASE)
        if array is not None and not np.isfinite(array).all():
            return True
    return False


# What is reported


def as_told(labels: Sequence[str]) -> Labels:
    """Return labels as results carry them: each form of a mistake, such as ``a/b``, is called ``a``."""
    return _unique(label.partition("/")[0] for label in labels)


def _unique(texts: Iterable[str]) -> tuple[str, ...]:
    """Return texts in their order, each once."""
    return tuple(dict.fromkeys(texts))


def _labels_of(reasons: Iterable[Reason]) -> Labels:
    """Return the labels of reasons in their order, each once."""
    labels: list[str] = []
    for reason in reasons:
        labels += reason.labels
    return _unique(labels)


def tell(variants: Sequence[Variant], sayings: Sayings) -> Reason:
    """Name the mistakes of the variant that agrees with the answers.

    Where several variants agree, the mistakes that all of them share are certain and named; of the others, two
    or three possibilities are reported without a label.

    Args:
        variants: the variants that agree with the answers equally well.
        sayings: the explanation of each mistake.
    """
    # Variants that are called alike, as forms of one mistake are, count as one possibility.
    options: dict[Labels, list[Reason]] = {}
    mutants: dict[Labels, Labels] = {}
    for variant in variants:
        reasons = [sayings[label] for label in variant.labels]
        labels = _labels_of(reasons)
        options.setdefault(labels, reasons)
        mutants.setdefault(labels, variant.labels)
    if not options:
        return NO_REASON

    # What all possibilities share is certain.
    first_labels, *other_labels = options
    shared = []
    for reason in options[first_labels]:
        if all(set(reason.labels) <= set(labels) for labels in other_labels):
            shared.append(reason)
    labels_of_shared = _labels_of(shared)
    shared_labels = []
    for label in first_labels:
        if label in labels_of_shared:
            shared_labels.append(label)
    sentences = list(_unique(reason.says for reason in shared))

    # Of the rest, a few possibilities may be reported.
    if 1 < len(options) <= MOST_OPTIONS:
        possibilities = []
        for reasons in options.values():
            others = []
            for reason in reasons:
                if reason not in shared:
                    others.append(reason.says)
            possibilities.append(" ".join(others))
        start = say("One of these may explain your results.")
        if shared:
            start = say("In addition, one of these may explain your results.")
        possible = f" {say('Or:')} ".join(possibilities)
        sentences.append(f"{start} {say('Either:')} {possible}")
    return Reason(
        labels=tuple(shared_labels),
        says=" ".join(sentences),
        about_size=any(reason.about_size for reason in shared),
        made=tuple(mutants.values())[:MOST_OPTIONS],
    )
