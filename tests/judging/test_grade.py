"""Grading of one hand-in: its statuses, what stops while code is loaded, and what brings the process down."""

import itertools
import time
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from submissions import mistaken_text
from tiny import SOLUTION
from wording import to_students

from autograder.course.calls import FunctionCall
from autograder.course.homework import CourseError
from autograder.course.stub import stub_text
from autograder.grading.grade import grade_handin
from autograder.grading.runs import more_calls
from autograder.grading.suite import prepare_suite
from autograder.reasons.errors import MOST_STOPS
from autograder.sandbox.report import Answer, RunReport, Status, Stop, StudentError
from autograder.sandbox.request import SharedCalls
from autograder.verdict.checks import Check, Outcome
from autograder.verdict.failure import CheckFailed, Failure, FailureKind

from .asking import DOUBLE, TOTALS, code, lasting, limited, notebook, outcomes, reason

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
    homework = replace(built.homework, allowed_modules=("json", "not_installed_anywhere"))
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


# Files that do not load


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("import numpy as np\n\ndef double(x:\n    return 2 * x\n", "SyntaxError at line 3 of doubles.py"),
        (
            "import numpy as np\nimport nummpy\n",
            "ModuleNotFoundError at line 2 of doubles.py: `import nummpy`",
        ),
        ("x = [1]\ny = x[3]\n", "IndexError at line 2 of doubles.py: `y = x[3]`"),
    ],
)
def test_a_file_that_does_not_load_fails_every_check_with_the_line(grade, text, words):
    result = grade(text)
    assert (result.status, result.earned) == (Status.IMPORT_FAILED, 0)
    assert set(outcomes(result).values()) == {"failed"}
    assert len(result.checks) == 3
    for check in result.checks:
        assert check.reason.startswith("Importing `doubles.py` raised ")
        assert words in check.reason


def test_a_file_that_ends_the_process_fails_every_check(grade):
    result = grade("import os\nos.abort()\n")
    assert (result.status, result.earned) == (Status.CRASHED, 0)
    assert {(check.kind, check.reason) for check in result.checks} == {
        ("raised", "The file could not be run: killed by SIGABRT.")
    }


def test_a_file_that_loads_forever_fails_every_check_and_is_told_the_line(suite, pool):
    short = limited(suite, seconds=40, cpu_seconds=2)  # also a busy machine gives so much
    result = grade_handin(code("x = 1\nwhile x:\n    pass\n"), short, pool)
    assert (result.status, result.earned, len(result.checks)) == (Status.TIME_LIMIT, 0, 3)
    assert result.checks[0].reason == to_students["handin.importing-did-not-finish"]


def test_lines_that_stop_cost_nothing_and_are_noted(grade):
    result = grade(f"import nummpy\n{DOUBLE}\nassert double(2) == 5\n{TOTALS}\nexit()\n")
    assert (result.status, result.earned) == (Status.GRADED, 5.5)
    assert result.notes == (to_students["handin.line-no-module"], to_students["handin.line-assert"])


def test_a_task_that_is_lost_with_a_line_names_the_line(grade):
    result = grade(f"{DOUBLE}\ntotals = make_totals(1)\n")
    assert (result.status, result.earned) == (Status.GRADED, 3)
    assert reason(result, "totals") == to_students["handin.totals-is-not-defined-line"]
    assert result.notes == (to_students["handin.line-name"], to_students["handin.never-defined-totals"])


def test_a_name_that_is_lost_with_a_line_names_the_line(grade):
    result = grade(f"from missing import total\n{DOUBLE}\ndef totals(x):\n    return total(x), x.prod()\n")
    assert reason(result, "totals") == to_students["handin.totals-name"]


def test_a_line_that_stops_is_told_the_same_where_a_call_crashes(grade):
    result = grade(f"{DOUBLE}\n1 / 0\ndef totals(x):\n    import os\n    os._exit(3)\n")
    assert (result.status, result.earned) == (Status.CRASHED, 3)
    assert result.notes == (to_students["handin.line-zero"],)


def test_a_task_that_is_lost_is_not_defined_where_another_one_crashes(grade):
    result = grade("def double(x):\n    import os\n    os._exit(3)\n\ntotals = make_totals(1)\n")
    assert (result.status, result.earned) == (Status.CRASHED, 0)
    assert reason(result, "totals") == to_students["handin.totals-is-not-defined-line-5"]


def test_a_line_that_does_not_end_costs_nothing(suite, pool):
    short = limited(suite, seconds=20, cpu_seconds=3)
    result = grade_handin(code(f"{DOUBLE}\nwhile True: pass\n{TOTALS}"), short, pool)
    assert (result.status, result.earned) == (Status.TIME_LIMIT, 5.5)
    assert result.notes == (to_students["handin.line-did-not-finish"],)


# Notebooks


def test_cells_that_never_end_are_cut_and_the_others_count(suite, pool):
    short = limited(suite, seconds=20, cpu_seconds=3)
    result = grade_handin(notebook(DOUBLE, "while True: pass", TOTALS, "while True: x = 1"), short, pool)
    assert (result.status, result.earned) == (Status.TIME_LIMIT, 5.5)
    assert [note.partition(":")[0] for note in result.notes] == [
        to_students["handin.cell-did-not-finish-in-time"],
        to_students["handin.cell-did-not-finish-in-time-2"],
    ]


def test_a_cell_that_only_sleeps_is_cut_too(suite, pool):
    short = limited(suite, seconds=3)
    result = grade_handin(notebook("import time; time.sleep(600)", DOUBLE, TOTALS), short, pool)
    assert (result.status, result.earned) == (Status.TIME_LIMIT, 5.5)


def test_a_notebook_is_graded_like_a_file(suite, pool):
    result = grade_handin(notebook("import numpy as np", DOUBLE, TOTALS), suite, pool)
    assert (result.status, result.earned) == (Status.GRADED, 5.5)


def test_a_cell_that_stops_is_noted_and_the_others_count(suite, pool):
    result = grade_handin(notebook(DOUBLE, "plot(double)\nx = 1", TOTALS), suite, pool, ["a note"])
    assert result.earned == 5.5
    assert result.notes == ("a note", to_students["handin.cell-raised-nameerror"])


def test_a_function_lost_in_a_stopped_cell_names_the_cell(suite, pool):
    cells = (DOUBLE, "def totals(x)\n    return x.sum(), x.prod()")
    result = grade_handin(notebook(*cells), suite, pool)
    assert reason(result, "totals") == to_students["handin.totals-is-not-defined-cell"]


@pytest.mark.parametrize("leftover", ["", "def double(x):\n    raise NotImplementedError"])
def test_a_value_left_behind_counts_in_place_of_its_function(suite, pool, leftover):
    cells = ("import numpy as np", leftover, "all_doubled = [1.0, 2.5, 8.0]", TOTALS)
    assert grade_handin(notebook(*cells), suite, pool).earned == 5.5


def test_a_wrong_value_left_behind_earns_nothing(suite, pool):
    result = grade_handin(notebook("import numpy as np\nall_doubled = [1.0, 2.5, 7.0]", TOTALS), suite, pool)
    assert result.earned == 2.5
    assert "1 of 3 numbers" in reason(result, "double_published")


class PoolOfFailedCells:
    """A pool for which every cell of a long notebook stopped."""

    def run(self, request):
        stopped = StudentError("NameError", "name 'y' is not defined", "cell 1", 1, "y", "trace " * 300)
        cells = [Stop(number, stopped) for number in range(1, 14_001)]
        calls = len(request.calls) + len(request.later_calls or ())
        return RunReport(Status.GRADED, answers=[Answer(not_defined=True)] * calls, stops=cells)


def test_of_thousands_of_stopped_cells_the_first_are_told(suite):
    started = time.perf_counter()
    result = grade_handin(code(""), suite, PoolOfFailedCells())
    assert time.perf_counter() - started < 5
    assert [note.partition(" stopped")[0] for note in result.notes] == [
        *(
            f"Cell {number} raised NameError at line 1{'' if number == 1 else ' of cell 1'}: `y`. "
            "It says: “name 'y' is not defined”. Nothing has this name here: look for another spelling above, "
            "or for the line that should give it a value. Grading goes on after it."
            for number in range(1, MOST_STOPS + 1)
        ),
        to_students["handin.more-cells"],
        to_students["handin.never-defined"],
    ]


def assert_only_totals_lost(result, status):
    assert outcomes(result) == {"double_published": "passed", "double_sizes": "passed", "totals": "failed"}
    assert (result.status, result.earned) == (status, 3)


FILLS_MEMORY = """
kept = []
def totals(x):
    if not kept:
        kept.append(x)
        return np.ones(10_000_000, np.int8)
    try:
        while True: kept.append(bytes(1 << 20))
    except MemoryError:
        del kept[-8:]
        return 1
"""
"""The memory that is left is enough for the call, and too little to pack the answers."""


@pytest.fixture
def graded_briefly(suite, pool):
    """Grade the text of a file with little memory, and little time where it has a loop."""

    def graded(text):
        seconds = 0.5 if "while True: pass" in text else 9.0
        small = limited(suite, call_seconds=seconds, memory_mb=200, answer_mb=16)
        return grade_handin(code(text), small, pool)

    return graded


@pytest.mark.parametrize(
    ("totals", "status", "said", "detail"),
    [
        ("def totals(x):\n    while True: pass", Status.TIME_LIMIT, "did not finish in time", ""),
        ("def totals(x): import os; os._exit(0)", Status.CRASHED, "ended the whole process", "exit status 0"),
        ("def totals(x): import os; os._exit(3)", Status.CRASHED, "ended the whole process", "exit status 3"),
        ("def totals(x): return np.ones((1 << 20, 1 << 20))", Status.MEMORY_LIMIT, "MemoryError", ""),
        (FILLS_MEMORY, Status.MEMORY_LIMIT, "MemoryError", "200 MiB"),
        (
            "def totals(x): return np.ones(17 << 20, np.int8)",
            Status.INVALID_ANSWER,
            "too large",
            "limit 16 MiB",
        ),
    ],
    ids=["loop", "exit 0", "exit 3", "too large an array", "memory filled", "too large an answer"],
)
def test_what_brings_the_process_down_or_reaches_a_limit_costs_its_own_task(
    graded_briefly, totals, status, said, detail
):
    result = graded_briefly(f"{DOUBLE}\n{totals}\n")
    assert_only_totals_lost(result, status)
    assert reason(result, "totals").startswith("`totals`")
    assert said in reason(result, "totals")
    assert detail in result.detail


def test_where_one_task_has_too_little_time_and_another_too_little_memory_time_is_the_status(graded_briefly):
    text = "import numpy as np\ndef double(x): return np.ones((1 << 20, 1 << 20))\n"
    assert graded_briefly(f"{text}def totals(x):\n    while True: pass\n").status is Status.TIME_LIMIT


def test_an_endless_loop_that_cannot_be_interrupted_costs_its_own_task(suite, pool):
    short = limited(suite, cpu_seconds=1, call_seconds=20, seconds=60)
    text = f"""{DOUBLE}
def totals(x):
    import signal
    signal.signal(signal.SIGALRM, signal.SIG_IGN)
    while True:
        try:
            while True:
                pass
        except BaseException:
            pass
"""
    result = grade_handin(code(text), short, pool)
    assert_only_totals_lost(result, Status.TIME_LIMIT)
    assert reason(result, "totals") == to_students["handin_crashes.did-not-finish-in-time"]
    assert result.detail == to_students["handin_crashes.processor-time"]


def test_a_crash_in_one_task_does_not_hide_what_is_known_of_the_others(grade):
    """The names of parameters and the outside names that a function reads come from the same run."""
    crash = "def totals(x):\n    import os\n    os._exit(3)\n"
    result = grade(f"N = 3\n{DOUBLE.replace('* x', '* x[:N] + np.zeros(N)')}{crash}")
    assert outcomes(result)["double_published"] == "passed"
    failed = next(check for check in result.checks if check.check == "double_sizes")
    assert failed.misconceptions == ("depends-on-global",)
    assert "`N`" in failed.reason


def test_what_was_printed_before_a_crash_is_kept(grade):
    text = f"{DOUBLE}\nprint('loaded', flush=True)\ndef totals(x):\n    import os\n    os._exit(3)\n"
    assert "loaded" in grade(text).output


# The order of runs: hidden inputs come last, and what is quoted is never asked after them


class RememberingPool:
    """Runs what it is asked, and remembers the requests."""

    def __init__(self, pool):
        self._pool = pool
        self.requests = []

    def run(self, request):
        self.requests.append(request)
        return self._pool.run(request)


def kinds_of_runs(text, suite, pool):
    """What each run was given: nothing, public inputs, hidden ones, or both in two stages."""
    remembering = RememberingPool(pool)
    grade_handin(code(text), suite, remembering)
    hidden = {id(call.args[0]) for call in suite.hidden_cases.values() if isinstance(call, FunctionCall)}
    kinds = []
    for request in remembering.requests:
        sent = request.calls.calls if isinstance(request.calls, SharedCalls) else request.calls
        calls = [call for call in sent if "args" in call]
        if request.later_calls is not None:
            kinds.append("two stages")
        elif not calls:
            kinds.append("quiet")
        else:
            kinds.append("hidden" if any(id(call["args"][0]) in hidden for call in calls) else "open")
    return kinds


def test_after_a_crash_with_public_inputs_hidden_ones_come_last(suite, pool):
    text = f"{DOUBLE}\ndef totals(x):\n    import os\n    os._exit(3)\n"
    # `totals` is not run with hidden inputs: it has brought a run with public ones down.
    assert kinds_of_runs(text, suite, pool) == ["two stages", "quiet", "open", "open", "hidden"]


def test_after_a_crash_with_hidden_inputs_nothing_else_is_asked(suite, pool):
    public = [call.args[0].tolist() for call in suite.open_cases.values()]
    text = f"""{DOUBLE}
PUBLIC = {public!r}
def totals(x):
    import os
    if x.tolist() not in PUBLIC:
        os._exit(3)
    return x.sum(), np.prod(x)
"""
    assert kinds_of_runs(text, suite, pool) == ["two stages", "hidden", "hidden"]


def test_a_crash_with_hidden_inputs_leaves_what_was_answered_before(suite, pool):
    public = [call.args[0].tolist() for call in suite.open_cases.values()]
    text = f"""import numpy as np
PUBLIC = {public!r}
def double(x):
    import os
    if x.tolist() not in PUBLIC:
        os._exit(3)
    return 2 * x
def totals(x):
    return x.sum(), np.prod(x)
"""
    result = grade_handin(code(text), suite, pool)
    assert result.status is Status.CRASHED
    assert outcomes(result) == {"double_published": "passed", "double_sizes": "failed", "totals": "passed"}
    assert "exit status 3" in result.detail
