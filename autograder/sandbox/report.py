"""The report on one run, read from bytes that untrusted code has written.

Every part must be of exactly the type that the worker sends, so that nothing is iterated, converted or printed
that could be larger than the bytes that came: time and memory are linear in these.
"""

from __future__ import annotations

import enum
import math
import signal
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice
from typing import Any, TypeAlias

from autograder.errors import KitError
from autograder.language import say
from autograder.sandbox.request import (
    Request,
    SharedCalls,
    number_of_inputs,
)
from autograder.untrusted_text import for_report, name_for_report
from autograder.worker.composites import Composite
from autograder.worker.errors import (
    MAX_MESSAGE,
    MAX_SOURCE,
    MAX_TRACE,
    NO_ANSWER_EXIT,
    OUT_OF_MEMORY_EXIT,
)
from autograder.worker.facts.error_facts import KINDS
from autograder.worker.facts.globals_read import LARGEST_SIZE
from autograder.worker.facts.operands import MOST_OPERANDS
from autograder.worker.load import MOST_STOPS
from autograder.worker.wire import (
    MAX_DIMENSIONS,
    MAX_EXTENT,
    Shape,
    WireCall,
    WireError,
    unpack,
)


class Status(enum.StrEnum):
    """The status of one submission in one homework; the ones that need most attention come last."""

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
"""How many parameters, outside names and sizes of one function are read; all others are left out."""
MAX_ARGUMENTS = 1000
MAX_STEPS = 1000
MAX_PARAMETERS = 1000
MAX_HINT_PARTS = 4
MAX_HINT = 200
"""How many characters a part of a hint may have."""
MAX_INDEX = 1 << 63
MAX_NAME = 80
MAX_PARAMETER_NAME = 200
MAX_SHORT_TEXT = 100
MAX_COMPLAINT = 300
Answers: TypeAlias = "Mapping[str, Answer]"
MALFORMED = "the answer is malformed"
ENDED = "the code ended the process (exit status {})"
LOAD_STATUS = {"MemoryError": Status.MEMORY_LIMIT, "TimeLimit": Status.TIME_LIMIT}
"""The status of a submission that cannot be loaded, by the type of the exception."""
CPU_TOLERANCE = 0.3
"""How many seconds below the limit the measured time of a process that used up its processor time may be."""
SIGXCPU = 24
"""The number on Linux, for systems without this signal."""


class LayerRefusedError(KitError):
    """A layer of the chosen level did not load: nothing may be graded at this level on this machine."""


@dataclass(frozen=True)
class Operand:
    """An array in an expression that raised.

    Attributes:
        shape: its shape, None if unknown.
        argument: the number of the argument that it is, or is a view of; None for a computed array.
    """

    shape: Shape | None = None
    argument: int | None = None


@dataclass(frozen=True)
class IndexOutOfTable:
    """An index for which an ``nn.Embedding`` has no row.

    Attributes:
        array: the name of the array of indices.
        which: whether the index is the ``max`` or the ``min`` of the array.
        index: the index.
        table: the shape of the embedding's table.
    """

    array: str
    which: str
    index: int
    table: Shape


@dataclass(frozen=True)
class StudentError:
    """An exception of the student's code, with the place in the student's own file where it arose.

    The fields after ``trace`` are facts about it, which the worker reads from the frames where it arose.

    Attributes:
        type: the name of its type.
        message: its text.
        file: the student's file, or cell.
        line: the line in it.
        source: the text of the line.
        trace: the student's own frames.
        operands: the arrays that met there, in their order.
        shapes: the shapes of the arrays that the line names, or what kind of value a name has, by name.
        out_of_table: the index for which an ``nn.Embedding`` has no row.
        hint: what a missing name, key or argument may stand for: a kind of ``near_names`` and its values.
        step: the place of the step that raised it, where an object was used step by step.
    """

    type: str
    message: str = ""
    file: str | None = None
    line: int | None = None
    source: str = ""
    trace: str = ""
    operands: tuple[Operand, ...] = ()
    shapes: Mapping[str, Shape | str] = field(default_factory=dict, hash=False)
    out_of_table: IndexOutOfTable | None = None
    hint: tuple[str, ...] = ()
    step: int | None = None


@dataclass(frozen=True, eq=False)
class Answer:
    """The outcome of one call: a value, an error, or the fact that the name is not defined.

    Attributes:
        value: the returned value.
        error: the exception that ended the call.
        not_defined: the submission does not define the name.
        modified: positions of the arguments that the call changed.
        gradients: gradients by name, None if an output has none.
        parameters: shapes of a torch module's parameters, by name.
        unloaded: shapes of the parameters of a module into which the given ones could not be loaded.
        probes: changes of the output when parameters or a state were moved. As the worker writes them: their
            form is not checked here.
        trained: what the function has taught a module. As the worker writes it.
        steps: what came of all steps with an object, one of which raised ``error``.
        seconds: the processor time that the call took, as the worker says.
    """

    value: Any = None
    error: StudentError | None = None
    not_defined: bool = False
    modified: tuple[int, ...] = ()
    gradients: Any = None
    parameters: Mapping[str, Shape] = field(default_factory=dict)
    unloaded: Mapping[str, Shape] = field(default_factory=dict)
    probes: Any = None
    trained: Any = None
    steps: Any = None
    seconds: float = 0.0

    @property
    def is_cut(self) -> bool:
        """Whether the call ran out of time."""
        return self.error is not None and self.error.type == "TimeLimit"

    @property
    def is_usable(self) -> bool:
        """Whether there is a value to judge."""
        return self.error is None and not self.not_defined


@dataclass(frozen=True)
class FunctionFacts:
    """Facts about a function, which the worker found without calling it.

    Attributes:
        parameters: names of its positional parameters.
        globals_read: names outside of it whose data it reads.
        sizes: values of these names that are whole numbers.
    """

    parameters: tuple[str, ...] = ()
    globals_read: tuple[str, ...] = ()
    sizes: Mapping[str, int] = field(default_factory=dict)


@dataclass(frozen=True)
class Stop:
    """A cell, or a line of a file (``cell`` is None), that stopped while the code was loaded."""

    cell: int | None
    error: StudentError

    @property
    def subject(self) -> str:
        """The beginning of a sentence about it."""
        if self.cell is None:
            return say("Importing your file")
        return say("Cell {number}", number=self.cell)


@dataclass(frozen=True)
class RunReport:
    """One run of a submission.

    A run that ended in its second stage has the answers to the first, and all other facts from there.

    Attributes:
        status: how it ended.
        detail: explains the status to everybody, in fixed words.
        staff: explains it to the staff.
        answers: the answers in the order of the calls.
        load_error: the exception because of which nothing can be called.
        stops: what stopped while the code was loaded.
        functions: facts about the functions that were to be called, by name.
        output: printed text, for the staff.
        cpu_seconds: processor time, measured by the kernel.
        memory_mb: the most memory that it had, in MiB, measured by the kernel.
        layers: the sandbox's layers.
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

    def with_errors(self, change: Callable[[StudentError], StudentError]) -> RunReport:
        """Return the report with each of its exceptions changed."""
        answers = []
        for answer in self.answers:
            if answer.error is not None:
                answer = replace(answer, error=change(answer.error))
            answers.append(answer)
        stops = [replace(stop, error=change(stop.error)) for stop in self.stops]
        load_error = self.load_error
        if load_error is not None:
            load_error = change(load_error)
        return replace(
            self, answers=tuple(answers), stops=tuple(stops), load_error=load_error
        )


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
    """Turn the bytes and the ending of one run into a report; student data never makes it raise.

    Args:
        raw: the last answer that the process wrote.
        printed: what it printed.
        ending: how it ended.
        request: what it was asked.
        first: the report on the first of two stages; None if the process did not say that it was done.
    """
    output = printed[:MAX_OUTPUT_BYTES].decode("utf-8", "replace")
    measured: dict[str, Any] = {
        "output": for_report(output, MAX_OUTPUT_BYTES),
        "cpu_seconds": ending.cpu_seconds,
        "memory_mb": ending.memory_mb,
    }
    # A first stage that failed was not followed by a second.
    if first is not None and first.status is not Status.GRADED:
        return replace(first, **measured)
    status, detail = _status_of(ending, request, has_answer=bool(raw))
    later_calls = request.later_calls

    if status is Status.GRADED and first is None:
        report = read_answer_to_calls(raw, request)
        if later_calls is None or report.status is not Status.GRADED:
            return replace(report, **measured)
        # It wrote an answer to the first stage and left, before anything else could be asked.
        status = Status.CRASHED
        detail = ENDED.format(ending.exit)
    elif status is Status.GRADED and first is not None and later_calls is not None:
        second = read_answer_to_later_calls(raw, later_calls)
        return replace(in_two_stages(first, second), **measured)
    report = first or RunReport(status)
    return replace(report, status=status, detail=detail, **measured)


def read_answer_to_calls(raw: bytes, request: Request) -> RunReport:
    """Read the answer about a submission and its calls, without those of a second stage."""
    try:
        message = _typed(unpack(raw, max_header=MAX_TREE_BYTES), dict)
        most_stops = MOST_STOPS + len(request.code.cells or ())
        stops = [
            read_stop(stop) for stop in _counted(message["stops"], list, most_stops)
        ]
        functions = {}
        described = _counted(message["functions"], dict, len(request.calls))
        for name, facts in described.items():
            functions[name_for_report(name, MAX_NAME)] = read_facts(facts)
        if message["error"] is None:
            answers = _read_results(message, request.first_calls)
            return RunReport(
                Status.GRADED, answers=answers, stops=stops, functions=functions
            )
        error = read_error(message["error"])
        return RunReport(
            LOAD_STATUS.get(error.type, Status.IMPORT_FAILED),
            f"{error.type} on import",
            load_error=error,
            stops=stops,
            functions=functions,
        )
    except (LookupError, ValueError, ArithmeticError) as error:
        return _malformed(error)


def read_answer_to_later_calls(raw: bytes, calls: SharedCalls) -> RunReport:
    """Read the answer to the calls of a second stage."""
    try:
        message = _typed(unpack(raw, max_header=MAX_TREE_BYTES), dict)
        return RunReport(Status.GRADED, answers=_read_results(message, calls.calls))
    except (LookupError, ValueError, ArithmeticError) as error:
        return _malformed(error)


def in_two_stages(first: RunReport, second: RunReport) -> RunReport:
    """Return the report on both stages: all facts about the code itself are from the first."""
    status = second.status
    # A second stage loads the code only if it was run again in a new process. The code loaded before.
    if second.load_error is not None:
        status = Status.CRASHED
    return replace(
        second,
        status=status,
        answers=[*first.answers, *second.answers],
        load_error=None,
        stops=first.stops,
        functions=first.functions,
    )


def _read_results(
    message: Mapping[str, Any], calls: Sequence[WireCall]
) -> list[Answer]:
    results = _typed(message["results"], list)
    if len(results) != len(calls):
        raise WireError(f"{len(results)} answers for {len(calls)} calls")
    answers = []
    for result, call in zip(results, calls, strict=True):
        answer = read_answer(result)
        if answer.modified:
            # A forged report may name inputs that the call does not have.
            count = number_of_inputs(call)
            modified = [index for index in answer.modified if index < count]
            answer = replace(answer, modified=tuple(modified))
        answers.append(answer)
    return answers


def _malformed(error: Exception) -> RunReport:
    complaint = for_report(f"{MALFORMED}: {error}", MAX_COMPLAINT)
    return RunReport(Status.INVALID_ANSWER, MALFORMED, complaint)


def _status_of(
    ending: Ending, request: Request, *, has_answer: bool
) -> tuple[Status, str]:
    """Return the status of a run by its ending, and the sentence that explains it."""
    limits = request.limits
    if ending.late:
        return Status.TIME_LIMIT, f"stopped after {request.seconds:g} s"
    # At the soft limit of processor time the kernel sends SIGXCPU, at the hard one SIGKILL.
    cpu_seconds = limits.cpu_seconds + request.more_seconds
    is_used_up = ending.cpu_seconds > cpu_seconds - CPU_TOLERANCE
    was_warned = ending.exit == -getattr(signal, "SIGXCPU", SIGXCPU)
    if was_warned or (ending.exit == -9 and is_used_up):
        # The soft limit is lower than this where calls did not use the time that they had on top.
        if was_warned and request.more_seconds and ending.cpu_seconds:
            cpu_seconds = round(ending.cpu_seconds)
        detail = f"stopped after {cpu_seconds:g} s of processor time"
        return Status.TIME_LIMIT, detail
    if ending.exit < 0:
        number = -ending.exit
        name = f"signal {number}"
        if number in set(signal.Signals):
            name = signal.Signals(number).name
        return Status.CRASHED, f"killed by {name}"
    if ending.exit == OUT_OF_MEMORY_EXIT:
        return Status.MEMORY_LIMIT, f"used more than {limits.memory_mb} MiB of memory"
    if ending.exit == NO_ANSWER_EXIT:
        detail = f"the results could not be written (limit {limits.answer_mb} MiB)"
        return Status.INVALID_ANSWER, detail
    if ending.exit or not has_answer:
        return Status.CRASHED, ENDED.format(ending.exit)
    return Status.GRADED, ""


def read_facts(facts: Any) -> FunctionFacts:
    """Read the worker's description of one function.

    Raises:
        WireError: the worker could not have written this.
        LookupError: a part is missing.
    """
    parts = _typed(facts, dict)
    sizes = {}
    claimed_sizes = _typed(parts["sizes"], dict)
    for name, size in islice(claimed_sizes.items(), MAX_FACTS):
        sizes[name_for_report(name, MAX_NAME)] = _whole(size, LARGEST_SIZE)
    return FunctionFacts(
        parameters=_read_names(parts["parameters"]),
        globals_read=_read_names(parts["globals_read"]),
        sizes=sizes,
    )


def _read_names(names: Any) -> tuple[str, ...]:
    read = []
    for name in _typed(names, list)[:MAX_FACTS]:
        read.append(name_for_report(_typed(name, str), MAX_NAME))
    return tuple(read)


def read_stop(stop: Any) -> Stop:
    """Read the worker's description of a stopped statement or cell.

    Raises:
        WireError: the worker could not have written this.
        LookupError: a part is missing.
    """
    cell = _typed(stop, dict)["cell"]
    return Stop(_whole_or_none(cell, MAX_LINE), read_error(stop))


def read_error(error: Any) -> StudentError:
    """Read the worker's description of an exception.

    Raises:
        WireError: the worker could not have written this.
        LookupError: a part is missing.
    """
    parts = _typed(error, dict)
    file = parts.get("file")
    if file is not None:
        file = name_for_report(_typed(file, str), MAX_SHORT_TEXT)
    operands = [
        _read_operand(operand)
        for operand in _counted(parts.get("operands", []), list, MOST_OPERANDS)
    ]
    shapes = {}
    named = _counted(parts.get("shapes", {}), dict, MOST_OPERANDS)
    for name, shape in named.items():
        shapes[name_for_report(_typed(name, str), MAX_NAME)] = _read_shape_or_kind(
            shape
        )
    hint = []
    for part in _counted(parts.get("hint", []), list, MAX_HINT_PARTS):
        hint.append(for_report(_typed(part, str), MAX_HINT))
    return StudentError(
        type=name_for_report(_typed(parts["type"], str), MAX_SHORT_TEXT),
        message=for_report(_typed(parts["message"], str), MAX_MESSAGE),
        file=file,
        line=_whole_or_none(parts["line"], MAX_LINE),
        source=for_report(_typed(parts.get("source", ""), str), MAX_SOURCE),
        trace=for_report(_typed(parts.get("trace", ""), str), MAX_TRACE),
        operands=tuple(operands),
        shapes=shapes,
        out_of_table=_read_out_of_table(parts.get("out_of_table")),
        hint=tuple(hint),
        step=_whole_or_none(parts.get("step"), MAX_STEPS),
    )


def _read_operand(operand: Any) -> Operand:
    parts = _typed(operand, dict)
    shape = parts["shape"]
    if shape is not None:
        shape = _read_shape(shape)
    return Operand(shape, _whole_or_none(parts["argument"], MAX_ARGUMENTS))


def _read_shape(shape: Any) -> Shape:
    sizes = _typed(shape, list, tuple)
    sizes = _counted(sizes, type(sizes), MAX_DIMENSIONS)
    return tuple(_whole(size, MAX_EXTENT) for size in sizes)


def _read_shape_or_kind(shape: Any) -> Shape | str:
    """Read the shape of an array, or the words for the kind of another value."""
    if type(shape) is not str:
        return _read_shape(shape)
    return _one_of(shape, KINDS.values())


def _read_out_of_table(fact: Any) -> IndexOutOfTable | None:
    if fact is None:
        return None
    parts = _typed(fact, dict)
    index = _typed(parts["index"], int)
    if not -MAX_INDEX <= index <= MAX_INDEX:
        raise WireError("an index is out of range")
    return IndexOutOfTable(
        array=name_for_report(_typed(parts["array"], str), MAX_NAME),
        which=_one_of(_typed(parts["which"], str), ("max", "min")),
        index=index,
        table=_read_shape(parts["table"]),
    )


def read_answer(result: Any) -> Answer:
    """Read the outcome of one call.

    Raises:
        WireError: the worker could not have written this.
        LookupError: a part is missing.
        ValueError: a size is not a number.
    """
    parts = _typed(result, dict)
    seconds = float(_typed(parts["seconds"], float, int))
    if not (math.isfinite(seconds) and seconds >= 0):
        raise WireError("a call took an impossible time")
    if "not_defined" in parts:
        return Answer(not_defined=True, seconds=seconds)
    shapes = {}
    if "parameters" in parts:
        shapes = _read_shapes(parts["parameters"])
    if "error" in parts:
        error = read_error(parts["error"])
        steps = _typed(parts.get("steps"), Composite, type(None))
        return Answer(error=error, steps=steps, unloaded=shapes, seconds=seconds)
    modified = [
        _whole(position, MAX_ARGUMENTS)
        for position in _counted(parts["modified"], list, MAX_ARGUMENTS)
    ]
    return Answer(
        value=parts["value"],
        modified=tuple(modified),
        gradients=_typed(parts.get("gradients"), dict, type(None)),
        parameters=shapes,
        probes=_typed(parts.get("probes"), dict, type(None)),
        trained=_typed(parts.get("trained"), dict, type(None)),
        seconds=seconds,
    )


def _read_shapes(texts: Any) -> dict[str, Shape]:
    """Read shapes by name; each was sent as a text such as "3 4", which is quicker to read than a list."""
    shapes = {}
    for name, text in _counted(texts, dict, MAX_PARAMETERS).items():
        # Cut after one word too many, which is enough to refuse it.
        words = _typed(text, str).split(maxsplit=MAX_DIMENSIONS)
        sizes = []
        for word in _counted(words, list, MAX_DIMENSIONS):
            sizes.append(_whole(int(word), MAX_EXTENT))
        shapes[name_for_report(name, MAX_PARAMETER_NAME)] = tuple(sizes)
    return shapes


def _typed(value: Any, *kinds: type) -> Any:
    """Return a value whose type is exactly one of these: neither an array nor ``True`` passes for a number."""
    if type(value) not in kinds:
        raise WireError(
            f"a value of type {type(value).__name__} in place of {kinds[0].__name__}"
        )
    return value


def _counted(value: Any, kind: type, most: int) -> Any:
    """Return a list or dictionary that has no more items than allowed."""
    if len(_typed(value, kind)) > most:
        raise WireError(f"{len(value)} items where there may be {most}")
    return value


def _one_of(text: str, words: Iterable[str]) -> str:
    """Return a text that is one of these words."""
    if text not in words:
        raise WireError("a word that is not in its list")
    return text


def _whole(number: Any, limit: int) -> int:
    """Return a whole number that is not negative and not beyond a limit."""
    if not 0 <= _typed(number, int) <= limit:
        raise WireError("a number is out of range")
    return int(number)


def _whole_or_none(number: Any, limit: int) -> int | None:
    if number is None:
        return None
    return _whole(number, limit)
