"""What the commands say and write where a check of the course raises, or an explanation of the kit does."""

import contextlib
from types import FunctionType
from typing import cast

import pytest
from judging.injecting import raising
from tiny import CHECKS_FILE
from wording import to_staff

from autograder.exhibits import exhibits as work
from autograder.feedback import rendering
from autograder.gradebook import groups
from autograder.gradebook.opening import read_gradebook
from autograder.reasons import mutation
from autograder.report import answer_groups

from .conftest import RIGHT, TRIPLES
from .running import grade, results_of, rows, run

SIZES = """    compare([*cases.stored("double", None), *cases.fresh("double")])
"""
COUNTS = """    import numpy as np

    for known in cases.stored("double", None):
        np.bincount(submission.answer(known).value)
"""
TEXT = RIGHT.replace("return factor * x", "return factor * x if len(x) == 3 else 'text'")
SEED = ("--seed", "11")


@pytest.fixture
def counting(kit):
    """A course of which one check raises on answers that are no whole numbers, and what requires it."""
    kit.tiny.edit(
        CHECKS_FILE,
        "def test_double_sizes(cases, compare):\n",
        "def test_double_sizes(submission, cases):\n",
    )
    path = kit.tiny.edit(CHECKS_FILE, SIZES, COUNTS)
    text = path.read_text("utf-8").replace("points=2.5)", 'points=2.5, requires=["double_sizes"])')
    path.write_text(text, "utf-8")
    return kit


def line_of_bincount(kit):
    lines = (kit.tiny.folder / CHECKS_FILE).read_text("utf-8").splitlines()
    return next(number for number, line in enumerate(lines, 1) if "bincount" in line)


def test_a_check_that_raises_is_named_with_exception_and_line_and_has_no_points(counting):
    counting.submit("ada", TEXT)
    result = grade(counting.submissions, "--out", counting.out, *SEED)
    assert result.exit == 1
    place = f"(solutions/hwx/{CHECKS_FILE}:{line_of_bincount(counting)})"
    message = " ".join(result.err.split())
    assert "double_sizes was not judged: ValueError: " in message
    assert place in message.replace(f" {CHECKS_FILE}", CHECKS_FILE)
    assert message.count("was not judged") == 1
    assert to_staff["our-faults.correct-the-check-first"] in message
    [row] = rows(counting.out)
    assert (row["status"], row["hwx"], row["total"]) == ("infrastructure_error", "", "")


def test_the_other_checks_keep_their_points_on_every_page(counting):
    counting.submit("ada", TEXT)
    grade(counting.submissions, "--out", counting.out, *SEED)
    results = results_of(counting.out, "ada")
    assert "score" not in results
    assert not any("score" in test for test in results["tests"])
    judged = {test["extra_data"]["check"]: test["extra_data"] for test in results["tests"]}
    assert {name: (check["outcome"], check["earned"]) for name, check in judged.items()} == {
        "double_published": ("passed", 1.0),
        "double_sizes": ("not_judged", None),
        "totals": ("not_judged", None),
    }
    homework = results["extra_data"]["homeworks"]["hwx"]
    assert (homework["score"], homework["not_judged"]) == (None, ["double_sizes", "totals"])
    known = "1 of 1 points so far; not judged yet: double_sizes, totals"
    assert known in results["output"]
    feedback = (counting.out / "submissions" / "ada" / "feedback.html").read_text("utf-8")
    assert known in feedback
    assert "nothing to fix" not in feedback
    assert "ValueError" not in feedback
    report = (counting.out / "report.html").read_text("utf-8")
    assert "<code>double_sizes</code> (1)" in report
    explained = run("explain", "--unsafe", counting.out, "ada", "--check", "double_sizes")
    assert (explained.exit, known in " ".join(explained.out.split())) == (0, True)
    assert "ValueError" in explained.out


def test_the_same_command_grades_what_was_not_judged_once_the_check_is_mended(counting):
    counting.submit("ada", RIGHT)
    assert grade(counting.submissions, "--out", counting.out, *SEED).exit == 1
    counting.tiny.edit(
        CHECKS_FILE, "def test_double_sizes(submission, cases):\n", "def test_double_sizes(cases, compare):\n"
    )
    counting.tiny.edit(CHECKS_FILE, COUNTS, SIZES)
    assert grade(counting.submissions, "--out", counting.out).exit == 0
    [row] = rows(counting.out)
    assert (row["status"], row["total"]) == ("graded", "5.5")


def test_the_author_meets_a_check_that_raises_in_the_audit(counting):
    counting.tiny.edit(CHECKS_FILE, "np.bincount(", "np.bincount(0 * np.asarray(")
    counting.tiny.edit(
        CHECKS_FILE, "submission.answer(known).value)", "submission.answer(known).value).astype(int))"
    )
    result = run("audit", "hwx", "--jobs", "1")
    assert result.exit == 1
    [line] = [
        line
        for line in result.err.splitlines()
        if "double_sizes was not judged: ValueError" in line and "text" in line
    ]
    assert "“a text” from double" in line
    assert f"solutions/hwx/{CHECKS_FILE}:{line_of_bincount(counting)}" in line


# Explanations


@contextlib.contextmanager
def broken(function):
    with raising(cast(FunctionType, function)):
        yield


def test_an_explanation_that_fails_is_noted_at_the_end_and_told_by_explain(kit):
    kit.submit("ada", RIGHT)
    kit.submit("bob", TRIPLES)
    with broken(work.exhibit):
        result = grade(kit.submissions, "--out", kit.out, *SEED)
    assert result.exit == 0
    assert {row["submission"]: row["total"] for row in rows(kit.out)} == {"ada": "5.5", "bob": "2.5"}
    message = " ".join(result.err.split())
    assert "2 explanations could not be made" in message
    assert "bob, what came out for" in message
    assert "ZeroDivisionError: put in by a test" in message
    explained = run("explain", "--unsafe", kit.out, "bob")
    assert explained.exit == 0
    [line] = [
        line
        for line in explained.out.splitlines()
        if "an explanation failed" in line and "published/" in line
    ]
    assert line.startswith("no points depend on it")
    with read_gradebook(kit.out) as book:
        faults = {result.name: result.homeworks[0].explanation_faults for result in book.results()}
    assert faults["ada"] == ()
    assert len(faults["bob"]) == 2
    page = (kit.out / "submissions" / "bob" / "feedback.html").read_text("utf-8")
    assert "ZeroDivisionError" not in page


def test_explain_shows_what_it_can_where_one_of_its_parts_fails(kit):
    kit.submit("bob", TRIPLES)
    grade(kit.submissions, "--out", kit.out, *SEED)
    for function in (mutation.as_diffs, work.exhibit):
        with broken(function):
            result = run("explain", "--unsafe", kit.out, "bob")
        assert result.exit == 0, function.__name__
        assert "failed cases: published/double/printed" in result.out
        assert "an explanation failed" in result.out


@pytest.mark.parametrize(
    "function",
    [groups.Groups.assign, answer_groups.examples_of, mutation.as_diffs, rendering.rows_of],
    ids=["groups", "examples", "diffs", "pages"],
)
def test_what_is_only_shown_costs_no_grade_and_ends_no_grading(kit, function):
    wrong = TRIPLES.replace("3 * x", "-x[::-1]")
    for name, text in {"ada": RIGHT, "bob": wrong, "cyd": wrong, "dan": TRIPLES}.items():
        kit.submit(name, text)
    with broken(function):
        result = grade(kit.submissions, "--out", kit.out, *SEED)
    assert result.exit == 0
    totals = {row["submission"]: row["total"] for row in rows(kit.out)}
    assert totals == {"ada": "5.5", "bob": "2.5", "cyd": "2.5", "dan": "2.5"}
    assert "could not be made" in " ".join(result.err.split())
    for name in totals:
        assert results_of(kit.out, name)["score"] == float(totals[name])
        assert (kit.out / "submissions" / name / "feedback.html").is_file()


def test_the_exit_status_tells_only_of_the_submissions_that_were_given(counting):
    shape = "submission.answer(known).value.shape"  # text has none
    counting.tiny.edit(CHECKS_FILE, "np.bincount(submission.answer(known).value)", shape)
    counting.submit("week1/ada", TEXT)
    assert grade(counting.submissions / "week1", "--out", counting.out, *SEED).exit == 1
    counting.submit("late/bob")
    result = grade(counting.submissions / "late", "--out", counting.out, *SEED)
    assert result.exit == 0
    assert "ada" not in result.err
    statuses = {row["submission"]: row["status"] for row in rows(counting.out)}
    assert statuses == {"ada": "infrastructure_error", "bob": "graded"}
