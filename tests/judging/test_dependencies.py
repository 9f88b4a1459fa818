"""A row of the result that depends on what it should not is named, and only where the reference differs."""

import numpy as np
import pytest

from autograder.reasons.dependencies import _is_by_design

HW1, HW2, HW5 = "hw1_attention_scores", "hw2_self_attention", "hw5_multihead_attention"
LABEL = "depends-on-other-place"


@pytest.fixture
def failed(grade_text, course):
    """Grade a solution with passages replaced; return the failed checks of a task."""

    def grade(homework, task, *changes):
        text = course.homework(homework).solution.read_text("utf-8")
        for right, wrong in changes:
            assert text.count(right) == 1
            text = text.replace(right, wrong)
        checks = grade_text(homework, text).checks
        return [check for check in checks if check.outcome == "failed" and check.task == task]

    return grade


def test_a_row_that_depends_on_another_token_is_told(failed):
    mixed = ("    return Q, K, V\n", "    return Q - Q.mean(axis=0), K, V\n")
    checks = failed(HW2, "project_qkv", mixed)
    assert checks[0].misconceptions == (LABEL,)
    assert checks[0].reason.startswith(
        "In `Q`, row 1 depends on row 0 of `X`, and should not. Of `X`, only row 1 should count there."
    )


def test_heads_that_mix_are_told_with_the_identity_in_place_of_the_last_projection(failed):
    mixed = (
        "    return omega_c @ np.vstack((head_1, head_2))",
        "    return omega_c @ np.vstack((head_1, head_2 + 0.3 * np.sin(head_1)))",
    )
    checks = failed(HW5, "multihead_scaled_self_attention", mixed)
    assert checks[0].misconceptions == (LABEL,)
    assert checks[0].reason.startswith("With the identity matrix for `omega_c`: In your result, row")


def test_nothing_is_said_of_a_result_whose_rows_depend_on_what_they_should(failed):
    checks = failed(
        HW1, "attention_output", ("return attention_weights @ V", "return attention_weights**3 @ V**3")
    )
    assert checks
    assert not any(LABEL in check.misconceptions for check in checks)


def test_blocks_and_sides_of_the_diagonal_are_by_design_and_chance_is_not():
    blocks = np.kron(np.eye(2, dtype=bool), np.ones((3, 2), dtype=bool))
    one_block = np.tile([True, True, False, False], (5, 1))
    for depends in (np.eye(4, dtype=bool), blocks, one_block, np.tri(4, dtype=bool)):
        assert _is_by_design(depends)
    scattered = np.array([[True, False, True], [False, True, True], [True, True, False]])
    for depends in (scattered, np.ones((3, 3), dtype=bool), np.zeros((3, 3), dtype=bool)):
        assert not _is_by_design(depends)


@pytest.mark.parametrize(
    "wrong", ["return np.zeros((0, 3))", "return V + attention_weights.sum()", "return V[0] * 3"]
)
def test_results_of_another_shape_are_not_compared(grade_text, course, wrong):
    text = course.homework(HW1).solution.read_text("utf-8")
    result = grade_text(HW1, text.replace("return attention_weights @ V", wrong))
    assert [check for check in result.checks if check.outcome == "failed"]
    assert result.explanation_faults == ()
