"""New due dates: from a table for one folder, and from the table in the course's folder."""

import datetime as dt
from collections.abc import Callable

import pytest
from results import homework, submission
from wording import to_staff

from autograder.gradebook.opening import open_gradebook
from autograder.intake.submission import Owner

from .classroom import read_rows
from .running import Done, results_of, rows, run, totals

DUE = dt.datetime(2027, 2, 5, 23, 59, tzinfo=dt.UTC)
TWO_DAYS = dt.timedelta(days=2)
RULES = 'penalty_per_day = 10\ntime_zone = "UTC"\n'
Policy = Callable[..., Done]


@pytest.fixture
def course(tiny):
    (tiny.course.root / "policy.toml").write_text(RULES, "utf-8")
    return tiny.course.root


@pytest.fixture
def out(tmp_path):
    """ada and bob handed in two days late; two files are bob's; nobody knows whose cyd is."""
    out = tmp_path / "graded"
    with open_gradebook(out) as book:
        for name in ("ada", "bob", "bob-again", "cyd"):
            book.keep(submission(name, homework()), "c", "g")
        bob = Owner("2", "Bob", DUE + TWO_DAYS, email="bob@x.edu")
        ada = Owner("1", "Ada", DUE + TWO_DAYS, email="ada@x.edu")
        book.remember_owners({"ada": ada, "bob": bob, "bob-again": bob})
    return out


@pytest.fixture
def policy(course, out):
    def apply(text="", *arguments):
        table = course / "given.csv"
        table.write_text(text, "utf-8")
        more = ("--extensions", table) if text else ()
        return run("policy", out, "--course", course, *more, *arguments)

    return apply


def reasons(out):
    return {row["submission"]: row["reason"] for row in read_rows(out / "policy.csv")}


@pytest.mark.parametrize("who", ["ada", "1", "ada@x.edu"])
@pytest.mark.parametrize("homework_id", ["", "hwx", "hw"])
def test_a_submission_a_student_or_an_address_has_longer(policy, out, who, homework_id):
    result = policy(f"submission,homework,due\n{who},{homework_id},2027-02-07T23:59:00Z\n")
    assert (result.exit, result.err) == (0, to_staff["extensions.read"])
    assert totals(out) == {"ada": "1", "bob": "0.8", "bob-again": "0.8", "cyd": "1"}
    assert reasons(out)["ada"] == to_staff["extensions.due-extended"]
    assert to_staff["extensions.due-extended"] in results_of(out, "ada")["output"]


def test_all_submissions_of_a_student_have_longer(policy, out):
    policy("submission,due\n2,2027-02-07T23:59:00Z\n")
    assert totals(out) == {"ada": "0.8", "bob": "1", "bob-again": "1", "cyd": "1"}


def test_a_name_that_is_another_students_id_is_refused_with_both_names(policy, out):
    with open_gradebook(out) as book:
        book.keep(submission("2", homework()), "c", "g")  # nobody knows whose it is; 2 is bob's id
        book.remember_owners({"2": Owner("", "Someone", DUE + TWO_DAYS)})
    result = policy("submission,due\n2,2027-02-07T23:59:00Z\n")
    assert (result.exit, result.err) == (2, to_staff["extensions.a-name-or-an-id"])
    for who, longer in (("id:2", {"bob", "bob-again"}), ("submission:2", {"2"})):
        assert policy(f"submission,due\n{who},2027-02-07T23:59:00Z\n").exit == 0
        assert {name for name, total in totals(out).items() if total == "1"} >= {"cyd", *longer}
    assert totals(out)["ada"] == "0.8"


def test_an_extension_that_became_unclear_is_given_to_nobody_and_said(policy, out):
    policy("submission,due\n1,2027-02-07T23:59:00Z\n")
    assert totals(out)["ada"] == "1"
    with open_gradebook(out) as book:
        book.keep(submission("1", homework()), "c", "g")
        book.remember_owners({"1": Owner("", "Someone", DUE + TWO_DAYS)})
    result = policy()
    assert to_staff["extensions.became-unclear"] in result.err
    assert (totals(out)["ada"], totals(out)["1"]) == ("0.8", "0.8")


def test_a_time_for_a_student_with_two_submissions_is_refused_with_both_names(course, out):
    table = course / "times.csv"
    table.write_text("submission,submitted_at\n2,2027-02-05T23:59:00Z\n", "utf-8")
    result = run("policy", out, "--course", course, "--times", table)
    assert (result.exit, result.err) == (2, to_staff["extensions.two-submissions"])


def test_what_is_later_still_is_late_from_the_new_due_date(policy, out):
    policy("submission,due\nada,2027-02-06 23:59\n")
    assert totals(out)["ada"] == "0.9"
    assert reasons(out)["ada"] == to_staff["extensions.late-after-all"]


def test_a_date_alone_lasts_until_it_ends(policy, out):
    policy("submission,due\nada,2027-02-07\n")
    assert totals(out)["ada"] == "1"


def test_an_extension_is_kept_until_another_is_given_for_the_same(policy, out):
    policy("submission,due\nada,2027-02-07\n")
    assert (policy().exit, totals(out)["ada"]) == (0, "1")
    policy("submission,due\nada,2027-02-06\n")
    assert totals(out)["ada"] == "0.9"
    policy("submission,due\nada,2027-02-05 23:59\n")
    assert totals(out)["ada"] == "0.8"
    assert "extended" not in reasons(out)["ada"]


def test_the_table_in_the_courses_folder_holds_unless_the_gradebook_has_its_own(policy, course, out):
    (course / "extensions.csv").write_text("submission,due\nada,2027-02-07\ndan@x.edu,2027-02-07\n", "utf-8")
    assert policy().err == to_staff["extensions.nobodys"]
    assert totals(out)["ada"] == "1"
    policy("submission,due\nada,2027-02-06\n")
    assert totals(out)["ada"] == "0.9"


def test_who_has_not_handed_in_is_said_and_has_the_extension_then(policy, out):
    result = policy("submission,due\ndan@x.edu,2027-02-07\n")
    assert result.err == to_staff["extensions.waiting"]
    with open_gradebook(out) as book:
        book.keep(submission("dan", homework()), "c", "g")
        book.remember_owners({"dan": Owner("", "Dan", DUE + TWO_DAYS, email="dan@x.edu")})
    policy()
    assert totals(out)["dan"] == "1"


@pytest.mark.parametrize(
    ("text", "entry"),
    [
        ("submission,due\nada,2027-02-07\nbob,soon\n", to_staff["extensions.bad-date"]),
        ("submission,homwork,due\nada,hwx,2027-02-07\n", to_staff["extensions.unknown-column"]),
        ("submission,homework\nada,hwx\n", to_staff["extensions.no-due"]),
        ("submission,due\nada,\n", to_staff["extensions.blank-due"]),
        ("submission,homework,due\nada,hwz,2027-02-07\n", to_staff["extensions.unknown-homework"]),
        ("submission,due\nada,2026-02-07\n", to_staff["extensions.before-the-due-date"]),
        ("submission,due\nada,2027-02-07\nada,2027-02-08\n", to_staff["extensions.twice"]),
    ],
)
def test_a_wrong_table_changes_nothing_and_says_where(policy, out, text, entry):
    policy()
    result = policy(text)
    assert (result.exit, result.err) == (2, entry)
    assert (policy().exit, totals(out)["ada"]) == (0, "0.8")


def test_a_time_without_a_zone_asks_for_one(policy, course, out):
    (course / "policy.toml").write_text("penalty_per_day = 10\n", "utf-8")
    result = policy("submission,due\nada,2027-02-07\n")
    assert (result.exit, result.err) == (2, to_staff["extensions.no-zone"])


def test_a_wrong_table_of_the_course_is_said_with_its_line(policy, course):
    (course / "extensions.csv").write_text("submission,due\nada,soon\n", "utf-8")
    result = policy()
    assert (result.exit, result.err) == (2, to_staff["extensions.wrong-of-the-course"])


def test_times_of_a_student_who_had_not_handed_in_count_once_they_do(policy, course, out):
    (course / "times.csv").write_text("submission,submitted_at\n4,2027-02-06 12:00\n", "utf-8")
    policy("", "--times", course / "times.csv")
    with open_gradebook(out) as book:
        book.keep(submission("dan", homework()), "c", "g")
        book.remember_owners({"dan": Owner("4", "Dan")})
    policy()
    assert totals(out)["dan"] == "0.9"


def test_grades_say_whose_a_submission_is_and_whether_it_was_late(policy, out):
    with open_gradebook(out) as book:
        book.keep(submission("eve", homework()), "c", "g")
        book.remember_owners({"eve": Owner("5", "Eve", late=True)})  # the platform says late, not when
    policy("submission,due\nada,2027-02-07\n")
    who = ("name", "student_id", "email", "late")
    assert list(rows(out)[0])[-5:] == ["max", *who]
    assert {row["submission"]: tuple(row[key] for key in who) for row in rows(out)} == {
        "ada": ("Ada", "1", "ada@x.edu", "no"),
        "bob": ("Bob", "2", "bob@x.edu", "yes"),
        "bob-again": ("Bob", "2", "bob@x.edu", "yes"),
        "cyd": ("", "", "", ""),
        "eve": ("Eve", "5", "", "yes"),
    }
    report = (out / "report.html").read_text("utf-8")
    assert '["Bob","2","bob@x.edu","yes"]' in report
