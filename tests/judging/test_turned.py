"""Batches whose matrices are the other way round."""

import numpy as np
import pytest

from autograder.course.cases import Case, FunctionCall
from autograder.reasons.context import Context
from autograder.reasons.turned import turned
from autograder.sandbox.report import Answer, FunctionFacts
from autograder.verdict.failure import NO_REASON, Reason
from autograder.verdict.fixtures import Cases, Compare, SubmissionProxy
from autograder.verdict.interface import Restored
from autograder.verdict.known import KnownCase

BATCH = np.random.default_rng(5).normal(size=(2, 3, 4, 4))
WIDE = np.random.default_rng(6).normal(size=(2, 3, 5))
MISTAKE = Reason(("halved",), "Halved.")


def look(tiny, *pairs):
    """What is found where these values came for those that are expected; half of it is a known mistake."""
    known = [
        KnownCase(Case(f"double/{n}", FunctionCall("double", ())), right, None, 1e-5)
        for n, (_, right) in enumerate(pairs)
    ]
    answers = {known_case.case.id: Answer(value) for known_case, (value, _) in zip(known, pairs, strict=True)}

    def diagnose(task, answers, cases, *, pairs=True):
        assert not pairs
        is_half = all(
            known_case.is_right(Answer(np.multiply(2, answers[known_case.case.id].value)))
            for known_case in cases
        )
        return MISTAKE if is_half else NO_REASON

    facts = {"double": FunctionFacts(("x",))}
    proxy = SubmissionProxy(Restored(answers), lambda: facts, tuple, lambda calls: [])
    return turned(Context(Compare(tiny.homework, proxy, Cases(known)), diagnose), "double")


def some(batch):
    turned = batch.copy()
    turned[0, 1] = turned[0, 1].T
    return turned


@pytest.mark.parametrize(
    ("pairs", "labels"),
    [
        ([(BATCH.swapaxes(-1, -2), BATCH), (WIDE.swapaxes(-1, -2), WIDE)], ("returns-transposed",)),
        ([(some(BATCH), BATCH)], ("returns-transposed",)),
        ([(BATCH.swapaxes(-1, -2) / 2, BATCH)], ("returns-transposed", "halved")),
        ([((BATCH, WIDE.swapaxes(-1, -2)), (BATCH, WIDE))], ("returns-transposed",)),
        ([(~(BATCH > 0), BATCH > 0)], ("mask-inverted",)),
    ],
)
def test_matrices_of_a_batch_may_come_transposed(tiny, pairs, labels):
    diagnosis = look(tiny, *pairs)
    assert diagnosis.labels == labels


@pytest.mark.parametrize(
    "pairs",
    [
        [(BATCH, BATCH)],
        [(BATCH.swapaxes(0, 1)[:, :2, ...].swapaxes(0, 1), BATCH)],
        [(BATCH.swapaxes(-1, -2), BATCH), (WIDE + 1, WIDE)],
        [(-BATCH, BATCH), ("text", WIDE)],
        [(np.zeros((2, 2)), np.tri(2) > 0), (np.tri(2, k=-1).T, np.tri(2) > 0)],
    ],
)
def test_nothing_is_said_where_it_does_not_explain_every_answer(tiny, pairs):
    assert look(tiny, *pairs) is None
