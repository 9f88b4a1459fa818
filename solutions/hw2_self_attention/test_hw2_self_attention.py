"""Checks of hw2: projections, self-attention in NumPy, and in PyTorch with gradients."""

from __future__ import annotations

from autograder.verdict import (
    Cases,
    Compare,
    SubmissionProxy,
    accepting,
    check,
    mixed_by_own_weights,
)

NUMPY = "self_attention_numpy"


@check(task="project_qkv", points=2, public=True)
def test_project_qkv_published(cases: Cases, compare: Compare) -> None:
    """project_qkv gives the printed Q, K and V, in this order."""
    compare(cases.published("project_qkv"))


@check(task="project_qkv", points=3, public=True)
def test_project_qkv_sizes(cases: Cases, compare: Compare) -> None:
    """project_qkv works where values have another dimension than keys, and neither is that of X."""
    compare(cases.other_sizes("project_qkv"))


@check(task=NUMPY, points=2, public=True)
def test_self_attention_numpy_published(cases: Cases, compare: Compare) -> None:
    """self_attention_numpy gives the printed attention weights and output."""
    compare(cases.published(NUMPY))


@check(task=NUMPY, points=2, public=True)
def test_self_attention_numpy_weights(
    submission: SubmissionProxy, cases: Cases, compare: Compare
) -> None:
    """self_attention_numpy gives the right attention weights, whatever the sizes."""
    known = cases.other_sizes(NUMPY)
    compare([accepting(submission, one, 0, one.expected[0]) for one in known])


@check(task=NUMPY, points=2, public=True)
def test_self_attention_numpy_output(
    submission: SubmissionProxy, cases: Cases, compare: Compare
) -> None:
    """self_attention_numpy mixes the values with the attention weights that it returns."""
    known = cases.other_sizes(NUMPY)
    values = lambda X, W_q, W_k, W_v: X @ W_v  # noqa: E731
    compare(mixed_by_own_weights(submission, known, values))


@check(
    task=NUMPY,
    points=1,
    requires=["self_attention_numpy_weights", "self_attention_numpy_output"],
    public=True,
)
def test_self_attention_numpy_large(cases: Cases, compare: Compare) -> None:
    """self_attention_numpy stays right where scores are in the hundreds and thousands."""
    compare(cases.other_sizes(NUMPY, "large"))


@check(task=NUMPY, points=1, requires=["self_attention_numpy_output"], public=True)
def test_self_attention_numpy_unchanged(cases: Cases, compare: Compare) -> None:
    """self_attention_numpy leaves the input and the weight matrices unchanged."""
    compare.unchanged(cases.published(NUMPY))
    compare.unchanged(cases.stored(NUMPY))


@check(task="self_attention_torch", points=2, public=True)
def test_self_attention_torch_published(cases: Cases, compare: Compare) -> None:
    """self_attention_torch gives the printed output."""
    compare(cases.published("self_attention_torch"))


@check(task="self_attention_torch", points=2, public=True)
def test_self_attention_torch_sizes(cases: Cases, compare: Compare) -> None:
    """self_attention_torch works where values have another dimension than keys, and neither is that of X."""
    compare(cases.other_sizes("self_attention_torch"))


@check(
    task="self_attention_torch",
    points=2,
    requires=["self_attention_torch_sizes"],
    public=True,
)
def test_self_attention_torch_gradients(cases: Cases, compare: Compare) -> None:
    """self_attention_torch lets the right gradients through to W_q, W_k and W_v."""
    compare.gradients(cases.other_sizes("self_attention_torch", "gradients"))


@check(
    task="self_attention_torch",
    points=1,
    requires=["self_attention_torch_sizes"],
    public=True,
)
def test_self_attention_torch_large(cases: Cases, compare: Compare) -> None:
    """self_attention_torch stays right where scores are in the hundreds, and changes no argument."""
    compare(cases.other_sizes("self_attention_torch", "large"))
    compare.unchanged(cases.stored("self_attention_torch"))
