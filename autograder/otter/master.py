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
    """A cell with its number, from 1, its output as text, and the innermost block that it lies in."""

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
    """A whole master; its ``cells`` are those that are neither boundaries nor ignored by Otter."""

    path: Path
    config: dict[str, Any] = field(default_factory=dict)
    questions: dict[str, OtterQuestion] = field(default_factory=dict)
    cells: list[MasterCell] = field(default_factory=list)

    @property
    def code_cells(self) -> list[MasterCell]:
        """The code that the author runs before the tests."""
        return [
            one
            for one in self.cells
            if one.is_answer or (one.kind, one.block) == ("code", "")
        ]

    def of(self, question: str, *blocks: str, kind: str = "code") -> list[MasterCell]:
        """Return the cells of a question that lie in one of these blocks."""
        own = (
            one for one in self.cells if (one.question, one.kind) == (question, kind)
        )
        return [one for one in own if one.block in blocks]

    def text(self, question: str) -> str:
        """Return what a question asks."""
        return "\n\n".join(
            one.source for one in self.of(question, "QUESTION", kind="markdown")
        )

    @property
    def name(self) -> str:
        """The file's name, without characters that could end a string of Python."""
        return re.sub(r"[^\w. -]", "_", self.path.name)

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
        cells = enumerate(master.of(name, "TESTS"), 1)
        tests = [
            _test(master, f"{slug(name)}-{i}", one, is_ok_format) for i, one in cells
        ]
        master.questions[name] = _question(master, cell, head, tests)
    return master


def _place_cells(master: Master) -> dict[str, tuple[int, dict[str, Any]]]:
    """Put each cell into its question and block; return the cell and the keys that begin each question."""
    heads: dict[str, tuple[int, dict[str, Any]]] = {}
    opened: list[MasterCell] = []
    for cell in _cells(master.path):
        first, _, rest = cell.source.strip().partition("\n")
        mark = _BOUNDARY.match(first) if cell.kind == "raw" else None
        last = opened[-1] if opened else replace(cell, number=0, question="")
        if mark is None:
            if not _IGNORED.match(cell.source):
                block = cell.block or last.block
                master.cells.append(replace(cell, block=block, question=last.question))
            continue
        if not mark[2]:
            master.config = _mapping(master, cell, rest)
            continue
        is_begin, block, question = (
            mark[1].upper() == "BEGIN",
            mark[2].upper(),
            last.question,
        )
        if not (
            len(opened) == (block != "QUESTION")
            if is_begin
            else opened and last.block == block
        ):
            inside = f"{last.block} of cell {last.number}" if opened else "no block"
            raise master.wrong(cell.number, f"{first} where {inside} is open; {BLOCKS}")
        if not is_begin:
            opened.pop()
            continue
        if block == "QUESTION":
            head = _mapping(master, cell, rest, QUESTION_KEYS)
            question = str(head.get("name") or "")
            if not slug(question) or slug(question) in map(slug, heads):
                taken = f"there is a question {question!r} already"
                why = taken if question else "the question has no name"
                raise master.wrong(
                    cell.number, f"{why}: write a line such as `name: q7`"
                )
            heads[question] = cell.number, head
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
        if not isinstance(cells, list) or not all(
            isinstance(one, dict) for one in cells
        ):
            raise ValueError("it has no list of cells")
    except ValueError as error:
        raise CourseError(
            f"{path} is not a notebook ({error}): save it again from Jupyter as .ipynb"
        ) from error
    return [_cell(one, number) for number, one in enumerate(cells, 1)]


def _cell(tree: Mapping[str, Any], number: int) -> MasterCell:
    def joined(text: object) -> str:
        return (
            "".join(map(str, text))
            if isinstance(text, list)
            else text
            if isinstance(text, str)
            else ""
        )

    # JSON can spell halves of characters, which no file can hold.
    source = joined(tree.get("source")).encode("utf-8", "replace").decode("utf-8")
    outputs = tree.get("outputs")
    shown = (
        [one for one in outputs if isinstance(one, dict)]
        if isinstance(outputs, list)
        else []
    )
    texts = (
        part
        for one in shown
        for part in (one.get("text"), (one.get("data") or {}).get("text/plain"))
    )
    kind, fenced = str(tree.get("cell_type")), _FENCE.fullmatch(source.strip())
    if kind == "markdown" and fenced:
        kind, source = "raw", fenced[1]
    is_included = "otter_include" in ((tree.get("metadata") or {}).get("tags") or ())
    return MasterCell(
        number,
        kind,
        source,
        "".join(map(joined, texts)),
        "QUESTION" if is_included else "",
    )


def _mapping(
    master: Master, cell: MasterCell, text: str, known: Sequence[str] = ()
) -> dict[str, Any]:
    try:
        found = yaml.safe_load(text) or {}
    except yaml.YAMLError as error:
        raise master.wrong(
            cell.number, f"not valid YAML: {' '.join(str(error).split())}"
        ) from error
    if not isinstance(found, dict):
        raise master.wrong(
            cell.number, "write YAML with a key in each line, such as `name: q1`"
        )
    if known and (unknown := [key for key in found if key not in known]):
        raise master.wrong(
            cell.number,
            f"no question has a key {unknown[0]!r}; write {', '.join(known)}",
        )
    return found


def _test(
    master: Master, label: str, cell: MasterCell, is_ok_format: bool
) -> OtterTest:
    """Read a test cell: its configuration, its code, and what the master shows below it."""
    found = _CONFIG.match(cell.source)
    config = _mapping(master, cell, found[1]) if found else {}
    code, shows = cell.source[found.end() if found else 0 :], cell.output.strip()
    try:
        body = ast.parse(code).body
    except SyntaxError as error:
        why = f"this test is not valid Python: {error.msg}, line {error.lineno}"
        raise master.wrong(cell.number, why) from error
    if (
        not is_ok_format
    ):  # Otter calls the function itself, with what it asks for by name
        if not body or not isinstance(body[0], ast.FunctionDef):
            why = "with `ok_format: false` a test is a function: write `def test_…(…):`"
            raise master.wrong(cell.number, why)
        given = [
            "globals()" if one.arg == "env" else one.arg for one in body[0].args.args
        ]
        code, shows = f"{ast.unparse(body[0])}\n{body[0].name}({', '.join(given)})", ""
    is_hidden = bool(config.get("hidden", _HIDDEN.match(cell.source)))
    says = {
        key: str(config[key])
        for key in ("success_message", "failure_message")
        if config.get(key)
    }
    points = (
        None
        if config.get("points") is None
        else _amount(master, cell.number, config["points"])
    )
    return OtterTest(
        label, cell.question, cell.number, code.strip(), shows, is_hidden, points, says
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
    asked, is_manual = head.get("points"), bool(head.get("manual"))
    if isinstance(asked, dict):
        asked = [asked.get("each", 1)] * len(tests)
    amounts = [
        _amount(master, cell, one)
        for one in (asked if isinstance(asked, list) else [asked or 0])
    ]
    total = sum(amounts)
    if tests and not is_manual:
        if isinstance(asked, list):
            if len(amounts) != len(tests):
                why = f"{len(amounts)} points for {len(tests)} tests: write one number for each test"
                raise master.wrong(cell, why)
            tests = [
                replace(one, points=own)
                for one, own in zip(tests, amounts, strict=True)
            ]
        own, unset = (
            sum(one.points or 0 for one in tests),
            [one for one in tests if one.points is None],
        )
        total = total if asked is not None else own or (1.0 if unset else 0.0)
        if own > total:
            why = f"its tests have {own:g} points, and the question {total:g}: make them agree"
            raise master.wrong(cell, why)
        share = (total - own) / len(unset) if unset else 0.0
        tests = [
            replace(one, points=share if one.points is None else one.points)
            for one in tests
        ]
        total = sum(one.points or 0 for one in tests)
    is_whole = bool(head.get("all_or_nothing"))
    return OtterQuestion(str(head["name"]), cell, total, is_manual, is_whole, tests)
