from dataclasses import dataclass

import pytest

from autograder.sandbox.pool import SandboxPool


@dataclass(frozen=True)
class Shared:
    """A sandbox of the test process's pool: a library takes seconds to start, and starts once for all."""

    pool: SandboxPool
    library: str
    layers: tuple[str, ...] = ()

    def run(self, request):
        return self.pool.run(request)

    def close(self):
        """The pool is closed by whoever opened it."""


@pytest.fixture(scope="session")
def sandbox(pool):
    return Shared(pool, "numpy")


@pytest.fixture(scope="session")
def torch_sandbox(pool):
    return Shared(pool, "torch")
