import sys

import pytest

from autograder.sandbox.cold import ColdSandbox
from autograder.sandbox.warm import WarmSandbox


@pytest.fixture(scope="session")
def warm():
    """One warm numpy sandbox that all submissions of this folder pass through, whatever they do to it."""
    if sys.platform != "linux":
        pytest.skip("a warm sandbox needs Linux")
    opened = WarmSandbox("numpy")
    yield opened
    opened.close()


@pytest.fixture(params=["warm", "cold"])
def either(request):
    """Each kind of sandbox in turn."""
    if request.param == "warm":
        yield request.getfixturevalue("warm")
    else:
        yield ColdSandbox("numpy")
