"""Points by student, for learning platforms to import."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from autograder.course.course import Course
from autograder.course.homework import by_number
from autograder.csv_table import escape_formulas, points_cell, write_table
from autograder.gradebook.book import Gradebook
from autograder.intake.naming import listed
from autograder.intake.roster import Roster, RosterMatch, Student, match_roster
from autograder.intake.submission import PLAIN, Owner
from autograder.platforms.platform import ExportError, Platform, StudentGrade
from autograder.policy.grade import SubmissionGrade
from autograder.report.last_exports import Points


def graded_in(
    results: Iterable[SubmissionGrade], homework: str | None
) -> list[SubmissionGrade]:
    """Return the results of one homework, without those of the others; of all homeworks for None.

    Submissions in which nothing could be graded are in every homework: they may have been meant for it.

    Raises:
        ExportError: nobody was graded in it, so that a whole class would get zeros or blanks.
    """
    results = list(results)
    counts = Counter[str]()
    for result in results:
        for graded_homework in result.homeworks:
            counts[graded_homework.homework] += 1
    if not counts or (homework is not None and homework not in counts):
        graded_so_far = []
        for key in sorted(counts, key=by_number):
            graded_so_far.append(f"{key} (submissions: {counts[key]})")
        raise ExportError(
            f"no submission was graded in {homework or 'any homework'}, so nothing is exported; "
            f"graded so far: {', '.join(graded_so_far) or 'nothing'}"
        )
    if homework is None:
        return results
    results_in_homework = []
    for result in results:
        graded = result.homework(homework)
        # A failure of the grader, or an unclear file, may hide any homework: such a submission counts for
        # each of them.
        if graded is not None or not result.homeworks:
            homeworks = () if graded is None else (graded,)
            results_in_homework.append(replace(result, homeworks=homeworks))
    return results_in_homework


def grades_of(
    roster: Roster,
    matching: RosterMatch,
    results: Iterable[SubmissionGrade],
    *,
    missing: float | None,
) -> list[StudentGrade]:
    """Return one grade per student of the roster, in its order.

    Args:
        roster: the class.
        matching: whose each submission is.
        results: submissions with the points that count.
        missing: the points of a student who surely has no submission; None leaves them blank. A submission
            in which nothing could be graded is blank as well: a person has to look at it.
    """
    result_by_line = {}
    for result in results:
        for student in matching.found.get(result.name, ()):
            result_by_line[student.line] = result
    grades = []
    for student in roster.students:
        submission = result_by_line.get(student.line)
        if submission is not None:
            points = submission.earned if submission.homeworks else None
            grade = StudentGrade(student, points, submission.homeworks, submission)
        elif student in matching.doubtful:
            grade = StudentGrade(student, None)
        else:
            grade = StudentGrade(student, missing)
        grades.append(grade)
    return grades


def points_by_student(grades: Sequence[StudentGrade]) -> Points:
    """Return the points of students by their identifiers."""
    return {_identifier(grade.student): grade.points for grade in grades}


def changes_since(before: Points | None, grades: Sequence[StudentGrade]) -> list[str]:
    """Return a line for each student whose points differ from an earlier export; all if there was none."""
    lines = []
    for grade in grades:
        new = points_cell(grade.points)
        change = new or "blank"
        old = ""
        if before is not None:
            old = points_cell(before.get(_identifier(grade.student)))
            change = f"{old or 'blank'} → {change}"
        if old != new:
            lines.append(f"{grade.student.label}: {change}")
    return lines


def match_counted(
    owners: Mapping[str, Owner | None],
    withdrawn: Collection[str],
    roster: Roster,
    stubs: Collection[str],
) -> tuple[RosterMatch, frozenset[Student]]:
    """Match the submissions that count with a roster, and return the students whose submission was withdrawn.

    These are in doubt and not missing, so that their points are blank: whoever left the course gets no zero.

    Args:
        owners: the owner of each submission by its name, also of the withdrawn ones.
        withdrawn: the names of the withdrawn submissions.
        roster: the class.
        stubs: the names of the stubs, which are no names of students.
    """
    counted_owners = {}
    withdrawn_owners = {}
    for name, owner in owners.items():
        if name in withdrawn:
            withdrawn_owners[name] = owner
        else:
            counted_owners[name] = owner
    matching = match_roster(counted_owners, roster, stubs)
    if not withdrawn_owners:
        return matching, frozenset()
    of_withdrawn: set[Student] = set()
    for students in match_roster(withdrawn_owners, roster, stubs).found.values():
        of_withdrawn.update(students)
    doubtful = of_withdrawn.intersection(matching.missing)
    missing = []
    for student in matching.missing:
        if student not in doubtful:
            missing.append(student)
    without_doubtful = replace(
        matching, missing=tuple(missing), doubtful=matching.doubtful | doubtful
    )
    return without_doubtful, frozenset(doubtful)


def against_roster(
    book: Gradebook, course: Course, roster: Roster
) -> tuple[Sequence[str], Collection[str]]:
    """Return the students of a roster without a submission, and the submissions that match nobody in it."""
    owners = book.owners()
    withdrawn = book.decisions.withdrawn()
    names = book.names().union(withdrawn)
    owner_by_name = {name: owners.get(name) for name in names}
    stubs = [homework.stub for homework in course.homeworks()]
    matching, _ = match_counted(owner_by_name, withdrawn, roster, stubs)
    return [student.label for student in matching.missing], matching.unmatched.keys()


def write_unmatched(
    path: Path, matching: RosterMatch, left_out: Mapping[int, str]
) -> None:
    """Write what a person must decide: submissions of nobody, students without one, and students left out.

    ``left_out`` says, by line of the roster, why a student is not in the platform's file.
    """
    rows = [["submission", name, reason] for name, reason in matching.unmatched.items()]
    for student in matching.missing:
        is_doubtful = student in matching.doubtful
        why = "no submission"
        if is_doubtful:
            why = "one of these submissions?"
        rows.append(["student", student.label, why])
    students = list(matching.missing)
    for matched in matching.found.values():
        students.extend(matched)
    for student in students:
        if student.line in left_out:
            rows.append(["student", student.label, left_out[student.line]])
    write_table(path, ["what", "who", "why"], rows)


def column_of(roster: Roster, name: str) -> str | None:
    """Return the roster's column of this name, whatever its case."""
    for column in roster.columns:
        if column.casefold() == name.casefold():
            return column
    return None


def unidentified(
    grades: Sequence[StudentGrade], title: str, keys: Mapping[str, str]
) -> dict[int, str]:
    """Return the students that a platform could not find, by line of the roster, and why.

    Args:
        grades: the students with their grades.
        title: the platform's name in messages.
        keys: the fields of ``Student`` by which the platform finds somebody, with their columns.
    """
    reasons = {}
    *columns, last_column = keys.values()
    if columns:
        last_column = f"{', '.join(columns)} or {last_column}"
    for grade in grades:
        student = grade.student
        has_identifier = False
        has_safe_identifier = False
        for field in keys:
            identifier = getattr(student, field)
            if identifier:
                has_identifier = True
                has_safe_identifier |= escape_formulas(identifier) == identifier
        if not has_identifier:
            reasons[student.line] = (
                f"{title} finds nobody without {last_column}: enter the points by hand"
            )
        elif not has_safe_identifier:
            reasons[student.line] = (
                "a spreadsheet would take the ID for a formula: enter the points by hand"
            )
    return reasons


def need_own_table(
    roster: Roster, platform: Platform, platforms: Mapping[str, Platform]
) -> None:
    """Refuse the table of another platform, where students have other numbers.

    Raises:
        ExportError: it is one.
    """
    if roster.kind in (platform.name, PLAIN):
        return
    tables = "a table of your own"
    if platform.table_title:
        tables = f"{platform.table_title} or {tables}"
    raise ExportError(
        f"{roster.source} is {platforms[roster.kind].table_title}, and --to {platform.name} does not take it: "
        f"use --to {roster.kind}, or give --roster {tables}"
    )


def above_maximum(
    platform: Platform, roster: Roster, grades: Sequence[StudentGrade], column: str
) -> Iterator[str]:
    """Say where the platform has another maximum than the homework, and who has more points than it."""
    maxima = platform.maxima(roster, column)
    worth = 0.0
    for grade in grades:
        worth = max(worth, sum(homework.points for homework in grade.homeworks))
    highest = max(maxima.values(), default=0.0)
    if worth and maxima and worth != highest:
        yield f"points are not scaled: the maximum is {worth:g} here and {highest:g} on the platform"
    above = []
    for grade in grades:
        maximum = maxima.get(grade.student.line, math.inf)
        if grade.points is not None and grade.points > maximum:
            above.append(grade.student.label)
    if above:
        yield (
            f"more than the maximum ({len(above)}): {listed(above, show=str)}; "
            f"{platform.above_maximum}"
        )


def _identifier(student: Student) -> str:
    return student.student_id or student.number or student.login or student.email
