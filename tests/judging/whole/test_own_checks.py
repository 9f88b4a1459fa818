"""Slow tests of the same subject as ``test_own_checks``, for CI and `make test WHOLE=1`."""

from autograder.authoring.audit import odd_candidates_of, try_odd_answer

from ..test_own_checks import own_checks

__all__ = ["own_checks"]  # the fixture


def test_no_check_of_the_page_raises_on_an_odd_answer(own_checks, pool):
    trials = [try_odd_answer(candidate, pool) for candidate in odd_candidates_of(own_checks, pool)]
    assert len(trials) >= 39
    assert {trial.name: trial.cause for trial in trials if trial.cause} == {}
