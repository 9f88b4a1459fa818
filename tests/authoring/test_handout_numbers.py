import numpy as np
import pytest
from wording import to_authors

from autograder.handouts.figures import Box, Picture
from autograder.handouts.numbers import Matrix
from autograder.handouts.text import MARKDOWN, PAGE, Example, fill_handout

A = Matrix("A", np.array([[0.25, 0.75], [0.5, 0.5]]))
PICTURE = Picture(10, 10, "A box [1]", "One box.", [Box(1, 1, 5, 5)])
EXAMPLE = Example({"A": A}, PICTURE)


def filled(text, example=EXAMPLE, form=MARKDOWN):
    return fill_handout(text, {"tasks": "THE <TASKS>"}, example, form)


@pytest.mark.parametrize(
    ("placeholder", "text"),
    [
        ("{{ tasks }}", "THE <TASKS>"),
        ("{{tasks}}", "THE <TASKS>"),
        ("{{ A }}", "[[0.25, 0.75], [0.50, 0.50]]"),
        ("{{ A[1] }}", "[0.50, 0.50]"),
        ("{{ A[0, 1] }}", "0.75"),
        ("{{ A[0][1] }}", "0.75"),
        ("{{ code(A) }}", "```python\nA = np.array([[0.25, 0.75], [0.5, 0.5]])\n```"),
        ("{{ table(A) }}", "```text\nA, shape (2, 2)\n0.25  0.75\n0.50  0.50\n```"),
        ("{{ picture }}", r"![A box \[1\]. One box.](handout.svg)"),
    ],
)
def test_a_placeholder_is_replaced_in_its_sentence(placeholder, text):
    assert filled(f"before {placeholder} after\n") == f"before {text} after\n"


@pytest.mark.parametrize(
    ("placeholder", "complaint"),
    [
        ("{{ task }}", "'task' is undefined; the known names are tasks, table, code, picture, A"),
        ("{{ }}", "line 2"),
        ("{{ tasks: all }}", "line 2"),
        ("{{ table(B) }}", "the example has A"),
        ("{{ table(tasks) }}", "the example has A"),
        ("{{ table(A[0]) }}", "whole matrices"),
        ("{{ table() }}", "the example has A"),
        ("{{ A[2] }}", "A has no entry 2"),
        ("{{ A[0, 0, 0] }}", "A has no entry"),
        ("{{ A[1:] }}", "A has no entry"),
        ("{{ A[:, 0] }}", "invalid syntax"),
        ("{{ A[0][0][0] }}", "A has no entry"),
        ("{{ A + 1 }}", "unsupported operand"),
    ],
)
def test_a_placeholder_that_means_nothing_is_refused(placeholder, complaint):
    with pytest.raises(ValueError, match=complaint):
        filled(f"\n{placeholder}")


def test_a_picture_that_is_not_there_is_refused():
    with pytest.raises(ValueError, match="'picture' is undefined"):
        filled("{{ picture }}", Example())


def test_a_matrix_cannot_take_the_name_of_something_else():
    with pytest.raises(ValueError, check=to_authors["handout_numbers.cannot-be-called-table"]):
        filled("", Example({"table": A}))


def test_a_page_has_the_picture_inside_and_tables_as_tables():
    text = filled("{{ picture }} {{ table(A) }}", form=PAGE)
    assert "<figure" in text
    assert "<svg" in text
    assert "handout.svg" not in text
    assert "<table" in text
