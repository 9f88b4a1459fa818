"""The call behind a reason: what students see of it, and what they type to get its arguments."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch
from released import HW1, HW4
from wording import to_students

from autograder.student.homework import open_homework
from autograder.student.judge import judge
from autograder.student.table import SCREEN, Style, render
from autograder.student.task import case, check_task

COURSE = Path(__file__).parents[2]
HW2, HW6 = "hw2_self_attention", "hw6_encoder_block"
ONE = """
def softmax(x):
    return {}
"""
HOSTILE = """
class Odd(np.ndarray):
    def __repr__(self): raise SystemExit("repr")
    __str__ = __format__ = __repr__
"""


def shown_below(report):
    """The lines from the call on."""
    lines = render(report, Style()).splitlines()
    at = max(number for number, line in enumerate(lines) if line.startswith(("softmax(", "The call was")))
    return lines[at:]


@pytest.fixture
def softmax(students):
    right = (COURSE / "solutions" / HW1 / "attention_scores.py").read_text("utf-8")
    return lambda returned: students.check(HW1, right + HOSTILE + ONE.format(returned))


def test_the_call_stands_below_the_reason_with_a_line_to_paste(softmax):
    lines = shown_below(softmax("np.exp(x) / np.exp(x).sum(axis=0, keepdims=True)"))
    assert lines[0] == to_students["call.rows-sum-to-instead-of-1"]
    assert lines[1].split() == ["x", "yours", "expected"]
    assert lines[2].count("*") == 2
    assert lines[-1] == 'from public_checks import case; x = case("softmax", 1)'


def test_an_error_is_shown_with_its_call(softmax):
    lines = shown_below(softmax("x @ x @ x.T @ np.ones(7)"))
    assert lines == [
        to_students["call.the-call-was"],
        'from public_checks import case; x = case("softmax", 1)',
    ]


@pytest.mark.parametrize(
    "returned",
    [
        "None",
        "'a' * 10**6",
        "np.full(x.shape, np.nan)",
        "x * 1e300 * 10.0 ** np.arange(x.size).reshape(x.shape)",
        "[[object()] * 3] * 3",
        "np.array([[object()] * 3] * 3)",
        "np.zeros((2,) * 12)",
        "np.zeros((10**6,))",
        "x.tolist(), x, {1: 2}",
        "x.view(Odd)",
        "np.zeros(x.shape, int)",
        "10**5000",
    ],
)
def test_whatever_comes_back_the_screen_holds_the_table_and_the_reason(returned, softmax):
    report = softmax(returned)
    for width in (60, 80, 110):
        lines = render(report, Style(width=width)).splitlines()
        assert len(lines) <= SCREEN
        assert max(map(len, lines)) < width
        assert any(line.startswith("First thing to fix: ") for line in lines)
        assert any('= case("' in line for line in lines)


def test_the_screen_holds_every_mistake_of_the_corpus(students, mistaken):
    for homework, name in (
        (HW1, "causal-mask"),
        (HW1, "depends-on-global"),
        (HW4, "stale-query"),
        (HW4, "scale-by-d"),
    ):
        report = students.check(homework, mistaken(homework, name))
        lines = render(report, Style()).splitlines()
        assert len(lines) <= SCREEN
        assert any("case(" in line for line in lines), name


def test_without_hints_nothing_is_shown(students):
    public = open_homework(students.folder(HW1))
    silent = replace(public, homework=replace(public.homework, hints="never"))
    wrong = {"softmax": lambda x: x}
    assert judge(public, wrong).shown
    assert not judge(silent, wrong).shown


def test_a_notebook_shows_the_same_with_nothing_of_the_students_as_html(students):
    report = check_task("softmax", {"softmax": lambda x: x + 1}, students.folder(HW1))
    page = report._repr_html_()
    assert "<b>*" in page
    assert "x = case(&quot;softmax&quot;, 1)" in page
    odd = check_task("softmax", {"softmax": lambda x: ("<script>", x)}, students.folder(HW1))
    assert "<script>" not in odd._repr_html_()


def test_case_gives_new_copies_of_the_arguments(students):
    folder = students.folder(HW1)
    x, right = case("softmax", 1, folder)
    np.testing.assert_allclose(np.exp(x) / np.exp(x).sum(axis=-1, keepdims=True), right, atol=1e-5)
    x[:] = 0
    assert case("softmax", 1, folder)[0].any()
    (scores, d_k), _ = case("scale_scores", 2, folder)
    assert (scores.ndim, type(d_k)) == (2, int)


def test_case_gives_tensors_where_grading_does(students):
    arguments, _ = case("self_attention_torch", 1, students.folder(HW2))
    assert all(type(argument) is torch.Tensor for argument in arguments)
    (sizes, weights, x), right = case("SimpleEncoderBlock", 1, students.folder(HW6))
    assert (x.shape, x.shape[-1], "norm1.weight" in weights) == (right.shape, sizes[0], True)


@pytest.mark.parametrize(
    "case_id", [("softmax", 0), ("softmax", 99), ("softmax", "1"), ("soft_max", 1), ("theory", 1)]
)
def test_a_case_that_does_not_exist_brings_those_that_do(case_id, students):
    with pytest.raises(LookupError) as raised:
        case(*case_id, students.folder(HW1))
    assert "softmax [1, 2" in str(raised.value)
