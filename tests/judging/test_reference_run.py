import numpy as np
import pytest
from wording import to_authors

from autograder.course.cases import FunctionCall, ValueRead
from autograder.course.schema import CourseError
from autograder.verdict.reference import run_calls

X = np.array([1.0, 2.0])


def test_each_call_is_answered_errors_included(tiny, pool):
    calls = [
        FunctionCall("double", (X,)),
        FunctionCall("double", ()),
        FunctionCall("halve", (X,)),
        ValueRead("np"),
    ]
    right, wrong, missing, value = run_calls(tiny.homework, tiny.homework.solution, calls, pool)
    np.testing.assert_array_equal(right.value, 2 * X)
    assert wrong.error.type == "TypeError"
    assert missing.not_defined
    assert value.is_usable


def test_the_course_has_more_time_than_a_submission(tiny, pool):
    tiny.edit("homework.toml", "seconds = 30\n", "seconds = 0.001\n")
    [answer] = run_calls(tiny.homework, tiny.homework.solution, [FunctionCall("double", (X,))], pool)
    assert answer.is_usable


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("def double(x)\n    return x\n", "SyntaxError on import.*expected ':'"),
        ("1 / 0\n", "ZeroDivisionError on import.*division by zero"),
        ("print('on the way')\nimport os\nos.abort()\n", "killed by SIGABRT"),
        ("import math\ny = math.no\ndef double(x): return x\n", "line 2 of doubles.py: AttributeError"),
    ],
)
def test_a_file_that_cannot_be_run_is_named_with_the_reason(tiny, pool, text, reason):
    (tiny.folder / "doubles.py").write_text(text, "utf-8")
    with pytest.raises(CourseError, match=rf"doubles\.py .*{reason}"):
        run_calls(tiny.homework, tiny.homework.solution, [FunctionCall("double", (X,))], pool)


def test_a_missing_file_is_named(tiny, pool):
    with pytest.raises(CourseError, check=to_authors["reference_run.missing"]):
        run_calls(tiny.homework, tiny.folder / "nowhere.py", [], pool)
