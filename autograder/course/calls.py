"""The calls that a case may ask the sandboxed worker to make, as records.

Those of a function, of a torch module and of an object stand in ``cases.py`` of homeworks. The others read what a
submission has defined, or repeat a call while something in the submission is different; explanations make them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from itertools import islice
from typing import Any, Self

from autograder.course.homework import ANSWERS
from autograder.worker.steps import DOT, titles_of
from autograder.worker.wire import Tensor

MOST_INPUTS = 1000
"""Steps of an object and their arguments, together."""


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
