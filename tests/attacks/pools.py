"""A pool of sandboxes at one level, which remembers what came back from them."""

from dataclasses import replace

from autograder.sandbox.levels import Level, strongest_level
from autograder.sandbox.pool import SandboxPool
from autograder.sandbox.report import RunReport
from autograder.sandbox.request import Code, Request, SharedCalls
from autograder.sandbox.warm import WarmSandbox


class LevelPool(SandboxPool):
    """Runs everything at the given level, or at the strongest one."""

    def __init__(self, level: Level | None) -> None:
        super().__init__()
        self.level = level or strongest_level()
        self._runs: list[tuple[Code, RunReport]] = []

    def run(self, request: Request) -> RunReport:
        report = super().run(request)
        # The search for a wrong line runs an attack with its prints changed as well. Markers still count there.
        calls = request.calls
        if isinstance(calls, SharedCalls):
            calls = calls.calls
        if any("edited" in call for call in calls):
            said_otherwise = report.output.replace("GOT", "printed")
            self._runs.append((request.code, replace(report, output=said_otherwise)))
            return report
        self._runs.append((request.code, report))
        return report

    def reports_of(self, code: Code) -> list[RunReport]:
        """What came back from this code, and not from the reference's, which runs here as well."""
        return [report for sandbox, report in self._runs if sandbox == code]

    def forget(self) -> None:
        """Forget what came back."""
        self._runs.clear()

    def sandbox(self, library: str) -> WarmSandbox:
        if library not in self._open:
            self._open[library] = WarmSandbox(library, self.level)
        return self._open[library]  # type: ignore[return-value]

    _sandbox = sandbox
