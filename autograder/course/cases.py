"""Input cases: which calls are made with which arguments. A homework's ``cases.py`` yields them.

``cases.py`` defines ``published()``, ``public(rng)``, ``hidden(rng)`` and ``fresh(rng)``, each an iterator
of ``Case``. The first three are stored with their expected outputs; fresh cases are drawn for each batch.
"""

from __future__ import annotations

import enum
import sys
import traceback
import zlib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np

from autograder.course.homework import ANSWERS, CourseError, Homework
from autograder.worker.wire import Array, Tensor

CASES = "cases.py"
STORED_SEED = 20170612  # the month "Attention Is All You Need" appeared; any fixed number would do


class Group(enum.StrEnum):
    """Where a case comes from and who may see it."""

    PUBLISHED = "published"
    PUBLIC = "public"
    HIDDEN = "hidden"
    FRESH = "fresh"


@dataclass(frozen=True, eq=False)
class FunctionCall:
    """Call a function by position; with a ``cotangent``, also take gradients.

    Gradients are those of ``sum(output * cotangent)`` with respect to each argument ``Tensor`` that
    requires them; of a returned tuple, the last part is the output.

    ``trains`` names a torch module of the submission: what the function has taught it comes back with the
    answer (``worker/training.py``).

    With ``memory_mb``, the process may take only so many MiB from the call on, where the system can limit it.
    This holds for what the same run calls later, too, so make the call in a run of its own.
    """

    name: str
    args: tuple[Any, ...]
    cotangent: Tensor | None = None
    trains: str = ""
    memory_mb: int | None = None

    def as_mapping(self) -> Mapping[str, object]:
        """Return the call in the worker's form."""
        mapping: dict[str, object] = {
            "op": "function",
            "name": self.name,
            "args": list(self.args),
        }
        if self.cotangent is not None:
            mapping["cotangent"] = self.cotangent
        if self.trains:
            mapping["trains"] = self.trains
        if self.memory_mb is not None:
            mapping["memory_mb"] = self.memory_mb
        return mapping


@dataclass(frozen=True, eq=False)
class ModuleCall:
    """Construct a torch module by position, load parameters into it, and call it on one input.

    With ``pieces``, the same module is then called on pieces of the input, of so many columns each, and from
    the second on with the state that the last call returned after its output. ``noise`` is added to what
    is learned, for a new module may ignore what it has set to zero. ``state`` is put into the module as it
    is, by the names that a function's ``trains`` came back with. With ``probed``, the answer also says what
    changes when the module's parameters, or the state between two pieces, are moved (``worker/probes.py``).
    """

    name: str
    args: tuple[Any, ...]
    input: Tensor
    parameters: Mapping[str, Tensor] = field(default_factory=dict)
    training: bool = False
    cotangent: Tensor | None = None
    pieces: tuple[int, ...] = ()
    noise: float = 0.0
    state: Mapping[str, Tensor] = field(default_factory=dict)
    probed: bool = False

    def as_mapping(self) -> Mapping[str, object]:
        copied = {
            "args": list(self.args),
            "parameters": dict(self.parameters),
            "pieces": list(self.pieces),
            "state": dict(self.state),
        }
        return {"op": "module", **vars(self), **copied}


def read_call(mapping: Mapping[str, Any]) -> FunctionCall | ModuleCall:
    """Return the call that ``as_mapping`` described."""
    fields: dict[str, Any] = {**mapping, "args": tuple(mapping["args"])}
    fields |= {"pieces": tuple(mapping["pieces"])} if "pieces" in mapping else {}
    kinds: dict[str, type[FunctionCall | ModuleCall]] = {
        "function": FunctionCall,
        "module": ModuleCall,
    }
    return kinds[fields.pop("op")](**fields)


@dataclass(frozen=True)
class ValueRead:
    """Read a top-level value that a notebook leaves behind."""

    name: str
    op: str = "value"

    def as_mapping(self) -> Mapping[str, object]:
        return dict(vars(self))


ANSWERS_READ = ValueRead(ANSWERS, "answers")
"""Read the top-level dictionary of answers to theory questions."""
NAMES_READ = ValueRead("", "names")
"""List the names that a submission binds, for one that is missing may be there under another."""


@dataclass(frozen=True, eq=False)
class ReboundCall:
    """A call with whole numbers of the submission's own names bound to others while it runs, and its seed."""

    call: Call
    sizes: Mapping[str, int]
    seed: int = 0

    @property
    def name(self) -> str:
        return self.call.name

    def as_mapping(self) -> Mapping[str, object]:
        return {**self.call.as_mapping(), "rebind": dict(self.sizes), "seed": self.seed}


@dataclass(frozen=True, eq=False)
class PassThroughCall:
    """A call during which another function of the submission returns its first argument as it is.

    With its softmax named, an attention function shows the scores that it hands to the softmax.
    """

    call: FunctionCall
    function: str

    @property
    def name(self) -> str:
        return self.call.name

    def as_mapping(self) -> Mapping[str, object]:
        return {**self.call.as_mapping(), "pass_through": self.function}


Call = FunctionCall | ModuleCall | ValueRead | ReboundCall | PassThroughCall


@dataclass(frozen=True, eq=False)
class Case:
    """One call and what it is for.

    ``name`` is ``task/label``. ``topic`` lets a check pick cases (``values``, ``large`` …). ``tolerance`` is
    relative to the largest expected magnitude, but never below that of 1; None leaves it to the evidence.
    ``infinite`` says that infinite entries are expected; without it they are taken for an overflow.
    Where many answers are right, a case ``expects`` nothing: checks look at what the answer has to be like.
    """

    name: str
    call: Call
    topic: str = "values"
    tolerance: float | None = None
    group: Group = Group.HIDDEN
    infinite: bool = False
    expects: bool = True

    @property
    def id(self) -> str:
        """The case's unique name within its homework."""
        return f"{self.group}/{self.name}"

    @property
    def task(self) -> str:
        return self.name.partition("/")[0]


def stored_cases(homework: Homework) -> list[Case]:
    """Return the cases drawn from the fixed seed; ``CourseError`` where ``cases.py`` is missing or wrong."""
    return _drawn(
        homework,
        {Group.PUBLISHED: None, Group.PUBLIC: STORED_SEED, Group.HIDDEN: STORED_SEED},
    )


def fresh_cases(homework: Homework, seed: int) -> list[Case]:
    """Return the cases of one batch, drawn from its seed; raises as ``stored_cases``."""
    return _drawn(homework, {Group.FRESH: seed})


def tensor(array: Array, *, requires_grad: bool = False) -> Tensor:
    """Say that an argument is a float32 torch tensor."""
    return Tensor(np.asarray(array, dtype=np.float32), requires_grad)


def load_module(path: Path) -> ModuleType:
    """Run one of the course's own files as a module; ``CourseError`` where it is missing or does not run."""
    if not path.is_file():
        raise CourseError(f"{path} is missing; every homework folder has one")
    module = ModuleType(f"_course_{path.parent.name}_{path.stem}")
    module.__file__ = str(path)
    sys.modules[module.__name__] = module  # dataclasses look their module up there
    with errors_named(path):
        exec(compile(path.read_text(encoding="utf-8"), str(path), "exec"), vars(module))
    return module


def _drawn(homework: Homework, seeds: Mapping[Group, int | None]) -> list[Case]:
    """Return what ``cases.py`` yields for these groups; all but the published cases are drawn by a seed."""
    path = homework.folder / CASES
    module = load_module(path)
    cases: dict[str, Case] = {}
    for group, seed in seeds.items():
        maker = getattr(module, group, None)
        if not callable(maker):
            raise CourseError(f"{path} defines no function {group}()")
        entropy = zlib.crc32(f"{homework.id}/{group}".encode())
        arguments = () if seed is None else (np.random.default_rng([seed, entropy]),)
        with errors_named(path):
            drawn = list(maker(*arguments))
        for one in drawn:
            if not isinstance(one, Case):
                raise CourseError(
                    f"{path}: {group}() yields a {type(one).__name__}, not a Case"
                )
            case = replace(one, group=group)
            homework.task(case.task)
            if case.id in cases:
                raise CourseError(f"{path}: two cases are named {case.id!r}")
            cases[case.id] = case
    return list(cases.values())


@contextmanager
def errors_named(path: Path) -> Iterator[None]:
    """Turn whatever the course's own code raises into a ``CourseError`` with its file and line."""
    try:
        yield
    except CourseError:
        raise
    except Exception as error:
        raise CourseError(place_of(error, path)) from error


def place_of(error: Exception, path: Path) -> str:
    """Say what a file of the course raised, and in which of its lines."""
    frames = traceback.extract_tb(error.__traceback__)
    lines = [frame.lineno for frame in frames if frame.filename == str(path)]
    if isinstance(error, SyntaxError) and error.filename == str(path):
        lines.append(error.lineno)
    where = f", line {lines[-1]}" if lines else ""
    return f"{path}{where}: {type(error).__name__}: {error}"
