"""The call behind a reason, and what is said where a package, a reader or our own code fails."""

import subprocess
import sys
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from types import FunctionType
from typing import cast

import numpy as np
import pytest
import torch
from judging.injecting import raising
from released import CHECK, HW1, HW4, PYTEST, run, unzip
from wording import to_students

from autograder.course.calls import FunctionCall
from autograder.course.course import find_course
from autograder.exhibits import exhibits as work
from autograder.reasons import explain
from autograder.student import load
from autograder.student.answers import MOST_OF_A_RUN, OwnAnswers
from autograder.student.find import find_work
from autograder.student.homework import open_homework
from autograder.student.judge import NOT_EXPLAINED, OUR_FAULT, judge
from autograder.student.load import check_work
from autograder.student.table import SCREEN, Style, render
from autograder.student.task import case, check_task
from autograder.verdict.checks import Outcome

from .conftest import libraries_as_before

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


def test_the_many_calls_of_a_search_do_not_share_one_limit_of_time(students):
    runs = []

    @contextmanager
    def around(more_seconds):
        runs.append(more_seconds)
        yield

    public = open_homework(students.folder(HW1))
    answers = OwnAnswers(public, {"softmax": lambda x: x * 2}, around)
    calls = [FunctionCall("softmax", (np.full(2, number),)) for number in range(2 * MOST_OF_A_RUN + 1)]
    assert [answer.value[0] for answer in answers.ask(calls)] == [2 * number for number in range(len(calls))]
    assert len(runs) == 3


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


def text_of(students):
    """A solution whose softmax is wrong."""
    folder = students.folder(HW1)
    stub = open_homework(folder).homework.stub
    right = (find_course().solutions / HW1 / stub).read_text("utf-8")
    return f"{right}\n\ndef softmax(x):\n    return x * 0.5\n"


def outcomes(report):
    return {check.check: (check.outcome, check.earned) for check in report.results}


@pytest.mark.parametrize("function", [explain.Explainer.reason, work.exhibit], ids=["reason", "exhibit"])
def test_an_explanation_that_fails_leaves_the_plain_fact(students, function):
    text = text_of(students)
    usual = students.check(HW1, text)
    with raising(cast(FunctionType, function)):
        report = students.check(HW1, text)
    assert outcomes(report) == outcomes(usual)
    assert any(outcome is Outcome.FAILED for outcome, _ in outcomes(report).values())
    assert not any(note.startswith(NOT_EXPLAINED) for note in usual.notes)
    [note] = [note for note in report.notes if note.startswith(NOT_EXPLAINED)]
    assert "ZeroDivisionError: put in by a test" in note
    assert "numbers of the attention weights are wrong" in students.screen(report)


def test_a_check_that_raises_is_not_judged_and_the_others_are(students):
    def breaks():
        raise KeyError("x")

    text = text_of(students)
    usual = outcomes(students.check(HW1, text))
    folder = students.folder(HW1)
    public = open_homework(folder)
    first, *others = public.checks
    public = replace(public, checks=[replace(first, function=breaks), *others])
    with libraries_as_before():
        report = check_work(public, find_work(public, folder))
    assert outcomes(report)[first.name][0] is Outcome.NOT_JUDGED
    free = [check.name for check in others if first.name not in check.requires]
    assert {name: outcomes(report)[name] for name in free} == {name: usual[name] for name in free}
    assert report.notes[0].startswith(f"{OUR_FAULT} ({first.name}: KeyError: 'x'")
    assert not report.passed
    assert report.results[0].reason == OUR_FAULT
    assert "not your fault" in students.screen(report)


@pytest.fixture
def folder(tmp_path):
    return unzip(HW1, tmp_path)


def test_without_numpy_one_sentence_names_package_python_and_command(folder):
    without_numpy = CHECK.replace('"numpy", ', "")
    assert without_numpy != CHECK
    process = run(without_numpy, "check.py", cwd=folder)
    assert (process.returncode, process.stdout) == (2, "")
    assert to_students["setting_up.numpy-is-not-installed"] in process.stderr
    assert f"{sys.executable} -m pip install numpy" in process.stderr
    assert "Traceback" not in process.stderr
    by_pytest = run(PYTEST.replace('"numpy", ', ""), cwd=folder)
    assert f"{sys.executable} -m pip install numpy" in by_pytest.stderr
    assert "Traceback" not in by_pytest.stderr + by_pytest.stdout


def test_without_pytorch_the_table_says_so_and_blames_no_check(students, monkeypatch):
    monkeypatch.setattr(load, "_is_installed", lambda package: False)
    report = students.check(HW6, "import torch\n")
    assert to_students["setting_up.pytorch-is-not-installed"] in report.trouble
    assert sys.executable in report.trouble
    assert not report.passed


def test_a_reader_that_ends_early_brings_no_traceback(folder):
    program = subprocess.Popen(
        [sys.executable, "check.py"], cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    program.stdout.close()
    _, errors = program.communicate()
    assert errors == b""
