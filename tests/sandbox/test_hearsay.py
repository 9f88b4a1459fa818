"""A student's process may write anything into its report; only what stands in the code is shown."""

import pytest

from autograder.sandbox.hearsay import UNKNOWN_TYPE, verified
from autograder.sandbox.report import Answer, FunctionFacts, RunReport, Status, Stop, StudentError
from autograder.sandbox.request import Cell, Code

CODE = Code("work.py", {"work.py": "class Odd(Exception): pass\ndef f(a):\n    raise Odd(D)\n"})
NOTEBOOK = Code("work.ipynb", {}, [Cell(3, "x = 1\n1 / 0")])


def error_told(error, code=CODE):
    report = RunReport(Status.GRADED, answers=(Answer(error=error),))
    error_shown = verified(report, code).answers[0].error
    assert error_shown is not None
    return error_shown


@pytest.mark.parametrize("kind", ["ValueError", "KeyboardInterrupt", "LinAlgError", "TimeLimit"])
def test_a_type_of_python_or_numpy_is_shown(kind):
    assert error_told(StudentError(kind)).type == kind


@pytest.mark.parametrize("kind", ["0.4967 1.2345", "X_is_0_49", "Ångström", "True", "Odd"])
def test_a_type_of_the_submissions_own_is_for_the_staff(kind):
    error = error_told(StudentError(kind, message="too large"))
    assert (error.type, error.message) == (UNKNOWN_TYPE, f"{kind}: too large")


def test_the_source_is_the_line_of_the_code_whatever_the_report_says():
    error = error_told(StudentError("Odd", file="work.py", line=3, source="X = [[0.49, -0.13]]"))
    assert (error.file, error.line, error.source) == ("work.py", 3, "raise Odd(D)")


@pytest.mark.parametrize(("file", "line"), [("work.py", 99), ("other.py", 1), ("work.py", 0), (None, 2)])
def test_a_place_that_is_not_in_the_code_is_left_out(file, line):
    error = error_told(StudentError("Odd", file=file, line=line, source="X = [[0.49, -0.13]]"))
    assert (error.file, error.line, error.source) == (None, None, "")


def test_lines_of_cells_are_found():
    error = error_told(StudentError("ZeroDivisionError", file="cell 3", line=2), NOTEBOOK)
    assert error.source == "1 / 0"


def test_failures_of_cells_that_do_not_exist_are_left_out():
    error = StudentError("ValueError", file="cell 4967", line=1, source="secret")
    failures = tuple(Stop(number, error) for number in (3, 4967, 3, 0))
    report = verified(RunReport(Status.GRADED, stops=failures), NOTEBOOK)
    assert list(report.stops) == [Stop(3, StudentError("ValueError"))]


def test_names_that_are_not_written_in_the_code_are_left_out():
    functions = {"f": FunctionFacts(("a", "x_0_4967"), ("D", "secret_1_2345"), {"D": 4, "secret": 4967})}
    report = verified(RunReport(Status.GRADED, functions=functions), CODE)
    assert report.functions["f"] == FunctionFacts(("a",), ("D",), {"D": 4})


def test_staff_still_read_the_message_and_the_trace():
    error = error_told(StudentError("ValueError", message="X = 0.49", trace="a trace"))
    assert (error.message, error.trace) == ("X = 0.49", "a trace")


def test_lines_are_those_that_python_counts():
    code = Code("work.py", {"work.py": "a = 1\x0c\x0b\u2028\nb = 2\r\n1 / 0\r"})
    error = error_told(StudentError("ZeroDivisionError", file="work.py", line=3), code)
    assert (error.line, error.source) == (3, "1 / 0")


MAGIC = r"get_ipython().run_cell_magic('time', '', 'x = 1\n  1 / 0\nsecret = 496714')"


@pytest.mark.parametrize(("source", "line"), [("1 / 0", "1 / 0"), ("x = 1", "x = 1"), ("4967", ""), ("", "")])
def test_a_line_within_a_timed_cell_is_shown_whole_or_not_at_all(source, line):
    code = Code("work.py", {"work.py": f"y = 1\n{MAGIC}\n"})
    assert (
        error_told(StudentError("NameError", file="work.py (magic)", line=2, source=source), code).source
        == line
    )


def test_a_file_that_was_not_handed_in_is_not_named():
    for file in ("496714", "496714 (magic)"):
        assert error_told(StudentError("ValueError", file=file, line=1)).file is None


def test_why_a_file_could_not_be_loaded_is_kept_with_its_place_in_the_code():
    error = StudentError("ValueError", message="X", file="work.py", line=3, source="X = 0.49")
    report = verified(RunReport(Status.IMPORT_FAILED, load_error=error, detail="X = 0.49"), CODE)
    assert report.load_error == StudentError("ValueError", "X", "work.py", 3, "raise Odd(D)")
    assert report.detail == "ValueError on import"
