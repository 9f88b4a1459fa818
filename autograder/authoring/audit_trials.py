"""Grade one text for a homework after another: single mistakes, pairs, right answers, the stub."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from autograder.authoring.audit_records import Kind, Trial
from autograder.course import ANSWERS, Course, stub_text
from autograder.judging import (
    Labels,
    Suite,
    agreeing,
    diagnostic_cases,
    grade_handin,
    mutants,
    pair_labels,
    run_variants,
    single_labels,
)
from autograder.sandbox import Code, SandboxPool

CORPUS = Path("tests", "corpus")


@dataclass(frozen=True)
class Candidate:
    """One text to grade, and which mistakes it makes."""

    suite: Suite
    kind: Kind
    name: str
    mistakes: Labels
    text: str


def candidates_of(course: Course, suite: Suite, pool: SandboxPool) -> Iterator[Candidate]:
    """Yield every text of a homework that the audit grades."""
    homework = suite.homework
    unanswered = f"\n\ndel {ANSWERS}\n" if homework.questions else ""  # only tasks can be failed then
    tasks = [task.name for task in homework.tasks]
    singles = [labels for task in tasks for labels in single_labels(suite.diagnostician.catalogue, task)]
    pairs = [labels for task in tasks for labels in _pairs_of_their_own(suite, task, pool)]
    every = list(dict.fromkeys([*singles, *pairs]))
    for labels, text in zip(every, mutants(homework, every), strict=True):
        kind = Kind.SINGLE if len(labels) == 1 else Kind.PAIR
        yield Candidate(suite, kind, " + ".join(labels), labels, text + unanswered)
    for path in sorted((course.root / CORPUS / homework.id / "correct").glob("*.py")):
        yield Candidate(suite, Kind.CORRECT, path.stem, (), path.read_text(encoding="utf-8"))
    yield Candidate(suite, Kind.STUB, homework.stub, (), stub_text(homework))


def _pairs_of_their_own(suite: Suite, task: str, pool: SandboxPool) -> Iterator[Labels]:
    """Yield the pairs that a diagnosis can name: they return something, but not what one mistake does."""
    known = suite.diagnostician
    labels, cases = pair_labels(known.catalogue, task), diagnostic_cases(known.known, task)
    for pair in run_variants(suite.homework, [one.case for one in cases], labels, pool) if labels else ():
        returns_something = any(answer.is_usable for answer in pair.answers.values())
        if returns_something and not agreeing(pair.answers, cases, known.singles.get(task, [])):
            yield pair.labels


def try_candidate(candidate: Candidate, pool: SandboxPool) -> Trial:
    """Grade one text as a submission is graded."""
    stub = candidate.suite.homework.stub
    result = grade_handin(Code(stub, {stub: candidate.text}), candidate.suite, pool)
    failed = [check for check in result.checks if check.reason]
    return Trial(
        homework=candidate.suite.homework.id,
        kind=candidate.kind,
        name=candidate.name,
        mistakes=candidate.mistakes,
        earned=result.earned,
        points=result.points,
        labels=tuple(check.misconceptions for check in failed if check.misconceptions),
        failed=tuple(check.check for check in failed),
    )
