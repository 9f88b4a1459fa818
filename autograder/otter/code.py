"""Turn the code of an Otter master into a solution with this kit's marks, and into cells of a notebook."""

from __future__ import annotations

import ast
import builtins
import io
import re
import sys
import tokenize
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import count, groupby, pairwise

from autograder.authoring.statements import (
    import_of,
    start_with_comments,
    with_what_is_used,
)
from autograder.course.statements import defined_names, line_numbers, names_in
from autograder.course.stub import BEGIN, END
from autograder.otter.master import Master, MasterCell
from autograder.worker.inert import INERT_PACKAGES

_MAGIC = re.compile(r"^[ \t]*[%!].*\n?", re.MULTILINE)
_BLOCK = re.compile(r"(?:^|\s)# ?(BEGIN|END) (SOLUTION|PROMPT|IGNORE)( NO PROMPT)?\s*$")
_LINE = re.compile(r"\s*# ?SOLUTION( NO PROMPT)?\s*$|\s*# SEED\s*$")
_ASSIGNED = re.compile(r"(\s*[\w., \[\]'\"]+?)\s*=[^=]")
_OF_THIS_KIT = re.compile(rf"^[ \t]*(?:{BEGIN}|{END}|# TODO \d.*)\n", re.MULTILINE)


@dataclass
class MarkedSolution:
    """The code of a master as a solution of this kit, ``marked`` with its regions.

    ``asked`` are the functions that students write, by name, with their cells; ``others`` are the variables
    and classes that they write, with their questions. ``unmarked`` are those functions whose whole body
    students write because the master marks no part of it. ``cells_of_variables`` are the numbers of the cells
    in which they assign variables, and ``needed`` all names that the functions read.
    ``refused`` are functions that cannot be tasks, with the reason.
    """

    marked: str = ""
    asked: dict[str, MasterCell] = field(default_factory=dict)
    others: dict[str, str] = field(default_factory=dict)
    unmarked: list[str] = field(default_factory=list)
    cells_of_variables: set[int] = field(default_factory=set)
    needed: set[str] = field(default_factory=set)
    refused: dict[str, str] = field(default_factory=dict)

    @property
    def plain(self) -> str:
        """The code without this kit's marks."""
        return _OF_THIS_KIT.sub("", self.marked)

    @property
    def libraries(self) -> list[str]:
        """The libraries that it imports and that not every grader has."""
        used = re.findall(r"^(?:import|from) (\w+)", self.marked, re.MULTILINE)
        everywhere = {*sys.stdlib_module_names, "numpy", "torch", *INERT_PACKAGES}
        return sorted(set(used) - everywhere)


def lines_of(source: str) -> Iterator[tuple[str, str]]:
    """Yield each line of a cell without Otter's marks, and its kind.

    Kinds are ``given``, ``line`` and ``block`` (the solution, marked in either way), and ``prompt``: what
    students see in place of a block.

    Raises:
        ValueError: a block ends that has not begun, or never ends.
    """
    opened = ""
    for line in source.split("\n"):
        mark = _BLOCK.search(line)
        if mark:
            verb, block, _ = mark.groups()
            is_begin = verb == "BEGIN"
            if is_begin == bool(opened) or opened not in ("", block):
                raise ValueError(
                    f"# {verb} {block} is where {opened or 'nothing'} is open"
                )
            opened = ""
            if is_begin:
                opened = block
        elif opened == "PROMPT":
            yield line, "prompt"
        elif opened == "SOLUTION":
            yield line, "block"
        elif not opened and not line.rstrip().endswith("# IGNORE"):
            plain = _LINE.sub("", line)
            if plain == line:
                yield plain, "given"
            elif line.rstrip().endswith(("NO PROMPT", "# SEED")):
                yield plain, "block"  # students see nothing of it
            else:
                yield plain, "line"
    if opened:
        raise ValueError(f"# BEGIN {opened} never ends")


def authors_code(cell: MasterCell) -> str:
    """Return a cell as its author runs it, without magics."""
    return _text(_authors_lines(cell))


def _authors_lines(cell: MasterCell) -> list[tuple[str, str]]:
    """Return the lines that an author runs, each with its kind."""
    lines = []
    for line, kind in lines_of(without_magics(cell.source)):
        if kind != "prompt":
            lines.append((line, kind))
    return lines


def without_magics(source: str) -> str:
    """Return a cell's text without commands of IPython."""
    return _MAGIC.sub("", source)


def _text(lines: Sequence[tuple[str, str]]) -> str:
    return "\n".join(line for line, _ in lines)


def students_code(cell: MasterCell, without: Sequence[str] = ()) -> str:
    """Return a cell as Otter's students see it, with ``...`` for the solution, ``without`` some functions."""
    lines = list(lines_of(cell.source))
    if without:
        all_lines = _authors_lines(cell)
        left_out: set[int] = set()
        for node in ast.parse(_text(all_lines)).body:
            if _name(node) in without:
                left_out.update(line_numbers(node))
        lines = []
        for number, line_and_kind in enumerate(all_lines, 1):
            if number not in left_out:
                lines.append(line_and_kind)
    visible_lines = []
    previous_kind = ""
    for line, kind in lines:
        target = None
        if kind == "line":
            target = _ASSIGNED.match(line)
        if kind in ("given", "prompt"):
            visible_lines.append(line)
        elif target:
            visible_lines.append(f"{target[1]} = ...")
        elif kind == "line" or previous_kind != "block":  # one `...` for all of a block
            visible_lines.append(f"{_indent(line)}...")
        previous_kind = kind
    return "\n".join(visible_lines).strip("\n")


def _indent(line: str) -> str:
    width = len(line) - len(line.lstrip())
    return line[:width]


def _name(node: ast.stmt) -> str:
    if isinstance(node, ast.FunctionDef | ast.ClassDef):
        return node.name
    return ""


def leave_out_broken_cells(master: Master) -> None:
    """Leave out cells that are not valid Python, such as those that show students an error."""
    for cell in list(master.code_cells):
        if cell.is_answer:
            continue
        try:
            ast.parse(authors_code(cell))
        except SyntaxError as error:
            master.leave_out(cell.number, f"it is not valid Python ({error.msg})")
        except ValueError as error:
            raise master.wrong(cell.number, str(error)) from error


def rename_function(master: Master, name: str, new_name: str, first: int) -> None:
    """Give a function another name in all code from the cell on that defines it, and in the tests there.

    Before that cell the name means something else, such as a function of Python.
    """
    cells = []
    for cell in master.cells:
        if cell.kind == "code" and cell.number >= first:
            cell = replace(cell, source=_renamed(cell.source, name, new_name))
        cells.append(cell)
    master.cells = cells
    for question in master.questions.values():
        tests = []
        for test in question.tests:
            if test.cell >= first:
                test = replace(test, code=_renamed(test.code, name, new_name))
            tests.append(test)
        master.questions[question.name] = replace(question, tests=tests)
    master.notes.append(
        f"The function {name} is now called {new_name}, because {name} means something in Python already; "
        "texts still have the old name."
    )


def _renamed(source: str, name: str, new_name: str) -> str:
    """Return a cell with another name for a function; attributes of that name keep it."""
    lines = source.split("\n")
    places = []
    previous = ""
    try:
        for token in tokenize.generate_tokens(io.StringIO(source).readline):
            if token.type == tokenize.NAME and token.string == name and previous != ".":
                places.append(token.start)
            previous = token.string
    except (tokenize.TokenError, SyntaxError):
        return source  # it has commands of IPython
    for row, column in reversed(places):
        line = lines[row - 1]
        before = line[:column]
        after = line[column + len(name) :]
        lines[row - 1] = f"{before}{new_name}{after}"
    return "\n".join(lines)


def solution_of(master: Master, title: str, library: str) -> MarkedSolution:
    """Return the solution: the functions that students write, and all definitions that they use.

    Raises:
        CourseError: a cell is not valid Python, its marks do not fit together, or two define one function.
    """
    solution = MarkedSolution()
    cells = []
    unmarked = _unmarked_questions(master)
    for cell in master.code_cells:
        if not cell.block:
            cells.append(given_code(master, cell))
            continue
        try:
            cells.append(_with_regions(cell, solution, cell.question in unmarked))
        except SyntaxError as error:
            place = f"{error.msg}, line {error.lineno}"
            raise master.wrong(
                cell.number, f"without Otter's marks it is not valid Python: {place}"
            ) from error
        except ValueError as error:
            raise master.wrong(cell.number, str(error)) from error

    # Keep the statements that the functions of students need.
    code = "\n\n\n".join(cells)
    lines = code.split("\n")
    body = ast.parse(code).body
    names = set(solution.asked)
    kept_nodes = with_what_is_used(body, names)
    solution.needed = set(names)
    starts = [start_with_comments(node, lines) for node in body]
    ranges = pairwise([*starts, len(lines)])
    imports = [f"import {library}"]
    if library == "numpy":
        imports = ["import numpy as np"]
    parts = []
    unknown = names.difference(dir(builtins), *map(defined_names, kept_nodes))
    for node, (first, last) in zip(body, ranges, strict=True):
        is_star = isinstance(node, ast.ImportFrom) and node.names[0].name == "*"
        if is_star and unknown:
            imports.append(ast.unparse(node))
        if node not in kept_nodes:
            continue
        if isinstance(node, ast.Import | ast.ImportFrom):
            imports.append(import_of(node, names))
        else:
            part = "\n".join(lines[first:last])
            parts.append(part.rstrip())
    head_lines = [f'"""{title}."""', "", *dict.fromkeys(imports)]
    head = "\n".join(head_lines)
    text = "\n\n\n".join([head, *parts])
    numbers = count(1)

    def numbered(todo: re.Match[str]) -> str:
        return f"# TODO {next(numbers)}:"

    solution.marked = re.sub("# TODO 0:", numbered, f"{text}\n")
    return solution


def pieces_of(cell: MasterCell) -> list[str]:
    """Return the pieces in which a cell is run: each import of a given cell alone, for it may fail here."""
    source = authors_code(cell)
    if cell.block:
        return [source]
    lines = source.split("\n")
    cuts = {0, len(lines)}
    for node in ast.parse(source).body:
        if isinstance(node, ast.Import | ast.ImportFrom):
            numbers = line_numbers(node)
            cuts |= {numbers.start - 1, numbers.stop - 1}
    pieces = []
    for first, last in pairwise(sorted(cuts)):
        pieces.append("\n".join(lines[first:last]))
    return pieces


def given_code(master: Master, cell: MasterCell) -> str:
    """Return a given cell's code without the pieces that stopped, which would also stop a solution."""
    pieces = []
    for place, piece in enumerate(pieces_of(cell)):
        if (cell.number, place) in master.stopped:
            for node in ast.parse(piece).body:
                if isinstance(node, ast.FunctionDef | ast.ClassDef):
                    pieces.append(ast.unparse(node))
        else:
            pieces.append(piece)
    return "\n".join(pieces)


def _unmarked_questions(master: Master) -> set[str]:
    """Return the questions whose solution marks no line and defines no function: all of it is the answer."""
    unmarked = set()
    marked = set()
    for cell in master.code_cells:
        if not cell.is_answer:
            continue
        is_marked = any(mark in cell.source for mark in ("SOLUTION", "SEED"))
        if is_marked or re.search(r"^(?:def|class) ", cell.source, re.MULTILINE):
            marked.add(cell.question)
        elif cell.block == "SOLUTION":
            unmarked.add(cell.question)
    return unmarked - marked


def _with_regions(
    cell: MasterCell, solution: MarkedSolution, is_all_answer: bool
) -> str:
    """Return a cell's code with a region around the students' part, and add its names to the solution.

    Args:
        cell: the cell.
        solution: gets the names.
        is_all_answer: whether a solution's cell without marks is an answer as a whole.
    """
    code = _authors_lines(cell)
    if is_all_answer and cell.block == "SOLUTION":
        code = [(line, "block") for line, _ in code]
    body = ast.parse(_text(code)).body
    if not cell.is_answer:
        return _text(code)

    # Mark whole statements that hold solved lines, and solved lines that are no code.
    solved = set()
    for number, (_, kind) in enumerate(code, 1):
        if kind != "given":
            solved.add(number)
    _note_answers(cell, body, solved, solution)
    marked: set[int] = set()
    for first, last in _whole(body, solved):
        marked.update(range(first, last + 1))
    for number in solved:
        line, _ = code[number - 1]
        if not _is_code(line):
            marked.add(number)

    prompts = []
    for line, kind in lines_of(without_magics(cell.source)):
        if kind == "prompt" and line.strip():
            prompts.append(line.strip())
    text: list[str] = []
    numbered = enumerate(code, 1)
    for is_marked, run in groupby(numbered, key=lambda pair: pair[0] in marked):
        pairs = []
        lines = []
        for _, (line, kind) in run:
            pairs.append((line, kind))
            lines.append(line)
        if not is_marked:
            text += lines
            continue
        first_code = next(filter(_is_code, lines), None)
        if first_code is None:
            continue
        indent = _indent(first_code)
        if indent:  # in a function: say what is to be written
            request = "; ".join(prompts or _assignments(pairs))
            text.append(f"{indent}# TODO 0: {request or 'write this part.'}")
        text += [f"{indent}{BEGIN}", *lines, f"{indent}{END}"]
        prompts = []
    return "\n".join(text)


def _assignments(lines: Sequence[tuple[str, str]]) -> list[str]:
    """Return solved assignments as students see them, such as ``weights = ...``."""
    assignments = []
    for line, kind in lines:
        if kind != "line":
            continue
        match = _ASSIGNED.match(line)
        if match:
            target = match[1].strip()
            assignments.append(f"{target} = ...")
    return assignments


def _is_code(line: str) -> bool:
    code, _, _ = line.partition("#")
    return bool(code.strip())


def _note_answers(
    cell: MasterCell,
    body: Sequence[ast.stmt],
    solved: set[int],
    solution: MarkedSolution,
) -> None:
    """Add the students' part of a cell to the solution, and all lines of their statements to ``solved``.

    In a function, and in a class, only the lines that the master marks are solved.
    """
    for node in body:
        end = node.end_lineno or node.lineno
        node_lines = set(range(node.lineno, end + 1))  # without decorators
        is_solved = not solved.isdisjoint(node_lines)
        if isinstance(node, ast.FunctionDef):
            if cell.block == "SOLUTION" and not is_solved:
                solution.unmarked.append(node.name)
                solved.add(node.lineno)
                is_solved = True
            if not is_solved:
                continue
            twin = solution.asked.get(node.name)
            if twin:
                raise ValueError(
                    f"{node.name} is defined in cell {twin.number}: rename one"
                )
            solution.asked[node.name] = cell
        elif is_solved:
            for name in _defined(node):
                solution.others[name] = cell.question
            if not isinstance(node, ast.ClassDef):
                solution.cells_of_variables.add(cell.number)
                # Half a statement would keep the stub from loading.
                solved |= node_lines


def _defined(node: ast.stmt) -> set[str]:
    """Return the class, function or variables that a statement defines."""
    name = _name(node)
    if name:
        return {name}
    targets: Sequence[ast.AST] = [node]
    if isinstance(node, ast.Assign):  # without what its value assigns
        targets = node.targets
    elif isinstance(node, ast.AnnAssign | ast.AugAssign):
        targets = [node.target]
    names: set[str] = set()
    for target in targets:
        names |= names_in(target, ast.Store)
    return names


def _whole(body: Sequence[ast.stmt], solved: set[int]) -> Iterator[tuple[int, int]]:
    """Yield first and last line of each statement that holds solved lines, without a function's header.

    Statements around them stay outside, unless it is their own header that is solved.
    """
    for node in body:
        inner = _inner_statements(node)
        end = node.end_lineno or node.lineno
        first_inner_line = end + 1
        for part in inner:
            first_inner_line = min(first_inner_line, part.lineno)
        header = range(node.lineno, first_inner_line)
        if solved.isdisjoint(header):
            yield from _whole(inner, solved)
        elif isinstance(node, ast.FunctionDef | ast.ClassDef):
            first, *others = node.body
            if ast.get_docstring(node) is not None and others:
                first = others[0]
            yield first.lineno, end
        else:
            yield node.lineno, end


def _inner_statements(node: ast.stmt) -> list[ast.stmt]:
    """Return the statements directly inside a compound statement."""
    inner: list[ast.stmt] = []
    for key in ("body", "orelse", "finalbody"):
        inner += getattr(node, key, ())
    handlers = getattr(node, "handlers", ())
    cases = getattr(node, "cases", ())
    for branch in (*handlers, *cases):
        inner += branch.body
    return inner
