from __future__ import annotations

from dataclasses import dataclass

import pytest

from autograder.sandbox.pool import SandboxPool
from autograder.sandbox.report import RunReport
from autograder.sandbox.request import Request


@dataclass(frozen=True)
class Shared:
    """A sandbox of the test process's pool: a library takes seconds to start, and starts once for all."""

    pool: SandboxPool
    library: str
    layers: tuple[str, ...] = ()

    def run(self, request: Request) -> RunReport:
        return self.pool.run(request)

    def close(self) -> None:
        """The pool is closed by whoever opened it."""


@pytest.fixture(scope="session")
def sandbox(pool: SandboxPool) -> Shared:
    return Shared(pool, "numpy")


@pytest.fixture(scope="session")
def torch_sandbox(pool: SandboxPool) -> Shared:
    return Shared(pool, "torch")
