from __future__ import annotations

import numpy as np
import pytest

from autograder.handouts.example import Example
from autograder.handouts.fill import Filler
from autograder.handouts.forms import MARKDOWN, PAGE
from autograder.handouts.matrix import Matrix
from autograder.handouts.shapes import Box, Picture

A = Matrix("A", np.array([[0.25, 0.75], [0.5, 0.5]]))
PICTURE = Picture(10, 10, "A box [1]", "One box.", [Box(1, 1, 5, 5)])
FILLER = Filler({"tasks": "THE TASKS"}, Example({"A": A}, PICTURE), MARKDOWN)


@pytest.mark.parametrize(
    ("placeholder", "text"),
    [
        ("{{ tasks }}", "THE TASKS"),
        ("{{tasks}}", "THE TASKS"),
        ("{{ value: A }}", "[[0.25, 0.75], [0.50, 0.50]]"),
        ("{{ value: A[1] }}", "[0.50, 0.50]"),
        ("{{ value: A[0, 1] }}", "0.75"),
        ("{{ code: A }}", "```python\nA = np.array([[0.25, 0.75], [0.5, 0.5]])\n```"),
        ("{{ table: A }}", "```text\nA, shape (2, 2)\n0.25  0.75\n0.50  0.50\n```"),
        ("{{ picture }}", r"![A box \[1\]. One box.](handout.svg)"),
    ],
)
def test_a_placeholder_is_replaced_in_its_sentence(placeholder: str, text: str) -> None:
    assert FILLER.fill(f"before {placeholder} after") == f"before {text} after"


@pytest.mark.parametrize(
    ("placeholder", "complaint"),
    [
        ("{{ task }}", r"{{ task }} is unknown; the known kinds are tasks, picture, table, code, value"),
        ("{{ }}", "is unknown"),
        ("{{ tasks: all }}", "is unknown"),
        ("{{ table: B }}", "no matrix 'B'; it has A"),
        ("{{ table }}", "name a matrix; the example has A"),
        ("{{ value: A[2] }}", "no such entry"),
        ("{{ value: A[0, 0, 0] }}", "no such entry"),
        ("{{ value: A[-1] }}", "must look like"),
        ("{{ value: A + 1 }}", "must look like"),
        ("{{ picture: big }}", "picture.py beside the example"),
    ],
)
def test_a_placeholder_that_means_nothing_is_refused(placeholder: str, complaint: str) -> None:
    with pytest.raises(ValueError, match=complaint):
        FILLER.fill(placeholder)


def test_a_picture_that_is_not_there_is_refused() -> None:
    with pytest.raises(ValueError, match=r"needs a picture\.py"):
        Filler({}, Example(), MARKDOWN).fill("{{ picture }}")


def test_a_page_has_the_picture_inside_and_tables_as_tables() -> None:
    text = Filler({}, FILLER.example, PAGE).fill("{{ picture }} {{ table: A }}")
    assert "<figure" in text
    assert "<svg" in text
    assert "handout.svg" not in text
    assert "<table" in text
