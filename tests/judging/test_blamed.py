"""What one check has found in a function is repeated where another task calls that function."""

import pytest

HW1, HW7, HW8 = "hw1_attention_scores", "hw7_masked_attention", "hw8_batched_multihead_attention"


@pytest.fixture
def failed(grade_text, course):
    """Grade a solution with passages replaced; return the checks that failed, by task."""

    def grade(homework, *changes):
        text = course.homework(homework).solution.read_text("utf-8")
        for right, wrong in changes:
            assert text.count(right) == 1
            text = text.replace(right, wrong)
        checks = {}
        for check in grade_text(homework, text).checks:
            if check.outcome == "failed":
                checks.setdefault(check.task, []).append(check)
        return checks

    return grade


def test_an_exception_in_another_tasks_function_has_the_reason_of_that_task(failed):
    checks = failed(HW7, ("np.swapaxes(K, -1, -2)", "np.transpose(K, (0, 2, 1))"))
    (own, *_), (callers, *_) = checks["masked_attention"], checks["cross_attention"]
    assert own.misconceptions == callers.misconceptions == ("axes-by-number",)
    assert callers.reason.startswith("`transpose(0, 2, 1)` suits an array of three axes only.")


def test_a_helper_that_changes_its_argument_is_named_where_a_later_task_calls_it(failed):
    checks = failed(
        HW1,
        ("return scores / np.sqrt(d_k)", "scores[...] = scores / np.sqrt(d_k)\n    return scores"),
    )
    callers = checks["attention_flow"]
    assert callers[0].misconceptions == ("modifies-input",)
    assert callers[0].reason.startswith("Your `scale_scores` changes its argument in place")


def test_a_helper_that_changes_its_argument_is_not_blamed_for_another_mistake(failed):
    checks = failed(
        HW1,
        ("return scores / np.sqrt(d_k)", "scores[...] = scores / np.sqrt(d_k)\n    return scores"),
        ("return attention_weights @ V", "return -(attention_weights @ V)"),
    )
    assert not any("`scale_scores`" in check.reason for check in checks["attention_flow"])
