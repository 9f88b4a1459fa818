"""Prepare what grading one homework needs, once for a batch, and grade the code of one submission for it."""

from __future__ import annotations

import functools
import importlib.util
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from autograder.course.cases import (
    ANSWERS_READ,
    NAMES_READ,
    Call,
    ValueRead,
    fresh_cases,
)
from autograder.course.course import Course
from autograder.course.homework import CourseError, Homework
from autograder.exhibits.behaviour import behaviours_of
from autograder.exhibits.exhibits import exhibits, wrong_in_the_open
from autograder.grading.stale import check_current
from autograder.grading.telling import example_checks
from autograder.reasons.catalogue import Solution, read_catalogue
from autograder.reasons.diagnosis import Diagnostician
from autograder.reasons.errors import explain_import, note_stops
from autograder.reasons.explain import Explainer
from autograder.reasons.mutation import read_singles
from autograder.sandbox.pool import SandboxPool
from autograder.sandbox.report import (
    Answer,
    Answers,
    RunReport,
    Status,
    Stop,
    StudentError,
)
from autograder.sandbox.request import Code, Request, SharedCalls
from autograder.verdict.checks import Check, CheckResult, load_checks, run_checks
from autograder.verdict.explanation_faults import (
    KEEP_THEIR_MEANING,
    described,
    explaining,
    is_explaining,
    recording_faults,
)
from autograder.verdict.failure import CheckFailed, Failure, FailureKind
from autograder.verdict.fixtures import Ask, Cases, Compare, Fixtures, SubmissionProxy
from autograder.verdict.interface import Restored, value_key
from autograder.verdict.known import OPEN, KnownCase
from autograder.verdict.names import DefinedNames, read_names
from autograder.verdict.reference import know_fresh, run_calls
from autograder.verdict.results import HomeworkResult
from autograder.verdict.store import open_store
from autograder.verdict.theory import Theory, judge_theory, not_judged
from autograder.verdict.work import Work

GIVEN = value_key(ANSWERS_READ.name)
"""The key of the answers to theory questions."""
NAMES = "names"
"""The key of the names that the code binds."""
BONUS = (
    "The theory questions are a bonus: up to {:g} points beyond the {:g} of the code."
)
Calls = Sequence[Call] | SharedCalls
Findings = Mapping[str, Failure]
OUT_OF_TIME = Answer(
    error=StudentError("TimeLimit", "no time is left for further calls")
)
SPLIT = frozenset(
    {Status.TIME_LIMIT, Status.MEMORY_LIMIT, Status.CRASHED, Status.INVALID_ANSWER}
)
LIMIT_ERRORS = {Status.TIME_LIMIT: "TimeLimit", Status.MEMORY_LIMIT: "MemoryError"}
"""The errors of calls that reached a limit, by the status of the submission; time comes before memory."""


@dataclass(frozen=True)
class Suite:
    """One homework with its known cases and its checks."""

    homework: Homework
    known: tuple[KnownCase, ...]
    checks: tuple[Check, ...]
    diagnostician: Diagnostician
    seed: int

    @property
    def left_behind(self) -> Mapping[str, Call]:
        """What is read of a submission without giving it any input."""
        values = [task.value for task in self.homework.tasks if task.value is not None]
        read: dict[str, Call] = {value_key(name): ValueRead(name) for name in values}
        return {**read, GIVEN: ANSWERS_READ} if self.homework.questions else read

    @functools.cached_property
    def quiet_calls(self) -> Mapping[str, Call]:
        """What is read of a submission before any function is called, by the key of the answer.

        These are the values that it leaves behind, which of the tasks are there, and all of its names.
        """
        tasks = {
            presence_key(task.name): ValueRead(task.name, "presence")
            for task in self.homework.tasks
        }
        return {**self.left_behind, **tasks, NAMES: NAMES_READ}

    @functools.cached_property
    def open_cases(self) -> Mapping[str, Call]:
        """The calls of the published and public cases, by id: all that students may know of the inputs."""
        return {
            known.case.id: known.case.call
            for known in self.known
            if known.case.group in OPEN
        }

    @functools.cached_property
    def hidden_cases(self) -> Mapping[str, Call]:
        """The calls of the hidden and fresh cases, by id."""
        return {
            known.case.id: known.case.call
            for known in self.known
            if known.case.group not in OPEN
        }

    @property
    def calls(self) -> Mapping[str, Call]:
        """What each submission is judged by, by the key of the answer."""
        return {**self.left_behind, **self.open_cases, **self.hidden_cases}

    @functools.cached_property
    def stages(self) -> tuple[SharedCalls, SharedCalls | None]:
        """The calls of the two stages of a run; none in the second where nothing is hidden.

        What may be quoted to students comes from the first stage, and what is hidden is given in the second.
        They are the same for each submission, so that nothing that happened in another run shows in them.
        """
        open_calls = [*self.quiet_calls.values(), *self.open_cases.values()]
        hidden_calls = [call.as_mapping() for call in self.hidden_cases.values()]
        first = SharedCalls([call.as_mapping() for call in open_calls])
        return first, SharedCalls(hidden_calls) if hidden_calls else None

    @functools.cached_property
    def parameters(self) -> Mapping[str, Sequence[str]]:
        """What the reference solution calls the arguments of each function that is called."""
        path = self.homework.solution
        solution = Solution(path, path.read_text(encoding="utf-8"))
        return {
            name: solution.parameters(name)
            for name in {one.case.call.name for one in self.known}
        }


def presence_key(name: str) -> str:
    """The key of the answer that says whether a name is bound."""
    return f"presence/{name}"


def prepare_suite(
    course: Course, homework: Homework, seed: int, pool: SandboxPool
) -> Suite:
    """Read the stored cases, draw the batch's fresh ones and let the reference solution answer them.

    Raises:
        CourseError: a file of the course is missing or wrong, or what is stored no longer belongs to it.
    """
    if missing := [
        name for name in homework.libraries if importlib.util.find_spec(name) is None
    ]:
        said = f"libraries names {', '.join(missing)}, not installed here: install it with pip"
        raise CourseError(f"{homework.id}: {said}")
    if homework.base and homework.wants_examples:
        checks = example_checks(course, homework, homework.base)
        return Suite(homework, (), checks, Diagnostician(homework, (), (), {}), seed)
    store = open_store(course, homework)
    stored = store.read()
    check_current(homework, store, stored, pool)
    fresh = know_fresh(
        homework, fresh_cases(homework, seed), store.fresh_tolerances(), pool
    )
    singles = read_singles(store.folder, stored)
    diagnostician = Diagnostician(homework, read_catalogue(homework), stored, singles)
    return Suite(
        homework, (*stored, *fresh), tuple(load_checks(homework)), diagnostician, seed
    )


@dataclass(frozen=True)
class HandinRun:
    """What the sandbox reported about one submission's code, from one run or put together from several.

    ``answers`` are what it is judged by. Whatever is quoted to the student (answers to questions, what
    stopped, names, what exceptions say, returned arrays) is in ``quiet`` and ``opened``, and was in our hands
    before any process of this code was given a hidden input, so that it cannot smuggle one out. ``quiet`` is
    the report on the code itself; ``opened`` holds the answers to what is read of it and to public cases.
    """

    status: Status
    report: RunReport
    answers: Answers
    quiet: RunReport
    opened: Answers = field(default_factory=dict)

    @property
    def names(self) -> DefinedNames:
        """The names that the code binds."""
        return (
            read_names(self.opened[NAMES]) if NAMES in self.opened else DefinedNames()
        )

    @property
    def stops(self) -> Sequence[Stop]:
        """The cells, or lines outside the functions of a file, that stop."""
        return self.quiet.stops


def grade_handin(
    code: Code,
    suite: Suite,
    pool: SandboxPool,
    notes: Sequence[str] = (),
    run: HandinRun | None = None,
) -> HomeworkResult:
    """Run the code, unless it was run already, judge its answers; never raises for a submission.

    A check that raises is not judged, and then the homework has no points yet. An explanation that raises
    costs its text alone, and is listed in the result's ``explanation_faults``.
    """
    with recording_faults() as faults:
        result = _grade_handin(
            code, suite, pool, notes, run or run_handin(code, suite, pool)
        )
    return replace(result, explanation_faults=tuple(faults))


def _grade_handin(
    code: Code, suite: Suite, pool: SandboxPool, notes: Sequence[str], run: HandinRun
) -> HomeworkResult:
    homework = suite.homework
    status, detail = run.status, run.report.detail
    checks: Sequence[CheckResult] = ()
    theory, stop_notes = Theory(), list[str]()
    work = Work(code.entry, _source(code))
    if run.answers:
        # The verdicts: a check that raises is our fault, and must never become a zero.
        findings: dict[str, Failure] = {}
        fixtures = _open_fixtures(code, suite, pool, run)
        checks = run_checks(suite.checks, fixtures, findings)
        theory = _theory(suite, run)
        broken = [one for one in (*checks, *theory.checks) if one.fault]
        if broken:
            status = Status.INFRASTRUCTURE_ERROR
            detail = "\n".join(
                f"{one.check} was not judged: {one.staff}" for one in broken
            )
        # The explanations: what raises here costs its own text.
        with explaining("the notes on what stopped while the code was loaded"):
            stop_notes = _stop_notes(suite, run)
        work = _seen(work, suite, run, checks, findings)
        with explaining("what the wrong answers are, for groups of equal ones"):
            work = replace(work, behaviours=behaviours_of(fixtures.compare, checks))
    elif not status.is_our_fault:
        finding = load_failure(suite, run)
        checks = [one.failed(finding) for one in suite.checks]
        theory = (
            judge_theory(homework, Answer(not_defined=True))
            if homework.counted
            else theory
        )
    if theory.checks and not homework.counted:
        notes = (*notes, BONUS.format(homework.theory_points, homework.points))
    return HomeworkResult(
        homework=homework.id,
        title=homework.title,
        status=status,
        points=homework.points,
        checks=(*checks, *theory.checks),
        detail=detail,
        hints=homework.hints,
        notes=(*notes, *stop_notes, *theory.notes),
        output=run.report.output,
        layers=run.report.layers,
        seed=suite.seed,
        seconds=run.report.cpu_seconds,
        work=work,
    )


def _source(code: Code) -> str:
    """The code as it ran: the file, or a notebook's cells one below the other."""
    if code.cells is None:
        return code.files.get(code.entry, "")
    return "\n\n".join(f"# In [{cell.number}]\n{cell.source}" for cell in code.cells)


def _seen(
    work: Work,
    suite: Suite,
    run: HandinRun,
    own: Sequence[CheckResult],
    found: Findings,
) -> Work:
    """Return the work with the cases that were judged wrong, and with those of them that students may see.

    What reached a limit or crashed is not run once more for that.
    """
    asked = own if run.status is Status.GRADED else ()
    wrong = [
        (name, one.judged) for name, one in found.items() if one.judged is not None
    ]
    limits = suite.homework.limits
    with explaining("what came out, for the staff"):
        work = replace(work, exhibits=exhibits(wrong, limits, suite.parameters))
    with explaining("what came out for public cases, for the student"):
        openly = wrong_in_the_open(asked, suite.known, run.opened, suite.homework)
        return replace(
            work, shown=exhibits(openly, limits, suite.parameters, suite.known)
        )
    return work


def more_calls(code: Code, suite: Suite, pool: SandboxPool, seconds: float) -> Ask:
    """Return what makes the calls that checks and diagnosis ask for, all of each in so many seconds.

    Each time they are a run of their own. Afterwards every call is answered as one that ran out of time.
    Explanations have as many seconds of their own: a long search for a reason must not let a check fail that
    comes after it.
    """
    left = {"checks": seconds, "explanations": seconds}

    def ask(calls: Sequence[Call]) -> list[Answer]:
        purpose = "explanations" if is_explaining() else "checks"
        if left[purpose] <= 0:
            return [OUT_OF_TIME] * len(calls)
        started = time.perf_counter()
        report = _run(code, suite, pool, calls, left[purpose])
        left[purpose] -= time.perf_counter() - started
        return _answers_of(_not_our_fault(report), len(calls))

    return ask


def run_handin(
    code: Code,
    suite: Suite,
    pool: SandboxPool,
    before_hidden: Callable[[], object] | None = None,
) -> HandinRun:
    """Make all calls of the suite, in one run where that survives them.

    ``before_hidden`` is called before any process of this code is given a hidden input. It may not be called
    where none is given, and must do nothing when it is called again.

    Where one task brings the process down, the tasks are run one by one, so that the others keep their
    answers. The order is always the same: first what is read of the code, then the public cases, and the
    hidden ones last. What a process answered in its first stage, before it died, is not asked again.
    """
    open_calls, hidden_calls = suite.stages
    whole = _run(
        code, suite, pool, open_calls, later=hidden_calls, before_later=before_hidden
    )
    opened = dict(
        zip([*suite.quiet_calls, *suite.open_cases], whole.answers, strict=False)
    )
    hidden: Answers = dict(
        zip(suite.hidden_cases, whole.answers[len(open_calls) :], strict=False)
    )
    if whole.status not in SPLIT or whole.load_error is not None:
        return HandinRun(
            _status_of(whole), whole, _judged(suite, opened, hidden), whole, opened
        )

    # The process died. What is known of the code itself is from its first stage, or from a run without calls.
    quiet = shown = whole
    fatal: dict[str, RunReport] = {}
    if not opened:
        quiet = _run(code, suite, pool, [*suite.quiet_calls.values()])
        if quiet.status is not Status.GRADED:
            return HandinRun(quiet.status, quiet, {}, quiet)
        shown = replace(
            quiet, detail=whole.detail, staff=whole.staff, output=whole.output
        )
        opened = dict(zip(suite.quiet_calls, quiet.answers, strict=True))
        opened |= _task_by_task(code, suite, pool, suite.open_cases, fatal)
    if before_hidden is not None:
        before_hidden()
    hidden = _task_by_task(code, suite, pool, suite.hidden_cases, fatal)
    for report in fatal.values():
        if report.status is Status.INFRASTRUCTURE_ERROR:
            return HandinRun(report.status, report, {}, quiet)
    return HandinRun(whole.status, shown, _judged(suite, opened, hidden), quiet, opened)


def run_handins(
    handins: Sequence[tuple[Code, Suite]], pool: SandboxPool
) -> list[HandinRun]:
    """Run the homeworks of one submission: what may be quoted of any of them comes before all hidden inputs.

    Each process waits after its first stage until the homeworks after it have been run, so that this costs no
    further run.
    """
    runs: dict[int, HandinRun] = {}

    def run_from(place: int) -> None:
        code, suite = handins[place]
        if place + 1 == len(handins):
            runs[place] = run_handin(code, suite, pool)
            return
        run_the_rest = functools.cache(lambda: run_from(place + 1))
        runs[place] = run_handin(code, suite, pool, run_the_rest)
        run_the_rest()  # where the code had no second stage, it was not called yet

    if handins:
        run_from(0)
    return [runs[place] for place in range(len(handins))]


def _task_by_task(
    code: Code,
    suite: Suite,
    pool: SandboxPool,
    calls: Mapping[str, Call],
    fatal: dict[str, RunReport],
) -> Answers:
    """Make the calls of each task in a run of its own.

    ``fatal`` are the reports on runs without answers, by task: what brought one down is not run again, nor is
    anything once the sandbox is of no use.
    """
    answers: dict[str, Answer] = {}
    for name in dict.fromkeys(call.name for call in calls.values()):
        own = {key: call for key, call in calls.items() if call.name == name}
        report = fatal.get(name) or _run(code, suite, pool, [*own.values()])
        if not report.answers:
            fatal[name] = report
        if report.status is Status.INFRASTRUCTURE_ERROR:
            break
        answers.update(zip(own, _answers_of(report, len(own)), strict=True))
    return answers


def _judged(suite: Suite, opened: Answers, hidden: Answers) -> Answers:
    """The answers that a submission is judged by, none where nothing of it could be called."""
    both = {**opened, **hidden}
    return {key: both[key] for key in suite.calls if key in both}


def fixtures_for(
    code: Code, suite: Suite, pool: SandboxPool, run: HandinRun | None = None
) -> Fixtures:
    """Run a submission and return what its checks are given; ``CheckFailed`` where nothing can be called."""
    run = run or run_handin(code, suite, pool)
    if not run.answers:
        raise CheckFailed(load_failure(suite, run))
    return _open_fixtures(code, suite, pool, run)


def _open_fixtures(
    code: Code, suite: Suite, pool: SandboxPool, run: HandinRun
) -> Fixtures:
    restored = Restored(run.answers, suite.known, suite.homework.tasks)
    more = more_calls(code, suite, pool, suite.homework.limits.seconds)
    open_answers = {
        key: run.opened[key] for key in suite.open_cases if key in run.opened
    }
    asked = (
        lambda: run.quiet.functions,
        lambda: run.stops,
        more,
        lambda: run.names,
        lambda: open_answers,
    )
    submission = SubmissionProxy(restored, *asked)
    cases = Cases(suite.known)
    diagnose = functools.partial(suite.diagnostician.diagnose, pool=pool)

    def ask_reference(calls: Sequence[Call]) -> list[Answer]:
        return run_calls(suite.homework, suite.homework.solution, calls, pool)

    explainer = Explainer(diagnose, ask_reference)
    compare = Compare(suite.homework, submission, cases, explainer)
    return Fixtures(submission, cases, compare, pool)


def load_failure(suite: Suite, run: HandinRun) -> Failure:
    """Return why nothing of a submission could be called."""
    report, homework = run.report, suite.homework
    if report.load_error is None:
        return Failure(
            FailureKind.RAISED,
            f"The file could not be run: {report.detail}.",
            report.staff,
        )
    with explaining("why the file could not be imported"):
        error = report.load_error  # of a process that was given no hidden input
        return explain_import(error, homework.stub, homework.limits, error)
    return Failure(
        FailureKind.RAISED,
        f"Importing `{homework.stub}` raised {report.load_error.type}.",
        report.staff,
    )


def _run(
    code: Code,
    suite: Suite,
    pool: SandboxPool,
    calls: Calls,
    seconds: float = 0.0,
    later: SharedCalls | None = None,
    before_later: Callable[[], object] | None = None,
) -> RunReport:
    """Make calls in one run, under the homework's limits, or in other seconds that are given."""
    sent = (
        calls
        if isinstance(calls, SharedCalls)
        else [call.as_mapping() for call in calls]
    )
    homework = suite.homework
    limits = replace(homework.limits, seconds=seconds or homework.limits.seconds)
    return pool.run(Request(code, sent, homework.library, limits, later, before_later))


def _status_of(report: RunReport) -> Status:
    """What ran out of time, if only a cell, marks the whole submission, though its other calls count."""
    errors = {answer.error.type for answer in report.answers if answer.error}
    errors |= {"TimeLimit"} & {stop.error.type for stop in report.stops}
    exhausted = (status for status, error in LIMIT_ERRORS.items() if error in errors)
    return (
        next(exhausted, report.status)
        if report.status is Status.GRADED
        else report.status
    )


def _not_our_fault(report: RunReport) -> RunReport:
    """Return the report of a further run; a fault of ours must not look like one of the submission."""
    if report.status.is_our_fault:
        raise RuntimeError(report.detail)
    return report


def _answers_of(report: RunReport, calls: int) -> list[Answer]:
    """The answers, or as many errors that say how a run without answers ended."""
    if report.answers:
        return list(report.answers)
    if (
        report.load_error is not None
    ):  # none of what was asked for in this run is defined
        return [Answer(not_defined=True)] * calls
    message = f"{report.detail}\n{report.staff}".strip()
    return [
        Answer(
            error=StudentError(
                LIMIT_ERRORS.get(report.status, str(report.status)), message
            )
        )
    ] * calls


def _theory(suite: Suite, run: HandinRun) -> Theory:
    """Judge the answers to the homework's questions, if it has any."""
    answer = run.opened.get(GIVEN)
    if answer is None:
        return Theory()
    try:
        return judge_theory(suite.homework, answer)
    except KEEP_THEIR_MEANING:
        raise
    except Exception as error:  # our fault, recorded in the results of the questions
        return not_judged(suite.homework, described(error))


def _stop_notes(suite: Suite, run: HandinRun) -> list[str]:
    """What stopped while the code was loaded, and the tasks that are not there in the end."""
    if not run.stops:
        return []
    missing = [
        task.name
        for task in suite.homework.tasks
        if run.opened[presence_key(task.name)].not_defined
        and (task.value is None or run.opened[value_key(task.value)].not_defined)
    ]
    return note_stops(run.stops, missing, suite.homework.limits)
