"""``autograder check``: check that the course is complete and consistent, for developers and CI."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from autograder.authoring.assignments import REMEDY, left_behind, verify_assignments
from autograder.authoring.reference import other_oracle_answers
from autograder.authoring.rules import Subject, chances_in_words, findings
from autograder.batch.garbage import rare_collections
from autograder.cli.console import fail_if, note, notes, print_line
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
                faults_of(course, homework, pool, note, print_line)
            )
            state = "NOT ok" if homework_complaints else "ok"
            print_line(f"{homework.id}: {state}")
            complaints += homework_complaints
    if not homework_ids:
        notes(left_behind(course))
    fail_if(complaints)


def faults_of(
    course: Course,
    homework: Homework,
    pool: SandboxPool,
    improve: Callable[[str], object],
    inform: Callable[[str], object],
) -> Iterator[str]:
    """Yield the faults of a homework.

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
