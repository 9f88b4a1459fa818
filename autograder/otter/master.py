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

from autograder.course.homework import CourseError
from autograder.intake.notebook import notebook_tree

BLOCKS = "begin and end each block before the next, all inside their question"
MOST_POINTS = 1_000_000
QUESTION_KEYS = ("name", "manual", "points", "check_cell", "export", "all_or_nothing")
_BOUNDARY = re.compile(
    r"#\s+(?:(BEGIN|END)\s+(QUESTION|SOLUTION|TESTS|PROMPT)|ASSIGNMENT\s+CONFIG)\s*$",
    re.I,
)
_FENCE = re.compile(r"```otter\s*\n(.*)\n```\s*", re.DOTALL)
_IGNORED = re.compile(r"##?\s*ignore\s*(##)?\s*$", re.I | re.M)
_CONFIG = re.compile(
    r'(?:.\s*=\s*)?"""?\s*#\s*BEGIN TEST CONFIG\s*\n(.*?)"""?\s*#\s*END TEST CONFIG[^\n]*\n?',
    re.S,
)
_HIDDEN = re.compile(r"\s*#.*\bhidden\b", re.I)


@dataclass(frozen=True)
class MasterCell:
    """A cell with its number, from 1, its output as text, and the innermost block that it is in."""

    number: int
    kind: str
    source: str
    output: str = ""
    block: str = ""
    question: str = ""

    @property
    def is_answer(self) -> bool:
        """Whether it is code that students write, in whole or in part."""
        return self.kind == "code" and self.block in ("QUESTION", "SOLUTION")


@dataclass(frozen=True)
class OtterTest:
    """A test of a question: its code, and the text that its last line has to show.

    ``points`` are those that Otter gives it; ``says`` are its messages to students.
    """

    label: str
    question: str
    cell: int
    code: str
    shows: str
    is_hidden: bool
    points: float | None
    says: Mapping[str, str] = field(hash=False)


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
    """A whole master; its ``cells`` are without boundaries and cells that Otter ignores.

    ``notes`` are sentences for its author about what was not understood, and ``stopped`` are the cells
    that stopped when it ran, each with the place of the piece, see ``pieces_of``.
    """

    path: Path
    config: dict[str, Any] = field(default_factory=dict)
    questions: dict[str, OtterQuestion] = field(default_factory=dict)
    cells: list[MasterCell] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    stopped: set[tuple[int, int]] = field(default_factory=set)

    @property
    def code_cells(self) -> list[MasterCell]:
        """The code that the author runs before the tests."""
        cells = []
        for cell in self.cells:
            is_outside = cell.kind == "code" and not cell.block
            if cell.is_answer or is_outside:
                cells.append(cell)
        return cells

    def of(self, question: str, *blocks: str, kind: str = "code") -> list[MasterCell]:
        """Return the cells of a question that are in one of these blocks."""
        cells = []
        for cell in self.cells:
            is_of_question = cell.question == question and cell.kind == kind
            if is_of_question and cell.block in blocks:
                cells.append(cell)
        return cells

    def text(self, question: str) -> str:
        """Return the text of a question."""
        cells = self.of(question, "QUESTION", kind="markdown")
        return "\n\n".join(cell.source for cell in cells)

    @property
    def name(self) -> str:
        """The file's name, without characters that could end a string of Python."""
        return re.sub(r"[^\w. -]", "_", self.path.name)

    def leave_out(self, number: int, why: str) -> None:
        """Leave out a cell that is not part of a question, and say why."""
        cells = []
        for cell in self.cells:
            if cell.number != number:
                cells.append(cell)
        self.cells = cells
        self.notes.append(f"Cell {number} was left out of the notebook: {why}.")

    def wrong(self, cell: int, text: str) -> CourseError:
        """Return the error to raise for a mistake in a cell."""
        return CourseError(f"{self.path}, cell {cell}: {text}")


def slug(text: str) -> str:
    """Return a text as letters, digits and underscores."""
    return re.sub(r"\W+", "_", text).strip("_").lower()


def read_master(path: Path) -> Master:
    """Read a master.

    Raises:
        CourseError: it is not a notebook, has no questions, or one of its cells breaks Otter's rules.
    """
    master = Master(path)
    heads = _place_cells(master)
    if not heads:
        raise CourseError(
            f"{path} has no raw cell that begins # BEGIN QUESTION: name the master that "
            "`otter assign` reads, not the students' version"
        )
    structure = master.config.get("tests")
    is_ok_format = not isinstance(structure, dict) or structure.get("ok_format", True)
    for name, (cell, head) in heads.items():
        tests = []
        for number, test_cell in enumerate(master.of(name, "TESTS"), 1):
            label = f"{slug(name)}-{number}"
            tests.append(_test(master, label, test_cell, is_ok_format))
        master.questions[name] = _question(master, cell, head, tests)
    return master


def _place_cells(master: Master) -> dict[str, tuple[int, dict[str, Any]]]:
    """Put each cell into its question and block; return the cell and the keys that begin each question."""
    heads: dict[str, tuple[int, dict[str, Any]]] = {}
    opened: list[MasterCell] = []
    for cell in _cells(master.path):
        first, _, remainder = cell.source.strip().partition("\n")
        mark = _BOUNDARY.match(first) if cell.kind == "raw" else None
        last = opened[-1] if opened else replace(cell, number=0, question="")
        if mark is None:
            if not _IGNORED.match(cell.source):
                block = cell.block or last.block
                master.cells.append(replace(cell, block=block, question=last.question))
            continue
        if not mark[2]:
            config = _mapping(master, cell, remainder)
            master.config = {**_config_file(master, cell, config), **config}
            continue
        is_begin = mark[1].upper() == "BEGIN"
        block = mark[2].upper()
        question = last.question
        if is_begin:
            # A question is outside all others, every other block is inside a question.
            blocks_around = 1
            if block == "QUESTION":
                blocks_around = 0
            fits = len(opened) == blocks_around
        else:
            fits = bool(opened) and last.block == block
        if not fits:
            inside = "no block"
            if opened:
                inside = f"{last.block} of cell {last.number}"
            raise master.wrong(cell.number, f"{first} where {inside} is open; {BLOCKS}")
        if not is_begin:
            opened.pop()
            continue
        if block == "QUESTION":
            head = _mapping(master, cell, remainder, QUESTION_KEYS)
            question = str(head.get("name") or "")
            names = set(map(slug, heads))
            if not slug(question) or slug(question) in names:
                trouble = "the question has no name"
                if question:
                    trouble = f"there is a question {question!r} already"
                raise master.wrong(
                    cell.number, f"{trouble}: write a line such as `name: q7`"
                )
            heads[question] = (cell.number, head)
        opened.append(replace(cell, block=block, question=question))
    if opened:
        raise master.wrong(
            opened[-1].number,
            f"this never ends: add a raw cell # END {opened[-1].block}",
        )
    return heads


def _cells(path: Path) -> list[MasterCell]:
    if not path.is_file():
        raise CourseError(
            f"{path} is missing: name the notebook that `otter assign` reads"
        )
    data = path.read_bytes()
    try:
        cells = notebook_tree(data, data.decode("utf-8", "replace")).get("cells")
        if not isinstance(cells, list) or not all(isinstance(c, dict) for c in cells):
            raise ValueError("it has no list of cells")
    except ValueError as error:
        raise CourseError(
            f"{path} is not a notebook ({error}): save it again from Jupyter as .ipynb"
        ) from error
    return [_cell(cell, number) for number, cell in enumerate(cells, 1)]


def _cell(tree: Mapping[str, Any], number: int) -> MasterCell:
    # JSON can spell halves of characters, which no file can hold.
    data = _joined(tree.get("source")).encode("utf-8", "replace")
    source = data.decode("utf-8")
    output = ""
    outputs = tree.get("outputs")
    for part in outputs if isinstance(outputs, list) else ():
        if isinstance(part, dict):
            output += _joined(part.get("text"))
            output += _joined((part.get("data") or {}).get("text/plain"))
    kind = str(tree.get("cell_type"))
    fence = _FENCE.fullmatch(source.strip())
    if kind == "markdown" and fence:
        kind = "raw"
        source = fence[1]
    tags = (tree.get("metadata") or {}).get("tags") or ()
    block = ""
    if "otter_include" in tags:
        block = "QUESTION"
    return MasterCell(number, kind, source, output, block)


def _joined(text: object) -> str:
    """Return a text of a notebook, which may be a list of lines; nothing for anything else."""
    if isinstance(text, list):
        return "".join(str(line) for line in text)
    if isinstance(text, str):
        return text
    return ""


def _mapping(
    master: Master, cell: MasterCell, text: str, known: Sequence[str] = ()
) -> dict[str, Any]:
    try:
        mapping = yaml.safe_load(text) or {}
    except yaml.YAMLError as error:
        raise master.wrong(
            cell.number, f"not valid YAML: {' '.join(str(error).split())}"
        ) from error
    if not isinstance(mapping, dict):
        raise master.wrong(
            cell.number, "write YAML with a key in each line, such as `name: q1`"
        )
    for key in mapping:
        if known and key not in known:  # Otter ignores it, so masters have such keys
            master.notes.append(
                f"Cell {cell.number}: no question of Otter has a key {key!r}; it was ignored."
            )
    return mapping


def _config_file(
    master: Master, cell: MasterCell, config: Mapping[str, Any]
) -> dict[str, Any]:
    """Return the keys of the file that a master's configuration names, if it lies next to the master."""
    name = config.get("config_file")
    if not name:
        return {}
    path = master.path.parent / str(name)
    if not path.is_file():
        master.notes.append(
            f"`config_file: {name}` is not there: its settings are unknown."
        )
        return {}
    return _mapping(master, cell, path.read_text("utf-8", "replace"))


def _test(
    master: Master, label: str, cell: MasterCell, is_ok_format: bool
) -> OtterTest:
    """Read a test cell: its configuration, its code, and what the master shows below it."""
    match = _CONFIG.match(cell.source)
    config: dict[str, Any] = {}
    code = cell.source
    if match:
        config = _mapping(master, cell, match[1])
        code = cell.source[match.end() :]
    shows = cell.output.strip()
    try:
        body = ast.parse(code).body
    except SyntaxError as error:
        raise master.wrong(
            cell.number,
            f"this test is not valid Python: {error.msg}, line {error.lineno}",
        ) from error
    if not is_ok_format:
        # Otter calls the function itself, with what it asks for by name.
        if not body or not isinstance(body[0], ast.FunctionDef):
            raise master.wrong(
                cell.number,
                "with `ok_format: false` a test is a function: write `def test_…(…):`",
            )
        function = body[0]
        arguments = []
        for parameter in function.args.args:
            is_environment = parameter.arg == "env"
            arguments.append("globals()" if is_environment else parameter.arg)
        call = f"{function.name}({', '.join(arguments)})"
        code = f"{ast.unparse(function)}\n{call}"
        shows = ""
    messages = {}
    for key in ("success_message", "failure_message"):
        if config.get(key):
            messages[key] = str(config[key])
    points = None
    if config.get("points") is not None:
        points = _amount(master, cell.number, config["points"])
    return OtterTest(
        label=label,
        question=cell.question,
        cell=cell.number,
        code=code.strip(),
        shows=shows,
        is_hidden=bool(config.get("hidden", _HIDDEN.match(cell.source))),
        points=points,
        says=messages,
    )


def _amount(master: Master, cell: int, value: object) -> float:
    if not isinstance(value, int | float) or not 0 <= value <= MOST_POINTS:
        raise master.wrong(
            cell,
            f"points: {repr(value)[:30]}: write a number from 0 to {MOST_POINTS:,}",
        )
    return value


def _question(
    master: Master, cell: int, head: Mapping[str, Any], tests: list[OtterTest]
) -> OtterQuestion:
    """Give each test its points as Otter does: its own, an entry of the list, or a share of what is left."""
    points = head.get("points")
    is_manual = bool(head.get("manual"))
    if isinstance(points, dict):
        points = [points.get("each", 1)] * len(tests)
    listed = [points or 0]
    if isinstance(points, list):
        listed = points
    amounts = [_amount(master, cell, amount) for amount in listed]
    total = sum(amounts)
    if tests and not is_manual:
        if isinstance(points, list):
            if len(amounts) != len(tests):
                raise master.wrong(
                    cell,
                    f"{len(amounts)} points for {len(tests)} tests: write one number for each test",
                )
            with_amounts = []
            for test, amount in zip(tests, amounts, strict=True):
                with_amounts.append(replace(test, points=amount))
            tests = with_amounts

        # Tests without points of their own share what is left.
        of_tests = 0.0
        unset = 0
        for test in tests:
            if test.points is None:
                unset += 1
            else:
                of_tests += test.points
        if points is None:
            total = of_tests
            if unset and not of_tests:
                total = 1.0
        if of_tests > total:
            raise master.wrong(
                cell,
                f"its tests have {of_tests:g} points, and the question {total:g}: make them agree",
            )
        share = 0.0
        if unset:
            share = (total - of_tests) / unset
        with_points = []
        total = 0.0
        for test in tests:
            test_points = test.points
            if test_points is None:
                test_points = share
            total += test_points
            with_points.append(replace(test, points=test_points))
        tests = with_points
    is_whole = bool(head.get("all_or_nothing"))
    return OtterQuestion(str(head["name"]), cell, total, is_manual, is_whole, tests)
