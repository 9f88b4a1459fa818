"""An explanation that raises costs its text and nothing else; the staff see which one it was, and where."""

import functools
import sqlite3
from dataclasses import replace

import numpy as np
import pytest
from submissions import of_stub
from tiny import SOLUTION

from autograder.authoring.audit_answers import ODD_ANSWERS, odd_submission, odd_tasks
from autograder.course.calls import FunctionCall
from autograder.grading.grade import grade_handin
from autograder.grading.suite import prepare_suite
from autograder.reasons import explain, outside, probes, proofs, repair_search, signs, turned
from autograder.reasons.outside import positive_sizes, sizes_of
from autograder.sandbox.report import LayerRefusedError, Status
from autograder.verdict.explanation_faults import explaining, is_explaining, recording_faults
from autograder.verdict.results import SubmissionResult

from ..asking import DOUBLE, code, notebook, outcomes, reason
from ..injecting import Tried, assert_no_explanation_decides, explaining_functions, raising

pytestmark = pytest.mark.usefixtures("searches_are_short")

HW1, HW2, HW9 = "hw1_attention_scores", "hw2_self_attention", "hw9_positions_and_cache"
TRIPLES = SOLUTION.replace("factor = 2", "factor = 3")
OUTSIDE_SIZE = "import numpy as np\nN = 3\ndef double(x):\n    return 2 * x[:N] + np.zeros(N)\n"
ENTRIES = (
    explain.Explainer.reason,
    explain.Explainer.no_value,
    signs.shown_by_answers,
    proofs.proved_by_runs,
    turned.turned,
    repair_search.find_repair,
    outside.prove_beside_mistake,
    outside.prove_outside_sizes,
    probes.probe,
)


@pytest.fixture(scope="module")
def known_mistakes(mistaken, pool):
    """The tiny course's suite with known mistakes, so that every kind of reason is looked for."""
    return prepare_suite(mistaken.course, mistaken.homework, 11, pool)


# The recorder


def test_an_explanation_that_raises_is_recorded_with_exception_and_line():
    with recording_faults() as faults:
        fact = "plain"
        with explaining("the reason"):
            fact = str(1 / 0)
    assert fact == "plain"
    [line] = faults
    assert line.startswith("the reason: ZeroDivisionError: division by zero (")
    assert "test_explanation_faults.py:" in line


def test_nothing_is_swallowed_where_nobody_records():
    with pytest.raises(ZeroDivisionError), explaining("the reason"):
        _ = 1 / 0


@pytest.mark.parametrize("error", [MemoryError, LayerRefusedError])
def test_what_has_a_meaning_of_its_own_is_raised(error):
    with recording_faults() as faults, pytest.raises(error), explaining("the reason"):
        raise error
    assert faults == []


def test_whoever_explains_may_let_more_pass():
    with recording_faults(), pytest.raises(sqlite3.Error), explaining("the reason", sqlite3.Error):
        raise sqlite3.Error


def test_a_fault_names_the_line_in_the_kit_and_not_the_one_in_a_library():
    with recording_faults() as faults, explaining("a relation"):
        outside.sizes_of(FunctionCall("f", (np.zeros(2),)), 3)
    assert "(autograder/reasons/outside.py:" in faults[0]


def test_one_fault_is_recorded_once_and_an_inner_one_leaves_the_outer_explanation_alone():
    with recording_faults() as faults:
        for _ in range(2):
            with explaining("outer"):
                with explaining("inner"):
                    raise KeyError("x")
                assert is_explaining()
    assert not is_explaining()
    assert [line.partition(":")[0] for line in faults] == ["inner"]


def test_faults_of_one_submission_are_not_those_of_another():
    with recording_faults() as outer:
        with recording_faults() as inner, explaining("inner"):
            raise KeyError("x")
        assert (len(inner), outer) == (1, [])


# Sizes that nothing can be divided by


def test_an_empty_axis_and_numbers_below_one_are_no_sizes_to_scale_by():
    call = FunctionCall("f", (np.zeros((0, 3)), 0, -2, 4))
    every = sizes_of(call, ("cache", "start", "shift", "n"))
    assert {every[name] for name in every} >= {0, 3, -2, 4}  # a name outside may stand for any of them
    assert set(positive_sizes(call, ("cache", "start", "shift", "n")).values()) <= {1, 3, 4}


def test_a_wrong_answer_beside_an_empty_case_is_graded(suite_of, pool):
    suite = suite_of(HW9)
    text = suite.homework.solution.read_text("utf-8")
    old = "exponentials = np.exp(scores - scores.max())\n"
    assert text.count(old) == 1
    wrong = text.replace(old, "exponentials = scores - scores.max()\n")
    result = grade_handin(of_stub(suite, wrong), suite, pool)
    assert (result.status, result.explanation_faults) == (Status.GRADED, ())
    failed = {name for name, outcome in outcomes(result).items() if outcome == "failed"}
    assert failed == {"attend_one_step_published", "attend_one_step_sizes", "attend_one_step_empty"}


# Every function that explains, at every check


def submissions():
    wrong = [
        TRIPLES,
        SOLUTION.replace("np.prod(x)", "np.sum(x)"),
        SOLUTION.replace("return factor * x", "return -x[::-1]"),
        SOLUTION.replace("return x.sum(), np.prod(x)", "return np.prod(x), x.sum()"),
        SOLUTION.replace("return factor * x", "x *= 2; return x"),
        OUTSIDE_SIZE,
        "raise ValueError('at the top')\n",
        f"{DOUBLE}\n1 / 0\n",
        f"{DOUBLE}\ndef totals(x):\n    import os\n    os._exit(3)\n",
        f"{DOUBLE}\ndef totals(x):\n    return [None, x.sum(), np.prod(x)]\n",
    ]
    return [*map(code, wrong), notebook("import numpy as np\nall_doubled = [2]", "1 / 0")]


def odd_submissions(suite, pool, labels):
    tasks = odd_tasks(suite, pool)
    return [odd_submission(suite.homework, task, label) for task in tasks for label in labels]


def test_no_function_that_explains_decides_anything_in_a_course_of_its_own(known_mistakes, pool):
    among, tried = explaining_functions(), Tried()
    for submission in [*submissions(), *odd_submissions(known_mistakes, pool, list(ODD_ANSWERS))]:
        assert_no_explanation_decides(submission, known_mistakes, pool, among, tried)
    raised = {key for key, _ in tried}
    never = {function.__qualname__ for key, function in among.items() if key not in raised}
    assert len(raised) >= 90, sorted(never)


@pytest.mark.parametrize("homework_id", [HW1, HW2])
def test_no_search_for_a_reason_decides_anything_at_any_check(homework_id, suite_of, pool):
    suite = suite_of(homework_id)
    among = {key: function for key, function in explaining_functions().items() if function in ENTRIES}
    failed, tried = set[str](), Tried()
    for submission in odd_submissions(suite, pool, ["an exception", "an axis more", "NaN"]):
        failed |= assert_no_explanation_decides(submission, suite, pool, among, tried)
    free = {check.name for check in suite.checks if not check.requires}
    assert free <= failed


# What is left of a text


def test_the_plain_fact_remains(known_mistakes, pool):
    graded = functools.partial(grade_handin, code(TRIPLES), known_mistakes, pool)
    usual = graded()
    with raising(explain.Explainer.reason):
        result = graded()
    assert usual.checks[0].misconceptions == ("triples",)
    assert result.checks[0].misconceptions == ()
    assert reason(result, "double_published") in reason(usual, "double_published").replace(
        "wrong.)", "wrong."
    )
    assert result.checks[0].staff.endswith("failed cases: published/double/printed (1 of 1)")


def test_memory_that_an_explanation_uses_up_still_counts_as_that(known_mistakes, pool):
    with raising(signs.shown_by_answers, MemoryError), pytest.raises(MemoryError):
        grade_handin(code(SOLUTION.replace("factor * x", "-x[::-1]")), known_mistakes, pool)


def test_many_faults_are_cut_before_they_are_kept(known_mistakes, pool):
    result = grade_handin(code(SOLUTION), known_mistakes, pool)
    assert result.explanation_faults == ()
    many = replace(result, explanation_faults=tuple(f"{number}: {'x' * 10_000}" for number in range(1000)))
    [homework] = SubmissionResult("ada", "/ada", (many,)).capped().homeworks
    assert len(homework.explanation_faults) == 31
    assert homework.explanation_faults[-1] == "and 970 more"
    assert max(map(len, homework.explanation_faults)) < 1000


def test_a_text_is_not_said_to_differ_from_call_to_call(known_mistakes, pool):
    text = SOLUTION.replace("return factor * x", "return 'a text'")
    result = grade_handin(code(text), known_mistakes, pool)
    assert result.checks[0].kind == "arity"
    assert result.checks[0].misconceptions == ("argument-unused",), "it is the same for every argument"
