"""``autograder check``: check that the course is complete and consistent, for developers and CI."""

from __future__ import annotations

from autograder.authoring.assignments import REMEDY, left_behind, verify_assignments
from autograder.authoring.complaints import complaints_about
from autograder.batch.garbage import rare_collections
from autograder.cli.console import fail_if, note, notes, print_line
from autograder.cli.options import CourseOption, HomeworkIds
from autograder.course.course import find_course
from autograder.sandbox.pool import SandboxPool


def check(homework_ids: HomeworkIds = None, course_root: CourseOption = None) -> None:
    """Check that stubs earn no points, and solutions all points.

    Generated files must also be in sync with what they are made from, the oracle must give the solution's
    answers, and known mistakes, cases, checks, questions, the handout and the corpus must keep their rules.
    Possible improvements are reported as notes.

    Exit status 0: the course is complete and consistent. 1: it is not. 2: wrong usage.

    Example: `autograder check hw1`
    """
    course = find_course(course_root)
    with SandboxPool() as pool, rare_collections():
        complaints = verify_assignments(course, homework_ids, pool)
        if complaints:
            complaints.append(REMEDY)
        for homework in course.homeworks(homework_ids):
            homework_complaints = list(
                complaints_about(course, homework, pool, note, print_line)
            )
            state = "NOT ok" if homework_complaints else "ok"
            print_line(f"{homework.id}: {state}")
            complaints += homework_complaints
    if not homework_ids:
        notes(left_behind(course))
    fail_if(complaints)
