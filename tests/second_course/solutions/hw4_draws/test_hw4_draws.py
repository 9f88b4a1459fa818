"""Checks of hw4_draws."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from autograder.verdict import (
    Cases,
    Compare,
    Continuous,
    KnownCase,
    Shares,
    check,
    check_draws,
    check_generator,
)


@check(task="draw", points=2, public=True)
def test_draw_shares(cases: Cases, compare: Compare) -> None:
    """draw gives each place its probability, at any temperature."""
    laws = {}
    largest = {}
    multiplied = {}
    ignored = {}
    equal = {}
    for known in _all_cases(cases, "draw"):
        scores, temperature, _ = known.arguments
        laws[known] = _shares(scores / temperature)
        largest[known] = Shares(np.arange(len(scores)) == scores.argmax())
        multiplied[known] = _shares(scores * temperature)
        ignored[known] = _shares(scores)
        equal[known] = _shares(0 * scores)
    mistakes = {
        "largest-taken": largest,
        "temperature-multiplied": multiplied,
        "temperature-ignored": ignored,
        "equally-likely": equal,
    }
    check_draws(compare, laws, mistakes=mistakes)


@check(task="draw", points=1, public=True)
def test_draw_generator(cases: Cases, compare: Compare) -> None:
    """draw takes all chance from the generator: the same seed gives the same draws, another one others."""
    laws = {}
    for known in cases.stored("draw"):
        scores, temperature, _ = known.arguments
        laws[known] = _shares(scores / temperature)
    check_generator(compare, laws)


@check(task="wait", points=2, public=True)
def test_wait_times(cases: Cases, compare: Compare) -> None:
    """wait draws times with an exponential distribution, for any mean."""
    laws = {}
    rates = {}
    uniform = {}
    for known in _all_cases(cases, "wait"):
        mean, _ = known.arguments
        laws[known] = _exponential(mean)
        rates[known] = _exponential(1 / mean)
        uniform[known] = _uniform(2 * mean)
    mistakes = {"mean-as-rate": rates, "uniform-times": uniform}
    check_draws(compare, laws, mistakes=mistakes)


@check(task="wait", points=1, public=True)
def test_wait_generator(cases: Cases, compare: Compare) -> None:
    """wait takes all chance from the generator: the same seed gives the same times, another one others."""
    laws = {}
    for known in cases.stored("wait"):
        mean, _ = known.arguments
        laws[known] = _exponential(mean)
    check_generator(compare, laws)


def _all_cases(cases: Cases, task: str) -> Sequence[KnownCase]:
    return [*cases.published(task), *cases.other_sizes(task)]


def _shares(scores: np.ndarray) -> Shares:
    powers = np.exp(scores - scores.max())
    return Shares(powers / powers.sum())


def _exponential(mean: float) -> Continuous:
    return Continuous(lambda time: -np.expm1(-time / mean), low=0)


def _uniform(largest: float) -> Continuous:
    return Continuous(lambda time: min(time / largest, 1.0), low=0)
