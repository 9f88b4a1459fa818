"""A missing scale costs its points whatever the weights are: one-hot weights do not hide it.

Of one-hot weights, and of any others that stay the same for doubled scores, nobody can see in the result
whether the scores were scaled. They excuse a later function where it shows its scores, and not otherwise.
"""

from collections.abc import Mapping
from dataclasses import dataclass

import pytest

from autograder.verdict.checks import Outcome
from autograder.verdict.store import open_store

Edits = Mapping[str, str]


@dataclass(frozen=True)
class Scaled:
    """How the scale is left out of a solution, and the checks that this costs, published ones aside."""

    homework: str
    unscaled: Edits
    one_hot: Edits
    blind: Edits
    costs: frozenset[str]


CASES = (
    Scaled(
        "hw3",
        {"scale = np.sqrt(K.shape[-1])": "scale = 1"},
        {"np.exp(x - largest)": "np.eye(x.shape[1])[x.argmax(axis=1)]"},
        {"np.exp(x - largest)": "np.abs(x)"},
        frozenset({"scaled_dot_product_attention_weights"}),
    ),
    Scaled(
        "hw4",
        {"scale = np.sqrt(Q.shape[0])": "scale = 1"},
        {"exponentials / exponentials.sum()": "(scores == scores.max()).astype(float)"},
        {"np.exp(scores - scores.max())": "np.abs(scores)"},
        frozenset({"scaled_sizes", "scaled_unchanged"}),
    ),
    Scaled(
        "hw5",
        {"scale = np.sqrt(Q.shape[0])": "scale = 1"},
        {"np.exp(data_in - largest)": "np.eye(len(data_in))[:, data_in.argmax(axis=0)]"},
        {"np.exp(data_in - largest)": "np.abs(data_in)"},
        frozenset({"multihead_sizes", "multihead_unchanged"}),
    ),
    Scaled(
        "hw7",
        {"scale = np.sqrt(K.shape[-1])": "scale = 1"},
        {"np.exp(visible - largest)": "(visible == largest).astype(float)"},
        {"np.exp(visible - largest)": "np.where(mask, np.abs(scores), 0)"},
        frozenset({"masked_attention_weights", "masked_attention_nothing_allowed"}),
    ),
)
of_each_homework = pytest.mark.parametrize("case", CASES, ids=[case.homework for case in CASES])


def failed(judge, course, case, *edits):
    """The checks, published ones aside, that the edited solution fails or that are not run for it."""
    homework = course.homework(case.homework)
    text = homework.solution.read_text("utf-8")
    for before, after in (pair for some in edits for pair in some.items()):
        assert text.count(before) >= 1, before
        text = text.replace(before, after)
    checks = judge(homework.id, text).checks
    return {
        check.check
        for check in checks
        if check.outcome is not Outcome.PASSED and not check.check.endswith("_published")
    }


@of_each_homework
def test_a_missing_scale_costs_the_same_with_right_and_with_one_hot_weights(case, judge_text, course):
    assert failed(judge_text, course, case, case.unscaled) >= case.costs
    assert failed(judge_text, course, case, case.unscaled, case.one_hot) >= case.costs
    assert failed(judge_text, course, case, case.unscaled, case.blind) >= case.costs


@pytest.mark.parametrize(
    ("case", "task", "argument", "sharper", "inlined"),
    [
        (
            CASES[1],
            "scaled_dot_product_self_attention",
            2,
            {"np.asarray(items, dtype=float)": "np.asarray(items, dtype=float) * np.sqrt({size})"},
            {"np.apply_along_axis(softmax, 0, scores)": "usual(scores)"},
        ),
        (
            CASES[2],
            "multihead_scaled_self_attention",
            2,
            {
                "largest = data_in.max(axis=0)": "data_in = data_in * np.sqrt({size})\n"
                "    largest = data_in.max(axis=0)"
            },
            {"softmax_cols(K.T @ Q / scale)": "usual(K.T @ Q / scale)"},
        ),
    ],
    ids=["hw4", "hw5"],
)
def test_a_scale_that_moved_into_the_softmax_is_missing_where_the_function_has_one_of_its_own(
    case, task, argument, sharper, inlined, judge_text, course
):
    """One stored case speaks for all sizes there; whoever knows its size could make the softmax fit it."""
    known = open_store(course, course.homework(case.homework)).read()
    [wide] = [known_case.case.call for known_case in known if known_case.case.name == f"{task}/wide"]
    size = wide.args[argument].shape[0]
    fitted = {before: after.format(size=size) for before, after in sharper.items()}
    usual = {
        "import numpy as np": "import numpy as np\n\n\ndef usual(scores):\n"
        "    powers = np.exp(scores - scores.max(axis=0))\n    return powers / powers.sum(axis=0)"
    }
    assert failed(judge_text, course, case, case.unscaled, inlined, usual, fitted) >= case.costs
    assert not failed(judge_text, course, case, fitted) & case.costs


@of_each_homework
def test_one_hot_weights_of_scaled_scores_cost_once(case, judge_text, course):
    for edits in (case.one_hot, case.blind):
        assert not failed(judge_text, course, case, edits) & case.costs
