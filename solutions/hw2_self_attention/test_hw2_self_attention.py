"""Checks of hw2: projections, self-attention in NumPy, and in PyTorch with gradients."""

from __future__ import annotations

import numpy as np

from autograder.verdict import (
    Cases,
    Compare,
    SubmissionProxy,
    check,
    mixed_by_own_weights,
)
from autograder.verdict.for_checks.own_results import weights_alone
from autograder.worker.wire import Array

PROJECT = "project_qkv"
NUMPY = "self_attention_numpy"
TORCH = "self_attention_torch"

LARGE = "large"
DOUBLE = "double"
GRADIENTS = "gradients"
ZEROS = "zeros"


@check(task=PROJECT, points=2, public=True)
def test_project_qkv_published(cases: Cases, compare: Compare) -> None:
    """project_qkv gives the printed Q, K and V, in this order."""
    compare(cases.published(PROJECT))


@check(task=PROJECT, points=3, public=True)
def test_project_qkv_sizes(cases: Cases, compare: Compare) -> None:
    """project_qkv works where values have another dimension than keys, and neither is that of X."""
    compare(cases.other_sizes(PROJECT))


@check(task=NUMPY, points=2, public=True)
def test_self_attention_numpy_published(cases: Cases, compare: Compare) -> None:
    """self_attention_numpy gives the printed attention weights and output."""
    compare(cases.published(NUMPY))


@check(task=NUMPY, points=2, public=True)
def test_self_attention_numpy_weights(
    submission: SubmissionProxy, cases: Cases, compare: Compare
) -> None:
    """self_attention_numpy gives the right attention weights, whatever the sizes."""
    judged = []
    for known in cases.other_sizes(NUMPY):
        judged.append(weights_alone(submission, known))
    compare(judged)


@check(task=NUMPY, points=2, public=True)
def test_self_attention_numpy_output(
    submission: SubmissionProxy, cases: Cases, compare: Compare
) -> None:
    """self_attention_numpy mixes the values with the attention weights that it returns."""
    known_cases = cases.other_sizes(NUMPY)
    compare(mixed_by_own_weights(submission, known_cases, _values))


@check(
    task=NUMPY,
    points=1,
    requires=["self_attention_numpy_weights", "self_attention_numpy_output"],
    public=True,
)
def test_self_attention_numpy_large(cases: Cases, compare: Compare) -> None:
    """self_attention_numpy stays right where scores are in the hundreds and thousands, and where they are 0."""
    compare(cases.other_sizes(NUMPY, LARGE))
    compare(cases.stored(NUMPY, ZEROS))


@check(
    task=NUMPY,
    points=1,
    requires=["self_attention_numpy_output"],
    public=True,
)
def test_self_attention_numpy_unchanged(cases: Cases, compare: Compare) -> None:
    """self_attention_numpy leaves the input and the weight matrices unchanged."""
    compare.unchanged(cases.published(NUMPY))
    compare.unchanged(cases.stored(NUMPY))


@check(task=TORCH, points=2, public=True)
def test_self_attention_torch_published(cases: Cases, compare: Compare) -> None:
    """self_attention_torch gives the printed output."""
    compare(cases.published(TORCH))


@check(task=TORCH, points=2, public=True)
def test_self_attention_torch_sizes(cases: Cases, compare: Compare) -> None:
    """self_attention_torch works where values have another dimension than keys, and neither is that of X."""
    compare(cases.other_sizes(TORCH))


@check(
    task=TORCH,
    points=2,
    requires=["self_attention_torch_sizes"],
    public=True,
)
def test_self_attention_torch_gradients(cases: Cases, compare: Compare) -> None:
    """self_attention_torch lets the right gradients through to W_q, W_k and W_v."""
    compare.gradients(cases.other_sizes(TORCH, GRADIENTS))


@check(
    task=TORCH,
    points=1,
    requires=["self_attention_torch_sizes"],
    public=True,
)
def test_self_attention_torch_large(cases: Cases, compare: Compare) -> None:
    """self_attention_torch stays right for scores in the hundreds or 0 and for float64, and changes no argument."""
    large = cases.other_sizes(TORCH, LARGE)
    of_float64 = cases.stored(TORCH, DOUBLE)
    compare([*large, *of_float64])
    compare(cases.stored(TORCH, ZEROS))
    compare.unchanged(cases.stored(TORCH))


def _values(X: Array, W_q: Array, W_k: Array, W_v: Array) -> Array:
    return np.asarray(X @ W_v)
