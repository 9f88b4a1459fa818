"""``autograder check``: prove that the course is whole, for developers and CI."""

from __future__ import annotations

from collections.abc import Iterator

from autograder.authoring.assignments import verify_assignments
from autograder.authoring.rules import Subject, findings
from autograder.cli.console import fail_if, note, say
from autograder.cli.options import CourseOption, HomeworkIds
from autograder.course.course import Course, find_course
from autograder.course.homework import Homework
from autograder.course.questions import Written
from autograder.course.stub import stub_text
from autograder.grading.grade import fixtures_for, grade_handin
from autograder.grading.runs import run_handin
from autograder.grading.suite import prepare_suite
from autograder.sandbox.pool import SandboxPool
from autograder.sandbox.request import Code
from autograder.verdict.checks import Outcome

SEED = 0


def check(homework: HomeworkIds = None, course: CourseOption = None) -> None:
    """Check that stubs earn no points, and solutions all of them.

    Generated files must also be in sync with what they are made from, and known mistakes, cases, checks,
    questions and the corpus must keep their rules. What could be better but may stay is a note.

    Exit status 0: the course is whole. 1: it is not. 2: wrong usage.

    Example: `autograder check hw1`
    """
    found = find_course(course)
    with SandboxPool() as pool:
        lines = verify_assignments(found, homework, pool)
        for one in found.homeworks(homework):
            wrong = list(_check_homework(found, one, pool))
            say(f"{one.id}: {'ok' if not wrong else 'NOT ok'}")
            lines += wrong
    fail_if(lines)


def _check_homework(
    course: Course, homework: Homework, pool: SandboxPool
) -> Iterator[str]:
    suite = prepare_suite(course, homework, SEED, pool)
    texts = (homework.solution.read_text("utf-8"), stub_text(homework))
    right, untouched = (Code(homework.stub, {homework.stub: text}) for text in texts)
    run = run_handin(right, suite, pool)
    solution, stub = (
        grade_handin(right, suite, pool, run=run),
        grade_handin(untouched, suite, pool),
    )
    for result in (solution, stub):
        yield from (
            f"{homework.id}: an explanation failed: {fault}"
            for fault in result.explanation_faults
        )
    for one in solution.checks:
        if one.outcome not in (Outcome.PASSED, Outcome.COLLECTED):
            yield f"{homework.id}: the reference solution fails {one.check}: {one.reason} {one.staff}"
    due = sum(
        one.points
        for one in (*homework.tasks, *homework.questions)
        if not isinstance(one, Written)
    )
    if solution.earned is None:
        cause = solution.detail.partition("\n")[0]
        yield f"{homework.id}: the solution could not be graded: {cause}"
        return
    if solution.earned != due:
        yield f"{homework.id}: the solution earns {solution.earned} of {due}: {solution.detail}"
        return
    if stub.earned != 0:
        passed = [one.check for one in stub.checks if one.earned]
        yield f"{homework.id}: the untouched stub earns {stub.earned} ({', '.join(passed)}) {stub.detail}"
    for found in findings(
        Subject(course, suite, fixtures_for(right, suite, pool, run))
    ):
        if found.is_error:
            yield str(found)
        else:
            note(str(found))
