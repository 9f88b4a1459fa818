"""The plan of a batch: what any process, here or on another machine, needs to open the same session."""

from __future__ import annotations

from dataclasses import dataclass

from autograder.grading.session import GradingSession, open_session
from autograder.homework.course import Course


@dataclass(frozen=True)
class Plan:
    """Plain data; two sessions of one plan give equal results."""

    course: Course
    seed: int
    chosen: tuple[str, ...] = ()

    def open(self) -> GradingSession:
        """Open a session.

        Raises:
            CourseError: the course has no homework of a chosen id, or its metadata is wrong.
        """
        return open_session(self.seed, self.chosen, self.course)


def plan_of(session: GradingSession) -> Plan:
    """Return the plan that opens an equal session."""
    return Plan(session.course, session.seed, tuple(session.chosen))
