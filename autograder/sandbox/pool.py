"""The sandboxes of one grading thread, replaced when they die."""

from __future__ import annotations

import importlib.util
import sys
from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import replace

from autograder.sandbox.claims import checked_report
from autograder.sandbox.cold import ColdSandbox
from autograder.sandbox.report import RunReport, Status, in_two_stages
from autograder.sandbox.request import Request
from autograder.sandbox.warm import ProcessLetGo, SandboxDied, WarmSandbox

Sandbox = WarmSandbox | ColdSandbox
MOST_DEATHS = 2
"""How many sandboxes may die on one request before nobody is asked again."""
WORDS_OF_TRAINING = ("torch.optim", "optim.")


def open_sandbox(library: str) -> Sandbox:
    """Start the best sandbox for this platform: warm on Linux, a process per run elsewhere."""
    if sys.platform == "linux":
        return WarmSandbox(library)
    return ColdSandbox(library)


class SandboxPool(AbstractContextManager["SandboxPool"]):
    """The sandboxes of one grading thread, one for each library, opened when first needed.

    Args:
        sign_of_life: called before each run with the seconds that it may take, and after it with 0.
    """

    def __init__(
        self, sign_of_life: Callable[[float], None] = lambda seconds: None
    ) -> None:
        self._open: dict[str, Sandbox] = {}
        self._sign_of_life = sign_of_life

    def run(self, request: Request) -> RunReport:
        """Run a request; if its sandbox dies, run it once more in a new one.

        If that one dies, too, the report has the status ``INFRASTRUCTURE_ERROR``: the submission is not to blame.
        """
        library = _library_for(request)
        request = self._with_sign_of_life(replace(request, library=library))
        first: RunReport | None = None
        deaths = 0
        while deaths < MOST_DEATHS:
            self._sign_of_life(request.seconds)
            try:
                sandbox = self._sandbox(library)
                report = sandbox.run(request)
                if first is not None:
                    report = in_two_stages(first, report)
                checked = checked_report(report, request.code)
                return replace(checked, layers=sandbox.layers)
            except (SandboxDied, OSError) as error:
                if not isinstance(error, ProcessLetGo):
                    deaths += 1
                    trouble = str(error)
                    if library in self._open:
                        self._open.pop(library).close()
                if isinstance(error, SandboxDied) and error.first is not None:
                    first = error.first
                    request = _second_stage_of(request)
            finally:
                self._sign_of_life(0)
        return RunReport(
            Status.INFRASTRUCTURE_ERROR, f"the sandbox died twice: {trouble}"
        )

    def _with_sign_of_life(self, request: Request) -> Request:
        """Return the request that says between its stages how long the second may take."""
        before_later = request.before_later
        if before_later is None:
            return request
        # Taken here, because a function that held the request would be a reference cycle: all that it leads to,
        # such as answers, would stay until garbage is collected.
        seconds = request.seconds

        def with_sign_of_life() -> None:
            before_later()
            self._sign_of_life(seconds)  # runs within it ended with 0

        return replace(request, before_later=with_sign_of_life)

    def _sandbox(self, library: str) -> Sandbox:
        """Return the open sandbox with a library; a pool of another level opens its own."""
        if library not in self._open:
            self._open[library] = open_sandbox(library)
        return self._open[library]

    def __exit__(self, *exc_info: object) -> None:
        while self._open:
            _, sandbox = self._open.popitem()
            sandbox.close()


def _second_stage_of(request: Request) -> Request:
    """Return the request for the second stage alone, if the first process of a run had its inputs already.

    No answer to the first stage may depend on them, so that stage is not run again.
    """
    if request.later_calls is None:
        return request
    return replace(request, calls=request.later_calls.calls, later_calls=None)


def _library_for(request: Request) -> str:
    """Return the library to have imported.

    The first optimizer makes torch import for a second, so only code that seems to train has it imported.
    """
    code = request.code
    if request.library == "numpy":
        if not code.mentions("torch"):
            return "numpy"
        # Without an installed torch, its import is one of the submission's lines that stop.
        if not importlib.util.find_spec("torch"):
            return "numpy"
    if any(code.mentions(word) for word in WORDS_OF_TRAINING):
        return "torch.optim"
    return "torch"
