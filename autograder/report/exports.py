"""Publish a gradebook: settle it and write every file of its folder that shows what counts."""

from __future__ import annotations

import json
import re
from collections import defaultdict
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from autograder.course.course import Course
from autograder.feedback.pages import (
    PAGES,
    former_page_of,
    page_of,
    points_of,
    write_feedback,
)
from autograder.feedback.results_json import write_results
from autograder.gradebook.book import Gradebook
from autograder.gradebook.decisions import PolicyLine
from autograder.gradebook.schema import EVERYTHING
from autograder.intake.csv_table import Cell, replacing, write_table
from autograder.policy.settlement import remarks, settle
from autograder.report.report import Overview, shown_groups, write_report
from autograder.report.submission_page import Aside, Common, Row, write_submission_page
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
    *(
        "submission",
        "homework",
        "raw",
        "due",
        "submitted_at",
        "days_late",
        "late_days_used",
    ),
    *(
        "penalty_percent",
        "penalty",
        "manual",
        "override",
        "final",
        "max",
        "not_marked_yet",
        "reason",
    ),
)
CHOSEN = "homeworks"
"""The gradebook's setting that lists the homeworks asked for by name, and ``EVERYTHING`` once all were."""
PERSON = ("name", "student_id", "email", "late")


@dataclass(frozen=True)
class Settled:
    """What counts for a submission: ``points`` are those earned and those there were, by homework."""

    name: str
    status: Status
    points: Mapping[str, tuple[float | None, float]]
    earned: float | None
    person: tuple[str, ...] = ()

    @classmethod
    def of(cls, result: SubmissionResult) -> Settled:
        points = {one.homework: (one.earned, one.points) for one in result.homeworks}
        return cls(result.name, result.status, points, result.earned, result.person)


def choose(book: Gradebook, homeworks: Sequence[str], *, anew: bool = False) -> None:
    """Add homeworks to those that were asked for by name (none: to all of them), or begin ``anew``."""
    before = [] if anew else json.loads(book.find_setting(CHOSEN) or "[]")
    book.set(
        CHOSEN, json.dumps(list(dict.fromkeys([*before, *(homeworks or [EVERYTHING])])))
    )


def publish(
    book: Gradebook, course: Course, folder: Path, tell: Callable[[str], None]
) -> list[Settled]:
    """Settle the gradebook, store what counts, write every file that shows it, and tell what is still open.

    The results pass by once, one after the other. Files of a submission are written only where they do not
    show its present state yet, or are missing. The grades are returned sorted by name.
    """
    settlement = settle(book, course)
    grades: list[Settled] = []
    most: dict[str, float] = {}  # by homework that anyone handed in or has points for
    handed_in = {homework for _, homework, _ in book.homeworks()}
    settled, shown, asides = list[PolicyLine](), book.shown(), _asides(book)
    common, overview, changed = Common(), Overview(), dict[str, str]()
    for raw in book.results():
        result, lines = settlement.apply(raw)
        grades.append(Settled.of(result))
        for one in result.homeworks:
            most[one.homework] = max(most.get(one.homework, 0.0), one.points)
        settled += lines
        common.add(result)
        overview.add(result)
        aside = asides.get(result.name, {})
        state = _state(result, aside)
        if shown[result.name] != state or not all(
            path.is_file() for path in files_of(folder, result.name)
        ):
            write_submission(folder, book.with_work(result), aside)
            changed[result.name] = state
    book.keep_lines(settled)
    book.keep_each("final", {one.name: one.earned for one in grades})
    book.keep_each("shown", changed)
    # Columns are the homeworks asked for and those that anyone has points in. The maximum leaves out what was
    # not asked for by name and nobody has points in. Marks by hand count where anyone has them; extra credit,
    # as theory questions are where the homework does not count them, never.
    chosen = json.loads(book.find_setting(CHOSEN) or "[]") or [EVERYTHING]
    known = course.homework_ids()
    columns = [
        one for one in known if EVERYTHING in chosen or one in chosen or one in most
    ]
    columns += sorted(most.keys() - known)
    counted = [one for one in columns if one in chosen or one in most] or columns
    policy, own = settlement.policy, settlement.homeworks
    maximum = sum(
        most[one] if one in most else policy.maximum(own[one]) for one in counted
    )
    stopped = book.unfinished()
    unfinished = (
        "{} of {} submissions graded, then stopped".format(*stopped) if stopped else ""
    )
    write_grades(folder / GRADES, grades, columns, maximum)
    write_policy(folder / POLICY, settled)
    by_hand = "nobody handed in {}, but somebody has points for it by hand: it is in everybody's maximum"
    open_matters = [by_hand.format(one) for one in sorted(most.keys() - handed_in)]
    open_matters += remarks(book, settlement, settled)
    with explaining("the groups of equal answers, on the report"):
        overview.groups = shown_groups(settlement)
    about_class = (columns, maximum, open_matters, unfinished)
    is_written = False
    with explaining(
        "the answers in groups, on the report", OSError
    ):  # such as a full disk
        write_report(folder / REPORT, overview, *about_class)
        is_written = True
    if not is_written:  # points and counts alone
        overview.groups = ()
        write_report(folder / REPORT, overview, *about_class)
    common.write(folder / PAGES, settlement.homeworks, book.groups)
    if unfinished:
        tell(f"{unfinished}; the same command goes on from there")
    for line in open_matters:
        tell(line)
    return grades


def _asides(book: Gradebook) -> Mapping[str, Aside]:
    found = defaultdict[str, dict[str, list[Row]]](
        lambda: {"decisions": [], "history": []}
    )
    for name, *row in book.decisions.log():
        found[name]["decisions"].append(row)
    for name, homework, time, status, earned, points, seed, *_ in book.history():
        came = f"{points_of(earned)} / {points_of(points)}"
        found[name]["history"].append([homework, time, status, came, seed])
    return found


def _state(result: SubmissionResult, aside: Aside) -> str:
    """Return, as text, everything that a submission's files show and that does not come from its checks."""
    adjusted = [
        [
            one.homework,
            one.points,
            one.final,
            list(map(asdict, one.changes)),
            one.awaiting,
            one.shown,
        ]
        for one in result.homeworks
        if one.changes or one.awaiting or one.shown
    ]
    return json.dumps([adjusted, aside]) if adjusted or aside else ""


def files_of(folder: Path, name: str) -> tuple[Path, ...]:
    """Return the files that are written for a submission."""
    own = folder / SUBMISSIONS / name
    return own / RESULTS, own / FEEDBACK, folder / PAGES / f"{page_of(name)}.html"


def write_submission(
    folder: Path, result: SubmissionResult, aside: Aside | None = None
) -> None:
    """Write ``submissions/<name>/results.json`` and ``feedback.html``, and the staff's page in ``report``."""
    results, feedback, page = files_of(folder, result.name)
    results.parent.mkdir(parents=True, exist_ok=True)
    page.parent.mkdir(exist_ok=True)
    with replacing(results) as part:
        write_results(part, result)
    with replacing(feedback) as part:
        write_feedback(part, result)
    with replacing(page) as part:
        write_submission_page(part, result, aside or {})
    page.with_name(f"{former_page_of(result.name)}.html").unlink(missing_ok=True)


def forget_submissions(folder: Path, names: Collection[str]) -> None:
    """Remove what was written for submissions other than these, but nothing that others put there."""
    top, pages = folder / SUBMISSIONS, {page_of(name) for name in names}
    for own in list(top.iterdir()) if top.is_dir() else ():
        if own.name in names or own.is_symlink() or not own.is_dir():
            continue
        for file in (RESULTS, FEEDBACK):
            (own / file).unlink(missing_ok=True)
        if not any(own.iterdir()):
            own.rmdir()
    for page in list((folder / PAGES).glob("*.html")):
        # Earlier versions wrote shorter names, and before that numbered pages of 200 submissions each.
        if (
            re.fullmatch(r"[0-9a-f]{32}|[0-9a-f]{12}|\d{1,6}", page.stem)
            and page.stem not in pages
        ):
            page.unlink()


def write_grades(
    path: Path, grades: Sequence[Settled], homeworks: Sequence[str], maximum: float
) -> None:
    """Write ``grades.csv``, sorted by submission; who handed in is there where anyone's owner is known.

    A homework that was not handed in, or could not be graded for our fault, leaves its cell blank. The
    total is blank while one of its parts is our fault.
    """
    person = PERSON if any(one.person for one in grades) else ()
    rows: list[list[Cell]] = []
    for one in sorted(grades, key=lambda one: one.name):
        points = (
            one.points[homework][0] if homework in one.points else None
            for homework in homeworks
        )
        own = one.person or [""] * len(PERSON)
        rows.append(
            [
                one.name,
                str(one.status),
                *points,
                one.earned,
                maximum,
                *own[: len(person)],
            ]
        )
    head = ["submission", "status", *homeworks, "total", "max", *person]
    write_table(path, head, rows)


def write_policy(path: Path, lines: Sequence[PolicyLine]) -> None:
    """Write ``policy.csv``: per submission and homework, how the checks' points became those that count.

    Where nothing but the checks decides, there is no such file.
    """
    if not any(line.reasons or line.awaiting for line in lines):
        path.unlink(missing_ok=True)
        return
    rows: list[list[Cell]] = []
    for line in lines:
        cells = {
            **vars(line),
            "due": line.due.isoformat() if line.due else "",
            "submitted_at": line.submitted_at.isoformat() if line.submitted_at else "",
            "max": line.maximum,
            "not_marked_yet": ", ".join(line.awaiting),
            "reason": " ".join(line.reasons),
        }
        rows.append([cells[column] for column in POLICY_COLUMNS])
    write_table(path, POLICY_COLUMNS, rows)
