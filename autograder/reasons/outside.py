"""Proof that a size read from outside is what makes a function wrong, alone or beside a known mistake."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from autograder.course.cases import Call, FunctionCall, ModuleCall, ReboundCall
from autograder.reasons.agreement import Diagnose, same_answer
from autograder.sandbox.report import Answer, Answers, FunctionFacts
from autograder.verdict.failure import NO_REASON, Reason
from autograder.verdict.fixtures import Ask
from autograder.verdict.known import KnownCase, KnownCases
from autograder.worker.wire import Tensor

LARGEST_TRY = 100
MOST_CONFIRMED = 3
"""At most this many tries that fit one case are confirmed on the others, all of them in one run."""
NAMES_AT_ONCE = 3
LEAST_SIZE = 2
"""A smaller number may be an axis or a flag, whose change could set an answer right by chance."""
ROWS_AND_COLUMNS = ["the number of rows of", "the number of columns of"]
AXES = {1: ["the length of"], 2: ROWS_AND_COLUMNS}
"""What the axes of a vector and a matrix are called; the last two of more axes have these names as well."""

Restore = Callable[[KnownCase, Answer], Answer]
"""Brings an answer to a case into the form that is asked."""


@dataclass(frozen=True)
class OutsideSize:
    """A name outside the function: its value, the one that an input asks for, and what that stands for."""

    name: str
    found: int
    needed: int
    stands_for: str

    @property
    def is_changed(self) -> bool:
        """Whether the input asks for another size than there is."""
        return self.needed != self.found

    def __str__(self) -> str:
        is_there = f"`{self.name}` is {self.found} there"
        return f"{is_there}, but one input needs {self.needed}, {self.stands_for}"


Proof = tuple[OutsideSize, ...]
"""The names that must be other sizes for the answer to be right; none where nothing is proved."""


def prove_outside_sizes(
    failed: KnownCases, facts: FunctionFacts, ask: Ask, restore: Restore
) -> Proof:
    """Find the names that set all failed cases right when they are bound to sizes of each input.

    All cases are of the function that ``facts`` are about, and ``ask`` makes calls of the same submission.
    """
    for names, answers in _bind(failed, facts, ask, restore, KnownCase.is_right):
        if all(known.is_right(answers[known.case.id]) for known in failed):
            return names
    return ()


def prove_beside_mistake(
    cases: KnownCases,
    before: Answers,
    facts: FunctionFacts,
    ask: Ask,
    restore: Restore,
    diagnose: Diagnose,
) -> tuple[Proof, Reason]:
    """Find the names beside which one known mistake explains the answers to all cases; see above.

    ``before`` are the answers as they came, by case id: a name that changes none of them proves nothing.
    """
    task = cases[0].case.task

    def fits(known: KnownCase, answer: Answer) -> bool:
        key = known.case.id
        # A mistake with masks does not show without one. What is not known may be too large to compare.
        says = (
            answer.is_usable
            and diagnose(task, {key: answer}, [known], pairs=False).says
        )
        is_known = bool(says) or known.is_right(answer)
        return is_known and not same_answer(before[key], answer, known.tolerance)

    for first in range(
        min(2, len(cases))
    ):  # the first input may have a name's own size
        found = [
            (names, diagnosis)
            for names, answers in _bind(cases, facts, ask, restore, fits, first)
            if (diagnosis := diagnose(task, answers, cases, pairs=False)).labels
        ]
        if found:
            is_one = len({diagnosis.labels for _, diagnosis in found}) == 1
            return found[0] if is_one else ((), NO_REASON)
    return (), NO_REASON


def _bind(
    cases: Sequence[KnownCase],
    facts: FunctionFacts,
    ask: Ask,
    restore: Restore,
    fits: Callable[[KnownCase, Answer], bool],
    first_tried: int = 0,
) -> list[tuple[Proof, Answers]]:
    """Bind the whole numbers that a function reads to sizes of one input, and what fits to those of all.

    Returns names that were bound to sizes of each input, with the answers then, by case id.
    """

    def unclear(known: KnownCase) -> tuple[bool, int, int, int]:
        """Large numbers hide sizes, and axes that others lack; how few tell names apart, or are in use."""
        named = sizes_of(known.case.call, facts.parameters)
        own = set(named.values())
        return (
            known.case.topic != "values",
            len(named),
            -len(own),
            len(own & set(facts.sizes.values())),
        )

    others = sorted(cases, key=unclear)
    first = others.pop(first_tried)
    sizes = [sizes_of(one.case.call, facts.parameters) for one in others]
    tries = list(itertools.islice(_tries(first.case.call, facts), LARGEST_TRY))
    rebound = [
        ReboundCall(first.case.call, {one.name: one.needed for one in names})
        for names in tries
    ]
    answers = [restore(first, answer) for answer in ask(rebound)] if tries else []
    fitting = [
        (names, answer)
        for names, answer in zip(tries, answers, strict=True)
        if fits(first, answer)
        and all(one.stands_for in own for own in sizes for one in names)
    ][:MOST_CONFIRMED]
    rebound = [
        ReboundCall(known.case.call, {one.name: own[one.stands_for] for one in names})
        for names, _ in fitting
        for known, own in zip(others, sizes, strict=True)
    ]
    more = iter(ask(rebound) if rebound else ())
    bound: list[tuple[Proof, Answers]] = []
    for names, answer in fitting:
        by_id = {
            first.case.id: answer,
            **{one.case.id: restore(one, next(more)) for one in others},
        }
        bound.append((_shown(names, sizes), by_id))
    return bound


def _shown(names: Proof, sizes: Sequence[Mapping[str, int]]) -> Proof:
    """The names with sizes that they have to be and are not, if only in another input."""
    others = [
        [replace(one, needed=own[one.stands_for]) for own in sizes] for one in names
    ]
    pairs = zip(names, others, strict=True)
    return tuple(
        next((o for o in (one, *more) if o.is_changed), one) for one, more in pairs
    )


def sizes_of(call: Call, parameters: Sequence[str]) -> dict[str, int]:
    """Return the sizes of an input by what each is called: "the number of rows of `Q`".

    A width divided by a whole number is one as well, such as that of one head: those come last. An axis may
    be empty, and a whole number among the arguments may be anything: a name outside may stand for these too,
    but nothing can be divided by their roots; see ``positive_sizes``.
    """
    named = named_arguments(call, parameters)
    sizes = dict(_sizes(named))
    numbers = {
        name: value for name, value in named.items() if type(value) is int and value > 0
    }
    widths = {one: sizes[one] for one in sizes if one.startswith(ROWS_AND_COLUMNS[1])}
    shares = itertools.product(widths.items(), numbers.items())
    return sizes | {
        f"{one} divided by {by}": w // n for (one, w), (by, n) in shares if w % n == 0
    }


def positive_sizes(call: Call, parameters: Sequence[str]) -> dict[str, int]:
    """Return those of the sizes of an input that something may be divided or multiplied by: 1 or more."""
    return {
        name: size for name, size in sizes_of(call, parameters).items() if size >= 1
    }


def named_arguments(call: Call, parameters: Sequence[str]) -> dict[str, Any]:
    """Return the arguments of a call by what students call them, such as "`Q`" and "argument 2"."""
    if isinstance(call, ModuleCall):
        named = {
            f"argument {i} of the constructor": one
            for i, one in enumerate(call.args, start=1)
        }
        return {**named, "the input": call.input}
    args = call.args if isinstance(call, FunctionCall) else ()
    names = [f"`{name}`" for name in parameters]
    names += [f"argument {i + 1}" for i in range(len(names), len(args))]
    return dict(zip(names, args, strict=False))


def _sizes(named: Mapping[str, object]) -> Iterator[tuple[str, int]]:
    for name, value in named.items():
        if type(value) is int:
            yield name, value
        elif isinstance(value, list | tuple):
            yield f"the length of {name}", len(value)
            yield from _sizes({f"the first item of {name}": value[0]} if value else {})
        elif isinstance(value, np.ndarray | Tensor):
            shape = value.array.shape if isinstance(value, Tensor) else value.shape
            words = AXES.get(len(shape)) or [
                f"the size of axis {axis} of" for axis in range(len(shape))
            ]
            yield from (
                (f"{word} {name}", size)
                for word, size in zip(words, shape, strict=True)
            )
            also = (
                zip(ROWS_AND_COLUMNS, shape[-2:], strict=True) if len(shape) > 2 else ()
            )
            yield from ((f"{word} {name}", size) for word, size in also)


def _tries(call: Call, facts: FunctionFacts) -> Iterator[Proof]:
    """Yield what might be meant: one name as one size first, then two names, then three.

    Every step of the search yields a try: a submission may read thousands of names, and to skip pairs and
    triples of them would take forever.
    """
    words = {
        size: text for text, size in reversed(sizes_of(call, facts.parameters).items())
    }
    sizes = [size for size in sorted(words) if size >= LEAST_SIZE]
    read = [
        (name, found) for name, found in facts.sizes.items() if set(sizes) - {found}
    ]
    names = [
        [OutsideSize(name, found, size, words[size]) for size in sizes]
        for name, found in read
    ]
    changed = [[one for one in options if one.is_changed] for options in names]
    for has_right_ones in (
        False,
        True,
    ):  # last, names whose size is right here and wrong elsewhere
        for count in range(1, NAMES_AT_ONCE + 1):
            for together in itertools.combinations(
                names if has_right_ones else changed, count
            ):
                for proof in itertools.product(*together):
                    if (
                        not has_right_ones
                        or len({one.is_changed for one in proof}) == 2
                    ):
                        yield proof
