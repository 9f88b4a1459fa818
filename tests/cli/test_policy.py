"""The policy is recomputed from the gradebook, with new due dates: what is written, kept and refused."""

import datetime as dt
import json
import sqlite3
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

import pytest
from results import FAILED, homework, ours, submission
from tiny import HOMEWORK, Tiny
from wording import to_staff

from autograder.cli import policy as policy_module
from autograder.gradebook.opening import FILE_NAME, open_gradebook, read_gradebook
from autograder.intake.submission import Owner
from autograder.verdict.checks import Outcome

from .classroom import read_rows
from .conftest import TRIPLES
from .running import Done, grade, refusal, results_of, rows, run, totals

DUE = dt.datetime(2027, 2, 5, 23, 59, tzinfo=dt.UTC)
POLICY = "penalty_per_day = 10\nlate_days = 1\n"
COLLECTED = replace(FAILED, check="theory_why", task="theory", outcome=Outcome.COLLECTED, reason="Collected.")


@dataclass(frozen=True)
class Graded:
    """A tiny course and a class of three in a gradebook: ada in time, bob two days late, cyd our fault."""

    tiny: Tiny
    out: Path

    def policy(self, *arguments):
        return run("policy", self.out, "--course", self.tiny.course.root, *arguments)

    def write(self, name, text):
        path = self.tiny.course.root / name
        path.write_text(text, "utf-8")
        return path

    def lines(self):
        return read_rows(self.out / "policy.csv")

    def feedback(self, name):
        return (self.out / "submissions" / name / "feedback.html").read_text("utf-8")


@pytest.fixture
def graded(tiny, tmp_path):
    out = tmp_path / "graded"
    with open_gradebook(out) as book:
        for name, homework_result in (("ada", homework()), ("bob", homework()), ("cyd", ours())):
            book.keep(submission(name, homework_result), "c", "g")
        book.remember_owners(
            {
                "ada": Owner("1", submitted_at=DUE),
                "bob": Owner("2", submitted_at=DUE + dt.timedelta(days=2)),
                "cyd": Owner("3", submitted_at=DUE),
            }
        )
    return Graded(tiny, out)


def test_without_rules_the_points_of_the_checks_are_written(graded):
    result = graded.policy()
    assert (result.exit, result.err) == (0, "")
    assert to_staff["policy.points-of-the-checks-count"] in result.out
    assert totals(graded.out) == {"ada": "1", "bob": "1", "cyd": ""}
    assert not (graded.out / "policy.csv").exists()


def test_the_courses_policy_is_applied_everywhere_and_our_fault_stays_blank(graded):
    graded.write("policy.toml", POLICY)
    result = graded.policy()
    assert result.exit == 0
    assert totals(graded.out) == {"ada": "1", "bob": "0.9", "cyd": ""}
    assert list(rows(graded.out)[0])[:5] == ["submission", "status", "hwx", "total", "max"]
    assert results_of(graded.out, "bob")["score"] == 0.9
    assert "score" not in results_of(graded.out, "cyd")
    assert "1 late day used. 10 % off: 0.1 points." in graded.feedback("bob")
    assert to_staff["policy.handed-in-days-late"] in result.out
    assert [(row["submission"], row["raw"], row["final"]) for row in graded.lines()] == [
        ("ada", "1", "1"),
        ("bob", "1", "0.9"),
        ("cyd", "", ""),
    ]


def test_of_many_changes_the_first_are_shown_and_where_all_of_them_are(graded):
    names = [f"late{number:02d}" for number in range(24)]
    with open_gradebook(graded.out) as book:
        for name in names:
            book.keep(submission(name, homework()), "c", "g")
        book.remember_owners({name: Owner(name, submitted_at=DUE + dt.timedelta(days=2)) for name in names})
    graded.write("policy.toml", POLICY)
    lines = graded.policy().out.splitlines()
    names_shown = [line.split()[0] for line in lines if line.startswith(("bob", "late0", "late1", "late2"))]
    assert names_shown == ["bob", *names[:19]]
    assert f"and 5 more: see {graded.out / 'policy.csv'}" in lines


def test_the_list_is_cut_on_a_terminal_only(graded, monkeypatch):
    assert run("policy", graded.out, "--list").out == to_staff["policy.there-are-no-overrides-and-no-marks"]
    for name in ("1", "2", "3"):
        graded.policy("--override", name, "--homework", "hwx", "--points", 1, "--reason", "So")
    monkeypatch.setattr(policy_module, "MOST_LINES", 2)
    assert run("policy", graded.out, "--list").out.count("the whole homework") == 3
    monkeypatch.setattr(policy_module.out, "is_interactive", True)
    cut = run("policy", graded.out, "--list").out
    assert cut.count("the whole homework") == 2
    assert cut.splitlines()[-1].startswith("and 1 more: ")


def test_rules_that_are_gone_are_taken_back_everywhere(graded):
    path = graded.write("policy.toml", POLICY)
    graded.policy()
    path.unlink()
    assert graded.policy().exit == 0
    assert totals(graded.out)["bob"] == "1"
    assert "late day" not in graded.feedback("bob")
    assert results_of(graded.out, "bob")["score"] == 1.0
    assert not (graded.out / "policy.csv").exists()


def test_running_it_again_writes_the_same_bytes(graded):
    graded.write("policy.toml", POLICY)
    written = []
    for _ in range(2):
        graded.policy()
        files = [
            path for path in sorted(graded.out.rglob("*.*")) if path.suffix in (".csv", ".json", ".html")
        ]
        written.append({path: path.read_bytes() for path in files})
    assert written[0] == written[1]


def test_only_pages_that_change_are_written(graded):
    graded.policy()
    page = graded.out / "submissions" / "ada" / "feedback.html"
    page.write_text("as it was", "utf-8")
    graded.write("policy.toml", POLICY)
    graded.policy()
    assert page.read_text("utf-8") == to_staff["policy.was"]
    assert "late" in graded.feedback("bob")


def test_a_policy_that_is_named_is_kept_for_the_folder(graded):
    strict_policy = graded.write("strict.toml", "penalty_per_day = 50\n")
    graded.policy("--policy", strict_policy)
    strict_policy.unlink()
    graded.write("policy.toml", POLICY)
    assert graded.policy().exit == 0
    assert totals(graded.out)["bob"] == "0"


def test_times_of_a_table_count_more_than_those_of_the_platform(graded):
    graded.write("policy.toml", "penalty_per_day = 10\n")
    path = graded.write(
        "times.csv", "submission,submitted_at\n1,2027-02-06T12:00:00Z\nbob,2027-02-05T12:00:00Z\n"
    )
    result = graded.policy("--times", path)
    assert result.err == to_staff["policy.times-of-submission-read"]
    assert totals(graded.out) == {"ada": "0.9", "bob": "1", "cyd": ""}
    graded.policy()
    assert totals(graded.out) == {"ada": "0.9", "bob": "1", "cyd": ""}


def test_an_override_is_kept_listed_and_taken_back(graded):
    how = ("--override", "1", "--homework", "hwx", "--check", "double_sizes", "--points", 1.5)
    assert graded.policy(*how, "--reason", "One slip").exit == 0
    assert totals(graded.out)["ada"] == "2.5"
    assert to_staff["policy.double_sizes-points-instead"] in str(results_of(graded.out, "ada"))
    assert "1.5 points instead of 0. One slip." in graded.feedback("ada")
    listed = run("policy", graded.out, "--list")
    assert listed.exit == 0
    assert "double_sizes" in listed.out
    assert "One slip" in listed.out
    assert graded.policy("--remove", 1).exit == 0
    assert totals(graded.out)["ada"] == "1"
    assert "One slip" not in graded.feedback("ada")


def test_marks_are_merged_and_what_is_not_marked_is_listed_and_provisional(graded):
    with open_gradebook(graded.out) as book:
        for name in ("ada", "bob"):
            homework_result = homework()
            book.keep(
                submission(name, replace(homework_result, checks=(*homework_result.checks, COLLECTED))),
                "c",
                "g",
            )
    head = "submission,homework,question,max,points,comment\n"
    path = graded.write("written.csv", f"{head}ada,hwx,why,2,1.5,nearly\nbob,hwx,why,2,,\n")
    result = graded.policy("--manual", path)
    assert to_staff["policy.marks-read-from-answers"] in result.err
    assert to_staff["policy.provisional-for-answers"] in result.err
    assert totals(graded.out) == {"ada": "2.5", "bob": "1", "cyd": ""}
    assert {row["max"] for row in rows(graded.out)} == {"7.5"}
    assert "nearly" in graded.feedback("ada")
    assert to_staff["policy.points-are-provisional-why"] in graded.feedback("bob")
    assert [row["not_marked_yet"] for row in graded.lines()] == ["", "why", ""]


def test_names_that_no_submission_has_are_listed_and_their_marks_not_taken(graded):
    marks = graded.write(
        "m.csv", "submission,homework,question,max,points\nad,hwx,oral,2,1\nbob,hwx,oral,2,1\n"
    )
    times = graded.write("t.csv", "submission,submitted_at\neve,2027-02-06T12:00:00Z\n")
    result = graded.policy("--manual", marks, "--times", times)
    assert result.exit == 0
    assert to_staff["policy.no-submission-is-called-eve"] in result.err
    assert to_staff["policy.no-submission-is-called-ad"] in result.err
    assert totals(graded.out)["bob"] == "2"
    with open_gradebook(graded.out) as book:
        assert [mark.submission for mark in book.decisions.marks()] == ["bob"]


def test_files_of_whom_the_grader_failed_follow_the_rules_too(graded):
    graded.policy()
    before = graded.feedback("cyd")
    graded.write("policy.toml", '[homeworks.hwx]\nextra_credit = ["totals"]\n')
    graded.policy()
    after = graded.feedback("cyd")
    assert after != before
    (graded.out / "submissions" / "cyd" / "feedback.html").unlink()
    graded.policy()
    assert graded.feedback("cyd") == after


def test_late_days_of_an_earlier_folder_are_gone(graded, tmp_path):
    graded.write("policy.toml", POLICY)
    graded.policy()
    later = Graded(graded.tiny, tmp_path / "later")
    with open_gradebook(later.out) as book:
        book.keep(submission("robert", homework()), "c", "g")
        book.remember_owners({"robert": Owner("2", submitted_at=DUE + dt.timedelta(days=1))})
    assert later.policy().exit == 0
    assert totals(later.out) == {"robert": "1"}
    result = later.policy("--earlier", graded.out)
    assert result.err == to_staff["policy.late-days-were-spent"]
    assert totals(later.out) == {"robert": "0.9"}


@pytest.fixture
def refused(graded):
    def refused(*arguments):
        result = graded.policy(*arguments)
        assert result.exit == 2
        assert result.out == ""
        assert "Traceback" not in result.err
        assert not (graded.out / "grades.csv").exists()
        return " ".join(result.err.replace("│", " ").split())

    return refused


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (("--override", "ada"), "--homework ID, --points N and --reason TEXT"),
        (("--points", 3), "name the submission with --override NAME"),
        (("--override", "ada", "--homework", "hwx", "--points", 1, "--reason", " "), "--reason TEXT"),
        (("--override", "adx", "--homework", "hwx", "--points", 1, "--reason", "x"), "did you mean ada?"),
        (("--override", "ada", "--homework", "hw9", "--points", 1, "--reason", "x"), "no homework 'hw9'"),
        (("--override", "ada", "--homework", "hwx", "--points", 6, "--reason", "x"), "6 points are more"),
        (("--override", "ada", "--homework", "hwx", "--points", -1, "--reason", "x"), "--points"),
        (("--remove", 3), "there is no override 3: --list shows them"),
        (("--policy", "nowhere.toml"), "nowhere.toml cannot be read"),
        (("--times", "nowhere.csv"), "nowhere.csv cannot be read"),
        (("--manual", "nowhere.csv"), "nowhere.csv cannot be read"),
        (("--earlier", "nowhere"), "nowhere holds no gradebook"),
    ],
)
def test_wrong_usage_is_told_and_nothing_is_written(refused, arguments, complaint):
    assert complaint in refused(*arguments)


def test_with_one_wrong_table_nothing_of_the_others_is_kept(graded):
    """The grades would change with the next command, and nobody would know why."""
    rules = graded.write("rules.toml", "penalty_per_day = 50\nlate_days = 1\n")
    times = graded.write("times.csv", "submission,submitted_at\nada,2027-03-01T00:00:00Z\n")
    marks = graded.write("marks.csv", "submission,homework,question,points,max\nada,hwx,oral,1,1\n")
    wrong = graded.write("more.csv", "submission,due\nada,soon\n")
    assert "read from" not in refusal(
        graded.policy("--policy", rules, "--times", times, "--manual", marks, "--extensions", wrong)
    )
    with read_gradebook(graded.out) as book:
        assert (book.decisions.times(), book.decisions.marks()) == ({}, [])
        assert not book.find_setting("policy")


def test_a_task_and_a_check_at_once_are_refused(refused):
    how = ("--override", "ada", "--homework", "hwx", "--points", 1, "--reason", "x")
    assert "not both" in refused(*how, "--task", "double", "--check", "double_sizes")


def test_a_wrong_policy_is_told_and_nothing_is_written(graded, refused):
    graded.write("policy.toml", "penalty_per_daj = 10\n")
    assert refused() == to_staff["policy.penalty_per_daj-is-unknown"]


def test_a_folder_without_a_gradebook_is_refused_and_stays_as_it_was(tiny, tmp_path):
    for options in ((), ("--list",)):
        result = run("policy", tmp_path / "nowhere", "--course", tiny.course.root, *options)
        assert result.exit == 2
        assert result.err == to_staff["policy.holds-no-gradebook-name"]
    assert not (tmp_path / "nowhere").exists()


def test_the_command_leads_with_whose_points_it_changed_and_the_rules_before_bonus(graded):
    bonus = '[homeworks.hwx]\nextra_credit = ["totals"]\n'
    graded.write("policy.toml", POLICY + bonus)
    lines = graded.policy().out.splitlines()
    heads = [line.split()[0] for line in lines]
    assert heads[:2] == ["submission", "bob"]
    assert "points changed: 1, stayed equal: 2" in lines
    rules = next(place for place, line in enumerate(lines) if line.startswith("in force: hwx: due 2027"))
    [extra] = [place for place, line in enumerate(lines) if "Extra credit" in line and place > rules]
    assert lines[extra] == to_staff["policy.one-line-of-bonus"]
    again = graded.policy().out.splitlines()
    assert again[0] == to_staff["policy.nothing-changed"]
    assert again[1:] == lines[-len(again) + 1 :]


def test_overrides_without_effect_are_listed_in_one_note(graded):
    how = ("--homework", "hwx", "--points", 0.5, "--reason", "So")
    for name in ("ada", "bob"):
        graded.policy("--override", name, *how, "--check", "double_sizes")
    with open_gradebook(graded.out) as book:
        for name in ("ada", "bob"):
            book.keep(submission(name, homework(checks=())), "c", "g")
    [line] = [line for line in graded.policy().err.splitlines() if "no effect" in line]
    assert line == to_staff["policy.overrides-without-effect"]


LATE = "submission,submitted_at\nada,2027-02-06T12:00:00Z\nbob,2027-02-01T12:00:00Z\n"


def select(out, query):
    connection = sqlite3.connect(out / FILE_NAME)
    try:
        return connection.execute(query).fetchall()
    finally:
        connection.close()


def grade_two(kit):
    kit.submit("ada")
    kit.submit("bob", TRIPLES)
    assert grade(kit.submissions, "--out", kit.out, "--seed", 7).exit == 0


def decide(kit):
    """Make ada late by a table, and give bob a check by hand."""
    (kit.root / "policy.toml").write_text("penalty_per_day = 20\n", "utf-8")
    (kit.root / "times.csv").write_text(LATE, "utf-8")
    how = ("--override", "bob", "--homework", "hwx", "--check", "double_published", "--points", 0.5)
    assert run("policy", kit.out, "--times", "times.csv", *how, "--reason", "the idea is right").exit == 0


@pytest.mark.parametrize("how", ["--resume", "--fresh"])
def test_decisions_are_kept_and_applied_when_submissions_are_graded_again(kit, how):
    grade_two(kit)
    decide(kit)
    assert totals(kit.out) == {"ada": "4.4", "bob": "3"}
    checks = kit.tiny.folder / f"test_{HOMEWORK}.py"
    checks.write_text(f"{checks.read_text('utf-8')}\n# other graders\n", "utf-8")
    assert grade(kit.submissions, "--out", kit.out, how).exit == 0
    assert totals(kit.out) == {"ada": "4.4", "bob": "3"}
    assert results_of(kit.out, "ada")["score"] == 4.4
    assert select(kit.out, "SELECT submission, raw, final FROM grades ORDER BY 1") == [
        ("ada", 5.5, 4.4),
        ("bob", 2.5, 3.0),
    ]


def test_a_wrong_policy_stops_before_anything_is_graded(kit):
    kit.submit("ada")
    (kit.root / "policy.toml").write_text("late_dayz = 2\n", "utf-8")
    assert to_staff["policy_grading.late_dayz-is-unknown"] in refusal(
        grade(kit.submissions, "--out", kit.out)
    )
    assert not (kit.out / "submissions").exists()


def test_a_second_grade_on_the_folder_stops_and_changes_nothing(kit):
    grade_two(kit)
    before = (kit.out / "grades.csv").read_bytes()
    kit.submit("cyd")
    with open_gradebook(kit.out):
        for command in (("grade", kit.submissions, "--out", kit.out, "--unsafe"), ("policy", kit.out)):
            result = run(*command)
            assert result.exit == 2
            assert to_staff["policy_grading.use"] in result.err
            assert to_staff["policy_grading.wait-until-it-ends"] in result.err
    assert (kit.out / "grades.csv").read_bytes() == before


def test_each_run_is_recorded(kit):
    grade_two(kit)
    kit.submit("cyd")
    grade(kit.submissions, "--out", kit.out, "--jobs", 1)
    first, second = select(kit.out, "SELECT seed, command, outcomes, ended_at IS NULL FROM runs ORDER BY id")
    assert (first[0], second[0]) == (7, 7)
    assert str(second[1]).startswith("grade ")
    assert [json.loads(str(grading[2])) for grading in (first, second)] == [{"graded": 2}, {"graded": 1}]
    assert (first[3], second[3]) == (0, 0)
    assert select(kit.out, "SELECT submission, run FROM gradings ORDER BY 1") == [
        ("ada", 1),
        ("bob", 1),
        ("cyd", 2),
    ]


def test_a_regrade_by_other_checks_shows_in_the_diff(kit):
    grade_two(kit)
    other = kit.root / "other"
    kit.submit("bob")
    assert grade(kit.submissions, "--out", other, "--seed", 8).exit == 0
    result = run("diff", kit.out, other)
    assert result.exit == 1
    assert to_staff["policy_grading.submissions-have-other"] in result.out
    assert "seed 7 → 8" in " ".join(result.out.replace("│", " ").split())


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
