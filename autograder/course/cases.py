"""Input cases: the calls that a submission is asked to make, with their arguments.

A homework's ``cases.py`` defines ``published()``, ``public(rng)``, ``hidden(rng)`` and ``fresh(rng)``, each
an iterator of ``Case``::

    def public(rng):
        yield Case("softmax/two-rows", FunctionCall("softmax", (rng.normal(size=(2, 3)),)))

The first three groups are stored with their expected outputs; fresh cases are drawn for each batch.
"""

from __future__ import annotations

import enum
import inspect
import math
import operator
import sys
import textwrap
import traceback
import zlib
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import islice
from pathlib import Path
from types import FunctionType, ModuleType
from typing import Any, Self

import numpy as np

from autograder.course.homework import ANSWERS, CourseError, Homework
from autograder.worker.composites import SEQUENCES, Composite, take_apart
from autograder.worker.steps import DOT, as_plain_data, titles_of
from autograder.worker.wire import Array, Tensor, Unsendable

CASES = "cases.py"
STORED_SEED = 20170612  # the month "Attention Is All You Need" appeared; any fixed number would do

OFFERED_TO_FUNCTIONS = {"np": np, "math": math}
"""Names of modules that a function of ``cases.py`` may use, as it is given to submissions."""
SENT_AS_THEY_ARE = frozenset({bool, int, float, str, type(None), Tensor})
SENDABLE = (
    "arguments are numbers, arrays, texts, None, lists, tuples, dictionaries, sets, tables "
    "of pandas, sparse arrays, `tensor(array)`, `generator(seed)` and `function(name)`"
)
NEVER_EXPECTED = ("NotImplementedError", "MemoryError", "RecursionError")
"""Exceptions of stubs, and of code that went wrong."""


MOST_INPUTS = 1000
"""Steps of an object and their arguments, together."""


class Group(enum.StrEnum):
    """The origin of a case, which decides who may see it."""

    PUBLISHED = "published"
    PUBLIC = "public"
    HIDDEN = "hidden"
    FRESH = "fresh"


@dataclass(frozen=True, eq=False)
class _CallWithArguments:
    """A call of a function or class, with the arguments that it takes."""

    name: str
    args: tuple[Any, ...]

    @property
    def inputs(self) -> tuple[Any, ...]:
        """All arguments in their order."""
        return self.args

    def with_inputs(self, inputs: Iterable[Any]) -> Self:
        """Return the call with other arguments in the same places."""
        return replace(self, args=tuple(inputs))


@dataclass(frozen=True, eq=False)
class FunctionCall(_CallWithArguments):
    """Call a function with positional arguments.

    Attributes:
        cotangent: also return the gradients of ``sum(output * cotangent)`` with respect to each argument
            ``Tensor`` that requires them; of a returned tuple, the last part is the output.
        trains: the name of a torch module of the submission; the state that the function has trained it to
            comes back with the answer (``worker/training.py``).
        memory_mb: a limit in MiB on the memory of the process from this call on, if the system can set one.
            It also holds for later calls of the same run, so make the call in a separate run.
        times: call the function so many times, each time with the same arguments: a generator among them goes
            on. The answer is the list of the results, so gradients and trained modules do not come with it.
        watched: with ``trains``, also return how the module was trained: losses, steps, and what outputs were
            compared with (``worker/facts/watching.py``). That takes longer, so it is for reasons alone.
    """

    cotangent: Tensor | None = None
    trains: str = ""
    memory_mb: int | None = None
    times: int = 1
    watched: bool = False

    def __post_init__(self) -> None:
        if self.times < 1:
            raise ValueError(
                f"times = {self.times!r}: a function is called at least once"
            )
        if self.times > 1 and (self.cotangent is not None or self.trains):
            raise ValueError(
                "times goes with neither cotangent nor trains: the answer is the list of the results; "
                "write a case of its own for the gradients, or for what is trained"
            )

    def as_mapping(self) -> Mapping[str, object]:
        """Return the call as the mapping that the worker reads."""
        mapping: dict[str, object] = {
            "op": "function",
            "name": self.name,
            "args": list(self.args),
        }
        if self.cotangent is not None:
            mapping["cotangent"] = self.cotangent
        if self.trains:
            mapping["trains"] = self.trains
        if self.watched:
            mapping["watched"] = True
        if self.memory_mb is not None:
            mapping["memory_mb"] = self.memory_mb
        if self.times != 1:
            mapping["times"] = self.times
        return mapping


@dataclass(frozen=True, eq=False)
class ModuleCall(_CallWithArguments):
    """Construct a torch module with positional arguments, load parameters into it, and call it on one input.

    Attributes:
        parameters: the values of the module's parameters, by the reference solution's names.
        cotangent: also return gradients, as for ``FunctionCall``.
        pieces: call the same module again on pieces of the input, with so many columns each; from the second
            piece on with the state that the call before returned after its output.
        noise: added to the learned parameters, because a new module may ignore parameters that are zero.
        state: put into the module unchanged, by the names that a function's ``trains`` returned.
        probed: also report what changes when the module's parameters, or the state between two pieces, are
            changed (``worker/probes.py``).
    """

    input: Tensor
    parameters: Mapping[str, Tensor] = field(default_factory=dict)
    training: bool = False
    cotangent: Tensor | None = None
    pieces: tuple[int, ...] = ()
    noise: float = 0.0
    state: Mapping[str, Tensor] = field(default_factory=dict)
    probed: bool = False

    def as_mapping(self) -> Mapping[str, object]:
        return {
            "op": "module",
            **vars(self),
            "args": list(self.args),
            "parameters": dict(self.parameters),
            "pieces": list(self.pieces),
            "state": dict(self.state),
        }


def read_call(mapping: Mapping[str, Any]) -> FunctionCall | ModuleCall | ObjectCall:
    """Return the call that ``as_mapping`` turned into a mapping."""
    fields = dict(mapping)
    fields["args"] = tuple(fields["args"])
    operation = fields.pop("op")
    if operation == "function":
        return FunctionCall(**fields)
    if operation == "object":
        return ObjectCall(**fields)
    fields["pieces"] = tuple(fields.get("pieces", ()))
    return ModuleCall(**fields)


@dataclass(frozen=True, eq=False)
class ObjectCall(_CallWithArguments):
    """Make an object of a class, and use it step by step; ``object_call`` writes one.

    Attributes:
        args: the arguments that the object is made with.
        steps: each the name of a method and its arguments, or a dot and the name of an attribute.
    """

    steps: tuple[tuple[Any, ...], ...]

    @property
    def inputs(self) -> tuple[Any, ...]:
        """All arguments in their order, the constructor's first."""
        inputs = list(self.args)
        for _, *step_arguments in self.steps:
            inputs += step_arguments
        return tuple(inputs)

    def name_of_input(self, index: int) -> str:
        """Name one of the inputs by its place in its step, as in "argument 1 of `step` number 2"."""
        counts = [len(self.args)]
        for step in self.steps:
            counts.append(len(step) - 1)
        titles = ["the constructor", *titles_of(self.steps)]
        for count, title in zip(counts, titles, strict=True):
            if index < count:
                return f"argument {index + 1} of {title}"
            index -= count
        return "an argument"  # only a worker that was tampered with names others

    @property
    def methods(self) -> list[str]:
        """The names of the methods that are called, each once."""
        names: dict[str, None] = {}
        for name, *_ in self.steps:
            if not name.startswith(DOT):
                names[name] = None
        return list(names)

    def with_inputs(self, inputs: Iterable[Any]) -> Self:
        """Return the call with other inputs in the same places."""
        remaining = iter(inputs)
        args = tuple(islice(remaining, len(self.args)))
        steps = []
        for name, *arguments in self.steps:
            other_arguments = islice(remaining, len(arguments))
            steps.append((name, *other_arguments))
        return replace(self, args=args, steps=tuple(steps))

    def as_mapping(self) -> Mapping[str, object]:
        return {"op": "object", **vars(self), "args": list(self.args)}


@dataclass(frozen=True)
class ValueRead:
    """Read a top-level variable of a submission, such as a notebook's result."""

    name: str
    op: str = "value"

    def as_mapping(self) -> Mapping[str, object]:
        return dict(vars(self))


ANSWERS_READ = ValueRead(ANSWERS, "answers")
"""Read the top-level dictionary of answers to theory questions."""
NAMES_READ = ValueRead("", "names")
"""List the names that a submission binds: a missing one may have been renamed."""


@dataclass(frozen=True, eq=False)
class _CallDuring:
    """A call while something in the submission is different."""

    call: Call

    @property
    def name(self) -> str:
        return self.call.name

    def as_mapping(self) -> Mapping[str, object]:
        return {**self.call.as_mapping(), **self._difference()}

    def _difference(self) -> Mapping[str, object]:
        """Return what the worker reads besides the call."""
        raise NotImplementedError


@dataclass(frozen=True, eq=False)
class ReboundCall(_CallDuring):
    """A call during which some global whole numbers of the submission have other values.

    A function that depends on such a global returns another answer then. ``seed`` is that of the call.
    """

    sizes: Mapping[str, int]
    seed: int = 0

    def _difference(self) -> Mapping[str, object]:
        return {"rebind": dict(self.sizes), "seed": self.seed}


@dataclass(frozen=True, eq=False)
class PassThroughCall(_CallDuring):
    """A call during which another function of the submission returns its first argument unchanged.

    If that function is its softmax, an attention function shows the scores that it hands to the softmax.
    """

    function: str

    def _difference(self) -> Mapping[str, object]:
        return {"pass_through": self.function}


@dataclass(frozen=True, eq=False)
class EditedCall(_CallDuring):
    """A call during which a function or class of the submission has another definition.

    Attributes:
        call: the call.
        function: the name of what is defined anew.
        definition: the text of the new definition.
        seconds: how long the call may take. A definition that is changed may loop without end.
    """

    function: str
    definition: str
    seconds: float = 0.3

    def _difference(self) -> Mapping[str, object]:
        return {
            "edited": [self.function, self.definition],
            "seconds": self.seconds,
        }


@dataclass(frozen=True, eq=False)
class SwitchedCall(_CallDuring):
    """A call just after another one, of a function that puts parts of the code in place.

    Attributes:
        call: the call.
        function: the name of that function.
        numbers: its arguments.
    """

    function: str
    numbers: tuple[int, ...]

    def _difference(self) -> Mapping[str, object]:
        return {"switch": [self.function, *self.numbers]}


@dataclass(frozen=True, eq=False)
class StrictCall(_CallDuring):
    """A call in which an invalid operation of NumPy, such as 0 times infinity, raises instead of giving NaN."""

    def _difference(self) -> Mapping[str, object]:
        return {"invalid": "raise"}


Call = (
    FunctionCall
    | ModuleCall
    | ObjectCall
    | ValueRead
    | ReboundCall
    | PassThroughCall
    | EditedCall
    | SwitchedCall
    | StrictCall
)


@dataclass(frozen=True, eq=False)
class Case:
    """A call, and the rules by which its answer is judged.

    Attributes:
        name: ``task/label``.
        call: the call to make.
        topic: the word by which a check picks cases: ``values``, ``large`` …
        tolerance: relative to the largest expected magnitude, or to 1 if that is smaller; None leaves it to
            the measured evidence.
        group: who may see the case.
        infinite: whether infinite entries are expected; otherwise they are taken for an overflow.
        expects: whether there is one right answer; if there are many, checks look at its properties.
        raises: the name of the exception that is the right answer, such as "ValueError".
    """

    name: str
    call: Call
    topic: str = "values"
    tolerance: float | None = None
    group: Group = Group.HIDDEN
    infinite: bool = False
    expects: bool = True
    raises: str = ""

    def __post_init__(self) -> None:
        if self.raises in NEVER_EXPECTED or not (self.raises or "E").isidentifier():
            raise ValueError(
                f"raises = {self.raises!r} is no exception that a case can expect; give a name such as "
                '"ValueError"'
            )

    @cached_property
    def id(self) -> str:
        """The case's unique name within its homework."""
        return f"{self.group}/{self.name}"

    @cached_property
    def task(self) -> str:
        return self.name.partition("/")[0]

    @property
    def label(self) -> str:
        return self.name.partition("/")[2]


def function_case(
    task: str, label: str, *arguments: Any, topic: str = "values"
) -> Case:
    """Return the case that calls a function with these arguments.

    Args:
        task: the function's name, which is the task's.
        label: what the case is called within its task.
        arguments: the positional arguments.
        topic: the word by which a check picks the case.
    """
    call = FunctionCall(task, arguments)
    return Case(f"{task}/{label}", call, topic)


def stored_cases(homework: Homework) -> list[Case]:
    """Return the published, public and hidden cases, drawn from a fixed seed.

    Raises:
        CourseError: ``cases.py`` is missing or wrong.
    """
    seeds = {
        Group.PUBLISHED: None,
        Group.PUBLIC: STORED_SEED,
        Group.HIDDEN: STORED_SEED,
    }
    return _drawn(homework, seeds)


def fresh_cases(homework: Homework, seed: int) -> list[Case]:
    """Return the cases of one batch, drawn from its seed; raises like ``stored_cases``."""
    return _drawn(homework, {Group.FRESH: seed})


def with_limits_of_tasks(homework: Homework, cases: Iterable[Case]) -> Homework:
    """Return the homework whose limits hold those of its tasks, by the functions that the tasks' cases call.

    A task's cases may call another function than its own. Of several tasks the longest limit holds.
    """
    usual = homework.limits.call_seconds
    seconds_of_task = {}
    for task in homework.tasks:
        seconds_of_task[task.name] = task.call_seconds or usual
    longest = dict(seconds_of_task)
    for case in cases:
        seconds = seconds_of_task.get(case.task, usual)
        earlier = longest.get(case.call.name, 0.0)
        longest[case.call.name] = max(seconds, earlier)
    unusual = {}
    for name, limit in longest.items():
        if limit != usual:
            unusual[name] = limit
    return replace(homework, limits=replace(homework.limits, of_functions=unusual))


def tensor(
    array: Array, *, requires_grad: bool = False, double: bool = False
) -> Tensor:
    """Return an argument that reaches the submission as a torch tensor: float32, or float64 if it is double."""
    dtype = np.float64 if double else np.float32
    return Tensor(np.asarray(array, dtype=dtype), requires_grad)


def generator(seed: int) -> Composite:
    """Return an argument that reaches the submission as ``np.random.default_rng(seed)``, new in each call."""
    return Composite("generator", {"seed": seed})


def function(definition: Callable[..., Any], *first: Any) -> Composite:
    """Return an argument that reaches the submission as a function of ``cases.py``.

    Its source is sent to the worker, and to students in public cases. It may use ``np``, ``math`` and what it
    imports itself.

    Args:
        definition: a function that is defined at the top level of ``cases.py``.
        first: its first arguments, which the submission does not give.

    Raises:
        CourseError: it has no source that runs by itself.
    """
    name = getattr(definition, "__name__", "?")
    is_plain = isinstance(definition, FunctionType) and definition.__qualname__ == name
    if not is_plain or not name.isidentifier():
        raise CourseError(
            f"function({name}): give a function that is defined with `def` at the top level of {CASES}"
        )
    used = inspect.getclosurevars(definition).globals
    for other, value in used.items():
        if OFFERED_TO_FUNCTIONS.get(other) is not value:
            raise CourseError(
                f"function({name}): it uses `{other}` of {CASES}, which is not sent with it; "
                "use only its arguments, `np`, `math` and what it imports itself"
            )
    source = textwrap.dedent(inspect.getsource(definition))
    parts = {"name": name, "source": source, "first": list(first)}
    return Composite("function", parts)


def object_call(name: str, *steps: Any) -> ObjectCall:
    """Return the call that makes an object of a class of the submission and uses it, step by step.

    The answer is what each method returned and each attribute held at that moment::

        object_call(
            "Momentum",
            (0.1, 0.9),              # the arguments that the object is made with
            ("step", gradient),      # call a method with its arguments
            ".velocity",             # look at an attribute
            ("step", other_gradient),
            ".velocity",
        )

    A method that returns the object itself counts as one that returns nothing. If a step raises what the case
    names in ``raises``, the steps after it are taken as well; so the state after an exception can be looked at.

    Args:
        name: the name of the class.
        steps: the arguments of the constructor as a tuple, then the steps, at least one.

    Raises:
        ValueError: a step is written in another way.
    """
    if len(steps) < 2 or not isinstance(steps[0], tuple):
        raise ValueError(
            f"object_call({name!r}): give the constructor's arguments as a tuple, such as (0.1, 0.9) or (), and "
            "then at least one step"
        )
    arguments, *written_steps = steps
    taken_steps: list[tuple[Any, ...]] = []
    for step in written_steps:
        is_attribute = isinstance(step, str) and step.startswith(DOT)
        if is_attribute:
            step = (step,)
        is_named = isinstance(step, tuple) and step and isinstance(step[0], str)
        if not is_named or not step[0].removeprefix(DOT).isidentifier():
            raise ValueError(
                f'object_call({name!r}): {repr(step)[:60]} is no step; write ("update", x) to call a method with '
                'its arguments, ("update",) to call it without, ".mean" to look at an attribute'
            )
        taken_steps.append(step)
    call = ObjectCall(name, arguments, tuple(taken_steps))
    titles = titles_of(call.steps)
    for title, count in Counter(titles).items():
        if count > 1:
            raise ValueError(
                f"object_call({name!r}): it looks at {title} more than once; once is enough"
            )
    if len(titles) + len(call.inputs) > MOST_INPUTS:
        raise ValueError(
            f"object_call({name!r}): at most {MOST_INPUTS} steps and arguments; take fewer steps"
        )
    return call


def load_module(path: Path) -> ModuleType:
    """Run one of the course's own files as a module.

    Raises:
        CourseError: it is missing or does not run; the message names the line.
    """
    if not path.is_file():
        raise CourseError(f"{path} is missing; every homework folder has one")
    module = ModuleType(f"_course_{path.parent.name}_{path.stem}")
    module.__file__ = str(path)
    sys.modules[module.__name__] = module  # dataclasses look up their module there
    with errors_named(path):
        source = path.read_text(encoding="utf-8")
        code = compile(source, str(path), "exec")
        exec(code, vars(module))
    return module


def function_of(module: ModuleType, name: str) -> Callable[..., Any]:
    """Return a function that a module of the course defines.

    Raises:
        CourseError: there is none.
    """
    function: Callable[..., Any] | None = getattr(module, name, None)
    if not callable(function):
        raise CourseError(f"{module.__file__} defines no function {name}()")
    return function


def _drawn(homework: Homework, seeds: Mapping[Group, int | None]) -> list[Case]:
    """Draw the cases of some groups from ``cases.py``; published cases need no seed."""
    path = homework.folder / CASES
    module = load_module(path)
    cases: dict[str, Case] = {}
    for group, seed in seeds.items():
        draw_group = function_of(module, group)
        arguments = []
        if seed is not None:
            # Each group of each homework has its own numbers.
            entropy = zlib.crc32(f"{homework.id}/{group}".encode())
            arguments.append(np.random.default_rng([seed, entropy]))
        with errors_named(path):
            drawn = list(draw_group(*arguments))
        for case in drawn:
            if not isinstance(case, Case):
                raise CourseError(
                    f"{path}: {group}() yields a {type(case).__name__}, not a Case"
                )
            case = replace(case, group=group, call=_with_arguments(case, path))
            homework.task(case.task)  # raises if there is no such task
            if case.id in cases:
                raise CourseError(f"{path}: two cases are named {case.id!r}")
            cases[case.id] = case
    return list(cases.values())


def _with_arguments(case: Case, path: Path) -> Call:
    """Return the call of a case with sets, tables and the like taken apart.

    Raises:
        CourseError: an argument cannot be sent to a submission.
    """
    call = case.call
    if not isinstance(call, FunctionCall | ModuleCall | ObjectCall):
        return call
    arguments = []
    for place, argument in enumerate(call.inputs):
        try:
            arguments.append(_sendable(argument))
        except TypeError as error:
            name = f"argument {place + 1}"
            if isinstance(call, ObjectCall):
                name = call.name_of_input(place)
            raise CourseError(
                f"{path}: case {case.name}: {name} is or holds {error}; {SENDABLE}"
            ) from None
    if all(map(operator.is_, arguments, call.inputs)):
        return call
    return call.with_inputs(arguments)


def _sendable(value: Any) -> Any:
    """Return an argument as it is sent: itself, unless something in it must be taken apart.

    Raises:
        TypeError: something in it cannot be sent; the message says what it is.
    """
    is_array = type(value) is np.ndarray and value.dtype.kind in "biuf"
    if is_array or type(value) in SENT_AS_THEY_ARE:
        return value
    if isinstance(value, np.random.Generator | np.random.RandomState):
        raise TypeError("a random generator: write `generator(seed)`")
    if isinstance(value, FunctionType):
        raise TypeError(f"a function: write `function({value.__name__})`")
    if isinstance(value, SEQUENCES):
        items = list(map(_sendable, value))
        if all(map(operator.is_, items, value)):
            return value
        if isinstance(value, list):
            return items
        return tuple(items)
    if isinstance(value, dict):
        values = list(map(_sendable, value.values()))
        if all(map(operator.is_, values, value.values())):
            return value
        return dict(zip(value, values, strict=True))
    composite = value if isinstance(value, Composite) else take_apart(value)
    if composite is not None:
        parts = {name: _sendable(part) for name, part in composite.parts.items()}
        return Composite(composite.kind, parts)
    sent = as_plain_data(value)
    if isinstance(sent, Unsendable):
        raise TypeError(sent.description)
    return value


@contextmanager
def errors_named(path: Path) -> Iterator[None]:
    """Turn every error of the course's own code into a ``CourseError`` with its file and line."""
    try:
        yield
    except CourseError:
        raise
    except Exception as error:
        raise CourseError(place_of(error, path)) from error


def place_of(error: Exception, path: Path) -> str:
    """Return a message about an error that a file of the course raised, with the line if it is known."""
    frames = traceback.extract_tb(error.__traceback__)
    place = str(path)
    for frame in frames:  # the innermost line of the file counts
        if frame.filename == str(path):
            place = f"{path}, line {frame.lineno}"
    if isinstance(error, SyntaxError) and error.filename == str(path):
        place = f"{path}, line {error.lineno}"
    return f"{place}: {type(error).__name__}: {error}"
