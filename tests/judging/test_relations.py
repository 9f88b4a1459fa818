"""What is told of wrong numbers holds in all of them, and for more numbers than can agree by chance."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from autograder.judging.relations import AXES, Wrong, related
from autograder.worker.wire import Array

CHANCE = np.random.default_rng(5)
SHAPES = ((4, 5), (3, 7), (6, 2))


def wrongs(change: Callable[[Array], Array], shapes: tuple[tuple[int, ...], ...] = SHAPES) -> list[Wrong]:
    """Wrong arrays of these shapes, made from right ones, which are also their first argument."""
    right = [CHANCE.normal(size=shape) for shape in shapes]
    return [wrong(change(one), one) for one in right]


def wrong(got: Array, right: Array, **named: Array) -> Wrong:
    sizes = {"`d`": right.shape[-1]}
    marked = np.abs(got - right) > 1e-5
    return Wrong(got, right, marked, named, sizes, 1e-5, AXES[right.ndim])


def label(found: list[Wrong], *, are_all: bool = True) -> str:
    told = related(found, are_all=are_all) or related(found, are_all=are_all, is_last=True)
    return told.labels[0] if told else ""


@pytest.mark.parametrize(
    ("change", "called"),
    [
        (np.negative, "sign-flipped"),
        (np.square, "squared"),
        (np.abs, "absolute-values"),
        (lambda right: right.clip(0), "negatives-cut"),
        (np.exp, "exponentials"),
        (lambda right: right[::-1], "reversed"),
        (lambda right: np.roll(right, 1, axis=0), "shifted"),
        (lambda right: right.cumsum(axis=0), "running-sums"),
        (lambda right: np.sort(right, axis=1), "sorted"),
        (lambda right: right.T.reshape(right.shape), "reshaped"),
        (np.floor, "cut-to-integers"),
        (lambda right: 3 * right, "constant-factor"),
        (lambda right: right / np.sqrt(right.shape[1]), "constant-factor"),
        (lambda right: right + 2, "constant-offset"),
        (lambda right: right * np.arange(1, len(right) + 1)[:, None], "factor-per-row"),
        (lambda right: right + np.arange(1, len(right) + 1)[:, None], "offset-per-row"),
        (lambda right: np.tile(right[:1], (len(right), 1)), "all-alike"),
        (lambda right: np.tril(right), "region-wrong"),
        (lambda right: np.vstack([right[:-1], 0 * right[:1]]), "region-wrong"),
        (lambda right: np.vstack([right[:1], 0 * right[1:]]), "region-wrong"),
        (lambda right: right + CHANCE.normal(size=right.shape), ""),
        (lambda right: right**3, ""),
    ],
)
def test_what_was_done_to_the_right_numbers_is_named(change: Callable[[Array], Array], called: str) -> None:
    assert label(wrongs(change)) == called


@pytest.mark.parametrize(
    ("change", "called"),
    [
        (lambda scores: 2 * scores, "scores-scaled"),
        (lambda scores: scores / np.linalg.norm(scores, axis=1, keepdims=True), "scores-scaled"),
        (lambda scores: np.log(2) * scores, "powers-of-two"),
        (np.negative, "scores-negated"),
        (lambda scores: np.log(scores**2), "not-exponentials"),
        (lambda scores: np.where(np.eye(*scores.shape) > 0, -np.inf, scores), "weights-masked"),
        (np.cos, ""),
    ],
)
def test_what_the_softmax_got_in_place_of_the_scores_is_named(
    change: Callable[[Array], Array], called: str
) -> None:
    scores = [CHANCE.normal(size=shape) for shape in ((4, 5), (3, 7))]
    assert label([wrong(softmax(change(one)), softmax(one), x=one) for one in scores]) == called


@pytest.mark.parametrize(("keys", "called"), [((5, 2), "scores-scaled"), ((2, 2), "")])
def test_two_weights_alone_show_no_scaling(keys: tuple[int, int], called: str) -> None:
    scores = [CHANCE.normal(size=(4, count)) for count in keys]
    found = [wrong(softmax(one / np.linalg.norm(one, axis=1, keepdims=True)), softmax(one)) for one in scores]
    assert label(found) == called


def softmax(scores: Array) -> Array:
    shares: Array = np.exp(scores) / np.exp(scores).sum(axis=1, keepdims=True)
    return shares


def test_an_argument_that_was_added_is_named() -> None:
    right, extra = CHANCE.normal(size=(4, 5)), CHANCE.normal(size=(4, 5))
    found = related([wrong(right + extra, right, X=extra)], are_all=True)
    assert found is not None
    assert found.labels == ("argument-too-often",)
    assert "X is added" in found.says


def test_a_factor_that_is_made_of_a_size_is_named_by_it() -> None:
    found = related(wrongs(lambda right: right / right.shape[1]), are_all=True)
    assert found is not None
    assert "divided by `d`" in found.says


@pytest.mark.parametrize(
    ("got", "right"), [([4.0], [2.0]), ([4.0, 6.0], [2.0, 3.0]), ([[1.0, 5.0], [7.0, 2.0]], [[1, 2], [3, 2]])]
)
def test_a_few_numbers_prove_nothing(got: list[float], right: list[float]) -> None:
    assert label([wrong(np.array(got), np.array(right, dtype=float))]) == ""


def test_what_is_right_in_one_row_alone_may_be_masked() -> None:
    found = wrongs(lambda right: np.vstack([CHANCE.normal(size=right[:-1].shape), right[-1:]]))
    told = related(found, are_all=True, is_last=True)
    assert told is not None
    assert "mask" in told.says


def test_a_part_is_not_blamed_where_it_is_right_for_other_inputs() -> None:
    found = wrongs(lambda right: np.vstack([right[:-1], right[-1:] + CHANCE.normal(size=right.shape[1])]))
    assert label(found) == "region-wrong"
    assert label(found, are_all=False) == ""


def test_numbers_that_are_not_finite_and_arrays_of_many_axes_are_left_alone() -> None:
    assert label(wrongs(lambda right: right * np.nan)) == ""
    right = CHANCE.normal(size=(2, 2, 2, 2))
    assert related([Wrong(2 * right, right, right > 9, {}, {}, 1e-5, ())], are_all=True) is None
