"""Grading with few reasons: they take most of the time that a wrong answer takes, and change no points."""

import itertools
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from autograder.reasons.explain import Explainer


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
