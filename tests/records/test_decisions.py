import datetime as dt
import json
import sqlite3
from contextlib import closing
from dataclasses import replace
from zoneinfo import ZoneInfo

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from results import homework, submission
from wording import to_staff

from autograder.gradebook.decisions import Comment, Mark, Override, PolicyLine
from autograder.gradebook.fingerprint import Run
from autograder.gradebook.opening import FILE_NAME, SET_ASIDE, open_gradebook, read_gradebook
from autograder.gradebook.schema import from_text, to_text
from autograder.intake.submission import Owner

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
        ("ada", "override 1"),
        ("ada", to_staff["decisions.mark-of-why"]),
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
    assert book.withdrawn() == {ODD: "another course", "ada": "twice"}
    assert book.decisions.bring_back(ODD)
    assert not book.decisions.bring_back(ODD)
    assert book.withdrawn() == {"ada": "twice"}


def test_the_log_names_submission_subject_points_and_reason(book):
    decide(book)
    override, mark = book.decisions.log()[::-1]
    assert override[:5] == (ODD, "hwx", "override of double_sizes", 1.5, "read by hand")
    assert mark[:5] == (ODD, "hwx", "mark of why", 1.0, "short")


def test_the_content_of_times_from_an_earlier_gradebook_is_unknown(tmp_path):
    with open_gradebook(tmp_path) as book:
        book.keep(submission("ada", homework()), "c", "g")
        book.decisions.set_times({("ada", "hwx"): TIME}, {("ada", "hwx"): "c"})
        assert book.decisions.contents_at_times() == {("ada", "hwx"): "c"}
    with closing(sqlite3.connect(tmp_path / FILE_NAME)) as earlier:
        earlier.execute("ALTER TABLE times DROP COLUMN content")
        earlier.commit()
    with read_gradebook(tmp_path) as book:
        assert book.decisions.contents_at_times() == {("ada", "hwx"): ""}
