"""Own weights excuse what follows from them where they look at the scores, and nowhere else."""

from dataclasses import replace

import numpy as np
import pytest

from autograder.course.calls import FunctionCall
from autograder.course.cases import Case
from autograder.sandbox.report import Answer
from autograder.verdict.comparison import compare_case
from autograder.verdict.failure import CheckFailed
from autograder.verdict.fixtures import Cases, Compare, SubmissionProxy
from autograder.verdict.for_checks.own_results import (
    Excuse,
    compare_or_excuse,
    mixed_by_own_weights,
    own_weights,
)
from autograder.verdict.interface import Restored
from autograder.verdict.known import KnownCase

RNG = np.random.default_rng(3)
UNSEEDED = np.random.default_rng()


def softmax(scores, axis=1):
    powers = np.exp(scores - scores.max())
    return powers / powers.sum(axis=axis, keepdims=True)


def case(label, queries, keys):
    Q, K, V = RNG.normal(size=(queries, 3)), RNG.normal(size=(keys, 3)), RNG.normal(size=(keys, 2))
    weights = softmax(Q @ K.T)
    call = FunctionCall("attend", (Q, K, V))
    return KnownCase(Case(f"attend/{label}", call), (weights, weights @ V), None, 1e-5)


KNOWN = [case("wide", 5, 4), case("tall", 3, 7)]


class Student:
    """A function that weighs the scores in its own way and mixes the values as it should, or does not."""

    def __init__(self, weigh, mix=np.matmul):
        self.weigh, self.mix, self.runs = weigh, mix, 0
        answers = dict(
            zip(
                [known_case.case.id for known_case in KNOWN],
                self.ask([known_case.case.call for known_case in KNOWN]),
                strict=True,
            )
        )
        self.runs = 0
        self.proxy = SubmissionProxy(Restored(answers), dict, tuple, self.ask)

    def ask(self, calls):
        self.runs += 1
        return [self.answer(*call.args) for call in calls]

    def answer(self, Q, K, V):
        weights = self.weigh(Q @ K.T)
        return Answer(value=(weights, self.mix(weights, V)))

    def is_right(self):
        cases = mixed_by_own_weights(self.proxy, KNOWN, lambda Q, K, V: V)
        return all(compare_case(case, self.proxy.answer(case).value) is None for case in cases)


@pytest.mark.parametrize(
    "weigh",
    [
        lambda scores: softmax(scores, 0),
        lambda scores: softmax(scores, None),
        lambda scores: softmax(softmax(softmax(scores))),
        lambda scores: softmax(scores) / 50,
        lambda scores: softmax(scores).astype(np.float32) * 0.9,
        lambda scores: scores / scores.sum(axis=1, keepdims=True),
        lambda scores: 1 / (1 + np.exp(-scores)),
        lambda scores: np.eye(scores.shape[1])[scores.argmax(axis=1)],
        lambda scores: np.tile(softmax(scores)[-1], (len(scores), 1)),
        lambda scores: scores,
    ],
)
def test_wrong_weights_that_look_at_the_scores_cost_once(weigh):
    student = Student(weigh)
    assert student.is_right()
    assert student.runs == 1, "all cases are asked about in one further run"
    assert not Student(weigh, lambda weights, V: 1.001 * weights @ V).is_right()
    assert not Student(weigh, lambda weights, V: V[:1].repeat(len(weights), 0)).is_right()


@pytest.mark.parametrize(
    "weigh",
    [
        lambda scores: np.full(scores.shape, 1 / scores.shape[1]),
        lambda scores: np.full(scores.shape, 1 / scores.shape[1]) + 1e-9 * scores,
        lambda scores: 1e-30 * softmax(scores, 0),
        lambda scores: np.eye(*scores.shape),
        lambda scores: np.eye(*scores.shape) + 1e-7 * scores,
        lambda scores: UNSEEDED.dirichlet(np.ones(scores.shape[1]), len(scores)),
        lambda scores: np.random.default_rng(1).dirichlet(np.ones(scores.shape[1]), len(scores)),
        lambda scores: softmax(scores, 0) > 0.5,
        lambda scores: np.where(scores > 0, np.nan, scores),
        lambda scores: softmax(scores, 0).astype(complex),
        lambda scores: softmax(scores, 0)[:, :2],
        lambda scores: [2**100] * len(scores),
    ],
)
def test_weights_that_could_be_anybodys_excuse_nothing(weigh):
    assert not Student(weigh, lambda weights, V: np.zeros((5, 2))).is_right()
    assert not Student(
        weigh,
        lambda weights, V: (
            np.asarray(weights, dtype=complex).real @ V[: np.shape(weights)[-1]]
            if np.ndim(weights) == 2
            else V
        ),
    ).is_right()


def test_weights_that_are_blind_for_the_cases_alone_excuse_nothing():
    """They look at any other scores, but not at those of the cases."""
    products = {
        (known_case.case.call.args[0] @ known_case.case.call.args[1].T).tobytes() for known_case in KNOWN
    }

    def weigh(scores):
        uniform = np.full(scores.shape, 1 / scores.shape[1])
        return uniform if scores.tobytes() in products else softmax(scores, 0)

    assert not Student(weigh).is_right()


@pytest.mark.parametrize("as_number", [float, np.asarray])
def test_a_number_is_excused_by_the_weights_that_it_rests_on(tiny, as_number):
    attend = KNOWN[0]
    *_, V = attend.case.call.args

    def total(weights):
        return as_number((weights @ V)[0, 0])

    student = Student(lambda scores: softmax(scores, 0))
    weights = own_weights(student.proxy, attend, part=0)
    number = KnownCase(
        Case("double/total", FunctionCall("double", attend.case.call.args)),
        total(attend.expected[0]),
        None,
        1e-5,
    )

    def judge(value):
        answers = Restored({**student.proxy.answers, number.case.id: Answer(value=value)})
        compare = Compare(tiny.homework, replace(student.proxy, answers=answers), Cases([number]))
        excuse = Excuse(number, weights, total, [attend], weights_part=0)
        compare_or_excuse(compare, [number], lambda failed: [excuse])

    judge(total(weights))
    with pytest.raises(CheckFailed):
        judge(1.01 * total(weights))


def test_right_weights_need_no_further_run():
    student = Student(softmax)
    assert student.is_right()
    assert student.runs == 0
    assert not Student(softmax, lambda weights, V: weights @ V + 1e-4).is_right()
