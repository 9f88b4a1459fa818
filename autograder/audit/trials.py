"""Grade one text for a homework after another: single mistakes, pairs, right answers, the stub."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from autograder.audit.records import Kind, Trial
from autograder.diagnosis.variants import (
    IMPLEMENTATION,
    Labels,
    pair_labels,
    single_labels,
    switched_texts,
)
from autograder.grading.handin import grade_handin
from autograder.grading.suite import Suite
from autograder.homework.course import Course
from autograder.sandbox.pool import SandboxPool
from autograder.sandbox.request import Code
from autograder.stubs.build import stub_text

CORPUS = Path("tests", "corpus")


@dataclass(frozen=True)
class Candidate:
    """One text to grade, and which mistakes it makes."""

    suite: Suite
    kind: Kind
    name: str
    mistakes: Labels
    text: str


def candidates_of(course: Course, suite: Suite) -> Iterator[Candidate]:
    """Yield every text of a homework that the audit grades."""
    homework = suite.homework
    if (homework.folder / IMPLEMENTATION).is_file():
        switches = _switches(suite)
        for labels, text in zip(switches, switched_texts(homework, switches), strict=True):
            kind = Kind.SINGLE if len(labels) == 1 else Kind.PAIR
            yield Candidate(suite, kind, " + ".join(labels), labels, text)
    for path in sorted((course.root / CORPUS / homework.id / "correct").glob("*.py")):
        yield Candidate(suite, Kind.CORRECT, path.stem, (), path.read_text(encoding="utf-8"))
    yield Candidate(suite, Kind.STUB, homework.stub, (), stub_text(homework))


def _switches(suite: Suite) -> list[Labels]:
    """Every single mistake and every pair that some task allows, each once."""
    tasks = [task.name for task in suite.homework.tasks]
    catalogue = suite.diagnostician.catalogue
    singles = [labels for task in tasks for labels in single_labels(catalogue, task)]
    pairs = [labels for task in tasks for labels in pair_labels(catalogue, task)]
    return list(dict.fromkeys([*singles, *pairs]))


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
