"""Checks of random answers: the law of the draws, and that all chance comes from the generator that was given."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from autograder.course.cases import FunctionCall, ReboundCall
from autograder.verdict.failure import (
    CheckFailed,
    Failure,
    FailureKind,
    fail,
    plain_fact,
)
from autograder.verdict.fixtures import Compare
from autograder.verdict.known import OPEN, KnownCase
from autograder.verdict.laws import ERROR, Chance, Draws, Law
from autograder.worker.composites import Composite
from autograder.worker.wire import Bag, encode

Laws = Mapping[KnownCase, Law]
"""The law of the draws in each case."""

FEW_TIMES = 200
"""So many times a function is called again with each generator."""
OTHER_SEED = 1
"""The seed of the global generators in a further call; other calls have 0."""
GLOBAL_RANDOM = "global-random"
GENERATOR_UNUSED = "generator-unused"
OWN_GENERATOR = "own-generator"
WRONG_LAW = "The draws do not have the distribution that is asked for"
ALWAYS_EQUAL = "All {:,} draws are the same."
IMPOSSIBLE = "One of the draws is a value that never comes: its probability is 0."


def check_draws(
    compare: Compare,
    laws: Laws,
    *,
    mistakes: Mapping[str, Laws] | None = None,
    error: float = ERROR,
) -> None:
    """Check that the draws in each case have the law that they should have.

    `autograder check` shows the chance of failing a right program, and which deviation the draws show.

    Args:
        compare: the check's own.
        laws: the law of the draws in each case.
        mistakes: for known mistakes of ``misconceptions.toml``, the laws of the draws that they lead to. The one
            that alone agrees with wrong draws is named.
        error: the probability, at most, with which a right program fails in any of the cases.

    Raises:
        CheckFailed: the draws contradict the law, or are not as many values as they should be.
        LookupError: there are no cases, or it is not clear how many draws an answer holds.
    """
    __tracebackhide__ = True
    _require_cases(laws)
    error = error / len(laws)
    laws_of_mistakes = mistakes or {}
    draws_of_case: dict[KnownCase, Draws] = {}
    wrong_cases = []
    for known, law in laws.items():
        draws = _read_draws(compare, known, law)
        draws_of_case[known] = draws
        chance = Chance(known.case.id, error, len(draws), law.seen(len(draws), error))
        distances = {}
        for label, mistaken in laws_of_mistakes.items():
            distance = law.distance(mistaken[known], draws)
            needed = law.needed(distance, error) if distance else 0
            distances[label] = (distance, needed)
        compare.submission.chances.append(replace(chance, mistakes=distances))
        if law.evidence(draws) >= law.limit(error):
            wrong_cases.append(known)
    if not wrong_cases:
        return

    first = wrong_cases[0]
    failure = _contradiction(first, laws[first], draws_of_case[first])
    agreeing = []
    for label, mistaken in laws_of_mistakes.items():
        if _agree(draws_of_case, mistaken, error):
            agreeing.append(label)
    if len(agreeing) == 1:
        failure = compare.named(agreeing[0], failure)
    raise CheckFailed(failure)


def check_generator(compare: Compare, laws: Laws, place: int | None = None) -> None:
    """Check that all chance comes from the generator, or the seed, that a function is given.

    The function is called again with the same generator, with another state of the global generators, and
    with another generator.

    Args:
        compare: the check's own.
        laws: the law of the draws in each case, as for ``check_draws``: it says how likely two generators are
            to give the same draws.
        place: the place of the argument; by default that of the first ``generator(seed)``. Elsewhere it is a
            whole number, the seed.

    Raises:
        CheckFailed: the draws depend on anything else, or do not depend on the generator.
        LookupError: there are no cases, or a case has no generator.
    """
    __tracebackhide__ = True
    _require_cases(laws)
    for known, law in laws.items():
        _read_draws(compare, known, law)
        call = known.case.call
        assert isinstance(call, FunctionCall)
        # Whether draws are equal shows in a few of them.
        call = replace(call, times=min(call.times, FEW_TIMES))
        count = law.draws or call.times
        error = law.chance_of_equal(count)
        compare.submission.chances.append(Chance(known.case.id, error, count))
        if place is None:
            place = _place_of_generator(call)
        other_generator = _with_other_seed(call, place)
        other_globals = ReboundCall(call, {}, OTHER_SEED)
        calls = [call, call, other_globals, other_generator]
        values = []
        for answer in compare.submission.calls(calls):
            if not answer.is_usable:
                raise CheckFailed(plain_fact(call.name, answer.error))
            values.append(_written(answer.value))
        first, again, elsewhere, other = values
        parameters = compare.parameters(call.name)
        name = f"`{parameters[place]}`" if place < len(parameters) else "its generator"
        if again != first:
            text = (
                "Called again with the same arguments, it returns other draws: "
                f"take all random numbers from {name}."
            )
            fail(text, OWN_GENERATOR)
        if elsewhere != first:
            text = (
                "It uses global random numbers, such as NumPy's `np.random.choice`: "
                f"take all random numbers from {name}."
            )
            fail(text, GLOBAL_RANDOM)
        if other == first:
            text = (
                f"With another seed it returns the same draws, so {name} is not used: "
                "take all random numbers from it."
            )
            fail(text, GENERATOR_UNUSED)


def _require_cases(laws: Laws) -> None:
    if not laws:
        raise LookupError(
            "the check asked for no case at all; look at its task and topic"
        )


def _read_draws(compare: Compare, known: KnownCase, law: Law) -> Draws:
    """Return the draws in the answer to a case.

    Raises:
        CheckFailed: there are no draws, or another number of them.
        LookupError: it is not clear how many there should be.
    """
    call = known.case.call
    times = call.times if isinstance(call, FunctionCall) else 1
    count = law.draws or times
    if law.draws is None and times == 1:
        raise LookupError(
            f"{known.case.id}: say how many draws an answer holds: give the law `draws=…`, or the call `times=…`"
        )
    draws = law.read(compare.answer_or_fail(known))
    if draws is None:
        text = f"`{call.name}` returned something that is no finite number."
        raise CheckFailed(Failure(FailureKind.DTYPE, text))
    if len(draws) != count:
        text = f"`{call.name}` returned {len(draws):,} draws; it should be {count:,}."
        raise CheckFailed(Failure(FailureKind.SHAPE, text))
    return draws


def _contradiction(known: KnownCase, law: Law, draws: Draws) -> Failure:
    """Say how draws contradict the law; numbers are shown to students only where they may see the case."""
    evidence = law.evidence(draws)
    if math.isinf(evidence):
        text = staff = IMPOSSIBLE
    else:
        staff = law.fact(draws)
        text = f"{WRONG_LAW}."
        if known.case.group in OPEN:
            text = f"{WRONG_LAW}: {staff}"
    if len(draws) > 1 and all(draw == draws[0] for draw in draws):
        text = f"{text} {ALWAYS_EQUAL.format(len(draws))}"
    staff = f"{known.case.id}: {staff} (evidence {evidence:.1f})"
    return Failure(FailureKind.VALUES, text, staff=staff, cause=WRONG_LAW)


def _agree(draws_of_case: Mapping[KnownCase, Draws], laws: Laws, error: float) -> bool:
    """Return whether draws agree with a law in every case."""
    for known, draws in draws_of_case.items():
        if laws[known].evidence(draws) >= laws[known].limit(error):
            return False
    return True


def _place_of_generator(call: FunctionCall) -> int:
    for place, argument in enumerate(call.args):
        if isinstance(argument, Composite) and argument.kind == "generator":
            return place
    raise LookupError(
        f"no argument of {call.name} is a generator: write `generator(seed)` in cases.py, or give the place of "
        "the seed"
    )


def _with_other_seed(call: FunctionCall, place: int) -> FunctionCall:
    arguments: list[Any] = list(call.args)
    argument = arguments[place]
    if isinstance(argument, Composite):
        arguments[place] = Composite("generator", {"seed": argument.parts["seed"] + 1})
    else:
        arguments[place] = argument + 1
    return replace(call, args=tuple(arguments))


def _written(value: Any) -> tuple[str, list[bytes]]:
    """Return a decoded answer as bytes: equal answers, NaN among them, are equal to the last bit."""
    arrays = Bag()
    tree = encode(value, arrays)
    return json.dumps(tree), [array.tobytes() for array in arrays.values()]
