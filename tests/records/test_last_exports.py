"""The gradebook knows what was exported last, to whom which points went, and what has changed since."""

import datetime as dt
from dataclasses import replace
from pathlib import Path

from results import homework_grade, submission_grade

from autograder.cli.status import _next
from autograder.gradebook.opening import open_gradebook
from autograder.policy.policy import Policy
from autograder.report.last_exports import (
    EXPORTS,
    TOTAL,
    exported_points,
    keep_export,
    last_exports,
    outdated_exports,
)
from autograder.report.situation import ClassSituation
from autograder.sandbox.report import Status

HW1 = homework_grade(homework="hw1")
HW2 = homework_grade(homework="hw2")
ADA = submission_grade("ada", HW1, HW2)
LESS = submission_grade("ada", replace(HW1, final=0.5), HW2)


def test_an_export_replaces_the_one_before_in_the_same_column_only(tmp_path):
    with open_gradebook(tmp_path) as book:
        keep_export(book, [ADA], "moodle", "hw1", "Week 1", {"s1": 1.0})
        keep_export(book, [ADA], "moodle", "hw1", "Trial", {"s1": 2.0})
        keep_export(book, [ADA], "moodle", "hw1", "Week 1", {"s1": None})
        keep_export(book, [ADA], "moodle", "hw1")
        assert exported_points(book, "moodle", "hw1", "Week 1") == {"s1": None}
        assert exported_points(book, "moodle", "hw1", "Trial") == {"s1": 2.0}
        assert exported_points(book, "moodle", "hw2", "Week 1") is None
        columns = [(export.column, export.is_feedback) for export in last_exports(book)]
        assert columns == [("Trial", False), ("Week 1", False), ("", True)]


def test_points_of_an_earlier_homework_are_outdated_after_the_export_of_a_later_one(tmp_path):
    with open_gradebook(tmp_path) as book:
        keep_export(book, [ADA], "moodle", "hw1", "Week 1", {"s1": 1.0})
        keep_export(book, [ADA], "moodle", "hw2", "Week 2", {"s1": 1.0})
        exports = last_exports(book)
        assert outdated_exports(exports, [ADA]) == []
        assert outdated_exports(exports, [LESS]) == ["hw1"]
        keep_export(book, [LESS], "moodle", "hw1", "Week 1", {"s1": 0.5})
        assert outdated_exports(last_exports(book), [LESS]) == []


def test_exports_of_an_earlier_version_are_still_known(tmp_path):
    with open_gradebook(tmp_path) as book:
        row = '{"platform": "moodle", "what": "hw1", "is_feedback": false, "when": "2027-02-01T00:00:00Z"'
        book.set(EXPORTS, f'[{row}, "digest": "0"}}]')
        [export] = last_exports(book)
        assert (export.platform, export.what, export.points) == ("moodle", "hw1", None)
        assert export.when == dt.datetime(2027, 2, 1, tzinfo=dt.UTC)


def situation(book, *, grade=ADA):
    exports = last_exports(book)
    return ClassSituation(
        statuses={Status.GRADED: 1},
        graded={"hw1": 1, "hw2": 1},
        unmarked={},
        failed=(),
        unclear=(),
        empty=(),
        outdated=(),
        without_time=(),
        nobodys=(),
        withdrawn={},
        unfinished=None,
        policy=Policy(),
        exports=exports,
        outdated_exports=outdated_exports(exports, [grade]),
    )


def test_the_next_command_exports_what_was_not_or_has_changed(tmp_path):
    def command(grade=ADA):
        return _next(Path("graded"), situation(book, grade=grade), None, "")[0]

    with open_gradebook(tmp_path) as book:
        keep_export(book, [ADA], "moodle", "hw1", "Week 1", {"s1": 1.0})
        assert command() == "autograder export graded --to moodle --roster CSV --homework hw2"
        keep_export(book, [ADA], "moodle", "hw2", "Week 2", {"s1": 1.0})
        assert command().startswith("nothing")
        assert command(LESS) == "autograder export graded --to moodle --roster CSV --homework hw1"
    with open_gradebook(tmp_path / "other") as book:
        keep_export(book, [ADA], "moodle", TOTAL, "All", {"s1": 1.0})
        assert command().startswith("nothing")
        assert command(LESS) == "autograder export graded --to moodle --roster CSV --total"
