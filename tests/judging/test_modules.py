"""What checks ask of a torch module: its parameters by part, its output, what it depends on."""

import numpy as np
import pytest

from autograder.course.cases import Case, Group, ModuleCall, tensor
from autograder.sandbox.report import Answer, StudentError
from autograder.verdict.failure import CheckFailed, FailureKind
from autograder.verdict.fixtures import Cases, Compare, SubmissionProxy
from autograder.verdict.interface import Restored
from autograder.verdict.known import KnownCase
from autograder.verdict.modules import ModuleAnswers, finite_output, layers_of, numbers_by_part

X = np.arange(6.0).reshape(1, 2, 3)
CALL = ModuleCall("double", (3,), tensor(X), {"up.weight": tensor(np.ones((3, 3)))})
KNOWN = KnownCase(Case("double/printed", CALL, group=Group.PUBLISHED), 2 * X, None, 1e-5)
SHAPES = {
    "up.0.weight": (4, 3),
    "up.0.bias": (4,),
    "up.1.weight": (4, 3),
    "up.1.bias": (4,),
    "norm.bias": (3,),
}
NOT_LOADED = Answer(error=StudentError("MissingParameter", "no parameter"))


class Block:
    """A module that answers as told, and further calls one after another."""

    def __init__(self, tiny, answer, *further):
        self.calls = []
        self._further = iter(further)
        submission = SubmissionProxy(Restored({KNOWN.case.id: answer}), dict, tuple, self._ask)
        compare = Compare(tiny.homework, submission, Cases([KNOWN]))
        self.answers = ModuleAnswers(compare)

    def _ask(self, calls):
        self.calls += calls
        return [next(self._further) for _ in calls]


def test_numbers_are_counted_by_part_and_layers_by_what_they_hold():
    assert numbers_by_part(SHAPES) == {"up": 32, "norm": 3}
    linear = frozenset({("weight", (4, 3)), ("bias", (4,))})
    assert layers_of(SHAPES, "up") == {linear: 2}
    assert layers_of(SHAPES).total() == 3


def test_an_output_may_stand_in_a_tuple_and_is_finite():
    assert np.array_equal(finite_output((None, X, 2 * X), X.shape), X)
    assert finite_output(X[0], X.shape) is None
    assert finite_output(X * np.nan, X.shape) is None


def test_where_parameters_do_not_fit_the_module_is_asked_as_it_initialises_itself_once(tiny):
    block = Block(tiny, NOT_LOADED, Answer(2 * X, parameters=SHAPES))
    assert not block.answers.has_loaded(KNOWN)
    assert np.array_equal(block.answers.output(KNOWN), 2 * X)
    assert block.answers.registered(KNOWN) == SHAPES
    [call] = block.calls
    assert isinstance(call, ModuleCall)
    assert call.parameters == {}


def test_a_module_that_does_not_run_fails_with_what_it_raised(tiny):
    block = Block(tiny, Answer(error=StudentError("ValueError", "shapes")))
    for ask in (block.answers.registered, block.answers.output):
        with pytest.raises(CheckFailed) as failed:
            ask(KNOWN)
        assert failed.value.failure.kind is FailureKind.RAISED


def test_an_output_is_judged_as_it_was_returned(tiny):
    assert Block(tiny, Answer(2 * X)).answers.judge(KNOWN) is None
    wrong = Block(tiny, Answer((2 * X, None))).answers.judge(KNOWN)
    assert wrong.kind is FailureKind.ARITY


def test_another_input_is_given_once_under_its_name(tiny):
    block = Block(tiny, Answer(2 * X), Answer(X), Answer(None))
    for _ in range(2):
        assert np.array_equal(block.answers.output_for(KNOWN, "reversed", X[:, ::-1]), X)
    assert block.answers.output_for(KNOWN, "zero", 0 * X) is None
    assert len(block.calls) == 2


@pytest.mark.parametrize(
    ("shapes", "has_further_run"),
    [
        ({"up.weight": (3, 3)}, False),
        ({"up.weight": (3, 3), "down.weight": (3, 2)}, True),
        ({"down.weight": (3, 2)}, False),
        ({"up.weight": (3, 3), "down.weight": (10**9, 10**9)}, False),
    ],
)
def test_parts_that_a_case_does_not_give_hold_ones_in_a_trace(tiny, shapes, has_further_run):
    first, second = Answer(X, parameters=shapes), Answer(X)
    block = Block(tiny, Answer(X), first, second)
    assert block.answers.trace(KNOWN) is (second if has_further_run else first)
    *_, last = block.calls
    assert isinstance(last, ModuleCall)
    assert last.cotangent is not None
    assert ("down.weight" in last.parameters) is has_further_run
