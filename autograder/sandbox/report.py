"""The report on one run, and how it is read: everything in it was written by untrusted code."""

from __future__ import annotations

import enum
import math
import re
import signal
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice
from typing import Any, TypeAlias

from autograder.errors import KitError
from autograder.sandbox.request import Limits, Request, SharedCalls
from autograder.worker.errors import NO_ANSWER_EXIT, OUT_OF_MEMORY_EXIT
from autograder.worker.globals_read import LARGEST_SIZE
from autograder.worker.load import MOST_STOPS
from autograder.worker.wire import MAX_DIMENSIONS, MAX_EXTENT, WireError, unpack


class Status(enum.StrEnum):
    """The status of one submission in one homework; those that need most attention come last."""

    GRADED = "graded"
    NOT_SUBMITTED = "not_submitted"
    IMPORT_FAILED = "import_failed"
    INVALID_ANSWER = "invalid_answer"
    CRASHED = "crashed"
    MEMORY_LIMIT = "memory_limit"
    TIME_LIMIT = "time_limit"
    INFRASTRUCTURE_ERROR = "infrastructure_error"

    @property
    def is_our_fault(self) -> bool:
        """Whether the score stays blank and the submission must be graded again."""
        return self is Status.INFRASTRUCTURE_ERROR


MAX_OUTPUT_BYTES = 65536
MAX_TREE_BYTES = 4 << 20
MAX_LINE = 10**8
MAX_FACTS = 50
"""How many parameters, outside names and sizes of one function are read; the rest is left out."""
MAX_ARGUMENTS = 50
MAX_PARAMETERS = 1000
MAX_OPERANDS = 4
Answers: TypeAlias = "Mapping[str, Answer]"
MALFORMED = "the answer is malformed"
ENDED = "the code ended the process (exit status {})"
# Control characters, halves of surrogate pairs, and marks that change the direction of writing.
_INVISIBLE = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ud800-\udfff]"
)
LOAD_STATUS = {"MemoryError": Status.MEMORY_LIMIT, "TimeLimit": Status.TIME_LIMIT}


class LayerRefusedError(KitError):
    """A layer of the chosen level did not load: nothing may be graded at this level here."""


@dataclass(frozen=True)
class Operand:
    """An array in an expression that raised: its shape, and the number of the argument that it is a view of.

    The shape is None where it is unknown, the argument for an array that was computed.
    """

    shape: tuple[int, ...] | None = None
    argument: int | None = None


@dataclass(frozen=True)
class StudentError:
    """An exception of the student's code, with the place in the student's own file where it arose.

    ``operands`` are the arrays that met there, in their order.
    """

    type: str
    message: str = ""
    file: str | None = None
    line: int | None = None
    source: str = ""
    trace: str = ""
    operands: tuple[Operand, ...] = ()


@dataclass(frozen=True, eq=False)
class Answer:
    """The outcome of one call: a value, an error, or the news that the name is not defined.

    ``parameters`` are the shapes of a torch module's parameters, by name; ``unloaded`` are those of a module
    into which the given ones could not be loaded. ``probes`` is what changed when parameters or a state were
    moved, ``trained`` what the function has taught a module; both as the worker writes them, in any form.
    """

    value: Any = None
    error: StudentError | None = None
    not_defined: bool = False
    modified: tuple[int, ...] = ()
    gradients: Any = None
    parameters: Mapping[str, tuple[int, ...]] = field(default_factory=dict)
    unloaded: Mapping[str, tuple[int, ...]] = field(default_factory=dict)
    probes: Any = None
    trained: Any = None
    seconds: float = 0.0

    @property
    def is_usable(self) -> bool:
        """Whether there is a value to judge."""
        return self.error is None and not self.not_defined


@dataclass(frozen=True)
class FunctionFacts:
    """What the worker saw of a function without calling it.

    ``sizes`` holds those of the outside names that are whole numbers, with their values.
    """

    parameters: tuple[str, ...] = ()
    globals_read: tuple[str, ...] = ()
    sizes: Mapping[str, int] = field(default_factory=dict)


@dataclass(frozen=True)
class Stop:
    """What stopped while the code was loaded: a cell, or with ``cell`` None a line of a file."""

    cell: int | None
    error: StudentError

    @property
    def subject(self) -> str:
        """What it is, as the beginning of a sentence."""
        return "Importing your file" if self.cell is None else f"Cell {self.cell}"


@dataclass(frozen=True)
class RunReport:
    """One run of a submission: its status, its answers in the order of the calls, and what it printed.

    ``detail`` explains the status to everybody, in fixed words; ``staff`` and ``output`` are for the staff.
    Of a run that ended in its second stage there are the answers to the first, and all else that this told.
    """

    status: Status
    detail: str = ""
    staff: str = ""
    answers: Sequence[Answer] = ()
    load_error: StudentError | None = None
    stops: Sequence[Stop] = ()
    functions: Mapping[str, FunctionFacts] = field(default_factory=dict)
    output: str = ""
    cpu_seconds: float = 0.0
    memory_mb: int = 0
    layers: tuple[str, ...] = ()


@dataclass(frozen=True)
class Ending:
    """How the process ended, as the kernel reported it."""

    exit: int = 0
    late: bool = False
    cpu_seconds: float = 0.0
    memory_mb: int = 0


def read_report(
    raw: bytes,
    printed: bytes,
    ending: Ending,
    request: Request,
    first: RunReport | None = None,
) -> RunReport:
    """Turn the bytes and the ending of one run into a report; never raise for what a student sent.

    Args:
        raw: the last answer that the process wrote.
        printed: what it printed.
        ending: how it ended.
        request: what it was asked.
        first: the report on the first of two stages; None where the process said nothing of having done it.
    """
    measured: dict[str, Any] = {
        "output": visible(
            printed[:MAX_OUTPUT_BYTES].decode("utf-8", "replace"), MAX_OUTPUT_BYTES
        ),
        "cpu_seconds": ending.cpu_seconds,
        "memory_mb": ending.memory_mb,
    }
    if (
        first is not None and first.status is not Status.GRADED
    ):  # it was given no second stage
        return replace(first, **measured)
    status, detail = _status_of(ending, request.limits, bool(raw))
    if status is Status.GRADED and first is None:
        report = read_answer_to_calls(raw, request)
        if request.later_calls is None or report.status is not Status.GRADED:
            return replace(report, **measured)
        # It wrote an answer to the first stage and left, before anything else could be asked.
        status, detail = Status.CRASHED, ENDED.format(ending.exit)
    elif (
        first is not None
        and status is Status.GRADED
        and request.later_calls is not None
    ):
        second = read_answer_to_later_calls(raw, request.later_calls)
        return replace(in_two_stages(first, second), **measured)
    return replace(first or RunReport(status), status=status, detail=detail, **measured)


def read_answer_to_calls(raw: bytes, request: Request) -> RunReport:
    """Read what a process wrote about a submission and its calls, those of a second stage excepted.

    Every part must be of exactly the type that the worker sends, so that nothing is iterated, converted or
    printed that could be larger than the bytes that came: time and memory are linear in these.
    """
    try:
        message = _typed(unpack(raw, max_header=MAX_TREE_BYTES), dict)
        stops = _counted(
            message["stops"], list, MOST_STOPS + len(request.code.cells or ())
        )
        functions = _counted(message["functions"], dict, len(request.calls))
        shaped: dict[str, Any] = {
            "stops": [read_stop(stop) for stop in stops],
            "functions": {
                plain(name, 80): read_facts(facts) for name, facts in functions.items()
            },
        }
        if message["error"] is not None:
            error = read_error(message["error"])
            status = LOAD_STATUS.get(error.type, Status.IMPORT_FAILED)
            return RunReport(
                status, f"{error.type} on import", load_error=error, **shaped
            )
        return RunReport(
            Status.GRADED, answers=_read_results(message, len(request.calls)), **shaped
        )
    except (LookupError, ValueError, ArithmeticError) as error:
        return _malformed(error)


def read_answer_to_later_calls(raw: bytes, calls: SharedCalls) -> RunReport:
    """Read what a process wrote about the calls of its second stage."""
    try:
        message = _typed(unpack(raw, max_header=MAX_TREE_BYTES), dict)
        return RunReport(Status.GRADED, answers=_read_results(message, len(calls)))
    except (LookupError, ValueError, ArithmeticError) as error:
        return _malformed(error)


def in_two_stages(first: RunReport, second: RunReport) -> RunReport:
    """Return the report on both stages: all that is told of the code itself is from the first."""
    status = second.status
    if (
        second.load_error is not None
    ):  # only where the second stage had to be run anew, by itself
        status = Status.CRASHED
    return replace(
        second,
        status=status,
        answers=[*first.answers, *second.answers],
        load_error=None,
        stops=first.stops,
        functions=first.functions,
    )


def _read_results(message: Mapping[str, Any], calls: int) -> list[Answer]:
    results = _typed(message["results"], list)
    if len(results) != calls:
        raise WireError(f"{len(results)} answers for {calls} calls")
    return [read_answer(result) for result in results]


def _malformed(error: Exception) -> RunReport:
    return RunReport(
        Status.INVALID_ANSWER, MALFORMED, visible(f"{MALFORMED}: {error}", 300)
    )


def _status_of(ending: Ending, limits: Limits, has_answer: bool) -> tuple[Status, str]:
    if ending.late:
        return Status.TIME_LIMIT, f"stopped after {limits.seconds:g} s"
    used_up = ending.cpu_seconds > limits.cpu_seconds - 0.3
    if ending.exit == -getattr(signal, "SIGXCPU", 24) or (
        ending.exit == -9 and used_up
    ):
        return (
            Status.TIME_LIMIT,
            f"stopped after {limits.cpu_seconds:g} s of processor time",
        )
    if ending.exit < 0:
        known = -ending.exit in set(signal.Signals)
        name = signal.Signals(-ending.exit).name if known else f"signal {-ending.exit}"
        return Status.CRASHED, f"killed by {name}"
    if ending.exit == OUT_OF_MEMORY_EXIT:
        return Status.MEMORY_LIMIT, f"used more than {limits.memory_mb} MiB of memory"
    if ending.exit == NO_ANSWER_EXIT:
        return (
            Status.INVALID_ANSWER,
            f"the results could not be written (limit {limits.answer_mb} MiB)",
        )
    if ending.exit or not has_answer:
        return Status.CRASHED, ENDED.format(ending.exit)
    return Status.GRADED, ""


def read_facts(facts: Any) -> FunctionFacts:
    """Read what the worker saw of one function."""
    parts = _typed(facts, dict)
    parameters, read = (
        tuple(
            plain(_typed(name, str), 80)
            for name in _typed(parts[part], list)[:MAX_FACTS]
        )
        for part in ("parameters", "globals_read")
    )
    sizes = islice(_typed(parts["sizes"], dict).items(), MAX_FACTS)
    sizes_by_name = {
        plain(name, 80): _whole(size, LARGEST_SIZE) for name, size in sizes
    }
    return FunctionFacts(parameters, read, sizes_by_name)


def read_stop(stop: Any) -> Stop:
    """Read the worker's description of what stopped."""
    cell = _typed(stop, dict)["cell"]
    return Stop(None if cell is None else _whole(cell, MAX_LINE), read_error(stop))


def read_error(error: Any) -> StudentError:
    """Read the worker's description of an exception."""
    parts = _typed(error, dict)
    line, file = parts["line"], parts.get("file")
    return StudentError(
        type=plain(_typed(parts["type"], str), 100),
        message=visible(_typed(parts["message"], str), 2000),
        file=None if file is None else plain(_typed(file, str), 100),
        line=None if line is None else _whole(line, MAX_LINE),
        source=visible(_typed(parts.get("source", ""), str), 200),
        trace=visible(_typed(parts.get("trace", ""), str), 4000),
        operands=tuple(
            map(_read_operand, _counted(parts.get("operands", []), list, MAX_OPERANDS))
        ),
    )


def _read_operand(operand: Any) -> Operand:
    parts = _typed(operand, dict)
    shape, argument = parts["shape"], parts["argument"]
    sizes = (
        []
        if shape is None
        else _counted(_typed(shape, list, tuple), type(shape), MAX_DIMENSIONS)
    )
    return Operand(
        shape=None
        if shape is None
        else tuple(_whole(size, MAX_EXTENT) for size in sizes),
        argument=None if argument is None else _whole(argument, MAX_ARGUMENTS),
    )


def read_answer(result: Any) -> Answer:
    """Read the outcome of one call."""
    parts = _typed(result, dict)
    seconds = float(_typed(parts["seconds"], float, int))
    if not (math.isfinite(seconds) and seconds >= 0):
        raise WireError("a call took an impossible time")
    if "not_defined" in parts:
        return Answer(not_defined=True, seconds=seconds)
    shapes = {}  # each was sent as a text such as "3 4", which is quicker to read than a list
    for name, shape in _counted(
        parts.get("parameters", {}), dict, MAX_PARAMETERS
    ).items():
        sizes = _counted(
            _typed(shape, str).split(maxsplit=MAX_DIMENSIONS), list, MAX_DIMENSIONS
        )
        shapes[plain(name, 200)] = tuple(
            _whole(int(size), MAX_EXTENT) for size in sizes
        )
    if "error" in parts:
        return Answer(
            error=read_error(parts["error"]), unloaded=shapes, seconds=seconds
        )
    return Answer(
        value=parts["value"],
        modified=tuple(
            _whole(i, MAX_ARGUMENTS)
            for i in _counted(parts["modified"], list, MAX_ARGUMENTS)
        ),
        gradients=_typed(parts.get("gradients"), dict, type(None)),
        parameters=shapes,
        probes=_typed(parts.get("probes"), dict, type(None)),
        trained=_typed(parts.get("trained"), dict, type(None)),
        seconds=seconds,
    )


def _typed(value: Any, *kinds: type) -> Any:
    """A value whose type is exactly one of these: neither an array nor ``True`` passes for a number."""
    if type(value) not in kinds:
        raise WireError(
            f"a value of type {type(value).__name__} in place of {kinds[0].__name__}"
        )
    return value


def _counted(value: Any, kind: type, most: int) -> Any:
    if len(_typed(value, kind)) > most:
        raise WireError(f"{len(value)} items where there may be {most}")
    return value


def _whole(number: Any, limit: int) -> int:
    """A whole number from untrusted code, not negative and not beyond a limit."""
    if not 0 <= _typed(number, int) <= limit:
        raise WireError("a number is out of range")
    return int(number)


def visible(text: object, length: int) -> str:
    """Text from untrusted code, cut, with every invisible character but tabs and line ends replaced."""
    return _INVISIBLE.sub("?", str(text)[:length].replace("\r\n", "\n"))


def plain(text: object, length: int) -> str:
    """A short name from untrusted code, cut and freed of control characters."""
    return re.sub(r"[^\w .,:()\[\]'-]", "?", str(text)[:length])


def escaped(text: str, keep: str = "") -> str:
    """Return a text whose unprintable characters, except those to keep, are written as Python escapes.

    No name and no word of a submission moves the cursor, breaks a line or turns the direction of reading.
    """
    return "".join(c if c.isprintable() or c in keep else repr(c)[1:-1] for c in text)
