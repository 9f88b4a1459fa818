"""Slow tests of the same subject as ``test_workers``, for CI and `make test WHOLE=1`."""

import sys

import pytest
from wording import to_staff

from autograder.sandbox.report import Status

from ..test_workers import QUIET, grade

__all__ = ["grade"]  # the fixtures

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="processes are killed by signals here")


def test_a_worker_that_waits_for_ever_is_our_fault(grade):
    found = grade("ada", "asleep-bob", "cyd", budget=QUIET)
    assert found["asleep-bob"].earned is None
    assert found["asleep-bob"].fault == to_staff["workers.no-sign-of-life"]
    assert found["cyd"].status is Status.GRADED
