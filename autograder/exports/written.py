"""The written answers of a class, question by question, for people to mark."""

from __future__ import annotations

import base64
import hashlib
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from autograder.checks.run import Outcome
from autograder.exports.similar import group_similar
from autograder.grading.results import SubmissionResult
from autograder.homework.model import Homework
from autograder.homework.questions import THEORY, Written


@dataclass(frozen=True)
class WrittenAnswer:
    """One answer; ``shown`` is the submission's name, or its code where names stay out of sight."""

    submission: str
    shown: str
    text: str


@dataclass(frozen=True)
class Asked:
    """One question with all answers to it; each group holds answers that are nearly the same."""

    homework: Homework
    question: Written
    groups: tuple[tuple[WrittenAnswer, ...], ...]

    @property
    def answers(self) -> list[WrittenAnswer]:
        """The answers in the order in which they are shown."""
        return [answer for group in self.groups for answer in group]


def code_of(submission: str) -> str:
    """Return a name's code: the same in every table, and no word that tells who it is.

    It keeps a reader from knowing whose answer it is; it is no secret from who has the list of names.
    """
    digest = hashlib.sha256(submission.encode("utf-8", "surrogateescape")).digest()
    return f"anonymous-{base64.b32encode(digest)[:8].decode().lower()}"


def is_code(text: str) -> bool:
    """Whether a text looks like a name's code."""
    return re.fullmatch("anonymous-[a-z2-7]{8}", text) is not None


def collect_written(
    results: Iterable[SubmissionResult], homeworks: Sequence[Homework], *, anonymous: bool = False
) -> list[Asked]:
    """Return every written question that anyone answered, in the homeworks' order.

    Only the answers are kept, so that ``results`` may be a whole course, read one by one.
    """
    found = _answers(results, anonymous)
    return [
        Asked(homework, question, _grouped(found[homework.id, question.id]))
        for homework in homeworks
        for question in homework.questions
        if isinstance(question, Written) and (homework.id, question.id) in found
    ]


def _answers(
    results: Iterable[SubmissionResult], anonymous: bool
) -> Mapping[tuple[str, str], list[WrittenAnswer]]:
    found: defaultdict[tuple[str, str], list[WrittenAnswer]] = defaultdict(list)
    for result in results:
        shown = code_of(result.name) if anonymous else result.name
        for homework, question, text in _collected(result):
            found[homework, question].append(WrittenAnswer(result.name, shown, text))
    return found


def _collected(result: SubmissionResult) -> Iterator[tuple[str, str, str]]:
    for homework in result.homeworks:
        for check in homework.checks:
            if check.outcome is Outcome.COLLECTED:
                yield homework.homework, check.check.removeprefix(f"{THEORY}_"), check.answer


def _grouped(answers: Sequence[WrittenAnswer]) -> tuple[tuple[WrittenAnswer, ...], ...]:
    ordered = sorted(answers, key=lambda answer: answer.shown)
    return tuple(
        tuple(ordered[place] for place in places)
        for places in group_similar([answer.text for answer in ordered])
    )
