"""``autograder export``: points, or feedback, in the form that a learning platform imports."""

from __future__ import annotations

import sys
from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

import typer
from typer import Option

from autograder.cli.console import first_lines, note, notes, print_line
from autograder.cli.options import (
    GradedCourseOption,
    GradedFolder,
    course_of,
    one_of,
)
from autograder.cli.progress import print_unmatched
from autograder.course.course import Course
from autograder.course.homework import by_number
from autograder.gradebook.book import Unfinished
from autograder.gradebook.opening import open_gradebook, read_gradebook
from autograder.gradebook.schema import GradebookError
from autograder.intake.naming import listed
from autograder.intake.roster import Roster, RosterMatch, Student
from autograder.intake.submission import Owner
from autograder.platforms.grades import (
    above_maximum,
    changes_since,
    graded_in,
    grades_of,
    match_counted,
    need_own_table,
    points_by_student,
    write_unmatched,
)
from autograder.platforms.hand_out import EMAIL_FOLDER, hand_out
from autograder.platforms.platform import ExportError, Platform, StudentGrade
from autograder.platforms.registry import platforms
from autograder.platforms.rosters import kept_roster, read_roster
from autograder.policy.grade import SubmissionGrade
from autograder.policy.settlement import settle
from autograder.report.last_exports import (
    TOTAL,
    Points,
    exported_points,
    keep_export,
)

UNMATCHED = "unmatched.csv"


def targets() -> list[str]:
    """Return the values of ``--to``: the platforms that take grades, and the folder for e-mail."""
    takers = []
    for name, platform in platforms().items():
        if platform.takes_grades:
            takers.append(name)
    return [*takers, EMAIL_FOLDER]


def export(
    folder: GradedFolder,
    to: str = Option(
        ...,
        "--to",
        metavar="TO",
        parser=one_of(targets()),
        help=f"One of {', '.join(targets())}; folder: feedback by e-mail.",
    ),
    roster_path: Path | None = Option(
        None,
        "--roster",
        metavar="CSV",
        help="The class as CSV: an export of Canvas's gradebook, a grading worksheet of Moodle, or any "
        "table with a column such as student_id, login or email. By default the one that grade was given.",
    ),
    homework_id: str | None = Option(
        None,
        "--homework",
        metavar="ID",
        help="Only this homework; needed where OUT holds several.",
    ),
    total: bool = Option(
        False, "--total", help="Write the sum of all homeworks in OUT into the column."
    ),
    column: str | None = Option(
        None,
        metavar="NAME",
        help='The column of points; for Canvas as in "Scores (4711)".',
    ),
    missing_zero: bool = Option(
        False,
        "--missing-zero",
        help="Give students without a submission 0 instead of a blank.",
    ),
    feedback: bool = Option(
        False, "--feedback", help="Write what students may read, instead of points."
    ),
    download: Path | None = Option(
        None,
        metavar="PATH",
        help="With --to canvas --feedback: the download that was graded.",
    ),
    dry_run: bool = Option(
        False,
        "--dry-run",
        help="Only say what would be written, and whose points have changed since the last export.",
    ),
    course_root: GradedCourseOption = None,
) -> None:
    """Write points in the form that a learning platform imports.

    Writes canvas.csv, moodle.csv or gradescope/ into OUT, with the points that count, those of grades.csv.
    With --feedback, writes canvas_feedback.zip or moodle_feedback.zip for the platform to hand out; --to
    folder writes feedback/ with a page per e-mail address, and index.csv for a mail merge.
    Students are found by what identifies them, never by names that look alike. Submissions that match
    nobody, and students without a submission, are listed here and in unmatched.csv. So are students
    whose points have changed since they were last exported into the same column.

    Exit status 0: written. 1: not confirmed. 2: wrong usage, or a table that does not fit. Nothing is
    written with 1 and 2.

    Example: `autograder export graded --to moodle --roster roster.csv`
    """
    graded = _read_graded(folder, course_root, homework_id)
    roster = _roster(graded, roster_path)
    if graded.unfinished and missing_zero:
        raise ExportError(
            f"graded so far: {graded.unfinished} submissions; grade the others, or all into a new --out, "
            "before --missing-zero"
        )
    if graded.unfinished:
        note(
            f"grading was stopped: {graded.unfinished} submissions are graded, "
            "so others may seem to be missing"
        )

    # Find whose the submissions are.
    known_platforms = platforms()
    platform = known_platforms.get(to)  # None for the folder
    homeworks = graded.homeworks
    gives_points = platform is not None and not feedback
    if gives_points and not total and len(homeworks) > 1:
        raise ExportError(
            f"{folder} holds {listed(sorted(homeworks, key=by_number))}, and a column takes the points of one: "
            "choose it with --homework ID, or write their sum with --total"
        )
    if platform is not None:
        need_own_table(roster, platform, known_platforms)
    students = _find_students(graded, roster, missing=0.0 if missing_zero else None)

    # Write feedback or points, and whom they do not reach; with --dry-run, into a folder that goes away.
    points_column = ""
    with TemporaryDirectory() as scratch:
        place = Path(scratch) if dry_run else folder
        if feedback or platform is None:
            path, left_out = hand_out(
                place, platform, students.matching, graded.results, download
            )
        else:
            points_column = platform.column(roster, column)
            if platform.includes_missing:
                _agree_to_zeros(students, ask=not dry_run)
            path, left_out = _write_points(
                place, platform, roster, students.grades, points_column
            )
            if roster_path is None:
                _note_deleted_blanks(platform, roster, students.grades, left_out)
        path = folder / path.relative_to(place)
    if not dry_run:
        write_unmatched(folder / UNMATCHED, students.matching, left_out)
    _note_students(students, roster, left_out)

    # Say what has changed since the last export of this kind, and keep this one.
    what = TOTAL
    if not total and len(homeworks) == 1:
        [what] = homeworks
    points = None
    if platform is not None and gives_points:
        exported = []
        for grade in students.grades:
            is_listed = platform.includes_missing or grade.result is not None
            if is_listed and grade.student.line not in left_out:
                exported.append(grade)
        points = points_by_student(exported)
        with read_gradebook(folder) as book:
            before = exported_points(book, to, what, points_column)
        _print_changes(before, exported, dry_run=dry_run)
    if dry_run:
        print_line(f"Nothing was written. Without --dry-run: {path}")
        return
    try:
        with open_gradebook(folder) as book:
            keep_export(book, graded.settled, to, what, points_column, points)
    except GradebookError as error:
        # The files are written already, so a gradebook in use costs no more than this.
        note(
            f"`autograder status` and the next export will not know of this one: {error}"
        )
    print_line(f"{to.capitalize()}: {path}   Unmatched: {folder / UNMATCHED}")


@dataclass(frozen=True)
class _Graded:
    """What the gradebook holds of a class: all grades, those to export, whose they are, and how far grading is."""

    course: Course
    settled: Sequence[SubmissionGrade]
    results: Sequence[SubmissionGrade]
    owners: Mapping[str, Owner]
    withdrawn: Collection[str]
    unfinished: Unfinished | None
    roster: Roster | None

    @property
    def homeworks(self) -> set[str]:
        """The homeworks of which there are points to export."""
        homeworks = set()
        for result in self.results:
            for homework in result.homeworks:
                homeworks.add(homework.homework)
        return homeworks


def _read_graded(
    folder: Path, course_root: Path | None, homework_id: str | None
) -> _Graded:
    """Read what is to be exported: one homework, or all."""
    with read_gradebook(folder) as book:
        course = course_of(book, course_root)
        settled = list(settle(book, course).grades())
        if homework_id and not any(result.homework(homework_id) for result in settled):
            # Only the beginning of an id, or unknown.
            homework_id = course.homework(homework_id).id
        return _Graded(
            course=course,
            settled=settled,
            results=graded_in(settled, homework_id),
            owners=book.owners(),
            withdrawn=book.decisions.withdrawn(),
            unfinished=book.unfinished(),
            roster=kept_roster(book),
        )


def _roster(graded: _Graded, path: Path | None) -> Roster:
    """Return the roster in a file, or (no file named) the one that ``grade`` was given."""
    roster = graded.roster
    if path is not None:
        roster = read_roster(path)
        if roster.note:
            note(roster.note)
    if roster is None:
        raise ExportError(
            "name the class with --roster CSV: `autograder grade` was given none"
        )
    return roster


@dataclass(frozen=True)
class _Students:
    """The students of a class with their grades; the points of the ``withdrawn`` are blank."""

    matching: RosterMatch
    withdrawn: Collection[Student]
    grades: Sequence[StudentGrade]


def _find_students(graded: _Graded, roster: Roster, missing: float | None) -> _Students:
    """Find whose the submissions are; students without one get the points ``missing``."""
    stubs = [homework.stub for homework in graded.course.homeworks()]
    names = [*(result.name for result in graded.results), *graded.withdrawn]
    owner_by_name = {name: graded.owners.get(name) for name in names}
    matching, withdrawn_students = match_counted(
        owner_by_name, graded.withdrawn, roster, stubs
    )
    if not matching.found:
        name, reason = next(iter(matching.unmatched.items()))
        raise ExportError(
            f"is this the roster of this class? No submission matches it: {name}: {reason}"
        )
    grades = grades_of(roster, matching, graded.results, missing=missing)
    return _Students(matching, withdrawn_students, grades)


def _write_points(
    place: Path,
    platform: Platform,
    roster: Roster,
    grades: Sequence[StudentGrade],
    column: str,
) -> tuple[Path, dict[int, str]]:
    """Write the points for a platform; return the file, and why lines of the roster are left out of it."""
    written = platform.write_grades(place, roster, grades, column)
    notes(above_maximum(platform, roster, grades, column))
    if written.repeated:
        labels = [student.label for student in written.repeated]
        note(
            f"the file repeats the grade that {roster.source} has, because {platform.title} would delete "
            f"it for a blank ({len(labels)}): {listed(labels, show=str)}"
        )
    return written.path, dict(written.left_out)


def _note_deleted_blanks(
    platform: Platform,
    roster: Roster,
    grades: Sequence[StudentGrade],
    left_out: Collection[int],
) -> None:
    """Say that a kept roster is no help against a platform that deletes grades for blanks."""
    blank_count = 0
    for grade in grades:
        if grade.points is None and grade.student.line not in left_out:
            blank_count += 1
    if platform.deletes_blanks and blank_count:
        note(
            f"{platform.title} takes a blank for the order to delete a grade, and {roster.source}, which "
            f"`autograder grade` was given, does not have what {platform.title} got since "
            f"(students without points here: {blank_count}): name a fresh export with --roster"
        )


def _note_students(
    students: _Students, roster: Roster, left_out: Mapping[int, str]
) -> None:
    """Say who is in no file, or has no points or provisional ones, and why."""
    print_unmatched(students.matching, roster)
    if students.withdrawn:
        labels = [student.label for student in students.withdrawn]
        note(f"withdrawn, and so a blank ({len(labels)}): {listed(labels, show=str)}")
    other_grades = []
    for grade in students.grades:
        if grade.student not in students.withdrawn:
            other_grades.append(grade)
    notes(_open_points(students.matching, other_grades, left_out))


def _print_changes(
    before: Points | None, grades: Sequence[StudentGrade], *, dry_run: bool
) -> None:
    """Say whose points are others than in the last export; of a first one, all with --dry-run."""
    if before is None and not dry_run:
        return
    changes = changes_since(before, grades)
    if before is None:
        head = f"not exported into this column before, points of {len(changes)}:"
    else:
        head = f"changed since the last export: {len(changes)}"
    print_line("\n    ".join([head, *first_lines(changes)]))


def _agree_to_zeros(students: _Students, *, ask: bool) -> None:
    """Say how many zeros students without a submission get, and ask where that is most of a class."""
    matching = students.matching
    grades = students.grades
    missing = set(matching.missing)
    zeros = 0
    for grade in grades:
        if grade.student in missing and grade.points is not None:
            zeros += 1
    if zeros:
        doubt = ""
        if matching.unmatched:
            doubt = f"; unmatched submissions: {len(matching.unmatched)}, see whose they are first"
        note(
            f"no submission, and so 0 points: {zeros} of {len(grades)} students{doubt}"
        )
    if ask and 2 * zeros > len(grades) and sys.stdin.isatty():
        typer.confirm(
            f"Give 0 points to {zeros} of {len(grades)} students?", abort=True, err=True
        )


def _open_points(
    matching: RosterMatch, grades: Sequence[StudentGrade], left_out: Mapping[int, str]
) -> Iterator[str]:
    """Say whose points are blank, provisional or not in the file: a line for each reason."""
    missing_lines = {student.line for student in matching.missing}
    students_by_fact: defaultdict[tuple[str, str], list[str]] = defaultdict(list)
    for grade in grades:
        line = grade.student.line
        result = grade.result
        if line in left_out:
            fact = ("not in the file", left_out[line])
        elif grade.student in matching.doubtful:
            fact = ("blank", "an unmatched submission may be theirs")
        elif result is not None and not grade.homeworks and not result.fault:
            fact = (
                "blank",
                "nothing in their submission could be graded; look at it",
            )
        elif grade.points is None and line not in missing_lines:
            fact = ("blank", "the grader itself failed; run `autograder grade` again")
        elif any(homework.awaiting for homework in grade.homeworks):
            fact = ("provisional points", "some answers are not marked yet")
        else:
            continue
        students_by_fact[fact].append(grade.student.label)
    for (what, why), students in students_by_fact.items():
        yield f"{what}, because {why} ({len(students)}): {listed(students, show=str)}"
