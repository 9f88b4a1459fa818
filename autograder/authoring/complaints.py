"""Check a homework as a whole: its solution earns all points, its stub none, and its files keep the rules."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from autograder.authoring.reference import other_oracle_answers
from autograder.authoring.rules import Subject, chances_in_words, findings
from autograder.course.course import Course
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


def complaints_about(
    course: Course,
    homework: Homework,
    pool: SandboxPool,
    improve: Callable[[str], object],
    inform: Callable[[str], object],
) -> Iterator[str]:
    """Yield what is wrong with a homework: it must not be used like this.

    Args:
        course: its course.
        homework: the homework; its generated files are there.
        pool: runs its solution and its stub.
        improve: gets each possible improvement.
        inform: gets what chance may do.
    """
    # Grade the reference solution and the untouched stub.
    suite = prepare_suite(course, homework, SEED, pool)
    solution_text = homework.solution.read_text("utf-8")
    solution_code = Code(homework.stub, {homework.stub: solution_text})
    stub_code = Code(homework.stub, {homework.stub: stub_text(homework)})
    run = run_handin(solution_code, suite, pool)
    solution = grade_handin(solution_code, suite, pool, run=run)
    stub = grade_handin(stub_code, suite, pool)
    for fault in (*solution.explanation_faults, *stub.explanation_faults):
        yield f"{homework.id}: an explanation failed: {fault}"

    # The solution earns all points, but for questions that people mark.
    for check in solution.checks:
        if check.outcome not in (Outcome.PASSED, Outcome.COLLECTED):
            yield f"{homework.id}: the reference solution fails {check.check}: {check.reason} {check.staff}"
    if solution.earned is None:
        cause = solution.detail.partition("\n")[0]
        yield f"{homework.id}: the solution could not be graded: {cause}"
        return
    points = [task.points for task in homework.tasks]
    for question in homework.questions:
        if not isinstance(question, Written):
            points.append(question.points)
    due = sum(points)
    if solution.earned != due:
        yield f"{homework.id}: the solution earns {solution.earned} of {due}: {solution.detail}"
        return

    # The stub earns none.
    if stub.earned != 0:
        passed = []
        for check in stub.checks:
            if check.earned:
                passed.append(check.check)
        yield f"{homework.id}: the untouched stub earns {stub.earned} ({', '.join(passed)}) {stub.detail}"

    # The homework keeps the rules, and its oracle agrees with the solution.
    fixtures = fixtures_for(solution_code, suite, pool, run)
    subject = Subject(course, suite, fixtures)
    for line in other_oracle_answers(homework, subject.stored, pool):
        yield f"{homework.id}: {line}"
    for finding in findings(subject):
        if finding.is_error:
            yield str(finding)
        else:
            improve(str(finding))
    for line in chances_in_words(subject):
        inform(f"{homework.id}: {line}")
