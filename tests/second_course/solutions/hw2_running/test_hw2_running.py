"""Checks of hw2_running."""

from __future__ import annotations

from autograder.verdict import Cases, Compare, check


@check(task="RunningMean", points=1, public=True)
def test_RunningMean_published(cases: Cases, compare: Compare) -> None:
    """RunningMean gives the numbers of the handout's example."""
    compare(cases.published("RunningMean"))


@check(task="RunningMean", points=2, public=True)
def test_RunningMean_sizes(cases: Cases, compare: Compare) -> None:
    """RunningMean is right after each of any number of rows."""
    compare(cases.other_sizes("RunningMean"))


@check(task="RunningMean", points=2, public=True)
def test_RunningMean_forget(cases: Cases, compare: Compare) -> None:
    """RunningMean begins again after forget, which raises a ValueError if there is nothing to forget."""
    compare(cases.stored("RunningMean", "forgetting"))


@check(task="Momentum", points=1, public=True)
def test_Momentum_published(cases: Cases, compare: Compare) -> None:
    """Momentum gives the numbers of the handout's example."""
    compare(cases.published("Momentum"))


@check(task="Momentum", points=2, public=True)
def test_Momentum_sizes(cases: Cases, compare: Compare) -> None:
    """Momentum moves right in any number of steps and dimensions."""
    compare(cases.other_sizes("Momentum"))


@check(task="Momentum", points=1, requires=["Momentum_sizes"], public=True)
def test_Momentum_unchanged(cases: Cases, compare: Compare) -> None:
    """Momentum leaves the start and the slopes that it is given unchanged."""
    compare.unchanged(cases.published("Momentum"))
    compare.unchanged(cases.stored("Momentum"))
