"""Right values in another form lose the published check alone, wrong ones what they lose in any form."""

import pytest
from forms import AS_ASKED, GUESSES, HW1, HW3, HW4, HW5, all_changed, changed
from submissions import corpus, mistaken

from autograder.course.homework import THEORY

WRONG = {
    (HW1, "attention_output"): ("r.T", "(7, r)", "r[None]"),
    (HW3, "scaled_dot_product_attention"): ("r[::-1]", "(*r, 7)", "dict(enumerate(r))"),
    (HW4, "self_attention_per_token"): ("np.hstack(r)", "[one.ravel() for one in r]", "(r,)"),
    (HW5, "multihead_scaled_self_attention"): ("r.T", "r[None]", "(r, 7)"),
}
IN_A_FORM_ALREADY = (
    "returns-",
    "weights-context-swapped",
    "softmax-over-queries-swapped",
    "per-token-flat",
    "values-summed-over-queries",  # its shape tells nobody which two of three parts count
)
WITHOUT_THE_FUNCTION = "-top-level-loops"


def failed_of(result):
    """The checks that lost points, those of questions aside."""
    return [check for check in result.checks if check.earned < check.points and check.task != THEORY]


def lost(result):
    return {check.check for check in failed_of(result)}


@pytest.mark.parametrize("submission", [pytest.param(changed, id=changed.id) for changed in all_changed()])
def test_another_form_costs_the_published_check_and_no_more(submission, judge_text):
    result = judge_text(submission.homework_id, submission.text)
    [failed] = failed_of(result)
    assert failed.task == submission.task
    assert "published" in failed.check


@pytest.mark.parametrize(("homework_id", "task"), GUESSES)
def test_of_several_guesses_the_order_decides_which_counts_and_none_is_named(homework_id, task, judge_text):
    reasons = []
    for returned in GUESSES[homework_id, task]:
        result = judge_text(homework_id, changed(homework_id, task, "guesses", returned).text)
        of_task = [check for check in result.checks if check.task == task]
        assert all(check.earned == 0 for check in of_task if "unchanged" not in check.check), returned
        reasons += [check.reason for check in of_task]
    assert not any("item " in reason for reason in reasons)


@pytest.mark.parametrize(
    "submission",
    [
        pytest.param(changed(*key, returned, returned), id=f"{key[1]}-{returned}")
        for key, ways in AS_ASKED.items()
        for returned in ways
    ],
)
def test_containers_and_types_that_hold_what_is_asked_cost_nothing(submission, judge_text):
    assert lost(judge_text(submission.homework_id, submission.text)) == set()


def wrong_texts():
    """Mistaken submissions, the checks that they lose as the corpus records it, and a form for each."""
    params = []
    for (homework_id, task), forms in WRONG.items():
        losses = {submission.text: submission.loses for submission in corpus(homework_id)}
        for number, (name, text) in enumerate(sorted(mistaken(homework_id).items())):
            if not (name.startswith(IN_A_FORM_ALREADY) or name.endswith(WITHOUT_THE_FUNCTION)):
                returned = forms[number % len(forms)]
                other = changed(homework_id, task, "", returned, text)
                params.append(pytest.param(other, losses[text], id=f"{homework_id[:3]}-{name}"))
    return params


@pytest.mark.parametrize(("submission", "losses"), wrong_texts())
def test_wrong_values_in_another_form_lose_what_they_lose_in_the_form_asked(
    submission, losses, suite_of, judge_text
):
    checks = suite_of(submission.homework_id).checks
    published = {
        check.name for check in checks if check.task == submission.task and "published" in check.name
    }
    assert lost(judge_text(submission.homework_id, submission.text)) == losses | published
