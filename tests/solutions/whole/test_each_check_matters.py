"""For each check there is an answer that fails it and passes all checks that do not build on it.

A check without such an answer would say nothing that another one does not say. The answers are those of
the reference solution with one thing spoiled (the value of one case, or of a group of cases, in one of its
parts; a gradient; an argument that was left changed), a mistaken submission of the corpus, or a known
mistake.
"""

import itertools
from dataclasses import replace

import numpy as np
import pytest
from homeworks import NINE, TEN
from submissions import corpus

from autograder.authoring.corpus import read_losses
from autograder.grading.runs import run_handin
from autograder.reasons.probes import SLOW
from autograder.sandbox.request import Code
from autograder.verdict.checks import Outcome, run_checks
from autograder.verdict.fixtures import Cases, Compare, Fixtures, SubmissionProxy
from autograder.verdict.interface import Restored
from autograder.verdict.reference import run_calls
from autograder.worker.wire import Tensor

HOMEWORKS = tuple(
    name for name in TEN if name != NINE[-1]
)  # where whole attention matrices are too large, each try takes seconds


@pytest.mark.parametrize("homework_id", HOMEWORKS)
def test_each_check_can_fail_alone(homework_id, course, suite_of, pool):
    suite = suite_of(homework_id)
    stub = suite.homework.stub
    code = Code(stub, {stub: suite.homework.solution.read_text("utf-8")})
    right = run_handin(code, suite, pool)
    losses = [set(submission.loses) for submission in corpus(homework_id) if submission.loses]
    losses += map(set, read_losses(course, suite.homework).values())
    spoiled_losses = (
        failing(suite, {**right.answers, **spoiled}, right.report.functions, pool)
        for spoiled in spoil(suite, right.answers)
    )
    never_alone = {check.name for check in suite.checks}
    for lost in itertools.chain(losses, spoiled_losses):
        never_alone -= {name for name in lost if lost <= {name} | dependents(suite.checks, name)}
        if not never_alone:  # what is recorded shows most of it; answers are spoiled only for the rest
            break
    assert never_alone == set()


def failing(suite, answers, functions, pool):
    def ask(calls):
        return run_calls(suite.homework, suite.homework.solution, calls, pool)

    submission = SubmissionProxy(
        Restored(answers, suite.known, suite.homework.tasks), lambda: functions, tuple, ask
    )
    cases = Cases(suite.known)
    compare = Compare(suite.homework, submission, cases)
    results = run_checks(suite.checks, Fixtures(submission, cases, compare))
    return {result.check for result in results if result.outcome is not Outcome.PASSED}


def dependents(checks, name):
    names = set()
    for check in checks:
        if {name, *names} & set(check.requires):
            names.add(check.name)
    return names


def spoil(suite, answers):
    """Yield small sets of spoiled answers: each case alone, and each task's cases by group and topic.

    They came slowly, so that no reason is looked for by further calls: what fails is asked here, not why.
    """
    groups = {}
    for known in suite.known:
        case = known.case
        for key in (
            case.id,
            (case.task, case.group),
            (case.task, case.topic),
            (case.task, case.group, case.topic),
        ):
            groups.setdefault(key, []).append(case.id)
    for ids in groups.values():
        for ruin in (*RUINS, *(BATCH_RUINS if suite.homework.id.startswith("hw6") else ())):
            yield {case_id: replace(ruin(answers[case_id]), seconds=2 * SLOW) for case_id in ids}


def spoil_value(part, where):
    return lambda answer: replace(answer, value=_spoil(answer.value, part, where))


def _spoil(value, part, where):
    if isinstance(value, tuple | list):
        chosen = range(len(value)) if part is None else [part % len(value)]
        return type(value)(_spoil(v, None, where) if i in chosen else v for i, v in enumerate(value))
    array = np.array(value.array if isinstance(value, Tensor) else value, dtype=float)
    array[where(array)] += 0.5
    return array


def _everywhere(array):
    return ...


def _first(array):
    return (0,) * array.ndim


def _rolled(answer):
    """Each token's output belongs to another sequence: every one of them is still normalised."""
    array = answer.value.array if isinstance(answer.value, Tensor) else np.asarray(answer.value)
    return replace(answer, value=np.roll(array, 1, axis=0))


def _tokens_rolled(answer):
    """In the first sequence alone, each output belongs to another token."""
    array = np.array(answer.value.array if isinstance(answer.value, Tensor) else answer.value)
    array[0] = np.roll(array[0], 1, axis=0)
    return replace(answer, value=array)


def _another_shape(answer):
    array = answer.value.array if isinstance(answer.value, Tensor) else np.asarray(answer.value)
    return replace(answer, value=array[..., None])


def _changed(answer):
    return replace(answer, modified=(0,))


def _no_gradients(answer):
    return replace(answer, gradients=None)


RUINS = [
    spoil_value(None, _everywhere),
    spoil_value(None, _first),
    spoil_value(0, _first),
    spoil_value(-1, _first),
    _changed,
    _no_gradients,
]
BATCH_RUINS = [_rolled, _tokens_rolled, _another_shape]
