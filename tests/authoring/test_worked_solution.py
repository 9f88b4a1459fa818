"""Worked solutions: what they show is the solution and right submissions of the corpus, and nothing too early."""

from pathlib import Path

import pytest
from typer.testing import CliRunner

from autograder.authoring.corpus import read_corpus
from autograder.authoring.worked_solution import code_of_way, commented_solution, read_ways, worked_solution
from autograder.cli.app import app
from autograder.course.course import find_course
from autograder.course.homework import CourseError

HW7 = "hw7_masked_attention"


@pytest.fixture(scope="module")
def course():
    return find_course(Path(__file__))


def test_marks_and_answers_go_and_todos_become_comments():
    source = (
        "def f(x):\n    # TODO 1: double it.\n    # BEGIN SOLUTION\n    return 2 * x\n    # END SOLUTION\n"
        '\n\n# {{ answers }}\n# BEGIN SOLUTION\nanswers = {"a": 1}\n# END SOLUTION\n'
    )
    assert commented_solution(source) == "def f(x):\n    # 1. double it.\n    return 2 * x"


def test_every_homework_shows_two_other_ways_that_are_right(course):
    for homework in course.homeworks():
        right = {submission.name for submission in read_corpus(course, homework) if submission.is_right}
        ways = set(read_ways(homework))
        assert len(ways) >= 2, homework.id
        assert ways <= right, homework.id
        text = worked_solution(course, homework)
        assert "SOLUTION" not in text
        assert "\nanswers" not in text


def test_a_function_has_the_name_of_the_solution(course):
    code = code_of_way(course, course.homework(HW7), "causal_mask__tril")
    assert "def causal_mask(n):" in code
    assert "import numpy as np" in code


def test_imports_stand_together_and_only_once(course):
    hw6 = course.homework("hw6_encoder_block")
    code = code_of_way(course, hw6, "submission__own_layer_norm")
    assert code.startswith("import torch\nfrom torch import nn\n\n\nclass LayerNorm(")
    assert code.count("import") == 2


def test_a_way_that_the_corpus_does_not_have_is_refused(course):
    with pytest.raises(CourseError):
        code_of_way(course, course.homework(HW7), "causal_mask__by_magic")


def test_nothing_is_shown_before_the_due_date(tmp_path):
    arguments = ["release", "--solution", "hw7", "--out", str(tmp_path)]
    early = CliRunner().invoke(app, arguments)
    assert early.exit_code == 2
    assert not list(tmp_path.iterdir())
    anyway = CliRunner().invoke(app, [*arguments, "--anyway"])
    assert anyway.exit_code == 0
    assert [path.name for path in tmp_path.iterdir()] == [f"{HW7}_worked_solution.md"]
