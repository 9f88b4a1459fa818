"""Run the audit of a course and say what violates its promises."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from autograder.authoring.audit_margins import margins
from autograder.authoring.audit_records import Audit, Kind, Margin, Trial
from autograder.authoring.audit_trials import candidates_of, try_candidate
from autograder.course import Course, Homework
from autograder.judging import SEPARATION, prepare_suite
from autograder.sandbox import SandboxPool, in_parallel

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
