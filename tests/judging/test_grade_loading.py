"""What stops while code is loaded costs nothing by itself, and is told."""

import time
from dataclasses import replace

import pytest
from wording import to_students

from autograder.grading.grade import grade_handin
from autograder.reasons.errors import MOST_STOPS
from autograder.sandbox.report import Answer, RunReport, Status, Stop, StudentError
from autograder.sandbox.request import Limits

from .asking import DOUBLE, TOTALS, code, notebook, outcomes, reason

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
    limits = replace(Limits(), seconds=40, cpu_seconds=2)  # also a busy machine gives so much
    short = replace(suite, homework=replace(suite.homework, limits=limits))
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
    short = replace(suite, homework=replace(suite.homework, limits=Limits(seconds=20, cpu_seconds=3)))
    result = grade_handin(code(f"{DOUBLE}\nwhile True: pass\n{TOTALS}"), short, pool)
    assert (result.status, result.earned) == (Status.TIME_LIMIT, 5.5)
    assert result.notes == (to_students["handin.line-did-not-finish"],)


# Notebooks


def test_cells_that_never_end_are_cut_and_the_others_count(suite, pool):
    limits = replace(Limits(), seconds=20, cpu_seconds=3)
    short = replace(suite, homework=replace(suite.homework, limits=limits))
    result = grade_handin(notebook(DOUBLE, "while True: pass", TOTALS, "while True: x = 1"), short, pool)
    assert (result.status, result.earned) == (Status.TIME_LIMIT, 5.5)
    assert [note.partition(":")[0] for note in result.notes] == [
        to_students["handin.cell-did-not-finish-in-time"],
        to_students["handin.cell-did-not-finish-in-time-2"],
    ]


def test_a_cell_that_only_sleeps_is_cut_too(suite, pool):
    limits = replace(Limits(), seconds=3)
    short = replace(suite, homework=replace(suite.homework, limits=limits))
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
