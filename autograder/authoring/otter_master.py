"""Read a master notebook of Otter Assign: its cells, its questions, tests and points, as Otter reads them.

Boundaries are raw cells, or text cells of one fence named ``otter``, that begin with a line such as
``# BEGIN QUESTION``. Nothing of a master is run here.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import yaml

from autograder.course import CourseError
from autograder.intake import notebook_tree

QUESTION_KEYS = ("name", "manual", "points", "check_cell", "export", "all_or_nothing")
_BOUNDARY = re.compile(
    r"#\s+(?:(BEGIN|END)\s+(QUESTION|SOLUTION|TESTS|PROMPT)|ASSIGNMENT\s+CONFIG)\s*$", re.I
)
_FENCE = re.compile(r"```otter\s*\n(.*)\n```\s*", re.DOTALL)
_IGNORED = re.compile(r"##?\s*ignore\s*(##)?\s*$", re.I | re.M)
_CONFIG = re.compile(
    r'(?:.\s*=\s*)?"""?\s*#\s*BEGIN TEST CONFIG\s*\n(.*?)"""?\s*#\s*END TEST CONFIG[^\n]*\n?', re.S
)
_HIDDEN = re.compile(r"\s*#.*\bhidden\b", re.I)


@dataclass(frozen=True)
class MasterCell:
    """A cell with its number, from 1, and what it showed; ``block`` is the innermost that it lies in."""

    number: int
    kind: str
    source: str
    output: str = ""
    block: str = ""
    question: str = ""


@dataclass(frozen=True)
class OtterTest:
    """A test of a question: its code, and what its last line has to show.

    ``points`` are those that Otter gives it; ``says`` are its messages to students.
    """

    label: str
    question: str
    cell: int
    code: str
    shows: str
    is_hidden: bool
    points: float | None
    says: Mapping[str, str]


@dataclass(frozen=True)
class OtterQuestion:
    """A question as its first cell describes it."""

    name: str
    cell: int
    points: float
    is_manual: bool
    all_or_nothing: bool
    tests: Sequence[OtterTest]


@dataclass
class Master:
    """A whole master; ``cells`` are without boundaries and what Otter ignores."""

    path: Path
    config: dict[str, Any] = field(default_factory=dict)
    questions: dict[str, OtterQuestion] = field(default_factory=dict)
    cells: list[MasterCell] = field(default_factory=list)

    def of(self, question: str, *blocks: str, kind: str = "code") -> list[MasterCell]:
        """Return the cells of a question that lie in one of these blocks."""
        own = (one for one in self.cells if (one.question, one.kind) == (question, kind))
        return [one for one in own if one.block in blocks]

    def text(self, question: str) -> str:
        """Return what a question asks."""
        return "\n\n".join(one.source for one in self.of(question, "QUESTION", kind="markdown"))

    def where(self, cell: int) -> str:
        return f"{self.path}, cell {cell}"


def slug(text: str) -> str:
    """Return a text as letters, digits and underscores."""
    return re.sub(r"\W+", "_", text).strip("_").lower()


def read_master(path: Path) -> Master:
    """Read a master.

    Raises:
        CourseError: it is not a notebook, has no questions, or one of its cells breaks Otter's rules.
    """
    master, question = Master(path), ""
    heads: dict[str, tuple[int, dict[str, Any]]] = {}
    opened: list[tuple[str, int]] = []
    for cell in _cells(path):
        where = master.where(cell.number)
        first, _, rest = cell.source.strip().partition("\n")
        mark = _BOUNDARY.match(first) if cell.kind == "raw" else None
        block = (mark[2] or "").upper() if mark else ""
        around = f"the {opened[-1][0]} of cell {opened[-1][1]} is open" if opened else "no block is open"
        if mark is None:
            if not _IGNORED.match(cell.source):
                master.cells.append(replace(cell, block=opened[-1][0] if opened else "", question=question))
        elif not block:
            master.config = _mapping(rest, where)
        elif mark[1].upper() == "END":
            if not opened or opened.pop()[0] != block:
                raise CourseError(
                    f"{where}: {first}, but {around}; add # BEGIN {block}, or take this cell out"
                )
            question = question if opened else ""
        elif len(opened) != (block != "QUESTION"):
            raise CourseError(
                f"{where}: {first}, but {around}; blocks stand in a question, which ends before the next"
            )
        else:
            opened.append((block, cell.number))
            if block == "QUESTION":
                head = _mapping(rest, where, QUESTION_KEYS)
                question = str(head.get("name") or "")
                if not slug(question):
                    raise CourseError(f"{where}: the question has no name: add a line such as `name: q1`")
                if slug(question) in map(slug, heads):
                    raise CourseError(
                        f"{where}: there is a question {question!r} already: give this one another name"
                    )
                heads[question] = cell.number, head
    if opened:
        raise CourseError(
            f"{master.where(opened[-1][1])}: this block never ends: add a raw cell # END {opened[-1][0]}"
        )
    if not heads:
        raise CourseError(
            f"{path} has no raw cell that begins with # BEGIN QUESTION: is it the students' version?"
        )
    structure = master.config.get("tests")
    is_ok_format = not isinstance(structure, dict) or structure.get("ok_format", True)
    for name, (number, head) in heads.items():
        cells = enumerate(master.of(name, "TESTS"), 1)
        tests = [_test(f"{slug(name)}-{i}", one, is_ok_format, master.where(one.number)) for i, one in cells]
        master.questions[name] = _question(name, number, head, tests, master.where(number))
    return master


def _cells(path: Path) -> list[MasterCell]:
    if not path.is_file():
        raise CourseError(f"{path} is missing: name the notebook that `otter assign` reads")
    data = path.read_bytes()
    try:
        cells = notebook_tree(data, data.decode("utf-8", "replace")).get("cells")
        if not isinstance(cells, list) or not all(isinstance(one, dict) for one in cells):
            raise ValueError("it has no list of cells")
    except ValueError as error:
        raise CourseError(
            f"{path} is not a notebook ({error}): save it again from Jupyter as .ipynb"
        ) from error
    return [_cell(one, number) for number, one in enumerate(cells, 1)]


def _cell(tree: Mapping[str, Any], number: int) -> MasterCell:
    def joined(text: object) -> str:
        return "".join(map(str, text)) if isinstance(text, list) else text if isinstance(text, str) else ""

    source, outputs = joined(tree.get("source")), tree.get("outputs")
    shown = [one for one in outputs if isinstance(one, dict)] if isinstance(outputs, list) else []
    output = "".join(
        joined(one.get("text")) + joined((one.get("data") or {}).get("text/plain")) for one in shown
    )
    fenced = _FENCE.fullmatch(source.strip()) if tree.get("cell_type") == "markdown" else None
    return MasterCell(
        number, "raw" if fenced else str(tree.get("cell_type")), fenced[1] if fenced else source, output
    )


def _mapping(text: str, where: str, known: Sequence[str] = ()) -> dict[str, Any]:
    try:
        found = yaml.safe_load(text) or {}
    except yaml.YAMLError as error:
        raise CourseError(f"{where}: not valid YAML: {' '.join(str(error).split())}") from error
    if not isinstance(found, dict):
        raise CourseError(f"{where}: write YAML with a key in each line, such as `name: q1`")
    if known and (unknown := [key for key in found if key not in known]):
        raise CourseError(f"{where}: a question has no key {unknown[0]!r}; Otter knows {', '.join(known)}")
    return found


def _test(label: str, cell: MasterCell, is_ok_format: bool, where: str) -> OtterTest:
    """Read a test cell: its configuration, its code, and what the master shows below it."""
    found = _CONFIG.match(cell.source)
    config = _mapping(found[1], where) if found else {}
    code, shows = cell.source[found.end() if found else 0 :], cell.output.strip()
    try:
        body = ast.parse(code).body
    except SyntaxError as error:
        raise CourseError(
            f"{where}: this test is not valid Python: {error.msg}, line {error.lineno}"
        ) from error
    if not is_ok_format:  # Otter calls the function itself, with what it asks for by name
        if not body or not isinstance(body[0], ast.FunctionDef):
            raise CourseError(
                f"{where}: with `ok_format: false` a test is one function: write `def test_…(…):`"
            )
        given = ["globals()" if one.arg == "env" else one.arg for one in body[0].args.args]
        code, shows = f"{ast.unparse(body[0])}\n{body[0].name}({', '.join(given)})", ""
    is_hidden = bool(config.get("hidden", _HIDDEN.match(cell.source.lstrip().partition("\n")[0])))
    says = {key: str(config[key]) for key in ("success_message", "failure_message") if config.get(key)}
    points = None if config.get("points") is None else _amount(config["points"], where)
    return OtterTest(label, cell.question, cell.number, code.strip(), shows, is_hidden, points, says)


def _amount(value: object, where: str) -> float:
    if not isinstance(value, int | float) or value < 0:
        raise CourseError(f"{where}: points: {value!r}: write a number that is not negative")
    return value


def _question(
    name: str, cell: int, head: Mapping[str, Any], tests: list[OtterTest], where: str
) -> OtterQuestion:
    """Give each test its points as Otter does: its own, an entry of the list, or a share of what is left."""
    asked, is_manual = head.get("points"), bool(head.get("manual"))
    if isinstance(asked, dict):
        asked = _amount(asked.get("each", 1), where) * len(tests)
    if isinstance(asked, list) and tests:
        if len(asked) != len(tests):
            raise CourseError(
                f"{where}: {len(asked)} points for {len(tests)} tests: write one number for each test"
            )
        tests = [replace(one, points=_amount(own, where)) for one, own in zip(tests, asked, strict=True)]
    total = sum(_amount(one, where) for one in (asked if isinstance(asked, list) else [asked or 0]))
    if tests and not is_manual:
        own, unset = sum(one.points or 0 for one in tests), [one for one in tests if one.points is None]
        total = total if asked is not None else own or (1.0 if unset else 0.0)
        if own > total:
            raise CourseError(
                f"{where}: its tests have {own:g} points, and the question {total:g}: make them agree"
            )
        share = (total - own) / len(unset) if unset else 0.0
        tests = [replace(one, points=share if one.points is None else one.points) for one in tests]
        total = sum(one.points or 0 for one in tests)
    return OtterQuestion(name, cell, total, is_manual, bool(head.get("all_or_nothing")), tests)
