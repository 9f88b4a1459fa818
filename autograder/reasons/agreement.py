"""Match a submission's answers with what mistakes would have produced."""

from __future__ import annotations

import itertools
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

import numpy as np

from autograder.course.cases import FunctionCall
from autograder.sandbox.report import Answer, Answers, StudentError
from autograder.verdict.arrays import (
    MOST_PARTS,
    as_array,
    as_entries,
    deviation,
    holds_more,
)
from autograder.verdict.failure import NO_REASON, Labels, Reason
from autograder.verdict.known import KnownCase, KnownCases
from autograder.verdict.misfits import Misfit, misfits_of, read_misfit
from autograder.worker.wire import Array, Bag, decode, encode

LARGEST_CASE = 4000
"""Reason looks at no case of more numbers, and reads no longer list."""
MOST_OPTIONS = 3
"""Of more mistakes that explain the answers equally well, only what they share is told."""
LEAST_MISFITS = 2
"""So many different misfits must agree where no wrong number does; the sizes of cases differ."""
LEAST_NUMBERS = 8
"""So many different wrong numbers must agree where a mistake explains some of the cases only."""
LEAVES_THE_FLOATS = frozenset(
    {"OverflowError", "ZeroDivisionError", "FloatingPointError"}
)


@dataclass(frozen=True, eq=False)
class Variant:
    """The mistakes that are made, and the answer to each case by its id.

    ``misfits`` are those of its exceptions that are about shapes, by the case.
    """

    labels: Labels
    answers: Answers
    misfits: Mapping[str, Misfit] = field(default_factory=dict)


def written_variant(
    variant: Variant, cases: Sequence[KnownCase], arrays: Bag
) -> dict[str, dict[str, Any]]:
    """Return a variant as an entry of a file: what it answers, by the ids of those cases where it shows.

    Arrays go into ``arrays``, under keys that begin with its prefix and the case.
    """
    shown: dict[str, dict[str, Any]] = {}
    prefix = arrays.prefix
    for one in cases:
        case, answer = one.case.id, variant.answers[one.case.id]
        arrays.prefix = prefix and f"{prefix}/{case}#"
        if answer.error is not None:
            misfit = variant.misfits.get(case)
            shown[case] = {
                "raises": answer.error.type,
                **(misfit.written() if misfit else {}),
            }
        elif not one.is_right(answer):
            shown[case] = {"returns": encode(answer.value, arrays)}
    arrays.prefix = prefix
    return shown


def read_variant(
    label: str,
    shown: Mapping[str, Mapping[str, Any]],
    cases: Sequence[KnownCase],
    arrays: dict[str, Array],
) -> Variant:
    """Read what ``written_variant`` returned; the answer to a case that is not listed is the expected one."""
    answers = {one.case.id: Answer(value=one.expected) for one in cases}
    misfits = {}
    for case in answers.keys() & shown.keys():
        if "returns" in shown[case]:
            answers[case] = Answer(decode(shown[case]["returns"], arrays))
            continue
        answers[case] = Answer(error=StudentError(shown[case]["raises"]))
        misfit = read_misfit(shown[case])
        if misfit is not None:
            misfits[case] = misfit
    return Variant((label,), answers, misfits)


class Diagnose(Protocol):
    """Names the mistake behind the answers to some cases of a task; without ``pairs``, a single one only."""

    def __call__(
        self, task: str, answers: Answers, cases: KnownCases, *, pairs: bool = True
    ) -> Reason: ...


Sayings = Mapping[str, Reason]
"""What is told of each mistake by itself, by its id."""


def diagnostic_cases(known: Iterable[KnownCase], task: str) -> list[KnownCase]:
    """Return the cases of a task that diagnosis looks at: stored, of moderate size, of values alone."""
    own = (
        k
        for k in known
        if k.case.task == task and k.case.group != "fresh" and k.case.expects
    )
    return [
        one
        for one in own
        if one.gradients is None and numbers_in(one.expected) <= LARGEST_CASE
    ]


def numbers_in(value: Any) -> int:
    """How many numbers a value holds, in all its parts."""
    array = as_entries(value)
    if array is not None:
        return int(array.size)
    return (
        sum(numbers_in(part) for part in value)
        if isinstance(value, tuple | list)
        else 0
    )


def tell(alike: Sequence[Variant], sayings: Sayings) -> Reason:
    """Name the mistakes of the one variant that agrees with the answers.

    Where several agree, what all of them share is certain and named; of the rest, two or three possibilities
    are told without a label.
    """
    options: dict[Labels, list[Reason]] = {}
    made: dict[Labels, Labels] = {}
    for variant in alike:
        told = [sayings[one] for one in variant.labels]
        named = tuple(dict.fromkeys(label for one in told for label in one.labels))
        options.setdefault(named, told)
        made.setdefault(named, variant.labels)
    if not options:
        return NO_REASON
    (labels, found), *others = options.items()
    shared = [
        one
        for one in found
        if all(set(one.labels) <= set(other) for other, _ in others)
    ]
    says = list(dict.fromkeys(one.says for one in shared))
    if others and len(options) <= MOST_OPTIONS:
        rest = [
            " ".join(one.says for one in told if one not in shared)
            for told in options.values()
        ]
        start = "In addition, one" if shared else "One"
        says.append(
            f"{start} of these may explain your results. Either: {' Or: '.join(rest)}"
        )
    certain = [label for label in labels if any(label in one.labels for one in shared)]
    about_size = any(one.about_size for one in shared)
    return Reason(
        tuple(certain),
        " ".join(says),
        about_size,
        made=tuple(made.values())[:MOST_OPTIONS],
    )


def agreeing(
    answers: Answers,
    known: Sequence[KnownCase],
    variants: Iterable[Variant],
    *,
    any_exception: bool = False,
) -> list[Variant]:
    """Return the variants that change some case and agree with the answers on every one.

    Where both raise, wrong numbers in another case are what tells mistakes apart. A variant without any has
    to raise for the same misfits, unless ``any_exception`` will do.
    """
    if any(holds_more(answers[one.case.id].value, LARGEST_CASE) for one in known):
        return []
    misfits = misfits_of({one.case.id: answers[one.case.id] for one in known})
    alike = []
    for variant in variants:
        given = (
            (answers[one.case.id], variant.answers[one.case.id], one.tolerance)
            for one in known
        )
        if not is_visible(variant, known) or not all(
            itertools.starmap(same_answer, given)
        ):
            continue
        usable = [one for one in known if variant.answers[one.case.id].is_usable]
        is_any = any_exception and bool(usable)
        if (
            is_any
            or is_visible(variant, usable)
            or same_misfits(misfits, known, variant)
        ):
            alike.append(variant)
    return alike


def single_mistakes(
    answers: Answers,
    known: Sequence[KnownCase],
    singles: Sequence[Variant],
    sayings: Sayings,
) -> list[Variant]:
    """Return the single mistakes that agree with the answers on every case.

    Code for one size only raises at others in many ways: that it does is what the mistake is.
    """
    alike = agreeing(answers, known, singles)
    if alike:
        return alike
    sized = [variant for variant in singles if sayings[variant.labels[0]].about_size]
    return agreeing(answers, known, sized, any_exception=True)


def proved_by_exceptions(
    answers: Answers,
    known: Sequence[KnownCase],
    singles: Sequence[Variant],
    sayings: Sayings,
) -> list[Variant]:
    """Return the mistakes that raise for the same misfits, if one of them is proved by its exception.

    What code would return for other sizes does not count then. Mistakes that are not proved in this way and
    raise the same are returned as well: they are as possible.
    """
    misfits = misfits_of({one.case.id: answers[one.case.id] for one in known})
    proving = [
        variant for variant in singles if sayings[variant.labels[0]].by_exception
    ]
    alike = [variant for variant in singles if same_misfits(misfits, known, variant)]
    if any(variant in proving for variant in alike):
        return alike
    # An earlier exception, such as that of a mask, may hide the proof in some cases.
    return [
        variant
        for variant in proving
        if same_misfits(misfits, known, variant, may_be_hidden=answers)
    ]


def same_misfits(
    misfits: Mapping[str, Misfit],
    known: Iterable[KnownCase],
    variant: Variant,
    *,
    may_be_hidden: Answers | None = None,
) -> bool:
    """Whether, wherever a variant raises, a submission has the same misfit, in cases of different sizes.

    Exceptions that are not about shapes say too little of a mistake. With the submission's answers in
    ``may_be_hidden``, it may raise something else in cases that are not published.
    """
    shared = set()
    for case in known:
        key = case.case.id
        if variant.answers[key].error is None:
            continue
        misfit, expected = misfits.get(key), variant.misfits.get(key)
        if misfit is not None and expected is not None:
            if misfit.is_like(expected):
                shared.add(expected)
                continue
            if misfit.operation == expected.operation:
                return False  # not an earlier exception, but the same step with other arrays
        is_hidden = may_be_hidden is not None and may_be_hidden[key].error is not None
        if not is_hidden or case.case.group == "published":
            return False
    return len(shared) >= LEAST_MISFITS


def raises_alike(
    answers: Answers, known: Sequence[KnownCase], variant: Variant
) -> bool:
    """Whether, wherever a variant raises, a submission has the same misfit, or both have none."""
    misfits = misfits_of({case.case.id: answers[case.case.id] for case in known})
    for case in known:
        key = case.case.id
        if variant.answers[key].error is None:
            continue
        misfit, other = misfits.get(key), variant.misfits.get(key)
        if (misfit is None) != (other is None):
            return False
        if misfit is not None and other is not None and not misfit.has_shapes_of(other):
            return False
    return True


def explaining_some(
    answers: Answers, known: Sequence[KnownCase], variants: Iterable[Variant]
) -> list[Variant]:
    """Return the variants that explain as many wrong answers as any, where none explains all of them.

    A program with two faults often shows them in different cases: without a mask its heads are cut wrongly,
    and with one the mask is ignored as well. Cases are sorted into kinds by topic and by the axes of the
    arguments. A variant explains a kind if it agrees with every wrong finite answer to it, so sizes that
    happen to be equal in one case of a kind prove nothing. A variant that is wrong where the submission is
    right is out.
    """
    right, kinds = list[KnownCase](), dict[Hashable, list[KnownCase]]()
    for case in known:
        answer = answers[case.case.id]
        if case.is_right(answer):
            right.append(case)
        elif answer.is_usable and not breaks_down(answer):
            kinds.setdefault(_kind(case), []).append(case)
    best, most = list[Variant](), 0
    for variant in variants:
        if not all(case.is_right(variant.answers[case.case.id]) for case in right):
            continue
        explained = list[KnownCase]()
        for cases in kinds.values():
            if all(_agree(answers, variant, case) for case in cases):
                explained += cases
        if len(explained) >= max(most, 1) and _is_evidence(answers, explained):
            best = [*best, variant] if len(explained) == most else [variant]
            most = len(explained)
    return best


def count_agreeing(
    answers: Answers, known: Sequence[KnownCase], variant: Variant
) -> int:
    """Count the wrong answers that a variant gives as well; a variant that is wrong elsewhere counts none."""
    count = 0
    for case in known:
        agrees = _agree(answers, variant, case)
        if case.is_right(answers[case.case.id]):
            if not agrees:
                return 0
        elif agrees:
            count += 1
    return count


def _agree(answers: Answers, variant: Variant, case: KnownCase) -> bool:
    return same_answer(
        answers[case.case.id], variant.answers[case.case.id], case.tolerance
    )


def _kind(case: KnownCase) -> Hashable:
    """The topic of a case and what is alike in calls of one kind: which arguments are None, and their axes.

    A mask with an axis of length 1 is of another kind than one without, and so is an empty array.
    """
    axes: list[Hashable] = []
    for argument in (
        case.case.call.args if isinstance(case.case.call, FunctionCall) else ()
    ):
        array = as_entries(argument)
        if array is None or array.ndim == 0:
            axes.append(argument is None)
        elif array.dtype.kind == "b":
            axes.append(tuple(size == 1 for size in array.shape))
        else:
            axes.append((array.ndim, array.size == 0))
    return (case.case.topic, *axes)


def _is_evidence(answers: Answers, cases: Sequence[KnownCase]) -> bool:
    """Whether cases of different sizes hold more different wrong numbers than can agree by chance."""
    shapes = set()
    wrong = set[float]()
    for case in cases:
        expected_arrays = [as_entries(part) for part in _parts(case.expected)]
        shapes.add(
            tuple(None if array is None else array.shape for array in expected_arrays)
        )
        answer = answers[case.case.id].value
        parts = list(_parts(answer))
        for part, expected in zip(parts, _parts(case.expected), strict=False):
            got, wanted = as_array(part, LARGEST_CASE), as_array(expected)
            if got is None or wanted is None or got.shape != wanted.shape:
                continue
            differs = ~np.isclose(got, wanted, rtol=case.tolerance, atol=case.tolerance)
            wrong.update(np.round(got[differs].astype(float), 6).tolist())
    return len(shapes) >= LEAST_MISFITS and len(wrong) >= LEAST_NUMBERS


def _parts(value: Any) -> Sequence[Any]:
    return value[:MOST_PARTS] if isinstance(value, tuple) else (value,)


def are_told_apart_nowhere(
    first: Variant, second: Variant, known: Iterable[KnownCase]
) -> bool:
    """Whether two mistakes answer alike in every case: the same numbers, or the same misfit of shapes."""
    for case in known:
        key = case.case.id
        if not same_answer(first.answers[key], second.answers[key], case.tolerance):
            return False
        first_misfit, second_misfit = first.misfits.get(key), second.misfits.get(key)
        if (
            first_misfit is not None
            and second_misfit is not None
            and not first_misfit.is_like(second_misfit)
        ):
            return False
    return True


def as_told(labels: Labels) -> Labels:
    """The labels as results carry them: each form of a mistake, such as ``a/b``, is called ``a``."""
    return tuple(dict.fromkeys(label.partition("/")[0] for label in labels))


def is_visible(variant: Variant, known: Sequence[KnownCase]) -> bool:
    """Whether some case tells the variant from the right answer."""
    return not all(one.is_right(variant.answers[one.case.id]) for one in known)


def same_answer(one: Answer, other: Answer, tolerance: float) -> bool:
    """Whether two answers are equal: both without a value, or with the same numbers, NaNs in place.

    True is the number 1 here.
    """
    if not one.is_usable or not other.is_usable:
        return one.is_usable == other.is_usable
    pairs = (
        (one.value, other.value),
        (other.value, one.value),
    )  # numbers may stand for booleans on one side
    return any(deviation(*pair) <= tolerance for pair in pairs)


def breaks_down(answer: Answer) -> bool:
    """Whether numbers became too large, or were divided by 0, on the way to an answer.

    Where NumPy gives NaN or infinity, plain Python raises.
    """
    if answer.error is not None:
        return answer.error.type in LEAVES_THE_FLOATS
    parts = answer.value[:MOST_PARTS] if isinstance(answer.value, tuple | list) else ()
    arrays = [as_array(one, LARGEST_CASE) for one in (answer.value, *parts)]
    return any(array is not None and not np.isfinite(array).all() for array in arrays)
