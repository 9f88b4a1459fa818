"""Progress of an audit over many seeds: a bar on a terminal, a plain line now and then elsewhere."""

from __future__ import annotations

from rich import progress as bars

from autograder.authoring import SeedRun
from autograder.cli.bar import Bar
from autograder.cli.console import err

LINES = 20
"""About how many plain lines a whole audit prints."""


class SeedProgress(Bar):
    """Counts the draws that are done, one per seed and homework, and the right answers that failed so far."""

    def __init__(self, total: int) -> None:
        self._total, self._done, self._failures = total, 0, 0
        super().__init__(
            err, "fresh inputs", bars.TimeRemainingColumn(), bars.TextColumn("{task.description}")
        )
        self._task = self._bar.add_task("", total=total)

    def advance(self, run: SeedRun) -> None:
        """Count one more run."""
        before, self._done = self._done, self._done + run.seeds
        self._failures += len(run.false_failures)
        failures = f"{self._failures} false failures"
        self._bar.update(self._task, advance=run.seeds, description=failures)
        if not err.is_terminal and self._share(self._done) > self._share(before):
            err.print(f"fresh inputs: {self._done} of {self._total} draws, {failures}", soft_wrap=True)

    def _share(self, done: int) -> int:
        return done * LINES // max(self._total, 1)
