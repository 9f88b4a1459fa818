import itertools
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from submissions import mistaken_text
from tiny import SOLUTION
from wording import to_students

from autograder.course.cases import FunctionCall
from autograder.course.homework import CourseError
from autograder.course.stub import stub_text
from autograder.grading.grade import grade_handin
from autograder.grading.runs import more_calls
from autograder.grading.suite import prepare_suite
from autograder.sandbox.report import Answer, RunReport, Status
from autograder.verdict.checks import Check, Outcome
from autograder.verdict.failure import CheckFailed, Failure, FailureKind

from .asking import DOUBLE, TOTALS, code, lasting, outcomes, reason

OUR_FAULT = RunReport(Status.INFRASTRUCTURE_ERROR, "the sandbox died twice: a pipe broke")


class FailingPool:
    """A pool whose runs from some number on are our fault."""

    def __init__(self, pool, good):
        self._pool = pool
        self._good = good

    def run(self, request):
        self._good -= 1
        return self._pool.run(request) if self._good >= 0 else OUR_FAULT


def test_the_reference_earns_everything(grade):
    result = grade(SOLUTION)
    assert (result.status, result.earned, result.points) == (Status.GRADED, 5.5, 5.5)
    assert set(outcomes(result).values()) == {"passed"}
    assert (result.homework, result.title, result.hints) == ("hwx", "Doubles and totals", "after_published")
    assert (result.seed, result.detail, result.notes) == (11, "", ())
    assert result.layers


class MeasuringPool:
    """A pool in which every run takes a quarter of a second of processor time."""

    def __init__(self, pool):
        self._pool = pool

    def run(self, request):
        return replace(self._pool.run(request), cpu_seconds=0.25)


def test_the_time_is_the_submissions_own_and_not_that_of_starting_or_judging(suite, pool):
    assert grade_handin(code(SOLUTION), suite, MeasuringPool(pool)).seconds == 0.25


def test_the_untouched_stub_earns_nothing_and_is_called_unwritten(grade, built):
    result = grade(stub_text(built.homework))
    assert (result.status, result.earned) == (Status.GRADED, 0)
    assert outcomes(result) == {"double_published": "failed", "double_sizes": "not_run", "totals": "failed"}
    assert reason(result, "totals") == to_students["handin.totals-is-not-written-yet"]


def test_a_library_of_the_course_that_is_missing_here_stops_grading(built, pool):
    homework = replace(built.homework, libraries=("json", "not_installed_anywhere"))
    with pytest.raises(CourseError, match="names not_installed_anywhere, not installed here"):
        prepare_suite(built.course, homework, 1, pool)


def test_a_right_answer_is_not_failed_for_a_library_that_the_course_does_not_name(grade):
    result = grade(f"import markdown_it\n{SOLUTION}")
    assert (result.earned, result.notes) == (5.5, ())


def test_a_missing_task_costs_only_itself(grade):
    result = grade(DOUBLE)
    assert result.earned == 3
    assert reason(result, "totals") == to_students["handin.totals-is-not-defined"]


def test_notes_and_what_was_printed_are_kept(grade):
    result = grade(f"print('hello')\n{SOLUTION}", notes=["read as doubles.py"])
    assert result.notes == ("read as doubles.py",)
    assert result.output == "hello\n"


# Our own faults


def with_check(suite, function):
    extra = Check("extra", "double", 1.0, "An extra check.", (), function)
    return replace(suite, checks=(*suite.checks, extra))


@pytest.mark.parametrize("error", [KeyError("x"), LookupError("no case at all"), ZeroDivisionError()])
def test_a_check_that_breaks_is_not_judged_and_leaves_the_homework_without_points(suite, pool, error):
    def breaks():
        raise error

    result = grade_handin(code(SOLUTION), with_check(suite, breaks), pool)
    assert (result.status, result.earned) == (Status.INFRASTRUCTURE_ERROR, None)
    others = {"double_published": "passed", "double_sizes": "passed", "totals": "passed"}
    assert outcomes(result) == {**others, "extra": "not_judged"}
    assert [check.check for check in result.not_judged] == ["extra"]
    assert result.provisional == "5.5 of 5.5 points so far; not judged yet: extra"
    first_line = result.detail.partition("\n")[0]
    assert first_line.startswith(f"extra was not judged: {type(error).__name__}")
    assert "test_grade.py:" in first_line


@pytest.mark.parametrize("leave", [pytest.skip, pytest.xfail])
def test_a_check_that_skips_is_our_fault_and_never_a_zero(suite, pool, leave):
    result = grade_handin(code(SOLUTION), with_check(suite, lambda: leave("not today")), pool)
    assert (result.status, result.earned) == (Status.INFRASTRUCTURE_ERROR, None)


def test_a_sandbox_that_cannot_be_used_is_our_fault(suite, pool):
    result = grade_handin(code(SOLUTION), suite, FailingPool(pool, 0))
    assert (result.status, result.earned, result.checks) == (Status.INFRASTRUCTURE_ERROR, None, ())
    assert "a pipe broke" in result.detail


@pytest.mark.parametrize("good", [1, 2, 3])
def test_a_sandbox_that_breaks_between_the_tasks_is_our_fault(suite, pool, good):
    crash = f"{DOUBLE}\ndef totals(x):\n    import os\n    os._exit(3)\n"
    result = grade_handin(code(crash), suite, FailingPool(pool, good))
    assert (result.status, result.earned) == (Status.INFRASTRUCTURE_ERROR, None)


def calls_once_more(submission, cases, compare):
    answer = submission.call(FunctionCall("double", (np.ones(2),)))
    if not answer.is_usable:
        raise CheckFailed(Failure(FailureKind.RAISED, f"It raised {answer.error}."))
    np.testing.assert_array_equal(answer.value, 2 * np.ones(2))


def test_a_check_may_make_one_more_call(suite, pool):
    result = grade_handin(code(SOLUTION), with_check(suite, calls_once_more), pool)
    assert outcomes(result)["extra"] == "passed"


def test_one_more_call_that_fails_by_our_fault_is_never_a_zero(suite, pool):
    broken = FailingPool(pool, 1)
    result = grade_handin(code(SOLUTION), with_check(suite, calls_once_more), broken)
    assert (result.status, result.earned) == (Status.INFRASTRUCTURE_ERROR, None)
    assert "a pipe broke" in result.detail


class SlowPool:
    """A pool whose runs take a second of what is left."""

    def __init__(self):
        self.asked = []

    def run(self, request):
        self.asked.append(request.limits.seconds)
        return RunReport(Status.GRADED, answers=[Answer(value=1.0)] * len(request.calls))


def test_further_calls_share_the_time_of_one_run(suite, monkeypatch):
    pool, clock = SlowPool(), itertools.count()
    monkeypatch.setattr("autograder.grading.runs.time.perf_counter", lambda: float(next(clock)))
    ask = more_calls(code(SOLUTION), suite, pool, 2.5)
    call = FunctionCall("double", (np.ones(2),))
    assert [ask([call])[0].is_usable for _ in range(5)] == [True] * 3 + [False] * 2
    assert pool.asked == [2.5, 1.5, 0.5]


def test_a_fault_while_judging_names_check_case_and_kind_of_answer(suite, pool):
    def breaks(submission, cases):
        submission.answer(cases.published("double")[0])
        raise ZeroDivisionError

    result = grade_handin(code(SOLUTION), with_check(suite, breaks), pool)
    assert result.status is Status.INFRASTRUCTURE_ERROR
    assert to_students["handin.after-the-answer-to"] in result.detail


def test_one_more_call_that_crashes_fails_the_check_with_its_reason(suite, pool):
    text = SOLUTION.replace(
        "factor = 2", "import os\n    factor = 2 if len(x) != 2 or x[0] != 1 else os._exit(3)"
    )
    result = grade_handin(code(text), with_check(suite, calls_once_more), pool)
    assert (outcomes(result)["extra"], result.earned) == ("failed", 5.5)
    assert reason(result, "extra") == to_students["handin.exit-status"]


# Results depend on nothing else


def test_an_answer_learnt_by_heart_fails_on_other_inputs(grade):
    result = grade("import numpy as np\ndef double(x):\n    return np.array([1.0, 2.5, 8.0])\n" + TOTALS)
    assert outcomes(result)["double_published"] == "passed"
    assert outcomes(result)["double_sizes"] == "failed"


VANDAL = """
import builtins
import numpy as np
np.prod = lambda x: 0.0
builtins.sum = builtins.len = None
np.random.seed(1)

def double(x):
    x *= 2
    return x

def totals(x):
    return 0.0, np.prod(x)
"""


def permutations(suite, pool, texts):
    for order in (texts, texts[::-1]):
        graded = {text: lasting(grade_handin(code(text), suite, pool)) for text in order}
        yield [graded[text] for text in texts]


def test_results_do_not_depend_on_who_was_graded_before(suite, pool):
    random = "import numpy as np\ndef double(x):\n    return x + np.random.normal(size=x.shape)\n"
    first, second = permutations(suite, pool, [SOLUTION, VANDAL, random, DOUBLE, "import nummpy"])
    assert first == second
    assert first[0].earned == 5.5


def test_the_same_submission_gets_the_same_result_again(grade):
    random = "import numpy as np, random\ndef double(x):\n    return x * random.random() + np.random.rand()\n"
    assert lasting(grade(random)) == lasting(grade(random))


def test_failed_checks_are_listed_in_the_order_of_the_graders(grade):
    results = grade("import nummpy").checks
    assert [result.check for result in results] == ["double_published", "double_sizes", "totals"]
    assert {result.outcome for result in results} == {Outcome.FAILED}


# The real homework whose notebooks leave a list behind instead of defining a function

ALL_X_PRIME = Path(__file__).parents[1] / "corpus/hw4_self_attention_columns/correct/all-x-prime-list.py"
LEFTOVER = "\n\ndef self_attention_per_token(all_x, *parameters):\n    raise NotImplementedError\n"


@pytest.mark.parametrize("leftover", ["", LEFTOVER])
def test_all_x_prime_counts_as_attention_per_token(grade_text, leftover):
    result = grade_text("hw4_self_attention_columns", ALL_X_PRIME.read_text("utf-8") + leftover)
    assert result.earned == result.points


def test_a_wrong_all_x_prime_loses_only_its_own_task(grade_text):
    text = ALL_X_PRIME.read_text("utf-8") + "\nall_x_prime = [2 * x for x in all_x_prime]\n"
    result = grade_text("hw4_self_attention_columns", text)
    lost = {check.task for check in result.checks if check.outcome == "failed"}
    assert lost == {"self_attention_per_token"}


def test_the_wrong_softmax_axis_is_named_in_a_real_homework(grade_text):
    homework_id = "hw1_attention_scores"
    result = grade_text(homework_id, mistaken_text(homework_id, "softmax-over-queries"))
    labels = {check.check: check.misconceptions for check in result.checks}
    assert labels["softmax_sizes"] == ("softmax-over-queries",)
