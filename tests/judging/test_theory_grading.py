"""Answers to questions on their way through the worker: careless ones and hostile ones cost nobody else."""

from dataclasses import replace

import pytest
from asked import questions
from tiny import SOLUTION
from wording import to_students

from autograder.grading.grade import grade_handin
from autograder.sandbox.report import Status
from autograder.sandbox.request import Code

from .asking import DOUBLE, code, lasting, notebook, outcomes

RIGHT = '{"shape": "b", "total": -2.5, "why": "Because."}'
CODE_OUTCOMES = {"double_published": "passed", "double_sizes": "passed", "totals": "passed"}


@pytest.fixture
def asking(suite, tmp_path):
    return replace(suite, homework=replace(suite.homework, questions=questions(tmp_path)))


def graded(asking, pool, lines):
    return grade_handin(code(f"{SOLUTION}\n{lines}\n"), asking, pool)


def of_theory(result):
    return {name: outcome for name, outcome in outcomes(result).items() if name not in CODE_OUTCOMES}


def test_right_answers_are_points_beyond_the_maximum(asking, pool):
    result = graded(asking, pool, f"answers = {RIGHT}")
    assert (result.status, result.earned, result.points) == (Status.GRADED, 7, 5.5)
    assert outcomes(result) == {
        **CODE_OUTCOMES,
        "theory_shape": "passed",
        "theory_total": "passed",
        "theory_why": "collected",
    }


def test_code_without_answers_is_graded_as_if_nothing_had_been_asked(suite, asking, pool):
    asked_of, never_asked = (
        grade_handin(code(SOLUTION), suite_graded, pool) for suite_graded in (asking, suite)
    )
    assert asked_of.notes == (to_students["theory_grading.theory-questions-points"],)
    assert lasting(replace(asked_of, notes=())) == lasting(never_asked)


def test_a_bonus_is_told_of_where_there_is_one(asking, pool):
    assert graded(asking, pool, f"answers = {RIGHT}").notes == (to_students["theory_grading.bonus"],)


@pytest.mark.parametrize("lines", ["", "answers = 7", "answers = {'shape': 'a'}", "1 / = 0"])
def test_counted_questions_are_in_the_maximum_whatever_was_answered(asking, pool, lines):
    counted = replace(asking, homework=replace(asking.homework, counted=True))
    result = graded(counted, pool, lines)
    assert result.points == 9
    assert [check.outcome for check in result.checks if check.task == "theory"] == ["failed"] * 3


def test_a_notebook_answers_in_a_cell(asking, pool):
    result = grade_handin(notebook(SOLUTION, f"answers = {RIGHT}"), asking, pool)
    assert (result.earned, result.points) == (7, 5.5)


def test_answers_count_although_the_code_fails(asking, pool):
    result = grade_handin(code(f"def double(x):\n    return x\n\nanswers = {RIGHT}\n"), asking, pool)
    assert (result.earned, result.points) == (1.5, 5.5)


def test_a_file_that_does_not_load_has_no_theory(asking, pool):
    result = graded(asking, pool, f"answers = {RIGHT}\n1 / = 0")
    assert (result.status, result.earned, result.points) == (Status.IMPORT_FAILED, 0, 5.5)
    assert of_theory(result) == {}


def test_answers_count_although_a_call_brings_the_process_down(asking, pool):
    text = f"import os\n{DOUBLE}\ndef totals(x):\n    os._exit(3)\n\nanswers = {RIGHT}\n"
    result = grade_handin(Code("doubles.py", {"doubles.py": text}), asking, pool)
    assert (result.status, result.earned, result.points) == (Status.CRASHED, 4.5, 5.5)


@pytest.mark.parametrize(
    "lines",
    [
        "answers = [1, 2]",
        "def answers():\n    return {}",
        "class Sly(dict):\n    def items(self):\n        while True: pass\nanswers = Sly(shape='b')",
        "answers = {str(number): 'b' for number in range(10 ** 5)}",
        "answers = {'shape': None}",
        "class Key(str):\n    __hash__ = str.__hash__\nanswers = {Key('shape'): 'b', 7: 'b'}",
    ],
)
def test_what_cannot_be_read_as_answers_leaves_the_code_its_points(asking, pool, lines):
    result = graded(asking, pool, lines)
    assert (result.status, result.earned, result.points) == (Status.GRADED, 5.5, 5.5)
    assert result.notes[0].startswith("Theory questions (3.5 bonus points): ")


@pytest.mark.parametrize(
    "answer",
    [
        "'x' * 10 ** 7",
        "type('Sly', (str,), {'strip': lambda self, *a: 'b'})('b')",
        "answers",
        "10 ** 5000",
        "float('nan')",
        "np.arange(3)",
        "type('Sly', (), {'__module__': 'numpy', 'item': lambda self: [self]})()",
    ],
)
def test_one_answer_that_cannot_be_read_fails_alone(asking, pool, answer):
    lines = f"answers = {RIGHT}\nanswers['shape'] = {answer}"
    result = graded(asking, pool, lines)
    assert (result.status, result.earned, result.points) == (Status.GRADED, 6, 5.5)
    assert of_theory(result) == {
        "theory_shape": "failed",
        "theory_total": "passed",
        "theory_why": "collected",
    }


def test_a_fault_of_ours_while_judging_theory_never_becomes_a_zero(asking, pool, monkeypatch):
    monkeypatch.setattr("autograder.grading.grade.judge_theory", lambda *_: 1 / 0)
    result = graded(asking, pool, f"answers = {RIGHT}")
    assert (result.status, result.earned, result.points) == (Status.INFRASTRUCTURE_ERROR, None, 5.5)
