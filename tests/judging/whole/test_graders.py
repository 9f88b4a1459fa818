"""Slow tests of the same subject as ``test_graders``, for CI and `make test WHOLE=1`."""

import sys

import pytest
from wording import to_staff

from autograder.sandbox.report import Status

from ..test_graders import QUIET, grade

__all__ = ["grade"]  # the fixtures

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="processes are killed by signals here")


def test_a_worker_that_waits_for_ever_is_our_fault(grade):
    results = grade("ada", "asleep-bob", "cyd", budget=QUIET)
    assert results["asleep-bob"].earned is None
    assert results["asleep-bob"].fault == to_staff["workers.no-sign-of-life"]
    assert results["cyd"].status is Status.GRADED
