"""What one check has found in a function is repeated where another task calls that function."""

import pytest

HW1, HW2 = "hw1_attention_scores", "hw2_self_attention"
HW7, HW8 = "hw7_masked_attention", "hw8_batched_multihead_attention"


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


def test_a_mistake_is_told_without_reserve_in_the_checks_whose_results_it_explains(failed):
    averaged = (
        "    B, _, N, d = Q.shape\n"
        "    Q = Q.reshape(B, n_kv_heads, group, N, d).mean(axis=2)\n"
        "    if mask is not None:\n"
        "        mask = np.broadcast_to(mask, (B, n_heads, N, N))[:, ::group]\n"
        "    heads = np.repeat(attend(Q, K, V, mask), group, axis=1)\n"
        "    return merge_heads(heads) @ W_o\n"
    )
    checks = failed(
        HW8,
        (
            "K = np.repeat(split_heads(X @ W_k, n_kv_heads), group, axis=1)",
            "K = split_heads(X @ W_k, n_kv_heads)",
        ),
        (
            "V = np.repeat(split_heads(X @ W_v, n_kv_heads), group, axis=1)\n"
            "    return merge_heads(attend(Q, K, V, mask)) @ W_o\n",
            "V = split_heads(X @ W_v, n_kv_heads)\n" + averaged,
        ),
    )
    reasons = {check.check: check for check in checks["grouped_query_attention"]}
    published = reasons["grouped_query_published"]
    assert published.misconceptions == ("queries-of-a-group-averaged",)
    assert published.reason.startswith("The query heads of a group are averaged before they attend.")
    assert "does not explain all" not in published.reason
    assert "It does not explain all of them." in reasons["grouped_query_masks"].reason


def test_only_what_stands_in_the_code_is_said_to_cut_gradients_off(failed):
    right = "    attention_weights = F.softmax(scores, dim=-1)"
    wrong = "    attention_weights = F.softmax(torch.tensor(scores.tolist(), dtype=scores.dtype), dim=-1)"
    (check,) = failed(HW2, (right, wrong))["self_attention_torch"]
    assert check.misconceptions == ("gradient-cut",)
    assert check.reason == (
        "The gradients of `W_q` and `W_k` are missing: something on the way cuts the computation off from "
        "them (`torch.tensor(…)`, `.tolist()`). A gradient does arrive at `W_v`: look at what comes in "
        "elsewhere."
    )


def test_what_might_be_done_is_left_out_where_the_cause_is_known(failed):
    (check, *_) = failed(HW7, ("np.swapaxes(K, -1, -2)", "np.transpose(K, (0, 2, 1))"))["masked_attention"]
    assert "raised ValueError at line" in check.reason
    assert "The array has 2 axes here" not in check.reason


def test_checks_that_fail_for_one_exception_have_one_cause(failed):
    checks = failed(HW7, ("np.swapaxes(K, -1, -2)", "np.transpose(K, (0, 2, 1))"))
    causes = {check.cause for check in (*checks["masked_attention"], *checks["cross_attention"])}
    assert len(causes) == 1


def test_a_wrong_task_that_an_unexplained_one_calls_is_named(failed):
    checks = failed(
        HW1,
        (
            "return scores / np.sqrt(d_k)",
            "return np.cbrt(scores) + np.arange(scores.size).reshape(scores.shape) ** 2",
        ),
    )
    assert checks["scale_scores"]
    assert (
        "`attention_flow` calls your `scale_scores`, whose own check fails"
        in checks["attention_flow"][0].reason
    )
