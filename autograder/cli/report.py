"""``autograder report`` and ``written``: the output folder again, and written answers for people to mark."""

from __future__ import annotations

from typer import Option

from autograder.cli.console import note, notes, say
from autograder.cli.options import (
    GradedCourseOption,
    GradedFolder,
    OnlyHomeworks,
    course_of,
)
from autograder.cli.progress import closing_table, published
from autograder.gradebook.opening import need_gradebook, open_gradebook, read_gradebook
from autograder.intake.csv_table import write_table
from autograder.report.exports import GRADES, REPORT, forget_submissions
from autograder.report.written import collect_written, merge_written, write_written_page

PAGE, TABLE = "written.html", "written.csv"
NOUNS = ("answer", "question", "row")


def report(folder: GradedFolder, course: GradedCourseOption = None) -> None:
    """Write grades.csv, report.html and each student's files again.

    Everything comes from gradebook.sqlite; no submission is run. For files that were deleted or edited, and
    after an update of the kit that shows results in another way.

    Exit status 0: written. 2: wrong usage, or a folder without a gradebook.

    Example: `autograder report graded`
    """
    need_gradebook(folder)
    with open_gradebook(folder) as book:
        found = course_of(book, course)
        forget_submissions(folder, ())
        closing_table(published(book, found, folder))
    say(f"Grades: {folder / GRADES}   Report: {folder / REPORT}")


def written(
    folder: GradedFolder,
    homework: OnlyHomeworks = None,
    anonymous: bool = Option(
        False,
        "--anonymous",
        help="Show codes in place of names, on the page and in the table.",
    ),
    course: GradedCourseOption = None,
) -> None:
    """Collect written answers to theory questions for marking.

    Writes OUT/written.html, where you mark the answers by the rubric and save a table, and OUT/written.csv,
    the same table for a spreadsheet. Put what the page saved in its place and run this again whenever you
    like: what was entered stays. Then give the class its points with `autograder policy OUT --manual
    OUT/written.csv`; after --anonymous, run this command once more without it first, which puts the names
    back.

    Exit status 0: written, or nobody gave a written answer. 2: wrong usage, or a damaged table.

    Example: `autograder written graded`
    """
    with read_gradebook(folder) as book:
        secret = book.secret_of_codes()
    if anonymous and not secret:
        with open_gradebook(folder) as book:
            secret = book.draw_secret_of_codes()
    with read_gradebook(folder) as book:
        homeworks = course_of(book, course).homeworks(homework)
        asked = collect_written(book.results(), homeworks, secret, anonymous=anonymous)
        names, marks, gradebook = book.names(), book.decisions.marks(), book.begun()
    path, chosen = folder / TABLE, [one.id for one in homeworks]
    if not asked and not path.is_file():
        note(
            f"{folder} holds no written answers; students give them in `answers`, and questions.toml asks"
        )
        return
    table = merge_written(
        path, asked, names, chosen, marks, secret, anonymous=anonymous
    )
    write_table(path, table.columns, table.cells)
    write_written_page(folder / PAGE, asked, table, gradebook)
    notes(
        f"{' / '.join(orphan)}: there is no such answer any more; the row keeps what was entered"
        for orphan in table.orphans
    )
    numbers = sum(len(one.answers) for one in asked), len(asked), table.unmarked
    counts = (
        f"{n} {noun}{'s' * (n != 1)}" for n, noun in zip(numbers, NOUNS, strict=True)
    )
    say(
        "{} to {}, {} without points".format(*counts)
        + f": {folder / PAGE}, {folder / TABLE}"
    )
    again = (
        f"autograder written {folder}, which puts the names back, and "
        if anonymous
        else ""
    )
    say(
        f"Mark on {PAGE}, or in {TABLE}; then: {again}autograder policy {folder} --manual {folder / TABLE}"
    )
