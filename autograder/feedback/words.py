"""Sentences about points and reasons that several pages and files share."""

from __future__ import annotations

from autograder.language import say
from autograder.policy.grade import HomeworkGrade


def as_sentence(reason: str) -> str:
    """Return why a check gave no points, or nothing; a sentence that begins with a name keeps its letters."""
    begins_with_a_name = "_" in reason.partition(" ")[0]
    if begins_with_a_name:
        return reason
    return reason[:1].upper() + reason[1:]


def change_lines(homework: HomeworkGrade) -> list[str]:
    """Return one sentence per change of the checks' points, and one for answers that are still to be marked."""
    lines = []
    for change in homework.changes:
        unit = say("points")
        if abs(change.points) == 1:
            unit = say("point")
        signed = ""
        if change.points:
            signed = f"{change.points:+g} {unit}: ".replace("-", "−")
        lines.append(f"{signed}{change.reason}")
    if lines and homework.raw is not None and homework.final != homework.raw:
        lines.insert(0, say("Points from the checks: {points:g}.", points=homework.raw))
    if homework.awaiting:
        questions = ", ".join(homework.awaiting)
        lines.append(
            say(
                "Not marked yet, so the points are provisional: {questions}.",
                questions=questions,
            )
        )
    return lines


def with_bonus(points: str, bonus: float) -> str:
    """Return points as text with how many of them are a bonus, where any are: "23 of 20, 3 of them bonus"."""
    if not bonus:
        return points
    return say("{points}, {bonus:g} of them bonus", points=points, bonus=bonus)
