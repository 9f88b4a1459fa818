"""Turn the code of an Otter master into a solution with this kit's marks, and into cells of a notebook."""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import count, groupby, pairwise

from autograder.authoring.checks_package import with_what_is_used
from autograder.authoring.notebooks import start_of
from autograder.course.stub import BEGIN, END
from autograder.otter.master import Master, MasterCell
from autograder.worker.inert import INERT_PACKAGES

_MAGIC = re.compile(r"^[ \t]*[%!].*\n?", re.MULTILINE)
_BLOCK = re.compile(r"(?:^|\s)# ?(BEGIN|END) (SOLUTION|PROMPT|IGNORE)( NO PROMPT)?\s*$")
_LINE = re.compile(r"\s*# ?SOLUTION( NO PROMPT)?\s*$|\s*# SEED\s*$")
_ASSIGNED = re.compile(r"(\s*[\w., \[\]'\"]+?)\s*=[^=]")
_OF_THIS_KIT = re.compile(rf"^[ \t]*(?:{BEGIN}|{END}|# TODO \d.*)\n", re.MULTILINE)


@dataclass
class Solution:
    """The code of a master as a solution of this kit, ``marked`` with its regions.

    ``asked`` are the functions that students write, by name, with their cells; ``others`` are the variables
    and classes that they write, with their questions. ``unmarked`` are those functions whose whole body
    students write because the master marks no part of it.
    """

    marked: str = ""
    asked: dict[str, MasterCell] = field(default_factory=dict)
    others: dict[str, str] = field(default_factory=dict)
    unmarked: list[str] = field(default_factory=list)

    @property
    def plain(self) -> str:
        """The code without this kit's marks."""
        return _OF_THIS_KIT.sub("", self.marked)

    @property
    def libraries(self) -> list[str]:
        """The libraries that it imports beyond those that every grader has."""
        used = re.findall(r"^(?:import|from) (\w+)", self.marked, re.MULTILINE)
        return sorted(
            {*used} - {*sys.stdlib_module_names, "numpy", "torch", *INERT_PACKAGES}
        )


def lines_of(source: str) -> Iterator[tuple[str, str]]:
    """Yield each line of a cell without Otter's marks, and its kind.

    Kinds are ``given``, ``line`` and ``block`` (the solution, marked in either way), and ``prompt``: what
    students see in place of a block.

    Raises:
        ValueError: a block ends that has not begun, or never ends.
    """
    inside = ""
    for line in source.split("\n"):
        if mark := _BLOCK.search(line):
            if (mark[1] == "BEGIN") == bool(inside) or inside not in ("", mark[2]):
                raise ValueError(
                    f"# {mark[1]} {mark[2]} stands where {inside or 'nothing'} is open"
                )
            inside = mark[2] if mark[1] == "BEGIN" else ""
        elif inside not in ("", "IGNORE"):
            yield line, "prompt" if inside == "PROMPT" else "block"
        elif not inside and not line.rstrip().endswith("# IGNORE"):
            plain = _LINE.sub("", line)
            is_shown = not line.rstrip().endswith(("NO PROMPT", "# SEED"))
            yield plain, "given" if plain == line else "line" if is_shown else "block"
    if inside:
        raise ValueError(f"# BEGIN {inside} never ends")


def authors_code(cell: MasterCell) -> str:
    """Return a cell as its author runs it, without magics."""
    return "\n".join(
        line for line, kind in lines_of(_MAGIC.sub("", cell.source)) if kind != "prompt"
    )


def students_code(cell: MasterCell, without: Sequence[str] = ()) -> str:
    """Return a cell as Otter's students see it, with ``...`` for the solution, ``without`` some functions."""
    lines = list(lines_of(cell.source))
    if without:
        lines = [
            one for one in lines_of(_MAGIC.sub("", cell.source)) if one[1] != "prompt"
        ]
        body = ast.parse("\n".join(line for line, _ in lines)).body
        gone = [
            range(one.lineno, (one.end_lineno or 0) + 1)
            for one in body
            if _name(one) in without
        ]
        lines = [
            one for at, one in enumerate(lines, 1) if not any(at in one for one in gone)
        ]
    shown = []
    for kind, alike in groupby(lines, key=lambda one: one[1]):
        for line, _ in alike:
            target = _ASSIGNED.match(line) if kind == "line" else None
            indent = line[: len(line) - len(line.lstrip())]
            is_given = kind in ("given", "prompt")
            shown.append(
                line if is_given else f"{target[1]} = ..." if target else f"{indent}..."
            )
            if kind == "block":
                break
    return "\n".join(shown).strip("\n")


def _name(node: ast.stmt) -> str:
    return node.name if isinstance(node, ast.FunctionDef | ast.ClassDef) else ""


def solution_of(master: Master, title: str, library: str) -> Solution:
    """Return the solution: the functions that students write, and whatever these use.

    Raises:
        CourseError: a cell is not valid Python, its marks do not fit together, or two define one function.
    """
    found, numbers, cells = Solution(), count(1), list[str]()
    for cell in master.code_cells:
        try:
            cells.append(_with_regions(cell, found))
        except SyntaxError as error:
            why = f"without Otter's marks it is not valid Python: {error.msg}, line {error.lineno}"
            raise master.wrong(cell.number, why) from error
        except ValueError as error:
            raise master.wrong(cell.number, str(error)) from error
    lines = "\n\n\n".join(cells).split("\n")
    body = ast.parse("\n".join(lines)).body
    wanted = set(found.asked)
    kept = with_what_is_used(body, wanted)
    starts = [start_of(node, lines) for node in body]
    imports, parts = [f"import {'numpy as np' if library == 'numpy' else library}"], []
    for node, (first, last) in zip(body, pairwise([*starts, len(lines)]), strict=True):
        if isinstance(node, ast.Import | ast.ImportFrom) and node in kept:
            node.names = [
                one
                for one in node.names
                if (one.asname or one.name).partition(".")[0] in wanted
            ]
            imports.append(ast.unparse(node))
        elif node in kept:
            parts.append("\n".join(lines[first:last]).rstrip())
    text = (
        "\n\n\n".join(
            [f'"""{title}."""\n\n' + "\n".join(dict.fromkeys(imports)), *parts]
        )
        + "\n"
    )
    found.marked = re.sub("# TODO 0:", lambda _: f"# TODO {next(numbers)}:", text)
    return found


def _with_regions(cell: MasterCell, found: Solution) -> str:
    """Return a cell's code with a region around what students write, and add its names to what was found."""
    kinds = list(lines_of(_MAGIC.sub("", cell.source)))
    code = [one for one in kinds if one[1] != "prompt"]
    body = ast.parse("\n".join(line for line, _ in code)).body
    if not cell.is_answer:
        return "\n".join(line for line, _ in code)
    solved = {at for at, (_, kind) in enumerate(code, 1) if kind != "given"}
    _note_answers(cell, body, solved, found)
    marked = {
        at for first, last in _whole(body, solved) for at in range(first, last + 1)
    }
    marked |= {at for at in solved if not _is_code(code[at - 1][0])}
    prompts = [
        line.strip() for line, kind in kinds if kind == "prompt" and line.strip()
    ]
    text: list[str] = []
    for is_marked, run in groupby(enumerate(code, 1), key=lambda one: one[0] in marked):
        lines = [one for _, one in run]
        written = next((line for line, _ in lines if _is_code(line)), None)
        if not is_marked:
            text += [line for line, _ in lines]
        elif written is not None:
            indent = written[: len(written) - len(written.lstrip())]
            targets = [_ASSIGNED.match(line) for line, kind in lines if kind == "line"]
            asked = "; ".join(
                prompts or [f"{one[1].strip()} = ..." for one in targets if one]
            )
            text += (
                [f"{indent}# TODO 0: {asked or 'write this part.'}"] if indent else []
            )
            text += [f"{indent}{BEGIN}", *(line for line, _ in lines), f"{indent}{END}"]
            prompts = []
    return "\n".join(text)


def _is_code(line: str) -> bool:
    return bool(line.split("#")[0].strip())


def _note_answers(
    cell: MasterCell, body: Sequence[ast.stmt], solved: set[int], found: Solution
) -> None:
    """Add what students write in a cell to ``found``, and all lines of their statements to ``solved``.

    In a function, and in a class, only the lines that the master marks are solved.
    """
    for node in body:
        within = {*range(node.lineno, (node.end_lineno or 0) + 1)}
        if isinstance(node, ast.FunctionDef):
            if cell.block == "SOLUTION" and not solved & within:
                found.unmarked.append(node.name)
                solved.add(node.lineno)
            if solved & within:
                if twin := found.asked.get(node.name):
                    raise ValueError(
                        f"{node.name} is defined in cell {twin.number}: rename one"
                    )
                found.asked[node.name] = cell
        elif solved & within:
            found.others |= dict.fromkeys(_defined(node), cell.question)
            solved |= (
                set() if _name(node) else within
            )  # half a statement would keep the stub from loading


def _defined(node: ast.stmt) -> set[str]:
    """Return the class, function or variables that a statement defines."""
    if name := _name(node):
        return {name}
    targets: Sequence[ast.AST] = [node]
    if isinstance(
        node, ast.Assign | ast.AnnAssign | ast.AugAssign
    ):  # without what its value assigns
        targets = node.targets if isinstance(node, ast.Assign) else [node.target]
    names = (
        one for part in targets for one in ast.walk(part) if isinstance(one, ast.Name)
    )
    return {one.id for one in names if isinstance(one.ctx, ast.Store)}


def _whole(body: Sequence[ast.stmt], solved: set[int]) -> Iterator[tuple[int, int]]:
    """Yield first and last line of each statement that holds solved lines, without a function's header.

    Statements around them stay outside, unless it is their own header that is solved.
    """
    for node in body:
        inner = [
            part
            for key in ("body", "orelse", "finalbody")
            for part in getattr(node, key, ())
        ]
        branches = (*getattr(node, "handlers", ()), *getattr(node, "cases", ()))
        inner += [part for one in branches for part in one.body]
        end = node.end_lineno or node.lineno
        if not solved & {
            *range(node.lineno, min((one.lineno for one in inner), default=end + 1))
        }:
            yield from _whole(inner, solved)
        elif isinstance(node, ast.FunctionDef | ast.ClassDef):
            rest = node.body[ast.get_docstring(node) is not None :] or node.body
            yield rest[0].lineno, end
        else:
            yield node.lineno, end
