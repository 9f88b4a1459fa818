"""Run the audit of a course and say what violates its promises."""

from __future__ import annotations

import enum
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field

from autograder.authoring.audit_trials import candidates_of, try_candidate
from autograder.course.course import Course
from autograder.course.homework import Homework
from autograder.judging.known import SEPARATION
from autograder.judging.mutants import diagnostic_cases
from autograder.judging.outputs import nearest_mistake
from autograder.judging.suite import Suite, prepare_suite
from autograder.sandbox.pool import SandboxPool, in_parallel


class Kind(enum.StrEnum):
    """What was tried."""

    SINGLE = "single"
    PAIR = "pair"
    CORRECT = "correct"
    STUB = "stub"


@dataclass(frozen=True)
class Trial:
    """One graded text: what it was, what it lost, and which labels its failed checks carried."""

    homework: str
    kind: Kind
    name: str
    mistakes: tuple[str, ...]
    earned: float | None
    points: float
    labels: tuple[tuple[str, ...], ...] = ()
    failed: tuple[str, ...] = ()

    @property
    def loses_points(self) -> bool:
        """Whether it earned less than everything, and was graded at all."""
        return self.earned is not None and self.earned < self.points

    @property
    def wrong_labels(self) -> tuple[str, ...]:
        """Labels that name a mistake which was not made."""
        named = {label for labels in self.labels for label in labels}
        return tuple(sorted(named - set(self.mistakes)))

    @property
    def is_named(self) -> bool:
        """Whether the labels name the one mistake, or at least one of the two, and no other."""
        named = {label for labels in self.labels for label in labels}
        return bool(named & set(self.mistakes)) and not self.wrong_labels


@dataclass(frozen=True)
class Margin:
    """How far the closest visible mistake lies from the expected value of one case, in tolerances."""

    homework: str
    case: str
    mistake: str
    tolerances: float


@dataclass(frozen=True)
class Audit:
    """Everything one audit found."""

    trials: tuple[Trial, ...]
    margins: tuple[Margin, ...]
    violations: tuple[str, ...] = field(default=())

    def of(self, kind: Kind) -> list[Trial]:
        """The trials of one kind."""
        return [trial for trial in self.trials if trial.kind is kind]


def margins(suite: Suite) -> Iterator[Margin]:
    """Yield the nearest visible mistake of each stored case that diagnosis looks at."""
    for task, variants in suite.diagnostician.singles.items():
        for known in diagnostic_cases(suite.diagnostician.known, task):
            found = nearest_mistake(known, variants)
            if found is not None:
                yield Margin(suite.homework.id, known.case.id, *found)


NAMED_SINGLES = 0.98
NAMED_PAIRS = 0.90
SEED = 0


def audit_course(
    course: Course, homeworks: Sequence[Homework], jobs: int, tell: Callable[[Trial], None]
) -> Audit:
    """Audit the homeworks; ``tell`` hears of each trial as it ends."""
    with SandboxPool() as pool:
        suites = [prepare_suite(course, homework, SEED, pool) for homework in homeworks]
        candidates = [one for suite in suites for one in candidates_of(course, suite, pool)]
    trials = []
    for trial in in_parallel(try_candidate, candidates, jobs):
        trials.append(trial)
        tell(trial)
    trials.sort(key=lambda trial: (trial.homework, trial.kind, trial.name))
    closest = [margin for suite in suites for margin in margins(suite)]
    return Audit(tuple(trials), tuple(closest), tuple(_violations(trials, closest)))


def _violations(trials: Sequence[Trial], closest: Sequence[Margin]) -> Iterator[str]:
    for trial in trials:
        yield from _violations_of(trial)
    for homework in dict.fromkeys(trial.homework for trial in trials):
        yield from _unnamed(homework, trials, Kind.SINGLE, NAMED_SINGLES)
        yield from _unnamed(homework, trials, Kind.PAIR, NAMED_PAIRS)
    for margin in closest:
        if margin.tolerances < SEPARATION:
            yield (
                f"{margin.homework}: {margin.case} separates {margin.mistake} by only "
                f"{margin.tolerances:.1f} tolerances, {SEPARATION:g} are needed"
            )


def _violations_of(trial: Trial) -> Iterator[str]:
    where = f"{trial.homework}: {trial.kind} {trial.name}"
    if trial.earned is None:
        yield f"{where} could not be graded"
    elif trial.kind is Kind.STUB and trial.earned:
        yield f"{where} earns {trial.earned:g}"
    elif trial.kind is Kind.CORRECT and trial.loses_points:
        yield f"{where} loses {', '.join(trial.failed)}"
    elif trial.mistakes and not trial.loses_points:
        yield f"{where} loses nothing"
    if trial.wrong_labels and trial.kind is not Kind.STUB:
        yield f"{where} is called {', '.join(trial.wrong_labels)}"


def _unnamed(homework: str, trials: Sequence[Trial], kind: Kind, share: float) -> Iterator[str]:
    own = [trial for trial in trials if trial.homework == homework and trial.kind is kind]
    unnamed = [trial.name for trial in own if not trial.is_named]
    if own and len(unnamed) > (1 - share) * len(own):
        yield (
            f"{homework}: {len(unnamed)} of {len(own)} {kind}s are not named, "
            f"at most {1 - share:.0%} may be: {', '.join(unnamed)}"
        )
