"""Checks of hw1: scores, scaling, softmax, output, and the flow through all of them."""

from __future__ import annotations

from autograder.verdict import Cases, Compare, check
from autograder.verdict.for_checks.own_results import compare_if_right

SCORES = "qk_scores"
SCALE = "scale_scores"
SOFTMAX = "softmax"
OUTPUT = "attention_output"
FLOW = "attention_flow"

LARGE = "large"
ZEROS = "zeros"
WHOLE = "whole"


@check(task=SCORES, points=1, public=True)
def test_qk_scores_published(cases: Cases, compare: Compare) -> None:
    """qk_scores gives [[8, 13], [6, 7]] for the integer example."""
    compare(cases.published(SCORES))


@check(task=SCORES, points=2, public=True)
def test_qk_scores_sizes(cases: Cases, compare: Compare) -> None:
    """qk_scores works for any number of queries and keys."""
    compare(cases.stored(SCORES))


@check(
    task=SCORES,
    points=1,
    requires=["qk_scores_sizes"],
)
def test_qk_scores_fresh(cases: Cases, compare: Compare) -> None:
    """qk_scores is right on inputs drawn for this grading and leaves them unchanged."""
    compare(cases.fresh(SCORES))
    compare.unchanged(cases.fresh(SCORES))


@check(task=SCALE, points=1, public=True)
def test_scale_scores_published(cases: Cases, compare: Compare) -> None:
    """scale_scores gives the scaled scores of the three-token example."""
    compare(cases.published(SCALE))


@check(task=SCALE, points=1, public=True)
def test_scale_scores_sizes(cases: Cases, compare: Compare) -> None:
    """scale_scores works for any key dimension."""
    compare(cases.other_sizes(SCALE))


@check(
    task=SCALE,
    points=1,
    requires=["scale_scores_sizes"],
    public=True,
)
def test_scale_scores_unchanged(cases: Cases, compare: Compare) -> None:
    """scale_scores returns a new array, of decimals for whole numbers too, and leaves its argument unchanged."""
    compare.unchanged(cases.published(SCALE))
    compare.unchanged(cases.stored(SCALE))
    compare(cases.stored(SCALE, WHOLE))


@check(task=SOFTMAX, points=1, public=True)
def test_softmax_published(cases: Cases, compare: Compare) -> None:
    """softmax gives the attention weights of the three-token example."""
    compare(cases.published(SOFTMAX))


@check(task=SOFTMAX, points=2, public=True)
def test_softmax_sizes(cases: Cases, compare: Compare) -> None:
    """softmax makes each row a distribution, for any number of rows and columns."""
    compare(cases.other_sizes(SOFTMAX))


@check(
    task=SOFTMAX,
    points=1,
    requires=["softmax_sizes"],
    public=True,
)
def test_softmax_large(cases: Cases, compare: Compare) -> None:
    """softmax stays right where scores are in the hundreds and thousands, 0, or whole numbers."""
    compare(cases.other_sizes(SOFTMAX, LARGE))
    compare(cases.stored(SOFTMAX, ZEROS))
    compare(cases.stored(SOFTMAX, WHOLE))


@check(
    task=SOFTMAX,
    points=1,
    requires=["softmax_sizes"],
    public=True,
)
def test_softmax_unchanged(cases: Cases, compare: Compare) -> None:
    """softmax returns a new array and leaves its argument unchanged."""
    compare.unchanged(cases.stored(SOFTMAX))


@check(task=OUTPUT, points=1, public=True)
def test_attention_output_published(cases: Cases, compare: Compare) -> None:
    """attention_output gives the published weighted sums of the values."""
    compare(cases.published(OUTPUT))


@check(task=OUTPUT, points=2, public=True)
def test_attention_output_sizes(cases: Cases, compare: Compare) -> None:
    """attention_output works for any number of queries, keys and value dimensions."""
    compare(cases.other_sizes(OUTPUT))


@check(
    task=OUTPUT,
    points=1,
    requires=["attention_output_sizes"],
    public=True,
)
def test_attention_output_unchanged(cases: Cases, compare: Compare) -> None:
    """attention_output leaves the attention weights and the values unchanged."""
    compare.unchanged(cases.published(OUTPUT))
    compare.unchanged(cases.stored(OUTPUT))


@check(task=FLOW, points=1, public=True)
def test_attention_flow_published(cases: Cases, compare: Compare) -> None:
    """attention_flow gives the four results of the three-token example."""
    compare(cases.published(FLOW))


@check(task=FLOW, points=2, public=True)
def test_attention_flow_sizes(cases: Cases, compare: Compare) -> None:
    """attention_flow works where queries, keys and both dimensions have different sizes."""
    compare(cases.other_sizes(FLOW))


@check(
    task=FLOW,
    points=1,
    requires=["attention_flow_sizes"],
    public=True,
)
def test_attention_flow_unchanged(cases: Cases, compare: Compare) -> None:
    """attention_flow stays right where scores are in the thousands or 0, and leaves Q, K and V unchanged."""
    compare.unchanged(cases.published(FLOW))
    compare.unchanged(cases.stored(FLOW))
    for topic in (LARGE, ZEROS):
        flows = cases.stored(FLOW, topic)
        compare_if_right(compare, flows, cases.stored(SOFTMAX, topic))
