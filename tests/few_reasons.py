"""Grading with few reasons: they take most of the time that a wrong answer takes, and change no points."""

import itertools
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from autograder.reasons import property_search, repair_search
from autograder.reasons.explain import Explainer

FEW_REPAIRS = 60
"""The changes of code that a short search for the wrong line tries, of 1,500 that a search tries at most."""


@contextmanager
def first_reasons(number: int) -> Iterator[None]:
    """Let only so many failures, the first ones, have a reason; the others keep their facts."""
    reason = Explainer.reason
    places = itertools.count()

    def explain_first(explainer, compare, failed, failure):
        if next(places) < number:
            return reason(explainer, compare, failed, failure)
        return failure

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Explainer, "reason", explain_first)
        yield


@contextmanager
def short_searches() -> Iterator[None]:
    """Let searches for the wrong line try a few changes only: they take seconds, and decide no label."""
    with pytest.MonkeyPatch.context() as patch:
        for module in (repair_search, property_search):
            patch.setattr(module, "MOST_REPAIRS", FEW_REPAIRS)
        yield
