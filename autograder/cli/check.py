"""``autograder check``: prove that the course is whole, for developers and CI."""

from __future__ import annotations

from collections.abc import Iterator

from autograder.authoring import TODO, verify_assignments
from autograder.cli.console import fail_if, say
from autograder.cli.options import CourseOption
from autograder.course import Course, Homework, Written, find_course, stub_text
from autograder.judging import CATALOGUE, Outcome, grade_handin, prepare_suite, read_catalogue
from autograder.sandbox import Code, SandboxPool

SEED = 0


def check(course: CourseOption = None) -> None:
    """Check that stubs earn no points, and solutions all of them.

    Generated files must also be in sync with what they are made from, and known mistakes worded.

    Exit status 0: the course is whole. 1: it is not. 2: wrong usage.

    Example: `autograder check`
    """
    found = find_course(course)
    lines = verify_assignments(found)
    with SandboxPool() as pool:
        for homework in found.homeworks():
            wrong = list(_check_homework(found, homework, pool))
            say(f"{homework.id}: {'ok' if not wrong else 'NOT ok'}")
            lines += wrong
    fail_if(lines)


def _check_homework(course: Course, homework: Homework, pool: SandboxPool) -> Iterator[str]:
    for mistake in read_catalogue(homework):
        if TODO in mistake.says:
            yield f"{homework.folder / CATALOGUE}: {mistake.id}.says: word the sentence that students read"
    suite = prepare_suite(course, homework, SEED, pool)
    texts = (homework.solution.read_text("utf-8"), stub_text(homework))
    codes = (Code(homework.stub, {homework.stub: text}) for text in texts)
    solution, stub = (grade_handin(code, suite, pool) for code in codes)
    for one in solution.checks:
        if one.outcome not in (Outcome.PASSED, Outcome.COLLECTED):
            yield f"{homework.id}: the reference solution fails {one.check}: {one.reason} {one.staff}"
    due = sum(one.points for one in (*homework.tasks, *homework.questions) if not isinstance(one, Written))
    if solution.earned != due:
        yield f"{homework.id}: the solution earns {solution.earned} of {due}: {solution.detail}"
    if stub.earned != 0:
        passed = [one.check for one in stub.checks if one.earned]
        yield f"{homework.id}: the untouched stub earns {stub.earned} ({', '.join(passed)}) {stub.detail}"
