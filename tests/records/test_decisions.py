"""Decisions that people keep: tables as they write them, in any country, and how the gradebook holds them."""

import contextlib
import datetime as dt
import json
import sqlite3
from dataclasses import replace
from types import SimpleNamespace
from typing import cast
from zoneinfo import ZoneInfo

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from results import homework, submission
from wording import to_staff

from autograder.course.course import Course
from autograder.gradebook.decisions import Comment, DecisionRow, Mark, OutdatedDecision, Override, PolicyLine
from autograder.gradebook.fingerprint import Run
from autograder.gradebook.opening import FILE_NAME, SET_ASIDE, open_gradebook
from autograder.gradebook.schema import from_text, to_text
from autograder.intake.submission import Owner
from autograder.policy.decision_input import read_times, take_marks
from autograder.policy.names import Names
from autograder.policy.policy import Policy, PolicyError
from autograder.policy.tables import Row, iso_time, table_rows
from autograder.verdict.checks import CheckResult, Outcome

TIME = dt.datetime(2027, 2, 5, 23, 59, tzinfo=dt.timezone(dt.timedelta(hours=1)))
ODD = "not-utf8-\udcff \\udcff"
calm = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
"""No test depends on how fast the machine is."""
OVERRIDE = Override(ODD, "hwx", 1.5, "read by hand", check="double_sizes")
MARK = Mark(ODD, "hwx", "why", 1.0, 2.0, "short")
LINE = PolicyLine(
    ODD, "hwx", 1.0, None, 5.5, TIME, TIME, 2, 1, 10.0, 0.1, 0.0, None, ("why",), ("Late.", "Two.")
)


@pytest.fixture
def book(tmp_path):
    with open_gradebook(tmp_path) as opened:
        opened.keep(submission(ODD, homework()), "c", "g")
        yield opened


def decide(book):
    book.decisions.override(OVERRIDE)
    book.decisions.mark([MARK])
    book.decisions.set_times({(ODD, ""): TIME})
    book.decisions.set_spent_elsewhere("week1", {ODD: 2})


def decided(book):
    decisions = book.decisions
    return [decisions.overrides(), decisions.marks(), decisions.times(), decisions.spent_elsewhere()]


def test_decisions_come_back_as_they_were(book):
    decide(book)
    [[override], marks, times, spent] = decided(book)
    assert override == Override(ODD, "hwx", 1.5, "read by hand", check="double_sizes", id=1)
    assert (marks, times, spent) == ([MARK], {(ODD, ""): TIME}, {ODD: 2})


def test_decisions_outlive_a_regrade_a_fresh_start_and_the_submission(tmp_path):
    with open_gradebook(tmp_path) as book:
        decide(book)
        before = decided(book)
        book.keep(submission(ODD), "c2", "g2")
        book.forget_missing({}, "g", ())
    with open_gradebook(tmp_path, fresh=True) as book:
        assert decided(book) == before
        assert book.names() == set()


def test_an_unreadable_gradebook_is_set_aside_by_a_fresh_start_and_not_deleted(tmp_path):
    (tmp_path / FILE_NAME).write_bytes(b"torn")
    with open_gradebook(tmp_path, fresh=True) as book:
        assert book.names() == set()
    assert (tmp_path / SET_ASIDE).read_bytes() == b"torn"


def test_a_second_override_of_a_subject_replaces_the_first_and_keeps_its_number(book):
    for points in (1.5, 2.0):
        book.decisions.override(Override("ada", "hwx", points, "because"))
    book.decisions.override(Override("ada", "hwx", 1.0, "because", task="double"))
    whole, task = book.decisions.overrides()
    assert (whole.id, whole.points, task.points) == (1, 2.0, 1.0)
    assert task.id > 1


def test_an_override_is_removed_by_its_number_and_the_number_is_not_used_again(book):
    book.decisions.override(OVERRIDE)
    assert book.decisions.remove_override(1)
    assert not book.decisions.remove_override(1)
    book.decisions.override(OVERRIDE)
    assert [override.id for override in book.decisions.overrides()] == [2]


@pytest.mark.parametrize(("second", "marks_kept"), [(None, 1.0), (0.0, 0.0), (2.0, 2.0)])
def test_a_blank_mark_does_not_undo_one_that_was_given(book, second, marks_kept):
    book.decisions.mark([MARK])
    book.decisions.mark([Mark(ODD, "hwx", "why", second, 2.0)])
    assert [mark.points for mark in book.decisions.marks()] == [marks_kept]


def test_a_decision_on_what_was_replaced_by_a_new_hand_in_is_outdated_until_made_anew(book):
    book.keep(submission("ada", homework()), "c", "g")
    override, mark = Override("ada", "hwx", 1, "x"), Mark("ada", "hwx", "why", 1, 2)
    for decision in (mark, Mark("ada", "hwx", "how", None, 2), Mark("zoe", "hwx", "why", 1, 2)):
        book.decisions.mark([decision])
    book.decisions.override(override)
    book.keep(submission("ada", homework()), "c", "other graders")
    assert book.decisions.outdated() == []
    book.keep(submission("ada", homework()), "c2", "g")
    assert book.decisions.outdated() == [
        OutdatedDecision("ada", "override 1"),
        OutdatedDecision("ada", to_staff["decisions.mark-of-why"]),
    ]
    book.decisions.override(override)
    book.decisions.mark([mark])
    assert book.decisions.outdated() == []


def test_days_spent_in_another_folder_are_replaced_as_a_whole(book):
    book.decisions.set_spent_elsewhere("week1", {"ada": 2, "bob": 1})
    book.decisions.set_spent_elsewhere("week2", {"ada": 1})
    assert book.decisions.spent_elsewhere() == {"ada": 3, "bob": 1}
    book.decisions.set_spent_elsewhere("week1", {"ada": 1})
    assert book.decisions.spent_elsewhere() == {"ada": 2}


def test_owners_are_remembered_replaced_and_forgotten(book):
    ada = Owner("77", "Zoë Ada\udcff", TIME, True, 2, "ada@example.org")
    book.remember_owners({ODD: ada, "bob": Owner("88")})
    assert book.owners() == {ODD: ada, "bob": Owner("88")}
    book.remember_owners({ODD: Owner("77", late=False), "bob": None})
    known = replace(ada, submitted_at=None, late=False, attempt=None)
    assert book.owners() == {ODD: known, "bob": Owner("88")}
    book.forget_missing({}, "g", ())
    assert book.owners() == {}


def test_lines_come_back_as_they_were_and_go_with_a_new_grade(book):
    book.keep_lines([LINE])
    assert list(book.lines()) == [LINE]
    book.keep(submission(ODD, homework()), "c", "g")
    assert list(book.lines()) == []


def test_a_mistyped_year_whose_offset_has_seconds_comes_back(book):
    odd = dt.datetime(202, 5, 1, tzinfo=ZoneInfo("Europe/Berlin"))
    book.keep_lines([replace(LINE, due=odd, submitted_at=odd)])
    book.remember_owners({"bob": Owner("88", submitted_at=odd)})
    assert [(line.due, line.submitted_at) for line in book.lines()] == [(odd, odd)]
    assert book.owners()["bob"].submitted_at == odd


def test_late_days_are_counted_by_student(book):
    book.keep_lines(
        [LINE, PolicyLine("bob", "hwx", 1, 1, 5.5, late_days_used=2), PolicyLine("cyd", "hwx", 1, 1, 5.5)]
    )
    assert book.late_days_used() == {ODD: 1, "bob": 2}
    book.remember_owners({ODD: Owner("77"), "bob": Owner("77")})
    assert book.late_days_used() == {"77": 3}


def test_a_run_is_recorded_with_its_settings_and_what_came_out(tmp_path, book):
    book.begin_run(Run("full", 7, "g", 2, "grade class --out graded"))
    reader = sqlite3.connect(tmp_path / FILE_NAME)
    assert reader.execute("SELECT ended_at FROM runs").fetchall() == [(None,)], "until it has ended"
    book.keep(submission("ada", homework()), "c", "g")
    book.keep(submission("bob"), "c", "g")
    book.end_run()
    [(level, seed, graders, jobs, command, versions, outcomes, ended)] = reader.execute(
        "SELECT level, seed, graders, jobs, command, versions, outcomes, ended_at FROM runs"
    )
    reader.close()
    assert (level, seed, graders, jobs, command) == ("full", 7, "g", 2, "grade class --out graded")
    assert json.loads(outcomes) == {"graded": 1, "not_submitted": 1}, "not what an earlier run graded"
    assert set(json.loads(versions)) == {"kit", "python", "numpy", "torch"}
    assert dt.datetime.fromisoformat(ended).tzinfo is not None


def test_an_end_without_a_beginning_is_a_mistake(book):
    with pytest.raises(ValueError, check=to_staff["decisions.no-run-was-begun"]):
        book.end_run()


def test_grades_and_owners_can_be_asked_for_in_one_view(tmp_path, book):
    book.keep(submission("ada", homework()), "c", "g")
    book.remember_owners({"ada": Owner("77", "Ada", TIME, True)})
    book.keep_each("final", {"ada": 0.9})
    reader = sqlite3.connect(tmp_path / FILE_NAME)
    query = "SELECT student_id, student, raw, final, late, submitted_at FROM grades WHERE submission = 'ada'"
    assert reader.execute(query).fetchall() == [("77", "Ada", 1.0, 0.9, 1, TIME.isoformat())]
    reader.close()


@calm
@given(st.text(st.characters(exclude_categories=())))
def test_any_name_comes_back_from_its_text(name):
    assert from_text(to_text(name)) == name


COMMENTS = [
    Comment("g7", "", "hwx", "double", "twice", 0.5),
    Comment("", ODD, "", "", "well done"),
    Comment("", ODD, "hwx", "", "half", 2.0),
    Comment("", ODD, "hwx", "totals", "", 0.0),
]


def test_comments_come_back_as_they_were_those_on_groups_first(book):
    book.decisions.comment(COMMENTS[::-1])
    assert book.decisions.comments() == COMMENTS


def test_a_comment_replaces_the_one_on_its_subject_only_and_one_that_says_nothing_removes_it(book):
    book.decisions.comment(COMMENTS)
    book.decisions.comment([replace(COMMENTS[1], text="see me"), replace(COMMENTS[2], text="", points=None)])
    assert book.decisions.comments() == [COMMENTS[0], replace(COMMENTS[1], text="see me"), COMMENTS[3]]


def test_a_withdrawal_keeps_its_reason_and_is_undone_once(book):
    book.keep(submission("ada", homework()), "c", "g")
    book.decisions.withdraw(ODD, "another course")
    book.decisions.withdraw("ada", "twice")
    assert book.decisions.withdrawn() == {ODD: "another course", "ada": "twice"}
    assert book.decisions.bring_back(ODD)
    assert not book.decisions.bring_back(ODD)
    assert book.decisions.withdrawn() == {"ada": "twice"}


def test_the_log_names_submission_subject_points_and_reason(book):
    decide(book)
    override, mark = book.decisions.log()[::-1]
    time = override.made_at
    assert override == DecisionRow(ODD, "hwx", "override of double_sizes", 1.5, "read by hand", time)
    assert mark == DecisionRow(ODD, "hwx", "mark of why", 1.0, "short", "")


IDS = ["hwx", "hwy"]
TIME_UTC = dt.datetime(2027, 2, 5, 23, 59, tzinfo=dt.UTC)


def table(tmp_path, text):
    path = tmp_path / "table.csv"
    path.write_text(text, "utf-8")
    return path


def times(tmp_path, text, zone=None):
    return read_times(table(tmp_path, text), IDS, Policy(zone=zone))


def marks(tmp_path, text):
    return marks_in(table(tmp_path, text), IDS)


def marks_in(path, ids):
    """Those that a gradebook takes, of submissions that the tables below name."""
    course = SimpleNamespace(homework_ids=lambda: ids)
    question = CheckResult("theory_why", "theory", "Why?", 2.0, Outcome.COLLECTED)
    with open_gradebook(path.parent / "out") as book:
        for name in ("'tis", "=ada", "ada", "zoë"):
            book.keep(submission(name, homework(homework="hwx", checks=(question,))), "content", "graders")
        take_marks(book, cast(Course, course), path)
        return book.decisions.marks()


def test_times_are_read_for_all_homeworks_or_for_one(tmp_path):
    text = "submission,homework,submitted_at\nada,,2027-02-05T23:59:00Z\nada,hwy,2027-02-06 00:59+01:00\n"
    assert times(tmp_path, text) == {("ada", ""): TIME_UTC, ("ada", "hwy"): TIME_UTC}


def test_a_homework_is_named_by_its_beginning(tmp_path):
    ids = ["hw1_scores", "hw2_heads"]
    path = table(tmp_path, "submission,homework,submitted_at\nada,hw2,2027-02-05T23:59:00Z\n")
    assert read_times(path, ids, Policy()) == {("ada", "hw2_heads"): TIME_UTC}
    twice = table(tmp_path, "submission,homework,question,points,max\na,hw1,why,1,2\na,hw1_scores,why,1,2\n")
    with pytest.raises(PolicyError, match="line 3"):
        marks_in(twice, ids)


def test_a_time_without_a_zone_takes_that_of_the_policy_and_is_never_guessed(tmp_path):
    text = "submission,submitted_at\nada,2027-02-05 23:59\n"
    assert times(tmp_path, text, dt.UTC) == {("ada", ""): TIME_UTC}
    with pytest.raises(PolicyError, match=r"line 2: .*has no time zone"):
        times(tmp_path, text)


def test_the_grades_of_github_classroom_are_read_as_times(tmp_path):
    head = '"assignment_name","github_username","student_repository_name","submission_timestamp","group_name"'
    when = TIME_UTC.astimezone(dt.UTC)
    members = "".join(f'hw1,{login},hw1-keys,{when:%Y-%m-%dT%H:%M:%SZ},"The Keys!"\n' for login in "cd")
    text = f"{head}\nhw1,ada,hw1-ada,{when:%Y-%m-%d %H:%M:%S} UTC,\nhw1,bo,hw1-bo,,\n{members}"
    assert times(tmp_path, text) == {("ada", ""): TIME_UTC, ("the-keys", ""): TIME_UTC}
    with pytest.raises(PolicyError, match="line 2"):
        times(tmp_path, f"{head}\nhw1,ada,hw1-ada,friday,\n")


def test_a_table_saved_by_a_spreadsheet_is_read(tmp_path):
    text = "\ufeffsubmission;submitted_at;note\r\nzoë, ada;2027-02-05T23:59:00Z;x\r\n;;\r\n"
    assert times(tmp_path, text) == {("zoë, ada", ""): TIME_UTC}


def test_marks_are_read_with_maximum_and_comment(tmp_path):
    text = "submission,homework,question,max,points,comment\nada,hwx,essay,4,3.5,good\nada,hwx,oral,4,,\n"
    assert marks(tmp_path, text) == [
        Mark("ada", "hwx", "essay", 3.5, 4, "good"),
        Mark("ada", "hwx", "oral", None, 4, ""),
    ]


def test_the_maximum_of_a_known_question_need_not_be_told_and_wins(tmp_path):
    assert marks(tmp_path, "submission,homework,question,points\nada,hwx,why,1\n")[0].maximum == 2
    assert marks(tmp_path, "submission,homework,question,points,max\nada,hwx,why,1,9\n")[0].maximum == 2


def test_an_apostrophe_against_formulas_is_taken_off_again(tmp_path):
    text = "submission,homework,question,points,comment\n'=ada,hwx,why,1,'-1 for the sign\n'tis,hwx,why,1,\n"
    marks_read = marks(tmp_path, text)
    assert [(mark.submission, mark.comment) for mark in marks_read] == [
        ("'tis", ""),
        ("=ada", "-1 for the sign"),
    ]


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("submission,question,points\n", "lacks the column homework; it has: submission, question, points"),
        ("", "lacks the column submission, homework, question, points"),
        ("submission,homework,question,points\nada,hwz,why,1\n", "line 2: there is no homework 'hwz'"),
        ("submission,homework,question,points\n,hwx,why,1\n", "line 2: submission is blank"),
        ("submission,homework,question,points\n\nada,hwx,why,1\nada,hwx,why,-1\n", "line 4: points is '-1'"),
        ('submission,homework,question,points\nada,hwx,why,"1,500"\n', "a number such as 1.5"),
        ("submission;homework;question;points\nada;hwx;why;1,2,3\n", "points is '1,2,3'"),
        ("submission;homework;question;points\nada;hwx;why;3,5\n", "3.5 points are more than the 2 of 'why'"),
        ("submission,homework,question,points\nada,hwx,why,1_0\n", "points is '1_0'"),
        ("submission,homework,question,points\nada,hwx,why,nan\n", "points is 'nan'"),
        ("submission,homework,question,points\nada,hwx,why,3\n", "3 points are more than the 2 of 'why'"),
        ("submission,homework,question,points\nada,hwx,oral,3\n", "add a column max"),
        (
            "submission,homework,question,points\nada,hwx,why,1\nada,hwx,why,2\n",
            "an earlier line has the same values",
        ),
    ],
)
def test_a_mistake_is_told_with_its_line(tmp_path, text, complaint):
    with pytest.raises(PolicyError, match=r"table\.csv") as caught:
        marks(tmp_path, text)
    assert complaint in str(caught.value)


def test_a_time_that_is_none_is_told(tmp_path):
    with pytest.raises(PolicyError, check=to_staff["tables.line-submitted_at-is-friday"]):
        times(tmp_path, "submission,submitted_at\nada,friday\n")


@pytest.mark.parametrize(("separator", "encoding"), [(";", "utf-8"), ("\t", "utf-16"), (",", "utf-8-sig")])
def test_a_table_of_any_country_is_read(tmp_path, separator, encoding):
    rows = [
        ("submission", "homework", "question", "points", "comment"),
        ("zoë", "hwx", "why", "1", "a, b; c"),
    ]
    path = tmp_path / "table.csv"
    path.write_text("\n".join(separator.join(f'"{cell}"' for cell in row) for row in rows), encoding)
    [mark] = marks_in(path, IDS)
    assert (mark.submission, mark.points, mark.comment) == ("zoë", 1, "a, b; c")


@pytest.mark.parametrize("separator", [",", ";", "\t"])
def test_points_may_be_written_with_a_decimal_comma(tmp_path, separator):
    rows = [("submission", "homework", "question", "points", "max"), ("ada", "hwx", "oral", "3,5", "10,0")]
    text = "\n".join(separator.join(f'"{cell}"' for cell in row) for row in rows)
    [mark] = marks(tmp_path, text if separator == "," else text.replace('"', ""))
    assert (mark.points, mark.maximum) == (3.5, 10)


def test_a_row_that_ends_early_has_blank_cells(tmp_path):
    path = tmp_path / "table.csv"
    path.write_text("submission,homework,points\nada,hwx\n", "utf-8")
    [(line, row)] = table_rows(path, ["submission"])
    assert (line, row) == (2, {"submission": "ada", "homework": "hwx", "points": ""})


ZONE = dt.UTC


def times_written(tmp_path, text, encoding="utf-8"):
    path = tmp_path / "times.csv"
    path.write_bytes(text.encode(encoding))
    read = read_times(path, ["hwx"], Policy(zone=ZONE))
    return {name: time.isoformat() for (name, _), time in read.items()}


@pytest.mark.parametrize(
    ("cell", "iso"),
    [
        ("05.02.2027", "2027-02-05T00:00:00+00:00"),
        ("5.2.2027 23:59", "2027-02-05T23:59:00+00:00"),
        ("5. 2. 2027 9:05:30", "2027-02-05T09:05:30+00:00"),
        ("31/1/2027 8:00", "2027-01-31T08:00:00+00:00"),
        ("1/31/2027 11:59 PM", "2027-01-31T23:59:00+00:00"),
        ("1/31/2027, 12:00 am", "2027-01-31T00:00:00+00:00"),
        ("3/3/2027", "2027-03-03T00:00:00+00:00"),
        ("31-01-2027", "2027-01-31T00:00:00+00:00"),
        ("2027/2/5 7:00", "2027-02-05T07:00:00+00:00"),
        ("05.02.2027 23:59 +01:00", "2027-02-05T23:59:00+01:00"),
        ("05.02.2027 23:59 UTC", "2027-02-05T23:59:00+00:00"),
        ("2027-02-05 23:59 UTC", "2027-02-05T23:59:00+00:00"),
    ],
)
def test_a_local_date_with_its_year_is_read(tmp_path, cell, iso):
    assert times_written(tmp_path, f'submission,submitted_at\nada,"{cell}"\n') == {"ada": iso}


def test_what_may_be_two_days_is_as_the_other_dates_of_the_table(tmp_path):
    day_first = "submission,submitted_at\nada,2/5/2027\nbo,31/1/2027\n"
    month_first = "submission,submitted_at\nada,2/5/2027\nbo,1/31/2027\n"
    assert times_written(tmp_path, day_first)["ada"].startswith("2027-05-02")
    assert times_written(tmp_path, month_first)["ada"].startswith("2027-02-05")


@pytest.mark.parametrize("others", ["", "bo,31/1/2027\nzoe,1/31/2027\n"])
def test_what_may_be_two_days_otherwise_is_refused_with_the_remedy(tmp_path, others):
    with pytest.raises(PolicyError, check=to_staff["local.two-days"]):
        times_written(tmp_path, f"submission,submitted_at\nada,2/5/2027\n{others}")


@pytest.mark.parametrize(
    "cell", ["5.2.27", "5.13.2027", "32.1.2027", "1/31/2027 13:00 pm", "Feb 5, 2027", "5.2.2027x"]
)
def test_what_is_no_date_stays_an_error(tmp_path, cell):
    with pytest.raises(PolicyError, match="must be a time such as"):
        times_written(tmp_path, f'submission,submitted_at\nada,"{cell}"\n')


@given(st.text("0123456789./-: aAmMpPTZUC+,\u0661", max_size=24), st.sampled_from([None, True, False]))
def test_whatever_stands_in_a_cell_costs_no_more_than_a_message(text, day_first):
    assert isinstance(iso_time(text, day_first), str)
    row = Row({"due": text.strip()})
    row.day_first = day_first
    with contextlib.suppress(ValueError):
        assert row.time("due", ZONE).tzinfo is not None


def test_what_is_not_local_comes_back_as_it_was():
    for text in ("", "x", "2027-02-05T23:59:00Z", "2027-02-05"):
        assert iso_time(text, None) == text


def test_names_of_columns_count_in_any_case(tmp_path):
    text = "sep=;\r\nSubmission;Submitted At\r\nzoë;05.02.2027\r\n"
    assert list(times_written(tmp_path, text, "cp1252")) == ["zoë"]


def test_a_login_names_the_submission_of_its_owner(tmp_path):
    with open_gradebook(tmp_path) as book:
        for name in ("king_12", "noether_13", "noether"):
            book.keep(submission(name, homework()), "c", "g")
        ada = Owner("S12", "Ada", email="ada@x.edu", login="ada")
        emmy = Owner("S13", "Emmy", login="noether")
        book.remember_owners({"king_12": ada, "noether_13": emmy}, by_roster=["king_12", "noether_13"])
        names = Names(book)
        assert names.all("ada") == ["king_12"]
        assert names.all("login:noether") == ["noether_13"]
        assert names.all("Ada@X.edu") == names.all("email:ADA@x.edu") == ["king_12"], "in any case of letters"
        assert names.all("noether") == [], "it is a submission of somebody else, too"

        book.remember_owners({"king_12": Owner("12", "kingada"), "noether_13": Owner("13", "noetheremmy")})
        owners = book.owners()
    assert (owners["king_12"].login, owners["king_12"].student_id) == ("ada", "S12")
    assert (owners["noether_13"].login, owners["noether_13"].student_id) == ("noether", "S13")
