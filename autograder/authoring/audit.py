"""Audit a course: grade every mutant, every correct answer and the stub, and list broken promises.

The mutant of each misconception and of each pair that a diagnosis can name, each submission of the corpus
and the stub is graded as a submission is. The mutant of a single misconception is graded in
the forms of ``audit_forms`` as well. Besides, every stored case must keep visible mutants at a distance of
several tolerances, and no odd answer may make a check raise (``audit_answers``).
"""

from __future__ import annotations

import enum
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

from autograder.authoring.audit_answers import (
    ODD_ANSWERS,
    OddTask,
    grade_odd,
    odd_submission,
    odd_tasks,
)
from autograder.authoring.audit_forms import as_notebook, as_value, with_outside_sizes
from autograder.authoring.corpus import read_corpus, read_losses
from autograder.authoring.tolerances import nearest_mistake
from autograder.course.cases import Group
from autograder.course.course import Course
from autograder.course.homework import ANSWERS, Homework
from autograder.course.stub import stub_text
from autograder.grading.grade import grade_handin
from autograder.grading.suite import Suite, prepare_suite
from autograder.reasons.agreement import agreeing, as_told, diagnostic_cases, is_visible
from autograder.reasons.catalogue import CATALOGUE
from autograder.reasons.explain import OUTSIDE
from autograder.reasons.mutation import (
    mutants,
    pair_labels,
    run_variants,
    single_labels,
)
from autograder.sandbox.pool import SandboxPool, in_parallel
from autograder.sandbox.request import Code
from autograder.verdict.checks import Outcome
from autograder.verdict.failure import Labels
from autograder.verdict.known import SEPARATION
from autograder.verdict.results import HomeworkResult

SEED = 0


class Kind(enum.StrEnum):
    """What was tried."""

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
RECORD = "; look why, and record it with `autograder audit --accept`"
PROVED = frozenset(
    {
        "argument-unused",
        "batch-only",
        "one-sequence-only",
        "all-rows-paired",
        "axis-of-one",
        "one-head-meets-all-weights",
    }
)
"""What calls, forms or exceptions prove of a task is true beside any mistake, also one of an earlier task."""
TURNED = frozenset({"returns-transposed", "mask-inverted"})
"""One of a pair may turn what the other makes: then this names it as well."""


@dataclass(frozen=True)
class Trial:
    """One graded text: what it was, what it lost, and which labels its failed checks carried.

    ``unexplained`` are the checks that failed without a label, ``says`` those that it is said to lose, and
    ``cause`` is why it could not be graded: a line for each check that raised. ``faults`` are explanations
    that failed.
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

    @property
    def loses_points(self) -> bool:
        return self.earned is not None and self.earned < self.points

    @property
    def wrong_labels(self) -> tuple[str, ...]:
        """Labels that name a misconception which it does not make."""
        told = {label for labels in self.labels for label in labels}
        are_true = {
            *as_told(self.mistakes),
            *PROVED,
            *(TURNED if self.kind is Kind.PAIR else ()),
        }
        return tuple(sorted(told - are_true))

    @property
    def is_named(self) -> bool:
        """Whether the labels name the one mistake, or at least one of the two, and no other.

        Where a size comes from outside, each failed check has a label: without one the size is not named.
        """
        is_whole = self.kind is not Kind.OUTSIDE or not self.unexplained
        names_one = any(
            set(labels) & {*as_told(self.mistakes)} for labels in self.labels
        )
        return names_one and not self.wrong_labels and is_whole


@dataclass(frozen=True)
class Margin:
    """How far the closest visible mutant lies from the expected value of one case, in tolerances."""

    homework: str
    case: str
    mistake: str
    tolerances: float


@dataclass(frozen=True)
class Audit:
    """Everything one audit found."""

    trials: tuple[Trial, ...]
    margins: tuple[Margin, ...]
    violations: tuple[str, ...] = ()

    def of(self, kind: Kind) -> list[Trial]:
        return [trial for trial in self.trials if trial.kind is kind]


Candidate = tuple[Suite, Code, Trial]
"""One text to grade, and what is known of it before."""
OddCandidate = tuple[Suite, OddTask, str]
"""One task of a homework, and the name of the odd answer that it gives."""


def audit_course(
    course: Course,
    homeworks: Sequence[Homework],
    jobs: int,
    tell: Callable[[Trial], None],
    every_pair: int = 1,
    every_form: int = 1,
) -> Audit:
    """Audit the homeworks; ``tell`` is called with each trial as it ends.

    Only each ``every_pair``-th pair of mistakes is graded. Only each ``every_form``-th single mistake is
    graded in further forms, and of the odd answers only each ``every_form``-th.
    """
    candidates: list[Candidate] = []
    odd_candidates: list[OddCandidate] = []
    with SandboxPool() as pool:
        suites = [
            prepare_suite(course, replace(one, counted=False), SEED, pool)
            for one in homeworks
        ]
        for suite in suites:
            candidates += candidates_of(course, suite, pool, every_pair, every_form)
            odd_candidates += list(odd_candidates_of(suite, pool))[::every_form]
    trials = []
    for trial in in_parallel(try_candidate, candidates, jobs):
        trials.append(trial)
        tell(trial)
    for trial in in_parallel(try_odd_answer, odd_candidates, jobs):
        trials.append(trial)
        tell(trial)
    trials.sort(key=lambda trial: (trial.homework, trial.kind, trial.name))
    closest = [margin for suite in suites for margin in margins(suite)]
    graded = [
        trial
        for trial in trials
        if trial.earned is not None and trial.kind is not Kind.ODD
    ]
    lines = [
        *_ungraded(trials),
        *_failed_explanations(trials),
        *_violations(graded, closest),
    ]
    lines += [line for suite in suites for line in exclusions(suite, trials)]
    return Audit(tuple(trials), tuple(closest), tuple(lines))


def candidates_of(
    course: Course,
    suite: Suite,
    pool: SandboxPool,
    every_pair: int = 1,
    every_form: int = 1,
) -> Iterator[Candidate]:
    """Yield the texts of a homework that the audit grades; see ``audit_course`` for the two numbers."""
    homework, diagnostician = suite.homework, suite.diagnostician
    catalogue = diagnostician.catalogue
    every = dict.fromkeys(
        one for task in homework.tasks for one in single_labels(catalogue, task.name)
    )
    for task in homework.tasks:
        pairs = pair_labels(catalogue, task.name)[::every_pair]
        cases = diagnostic_cases(diagnostician.known, task.name)
        singles = diagnostician.singles.get(task.name, [])
        for pair in (
            run_variants(homework, [one.case for one in cases], pairs, pool)
            if pairs
            else ()
        ):
            # a diagnosis can name a pair that returns something, but not what a single mutant returns
            returns_something = any(
                answer.is_usable for answer in pair.answers.values()
            )
            if returns_something and not agreeing(pair.answers, cases, singles):
                every[pair.labels] = None
    unanswered = (
        f"\n\ndel {ANSWERS}\n" if homework.questions else ""
    )  # only tasks can be failed then
    recorded = read_losses(course, homework)
    # Singles come first, so that their numbers do not depend on how many pairs are graded.
    for number, (labels, text) in enumerate(
        zip(every, mutants(homework, list(every)), strict=True)
    ):
        told = tuple(
            label for one in labels for label in diagnostician.sayings[one].labels
        )
        trial = Trial(homework.id, Kind.PAIR, " + ".join(labels), told)
        if len(labels) == 1:
            single, *forms = _single(
                suite, text + unanswered, trial, recorded.get(trial.name)
            )
            yield single
            if number % every_form == 0:
                yield from forms
        else:
            yield suite, _file(homework, text + unanswered), trial
    for one in read_corpus(course, homework):
        kind = Kind.CORRECT if one.is_right else Kind.MISTAKEN
        text = one.text + unanswered if f"\n{ANSWERS} = " in one.text else one.text
        yield (
            suite,
            _file(homework, text),
            Trial(homework.id, kind, one.name, says=one.loses),
        )
    yield (
        suite,
        _file(homework, stub_text(homework)),
        Trial(homework.id, Kind.STUB, homework.stub),
    )


def odd_candidates_of(suite: Suite, pool: SandboxPool) -> Iterator[OddCandidate]:
    """Yield every odd answer to each task of a homework."""
    for task in odd_tasks(suite, pool):
        for label in ODD_ANSWERS:
            yield suite, task, label


def _single(
    suite: Suite, text: str, trial: Trial, loses: frozenset[str] | None
) -> Iterator[Candidate]:
    """Yield the mutant of a single misconception in each form in which its mistake still shows."""
    homework, knows = suite.homework, suite.diagnostician
    (one,) = [mistake for mistake in knows.catalogue if mistake.id == trial.name]
    yield suite, _file(homework, text), replace(trial, kind=Kind.SINGLE, says=loses)
    yield suite, as_notebook(homework.stub, text), replace(trial, kind=Kind.NOTEBOOK)
    looked_at = {
        task.name: diagnostic_cases(suite.known, task.name) for task in homework.tasks
    }
    own = {
        task: v
        for task in one.tasks
        for v in knows.singles.get(task, [])
        if v.labels == (one.id,)
    }
    published = [
        k
        for cases in looked_at.values()
        for k in cases
        if k.case.group is Group.PUBLISHED
    ]
    shown = {
        known.case.task: known
        for known in reversed(published)
        if known.case.task in own
        and own[known.case.task]
        .answers[known.case.id]
        .is_usable  # else there is no value
        and is_visible(own[known.case.task], [known])
    }
    for task, known in shown.items():
        value = as_value(text, homework.task(task), known)
        if value is not None:
            yield (
                suite,
                as_notebook(homework.stub, value),
                replace(trial, kind=Kind.VALUE),
            )
    answers = [
        own[task].answers[k.case.id]
        for task in own
        for k in looked_at[task]
        if k.case.topic == "values"
    ]
    is_told_apart = all(answer.is_usable for answer in answers) and not one.about_size
    outside = with_outside_sizes(text, published, shown) if is_told_apart else None
    if outside is not None:
        fixed = [
            known.id for known in knows.catalogue if known.about_size
        ]  # it has the example's sizes
        mistakes = (*trial.mistakes, OUTSIDE, *fixed)
        yield (
            suite,
            _file(homework, outside),
            replace(trial, kind=Kind.OUTSIDE, mistakes=mistakes),
        )


def _file(homework: Homework, text: str) -> Code:
    return Code(homework.stub, {homework.stub: text})


def try_candidate(candidate: Candidate, pool: SandboxPool) -> Trial:
    """Grade one text as a submission is graded."""
    suite, code, trial = candidate
    result = grade_handin(code, suite, pool)
    failed = [check for check in result.checks if check.reason]
    return replace(
        trial,
        earned=result.earned,
        points=result.points,
        cause="\n".join(_causes(result)),
        faults=result.explanation_faults,
        labels=tuple(check.misconceptions for check in failed if check.misconceptions),
        failed=tuple(check.check for check in failed),
        unexplained=tuple(
            one.check
            for one in failed
            if one.outcome is Outcome.FAILED and not one.misconceptions
        ),
    )


def try_odd_answer(candidate: OddCandidate, pool: SandboxPool) -> Trial:
    """Grade one odd answer to a task, in each mixture with right answers."""
    suite, task, label = candidate
    homework = suite.homework
    results = list(grade_odd(odd_submission(homework, task, label), suite, task, pool))
    points = [result.earned for result in results if result.earned is not None]
    causes = dict.fromkeys(cause for result in results for cause in _causes(result))
    faults = dict.fromkeys(
        fault for result in results for fault in result.explanation_faults
    )
    return Trial(
        homework.id,
        Kind.ODD,
        f"“{label}” from {task.name}",
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
    return [check.fault for check in result.not_judged if check.fault]


def margins(suite: Suite) -> Iterator[Margin]:
    """Yield the nearest visible mutant of each stored case that diagnosis looks at."""
    for task, variants in suite.diagnostician.singles.items():
        for known in diagnostic_cases(suite.diagnostician.known, task):
            found = nearest_mistake(known, variants)
            if found is not None:
                yield Margin(suite.homework.id, known.case.id, *found)


def exclusions(suite: Suite, trials: Sequence[Trial]) -> Iterator[str]:
    """Yield the line to paste for each mistake that, together with others, is taken for something else."""
    apart: dict[str, set[str]] = {}
    for trial in trials:
        if (
            trial.homework == suite.homework.id
            and trial.kind is Kind.PAIR
            and trial.wrong_labels
        ):
            one, other = trial.name.split(" + ")
            apart.setdefault(one, set()).add(other)
    for known in suite.diagnostician.catalogue:
        if known.id in apart:
            names = ", ".join(
                f'"{name}"' for name in sorted(known.excludes | apart[known.id])
            )
            where = f"{suite.homework.folder / CATALOGUE}, [{known.id}]"
            yield f"{where}: where no new case can tell these pairs from others, put excludes = [{names}]"


def _ungraded(trials: Sequence[Trial]) -> Iterator[str]:
    """Yield one line per cause, however many submissions it keeps from being graded."""
    alike: dict[tuple[str, str], list[Trial]] = {}
    for trial in trials:
        for cause in trial.cause.splitlines():
            without_case = cause.partition(", after the answer to ")[0]
            alike.setdefault((trial.homework, without_case), []).append(trial)
    for (homework, cause), (first, *others) in alike.items():
        more = f" and {len(others)} more" if others else ""
        yield f"{homework}: {first.kind} {first.name}{more} could not be graded: {cause}"


def _failed_explanations(trials: Sequence[Trial]) -> Iterator[str]:
    """Yield one line per fault of an explanation, however many submissions meet it."""
    alike: dict[tuple[str, str], list[tuple[Trial, str]]] = {}
    for trial in trials:
        for fault in trial.faults:
            exception = fault.partition(": ")[2]
            alike.setdefault((trial.homework, exception), []).append((trial, fault))
    for (homework, _), ((first, fault), *others) in alike.items():
        more = f" and {len(others)} more" if others else ""
        yield f"{homework}: {first.kind} {first.name}{more}: an explanation failed: {fault}"


def _violations(trials: Sequence[Trial], closest: Sequence[Margin]) -> Iterator[str]:
    for trial in trials:
        where = f"{trial.homework}: {trial.kind} {trial.name}"
        if trial.kind is Kind.STUB and trial.earned:
            yield f"{where} earns {trial.earned:g}"
        elif trial.kind is Kind.CORRECT and trial.loses_points:
            yield f"{where} loses {', '.join(trial.failed)}"
        elif (trial.mistakes or trial.kind is Kind.MISTAKEN) and not trial.loses_points:
            yield f"{where} loses nothing"
        elif trial.says is not None and trial.says != set(trial.failed):
            lost, said = ", ".join(trial.failed), ", ".join(sorted(trial.says))
            remedy = RECORD if trial.kind is Kind.SINGLE else ""
            yield f"{where} loses {lost}, and says that it loses {said}{remedy}"
        if trial.wrong_labels and trial.kind not in (Kind.STUB, Kind.MISTAKEN):
            yield f"{where} is called {', '.join(trial.wrong_labels)}"
    for homework in dict.fromkeys(trial.homework for trial in trials):
        for kind, share in NAMED.items():
            own = [
                trial
                for trial in trials
                if trial.homework == homework and trial.kind is kind
            ]
            unnamed = [trial.name for trial in own if not trial.is_named]
            if own and len(unnamed) > (1 - share) * len(own):
                yield (
                    f"{homework}: {len(unnamed)} of {len(own)} {kind}s are not named, "
                    f"at most {1 - share:.0%} may be: {', '.join(unnamed)}"
                )
    for margin in closest:
        if margin.tolerances < SEPARATION:
            yield (
                f"{margin.homework}: {margin.case} separates {margin.mistake} by only "
                f"{margin.tolerances:.1f} tolerances, {SEPARATION:g} are needed"
            )
