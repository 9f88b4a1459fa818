"""Submissions of the corpus for tests, by homework and name.

A file's name is that of its submission. A variant is called after its style: ``softmax__in_a_loop`` is
``in-a-loop``.
"""

import functools

from autograder.authoring.corpus import APART, CorpusSubmission, read_corpus
from autograder.course.course import find_course
from autograder.grading.suite import Suite
from autograder.reasons.mutation import mutants
from autograder.sandbox.request import Code


@functools.cache
def corpus(homework_id: str) -> tuple[CorpusSubmission, ...]:
    """The corpus of a homework, right submissions first."""
    course = find_course()
    return tuple(read_corpus(course, course.homework(homework_id)))


def right(homework_id: str) -> dict[str, str]:
    """The texts of the right submissions, by name."""
    return {style(entry): entry.text for entry in corpus(homework_id) if entry.is_right}


def mistaken(homework_id: str) -> dict[str, str]:
    """The texts of the mistaken submissions, by name.

    Variants of several functions may have one style. All but the first then have their function's name too.
    """
    texts: dict[str, str] = {}
    for submission in corpus(homework_id):
        if not submission.is_right:
            name = style(submission)
            texts[name if name not in texts else submission.name] = submission.text
    return texts


def edited(homework_id: str, *edits: tuple[str, str]) -> str:
    """The text of the solution with other passages, each in place of one that is there."""
    text = find_course().homework(homework_id).solution.read_text("utf-8")
    for old, new in edits:
        assert old in text, old
        text = text.replace(old, new)
    return text


def of_stub(suite: Suite, text: str) -> Code:
    """A submission to a homework: this text in place of its stub."""
    return Code(suite.homework.stub, {suite.homework.stub: text})


def style(submission: CorpusSubmission) -> str:
    _, _, name = submission.name.rpartition(APART)
    return name.replace("_", "-")


def right_text(homework_id: str, name: str) -> str:
    return right(homework_id)[name]


def mistaken_text(homework_id: str, name: str) -> str:
    """The text of a mistaken submission; of a known mistake that the corpus does not have, its mutant."""
    texts = mistaken(homework_id)
    if name in texts:
        return texts[name]
    (mutant,) = mutants(find_course().homework(homework_id), [(name,)])
    return mutant
