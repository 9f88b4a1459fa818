"""``autograder report``: write the output folder again from its gradebook."""

from __future__ import annotations

from autograder.cli.console import note, say
from autograder.cli.options import GradedCourseOption, GradedFolder, course_of
from autograder.cli.progress import closing_table
from autograder.records import GRADES, REPORT, forget_submissions, need_gradebook, open_gradebook, publish


def report(folder: GradedFolder, course: GradedCourseOption = None) -> None:
    """Write grades.csv, report.html and every student's files again: `autograder report graded`.

    Everything comes from gradebook.sqlite; no submission is run. For files that were deleted or edited, and
    after an update of the kit that shows results in another way.
    """
    need_gradebook(folder)
    with open_gradebook(folder) as book:
        found = course_of(book, course)
        forget_submissions(folder, ())
        closing_table(publish(book, found, folder, note), found.homework_ids())
    say(f"Grades: {folder / GRADES}   Report: {folder / REPORT}")
