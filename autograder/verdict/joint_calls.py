"""Further calls of several checks in one run, for a run costs as much as hundreds of calls."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from autograder.course.cases import Call
from autograder.sandbox.report import Answer
from autograder.verdict.fixtures import Ask


@dataclass(eq=False)
class _Request:
    """The calls that one check waits for."""

    calls: Sequence[Call]
    answers: list[Answer] | None = None


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
    _waiting: list[_Request] = field(default_factory=list)

    def __call__(self, calls: Sequence[Call]) -> list[Answer]:
        """Return the answers to the calls of the running check."""
        request = _Request(calls)
        self._waiting.append(request)
        self.run_other_checks()
        if request.answers is None:
            self._make_calls(request)
        assert request.answers is not None
        return request.answers

    def _make_calls(self, last: _Request) -> None:
        """Make all calls that checks wait for, and at least those of the check that asked last."""
        # Where the run for all of them failed, nobody waits any more.
        requests = self._waiting or [last]
        self._waiting = []
        calls: list[Call] = []
        for request in requests:
            calls += request.calls
        answers = self.ask(calls)
        # A call of one check that brings the process down must not cost another one its answers.
        if len(requests) > 1 and not any(answer.is_usable for answer in answers):
            last.answers = self.ask(last.calls)
            return
        for request in requests:
            request.answers = answers[: len(request.calls)]
            answers = answers[len(request.calls) :]
