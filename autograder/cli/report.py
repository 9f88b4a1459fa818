"""``autograder report`` and ``written``: the output folder again, and written answers for people to mark."""

from __future__ import annotations

from typer import Option

from autograder.cli.console import note, notes, print_line
from autograder.cli.options import (
    GradedCourseOption,
    GradedFolder,
    OnlyHomeworks,
    course_of,
)
from autograder.cli.progress import closing_table, print_files, publish_grades
from autograder.csv_table import write_table
from autograder.gradebook.opening import need_gradebook, open_gradebook, read_gradebook
from autograder.report.exports import forget_submissions
from autograder.report.written import collect_written, merge_written, write_written_page

PAGE = "written.html"
TABLE = "written.csv"


def report(folder: GradedFolder, course_root: GradedCourseOption = None) -> None:
    """Write grades.csv, report.html and each student's files again.

    Everything comes from gradebook.sqlite; no submission is run. Useful after files were deleted or edited, or
    after an update of the kit that changes how results are shown.

    Exit status 0: written. 2: wrong usage, or a folder without a gradebook.

    Example: `autograder report graded`
    """
    need_gradebook(folder)
    with open_gradebook(folder) as book:
        course = course_of(book, course_root)
        forget_submissions(folder, ())
        closing_table(publish_grades(book, course, folder))
    print_files(folder)


def written(
    folder: GradedFolder,
    homework_ids: OnlyHomeworks = None,
    anonymous: bool = Option(
        False,
        "--anonymous",
        help="Show codes instead of names, on the page and in the table.",
    ),
    course_root: GradedCourseOption = None,
) -> None:
    """Collect written answers to theory questions for marking.

    Writes OUT/written.html, where you mark the answers by the rubric and save a table, and OUT/written.csv,
    the same table for a spreadsheet. Put what the page saved in its place and run this again whenever you like:
    entered points and comments are kept. Then give the class its points with `autograder policy OUT --manual
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
        homeworks = course_of(book, course_root).homeworks(homework_ids)
        questions = collect_written(
            book.counted(), homeworks, secret, anonymous=anonymous
        )
        names = book.names()
        marks = book.decisions.marks()
        begun = book.begun()
    page_path = folder / PAGE
    table_path = folder / TABLE
    if not questions and not table_path.is_file():
        note(
            f"{folder} contains no written answers (students write them into `answers`; "
            "questions.toml defines the questions)"
        )
        return

    # The page and the table, in which the marks that were entered stay.
    chosen = [homework.id for homework in homeworks]
    table = merge_written(
        table_path, questions, names, chosen, marks, secret, anonymous=anonymous
    )
    write_table(table_path, table.columns, table.cells)
    write_written_page(page_path, questions, table, begun)
    remarks = []
    for orphan in table.orphans:
        remarks.append(
            f"{' / '.join(orphan)}: there is no such answer any more; the row keeps what was entered"
        )
    notes(remarks)

    # What there is to mark, and how to go on.
    answers = sum(len(question.answers) for question in questions)
    print_line(
        f"{_count(answers, 'answer')} to {_count(len(questions), 'question')}, "
        f"{_count(table.unmarked, 'row')} without points: {page_path}, {table_path}"
    )
    again = ""
    if anonymous:
        again = f"autograder written {folder}, which puts the names back, and "
    print_line(
        f"Mark on {PAGE}, or in {TABLE}; then: {again}autograder policy {folder} --manual {table_path}"
    )


def _count(number: int, noun: str) -> str:
    if number == 1:
        return f"1 {noun}"
    return f"{number} {noun}s"
