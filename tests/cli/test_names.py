"""A submission is named the same way in every command: by name, id, login or mail, or by a beginning."""

import pytest
from results import homework, submission
from wording import to_staff

from autograder.gradebook.opening import open_gradebook, read_gradebook
from autograder.intake.submission import Owner
from autograder.policy.names import Names
from autograder.policy.policy import PolicyError

from .running import refusal, run, totals


@pytest.fixture
def out(tiny, tmp_path):
    """Of ada's two names one is the beginning of the other; nobody knows whose cyd is."""
    out = tmp_path / "graded"
    with open_gradebook(out) as book:
        for name in ("ada", "adam", "bob_attention", "cyd", "dora_1", "dora_2"):
            book.keep(submission(name, homework()), "c", "g")
        ada = Owner("1001", "Ada", email="Ada@x.edu", login="al17")
        bob = Owner("1002", "Bob", email="bob@x.edu", login="bb18")
        adam = Owner("1003", "Adam", email="adam@x.edu", login="al18")
        book.remember_owners({"ada": ada, "bob_attention": bob, "adam": adam})
    return out


@pytest.mark.parametrize(
    ("text", "name"),
    [
        *(("ada", "ada"), ("ADA", "ada"), ("adam", "adam"), ("bob", "bob_attention"), ("B", "bob_attention")),
        *(("1002", "bob_attention"), ("al17", "ada"), ("login:al17", "ada"), ("ada@x.edu", "ada")),
        *(("bob@", "bob_attention"), ("dora_1", "dora_1"), ("id:1003", "adam")),
    ],
)
def test_one_submission_is_picked(out, text, name):
    with read_gradebook(out) as book:
        assert Names(book).pick(text) == name


@pytest.mark.parametrize(
    ("text", "error"),
    [
        ("dora", to_staff["names.two"]),
        ("al1", to_staff["names.two-logins"]),
        ("zoe", to_staff["names.unknown"]),
        ("bbb18", to_staff["names.similar"]),
        ("", to_staff["names.blank"]),
    ],
)
def test_several_and_unknown_ones_are_listed(out, text, error):
    with read_gradebook(out) as book, pytest.raises(PolicyError, check=error):
        Names(book).pick(text)


@pytest.mark.parametrize(
    "command",
    [
        ("explain", "OUT", "dora", "--unsafe"),
        ("regrade", "OUT", "dora", "--unsafe"),
        ("withdraw", "OUT", "dora", "--reason", "x"),
        ("policy", "OUT", "--override", "dora", "--homework", "hwx", "--points", "1", "--reason", "x"),
    ],
    ids=lambda command: command[0],
)
def test_every_command_says_the_same_of_an_ambiguous_name(out, tiny, command):
    words = [str(out) if word == "OUT" else word for word in command]
    assert to_staff["names.two-on-the-terminal"] in refusal(run(*words, "--course", tiny.course.root))


def test_an_override_by_login_with_a_decimal_comma(out, tiny):
    how = ("--homework", "hwx", "--points", "0,5", "--reason", "oral")
    result = run("policy", out, "--course", tiny.course.root, "--override", "bb18", *how)
    assert (result.exit, totals(out)["bob_attention"]) == (0, "0.5")


@pytest.mark.parametrize("points", ["1,234", "nan", "inf", "x", "-1", ""])
def test_points_that_are_no_number_are_refused(out, tiny, points):
    how = ("--homework", "hwx", f"--points={points}", "--reason", "oral")
    assert run("policy", out, "--course", tiny.course.root, "--override", "ada", *how).exit == 2
    assert totals_or_none(out) is None


def totals_or_none(out):
    return totals(out) if (out / "grades.csv").is_file() else None


def test_tables_find_a_student_by_the_login(out, tiny, tmp_path):
    table = tmp_path / "times.csv"
    table.write_text("submission,submitted_at,homework\nbb18,2027-01-01T12:00:00Z,hwx\n", "utf-8")
    result = run("policy", out, "--course", tiny.course.root, "--times", table)
    assert (result.exit, result.err.count("yet")) == (0, 0)
    marks = tmp_path / "marks.csv"
    marks.write_text("submission,homework,question,points,max\nbb18,hwx,oral,1,2\n", "utf-8")
    assert run("policy", out, "--course", tiny.course.root, "--manual", marks).exit == 0
    with read_gradebook(out) as book:
        assert [mark.submission for mark in book.decisions.marks()] == ["bob_attention"]
