"""The gradebook as a file: what it keeps, its versions, and who may open it at one time."""

import hashlib
import os
import platform
import signal
import sqlite3
import subprocess
import sys
from contextlib import closing
from dataclasses import replace
from subprocess import PIPE

import pytest
from results import homework, ours, submission
from wording import to_staff

from autograder.gradebook import opening, schema
from autograder.gradebook.opening import (
    FILE_NAME,
    LOCK_FILE,
    SET_ASIDE,
    exclusive,
    open_gradebook,
    read_gradebook,
)
from autograder.gradebook.schema import FORMAT, GradebookError
from autograder.intake.submission import Owner
from autograder.sandbox.report import Status

ODD_NAMES = [
    "two\nlines",
    "quote'; DROP TABLE submissions; --",
    'double "quotes"',
    "not-utf8-\udcff\udcfe",
    "null\x00byte",
    "bell\x07 \x1b[31m",
    "=1+1",
    "ünïcödé 🎓",
    " ",
    "%s ? :name",
]


def names(folder):
    with open_gradebook(folder) as book:
        return [result.name for result in book.results()]


def keep(book, result, content="c", graders="g"):
    book.keep(result, content, graders)


def test_a_kept_result_is_there_after_reopening(tmp_path):
    result = submission("ada", homework(), problems=("a problem",))
    folder = tmp_path / "graded" / "week 1"
    with open_gradebook(folder) as book:
        keep(book, result)
    with open_gradebook(folder) as book:
        assert list(book.results()) == [result]


def test_a_gradebook_is_closed_in_the_end(tmp_path):
    with open_gradebook(tmp_path) as book:
        keep(book, submission("ada"))
    with pytest.raises(sqlite3.ProgrammingError, match="closed"):
        list(book.results())
    assert [path.name for path in tmp_path.iterdir()] == [FILE_NAME]


def test_a_result_is_on_disk_as_soon_as_it_is_kept(tmp_path):
    with open_gradebook(tmp_path) as book:
        keep(book, submission("ada", homework()))
        reader = sqlite3.connect(tmp_path / FILE_NAME)
        assert reader.execute("SELECT name, status, earned FROM submissions").fetchall() == [
            ("ada", "graded", 1.0)
        ]
        reader.close()


def test_results_come_sorted_by_name(tmp_path):
    with open_gradebook(tmp_path) as book:
        assert book.last_run_at() is None
        for name in ("cleo", "ada", "Bob"):
            keep(book, submission(name))
    assert names(tmp_path) == ["Bob", "ada", "cleo"]


def test_a_grade_is_current_for_its_content_and_graders_only_and_replaces_the_one_before(tmp_path):
    asked = [("ada", "c", "g"), ("ada", "new", "g"), ("ada", "c", "other"), ("bob", "c", "g")]
    with open_gradebook(tmp_path) as book:
        keep(book, submission("ada", homework()))
        assert [book.is_current(*each) for each in asked] == [True, False, False, False]
        keep(book, submission("ada", homework(status=Status.CRASHED)), "new")
        assert [result.status for result in book.results()] == [Status.CRASHED]
        assert [book.is_current(*each) for each in asked] == [False, True, False, False]


@pytest.mark.parametrize(
    "result",
    [
        submission("ada", ours()),
        submission("ada", homework(), ours(homework="hwy")),
        submission("ada", homework(), fault="Traceback"),
    ],
)
def test_a_grade_that_is_missing_by_our_fault_is_never_current(tmp_path, result):
    with open_gradebook(tmp_path) as book:
        keep(book, result)
        assert not book.is_current("ada", "c", "g")


@pytest.mark.parametrize("status", [status for status in Status if not status.is_our_fault])
def test_every_other_status_is_a_grade(tmp_path, status):
    with open_gradebook(tmp_path) as book:
        keep(book, submission("ada", homework(status=status)))
        assert book.is_current("ada", "c", "g")


def test_our_fault_is_blank_and_not_zero_in_the_file(tmp_path):
    with open_gradebook(tmp_path) as book:
        keep(book, submission("ada", ours()))
        keep(book, submission("bob"))
    rows = sqlite3.connect(tmp_path / FILE_NAME).execute("SELECT name, earned FROM submissions ORDER BY name")
    assert rows.fetchall() == [("ada", None), ("bob", 0.0)]


def test_what_is_missing_is_forgotten_only_when_asked(tmp_path):
    with open_gradebook(tmp_path) as book:
        for name in ("ada", "bob", "cleo"):
            keep(book, submission(name))
        held = dict.fromkeys(("ada", "cleo", "dan"), "c")
        assert book.missing(held, ()) == ["bob"]
        book.forget_missing(held, "g", ())
        assert [result.name for result in book.results()] == ["ada", "cleo"]
        book.forget_missing({}, "g", ())
        assert list(book.results()) == []


@pytest.mark.parametrize("name", ODD_NAMES)
def test_odd_names_are_kept_found_and_forgotten_like_any_other(tmp_path, name):
    with open_gradebook(tmp_path) as book:
        keep(book, submission("ada"))
        keep(book, submission(name))
        assert book.is_current(name, "c", "g")
        book.forget_missing({name: "c"}, "g", ())
        assert [result.name for result in book.results()] == [name]
        book.forget_missing({"ada": "c"}, "g", ())
        assert list(book.results()) == []


def test_two_odd_names_are_never_taken_for_one(tmp_path):
    pair = ["\udcff", r"\udcff"]
    with open_gradebook(tmp_path) as book:
        for name in pair:
            keep(book, submission(name))
        assert sorted(result.name for result in book.results()) == sorted(pair)
        book.forget_missing({pair[0]: "c"}, "g", ())
        assert [result.name for result in book.results()] == pair[:1]


def test_fresh_keeps_a_gradebook_that_can_be_read(tmp_path):
    with open_gradebook(tmp_path) as book:
        keep(book, submission("ada"))
        book.set("seed", "5")
    with open_gradebook(tmp_path, fresh=True) as book:
        assert [result.name for result in book.results()] == ["ada"]
        assert book.setting_or_store("seed", "8") == "5"


def test_outdated_grades_stay_until_they_are_given_again(tmp_path):
    with open_gradebook(tmp_path) as book:
        for name in ("ada", "bob"):
            keep(book, submission(name, homework()))
        book.outdate(["ada"], "g")
        assert [book.is_current(name, "c", "g") for name in ("ada", "bob")] == [False, True]
        assert [result.earned for result in book.results()] == [1.0, 1.0]


def test_fresh_removes_what_an_interrupted_run_left(tmp_path):
    for suffix in ("", "-wal", "-shm", "-journal"):
        (tmp_path / f"{FILE_NAME}{suffix}").write_bytes(b"left over")
    with open_gradebook(tmp_path, fresh=True) as book:
        keep(book, submission("ada"))
    assert names(tmp_path) == ["ada"]


def notes(path):
    path.write_text("my precious notes, " * 50, "utf-8")


def another_database(path):
    with closing(sqlite3.connect(path)) as other:
        other.execute("CREATE TABLE submissions (who TEXT)")
        other.commit()


def another_version(path):
    with open_gradebook(path.parent) as book:
        book.set("format", "99")


@pytest.mark.parametrize(
    ("write", "fresh", "reason"),
    [
        (notes, False, to_staff["book.not-a-gradebook-fresh"]),
        (another_database, False, to_staff["book.not-a-gradebook"]),
        (another_version, False, to_staff["book.written-by-another-version"]),
        (another_version, True, to_staff["book.written-by-another-version"]),
    ],
)
def test_what_is_no_gradebook_of_this_version_is_refused_and_left_alone(tmp_path, write, fresh, reason):
    write(tmp_path / FILE_NAME)
    size = (tmp_path / FILE_NAME).stat().st_size
    with (
        pytest.raises(GradebookError, check=reason),
        open_gradebook(tmp_path, fresh=fresh) as book,
    ):
        list(book.results())
    assert (tmp_path / FILE_NAME).stat().st_size == size
    assert not (tmp_path / SET_ASIDE).exists()


def test_an_out_folder_that_is_a_file_is_refused(tmp_path):
    path = tmp_path / "grades.csv"
    notes(path)
    with pytest.raises(GradebookError, check=to_staff["book.cannot-hold-a-gradebook"]), open_gradebook(path):
        pass
    assert path.read_text("utf-8").startswith("my precious notes")


def test_a_setting_keeps_the_first_default_until_it_is_changed(tmp_path):
    with open_gradebook(tmp_path) as book:
        assert [book.setting_or_store("seed", default) for default in ("41", "42")] == ["41", "41"]
        book.set("seed", "6")
    with open_gradebook(tmp_path) as book:
        assert book.setting_or_store("seed", "43") == "6"


@pytest.mark.parametrize("open_one", [open_gradebook, read_gradebook])
@pytest.mark.parametrize(
    "earlier", ["ALTER TABLE owners DROP COLUMN login", "DROP TABLE withdrawals"], ids=["column", "table"]
)
def test_an_early_form_of_the_format_is_refused(tmp_path, open_one, earlier):
    with open_gradebook(tmp_path) as book:
        keep(book, submission("ada", homework()))
    with closing(sqlite3.connect(tmp_path / FILE_NAME)) as connection:
        connection.execute(earlier)
        connection.commit()
    with pytest.raises(GradebookError, check=to_staff["book.early-form"]), open_one(tmp_path):
        pass


def test_the_tables_of_a_format_stay_as_they_are(tmp_path):
    """Whoever changes a table gives the format another number, and sees to it that the last one is read."""
    with open_gradebook(tmp_path):
        pass
    with closing(sqlite3.connect(tmp_path / FILE_NAME)) as connection:
        columns = sorted((table, *sorted(names)) for table, names in schema.columns_of(connection).items())
    digest = hashlib.sha256(repr(columns).encode()).hexdigest()[:16]
    assert {schema.FORMAT: digest} == {4: "e6b8b3154b2baad2"}


def test_a_gradebook_that_another_run_writes_to_is_refused(tmp_path, monkeypatch):
    monkeypatch.setattr(opening, "BUSY_SECONDS", 0.01)
    with open_gradebook(tmp_path) as book:
        keep(book, submission("ada"))
    other = sqlite3.connect(tmp_path / FILE_NAME)
    other.execute("BEGIN EXCLUSIVE")
    for fresh in (False, True):
        with (
            pytest.raises(GradebookError, check=to_staff["book.in-use"]),
            open_gradebook(tmp_path, fresh=fresh),
        ):
            pass
    other.rollback()
    other.close()
    assert names(tmp_path) == ["ada"]


def test_a_lock_taken_while_the_gradebook_is_open_is_told_as_such(tmp_path, monkeypatch):
    monkeypatch.setattr(opening, "BUSY_SECONDS", 0.01)
    other = sqlite3.connect(tmp_path / FILE_NAME, isolation_level=None)

    def keep_while_locked():
        with open_gradebook(tmp_path) as book:
            other.execute("BEGIN IMMEDIATE")
            keep(book, submission("ada"))

    with pytest.raises(GradebookError, check=to_staff["book.in-use"]):
        keep_while_locked()
    other.close()


def test_a_gradebook_that_is_a_folder_is_refused(tmp_path):
    (tmp_path / FILE_NAME).mkdir()
    for fresh in (False, True):
        with pytest.raises(GradebookError, match="another --out"), open_gradebook(tmp_path, fresh=fresh):
            pass


def test_an_error_of_the_caller_passes_and_keeps_what_was_kept(tmp_path):
    def keep_and_fail():
        with open_gradebook(tmp_path) as book:
            keep(book, submission("ada"))
            raise KeyError("mine")

    with pytest.raises(KeyError, match="mine"):
        keep_and_fail()
    assert names(tmp_path) == ["ada"]


def test_a_platform_that_says_less_takes_no_student_from_a_submission(tmp_path):
    known = Owner("S12", "Ada Lovelace", email="ada@example.org", login="ada-l")
    with open_gradebook(tmp_path) as book:
        book.keep(submission("ada_12", homework()), "c", "g")
        book.remember_owners({"ada_12": known})
        book.remember_owners({"ada_12": Owner("12", "lovelaceada", late=True)})
        assert book.owners() == {"ada_12": replace(known, late=True)}
        book.remember_owners({"ada_12": replace(known, late=False)}, superseded=["ada_12"])
        assert book.owners() == {"ada_12": replace(known, late=True)}, (
            "of what counts, not of what it replaced"
        )


def test_a_roster_replaces_what_an_earlier_one_said_also_where_it_has_no_addresses(tmp_path):
    with open_gradebook(tmp_path) as book:
        book.keep(submission("ada_12", homework()), "c", "g")
        book.remember_owners(
            {"ada_12": Owner("S13", "Bob King", email="bob@example.org")}, by_roster=["ada_12"]
        )
        book.remember_owners({"ada_12": Owner("S12", "Ada Lovelace")}, by_roster=["ada_12"])
        assert book.owners() == {"ada_12": Owner("S12", "Ada Lovelace")}


def test_the_secret_of_codes_is_drawn_once_and_found_again(tmp_path):
    with open_gradebook(tmp_path / "one") as book:
        assert book.secret_of_codes() == ""
        secret = book.draw_secret_of_codes()
        assert len(secret) >= 64
        assert [book.draw_secret_of_codes(), book.secret_of_codes()] == [secret, secret]
    with open_gradebook(tmp_path / "two") as book:
        assert book.draw_secret_of_codes() != secret


def select(folder, query):
    connection = sqlite3.connect(folder / FILE_NAME)
    try:
        return connection.execute(query).fetchall()
    finally:
        connection.close()


@pytest.mark.parametrize("number", [2, FORMAT + 1])
@pytest.mark.parametrize("open_one", [open_gradebook, read_gradebook])
def test_a_gradebook_of_another_format_is_refused_unchanged(tmp_path, open_one, number):
    with open_gradebook(tmp_path) as book:
        book.keep(submission("ada", homework()), "c", "g")
        book.set("format", str(number))
    with (
        pytest.raises(GradebookError, check=to_staff["schema.sqlite-was-written-format"]),
        open_one(tmp_path),
    ):
        pass
    assert select(tmp_path, "SELECT value FROM settings WHERE key = 'format'") == [(str(number),)]
    assert select(tmp_path, "SELECT name FROM submissions") == [("ada",)]


def test_an_empty_file_is_filled_by_grading_but_not_by_reading(tmp_path):
    (tmp_path / FILE_NAME).touch()
    with pytest.raises(GradebookError, check=to_staff["schema.empty-grade"]), read_gradebook(tmp_path):
        pass
    with open_gradebook(tmp_path):
        pass
    with read_gradebook(tmp_path) as book:
        assert book.names() == set()


def test_reading_needs_a_gradebook_and_begins_none(tmp_path):
    with (
        pytest.raises(GradebookError, check=to_staff["schema.holds-no-gradebook-name"]),
        read_gradebook(tmp_path),
    ):
        pass
    assert list(tmp_path.iterdir()) == []


def test_the_checks_can_be_asked_for_and_follow_a_regrade(tmp_path):
    with open_gradebook(tmp_path) as book:
        book.keep(submission("ada", homework()), "c", "g")
        columns = "task, outcome, earned, max, reason, misconceptions"
        row = f"SELECT {columns} FROM checks WHERE check_name = 'double_sizes'"
        assert select(tmp_path, row) == [
            (
                *("double", "failed", 0.0, 2.0),
                to_staff["schema.shape-of-the-doubled-numbers"],
                '["hard-coded-size", "returns-tuple"]',
            )
        ]
        book.keep(submission("ada", homework(checks=())), "c2", "g")
        assert select(tmp_path, row) == []
        book.keep(submission("ada", homework()), "c", "g")
        book.forget_missing({}, "g", ())
        assert select(tmp_path, "SELECT * FROM checks") == []


HOLDER = """
import sys, time
from pathlib import Path
from autograder.gradebook.opening import open_gradebook
sys.argv = ["autograder", "grade"]
with open_gradebook(Path({folder!r})):
    print("open", flush=True)
    time.sleep(600)
"""


def test_a_second_writer_is_refused_and_told_who_the_first_is(tmp_path, monkeypatch):
    monkeypatch.setattr(sys, "argv", ["autograder", "grade", "class"])
    with (
        open_gradebook(tmp_path),
        pytest.raises(GradebookError, check=to_staff["lock.wait-until-it-ends"]) as caught,
        open_gradebook(tmp_path, fresh=True),
    ):
        pass
    message = str(caught.value)
    assert f"`autograder grade`, process {os.getpid()} on {platform.node()}, since 2" in message
    assert str(tmp_path) in message


def test_the_lock_goes_with_its_holder_and_leaves_no_file(tmp_path):
    for _ in range(2):
        with open_gradebook(tmp_path) as book:
            assert (tmp_path / LOCK_FILE).is_file()
            book.keep(submission("ada"), "c", "g")
        assert not (tmp_path / LOCK_FILE).exists()


def test_an_error_inside_frees_the_folder(tmp_path):
    with pytest.raises(ZeroDivisionError), open_gradebook(tmp_path):
        raise ZeroDivisionError
    with open_gradebook(tmp_path):
        pass


def test_a_killed_holder_leaves_the_folder_free(tmp_path):
    program = HOLDER.format(folder=str(tmp_path))
    process = subprocess.Popen([sys.executable, "-c", program], stdout=PIPE, text=True)
    try:
        assert process.stdout.readline() == "open\n"
        with pytest.raises(GradebookError, match=f"process {process.pid} on"), open_gradebook(tmp_path):
            pass
        process.send_signal(signal.SIGKILL)
        process.wait(timeout=60)
    finally:
        process.kill()
    assert (tmp_path / LOCK_FILE).exists(), "the file stays, the lock does not"
    with open_gradebook(tmp_path):
        pass


def test_a_folder_that_cannot_be_locked_is_refused(tmp_path):
    (tmp_path / LOCK_FILE).mkdir()
    with pytest.raises(GradebookError, check=to_staff["lock.cannot-be-locked"]), open_gradebook(tmp_path):
        pass


def test_a_reader_needs_no_lock(tmp_path):
    with open_gradebook(tmp_path) as book:
        book.keep(submission("ada"), "c", "g")
        with read_gradebook(tmp_path) as reader:
            assert reader.names() == {"ada"}


@pytest.mark.parametrize("text", ["", "{}", "no json", "[1]"])
def test_a_holder_without_a_name_is_refused_all_the_same(tmp_path, text):
    with exclusive(tmp_path):
        (tmp_path / LOCK_FILE).write_text(text, "utf-8")
        with (
            pytest.raises(GradebookError, check=to_staff["lock.in-use-by-another-autograder"]),
            exclusive(tmp_path),
        ):
            pass


def test_who_waited_at_a_file_that_is_gone_takes_the_new_one(tmp_path, monkeypatch):
    """Between opening and locking, the last holder may remove the file."""
    path = tmp_path / LOCK_FILE
    really_open, opened = os.open, []

    def open_and_lose(*arguments):
        opened.append(really_open(*arguments))
        if len(opened) == 1:
            path.unlink()
        return opened[-1]

    monkeypatch.setattr(os, "open", open_and_lose)
    with exclusive(tmp_path):
        assert len(opened) == 2
        assert path.is_file()
