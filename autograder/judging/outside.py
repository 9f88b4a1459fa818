"""Proof that a size read from outside a function makes its answers wrong: with the right size it is right."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from autograder.course import Call, FunctionCall, ModuleCall, ReboundCall
from autograder.judging.known import KnownCase
from autograder.sandbox import Answer, FunctionFacts
from autograder.worker import Tensor

LARGEST_TRY = 100
MOST_CONFIRMED = 3
"""At most this many tries that set one case right are confirmed on the others, each in a run of its own."""
NAMES_AT_ONCE = 3
LEAST_SIZE = 2
"""A smaller number may be an axis or a flag, whose change could set an answer right by chance."""
AXES = {1: ["the length of"], 2: ["the number of rows of", "the number of columns of"]}
"""What the axes of a vector and of a matrix are called."""

Ask = Callable[[Sequence[Call]], list[Answer]]


@dataclass(frozen=True)
class OutsideSize:
    """A name outside the function: its value, the one that an input asks for, and what that stands for."""

    name: str
    found: int
    needed: int
    stands_for: str


Proof = tuple[OutsideSize, ...]
"""The names that must be other sizes for the answer to be right; none where nothing is proved."""


def prove_outside_sizes(failed: Sequence[KnownCase], facts: FunctionFacts, ask: Ask) -> Proof:
    """Call the function again with the whole numbers that it reads bound to sizes of the input.

    What sets one failed case right must set the others right too, each with its own sizes. All cases are of
    the function that ``facts`` are about, and ``ask`` makes calls of the same submission.
    """

    def already_there(known: KnownCase) -> int:
        """How many names happen to have a size of this input, where they do no visible harm."""
        return len(set(facts.sizes.values()) & set(sizes_of(known.case.call, facts.parameters).values()))

    first, *others = sorted(failed, key=already_there)
    tries = list(itertools.islice(_tries(first.case.call, facts), LARGEST_TRY))
    rebound = [ReboundCall(first.case.call, {one.name: one.needed for one in proof}) for proof in tries]
    answers = ask(rebound) if tries else []
    right = [proof for proof, answer in zip(tries, answers, strict=True) if _is_right(first, answer)]
    return next((proof for proof in right[:MOST_CONFIRMED] if _holds(proof, others, facts, ask)), ())


def sizes_of(call: Call, parameters: Sequence[str]) -> dict[str, int]:
    """Return the sizes of an input by what each is called: "the number of rows of `Q`"."""
    if isinstance(call, ModuleCall):
        named = {f"argument {i} of the constructor": one for i, one in enumerate(call.args, start=1)}
        return dict(_sizes({**named, "the input": call.input}))
    if not isinstance(call, FunctionCall):
        return {}
    names = [f"`{name}`" for name in parameters]
    names += [f"argument {i + 1}" for i in range(len(names), len(call.args))]
    return dict(_sizes(dict(zip(names, call.args, strict=False))))


def _sizes(named: Mapping[str, object]) -> Iterator[tuple[str, int]]:
    for name, value in named.items():
        if type(value) is int:
            yield name, value
        elif isinstance(value, list | tuple):
            yield f"the length of {name}", len(value)
            yield from _sizes({f"the first item of {name}": value[0]} if value else {})
        elif isinstance(value, np.ndarray | Tensor):
            shape = value.array.shape if isinstance(value, Tensor) else value.shape
            words = AXES.get(len(shape)) or [f"the size of axis {axis} of" for axis in range(len(shape))]
            yield from ((f"{word} {name}", size) for word, size in zip(words, shape, strict=True))


def _tries(call: Call, facts: FunctionFacts) -> Iterator[Proof]:
    """Yield what might be meant: one name as one size first, then two names, then three.

    Every step of the search yields a try: a submission may read thousands of names, and to skip pairs and
    triples of them would take forever.
    """
    words = {size: text for text, size in reversed(sizes_of(call, facts.parameters).items())}
    sizes = [size for size in sorted(words) if size >= LEAST_SIZE]
    meant = (
        [OutsideSize(name, found, needed, words[needed]) for needed in sizes if needed != found]
        for name, found in facts.sizes.items()
    )
    names = [one for one in meant if one]
    for count in range(1, NAMES_AT_ONCE + 1):
        for together in itertools.combinations(names, count):
            yield from itertools.product(*together)


def _holds(proof: Proof, others: Sequence[KnownCase], facts: FunctionFacts, ask: Ask) -> bool:
    """Whether the names stand for the same sizes of other inputs."""
    rebound = []
    for known in others:
        sizes = sizes_of(known.case.call, facts.parameters)
        if not all(one.stands_for in sizes for one in proof):
            return False
        rebound.append(ReboundCall(known.case.call, {one.name: sizes[one.stands_for] for one in proof}))
    answers = ask(rebound) if rebound else []
    return all(_is_right(known, answer) for known, answer in zip(others, answers, strict=True))


def _is_right(known: KnownCase, answer: Answer) -> bool:
    return answer.is_usable and known.distance(answer) <= known.tolerance
