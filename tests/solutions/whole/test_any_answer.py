"""Whatever a submission answers, each check of each homework passes or fails: judging never raises."""

import time
from dataclasses import replace

import hypothesis.extra.numpy as hnp
import numpy as np
import pytest
from fuzzing import SECONDS
from homeworks import PAIR
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from wording import to_students

from autograder.reasons.agreement import same_answer
from autograder.reasons.explain import Explainer
from autograder.sandbox.report import Answer, FunctionFacts
from autograder.sandbox.request import number_of_inputs
from autograder.verdict.arrays import as_array, deviation
from autograder.verdict.checks import Outcome, run_checks
from autograder.verdict.comparison import compare_values
from autograder.verdict.describe import describe
from autograder.verdict.fixtures import Cases, Compare, Fixtures, SubmissionProxy
from autograder.verdict.interface import Restored
from autograder.verdict.theory import judge_theory
from autograder.worker.wire import Tensor, Unsendable

HOMEWORKS = PAIR
DTYPES = ["?", "b", "B", "h", "i", "q", "Q", "e", "f", "d", "F", "D"]
NUMBERS = (
    st.sampled_from(
        [0, True, 2**62, 2**63, 2**64, -(2**63) - 1, 2**100, -(2**1000), 2**1024 - 1, 1e308, -0.0]
    )
    | st.sampled_from([float("nan"), float("inf"), -float("inf"), 5e-324, 1e-30])
    | st.integers()
    | st.floats()
)
WIDE = st.sampled_from([np.ones((0, 1 << 36)), np.ones((1 << 20, 0, 1 << 10)), np.ones((1,) * 16)])
OTHERS = st.none() | st.text(max_size=3) | st.just(Unsendable("an array of dtype object")) | st.just({})
ARRAYS = st.sampled_from(DTYPES).flatmap(
    lambda dtype: hnp.arrays(
        np.dtype(dtype), hnp.array_shapes(min_dims=0, max_dims=3, min_side=0, max_side=3)
    )
)
OBJECTS = st.just(np.array([2**100, None], dtype=object))


def shaped(entries):
    """An answer of the expected form, each array of which is made from the expected one."""

    def like(expected):
        if expected is None:  # any answer may be right
            return entries(np.zeros(3))
        if isinstance(expected, tuple | list):
            return type(expected)(map(like, expected))
        return entries(expected.array if isinstance(expected, Tensor) else np.asarray(expected))

    return like


def of_dtype(dtype, number):
    with np.errstate(all="ignore"):
        converted = np.asarray([number]).astype(dtype)
    return shaped(lambda array: np.broadcast_to(converted, array.shape).copy())


FORMED = (
    st.builds(of_dtype, st.sampled_from(DTYPES), st.sampled_from([0, 1, 255.0, np.nan, np.inf, 1e308, 1e-30]))
    | NUMBERS.map(lambda element: shaped(lambda array: np.full(array.shape, element, dtype=object).tolist()))
    | NUMBERS.map(lambda element: shaped(lambda array: [element] * len(array) if array.ndim else element))
    | st.just(shaped(lambda array: array > 0))
    | st.just(shaped(lambda array: Tensor(array.astype(np.uint8))))
    | st.just(shaped(lambda array: array.astype(np.int8).tolist()))
    | st.just(shaped(lambda array: array * 1j))
    | st.just(shaped(lambda array: np.array(array, dtype=object)))
)
ANY = st.recursive(
    NUMBERS | OTHERS | ARRAYS | ARRAYS.map(Tensor) | WIDE | OBJECTS,
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.lists(inner, max_size=4).map(tuple)
        | st.dictionaries(st.text(max_size=2), inner, max_size=2)
    ),
    max_leaves=8,
)
ANSWERED = FORMED | ANY.map(lambda value: lambda expected: value)


def as_read(answer, call):
    """Return the answer without the changed inputs that the call does not have, as a report is read."""
    count = number_of_inputs(call.as_mapping())
    return replace(answer, modified=tuple(index for index in answer.modified if index < count))


def judged(suite, answer):
    """The outcomes of all checks, where each case is answered by what is made from its expected value."""
    answers = {known.case.id: as_read(answer(known.expected), known.case.call) for known in suite.known}
    answers |= {key: Answer(not_defined=True) for key in suite.calls if key not in answers}
    names = {known.case.call.name for known in suite.known}
    functions = {name: FunctionFacts(("x",), ("N",), {"N": 3}) for name in names}

    def diagnose(task, answers, cases, *, pairs=True):
        return suite.diagnostician.diagnose(task, answers, cases)

    def ask(calls):
        return [answer(suite.known[0].expected) for _ in calls]

    submission = SubmissionProxy(
        Restored(answers, suite.known, suite.homework.tasks), lambda: functions, tuple, ask
    )
    cases = Cases(suite.known)
    compare = Compare(suite.homework, submission, cases, Explainer(diagnose))
    return {check.outcome for check in run_checks(suite.checks, Fixtures(submission, cases, compare))}


@pytest.mark.parametrize("homework_id", HOMEWORKS)
@given(value=ANSWERED, gradients=ANY, modified=st.sets(st.integers(0, 20), max_size=2))
@settings(deadline=None, max_examples=25 + round(5 * SECONDS), suppress_health_check=list(HealthCheck))
def test_every_check_ends_in_a_verdict(homework_id, suite_of, value, gradients, modified):
    def answer(expected):
        more = {"gradients": gradients, "parameters": {"norm1.weight": (0, 1 << 36), "": ()}}
        return Answer(value=value(expected), modified=tuple(modified), **more)

    assert judged(suite_of(homework_id), answer) <= {Outcome.PASSED, Outcome.FAILED, Outcome.NOT_RUN}


@given(ANY)
@settings(deadline=None, max_examples=150)
def test_every_question_ends_in_a_verdict(suite_of, value):
    for homework_id in HOMEWORKS:
        homework = suite_of(homework_id).homework
        judge_theory(homework, Answer(value=value))
        judge_theory(homework, Answer(value={question.id: value for question in homework.questions}))


@given(ANY, ANY)
@settings(deadline=None, max_examples=150)
def test_two_answers_are_alike_or_not(first, other):
    assert same_answer(Answer(value=first), Answer(value=other), 1e-5) in (True, False)
    assert deviation(first, np.ones(3)) >= 0
    assert describe(first)


@given(ANY)
@settings(deadline=None, max_examples=300)
def test_what_is_taken_for_an_array_holds_real_numbers_of_fixed_width(value):
    array = as_array(value)
    assert array is None or (array.dtype.kind in "fiu" and array.dtype.itemsize <= 8)


@pytest.mark.parametrize(
    ("homework_id", "long"),
    [
        pytest.param(PAIR[0], [0] * 300_000, id=f"flat-{PAIR[0]}"),
        pytest.param(PAIR[0], [[0]] * 50_000, id=f"nested-{PAIR[0]}"),
        pytest.param(PAIR[1], [[]] * 300_000, id=f"empty-{PAIR[1]}"),
        pytest.param(PAIR[1], [[[0, 0]] * 1000] * 100, id=f"deep-{PAIR[1]}"),
    ],
)
def test_a_list_far_too_long_is_wrong_without_being_read(homework_id, suite_of, long):
    suite = suite_of(homework_id)
    started = time.perf_counter()
    assert Outcome.PASSED not in judged(suite, lambda expected: Answer(value=long))
    assert Outcome.PASSED not in judged(suite, lambda expected: Answer(value=[long, long]))
    assert time.perf_counter() - started < 90  # minutes, where the lists are walked


@pytest.mark.parametrize("number", [2**64, -(2**100), [1.0, 2**70, 0.5], [[2**100] * 3]])
def test_integers_beyond_every_dtype_are_told_as_such(number):
    finding = compare_values(number, np.ones(3), tolerance=1e-5)
    assert finding.student == to_students["any_answer.too-large-for-an-array"]
    assert compare_values(number, np.ones(3), tolerance=1e-5) is not None


def test_booleans_are_refused_with_their_dtype():
    finding = compare_values(np.ones(3) > 0, np.ones(3), tolerance=1e-5)
    assert finding.student == to_students["any_answer.dtype-of-the-result-is-bool"]
