"""What further calls prove is said only where the same change would change the right result."""

from collections.abc import Callable
from dataclasses import replace
from typing import cast

import numpy as np
import pytest

from autograder.grading.grade import fixtures_for
from autograder.reasons.explain import Explainer
from autograder.reasons.probes import _can_be_changed
from autograder.sandbox.report import Answer
from autograder.sandbox.request import Code
from autograder.verdict.failure import CheckFailed
from autograder.verdict.results import HomeworkResult

Grade = Callable[[str, str], HomeworkResult]
HW1 = "hw1_attention_scores"
SCALED, OUTPUT = "return scores / np.sqrt(d_k)", "return attention_weights @ V"
FLOW = "return scores, scaled_scores, attention_weights, attention_output(attention_weights, V)"
UNUSED = ("argument-unused",)


@pytest.fixture
def failed(grade_text, course):
    """Grade a solution with one passage replaced; return the checks that failed."""

    def grade(right, wrong):
        source = course.homework(HW1).solution.read_text("utf-8")
        assert source.count(right) == 1
        result = grade_text(HW1, source.replace(right, wrong))
        return [check for check in result.checks if check.outcome == "failed"]

    return grade


@pytest.mark.parametrize(
    ("right", "wrong"),
    [
        # the argument is used, though the next larger number changes nothing
        (SCALED, "return scores / (2.0 if d_k > 20 else 3.0)"),
        (OUTPUT, "return attention_weights @ np.sign(V)"),
        # what would depend on the argument is not returned
        (FLOW, "return scores, scaled_scores, attention_weights"),
        (FLOW, "return scores"),
        (FLOW, "return scores, scaled_scores, attention_weights, None"),
    ],
)
def test_an_argument_that_is_used_or_need_not_be_is_not_called_unused(failed, right, wrong):
    checks = failed(right, wrong)
    assert checks
    assert not [check for check in checks if UNUSED[0] in check.misconceptions]


@pytest.mark.parametrize(
    ("right", "wrong", "says"),
    [
        (OUTPUT, "return V + 1", "in `attention_weights`, though"),
        (OUTPUT, "return np.ones((3, 3))", "in `attention_weights` or `V`, though"),
        (OUTPUT, "return attention_weights[:, :-1] @ V[:-1] + 1", "in the last row of `V`, though"),
        (SCALED, "return 3 * scores + 1", "whatever `d_k` is"),
    ],
)
def test_an_argument_that_should_change_the_result_and_does_not_is_named(failed, right, wrong, says):
    reasons = [check.reason for check in failed(right, wrong) if check.misconceptions == UNUSED]
    assert says in reasons[0]


def test_the_first_item_that_is_taken_for_all_is_named_by_its_argument(failed):
    reasons = failed(OUTPUT, "return attention_weights[[0] * len(attention_weights)] @ V")
    assert reasons[0].misconceptions == ("first-item-for-all",)
    assert reasons[0].reason.startswith("Your code takes the first item of `attention_weights` for all")


@pytest.mark.parametrize("has_reference", [True, False])
def test_what_the_reference_does_not_notice_either_is_no_fault(has_reference, suite_of, pool, course):
    suite = suite_of(HW1)
    source = course.homework(HW1).solution.read_text("utf-8")
    code = Code("scores.py", {"scores.py": source.replace(OUTPUT, "return V + 1")})
    fixtures = fixtures_for(code, suite, pool)

    def ask_reference(calls):
        return [Answer(value=np.ones((2, 2)))] * len(calls)

    explainer = cast(Explainer, fixtures.compare.explain)
    explainer = replace(explainer, ask_reference=ask_reference if has_reference else None)
    compare = replace(fixtures.compare, explain=explainer)
    with pytest.raises(CheckFailed) as caught:
        compare(fixtures.cases.published("attention_output"))
    assert caught.value.failure.misconceptions == ()


def test_where_other_inputs_are_right_it_is_said_that_the_result_stays_the_same_for_wrong_ones(failed):
    wrong = f"if len(V) > 3:\n        return np.ones((len(attention_weights), V.shape[1])) / 3\n    {OUTPUT}"
    reasons = [check.reason for check in failed(OUTPUT, wrong) if check.misconceptions == UNUSED]
    assert reasons[0].startswith("Where it is wrong, your result stays the same whatever numbers")


def test_an_array_without_numbers_can_change_nothing():
    assert not _can_be_changed(np.zeros((0, 3)), is_part=False)
    assert not _can_be_changed([], is_part=False)
    assert _can_be_changed(np.zeros((2, 3)), is_part=True)
