"""Grade one submission for one homework: run it, judge its answers, explain its failures."""

from __future__ import annotations

import functools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from autograder.exhibits.behaviour import behaviours_of
from autograder.exhibits.exhibits import exhibits, wrong_public_answers
from autograder.grading.runs import HandinRun, more_calls, run_handin
from autograder.grading.suite import THEORY_ANSWERS, Suite, presence_key
from autograder.language import say, speaking
from autograder.reasons.errors import explain_import, note_stops
from autograder.reasons.explain import Explainer
from autograder.reasons.student_code import StudentCode
from autograder.sandbox.pool import SandboxPool
from autograder.sandbox.report import Answer, Status
from autograder.sandbox.request import Code
from autograder.verdict.checks import CheckResult, judge_checks
from autograder.verdict.explanation_faults import (
    NEVER_SWALLOWED,
    described,
    explaining,
    recording_faults,
)
from autograder.verdict.failure import CheckFailed, Failure, FailureKind
from autograder.verdict.fixtures import Compare, Fixtures, SubmissionProxy
from autograder.verdict.forms import with_forms
from autograder.verdict.interface import Restored, value_key
from autograder.verdict.results import HomeworkResult
from autograder.verdict.theory import Theory, judge_theory, not_judged
from autograder.verdict.work import Work


def grade_handin(
    code: Code,
    suite: Suite,
    pool: SandboxPool,
    notes: Sequence[str] = (),
    run: HandinRun | None = None,
) -> HomeworkResult:
    """Run a submission's code and judge its answers; never raises for a submission.

    A check that raises is not judged, and then the homework has no points yet. An explanation that raises
    costs its text only, and is listed in the result's ``explanation_faults``.

    Args:
        code: the submission's code for this homework.
        suite: the homework with its cases and checks.
        pool: runs the code.
        notes: what reading the submission has to say to the student.
        run: the report on the code's run, where it was run already.
    """
    homework = suite.homework
    with recording_faults() as faults, speaking(homework.language):
        if run is None:
            run = run_handin(code, suite, pool)
        if run.answers:
            judgement = _judge_answers(code, suite, pool, run)
        else:
            judgement = _judge_without_answers(code, suite, run)
        theory = judgement.theory
        all_notes = list(notes)
        if theory.checks and not homework.questions_count:
            bonus = say(
                "The theory questions are a bonus: up to {bonus:g} points beyond the {points:g} of the code.",
                bonus=homework.theory_points,
                points=homework.points,
            )
            all_notes.append(bonus)
        all_notes += [*judgement.stop_notes, *theory.notes]
    return HomeworkResult(
        homework=homework.id,
        title=homework.title,
        status=judgement.status,
        points=homework.points,
        checks=(*judgement.checks, *theory.checks),
        detail=judgement.detail,
        hints=homework.hints,
        notes=tuple(all_notes),
        output=run.report.output,
        layers=run.report.layers,
        seed=suite.seed,
        seconds=run.report.cpu_seconds,
        work=judgement.work,
        explanation_faults=tuple(faults),
    )


@dataclass(frozen=True)
class _Judgement:
    """The outcome of judging one run."""

    status: Status
    detail: str
    work: Work
    checks: Sequence[CheckResult] = ()
    theory: Theory = field(default_factory=Theory)
    stop_notes: Sequence[str] = ()


def _judge_answers(
    code: Code, suite: Suite, pool: SandboxPool, run: HandinRun
) -> _Judgement:
    # The verdicts: a check that raises is our fault, and must never become a zero.
    failures: dict[str, Failure] = {}
    fixtures = _open_fixtures(code, suite, pool, run)
    checks = []
    for check, failure in judge_checks(suite.checks, fixtures):
        checks.append(check)
        if failure is not None:
            failures[check.check] = failure
    theory = _judge_theory(suite, run)
    status = run.status
    detail = run.report.detail
    broken = []
    for check in (*checks, *theory.checks):
        if check.fault:
            broken.append(check)
    if broken:
        status = Status.INFRASTRUCTURE_ERROR
        lines = [f"{check.check} was not judged: {check.staff}" for check in broken]
        detail = "\n".join(lines)

    # The explanations: one that raises costs its own text.
    with explaining("the form in which right values came back"):
        checks = with_forms(checks, suite.checks, fixtures)
    stop_notes: list[str] = []
    with explaining("the notes on what stopped while the code was loaded"):
        stop_notes = _stop_notes(suite, run)
    work = Work(code.entry, _source(code))
    work = _with_exhibits(work, suite, run, checks, failures)
    with explaining("what the wrong answers are, for groups of equal ones"):
        work = replace(work, behaviours=behaviours_of(fixtures.compare, checks))
    return _Judgement(status, detail, work, checks, theory, stop_notes)


def _judge_without_answers(code: Code, suite: Suite, run: HandinRun) -> _Judgement:
    """Judge code of which nothing could be called; where that is our fault, there are no checks."""
    judgement = _Judgement(
        run.status, run.report.detail, Work(code.entry, _source(code))
    )
    if run.status.is_our_fault:
        return judgement
    failure = load_failure(suite, run)
    checks = [check.failed(failure) for check in suite.checks]
    theory = Theory()
    if suite.homework.questions_count:
        theory = judge_theory(suite.homework, Answer(not_defined=True))
    return replace(judgement, checks=checks, theory=theory)


def _source(code: Code) -> str:
    """The code as it ran: the file, or a notebook's cells one below the other."""
    if code.cells is None:
        return code.files.get(code.entry, "")
    cells = [f"# In [{cell.number}]\n{cell.source}" for cell in code.cells]
    return "\n\n".join(cells)


def _with_exhibits(
    work: Work,
    suite: Suite,
    run: HandinRun,
    checks: Sequence[CheckResult],
    failures: Mapping[str, Failure],
) -> Work:
    """Add the cases that were judged wrong, for the staff, and the public ones among them for the student.

    A submission that reached a limit or crashed shows its student no case.
    """
    wrong_cases = []
    for name, failure in failures.items():
        if failure.failed_case is not None:
            wrong_cases.append((name, failure.failed_case))
    limits = suite.homework.limits
    with explaining("what came out, for the staff"):
        shown_to_staff = exhibits(wrong_cases, limits, suite.parameters)
        work = replace(work, exhibits=shown_to_staff)
    if run.status is Status.GRADED:
        with explaining("what came out for public cases, for the student"):
            wrong_public_cases = wrong_public_answers(
                checks, suite.known, run.opened, suite.homework
            )
            public_exhibits = exhibits(
                wrong_public_cases, limits, suite.parameters, suite.known
            )
            work = replace(work, shown=public_exhibits)
    return work


def fixtures_for(
    code: Code, suite: Suite, pool: SandboxPool, run: HandinRun | None = None
) -> Fixtures:
    """Run a submission and return the fixtures of its checks.

    Raises:
        CheckFailed: nothing of the submission can be called.
    """
    if run is None:
        run = run_handin(code, suite, pool)
    if not run.answers:
        raise CheckFailed(load_failure(suite, run))
    return _open_fixtures(code, suite, pool, run)


def _open_fixtures(
    code: Code, suite: Suite, pool: SandboxPool, run: HandinRun
) -> Fixtures:
    open_answers: dict[str, Answer] = {}
    for key in suite.open_cases:
        if key in run.opened:
            open_answers[key] = run.opened[key]
    submission = SubmissionProxy(
        answers=Restored(run.answers, suite.known, suite.homework.tasks),
        ask_functions=lambda: run.quiet.functions,
        ask_stops=lambda: run.stops,
        calls=more_calls(code, suite, pool, suite.homework.limits.seconds),
        ask_names=lambda: run.names,
        ask_openly=lambda: open_answers,
    )

    ask_reference = functools.partial(suite.diagnostician.reference.ask, pool=pool)
    diagnose = functools.partial(suite.diagnostician.diagnose, pool=pool)
    find_slip = functools.partial(suite.diagnostician.slips.find, pool=pool)
    explainer = Explainer(
        diagnose,
        ask_reference,
        suite.diagnostician.sayings,
        find_slip,
        code=StudentCode(code),
    )
    compare = Compare(suite.homework, submission, suite.cases, explainer)
    return Fixtures(submission, suite.cases, compare, pool)


def load_failure(suite: Suite, run: HandinRun) -> Failure:
    """Return why nothing of a submission could be called."""
    report = run.report
    homework = suite.homework
    if report.load_error is None:
        text = say("The file could not be run: {detail}.", detail=report.detail)
        return Failure(FailureKind.RAISED, text, report.staff)
    with explaining("why the file could not be imported"):
        error = report.load_error  # of a process that was given no hidden input
        return explain_import(error, homework.stub, homework.limits, error)
    text = say(
        "Importing `{stub}` raised {error}.",
        stub=homework.stub,
        error=report.load_error.type,
    )
    return Failure(FailureKind.RAISED, text, report.staff)


def _judge_theory(suite: Suite, run: HandinRun) -> Theory:
    """Judge the answers to the homework's questions, if it has any."""
    answer = run.opened.get(THEORY_ANSWERS)
    if answer is None:
        return Theory()
    try:
        return judge_theory(suite.homework, answer)
    except NEVER_SWALLOWED:
        raise
    except Exception as error:  # our fault, recorded in the results of the questions
        return not_judged(suite.homework, described(error))


def _stop_notes(suite: Suite, run: HandinRun) -> list[str]:
    """Return notes on lines and cells that stopped during loading, and on tasks that are missing afterwards."""
    if not run.stops:
        return []
    missing = []
    for task in suite.homework.tasks:
        is_missing = run.opened[presence_key(task.name)].not_defined
        if task.value is not None:
            is_missing &= run.opened[value_key(task.value)].not_defined
        if is_missing:
            missing.append(task.name)
    return note_stops(run.stops, missing, suite.homework.limits)
