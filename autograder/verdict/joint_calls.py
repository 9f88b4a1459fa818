"""Further calls of several checks in one run, for a run costs as much as hundreds of calls."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from autograder.course.calls import Call
from autograder.sandbox.report import Answer
from autograder.verdict.fixtures import Ask


@dataclass(eq=False)
class JointCalls:
    """Makes the calls of several checks together.

    A check that asks for calls stays on the stack while the checks after it run. Those may ask as well, and
    the last one makes the calls of all. So no check needs to say beforehand what it is going to ask.

    Attributes:
        ask: makes calls in one run.
        run_other_checks: runs the checks that are not begun yet.
    """

    ask: Ask
    run_other_checks: Callable[[], None]
    _waiting: list[Sequence[Call]] = field(default_factory=list)
    _answers: dict[int, list[Answer]] = field(default_factory=dict)

    def __call__(self, calls: Sequence[Call]) -> list[Answer]:
        """Return the answers to the calls of the running check."""
        calls = list(calls)  # an object of its own, by whose id the answers are kept
        self._waiting.append(calls)
        self.run_other_checks()
        if id(calls) not in self._answers:
            self._make_calls(calls)
        return self._answers.pop(id(calls))

    def _make_calls(self, last: Sequence[Call]) -> None:
        """Make all calls that checks wait for, and at least those of the check that asked last."""
        # Where the run for all of them failed, nobody waits any more.
        waiting = self._waiting or [last]
        self._waiting = []
        answers = self.ask(list(itertools.chain(*waiting)))
        # A call of one check that brings the process down must not cost another one its answers.
        if len(waiting) > 1 and not any(answer.is_usable for answer in answers):
            self._answers[id(last)] = self.ask(last)
            return
        remaining = iter(answers)
        for calls in waiting:
            self._answers[id(calls)] = list(itertools.islice(remaining, len(calls)))
