"""Prove that a function is wrong because it reads a size from outside, with or without a known mistake."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from autograder.course.calls import Call, FunctionCall, ModuleCall, ReboundCall
from autograder.language import say
from autograder.reasons.agreement import Diagnose, are_right, same_answer
from autograder.sandbox.report import Answer, Answers, FunctionFacts
from autograder.verdict.failure import NO_REASON, Reason
from autograder.verdict.fixtures import Ask
from autograder.verdict.known import KnownCase, KnownCases
from autograder.worker.wire import Tensor

OUTSIDE = "depends-on-global"
"""The label of a size that is read from outside."""
LARGEST_TRY = 100
"""So many ways to bind names are tried at most."""
MOST_CONFIRMED = 3
"""At most this many tries that fit one case are confirmed on the others, all of them in one run."""
NAMES_AT_ONCE = 3
LEAST_SIZE = 2
"""A smaller number may be an axis or a flag, whose change could set an answer right by chance."""
ROWS_AND_COLUMNS = ["the number of rows of", "the number of columns of"]
AXES = {1: ["the length of"], 2: ROWS_AND_COLUMNS}
"""What the axes of a vector and a matrix are called; the last two of more axes have these names as well."""

Restore = Callable[[KnownCase, Answer], Answer]
"""Brings an answer to a case into the form that the task asks for."""
Fits = Callable[[KnownCase, Answer], bool]
"""Whether the answer to a case is one that is looked for."""


@dataclass(frozen=True)
class OutsideSize:
    """A name outside the function that stands for a size.

    Attributes:
        name: the name.
        value: the number that it is bound to in the student's file.
        needed: the size that one input asks for.
        stands_for: what that size is called, such as "the number of rows of `Q`".
    """

    name: str
    value: int
    needed: int
    stands_for: str

    @property
    def is_changed(self) -> bool:
        """Whether the input asks for another size than there is."""
        return self.needed != self.value

    def __str__(self) -> str:
        return say(
            "`{name}` is {value} there, but one input needs {needed}, {stands_for}",
            name=self.name,
            value=self.value,
            needed=self.needed,
            stands_for=self.stands_for,
        )


Proof = tuple[OutsideSize, ...]
"""The names that must be other sizes for the answer to be right; none where nothing is proved."""


def prove_outside_sizes(
    failed: KnownCases, facts: FunctionFacts, ask: Ask, restore: Restore
) -> Proof:
    """Find the names that set all failed cases right when they are bound to sizes of each input.

    Args:
        failed: the failed cases, all of one function.
        facts: facts about that function.
        ask: makes further calls of the same submission.
        restore: brings an answer into the form that the task asks for.
    """
    for proof, answers in _bind(failed, facts, ask, restore, KnownCase.is_right):
        if are_right(answers, failed):
            return proof
    return ()


def prove_beside_mistake(
    cases: KnownCases,
    before: Answers,
    facts: FunctionFacts,
    ask: Ask,
    restore: Restore,
    diagnose: Diagnose,
) -> tuple[Proof, Reason]:
    """Find the names that, together with one known mistake, explain the answers to all cases.

    Args:
        cases: the cases of the task that diagnosis looks at.
        before: the answers without any change, by case id: a name that changes none of them proves nothing.
        facts: facts about the function.
        ask: makes further calls of the same submission.
        restore: brings an answer into the form that the task asks for.
        diagnose: names the known mistake behind answers.

    Returns:
        The names, and the mistake; no names where two mistakes are possible.
    """
    task = cases[0].case.task

    def is_explained(known: KnownCase, answer: Answer) -> bool:
        case_id = known.case.id
        is_known = False
        if answer.is_usable:  # an answer without a value may be too large to compare
            reason = diagnose(task, {case_id: answer}, [known], pairs=False)
            is_known = bool(reason.says)
        # A mistake with masks does not show without one.
        is_known = is_known or known.is_right(answer)
        return is_known and not same_answer(before[case_id], answer, known.tolerance)

    # A name may have the size that the first input needs: then the second one is tried.
    for first_tried in range(min(2, len(cases))):
        explained = []
        for proof, answers in _bind(
            cases, facts, ask, restore, is_explained, first_tried
        ):
            reason = diagnose(task, answers, cases, pairs=False)
            if reason.labels:
                explained.append((proof, reason))
        labels = {reason.labels for _, reason in explained}
        if len(labels) == 1:
            return explained[0]
        if explained:
            break
    return (), NO_REASON


def _bind(
    cases: KnownCases,
    facts: FunctionFacts,
    ask: Ask,
    restore: Restore,
    fits: Fits,
    first_tried: int = 0,
) -> list[tuple[Proof, Answers]]:
    """Bind whole numbers that a function reads to sizes of one input, and fitting ones to the sizes of all.

    Args:
        cases: cases of the function.
        facts: facts about the function.
        ask: makes further calls of the submission: one run with one case, and one with the others.
        restore: brings an answer into the form that the task asks for.
        fits: whether an answer to the one case is worth a try with the others.
        first_tried: which case is the one; the clearest is number 0.

    Returns:
        Names that were bound to sizes of each input, with the answers then, by case id.
    """

    def unclearness(known: KnownCase) -> tuple[bool, bool, int, int, int]:
        """Sort key: large numbers and axes of length 1 hide sizes; equal ones, or those of names, prove little."""
        sizes = sizes_of(known.case.call, facts.parameters)
        distinct = set(sizes.values())
        values_of_names = set(facts.sizes.values())
        return (
            known.case.topic != "values",
            1
            in distinct,  # the weight of a single token is 1 whatever its score is divided by
            len(sizes),  # the other cases may lack some of these
            -len(distinct),
            len(distinct & values_of_names),
        )

    others = sorted(cases, key=unclearness)
    first = others.pop(first_tried)
    first_sizes = sizes_of(first.case.call, facts.parameters)
    sizes_of_others = [sizes_of(known.case.call, facts.parameters) for known in others]

    # Try all names as all sizes of the first case.
    tries = list(itertools.islice(_tries(first.case.call, facts), LARGEST_TRY))
    if not tries:
        return []
    calls = [_rebound(first, proof, first_sizes) for proof in tries]
    raw_answers = ask(calls)
    fitting = []
    for proof, raw_answer in zip(tries, raw_answers, strict=True):
        answer = restore(first, raw_answer)
        pairs = itertools.product(proof, sizes_of_others)
        is_in_others = all(size.stands_for in sizes for size, sizes in pairs)
        if is_in_others and fits(first, answer):
            fitting.append((proof, answer))
    fitting = fitting[:MOST_CONFIRMED]

    # Bind what fits to the sizes of all other cases.
    calls = []
    for proof, _ in fitting:
        for known, sizes in zip(others, sizes_of_others, strict=True):
            calls.append(_rebound(known, proof, sizes))
    answers_of_others: Iterator[Answer] = iter(())
    if calls:
        answers_of_others = iter(ask(calls))
    bound: list[tuple[Proof, Answers]] = []
    for proof, answer in fitting:
        answers = {first.case.id: answer}
        for known in others:
            answers[known.case.id] = restore(known, next(answers_of_others))
        changed_proof = _with_changes(proof, sizes_of_others)
        bound.append((changed_proof, answers))
    return bound


def _rebound(known: KnownCase, proof: Proof, sizes: Mapping[str, int]) -> ReboundCall:
    """Return the call of a case with the names of a proof bound to its own sizes."""
    sizes_by_name = {size.name: sizes[size.stands_for] for size in proof}
    return ReboundCall(known.case.call, sizes_by_name)


def _with_changes(proof: Proof, sizes_of_others: Sequence[Mapping[str, int]]) -> Proof:
    """Take the needed sizes from other inputs where the first input needs the size that a name has."""
    changed_proof = []
    for size in proof:
        for sizes in sizes_of_others:
            if not size.is_changed:
                size = replace(size, needed=sizes[size.stands_for])
        changed_proof.append(size)
    return tuple(changed_proof)


def _tries(call: Call, facts: FunctionFacts) -> Iterator[Proof]:
    """Yield possible meanings: one name as one size first, then two names, then three.

    Every step of the search yields a try: a submission may read thousands of names, and to skip pairs and
    triples of them would take forever.
    """
    # Of several names of a size, the first counts.
    name_of_size: dict[int, str] = {}
    for name, size in sizes_of(call, facts.parameters).items():
        if size >= LEAST_SIZE:
            name_of_size.setdefault(size, name)

    # For each name outside, what it may stand for: any size, but not only its own.
    options = []
    changed_options = []
    for name, value in facts.sizes.items():
        if not name_of_size.keys() - {value}:
            continue
        meanings = []
        changed_meanings = []
        for size, name_inside in sorted(name_of_size.items()):
            meaning = OutsideSize(name, value, size, name_inside)
            meanings.append(meaning)
            if meaning.is_changed:
                changed_meanings.append(meaning)
        options.append(meanings)
        changed_options.append(changed_meanings)

    for count in range(1, NAMES_AT_ONCE + 1):
        for names in itertools.combinations(changed_options, count):
            yield from itertools.product(*names)
    # Last, names whose size is right here and wrong for other inputs, with names whose size is wrong here.
    for count in range(1, NAMES_AT_ONCE + 1):
        for names in itertools.combinations(options, count):
            for proof in itertools.product(*names):
                if len({size.is_changed for size in proof}) == 2:
                    yield proof


# The sizes of a call's arguments


def sizes_of(call: Call, parameters: Sequence[str]) -> dict[str, int]:
    """Return the sizes of an input by what each is called: "the number of rows of `Q`".

    A width divided by a whole number is a size as well, such as that of one head: those come last. An axis may
    be empty, and a whole number among the arguments may be anything: a name outside may stand for these too,
    but nothing can be divided by their roots; see ``positive_sizes``.

    Args:
        call: the call.
        parameters: the parameters of the student's function.
    """
    arguments = named_arguments(call, parameters)
    sizes = {}
    for name, value in arguments.items():
        sizes.update(_sizes_of_argument(name, value))

    widths = {}
    for size_name, size in sizes.items():
        if size_name.startswith(say(ROWS_AND_COLUMNS[1])):
            widths[size_name] = size
    for width_name, width in widths.items():
        for name, value in arguments.items():
            if type(value) is int and value > 0 and width % value == 0:
                quotient = say(
                    "{size} divided by {argument}", size=width_name, argument=name
                )
                sizes[quotient] = width // value
    return sizes


def positive_sizes(call: Call, parameters: Sequence[str]) -> dict[str, int]:
    """Return the sizes of an input that are 1 or more, by which a number may be divided or multiplied."""
    sizes = {}
    for name, size in sizes_of(call, parameters).items():
        if size >= 1:
            sizes[name] = size
    return sizes


def named_arguments(call: Call, parameters: Sequence[str]) -> dict[str, Any]:
    """Return the arguments of a call by what students call them, such as "`Q`" and "argument 2".

    Args:
        call: the call.
        parameters: the parameters of the student's function; it may have more or fewer than the call.
    """
    arguments = {}
    if isinstance(call, ModuleCall):
        for number, value in enumerate(call.args, start=1):
            arguments[say("argument {number} of the constructor", number=number)] = (
                value
            )
        arguments[say("the input")] = call.input
        return arguments
    args = call.args if isinstance(call, FunctionCall) else ()
    names = [f"`{name}`" for name in parameters]
    for number in range(len(names) + 1, len(args) + 1):
        names.append(say("argument {number}", number=number))
    return dict(zip(names, args, strict=False))


def _sizes_of_argument(name: str, value: Any) -> dict[str, int]:
    """Return the sizes of one argument: a whole number itself, the length of a list, the axes of an array."""
    if type(value) is int:
        return {name: value}
    if isinstance(value, list | tuple):
        sizes = {f"{say('the length of')} {name}": len(value)}
        if value:
            first_item = say("the first item of {name}", name=name)
            sizes |= _sizes_of_argument(first_item, value[0])
        return sizes
    if isinstance(value, Tensor):
        value = value.array
    if not isinstance(value, np.ndarray):
        return {}

    shape = value.shape
    axis_names = AXES.get(len(shape))
    if axis_names is None:
        axes = range(len(shape))
        axis_names = [say("the size of axis {axis} of", axis=axis) for axis in axes]
    named_sizes = list(zip(axis_names, shape, strict=True))
    if len(shape) > 2:
        named_sizes += zip(ROWS_AND_COLUMNS, shape[-2:], strict=True)
    return {f"{say(axis_name)} {name}": size for axis_name, size in named_sizes}
