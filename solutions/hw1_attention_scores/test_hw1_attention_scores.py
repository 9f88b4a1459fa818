"""Checks of hw1: scores, scaling, softmax, output, and the flow through all of them."""

from __future__ import annotations

from autograder.verdict import Cases, Compare, check

LARGE = "large"


@check(task="qk_scores", points=1, public=True)
def test_qk_scores_published(cases: Cases, compare: Compare) -> None:
    """qk_scores gives [[8, 13], [6, 7]] for the integer example."""
    compare(cases.published("qk_scores"))


@check(task="qk_scores", points=2, public=True)
def test_qk_scores_sizes(cases: Cases, compare: Compare) -> None:
    """qk_scores works for any number of queries and keys."""
    compare(cases.stored("qk_scores"))


@check(task="qk_scores", points=1, requires=["qk_scores_sizes"])
def test_qk_scores_fresh(cases: Cases, compare: Compare) -> None:
    """qk_scores is right on inputs drawn for this grading and leaves them unchanged."""
    compare(cases.fresh("qk_scores"))
    compare.unchanged(cases.fresh("qk_scores"))


@check(task="scale_scores", points=1, public=True)
def test_scale_scores_published(cases: Cases, compare: Compare) -> None:
    """scale_scores gives the scaled scores of the three-token example."""
    compare(cases.published("scale_scores"))


@check(task="scale_scores", points=1, public=True)
def test_scale_scores_sizes(cases: Cases, compare: Compare) -> None:
    """scale_scores works for any key dimension."""
    compare(cases.other_sizes("scale_scores"))


@check(task="scale_scores", points=1, requires=["scale_scores_sizes"], public=True)
def test_scale_scores_unchanged(cases: Cases, compare: Compare) -> None:
    """scale_scores returns a new array and leaves its argument unchanged."""
    compare.unchanged(cases.published("scale_scores"))
    compare.unchanged(cases.stored("scale_scores"))


@check(task="softmax", points=1, public=True)
def test_softmax_published(cases: Cases, compare: Compare) -> None:
    """softmax gives the attention weights of the three-token example."""
    compare(cases.published("softmax"))


@check(task="softmax", points=2, public=True)
def test_softmax_sizes(cases: Cases, compare: Compare) -> None:
    """softmax makes each row a distribution, for any number of rows and columns."""
    compare(cases.other_sizes("softmax"))


@check(task="softmax", points=1, requires=["softmax_sizes"], public=True)
def test_softmax_large(cases: Cases, compare: Compare) -> None:
    """softmax stays right where scores are in the hundreds and thousands."""
    compare(cases.other_sizes("softmax", LARGE))


@check(task="softmax", points=1, requires=["softmax_sizes"], public=True)
def test_softmax_unchanged(cases: Cases, compare: Compare) -> None:
    """softmax returns a new array and leaves its argument unchanged."""
    compare.unchanged(cases.stored("softmax"))


@check(task="attention_output", points=1, public=True)
def test_attention_output_published(cases: Cases, compare: Compare) -> None:
    """attention_output gives the published weighted sums of the values."""
    compare(cases.published("attention_output"))


@check(task="attention_output", points=2, public=True)
def test_attention_output_sizes(cases: Cases, compare: Compare) -> None:
    """attention_output works for any number of queries, keys and value dimensions."""
    compare(cases.other_sizes("attention_output"))


@check(
    task="attention_output", points=1, requires=["attention_output_sizes"], public=True
)
def test_attention_output_unchanged(cases: Cases, compare: Compare) -> None:
    """attention_output leaves the attention weights and the values unchanged."""
    compare.unchanged(cases.published("attention_output"))
    compare.unchanged(cases.stored("attention_output"))


@check(task="attention_flow", points=1, public=True)
def test_attention_flow_published(cases: Cases, compare: Compare) -> None:
    """attention_flow gives the four results of the three-token example."""
    compare(cases.published("attention_flow"))


@check(task="attention_flow", points=2, public=True)
def test_attention_flow_sizes(cases: Cases, compare: Compare) -> None:
    """attention_flow works where queries, keys and both dimensions have different sizes."""
    compare(cases.other_sizes("attention_flow"))


@check(task="attention_flow", points=1, requires=["attention_flow_sizes"], public=True)
def test_attention_flow_unchanged(cases: Cases, compare: Compare) -> None:
    """attention_flow leaves Q, K and V unchanged."""
    compare.unchanged(cases.published("attention_flow"))
    compare.unchanged(cases.stored("attention_flow"))
