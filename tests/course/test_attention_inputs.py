"""Arrays of several homeworks' cases keep their numbers: stored outputs were computed for them."""

import numpy as np

from autograder.course import function_case
from autograder.course.attention_inputs import (
    alternating,
    exact,
    queries_keys_values,
    repeat_second_row,
    rows_far_apart,
    rows_on_both_sides,
    weight_matrix,
)


def test_queries_keys_and_values_are_drawn_in_this_order():
    Q, K, V = queries_keys_values(np.random.default_rng(5), n_q=2, n_k=3, d_k=4, d_v=6)
    rng = np.random.default_rng(5)
    np.testing.assert_array_equal(Q, rng.normal(size=(2, 4)))
    np.testing.assert_array_equal(K, rng.normal(size=(3, 4)))
    np.testing.assert_array_equal(V, rng.normal(size=(3, 6)))


def test_a_batch_has_its_axes_first_and_the_spread_is_of_the_queries_alone():
    rng = np.random.default_rng(5)
    Q, K, V = queries_keys_values(rng, 2, 3, 4, 6, batch=(5, 7), spread=2)
    assert (Q.shape, K.shape, V.shape) == ((5, 7, 2, 4), (5, 7, 3, 4), (5, 7, 3, 6))
    rng = np.random.default_rng(5)
    np.testing.assert_array_equal(Q, 2 * rng.normal(size=(5, 7, 2, 4)))
    np.testing.assert_array_equal(K, rng.normal(size=(5, 7, 3, 4)))


def test_products_with_weights_are_as_large_as_their_inputs():
    weights = weight_matrix(np.random.default_rng(5), n_in=4, n_out=3)
    np.testing.assert_array_equal(weights, np.random.default_rng(5).normal(size=(4, 3)) / 2)


def test_signs_alternate_from_plus():
    assert alternating(4).tolist() == [1, -1, 1, -1]


def test_exact_numbers_are_multiples_of_a_64th():
    assert exact(np.array([0.1, -1 / 64, 2.0])).tolist() == [6 / 64, -1 / 64, 2]


def test_the_second_row_comes_midway_and_again_at_the_end():
    matrix = np.array([[0.0, 8], [5, 5], [4, 2], [7, 7]])
    repeat_second_row(matrix)
    assert matrix.tolist() == [[0, 8], [2, 5], [4, 2], [2, 5]]


def test_columns_are_repeated_through_their_transpose():
    matrix = np.array([[0.0, 5, 4, 7]])
    repeat_second_row(matrix.T)
    assert matrix.tolist() == [[0, 2, 4, 2]]


def test_each_row_is_at_a_height_of_its_own():
    moved = rows_far_apart(np.random.default_rng(3), np.ones((4, 2)))
    order = np.random.default_rng(3).permutation(4)
    np.testing.assert_array_equal(moved[:, 0], 1 + 1000 * order)
    np.testing.assert_array_equal(moved[:, 1], 1 + 1000 * order)


def test_rows_of_each_matrix_lie_below_and_above_in_turn():
    moved = rows_on_both_sides(np.zeros((2, 3, 1)))
    assert moved[0, :, 0].tolist() == [-3000, 3000, -3000]
    assert moved[1, :, 0].tolist() == [-3000, 3000, -3000]


def test_a_case_of_a_function_has_the_name_of_its_task_and_label():
    case = function_case("softmax", "small", 1, 2, topic="large")
    assert (case.name, case.topic) == ("softmax/small", "large")
    assert (case.call.name, case.call.args) == ("softmax", (1, 2))
    assert function_case("softmax", "small").topic == "values"
