"""What a test needs and a machine may lack: skipped on most machines, a failure in CI."""

import os
from typing import NoReturn

import pytest


def skip_or_fail(reason: str) -> NoReturn:
    """Skip the test, or let it fail where ``AUTOGRADER_SKIPS_NOTHING`` is set, as in CI."""
    if os.environ.get("AUTOGRADER_SKIPS_NOTHING"):
        pytest.fail(reason)
    pytest.skip(reason)
