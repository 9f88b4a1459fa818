"""Audit a course: grade every mutant, every correct answer and the stub, and list broken promises.

The mutant of each misconception and of each pair that a diagnosis can name, each submission of the corpus
and the stub is graded as a submission is. The mutant of a single misconception is graded in
the forms of ``audit_forms`` as well. Besides, every stored case must keep visible mutants at a distance of
several tolerances, and no odd answer may make a check raise (``audit_answers``).
"""

from __future__ import annotations

import enum
import functools
import multiprocessing
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass, replace
from pathlib import Path
from queue import Queue
from threading import Event

from autograder.authoring.audit_answers import (
    ODD_ANSWERS,
    OddTask,
    grade_odd,
    odd_submission,
    odd_tasks,
)
from autograder.authoring.audit_forms import as_notebook, as_value, with_outside_sizes
from autograder.authoring.corpus import CorpusSubmission, read_corpus, read_losses
from autograder.authoring.further_calls import FurtherCalls, PoolOfText
from autograder.authoring.parallel import in_parallel
from autograder.authoring.tolerances import nearest_mistake
from autograder.batch.garbage import rare_collections
from autograder.course.cases import Group
from autograder.course.course import Course
from autograder.course.homework import ANSWERS, Homework
from autograder.course.stub import stub_text
from autograder.errors import KitError
from autograder.grading.grade import grade_handin
from autograder.grading.suite import Suite, prepare_suite
from autograder.reasons.agreement import agreeing, as_told, diagnostic_cases, is_visible
from autograder.reasons.catalogue import CATALOGUE, read_catalogue
from autograder.reasons.mutation import (
    mutants,
    pair_labels,
    single_labels,
)
from autograder.reasons.outside import OUTSIDE
from autograder.sandbox.pool import SandboxPool
from autograder.sandbox.request import Code
from autograder.verdict.checks import Outcome
from autograder.verdict.failure import Labels
from autograder.verdict.for_checks.random_answers import (
    GENERATOR_UNUSED,
    GLOBAL_RANDOM,
    OWN_GENERATOR,
)
from autograder.verdict.known import SEPARATION, KnownCase
from autograder.verdict.results import HomeworkResult

SEED = 0


class Kind(enum.StrEnum):
    """The kind of a trial: a known mistake, a pair of them, a right answer, an odd one, a stub."""

    SINGLE = "single"
    NOTEBOOK = "notebook"
    VALUE = "value"
    OUTSIDE = "outside size"
    PAIR = "pair"
    CORRECT = "correct"
    MISTAKEN = "mistaken"
    STUB = "stub"
    ODD = "odd answer"


NAMED = {
    Kind.SINGLE: 1.0,
    Kind.NOTEBOOK: 1.0,
    Kind.VALUE: 1.0,
    Kind.OUTSIDE: 0.95,
    Kind.PAIR: 0.90,
}
"""The share of mutants that must be named, and named right."""
RECORD = "; find out why, and record it with `autograder audit --accept`"
PROVED = frozenset(
    {
        "all-alike",
        "argument-not-broadcast",
        "argument-unused",
        "batch-only",
        "depends-on-other-place",
        "one-sequence-only",
        "all-rows-paired",
        "first-item-for-all",
        "axis-of-one",
        "one-head-meets-all-weights",
        "rows-mix",
        GLOBAL_RANDOM,
        GENERATOR_UNUSED,
        OWN_GENERATOR,
    }
)
"""Labels proved by calls, forms or exceptions: true beside any mistake, also one of an earlier task."""
TURNED = frozenset({"returns-transposed", "mask-inverted"})
"""Labels that may be right of a pair, in which one mistake may turn what the other makes."""


@dataclass(frozen=True)
class Trial:
    """One graded program: its kind, the checks that it lost, and the labels that its failed checks carried.

    Attributes:
        homework: the id of the homework.
        kind: what was tried.
        name: the name of the mistake, the submission, the stub or the odd answer.
        mistakes: the labels of the mistakes that the text makes.
        earned: its points; None where it could not be graded.
        points: the maximum.
        labels: the labels of each failed check that has some.
        failed: the names of the failed checks.
        unexplained: the failed checks without a label.
        says: the checks that the text is said to lose; None where nothing is said.
        cause: why it could not be graded: a line for each check that raised.
        faults: explanations that failed.
        outside_sizes: the sizes that the text reads from outside its functions.
    """

    homework: str
    kind: Kind
    name: str
    mistakes: Labels = ()
    earned: float | None = None
    points: float = 0
    labels: tuple[tuple[str, ...], ...] = ()
    failed: tuple[str, ...] = ()
    unexplained: tuple[str, ...] = ()
    says: frozenset[str] | None = None
    cause: str = ""
    faults: tuple[str, ...] = ()
    outside_sizes: tuple[str, ...] = ()

    @property
    def loses_points(self) -> bool:
        return self.earned is not None and self.earned < self.points

    @property
    def wrong_labels(self) -> tuple[str, ...]:
        """Labels that name a misconception which the text does not make."""
        right_labels = {*as_told(self.mistakes), *PROVED}
        if self.kind is Kind.PAIR:
            right_labels |= TURNED
        labels = set[str]().union(*self.labels)
        return tuple(sorted(labels - right_labels))

    @property
    def is_named(self) -> bool:
        """Whether the labels name the one mistake, or at least one of the two, and no other.

        Where a size comes from outside, each failed check has a label: without one the size is not named.
        """
        if self.wrong_labels:
            return False
        if self.kind is Kind.OUTSIDE and self.unexplained:
            return False
        mistakes = set(as_told(self.mistakes))
        return any(not mistakes.isdisjoint(labels) for labels in self.labels)


@dataclass(frozen=True)
class Margin:
    """How far the closest visible mutant is from the expected value of one case, in tolerances."""

    homework: str
    case: str
    mistake: str
    tolerances: float


@dataclass(frozen=True)
class Audit:
    """All trials and margins of an audit, and one line for each broken promise."""

    trials: tuple[Trial, ...]
    margins: tuple[Margin, ...]
    violations: tuple[str, ...] = ()

    def of(self, kind: Kind) -> list[Trial]:
        trials = []
        for trial in self.trials:
            if trial.kind is kind:
                trials.append(trial)
        return trials


Candidate = tuple[Suite, Code, Trial]
"""A text to grade, and what is known of it before."""
OddCandidate = tuple[Suite, OddTask, str]
"""A task of a homework, and the name of the odd answer that it gives."""


def audit_course(
    course: Course,
    homeworks: Sequence[Homework],
    jobs: int,
    tell: Callable[[Trial], None],
    every_pair: int = 1,
    every_form: int = 1,
) -> Audit:
    """Audit homeworks.

    Several homeworks are audited in processes, for judging and explaining hold Python's lock most of the time; one
    homework in threads, which share what the variants of its solution answer.

    Args:
        course: the course that they are from.
        homeworks: the homeworks.
        jobs: how many texts are graded at once.
        tell: called with each trial as it ends.
        every_pair: only each n-th pair of mistakes is graded.
        every_form: only each n-th single mistake is graded in further forms, and only each n-th odd
            answer and mistaken submission of the corpus.
    """
    sampling = Sampling(every_pair, every_form)
    if jobs > 1 and len(homeworks) > 1:
        audits = _audit_in_processes(course, homeworks, jobs, tell, sampling)
    else:
        audits = []
        for homework in homeworks:
            audits.append(audit_homework(course, homework, jobs, tell, sampling))
    trials: list[Trial] = []
    all_margins: list[Margin] = []
    violations: list[str] = []
    for audit in audits:
        trials += audit.trials
        all_margins += audit.margins
        violations += audit.violations
    trials.sort(key=lambda trial: (trial.homework, trial.kind, trial.name))
    return Audit(tuple(trials), tuple(all_margins), tuple(violations))


@dataclass(frozen=True)
class Sampling:
    """Which trials are made: each n-th pair of mistakes, and each n-th form, odd answer and mistaken submission."""

    every_pair: int
    every_form: int


def audit_homework(
    course: Course,
    homework: Homework,
    threads: int,
    tell: Callable[[Trial], None],
    sampling: Sampling,
) -> Audit:
    """Audit one homework."""
    trials: list[Trial] = []
    with SandboxPool() as pool:
        # Questions are no part of the maximum: only tasks can be failed here.
        suite = prepare_suite(
            course, replace(homework, questions_count=False), SEED, pool
        )
        solution = homework.solution.read_text("utf-8")
        further_calls = FurtherCalls(solution + _without_answers(homework))
        attempts: list[Callable[[SandboxPool], Trial]] = []
        for candidate in candidates_of(course, suite, pool, sampling):
            attempts.append(functools.partial(try_text, candidate, further_calls))
        odd_candidates = list(odd_candidates_of(suite, pool))
        for odd_candidate in odd_candidates[:: sampling.every_form]:
            attempts.append(functools.partial(try_odd_answer, odd_candidate))
        for trial in in_parallel(_make_attempt, attempts, threads, pool):
            trials.append(trial)
            tell(trial)
    trials.sort(key=lambda trial: (trial.kind, trial.name))

    all_margins = tuple(margins(suite))
    graded = []
    for trial in trials:
        if trial.earned is not None and trial.kind is not Kind.ODD:
            graded.append(trial)
    lines = [*_ungraded(trials), *_failed_explanations(trials)]
    lines += _violations(graded, all_margins, is_sample=sampling.every_form > 1)
    lines += exclusions(suite, trials)
    return Audit(tuple(trials), all_margins, tuple(lines))


def _audit_in_processes(
    course: Course,
    homeworks: Sequence[Homework],
    jobs: int,
    tell: Callable[[Trial], None],
    sampling: Sampling,
) -> list[Audit]:
    """Audit homeworks in processes, the ones with most mistakes first, and return the audits in the order given."""
    mistakes = {homework.id: len(read_catalogue(homework)) for homework in homeworks}
    longest_first = sorted(homeworks, key=lambda homework: -mistakes[homework.id])
    processes = min(jobs, len(homeworks))
    threads = max(1, jobs // processes)
    # Spawned, not forked: a copy of this process would hold the locks of threads that it does not have.
    context = multiprocessing.get_context("spawn")
    audits: dict[str, Future[Audit]] = {}
    with (
        context.Manager() as manager,
        ProcessPoolExecutor(processes, context) as executor,
    ):
        trials_made: Queue[Trial | None] = manager.Queue()
        stopped = manager.Event()

        def note_end(_: Future[Audit]) -> None:
            trials_made.put(None)

        try:
            for homework in longest_first:
                audit = executor.submit(
                    _audit_in_this_process,
                    course.root,
                    homework.id,
                    threads,
                    trials_made,
                    stopped,
                    sampling,
                )
                audit.add_done_callback(note_end)
                audits[homework.id] = audit
            homeworks_left = len(audits)
            while homeworks_left:
                trial = trials_made.get()
                if trial is not None:
                    tell(trial)
                    continue
                homeworks_left -= 1
                for audit in audits.values():
                    if audit.done():
                        audit.result()  # the first error ends the audit of all
        except BrokenProcessPool as error:
            raise KitError(
                "a process of the audit was ended by the system, perhaps for want of memory: use fewer --jobs"
            ) from error
        except BaseException:
            stopped.set()
            raise
    return [audits[homework.id].result() for homework in homeworks]


def _audit_in_this_process(
    root: Path,
    homework_id: str,
    threads: int,
    trials_made: Queue[Trial | None],
    stopped: Event,
    sampling: Sampling,
) -> Audit:
    """Audit a homework in a process of its own; once others are stopped, this ends after the trial in progress."""

    def tell(trial: Trial) -> None:
        if stopped.is_set():
            raise KitError("the audit was stopped")
        trials_made.put(trial)

    if stopped.is_set():
        raise KitError("the audit was stopped")
    course = Course(root)
    homework = course.homework(homework_id)
    with rare_collections():
        return audit_homework(course, homework, threads, tell, sampling)


def candidates_of(
    course: Course,
    suite: Suite,
    pool: SandboxPool,
    sampling: Sampling,
) -> Iterator[Candidate]:
    """Yield the texts of a homework that the audit grades."""
    homework = suite.homework
    diagnostician = suite.diagnostician
    catalogue = diagnostician.catalogue

    # Singles come first, so that their numbers do not depend on how many pairs are graded.
    label_sets: dict[Labels, None] = {}
    for task in homework.tasks:
        for labels in single_labels(catalogue, task.name):
            label_sets[labels] = None

    # A diagnosis can name a pair that returns something, but not what a single mutant returns.
    for task in homework.tasks:
        pairs = pair_labels(catalogue, task.name)[:: sampling.every_pair]
        if not pairs:
            continue
        known_cases = diagnostic_cases(diagnostician.known, task.name)
        singles = diagnostician.singles.get(task.name, [])
        # Remembered, because diagnosing the pairs compares with them.
        variants = diagnostician.remembered.answering(known_cases, pairs, pool)
        for pair in variants.values():
            if not pair.answers_something:
                continue
            if not agreeing(pair.answers, known_cases, singles):
                label_sets[pair.labels] = None

    without_answers = _without_answers(homework)
    recorded_losses = read_losses(course, homework)
    texts = mutants(homework, list(label_sets))
    labelled_texts = zip(label_sets, texts, strict=True)
    for number, (labels, text) in enumerate(labelled_texts):
        text += without_answers
        mistakes: list[str] = []
        for label in labels:
            mistakes += diagnostician.sayings[label].labels
        trial = Trial(
            homework=homework.id,
            kind=Kind.PAIR,
            name=" + ".join(labels),
            mistakes=tuple(mistakes),
        )
        if len(labels) > 1:
            yield suite, _file(homework, text), trial
            continue
        losses = recorded_losses.get(trial.name)
        forms = _forms_of_single(suite, text, trial, losses)
        yield next(forms)
        if number % sampling.every_form == 0:
            yield from forms

    # All right submissions of the corpus, and a sample of the mistaken ones.
    right_submissions: list[CorpusSubmission] = []
    mistaken_submissions: list[CorpusSubmission] = []
    for submission in read_corpus(course, homework):
        if submission.is_right:
            right_submissions.append(submission)
        else:
            mistaken_submissions.append(submission)
    for submission in [
        *right_submissions,
        *mistaken_submissions[:: sampling.every_form],
    ]:
        text = submission.text
        if f"\n{ANSWERS} = " in text:
            text += without_answers
        trial = Trial(
            homework=homework.id,
            kind=Kind.CORRECT if submission.is_right else Kind.MISTAKEN,
            name=submission.name,
            says=submission.loses,
        )
        yield suite, _file(homework, text), trial

    stub = _file(homework, stub_text(homework))
    trial = Trial(
        homework=homework.id,
        kind=Kind.STUB,
        name=homework.stub,
    )
    yield suite, stub, trial


def _without_answers(homework: Homework) -> str:
    """Return the statement that takes the answers to questions out of a text: only tasks can be failed here."""
    if not homework.questions:
        return ""
    return f"\n\ndel {ANSWERS}\n"


def odd_candidates_of(suite: Suite, pool: SandboxPool) -> Iterator[OddCandidate]:
    """Yield every odd answer to each task of a homework."""
    for task in odd_tasks(suite, pool):
        for label in ODD_ANSWERS:
            yield suite, task, label


def _forms_of_single(
    suite: Suite,
    text: str,
    trial: Trial,
    losses: frozenset[str] | None,
) -> Iterator[Candidate]:
    """Yield the mutant of a single misconception in each form in which its mistake still shows."""
    homework = suite.homework
    diagnostician = suite.diagnostician
    catalogue = diagnostician.catalogue
    misconceptions = {mistake.id: mistake for mistake in catalogue}
    misconception = misconceptions[trial.name]
    file = _file(homework, text)
    yield suite, file, replace(trial, kind=Kind.SINGLE, says=losses)
    notebook = as_notebook(homework.stub, text)
    yield suite, notebook, replace(trial, kind=Kind.NOTEBOOK)

    # What the mutant answers, by task.
    variant_of_task = {}
    for task in misconception.tasks:
        for variant in diagnostician.singles.get(task, []):
            if variant.labels == (misconception.id,):
                variant_of_task[task] = variant
    cases_of_task = {}
    published: list[KnownCase] = []
    for homework_task in homework.tasks:
        cases = diagnostic_cases(suite.known, homework_task.name)
        cases_of_task[homework_task.name] = cases
        for known in cases:
            if known.case.group is Group.PUBLISHED:
                published.append(known)

    # A value without its function: of each task whose published case shows the mistake, the first such case.
    showing: dict[str, KnownCase] = {}
    for known in reversed(published):
        task_variant = variant_of_task.get(known.case.task)
        if task_variant is None:
            continue
        is_value = task_variant.answers[known.case.id].is_usable
        if is_value and is_visible(task_variant, [known]):
            showing[known.case.task] = known
    for task, known in showing.items():
        value = as_value(text, homework.task(task), known)
        if value is not None:
            notebook = as_notebook(homework.stub, value)
            yield suite, notebook, replace(trial, kind=Kind.VALUE)

    # Sizes from outside. Of a mutant that raises, or that fixes a size itself, they could not be told apart.
    if misconception.about_size:
        return
    for task, variant in variant_of_task.items():
        for known in cases_of_task[task]:
            is_value = variant.answers[known.case.id].is_usable
            if known.case.topic == "values" and not is_value:
                return
    outside = with_outside_sizes(text, published, showing)
    if outside is not None:
        # Its sizes are those of the example, so a mistake that fixes a size is true of it as well.
        fixed_sizes = []
        for misconception in catalogue:
            if misconception.about_size:
                fixed_sizes.append(misconception.id)
        mistakes = (*trial.mistakes, OUTSIDE, *fixed_sizes)
        outside_trial = replace(
            trial,
            kind=Kind.OUTSIDE,
            mistakes=mistakes,
            outside_sizes=outside.sizes,
        )
        yield suite, _file(homework, outside.text), outside_trial


def _file(homework: Homework, text: str) -> Code:
    return Code(homework.stub, {homework.stub: text})


def try_candidate(candidate: Candidate, pool: SandboxPool) -> Trial:
    """Grade a text as a submission is graded."""
    suite, code, trial = candidate
    result = grade_handin(code, suite, pool)
    failed = []
    labels = []
    unexplained = []
    for check in result.checks:
        if not check.reason:
            continue
        failed.append(check.check)
        if check.misconceptions:
            labels.append(check.misconceptions)
        elif check.outcome is Outcome.FAILED:
            unexplained.append(check.check)
    return replace(
        trial,
        earned=result.earned,
        points=result.points,
        cause="\n".join(_causes(result)),
        faults=result.explanation_faults,
        labels=tuple(labels),
        failed=tuple(failed),
        unexplained=tuple(unexplained),
    )


def try_text(
    candidate: Candidate, further_calls: FurtherCalls, pool: SandboxPool
) -> Trial:
    """Grade a text as a submission is graded, without the further calls that other texts answered alike."""
    return try_candidate(candidate, PoolOfText(pool, further_calls))


def _make_attempt(attempt: Callable[[SandboxPool], Trial], pool: SandboxPool) -> Trial:
    return attempt(pool)


def try_odd_answer(candidate: OddCandidate, pool: SandboxPool) -> Trial:
    """Grade an odd answer to a task, in each mixture with right answers."""
    suite, task, label = candidate
    homework = suite.homework
    code = odd_submission(homework, task, label)
    results = list(grade_odd(code, suite, task, pool))
    points = []
    causes: dict[str, None] = {}
    faults: dict[str, None] = {}
    for result in results:
        if result.earned is not None:
            points.append(result.earned)
        causes.update(dict.fromkeys(_causes(result)))
        faults.update(dict.fromkeys(result.explanation_faults))
    return Trial(
        homework=homework.id,
        kind=Kind.ODD,
        name=f"“{label}” from {task.name}",
        earned=None if causes else max(points),
        points=results[0].points,
        cause="\n".join(causes),
        faults=tuple(faults),
    )


def _causes(result: HomeworkResult) -> list[str]:
    """Return why a result has no points, one line for each check that raised."""
    if result.earned is not None:
        return []
    if not result.not_judged:
        return [result.detail.partition("\n")[0]]
    faults = []
    for check in result.not_judged:
        if check.fault:
            faults.append(check.fault)
    return faults


def margins(suite: Suite) -> Iterator[Margin]:
    """Yield the nearest visible mutant of each stored case that diagnosis looks at."""
    for task, variants in suite.diagnostician.singles.items():
        for known in diagnostic_cases(suite.diagnostician.known, task):
            nearest = nearest_mistake(known, variants)
            if nearest is not None:
                mistake, tolerances = nearest
                yield Margin(
                    homework=suite.homework.id,
                    case=known.case.id,
                    mistake=mistake,
                    tolerances=tolerances,
                )


def exclusions(suite: Suite, trials: Sequence[Trial]) -> Iterator[str]:
    """Yield the line to paste for each mistake that, together with others, is taken for something else."""
    homework = suite.homework
    confused: dict[str, set[str]] = {}
    for trial in trials:
        is_pair = trial.homework == homework.id and trial.kind is Kind.PAIR
        if is_pair and trial.wrong_labels:
            first, second = trial.name.split(" + ")
            confused.setdefault(first, set()).add(second)
    for misconception in suite.diagnostician.catalogue:
        if misconception.id in confused:
            others = sorted(misconception.excludes | confused[misconception.id])
            names = ", ".join(f'"{other}"' for other in others)
            where = f"{homework.folder / CATALOGUE}, [{misconception.id}]"
            yield (
                f"{where}: where no new case can distinguish these pairs, "
                f"put excludes = [{names}]"
            )


def _ungraded(trials: Sequence[Trial]) -> Iterator[str]:
    """Yield one line per cause, however many submissions it keeps from being graded."""
    causes = []
    for trial in trials:
        for cause in trial.cause.splitlines():
            without_case = cause.partition(", after the answer to ")[0]
            causes.append((trial, without_case, without_case))
    for name, cause in _each_once(causes):
        yield f"{name} could not be graded: {cause}"


def _failed_explanations(trials: Sequence[Trial]) -> Iterator[str]:
    """Yield one line per fault of an explanation, however many submissions meet it."""
    faults = []
    for trial in trials:
        for fault in trial.faults:
            exception = fault.partition(": ")[2]
            faults.append((trial, exception, fault))
    for name, fault in _each_once(faults):
        yield f"{name}: an explanation failed: {fault}"


def _each_once(problems: Iterable[tuple[Trial, str, str]]) -> Iterator[tuple[str, str]]:
    """Yield each problem of a homework once: the trial that has it, with how many more do, and its text.

    Args:
        problems: trial, what is the same in equal problems, and text.
    """
    equal_problems: dict[tuple[str, str], list[tuple[Trial, str]]] = {}
    for trial, same, text in problems:
        equal_problems.setdefault((trial.homework, same), []).append((trial, text))
    for (homework, _), ((first, text), *others) in equal_problems.items():
        name = f"{homework}: {first.kind} {first.name}"
        if others:
            name += f" and {len(others)} more"
        yield name, text


def _unnamed(trial: Trial) -> str:
    """Name a trial without a label; of sizes from outside, also say which were not proved, and where."""
    if not trial.outside_sizes:
        return trial.name
    sizes = " and ".join(trial.outside_sizes)
    if not trial.unexplained:
        return f"{trial.name} (with {sizes} from outside)"
    checks = ", ".join(trial.unexplained)
    return f"{trial.name} (with {sizes} from outside, {checks} found no reason)"


def _violations(
    trials: Sequence[Trial],
    all_margins: Sequence[Margin],
    *,
    is_sample: bool = False,
) -> Iterator[str]:
    """Yield a line for each promise that a graded trial or a margin breaks.

    Args:
        trials: the graded trials.
        all_margins: the margins of all homeworks.
        is_sample: only some pairs, forms of mistakes and mistaken submissions of the corpus were graded.
    """
    for trial in trials:
        where = f"{trial.homework}: {trial.kind} {trial.name}"
        lost = ", ".join(trial.failed)
        is_wrong = bool(trial.mistakes) or trial.kind is Kind.MISTAKEN
        if trial.kind is Kind.STUB and trial.earned:
            yield f"{where} earns {trial.earned:g}"
        elif trial.kind is Kind.CORRECT and trial.loses_points:
            yield f"{where} loses {lost}"
        elif is_wrong and not trial.loses_points:
            yield f"{where} loses nothing"
        elif trial.says is not None and trial.says != set(trial.failed):
            recorded = ", ".join(sorted(trial.says))
            remedy = ""
            if trial.kind is Kind.SINGLE:
                remedy = RECORD
            yield f"{where} loses {lost}, but is recorded to lose {recorded}{remedy}"
        if trial.wrong_labels and trial.kind not in (Kind.STUB, Kind.MISTAKEN):
            yield f"{where} is named {', '.join(trial.wrong_labels)}"

    for homework in dict.fromkeys(trial.homework for trial in trials):
        for kind, share in NAMED.items():
            count = 0
            unnamed = []
            for trial in trials:
                if trial.homework == homework and trial.kind is kind:
                    count += 1
                    if not trial.is_named:
                        unnamed.append(trial)
            # In a sample there may be one of the few that are without a name in all.
            allowed = (1 - share) * count
            if is_sample and share < 1 and count > 1:
                allowed = max(1, allowed)
            if len(unnamed) > allowed:
                yield (
                    f"{homework}: {len(unnamed)} of {count} {kind}s are not named, "
                    f"at most {1 - share:.0%} may be: {', '.join(map(_unnamed, unnamed))}"
                )

    for margin in all_margins:
        if margin.tolerances < SEPARATION:
            yield (
                f"{margin.homework}: {margin.case} separates {margin.mistake} by only "
                f"{margin.tolerances:.1f} tolerances, {SEPARATION:g} are needed"
            )
