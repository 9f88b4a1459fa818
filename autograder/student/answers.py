"""A student's answers in the student's own process: each call is made when a check asks for it."""

from __future__ import annotations

import io
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, redirect_stderr, redirect_stdout
from typing import Any

from autograder.course import NAMES_READ, Call, ValueRead
from autograder.judging import OwnNames, read_names, value_key
from autograder.sandbox import Answer, FunctionFacts, read_answer, read_facts
from autograder.student.homework import PublicHomework
from autograder.worker import Bag, attempt, decode, describe_functions, encode, states

Around = Callable[[], AbstractContextManager[None]]


class Copies:
    """Freezes a value as the wall between a worker and the grader would: a copy, as plain data."""

    def freeze(self, value: object, as_torch: bool = False) -> Any:
        arrays = Bag()
        return decode(encode(value, arrays), arrays, as_torch)


class OwnAnswers(Mapping[str, Answer]):
    """The answers by case id, computed once; the calls see copies of the inputs, as in grading."""

    def __init__(self, public: PublicHomework, namespace: dict[str, Any], around: Around) -> None:
        self._around = around
        self._homework = public.homework
        self._namespace = namespace
        self._calls: dict[str, Call] = {one.case.id: one.case.call for one in public.known}
        values = [task.value for task in public.homework.tasks if task.value is not None]
        self._calls |= {value_key(value): ValueRead(value) for value in values}
        self._found: dict[str, Answer] = {}
        self._too_slow: set[str] = set()

    def __getitem__(self, key: str) -> Answer:
        if key not in self._found:
            self._found[key] = self.ask([self._calls[key]])[0]
        return self._found[key]

    def __iter__(self) -> Iterator[str]:
        return iter(self._calls)

    def __len__(self) -> int:
        return len(self._calls)

    def ask(self, calls: Sequence[Call]) -> list[Answer]:
        """Make calls; a function that ran out of time once is not called again."""
        copies, as_torch = Copies(), self._homework.library == "torch"
        seconds = self._homework.limits.call_seconds
        with quiet(), self._around():
            asked = [copies.freeze(dict(call.as_mapping()), as_torch) for call in calls]
            outcomes = [attempt(one, self._namespace, copies, seconds, self._too_slow) for one in asked]
        return [read_answer(one) for one in outcomes]

    def facts(self) -> dict[str, FunctionFacts]:
        """What is known of the tasks' functions without calling them."""
        names = [task.name for task in self._homework.tasks]
        described = describe_functions(self._namespace, names)
        return {name: read_facts(facts) for name, facts in described.items()}

    def names(self) -> OwnNames:
        """The names that the student's code binds."""
        return read_names(self.ask([NAMES_READ])[0])


@contextmanager
def quiet() -> Iterator[None]:
    """Run code without its prints, and with nothing to read from the keyboard.

    Random generators and switches stay as they were.
    """
    restore, keyboard = states(), sys.stdin
    nowhere, sys.stdin = io.StringIO(), io.StringIO()  # not the same one, since ``exit()`` closes the latter
    try:
        with redirect_stdout(nowhere), redirect_stderr(nowhere):
            yield
    finally:
        sys.stdin = keyboard
        for put_back, state in restore:
            put_back(state)
