"""Checks of hw2_running."""

from autograder.verdict import check


@check(task="RunningMean", points=1, public=True)
def test_RunningMean_published(cases, compare):
    """RunningMean gives the numbers of the handout's example."""
    compare(cases.published("RunningMean"))


@check(task="RunningMean", points=2, public=True)
def test_RunningMean_sizes(cases, compare):
    """RunningMean is right after each of any number of rows."""
    compare(cases.other_sizes("RunningMean"))


@check(task="RunningMean", points=2, public=True)
def test_RunningMean_forget(cases, compare):
    """RunningMean begins again after forget, which raises a ValueError if there is nothing to forget."""
    compare(cases.stored("RunningMean", "forgetting"))


@check(task="Momentum", points=1, public=True)
def test_Momentum_published(cases, compare):
    """Momentum gives the numbers of the handout's example."""
    compare(cases.published("Momentum"))


@check(task="Momentum", points=2, public=True)
def test_Momentum_sizes(cases, compare):
    """Momentum moves right in any number of steps and dimensions."""
    compare(cases.other_sizes("Momentum"))


@check(task="Momentum", points=1, requires=["Momentum_sizes"], public=True)
def test_Momentum_unchanged(cases, compare):
    """Momentum leaves the start and the slopes that it is given unchanged."""
    compare.unchanged(cases.published("Momentum"))
    compare.unchanged(cases.stored("Momentum"))
