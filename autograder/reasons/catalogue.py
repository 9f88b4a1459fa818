"""The misconceptions of a homework, as ``misconceptions.toml`` lists them, each an edit of the solution.

An edit replaces an exact text inside one function, or the function's whole body. The solution with the edits
of a misconception is its mutant.
"""

from __future__ import annotations

import ast
import difflib
import fnmatch
import itertools
import re
import textwrap
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Annotated, Any

from msgspec import Meta, field

from autograder.course.homework import CourseError, Homework
from autograder.course.schema import Record, Text, Texts, read_toml, typed

CATALOGUE = "misconceptions.toml"
HELPERS = "helpers"
MOST_PLACES = 5
Replacements = Annotated[
    dict[str, tuple[tuple[str, str], ...]],
    Meta(
        description="for each function a list of [text in the solution, text in its place]"
    ),
]
Bodies = Annotated[
    dict[str, Text], Meta(description="for each function a text that is not blank")
]


@dataclass(frozen=True, order=True)
class Edit:
    """The characters from ``start`` to ``end`` of a solution's text become ``new``."""

    start: int
    end: int
    new: str

    def clashes(self, other: Edit) -> bool:
        """Whether both change the same characters, each in its own way."""
        return self != other and self.start < other.end and other.start < self.end


@dataclass(frozen=True)
class Misconception:
    """One known mistake, or one form of it, whose ``id`` is then ``mistake/form``.

    ``says`` is the sentence for the student: what the code does and what the formula asks, never the
    solution. ``edits`` are what it changes in the reference solution, ``tasks`` where that shows.
    ``excludes`` names misconceptions that are not looked for together with this one, ``alone`` all of them.
    ``about_size`` says that a size is fixed: where the code reads a size from outside the function, naming
    what it reads is the better reason. ``by_exception`` says that the exception it raises proves the mistake,
    whatever the code would do after it.
    """

    id: str
    tasks: tuple[str, ...]
    says: str
    edits: frozenset[Edit] = frozenset()
    excludes: frozenset[str] = frozenset()
    alone: bool = False
    about_size: bool = False
    by_exception: bool = False

    def goes_with(self, other: Misconception) -> bool:
        """Whether both can be made, and told, together; not where one makes all edits of the other."""
        apart = (
            self.alone
            or other.alone
            or other.id in self.excludes
            or self.id in other.excludes
        )
        clash = any(
            one.clashes(another) for one in self.edits for another in other.edits
        )
        return not (
            apart or clash or self.edits <= other.edits or other.edits <= self.edits
        )


@dataclass(frozen=True)
class Definition:
    """A function or class of a solution, and where in the text it stands.

    The text from ``start`` to ``end`` is its lines, decorators included. That from ``header`` to ``code`` is
    its docstring with the comments below it.
    """

    node: ast.FunctionDef | ast.ClassDef
    start: int
    header: int
    code: int
    end: int

    def holds(self, edit: Edit) -> bool:
        """Whether the edit changes it."""
        return self.start <= edit.start < self.end


@dataclass(frozen=True)
class Solution:
    """A homework's reference solution, and ``helpers``: functions below it that only mutants use."""

    path: Path
    text: str
    helpers: str = ""

    @property
    def whole(self) -> str:
        """The text that is edited."""
        return f"{self.text}\n\n{self.helpers.strip()}\n" if self.helpers else self.text

    @cached_property
    def definitions(self) -> Mapping[str, Definition]:
        """All functions and classes; a method is named ``Class.method``."""
        lengths = [len(line) + 1 for line in self.whole.split("\n")]
        begins = [
            0,
            *itertools.accumulate(lengths, initial=0),
        ]  # the first line has the number 1

        def found(
            body: Iterable[ast.stmt], prefix: str = ""
        ) -> Iterator[tuple[str, Definition]]:
            for node in body:
                if isinstance(node, ast.FunctionDef | ast.ClassDef):
                    top = min(one.lineno for one in (node, *node.decorator_list))
                    end = begins[(node.end_lineno or node.lineno) + 1] - 1
                    has_docstring = (
                        ast.get_docstring(node) is not None and len(node.body) > 1
                    )
                    code = node.body[1 if has_docstring else 0].lineno
                    header = begins[node.body[0].lineno]
                    yield (
                        prefix + node.name,
                        Definition(node, begins[top], header, begins[code], end),
                    )
                if isinstance(node, ast.ClassDef):
                    yield from found(node.body, f"{prefix}{node.name}.")

        try:
            return dict(found(ast.parse(self.whole).body))
        except SyntaxError as error:
            raise CourseError(
                f"{self.path}, with the helpers of its mistakes: {error}"
            ) from error

    @cached_property
    def parts(self) -> Mapping[str, Definition]:
        """The functions and classes of the module itself."""
        return {name: one for name, one in self.definitions.items() if "." not in name}

    def parameters(self, name: str) -> tuple[str, ...]:
        """Return the names of a function's arguments; of a class those of its constructor and ``forward``."""
        found = (
            self.definitions.get(one)
            for one in (name, f"{name}.__init__", f"{name}.forward")
        )
        nodes = (one.node for one in found if one is not None)
        given = (node.args.args for node in nodes if isinstance(node, ast.FunctionDef))
        return tuple(
            one.arg for arguments in given for one in arguments if one.arg != "self"
        )

    def matching(self, pattern: str) -> list[str]:
        """Return the functions that a pattern such as ``self_attention_*`` means; ``ValueError`` for none."""
        found = fnmatch.filter(self.definitions, pattern)
        if not found:
            raise ValueError(
                f"{self.path.name} has no {pattern}; it has {', '.join(self.definitions)}"
            )
        return found

    def replace(self, function: str, old: str, new: str) -> Edit:
        """Return the edit that puts ``new`` for a text that occurs once in the function's code.

        Its docstring and the comments between docstring and code are not searched.

        Raises:
            ValueError: the text does not occur there exactly once.
        """
        one = self.definitions[function]
        overlapping = re.compile(f"(?={re.escape(old)})")
        found = [
            match.start()
            for match in overlapping.finditer(self.whole, one.start, one.end)
        ]
        places = [place for place in found if not one.header <= place < one.code]
        if len(places) != 1:
            where = f"the code of {function} ({self.path.name}, line {one.node.lineno})"
            times = f"occurs {len(places)} times in {where}, and must occur there exactly once"
            raise ValueError(f"{old!r} {times}; {self._help_with(one, old, places)}")
        return Edit(places[0], places[0] + len(old), new)

    def _help_with(self, one: Definition, old: str, places: Sequence[int]) -> str:
        """Say where the text occurs, or what comes nearest to it."""
        first = self.whole.count("\n", 0, one.code) + 1
        if places:
            numbers = dict.fromkeys(
                str(self.whole.count("\n", 0, place) + 1) for place in places
            )
            lines = ", ".join([*numbers][:MOST_PLACES])
            return f"it is in line {lines}: take more of the text around it"
        found = [line.strip() for line in self.whole[one.code : one.end].split("\n")]
        shares = [
            difflib.SequenceMatcher(None, old.strip(), line).ratio() for line in found
        ]
        nearest = max(range(len(found)), key=shares.__getitem__)
        return f"line {first + nearest} comes nearest: {found[nearest]!r}"

    def replace_body(self, function: str, body: str) -> Edit:
        """Return the edit that gives the function another body; its docstring stays."""
        one = self.definitions[function]
        margin = " " * one.node.body[0].col_offset
        return Edit(
            one.code,
            one.end,
            textwrap.indent(textwrap.dedent(body).strip("\n"), margin),
        )

    def edited(self, edits: Collection[Edit]) -> str:
        """Return the text of a module that makes the edits; it has helpers only where they are edited."""
        edits_helpers = any(edit.start >= len(self.text) for edit in edits)
        return _edited(self.whole if edits_helpers else self.text, edits)

    def edited_parts(self, edits: Collection[Edit]) -> Iterator[str]:
        """Yield the new text of each function or class of the module that the edits change."""
        for one in self.parts.values():
            own = [*filter(one.holds, edits)]
            if own:
                yield _edited(self.whole[: one.end], own)[one.start :]

    def reached_by(self, edits: Collection[Edit]) -> set[str]:
        """Return the functions and classes of the module that the edits change, and all that use them."""
        reached = {
            name for name, one in self.parts.items() if any(map(one.holds, edits))
        }
        while (
            more := {name for name, used in self._uses.items() if used & reached}
            - reached
        ):
            reached |= more
        return reached

    @cached_property
    def _uses(self) -> Mapping[str, set[str]]:
        within = {name: ast.walk(one.node) for name, one in self.parts.items()}
        return {
            name: {n.id for n in nodes if isinstance(n, ast.Name)}
            for name, nodes in within.items()
        }


def _edited(text: str, edits: Iterable[Edit]) -> str:
    """Make the edits from the last one to the first: none moves the place of another."""
    for edit in sorted(edits, reverse=True):
        text = text[: edit.start] + edit.new + text[edit.end :]
    return text


@dataclass(frozen=True)
class Catalogue:
    """The misconceptions of a homework by their ids, and the solution that they are edits of."""

    solution: Solution
    mistakes: Mapping[str, Misconception]

    def edits_of(self, labels: Iterable[str]) -> set[Edit]:
        """Return all edits of these misconceptions; ``CourseError`` where there is no such one."""
        try:
            return {edit for label in labels for edit in self.mistakes[label].edits}
        except KeyError as error:
            raise CourseError(
                f"{self.solution.path.parent / CATALOGUE} has no mistake {error}"
            ) from error


class _Entry(Record):
    says: Text
    edits: Replacements = field(default_factory=dict)
    body: Bodies = field(default_factory=dict)
    tasks: Texts | None = None
    excludes: Texts = ()
    alone: bool = False
    about_size: bool = False
    by_exception: bool = False


def read_catalogue(homework: Homework) -> tuple[Misconception, ...]:
    """Read a homework's misconceptions; a homework without the file has none.

    Raises:
        CourseError: the file is malformed, or an edit does not fit the solution.
    """
    return tuple(read_edits(homework).mistakes.values())


def read_edits(homework: Homework) -> Catalogue:
    """Read a homework's misconceptions together with the solution that they edit, as ``read_catalogue``.

    Those of a drill are its homework's.
    """
    homework = homework.base or homework
    path = homework.folder / CATALOGUE
    if not homework.solution.is_file():
        raise CourseError(
            f"{homework.solution} is missing: mistakes are edits of the reference solution"
        )
    entries = read_toml(path, dict[str, Any]) if path.is_file() else {}
    helpers = (
        typed(entries.pop(HELPERS), Text, str(path), HELPERS)
        if HELPERS in entries
        else ""
    )
    solution = Solution(
        homework.solution, homework.solution.read_text(encoding="utf-8"), helpers
    )
    lines = path.read_text(encoding="utf-8").split("\n") if entries else []
    mistakes = {}
    for name, values in entries.items():
        heads = (f"[{name}]", f'["{name}"]')
        line = next(
            (number for number, one in enumerate(lines, 1) if one.strip() in heads), 1
        )
        place = f"{path}, line {line}"
        entry = typed(values, _Entry, place, name)
        try:
            mistakes[name] = _misconception(name, entry, solution, homework)
        except ValueError as error:
            raise CourseError(f"{place}: {error}") from error
        for other in sorted(mistakes[name].excludes - set(entries)):
            raise CourseError(
                f"{place}: {name}.excludes: {other!r} is not in this file"
            )
    return Catalogue(solution, mistakes)


def _misconception(
    name: str, entry: _Entry, solution: Solution, homework: Homework
) -> Misconception:
    """Make the edits, in every function that a name such as ``self_attention_*`` means."""
    edits = set[Edit]()
    for pattern, pairs in entry.edits.items():
        edits |= {
            solution.replace(one, *pair)
            for one in solution.matching(pattern)
            for pair in pairs
        }
    for pattern, body in entry.body.items():
        edits |= {
            solution.replace_body(one, body) for one in solution.matching(pattern)
        }
    reached = solution.reached_by(edits)
    names = [task.name for task in homework.tasks]
    tasks = (
        tuple(one for one in names if one in reached)
        if entry.tasks is None
        else entry.tasks
    )
    for task in sorted(set(tasks) - set(names)):
        raise ValueError(f"{name}.tasks: homework.toml has no task named {task!r}")
    if not set(tasks) <= reached or not tasks:
        raise ValueError(
            f"{name}: its edits change {', '.join(sorted(reached)) or 'nothing'}, not its tasks"
        )
    return Misconception(
        id=name,
        tasks=tasks,
        says=" ".join(entry.says.split()),
        edits=frozenset(edits),
        excludes=frozenset(entry.excludes),
        alone=entry.alone,
        about_size=entry.about_size,
        by_exception=entry.by_exception,
    )
