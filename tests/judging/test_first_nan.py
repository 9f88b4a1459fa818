"""Where a result is NaN, the student's line in which the first NaN arises is named."""

import pytest

from autograder.grading.grade import grade_handin
from autograder.reasons.student_code import StudentCode
from autograder.sandbox.request import Cell, Code

HW1 = "hw1_attention_scores"
OUTPUT = "    return attention_weights @ V\n"


def reasons(suite, pool, new):
    right = suite.homework.solution.read_text("utf-8")
    assert right.count(OUTPUT) == 1
    stub = suite.homework.stub
    result = grade_handin(Code(stub, {stub: right.replace(OUTPUT, new)}), suite, pool)
    assert result.explanation_faults == ()
    return {check.check: check.reason for check in result.checks}


@pytest.mark.parametrize(
    ("line", "way"),
    [
        ("hidden = (1 - np.ones(len(V))) * -np.inf", "0 times infinity is NaN"),
        ("hidden = np.full(len(V), np.inf) - np.inf", "infinity minus infinity is NaN"),
        ("hidden = np.zeros(len(V)) / np.zeros(len(V))", "0 / 0 is NaN"),
    ],
)
def test_the_line_and_the_operation_are_named(suite_of, pool, line, way):
    shares = "    return (attention_weights + hidden) @ (V * 3 + 1)\n"
    reason = reasons(suite_of(HW1), pool, f"    {line}\n{shares}")["attention_output_sizes"]
    assert f"`{line}`" in reason
    assert way in reason


def test_nan_that_is_written_down_arises_in_no_operation(suite_of, pool):
    reason = reasons(suite_of(HW1), pool, "    return attention_weights @ V * np.nan\n")[
        "attention_output_sizes"
    ]
    assert "The first NaN" not in reason


def test_a_place_is_that_of_the_file_or_of_the_cell():
    of_file = StudentCode(Code("a.py", {"a.py": "x = 1\ny = 2"}))
    assert of_file.place_of("a.py", 2) == ("line 2", "y = 2")
    assert of_file.place_of("b.py", 2) == ("", "")
    assert of_file.place_of("a.py", 3) == ("", "")
    of_cells = StudentCode(Code("a.ipynb", cells=[Cell(1, "x = 1"), Cell(4, "y = 2\nz = 3")]))
    assert of_cells.place_of("cell 4", 2) == ("line 2 of cell 4", "z = 3")
