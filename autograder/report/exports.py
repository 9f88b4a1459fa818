"""Publish a gradebook: settle it and write every file of its folder that shows points."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from autograder.atomic import replacing
from autograder.course.course import Course
from autograder.course.homework import by_number
from autograder.csv_table import Cell, write_table
from autograder.feedback.rendering import PAGES, page_of
from autograder.gradebook.book import Gradebook
from autograder.gradebook.decisions import PolicyLine
from autograder.gradebook.gradings import STALE, as_stored
from autograder.gradebook.schema import EVERYTHING
from autograder.policy.grade import SubmissionGrade, points_of
from autograder.policy.settlement import Settlement, remarks, settle
from autograder.report.drawing import Drawn, DrawnResult, draw, draw_graded
from autograder.report.praise import improvements
from autograder.report.report import Overview, shown_groups, write_report
from autograder.report.submission_page import Aside, Common, Row, state_of
from autograder.sandbox.report import Status
from autograder.verdict.explanation_faults import explaining
from autograder.verdict.results import SubmissionResult

SUBMISSIONS = "submissions"
RESULTS = "results.json"
FEEDBACK = "feedback.html"
GRADES = "grades.csv"
REPORT = "report.html"
POLICY = "policy.csv"
POLICY_COLUMNS = (
    "submission",
    "homework",
    "raw",
    "due",
    "submitted_at",
    "days_late",
    "late_days_used",
    "penalty_percent",
    "penalty",
    "manual",
    "override",
    "final",
    "max",
    "not_marked_yet",
    "reason",
)
CHOSEN = "homeworks"
"""The gradebook's setting that lists the homeworks asked for by name, and ``EVERYTHING`` once all were."""
PERSON = ("name", "student_id", "email", "late")


@dataclass(frozen=True)
class GradeRow:
    """The points of a submission that count: ``points`` are the earned and the possible ones, by homework."""

    name: str
    status: Status
    points: Mapping[str, tuple[float | None, float]]
    earned: float | None
    person: tuple[str, ...] = ()

    @classmethod
    def of(cls, result: SubmissionGrade) -> GradeRow:
        points = {}
        for homework in result.homeworks:
            points[homework.homework] = (homework.earned, homework.points)
        return cls(result.name, result.status, points, result.earned, result.person)


def choose(book: Gradebook, homeworks: Sequence[str], *, anew: bool = False) -> None:
    """Add homeworks to those that were asked for by name (none: to all of them), or begin ``anew``."""
    chosen: list[str] = []
    if not anew:
        chosen = json.loads(book.find_setting(CHOSEN) or "[]")
    chosen += homeworks or [EVERYTHING]
    without_repeats = list(dict.fromkeys(chosen))
    book.set(CHOSEN, json.dumps(without_repeats))


def publish(
    book: Gradebook,
    course: Course,
    folder: Path,
    tell: Callable[[str], None],
    *,
    missing: Sequence[str] = (),
    strangers: Collection[str] = (),
) -> list[GradeRow]:
    """Settle the gradebook, store what counts, write every file that shows it, and report what is still open.

    The results pass by once, one after the other. Files of a submission are written only where they do not
    show its present state yet, or are missing. The grades are returned sorted by name.

    ``missing`` are the students in the roster without a submission, ``strangers`` the submissions that match
    nobody in it, as far as there is a roster.
    """
    settlement = settle(book, course)
    grades: list[GradeRow] = []
    policy_lines: list[PolicyLine] = []
    highest: dict[
        str, float
    ] = {}  # points of homeworks that anyone handed in or has points for
    withdrawn = book.decisions.withdrawn()
    handed_in = set()
    for name, homework_id, _ in book.homeworks():
        if name not in withdrawn:
            handed_in.add(homework_id)
    states_shown = book.shown()
    new_states: dict[str, str] = {}
    asides = asides_of(book)
    common = Common()
    overview = Overview(missing=missing, strangers=strangers)

    # Each submission.
    for graded in book.counted():
        result, lines = settlement.apply(graded)
        grades.append(GradeRow.of(result))
        for homework in result.homeworks:
            points = highest.get(homework.homework, 0.0)
            highest[homework.homework] = max(points, homework.points)
        policy_lines += lines
        common.add(result)
        overview.add(result)
        aside = asides.get(result.name, {})
        state = state_of(result, aside)
        files = files_of(folder, result.name)
        is_current = states_shown[result.name] == state
        if not is_current or not all(map(Path.is_file, files)):
            write_submission(folder, book.with_work(result), aside)
            new_states[result.name] = state
    finals: dict[str, float | None] = {}
    for grade in grades:
        finals[grade.name] = grade.earned
    for name in book.names().intersection(withdrawn):
        finals[name] = None
        new_states[name] = STALE
        _remove_files(folder, name)
    book.keep_lines(policy_lines)
    book.keep_each("final", finals)
    book.keep_each("shown", new_states)

    # The tables.
    chosen = json.loads(book.find_setting(CHOSEN) or "[]") or [EVERYTHING]
    columns = _columns(course.homework_ids(), chosen, highest)
    maximum = _maximum(settlement, columns, chosen, highest)
    write_grades(folder / GRADES, grades, columns, maximum)
    write_policy(folder / POLICY, policy_lines)

    # The pages of the class.
    unfinished = ""
    stopped = book.unfinished()
    if stopped is not None:
        unfinished = f"{stopped} submissions graded, then stopped"
    open_matters = []
    for homework_id in sorted(highest.keys() - handed_in, key=by_number):
        open_matters.append(
            f"nobody handed in {homework_id}, but somebody has points for it by hand, so "
            "it is in everybody's maximum"
        )
    in_report = list(open_matters)
    for remark in remarks(book, settlement, policy_lines):
        open_matters.append(str(remark))
        in_report.append(remark.sentence)
    if withdrawn:
        reasons = [f"{name} ({reason})" for name, reason in withdrawn.items()]
        in_report.append(
            f"withdrawn, and in no table ({len(withdrawn)}): {', '.join(reasons)}"
        )
    with explaining("the groups of equal answers, on the report"):
        overview.groups = shown_groups(book, settlement)
    overview.improved = improvements(book, overview.raw)
    about_class = (columns, maximum, in_report, unfinished)
    is_written = False
    # An OSError, such as a full disk, is no fault of an explanation.
    with explaining("the answers in groups, on the report", OSError):
        write_report(folder / REPORT, overview, *about_class)
        is_written = True
    if not is_written:  # points and counts only
        overview.groups = ()
        write_report(folder / REPORT, overview, *about_class)
    common.write(folder / PAGES, settlement.homeworks, book.groups)
    if unfinished:
        tell(f"{unfinished}; the same command goes on from there")
    for line in open_matters:
        tell(line)
    return grades


def _columns(
    known: Sequence[str], chosen: Sequence[str], highest: Mapping[str, float]
) -> list[str]:
    """Return the requested homeworks and all others in which anyone has points, in the course's order."""
    columns = []
    for homework_id in known:
        if EVERYTHING in chosen or homework_id in chosen or homework_id in highest:
            columns.append(homework_id)
    unknown = highest.keys() - set(known)
    return columns + sorted(unknown, key=by_number)


def _maximum(
    settlement: Settlement,
    columns: Sequence[str],
    chosen: Sequence[str],
    highest: Mapping[str, float],
) -> float:
    """Return the points of all columns together.

    A homework that was not asked for by name and that nobody has points in is left out. Marks by hand count
    where anyone has them; extra credit never does, as theory questions are that do not count.
    """
    counted = []
    for name in columns:
        if name in chosen or name in highest:
            counted.append(name)
    maximum: float = 0
    for homework_id in counted or columns:
        if homework_id in highest:
            maximum += highest[homework_id]
        else:
            homework = settlement.homeworks[homework_id]
            maximum += settlement.policy.maximum(homework)
    return maximum


def asides_of(book: Gradebook) -> Mapping[str, Aside]:
    """Return what the staff's page of each submission shows beside its results."""
    asides: dict[str, dict[str, list[Row]]] = {}

    def aside_of(name: str) -> dict[str, list[Row]]:
        return asides.setdefault(name, {"decisions": [], "history": []})

    for row in book.decisions.log():
        decision = (row.homework, row.subject, row.points, row.reason, row.made_at)
        aside_of(row.submission)["decisions"].append(decision)
    for past in book.history():
        score = f"{points_of(past.earned)} / {points_of(past.maximum)}"
        grade: Row = [past.homework, past.graded_at, past.status, score, past.seed]
        aside_of(past.submission)["history"].append(grade)
    return asides


def files_of(folder: Path, name: str) -> tuple[Path, ...]:
    """Return the files that are written for a submission."""
    submission = folder / SUBMISSIONS / name
    page = folder / PAGES / f"{page_of(name)}.html"
    return submission / RESULTS, submission / FEEDBACK, page


def write_submission(
    folder: Path, result: SubmissionGrade, aside: Aside | None = None
) -> None:
    """Write ``submissions/<name>/results.json`` and ``feedback.html``, and the staff's page in ``report``."""
    write_drawn(folder, result.name, draw(result, aside))


def write_drawn(folder: Path, name: str, drawn: Drawn) -> None:
    """Write the files of a submission, each of them all or nothing."""
    results, feedback, page = files_of(folder, name)
    os.makedirs(results.parent, exist_ok=True)
    os.makedirs(page.parent, exist_ok=True)
    contents = (
        (results, drawn.results),
        (feedback, drawn.feedback),
        (page, drawn.page),
    )
    for path, content in contents:
        with replacing(path) as part:
            part.write_bytes(content)


def write_graded(
    folder: Path,
    whole: SubmissionResult,
    settlement: Settlement,
    result: SubmissionResult | None = None,
) -> str:
    """Write the files of a submission that was graded just now, and return the state that they show.

    Args:
        folder: the folder of the gradebook.
        whole: all results of the submission, with their works, as they were stored or will be read back.
        settlement: that of ``undecided``. ``publish`` writes the files again where people have decided more.
        result: the new ones among them; the worker may have drawn the files with them already.
    """
    if isinstance(result, DrawnResult) and result.shows(whole):
        drawn, state = result.drawn, result.state
    else:
        drawn, state = draw_graded(as_stored(whole), settlement)
    write_drawn(folder, whole.name, drawn)
    return state


def _remove_files(folder: Path, name: str) -> None:
    """Remove what was written for a submission that counts no more; the gradebook has all of it."""
    for file in files_of(folder, name):
        file.unlink(missing_ok=True)
    results, _, _ = files_of(folder, name)
    if results.parent.is_dir() and not any(results.parent.iterdir()):
        results.parent.rmdir()


def forget_submissions(folder: Path, names: Collection[str]) -> None:
    """Remove the files written for all other submissions, but no file that the kit did not write."""
    top = folder / SUBMISSIONS
    submissions = list(top.iterdir()) if top.is_dir() else []
    for submission in submissions:
        is_ours = submission.is_dir() and not submission.is_symlink()
        if submission.name in names or not is_ours:
            continue
        for file in (RESULTS, FEEDBACK):
            (submission / file).unlink(missing_ok=True)
        if not any(submission.iterdir()):
            submission.rmdir()
    pages = {page_of(name) for name in names}
    for page in list((folder / PAGES).glob("*.html")):
        if re.fullmatch(r"[0-9a-f]{32}", page.stem) and page.stem not in pages:
            page.unlink()


def write_grades(
    path: Path, grades: Sequence[GradeRow], homeworks: Sequence[str], maximum: float
) -> None:
    """Write ``grades.csv``, sorted by submission; who handed in is there where anyone's owner is known.

    A homework that was not handed in, or could not be graded for our fault, leaves its cell blank. The
    total is blank while one of its parts is our fault.
    """
    person = PERSON if any(grade.person for grade in grades) else ()
    rows: list[list[Cell]] = []
    for grade in sorted(grades, key=lambda grade: grade.name):
        row: list[Cell] = [grade.name, str(grade.status)]
        for homework_id in homeworks:
            earned, _ = grade.points.get(homework_id, (None, 0.0))
            row.append(earned)
        row += [grade.earned, maximum]
        if person:
            row += grade.person or [""] * len(PERSON)
        rows.append(row)
    head = ["submission", "status", *homeworks, "total", "max", *person]
    write_table(path, head, rows)


def write_policy(path: Path, lines: Sequence[PolicyLine]) -> None:
    """Write ``policy.csv``: per submission and homework, how the checks' points became the points that count.

    Where nothing but the checks decides, there is no such file.
    """
    if not any(line.reasons or line.awaiting for line in lines):
        path.unlink(missing_ok=True)
        return
    rows: list[list[Cell]] = []
    for line in lines:
        due = ""
        if line.due:
            due = line.due.isoformat()
        submitted_at = ""
        if line.submitted_at:
            submitted_at = line.submitted_at.isoformat()
        cells = {
            **vars(line),
            "due": due,
            "submitted_at": submitted_at,
            "max": line.maximum,
            "not_marked_yet": ", ".join(line.awaiting),
            "reason": " ".join(line.reasons),
        }
        rows.append([cells[column] for column in POLICY_COLUMNS])
    write_table(path, POLICY_COLUMNS, rows)
