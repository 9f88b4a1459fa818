"""Checks of random answers: the law of the draws, and that all chance comes from the generator that was given."""

from __future__ import annotations

import contextlib
import math
from collections.abc import Callable, Iterator, Mapping
from contextvars import ContextVar
from dataclasses import replace
from functools import partial

from autograder.course.arguments import generator
from autograder.course.calls import Call, FunctionCall, ReboundCall
from autograder.course.cases import Group
from autograder.verdict.failure import (
    CheckFailed,
    Failure,
    FailureKind,
    fail,
)
from autograder.verdict.fixtures import Compare
from autograder.verdict.for_checks.laws import (
    ERROR,
    Chance,
    Draws,
    Law,
    draws_needed,
    visible_deviation,
)
from autograder.verdict.known import OPEN, KnownCase
from autograder.worker.composites import Composite

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
IMPOSSIBLE = "One of the draws is a value that never comes: its probability is 0."


AskChance = Callable[[], Chance]
_noted: ContextVar[list[AskChance] | None] = ContextVar("chances", default=None)


@contextlib.contextmanager
def noting_chances() -> Iterator[list[AskChance]]:
    """Yield a list that receives, for each check of random answers within the block, what tells its chances.

    Only an author asks for them: they take longer than the check.
    """
    chances: list[AskChance] = []
    token = _noted.set(chances)
    try:
        yield chances
    finally:
        _noted.reset(token)


def _note_chance(ask_chance: AskChance) -> None:
    chances = _noted.get()
    if chances is not None:
        chances.append(ask_chance)


def check_draws(
    compare: Compare,
    laws: Laws,
    *,
    mistakes: Mapping[str, Laws] | None = None,
    error: float = ERROR,
) -> None:
    """Check that the draws in each case have the law that they should have.

    `autograder check` shows the chance of failing a right program, and which deviations the draws show.

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
    mistakes = mistakes or {}
    draws = _read_draws(compare, laws)
    error_of_case = error / len(laws)
    _note_chance(partial(_chance, laws, mistakes, draws, error))
    wrong_cases = _contradicted(laws, draws, error_of_case)
    if not wrong_cases:
        return
    known = wrong_cases[0]
    failure = _contradiction(known, laws[known], draws[known])
    agreeing = []
    for label, other_laws in mistakes.items():
        if not _contradicted(other_laws, draws, error_of_case):
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
        place: the place of the argument, if it is a whole number, the seed; otherwise it is a
            ``generator(seed)``.

    Raises:
        CheckFailed: the draws depend on anything else, or do not depend on the generator.
        LookupError: there are no cases, or a case has no generator.
    """
    __tracebackhide__ = True
    _read_draws(compare, laws)
    for known, law in laws.items():
        call = known.case.call
        assert isinstance(call, FunctionCall)
        if law.draws is None:  # whether draws are equal shows in a few of them
            call = replace(call, times=min(call.times, FEW_TIMES))
        count = law.draws or call.times
        _note_chance(partial(Chance, law.chance_of_equal(count), count))
        seed_place = _place_of_generator(call) if place is None else place
        other_globals = ReboundCall(call, {}, OTHER_SEED)
        other_seed = _with_other_seed(call, seed_place)
        calls: list[Call] = [call, call, other_globals, other_seed]
        draws = []
        for answer in compare.submission.calls(calls):
            if not answer.is_usable:
                raise CheckFailed(compare.no_value(known, answer.error))
            draws.append(law.read(answer.value))

        first, again, elsewhere, other = draws
        name = "the generator"
        parameters = compare.parameters(call.name)
        if seed_place < len(parameters):
            name = f"`{parameters[seed_place]}`"
        remedy = f"take all random numbers from {name}."
        faults = (
            (
                again != first,
                "Called again with the same arguments, it returns other draws",
                OWN_GENERATOR,
            ),
            (
                elsewhere != first,
                "It uses global random numbers, such as NumPy's `np.random.choice`",
                GLOBAL_RANDOM,
            ),
            (
                other == first,
                "With another seed it returns the same draws",
                GENERATOR_UNUSED,
            ),
        )
        for is_wrong, text, label in faults:
            if is_wrong:
                fail(f"{text}: {remedy}", label)


def _read_draws(compare: Compare, laws: Laws) -> dict[KnownCase, Draws]:
    """Return the draws in the answer to each case.

    Raises:
        CheckFailed: there are no draws, or another number of them.
        LookupError: there is no case, or it is not clear how many draws there should be.
    """
    if not laws:
        raise LookupError(
            "the check asked for no case at all; look at its task and topic"
        )
    draws_of_case = {}
    for known, law in laws.items():
        call = known.case.call
        assert isinstance(call, FunctionCall)
        if law.draws is None and call.times == 1:
            raise LookupError(
                f"{known.case.id}: say how many draws an answer holds: give the law `draws=…`, "
                "or the call `times=…`"
            )
        draws = law.read(compare.answer_or_fail(known))
        if draws is None:
            fail(f"`{call.name}` returned something that is no finite number.")
        count = law.draws or call.times
        if len(draws) != count:
            text = (
                f"`{call.name}` returned {len(draws):,} draws; it should be {count:,}."
            )
            fail(text, kind=FailureKind.SHAPE)
        draws_of_case[known] = draws
    return draws_of_case


def _chance(
    laws: Laws,
    mistakes: Mapping[str, Laws],
    draws: Mapping[KnownCase, Draws],
    error: float,
) -> Chance:
    """Return what draws show at most of each mistake, and at least of any other."""
    error_of_case = error / len(laws)
    power = {}
    for label, other_laws in mistakes.items():
        best = (0.0, math.inf)
        for known, law in laws.items():
            if known.case.group is Group.FRESH:
                continue  # those of another batch may show less
            distance = law.distance(other_laws[known], draws[known])  # type: ignore[arg-type]
            count = draws_needed(law, distance, error_of_case)
            best = min(best, (distance, count), key=lambda pair: pair[1])
        power[label] = best
    weakest = 0.0
    for known, law in laws.items():
        weakest = max(weakest, visible_deviation(law, len(draws[known]), error_of_case))
    fewest = min(map(len, draws.values()))
    return Chance(error, fewest, weakest, power)


def _contradicted(
    laws: Laws, draws: Mapping[KnownCase, Draws], error: float
) -> list[KnownCase]:
    """Return the cases in which draws contradict their law."""
    cases = []
    for known, drawn in draws.items():
        if laws[known].evidence(drawn) >= laws[known].limit(error):
            cases.append(known)
    return cases


def _contradiction(known: KnownCase, law: Law, draws: Draws) -> Failure:
    """Say how draws contradict the law; students read numbers only of cases that they may see."""
    evidence = law.evidence(draws)
    if math.isinf(evidence):
        fact = text = IMPOSSIBLE
    else:
        fact = law.fact(draws)
        text = f"{WRONG_LAW}."
        if known.case.group in OPEN:
            text = f"{WRONG_LAW}: {fact}"
    if len(draws) > 1 and len(set(draws)) == 1:
        text = f"{text} All {len(draws):,} draws are the same."
    staff = f"{known.case.id}: {fact} (evidence {evidence:.1f})"
    return Failure(FailureKind.VALUES, text, staff=staff, cause=WRONG_LAW)


def _place_of_generator(call: FunctionCall) -> int:
    for place, argument in enumerate(call.args):
        if isinstance(argument, Composite) and argument.kind == "generator":
            return place
    raise LookupError(
        f"no argument of {call.name} is a generator: write `generator(seed)` in cases.py, or give the place of "
        "the seed"
    )


def _with_other_seed(call: FunctionCall, place: int) -> FunctionCall:
    seed = call.args[place]
    if isinstance(seed, Composite):
        other = generator(seed.parts["seed"] + 1)
    else:
        other = seed + 1
    args = list(call.args)
    args[place] = other
    return call.with_inputs(args)
