"""A wrong answer that no known mistake gives is told as one wrong step of the solution, in words of the stub."""

import re
from dataclasses import replace
from pathlib import Path

import pytest
from submissions import edited
from wording import to_students

from autograder.grading.grade import grade_handin
from autograder.reasons import slip_search, slips
from autograder.reasons.agreement import diagnostic_cases
from autograder.reasons.catalogue import read_edits
from autograder.reasons.diagnosis import Diagnostician
from autograder.reasons.slips import slips_of
from autograder.reasons.source_text import SourceText
from autograder.sandbox.pool import SandboxPool
from autograder.sandbox.report import Answer
from autograder.verdict.failure import NO_REASON

from .asking import of_stub

HW3 = "hw3_scaled_dot_product_attention"
SOFTMAX = "softmax"
ATTENTION = "scaled_dot_product_attention"
SOLUTION = '''import numpy as np


def f(X, W_k, W_v, b_k):
    """Mix the values with the weights."""
    # BEGIN SOLUTION
    {body}
    # END SOLUTION
'''


def told(body):
    """What the slips of a function's body say, by the body with the slip."""
    solution = SourceText(Path("solution.py"), SOLUTION.format(body=body))
    definition = solution.definitions["f"]
    sayings = {}
    for slip in slips_of(solution, "f", ["f"]):
        code = solution.edited(slip.edits)[definition.code :]
        sayings[code.partition("# END")[0].strip()] = slip.says
    return sayings


@pytest.mark.parametrize(
    ("body", "slipped", "entry"),
    [
        ("return X @ W_v", "return X @ W_k", "other-name"),
        ("return X / math.sqrt(W_k.shape[-1])", "return X", "not-divided"),
        ("return sum(W_k)", "return sum(W_v)", "other-argument"),
        ("return X / len(W_k)", "return X / len(W_v)", "other-length"),
        ("return X @ W_k + b_k", "return X @ W_k", "not-added"),
        ("return X @ W_k + b_k", "return X @ (W_k + b_k)", "added-before"),
        ("return X @ W_k.T", "return X @ W_k", "not-transposed"),
        ("return X / np.sqrt(W_k.shape[-1])", "return X", "not-divided"),
        ("return X / np.sqrt(W_k.shape[-1])", "return X / W_k.shape[-1]", "no-root"),
        ("return X.sum(axis=1, keepdims=True)", "return X.sum(axis=0, keepdims=True)", "other-axis"),
        ("return X.transpose(0, 2, 1)", "return X.transpose(1, 2, 0)", "other-order-of-axes"),
        ("return np.vstack((X @ W_k, X @ W_v))", "return np.hstack((X @ W_k, X @ W_v))", "other-function"),
        (
            "return (X @ W_k.T + b_k) @ (X @ W_v.T)",
            "return (X @ W_k + b_k) @ (X @ W_v)",
            "same-at-both-places",
        ),
        (
            "y = X - X.max(axis=1)\n    return y.sum(axis=1)",
            "y = X - X.max(axis=0)\n    return y.sum(axis=0)",
            "one-axis-everywhere",
        ),
        ("return [x for x in X]", "return [x for x in list(X)[1:]]", "round-left-out"),
    ],
)
def test_a_slip_is_told_in_words_of_the_stub(body, slipped, entry):
    assert told(body)[slipped] == to_students[f"slips.{entry}"]


@pytest.mark.parametrize("body", ["secret = X + 1\n    return secret - W_k", "return X - 12345 * W_k"])
def test_names_and_numbers_of_the_solution_are_no_words(body):
    assert told(body)
    assert not any(re.search(r"secret|12345", says) for says in told(body).values())


def test_what_the_stub_gives_is_left_alone():
    text = SOLUTION.format(body="return given(X)") + "\n\ndef given(X):\n    return X + 1\n"
    solution = SourceText(Path("solution.py"), text)
    start = solution.definitions["given"].start
    edits = [edit for slip in slips_of(solution, "f", ["f"]) for edit in slip.edits]
    assert edits
    assert all(edit.start < start for edit in edits)


def found(suite, task, label, pool):
    """What is told of the answers of a known mistake, as if it were not known."""
    [variant] = [one for one in suite.diagnostician.singles[task] if one.labels == (label,)]
    cases = diagnostic_cases(suite.known, task)
    return suite.diagnostician.slips.find(task, variant.answers, cases, pool)


@pytest.mark.parametrize(
    ("task", "label", "entry"),
    [
        (SOFTMAX, "softmax-sum-over-queries", "sum-along-axis-0"),
        (SOFTMAX, "softmax-no-exp/shifted", "without-exp"),
        (ATTENTION, "values-are-inputs", "keys-for-values"),
        (ATTENTION, "no-scaling", "not-divided-by-the-root"),
        (ATTENTION, "no-softmax", "without-softmax"),
    ],
)
def test_a_mistake_that_is_not_known_is_told_as_a_slip(suite_of, pool, task, label, entry):
    reason = found(suite_of(HW3), task, label, pool)
    assert reason.says == to_students[f"slips.{entry}"]
    assert reason.labels == ()


@pytest.mark.parametrize("label", ["softmax-unstable", "softmax-minimum-subtracted"])
def test_what_shows_in_infinite_numbers_alone_is_told_as_no_slip(suite_of, pool, label):
    suite = suite_of(HW3)
    if any(one.labels == (label,) for one in suite.diagnostician.singles[SOFTMAX]):
        assert found(suite, SOFTMAX, label, pool) == NO_REASON


def test_right_answers_give_no_slip(suite_of, pool):
    suite = suite_of(HW3)
    cases = diagnostic_cases(suite.known, ATTENTION)
    right = {known.case.id: Answer(known.expected) for known in cases}
    assert suite.diagnostician.slips.find(ATTENTION, right, cases, pool) == NO_REASON


@pytest.fixture
def without_catalogue(suite_of):
    suite = suite_of(HW3)
    return replace(suite, diagnostician=Diagnostician(suite.homework, (), suite.known, {}))


def first_check_with_a_reason(suite, pool, *edit):
    result = grade_handin(of_stub(suite, edited(HW3, edit)), suite, pool)
    return next(check for check in result.checks if check.reason)


def test_a_submission_is_told_its_slip_where_no_mistake_is_known(without_catalogue, pool):
    edit = ("exponentials.sum(axis=-1", "exponentials.sum(axis=0")
    first = first_check_with_a_reason(without_catalogue, pool, *edit)
    assert first.reason.partition(" (")[0] == to_students["slips.sum-along-axis-0"]
    assert first.misconceptions == ()


def test_a_relation_that_names_no_cause_gives_way_to_a_slip(suite_of, pool):
    # Each row of this softmax is right except for a factor and an added number of its own.
    edit = ("exponentials / total", "exponentials - total")
    first = first_check_with_a_reason(suite_of(HW3), pool, *edit)
    assert first.reason.partition(" (")[0] == to_students["slips.subtracted-for-divided"]
    assert first.misconceptions == ("both-per-row",)


def test_slips_are_run_for_the_first_submission_only(suite_of, pool, monkeypatch):
    suite = suite_of(HW3)
    monkeypatch.setattr(suite.diagnostician, "slips", slip_search.SlipSearch(suite.homework))
    runs = []
    really_run = SandboxPool.run

    def run(pool, request):
        runs.append(request)
        return really_run(pool, request)

    monkeypatch.setattr(SandboxPool, "run", run)
    assert found(suite, SOFTMAX, "softmax-sum-over-queries", pool).says
    assert len(runs) == 3, "two slips, all others, and those that agree in one case"
    assert found(suite, SOFTMAX, "softmax-sum-over-queries", pool).says
    assert len(runs) == 3


def test_answers_of_slips_are_forgotten_where_they_are_many(suite_of, pool, monkeypatch):
    monkeypatch.setattr(slip_search, "MOST_NUMBERS", 100)
    suite = suite_of(HW3)
    search = slip_search.SlipSearch(suite.homework)
    monkeypatch.setattr(suite.diagnostician, "slips", search)
    for _ in range(2):
        assert found(suite, SOFTMAX, "softmax-sum-over-queries", pool).says
        assert len(search._answers) < 60, "those of the few slips that agree in one case"


def test_slips_that_would_take_too_long_are_not_run(without_catalogue, pool, monkeypatch):
    monkeypatch.setattr(slip_search, "MOST_SECONDS", 0.0)
    suite = without_catalogue
    search = suite.diagnostician.slips
    cases = diagnostic_cases(suite.known, SOFTMAX)[:1]
    all_slips = slips_of(read_edits(suite.homework).solution, SOFTMAX, [SOFTMAX, ATTENTION])
    answered = search._answering(all_slips, cases, pool)
    assert len(answered) == len(all_slips) <= slips.MOST_SLIPS
    errors = [answers[cases[0].case.id].error for _, answers in answered]
    assert [error.type for error in errors[2:] if error] == ["TimeLimit"] * (len(all_slips) - 2)
