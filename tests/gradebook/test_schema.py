from __future__ import annotations

import json
import sqlite3
from pathlib import Path

import pytest
from results import homework, ours, submission

from autograder.gradebook.errors import GradebookError
from autograder.gradebook.opening import FILE_NAME, open_gradebook, read_gradebook
from autograder.gradebook.records import to_json
from autograder.gradebook.schema import FORMAT
from autograder.grading.results import SubmissionResult

FORMAT_1 = """
CREATE TABLE settings (key TEXT PRIMARY KEY, value TEXT NOT NULL);
CREATE TABLE submissions (
    name TEXT PRIMARY KEY, content TEXT NOT NULL, graders TEXT NOT NULL, status TEXT NOT NULL,
    earned REAL, result TEXT NOT NULL, graded_at TEXT NOT NULL DEFAULT CURRENT_TIMESTAMP
);
INSERT INTO settings VALUES ('format', '1'), ('seed', '41');
"""


def old_gradebook(folder: Path, *results: SubmissionResult) -> None:
    """Write a file as the first format had it."""
    connection = sqlite3.connect(folder / FILE_NAME)
    connection.executescript(FORMAT_1)
    connection.executemany(
        "INSERT INTO submissions (name, content, graders, status, earned, result)"
        " VALUES (?, 'c', 'g', ?, ?, ?)",
        [(one.name, one.status, one.earned, without_later_fields(one)) for one in results],
    )
    connection.commit()
    connection.close()


def without_later_fields(result: SubmissionResult) -> str:
    fields = json.loads(to_json(result))
    for one in fields["homeworks"]:
        for later in ("final", "changes", "awaiting"):
            del one[later]
    return json.dumps(fields)


def select(folder: Path, query: str) -> list[tuple[object, ...]]:
    connection = sqlite3.connect(folder / FILE_NAME)
    try:
        return connection.execute(query).fetchall()
    finally:
        connection.close()


def test_a_gradebook_of_the_first_format_is_upgraded_with_all_that_is_in_it(tmp_path: Path) -> None:
    results = [submission("ada", homework()), submission("bob", ours())]
    old_gradebook(tmp_path, *results)
    for _ in range(2):
        with open_gradebook(tmp_path) as book:
            assert list(book.results()) == results
            assert book.is_current("ada", "c", "g")
            assert book.setting("seed", "0") == "41"
    assert select(tmp_path, "SELECT check_name, earned FROM checks WHERE submission = 'ada'") == [
        ("double_published", 1.0),
        ("double_sizes", 0.0),
        ("totals", 0.0),
    ]
    assert select(tmp_path, "SELECT value FROM settings WHERE key = 'format'") == [(str(FORMAT),)]


def test_an_upgrade_that_fails_leaves_the_file_as_it_was(tmp_path: Path) -> None:
    old_gradebook(tmp_path, submission("ada", homework()))
    connection = sqlite3.connect(tmp_path / FILE_NAME)
    connection.execute("UPDATE submissions SET result = 'torn'")
    connection.commit()
    connection.close()
    with pytest.raises(ValueError, match="Expecting value"), open_gradebook(tmp_path):
        pass
    assert select(tmp_path, "SELECT value FROM settings WHERE key = 'format'") == [("1",)]
    assert select(tmp_path, "SELECT count(*) FROM sqlite_master WHERE name = 'checks'") == [(0,)]


def test_an_older_gradebook_is_not_changed_by_reading_and_the_remedy_is_told(tmp_path: Path) -> None:
    old_gradebook(tmp_path)
    with (
        pytest.raises(GradebookError, match=r"sqlite was written by an older version: `autograder policy`"),
        read_gradebook(tmp_path),
    ):
        pass
    assert select(tmp_path, "SELECT value FROM settings WHERE key = 'format'") == [("1",)]


def test_reading_needs_a_gradebook_and_begins_none(tmp_path: Path) -> None:
    with (
        pytest.raises(GradebookError, match="holds no gradebook: name the --out folder"),
        read_gradebook(tmp_path),
    ):
        pass
    assert list(tmp_path.iterdir()) == []


def test_the_checks_can_be_asked_for_and_follow_a_regrade(tmp_path: Path) -> None:
    with open_gradebook(tmp_path) as book:
        book.keep(submission("ada", homework()), "c", "g")
        columns = "task, outcome, earned, max, reason, misconceptions"
        row = f"SELECT {columns} FROM checks WHERE check_name = 'double_sizes'"
        assert select(tmp_path, row) == [
            (
                *("double", "failed", 0.0, 2.0),
                "the shape of the doubled numbers is (2,); expected is (3,).",
                '["hard-coded-size", "returns-tuple"]',
            )
        ]
        book.keep(submission("ada"), "c2", "g")
        assert select(tmp_path, row) == []
        book.keep(submission("ada", homework()), "c", "g")
        book.forget_all_but(set())
        assert select(tmp_path, "SELECT * FROM checks") == []
