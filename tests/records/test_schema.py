import sqlite3

import pytest
from results import homework, submission
from wording import to_staff

from autograder.gradebook.opening import FILE_NAME, open_gradebook, read_gradebook
from autograder.gradebook.schema import FORMAT, GradebookError


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


def test_a_gradebook_of_the_format_before_is_taken_over(tmp_path):
    result = submission("ada", homework())
    with open_gradebook(tmp_path) as book:
        book.keep(result, "c", "g")
    connection = sqlite3.connect(tmp_path / FILE_NAME)
    connection.executescript(
        "DROP TABLE works; DROP TABLE history; UPDATE settings SET value = '3' WHERE key = 'format'"
    )
    connection.close()
    early = to_staff["schema.takes-it-over"]
    with pytest.raises(GradebookError, check=early), read_gradebook(tmp_path):
        pass
    with open_gradebook(tmp_path) as book:
        assert list(book.results()) == [book.with_work(result)] == [result]
        assert book.is_current("ada", "c", "g")
        book.keep(result, "c", "g2")
        assert len(list(book.history())) == 1


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
