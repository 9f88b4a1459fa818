"""The parsed and shaped result of one run; everything in it was written by untrusted code."""

from __future__ import annotations

import math
import re
import signal
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from autograder.sandbox.request import Limits
from autograder.sandbox.status import Status
from autograder.worker.errors import NO_ANSWER_EXIT, OUT_OF_MEMORY_EXIT
from autograder.worker.rebind import LARGEST_SIZE
from autograder.worker.wire import MAX_EXTENT, WireError, unpack

MAX_OUTPUT_BYTES = 65536
MAX_TREE_BYTES = 4 << 20
MAX_LINE = 10**8
LOAD_STATUS = {"MemoryError": Status.MEMORY_LIMIT, "TimeLimit": Status.TIME_LIMIT}


@dataclass(frozen=True)
class StudentError:
    """An exception of the student's code, with the place in the student's own file where it arose."""

    type: str
    message: str = ""
    file: str | None = None
    line: int | None = None
    source: str = ""
    trace: str = ""


@dataclass(frozen=True, eq=False)
class Answer:
    """What one call brought: a value, or an error, or the news that the name is not defined."""

    value: Any = None
    error: StudentError | None = None
    not_defined: bool = False
    modified: tuple[int, ...] = ()
    gradients: Any = None
    parameters: Mapping[str, tuple[int, ...]] = field(default_factory=dict)
    seconds: float = 0.0

    @property
    def is_usable(self) -> bool:
        """Whether there is a value to judge."""
        return self.error is None and not self.not_defined


@dataclass(frozen=True)
class FunctionFacts:
    """What the worker saw of a function without calling it.

    ``sizes`` are those of the outside names read that are whole numbers, with their values.
    """

    parameters: tuple[str, ...] = ()
    globals_read: tuple[str, ...] = ()
    sizes: Mapping[str, int] = field(default_factory=dict)


@dataclass(frozen=True)
class CellFailure:
    """A notebook cell that raised, and what it raised."""

    cell: int
    error: StudentError


@dataclass(frozen=True)
class RunReport:
    """One run of a submission: its status, its answers in the order of the calls, and what it printed."""

    status: Status
    detail: str = ""
    answers: Sequence[Answer] = ()
    load_error: StudentError | None = None
    failed_cells: Sequence[CellFailure] = ()
    functions: Mapping[str, FunctionFacts] = field(default_factory=dict)
    output: str = ""
    cpu_seconds: float = 0.0
    memory_mb: int = 0
    layers: tuple[str, ...] = ()


@dataclass(frozen=True)
class Ending:
    """How the process ended, as the kernel told it."""

    exit: int = 0
    late: bool = False
    cpu_seconds: float = 0.0
    memory_mb: int = 0


def read_report(raw: bytes, printed: bytes, ending: Ending, limits: Limits, calls: int) -> RunReport:
    """Turn the bytes and the ending of one run into a report; never raises for what a student sent."""
    output = visible(printed[:MAX_OUTPUT_BYTES].decode("utf-8", "replace"), MAX_OUTPUT_BYTES)
    status, detail = _status_of(ending, limits, bool(raw))
    measured: dict[str, Any] = {
        "output": output,
        "cpu_seconds": ending.cpu_seconds,
        "memory_mb": ending.memory_mb,
    }
    if status is not Status.GRADED:
        return RunReport(status, detail, **measured)
    try:
        return _shape(unpack(raw, max_header=MAX_TREE_BYTES), calls, measured)
    except (LookupError, TypeError, ValueError, AttributeError, ArithmeticError) as error:
        return RunReport(Status.INVALID_ANSWER, plain(f"the answer is malformed ({error})", 300), **measured)


def _status_of(ending: Ending, limits: Limits, has_answer: bool) -> tuple[Status, str]:
    if ending.late:
        return Status.TIME_LIMIT, f"stopped after {limits.seconds:g} s"
    used_up = ending.cpu_seconds > limits.cpu_seconds - 0.3
    if ending.exit == -getattr(signal, "SIGXCPU", 24) or (ending.exit == -9 and used_up):
        return Status.TIME_LIMIT, f"stopped after {limits.cpu_seconds:g} s of processor time"
    if ending.exit < 0:
        return Status.CRASHED, f"killed by {_signal_name(-ending.exit)}"
    if ending.exit == OUT_OF_MEMORY_EXIT:
        return Status.MEMORY_LIMIT, f"used more than {limits.memory_mb} MiB of memory"
    if ending.exit == NO_ANSWER_EXIT:
        return Status.INVALID_ANSWER, f"the results could not be written (limit {limits.answer_mb} MiB)"
    if ending.exit or not has_answer:
        return Status.CRASHED, f"the code ended the process (exit status {ending.exit})"
    return Status.GRADED, ""


def _signal_name(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"


def _shape(message: Any, calls: int, measured: dict[str, Any]) -> RunReport:
    cells = [CellFailure(int(c["cell"]), read_error(c)) for c in message["failed_cells"]]
    functions = {str(name): read_facts(facts) for name, facts in message["functions"].items()}
    shaped: dict[str, Any] = {"failed_cells": cells, "functions": functions, **measured}
    if message["error"] is not None:
        error = read_error(message["error"])
        status = LOAD_STATUS.get(error.type, Status.IMPORT_FAILED)
        return RunReport(status, f"{error.type} on import", load_error=error, **shaped)
    answers = [read_answer(result) for result in message["results"]]
    if len(answers) != calls:
        raise WireError(f"{len(answers)} answers for {calls} calls")
    return RunReport(Status.GRADED, answers=answers, **shaped)


def read_facts(facts: Any) -> FunctionFacts:
    """Shape what the worker saw of one function."""
    return FunctionFacts(
        tuple(plain(name, 80) for name in facts["parameters"]),
        tuple(plain(name, 80) for name in facts["globals_read"]),
        {plain(name, 80): _whole(size, LARGEST_SIZE) for name, size in facts["sizes"].items()},
    )


def read_error(error: Any) -> StudentError:
    """Shape the worker's description of an exception."""
    line = error["line"]
    return StudentError(
        type=plain(error["type"], 100),
        message=visible(error["message"], 2000),
        file=plain(error["file"], 100) if error.get("file") else None,
        line=_whole(line, MAX_LINE) if line is not None else None,
        source=visible(error.get("source", ""), 200),
        trace=visible(error.get("trace", ""), 4000),
    )


def read_answer(result: Any) -> Answer:
    """Shape the outcome of one call."""
    seconds = float(result["seconds"])
    if not (math.isfinite(seconds) and seconds >= 0):
        raise WireError(f"a call took {seconds} seconds")
    if "not_defined" in result:
        return Answer(not_defined=True, seconds=seconds)
    if "error" in result:
        return Answer(error=read_error(result["error"]), seconds=seconds)
    return Answer(
        value=result["value"],
        modified=tuple(int(index) for index in result["modified"]),
        gradients=result.get("gradients"),
        parameters=_shapes(result.get("parameters", {})),
        seconds=seconds,
    )


def _shapes(parameters: Any) -> dict[str, tuple[int, ...]]:
    """Shapes by name, each of them a text such as "3 4": a text is quicker to read than a list."""
    return {
        plain(name, 200): tuple(_whole(size, MAX_EXTENT) for size in shape.split())
        for name, shape in parameters.items()
    }


def _whole(number: Any, limit: int) -> int:
    """A whole number from untrusted code, not negative and not beyond a limit."""
    if not 0 <= int(number) <= limit:
        raise WireError("a number is out of range")
    return int(number)


def visible(text: object, length: int) -> str:
    """A text from untrusted code, cut and freed of all that is no visible character, tab or line end."""
    return _INVISIBLE.sub("?", str(text)[:length].replace("\r\n", "\n"))


# Control characters, halves of surrogate pairs, and marks that turn the direction of writing.
_INVISIBLE = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ud800-\udfff]")


def plain(text: object, length: int) -> str:
    """A short name from untrusted code, cut and freed of control characters."""
    return re.sub(r"[^\w .,:()\[\]'-]", "?", str(text))[:length]
