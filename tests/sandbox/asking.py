"""Short ways to ask a sandbox: a module's source, the functions to call, the limits."""

import textwrap
from dataclasses import replace

from autograder.sandbox.pool import Sandbox, SandboxPool
from autograder.sandbox.report import RunReport
from autograder.sandbox.request import Code, Limits, Request

HONEST = "def f(): return 7"


def request(source: str, *names: str, library: str = "numpy", **limits: float) -> Request:
    """A run of one ``.py`` file whose named functions are called without arguments."""
    code = Code("homework.py", {"homework.py": textwrap.dedent(source)})
    calls = [{"op": "function", "name": name, "args": []} for name in names]
    return Request(code, calls, library, replace(Limits(), **limits))  # type: ignore[arg-type]


def run(sandbox: Sandbox | SandboxPool, source: str, *names: str, **limits: float) -> RunReport:
    """Run it; without names, ``f`` is called."""
    return sandbox.run(request(source, *(names or ("f",)), **limits))


def is_well(sandbox: Sandbox | SandboxPool) -> bool:
    """Whether the next submission is graded as if nothing had happened."""
    report = run(sandbox, HONEST)
    return [answer.value for answer in report.answers] == [7]
