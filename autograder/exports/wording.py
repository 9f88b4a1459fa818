"""Words and signs that every renderer shares."""

from __future__ import annotations

from autograder.checks.run import CheckResult, Outcome
from autograder.grading.results import Change, HomeworkResult

SIGNS = {Outcome.PASSED: "✓", Outcome.FAILED: "✗", Outcome.NOT_RUN: "–", Outcome.COLLECTED: "…"}


def reason_for_student(check: CheckResult) -> str:
    """Return why a check gave no points, or nothing; a sentence that begins with a name keeps its letters."""
    begins_with_a_name = "_" in check.reason.partition(" ")[0]
    return check.reason if begins_with_a_name else check.reason[:1].upper() + check.reason[1:]


def change_lines(homework: HomeworkResult) -> list[str]:
    """Return what was done to the points of the checks, one sentence per change, and what is still open."""
    lines = [f"{_signed(change)}{change.reason}" for change in homework.changes]
    if lines and homework.raw is not None and homework.final != homework.raw:
        lines.insert(0, f"The checks gave {homework.raw:g} points.")
    if homework.awaiting:
        lines.append(f"Not marked yet, so the points are provisional: {', '.join(homework.awaiting)}.")
    return lines


def note_lines(homework: HomeworkResult) -> list[str]:
    """Return what stands above the checks: notes on the hand-in, and what was done to its points."""
    return [*homework.notes, *change_lines(homework)]


def _signed(change: Change) -> str:
    return f"{change.points:+g} points: ".replace("-", "−") if change.points else ""


def short_name(homework_id: str) -> str:
    """Return "hw1" for "hw1_attention_scores", for the head of a narrow column."""
    return homework_id.partition("_")[0]


def points_of(earned: float | None) -> str:
    """Return points as text; a dash where there is no fair grade yet."""
    return "–" if earned is None else f"{earned:g}"


def escaped(text: str, keep: str = "") -> str:
    """Return a text whose unprintable characters, but for those to keep, are written as Python escapes them.

    No name and no word of a submission moves the cursor, breaks a line or turns the direction of reading.
    """
    return "".join(c if c.isprintable() or c in keep else repr(c)[1:-1] for c in text)
