"""A student's answers in the student's own process: each call is made when a check asks for it."""

from __future__ import annotations

import contextlib
import io
import random
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import replace
from typing import Any, NoReturn

import numpy as np

from autograder.course.calls import NAMES_READ, Call, ValueRead
from autograder.sandbox.report import (
    Answer,
    FunctionFacts,
    StudentError,
    read_answer,
    read_facts,
)
from autograder.student.homework import PublicHomework
from autograder.untrusted_text import for_screen
from autograder.verdict.failure import LEAST_SHARE_OF_A_LOOP, WAITED, as_waited
from autograder.verdict.interface import value_key
from autograder.verdict.names import DefinedNames, read_names
from autograder.worker.errors import describe_error, name_limit
from autograder.worker.facts.globals_read import describe_functions
from autograder.worker.runner import attempt
from autograder.worker.steps import as_plain_data

Around = Callable[..., AbstractContextManager[None]]
"""Opens what surrounds the code; an argument is the seconds that calls have on top of the limit of a run."""
LoadedAnew = Callable[[], AbstractContextManager[dict[str, Any] | None]]
"""Loads the code once more and opens its names; None where that takes long, or comes to another end."""
MOST_PRINTED = 2000
"""How many bytes of what a call prints are kept."""
MOST_OF_A_RUN = 10
"""So many calls are made under one limit of time; a search for reasons makes hundreds."""
LEFT_BY_HAND = {"BdbQuit", "Exit"}
"""What quitting a debugger raises, Python's or that of pytest."""


class Clock:
    """Measures since it was made whether the code ran all the time, or hardly at all."""

    def __init__(self) -> None:
        self._started = time.perf_counter()
        self._processor_started = time.process_time()

    def has_waited(self) -> bool:
        """Return whether so little processor time was used that it does not tell a loop from a busy machine."""
        seconds = time.perf_counter() - self._started
        processor_seconds = time.process_time() - self._processor_started
        return processor_seconds < LEAST_SHARE_OF_A_LOOP * seconds


class Printed(io.BytesIO):
    """The beginning of what is printed: no loop fills the memory."""

    def write(self, data: Any) -> int:
        room = max(0, MOST_PRINTED - self.tell())
        super().write(bytes(data)[:room])
        return len(data)

    def close(self) -> None:
        """Stay readable when the student's code closes its output."""

    @property
    def text(self) -> str:
        """The text, where nothing moves the cursor or changes a colour."""
        text = self.getvalue().decode("utf-8", "ignore")
        return for_screen(text.replace("\r\n", "\n"), "\n")


class Copies:
    """Freezes a value as the wall between a worker and the grader would: a copy, as plain data."""

    def freeze(self, value: object, as_torch: bool = False) -> Any:
        return as_plain_data(value, as_torch)


class OwnAnswers(Mapping[str, Answer]):
    """The answers by case id, computed once; the calls see copies of the inputs, as in grading.

    ``output`` is what the calls of cases printed, and ``raised`` the first exception of each task's function.
    With ``live``, the calls have the screen, the keyboard, and all the time that a debugger takes. ``loaded_anew``
    loads the code once more.
    """

    def __init__(
        self,
        public: PublicHomework,
        namespace: dict[str, Any],
        around: Around,
        live: bool = False,
        loaded_anew: LoadedAnew | None = None,
    ) -> None:
        self.output: dict[str, str] = {}
        self.raised: dict[str, BaseException] = {}
        self._around = around
        self._live = live
        self._loaded_anew = loaded_anew
        self._public = public
        self._homework = public.homework
        self._namespace = namespace
        self._calls: dict[str, Call] = {}
        for known in public.known:
            self._calls[known.case.id] = known.case.call
        for task in public.homework.tasks:
            if task.value is not None:
                self._calls[value_key(task.value)] = ValueRead(task.value)
        self._answers: dict[str, Answer] = {}
        self._too_slow: set[str] = set()
        self._waited: set[str] = set()

    def __getitem__(self, key: str) -> Answer:
        if key not in self._answers:
            [self._answers[key]] = self.ask([self._calls[key]], key)
        return self._answers[key]

    def __iter__(self) -> Iterator[str]:
        return iter(self._calls)

    def __len__(self) -> int:
        return len(self._calls)

    def ask(self, calls: Sequence[Call], case_id: str = "") -> list[Answer]:
        """Make calls; a function that ran out of time once is not called again.

        Only calls of cases are live, and only what these raise is shown: others try what may be wrong.
        """
        if len(calls) > MOST_OF_A_RUN:
            # A run has one limit for all its calls, which ends the whole process.
            answers_of_runs: list[Answer] = []
            for start in range(0, len(calls), MOST_OF_A_RUN):
                answers_of_runs += self.ask(
                    calls[start : start + MOST_OF_A_RUN], case_id
                )
            return answers_of_runs
        copies = Copies()
        as_torch = self._homework.library == "torch"
        live = self._live and bool(case_id)
        limits = self._homework.limits
        more_seconds = limits.more_seconds(call.name for call in calls)
        answers = []
        requests = []  # as in grading, the arguments of all calls of a run live side by side
        with quiet(live) as printed, self._around(more_seconds):
            for call in calls:
                request = copies.freeze(dict(call.as_mapping()), as_torch)
                requests.append(request)
                name = str(request["name"])

                def describe(
                    error: BaseException,
                    name: str = name,
                    is_edited: bool = "edited" in request,
                ) -> dict[str, object]:
                    if case_id:
                        self.raised.setdefault(name, error)
                    if is_edited:
                        return name_limit(error)
                    return describe_error(error)

                clock = Clock()
                was_cut_before = name in self._too_slow
                outcome = attempt(
                    request,
                    self._namespace,
                    copies,
                    request.get("seconds", limits.of_call(name)),
                    self._too_slow,
                    describe,
                )
                answer = read_answer(outcome)
                if name in self._too_slow and not was_cut_before and clock.has_waited():
                    self._waited.add(name)
                if name in self._waited and answer.error is not None:
                    answer = replace(answer, error=as_waited(answer.error, WAITED))
                answers.append(answer)
        if case_id and printed.text:
            self.output[case_id] = printed.text
        if live:
            end_where_left(answer.error for answer in answers)
        return answers

    def ask_anew(self, calls: Sequence[Call]) -> list[Answer]:
        """Make calls of the same code, loaded anew so that nothing was called before; else of the code as it is."""
        if self._loaded_anew is None or self._live:
            return self.ask(calls)
        with self._loaded_anew() as namespace:
            if namespace is not None:
                anew = OwnAnswers(self._public, namespace, self._around)
                return anew.ask(calls)
        return self.ask(calls)

    def facts(self) -> dict[str, FunctionFacts]:
        """What is known of the tasks' functions without calling them."""
        names = [task.name for task in self._homework.tasks]
        described = describe_functions(self._namespace, names)
        return {name: read_facts(facts) for name, facts in described.items()}

    def names(self) -> DefinedNames:
        """The names that the student's code binds."""
        return read_names(self.ask([NAMES_READ])[0])


def end_where_left(errors: Iterable[StudentError | None]) -> None:
    """End more than the code where somebody has quit a debugger, as Ctrl-C does."""
    for error in errors:
        if error is not None and error.type in LEFT_BY_HAND:
            raise KeyboardInterrupt


def states_of_switches() -> list[tuple[Callable[[Any], object], Any]]:
    """Return the switches that ``worker.runner.reset`` sets: the function that sets each, and its value now."""
    states: list[tuple[Callable[[Any], object], Any]] = [
        (random.setstate, random.getstate()),
        (lambda errors: np.seterr(**errors), np.geterr()),
    ]
    numpy_random = sys.modules.get("numpy.random")
    if numpy_random is not None:
        states.append((numpy_random.set_state, numpy_random.get_state()))
    torch = sys.modules.get("torch")
    if torch is not None:
        states.append((torch.set_rng_state, torch.get_rng_state()))
        states.append((torch.set_grad_enabled, torch.is_grad_enabled()))
        states.append((torch.set_default_dtype, torch.get_default_dtype()))
    return states


@contextmanager
def quiet(live: bool = False) -> Iterator[Printed]:
    """Run code with its prints kept, nothing to read from the keyboard, and no breakpoints.

    With ``live``, the screen and the keyboard are those of this process. Random generators and switches
    stay as they were. Ctrl-C ends more than the code, though that may catch what it raises.
    """
    saved_states = states_of_switches()
    printed = Printed()
    interrupts: list[int] = []

    def interrupt(number: int, frame: object) -> NoReturn:
        interrupts.append(number)
        raise KeyboardInterrupt

    has_signals = threading.current_thread() is threading.main_thread()
    former = signal.signal(signal.SIGINT, interrupt) if has_signals else None
    before = sys.stdin, sys.stdout, sys.stderr, sys.breakpointhook
    output = io.TextIOWrapper(printed, "utf-8", "backslashreplace")
    if not live:
        sys.stdin = io.TextIOWrapper(io.BytesIO())
        sys.stdout = output
        sys.stderr = output
        sys.breakpointhook = lambda *args, **kwargs: None
    try:
        yield printed
    finally:
        if not live:
            sys.stdin, sys.stdout, sys.stderr, sys.breakpointhook = before
        with contextlib.suppress(ValueError):  # it may be closed or detached
            output.flush()
        for put_back, state in saved_states:
            put_back(state)
        if has_signals:
            signal.signal(signal.SIGINT, former or signal.SIG_DFL)
    if interrupts:
        raise KeyboardInterrupt
