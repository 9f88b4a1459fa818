"""Checks of hw1_summaries."""

from __future__ import annotations

from autograder.verdict import Cases, Compare, check


@check(task="trimmed_mean", points=1, public=True)
def test_trimmed_mean_published(cases: Cases, compare: Compare) -> None:
    """trimmed_mean gives the number of the handout's example."""
    compare(cases.published("trimmed_mean"))


@check(task="trimmed_mean", points=2, public=True)
def test_trimmed_mean_sizes(cases: Cases, compare: Compare) -> None:
    """trimmed_mean works for any number of values and any cut."""
    compare(cases.other_sizes("trimmed_mean"))


@check(task="trimmed_mean", points=1, requires=["trimmed_mean_published"], public=True)
def test_trimmed_mean_unchanged(cases: Cases, compare: Compare) -> None:
    """trimmed_mean leaves the values that it is given in their order."""
    compare.unchanged(cases.published("trimmed_mean"))
    compare.unchanged(cases.stored("trimmed_mean"))


@check(task="letter_counts", points=1, public=True)
def test_letter_counts_published(cases: Cases, compare: Compare) -> None:
    """letter_counts counts the letters of the handout's example."""
    compare(cases.published("letter_counts"))


@check(task="letter_counts", points=2, public=True)
def test_letter_counts_any(cases: Cases, compare: Compare) -> None:
    """letter_counts counts the letters of any text, also of an empty one."""
    compare(cases.other_sizes("letter_counts"))
