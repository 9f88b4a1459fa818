"""Turn the questions of a master that ask for variables into questions that ask for a function.

A homework here consists of functions. Where a master asks for variables and tests them, the code of the question
becomes the body of a function without arguments that returns them, and a line after it gives the variables their
values, as later cells expect. Nothing of a master is run here.
"""

from __future__ import annotations

import ast
import builtins
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import groupby

from autograder.authoring.statements import with_what_is_used
from autograder.course.statements import defined_names, line_numbers, names_read
from autograder.otter.code import (
    MarkedSolution,
    authors_code,
    given_code,
    lines_of,
    without_magics,
)
from autograder.otter.master import Master, MasterCell, OtterQuestion, OtterTest, slug

INDENT = "    "
HOISTED = (
    ast.Import,
    ast.ImportFrom,
    ast.FunctionDef,
    ast.AsyncFunctionDef,
    ast.ClassDef,
)
"""Statements that stay outside: other cells may use them."""
NEVER_INSIDE = (ast.Await, ast.Yield, ast.YieldFrom, ast.Return, ast.Global)

Line = tuple[str, str]
"""A line without Otter's marks, and its kind, see ``lines_of``."""


@dataclass(frozen=True)
class QuestionFunction:
    """The function that a question asks for in place of variables.

    Attributes:
        question: the name of the question.
        name: the name of the function.
        variables: the names of what it returns.
        defined: the names that its own code defines; tests may also read given ones.
    """

    question: str
    name: str
    variables: tuple[str, ...]
    defined: frozenset[str]

    def is_tested_by(self, test: OtterTest) -> bool:
        """Return whether a test reads what the question asks for."""
        return not self.defined.isdisjoint(free_names(test))

    @property
    def targets(self) -> str:
        """The variables as the targets of an assignment."""
        return ", ".join(self.variables)


@dataclass
class _Module:
    """The statements of a master so far, in the order in which they run.

    ``of_students`` are statements that depend on what students write: a stub cannot run them on its own.
    ``open`` are students' own statements of questions that stay as they are, with the question: they are a part
    of the solution.
    """

    statements: list[ast.stmt] = field(default_factory=list)
    of_students: set[ast.stmt] = field(default_factory=set)
    open: dict[ast.stmt, str] = field(default_factory=dict)
    imports: set[str] = field(default_factory=set)

    def add(self, code: str, is_of_students: bool = False, open_in: str = "") -> None:
        """Add the statements of a cell; ``open_in`` is the question, if they are its students' own."""
        for statement in ast.parse(code).body:
            if open_in and not isinstance(statement, HOISTED):
                self.open[statement] = open_in
            if is_of_students or self._depends(statement):
                self.of_students.add(statement)
            if isinstance(statement, HOISTED):
                self.imports |= defined_names(statement)
            self.statements.append(statement)

    def _depends(self, statement: ast.stmt) -> bool:
        if isinstance(statement, HOISTED):
            return False
        names = set()
        for other in self.of_students:
            names |= defined_names(other)
        return not names.isdisjoint(names_read(ast.unparse(statement)))

    @property
    def variables(self) -> set[str]:
        """The names of its variables, without functions, classes and modules."""
        names: set[str] = set()
        for statement in self.statements:
            if not isinstance(statement, HOISTED):
                names |= defined_names(statement)
        return names - self.imports

    def needed_by(self, code: str, function: str) -> list[str] | str:
        """Return the statements that depend on students' code and that a function reads.

        Where it reads what a question asks for that stays as it is, this question is returned.
        """
        nodes = ast.parse(code).body
        used = with_what_is_used([*self.statements, *nodes], {function})
        lines = []
        for statement, question in self.open.items():
            if statement in used:
                return question
        for statement in self.statements:
            if statement in used and statement in self.of_students:
                lines += ast.unparse(statement).split("\n")
        return lines


def asks_for_variables(question: OtterQuestion, solution: MarkedSolution) -> bool:
    """Return whether a question has tests, and asks for variables."""
    names = set()
    for name, asked_by in solution.others.items():
        if asked_by == question.name:
            names.add(name)
    # A function that reads such a variable would not find it within another function.
    is_free = names.isdisjoint(solution.needed)
    return bool(names and question.tests) and is_free and not question.is_manual


def with_functions(
    master: Master, solution: MarkedSolution, questions: Sequence[str]
) -> tuple[Master, dict[str, QuestionFunction], dict[str, str]]:
    """Return a master in which some of its questions ask for a function.

    Args:
        master: the master; it is not changed.
        solution: its solution, which tells what students write.
        questions: names of questions that ask for variables; one whose code cannot be the body of a function
            stays as it is.

    Returns:
        The changed master, these questions by their name, and for each that stays as it is the reason.
    """
    changed = replace(master, cells=[], notes=list(master.notes))
    why_not: dict[str, str] = {}
    functions: dict[str, QuestionFunction] = {}
    module = _Module()
    skipped: set[int] = set()
    for cell in master.cells:
        if cell.number in skipped:
            continue
        is_first = cell.is_answer and cell.question in questions
        merged: list[MasterCell] = []
        if is_first and cell.question not in functions:
            merged = _merged_cells(master, cell, solution)
        rewritten: tuple[QuestionFunction, str, str] | str = ""
        if merged:
            rewritten = _function_of(master, merged, solution, module)
        if isinstance(rewritten, str):
            if rewritten:
                why_not[cell.question] = rewritten
            changed.cells.append(cell)
            if cell in master.code_cells:
                source = authors_code(cell)
                if not cell.block:
                    source = given_code(master, cell)
                is_open = cell.number in solution.cells_of_variables
                module.add(source, open_in=cell.question if is_open else "")
            continue
        function, source, outside = rewritten
        functions[cell.question] = function
        skipped |= {other.number for other in merged}
        changed.cells.append(replace(cell, block="SOLUTION", source=source))
        assignment = f"{function.targets} = {function.name}()"
        changed.cells.append(MasterCell(cell.number, "code", assignment))
        module.add(outside)
        module.add(f"def {function.name}(): pass")
        module.add(assignment, is_of_students=True)
    return changed, functions, why_not


def _merged_cells(
    master: Master, first: MasterCell, solution: MarkedSolution
) -> list[MasterCell]:
    """Return the cells of a question from its first to its last one with a part of the students'."""
    cells = []
    for cell in master.code_cells:
        if cell.is_answer and cell.question == first.question:
            cells.append(cell)
    places = []
    for place, cell in enumerate(cells):
        if cell.number in solution.cells_of_variables:
            places.append(place)
    if not places or cells[places[0]] is not first:
        return []
    return cells[places[0] : places[-1] + 1]


def _function_of(
    master: Master,
    cells: Sequence[MasterCell],
    solution: MarkedSolution,
    module: _Module,
) -> tuple[QuestionFunction, str, str] | str:
    """Return the question as a function, the source of its cell, and the code of what stays outside.

    Where its code cannot be the body of a function, the reason is returned.
    """
    lines: list[Line] = []
    for cell in cells:
        lines += lines_of(without_magics(cell.source))
    is_marked = any(kind != "given" for _, kind in lines)
    if not is_marked:  # the whole cell is the solution
        lines = [(line, "block") for line, _ in lines]
    code = _without_prompts(lines)
    body = ast.parse(code).body
    inside = []
    for node in body:
        if not isinstance(node, HOISTED):
            inside.append(node)
    outside_lines: set[int] = set()
    for node in body:
        if isinstance(node, HOISTED):
            outside_lines.update(line_numbers(node))
    defined: set[str] = set()
    for node in inside:
        defined |= defined_names(node)
    for node in body:
        is_definition = isinstance(node, HOISTED[2:])
        if not is_definition:
            continue
        shared = sorted(defined & names_read(ast.unparse(node)))
        if shared:
            return f"a function beside it reads {shared[0]}, which would be inside another function"
    if not inside or any(map(_cannot_move, inside)):
        return "its code cannot be indented as the body of a function: a text goes over several lines"

    first, *_ = cells
    question = master.questions[first.question]
    name = _function_name(master, question.name, solution, module, defined)
    read = _names_read_later(master, question, cells[-1].number)
    variables = []
    for variable in _in_order(inside):
        if variable in read:
            variables.append(variable)
    tested: set[str] = set()
    for test in question.tests:
        names = free_names(test)
        if not names.isdisjoint(defined):
            tested |= names
    variables += sorted(tested & module.variables - set(variables))
    if not tested:
        return "no test reads a variable of its own"

    inner = _marked(lines, outside_lines, is_inside=True)
    outer = _marked(lines, outside_lines, is_inside=False)
    result = ", ".join(variables)
    head = [f"def {name}():", f'{INDENT}"""Return {result}."""']
    end = f"{INDENT}return {result}"
    text = "\n".join([*head, *inner, end])
    code_outside = []
    for number, line in enumerate(code.split("\n"), 1):
        if number in outside_lines:
            code_outside.append(line)
    outside = "\n".join(code_outside)
    needed = module.needed_by(f"{outside}\n{_without_prompts(lines_of(text))}", name)
    if isinstance(needed, str):
        return f"it needs what {needed} asks for, which is left out"
    prelude = [f"{INDENT}{line}" for line in needed]
    text = "\n".join([*outer, *head, *prelude, *inner, end])
    function = QuestionFunction(
        question.name, name, tuple(variables), frozenset(defined)
    )
    return function, text, outside


def _without_prompts(lines: Iterable[Line]) -> str:
    """Return the code of lines, without Otter's prompts."""
    code = []
    for line, kind in lines:
        if kind != "prompt":
            code.append(line)
    return "\n".join(code)


def _marked(
    lines: Sequence[Line], outside_lines: set[int], is_inside: bool
) -> list[str]:
    """Return the lines inside or outside the function, with Otter's marks as they were."""
    chosen: list[Line] = []
    number = 0
    for line, kind in lines:
        if kind != "prompt":
            number += 1
        is_outside = kind != "prompt" and number in outside_lines
        if is_outside != is_inside:
            chosen.append((line, kind))
    indent = ""
    if is_inside:
        indent = INDENT
    marked = []
    for kind, group in groupby(chosen, key=lambda pair: pair[1]):
        texts = [f"{indent}{line}".rstrip() for line, _ in group]
        if kind == "line":
            marked += [f"{line} # SOLUTION" for line in texts]
        elif kind == "block":
            marked += [
                f"{indent}# BEGIN SOLUTION",
                *texts,
                f"{indent}# END SOLUTION",
            ]
        elif kind == "prompt":
            marked += [
                f'{indent}""" # BEGIN PROMPT',
                *texts,
                f'{indent}""" # END PROMPT',
            ]
        else:
            marked += texts
    return marked


def _cannot_move(node: ast.stmt) -> bool:
    """Return whether a statement cannot stand in a function, or would change if it were indented."""
    for inner in ast.walk(node):
        if isinstance(inner, NEVER_INSIDE):
            return True
        is_text = isinstance(inner, ast.JoinedStr) or (
            isinstance(inner, ast.Constant) and isinstance(inner.value, str)
        )
        if is_text and getattr(inner, "end_lineno", 0) != getattr(inner, "lineno", 0):
            return True
    return False


def _function_name(
    master: Master,
    question: str,
    solution: MarkedSolution,
    module: _Module,
    defined: set[str],
) -> str:
    """Return a name for a question's function that nothing else in the master has."""
    name = slug(question)
    if not name[0].isalpha():
        name = f"q_{name}"
    other_names = {
        *solution.asked,
        *solution.others,
        *module.imports,
        *module.variables,
    }
    for cell in master.code_cells:
        for statement in ast.parse(authors_code(cell)).body:
            other_names |= defined_names(statement)
    if name in other_names | defined or hasattr(builtins, name):
        name = f"{name}_answer"
    return name


def _names_read_later(master: Master, question: OtterQuestion, last: int) -> set[str]:
    """Return the names that the tests of a question read, and the code of all later cells."""
    names: set[str] = set()
    for test in question.tests:
        names |= free_names(test)
    for cell in master.code_cells:
        if cell.number > last:
            names |= names_read(authors_code(cell))
    return names


def _in_order(nodes: Sequence[ast.stmt]) -> Iterator[str]:
    """Yield the names that statements define, each once, in the order of their first definition."""
    names = set()
    for node in nodes:
        stored = []
        for inner in ast.walk(node):
            if isinstance(inner, ast.Name) and isinstance(inner.ctx, ast.Store):
                stored.append(inner)
        stored.sort(key=lambda name: (name.lineno, name.col_offset))
        for name in stored:
            if name.id not in names:
                names.add(name.id)
                yield name.id


def free_names(test: OtterTest) -> set[str]:
    """Return the names that a test reads and does not define itself."""
    tree = ast.parse(test.code)
    defined: set[str] = set()
    for statement in tree.body:
        defined |= defined_names(statement)
    return names_read(test.code) - defined


def imports_of(master: Master) -> Mapping[str, str]:
    """Return for each name that a master imports the statement that does so."""
    imports = {}
    for cell in master.code_cells:
        for node in ast.walk(ast.parse(authors_code(cell))):
            if not isinstance(node, ast.Import | ast.ImportFrom):
                continue
            for alias in node.names:
                single: ast.Import | ast.ImportFrom = ast.Import([alias])
                if isinstance(node, ast.ImportFrom):
                    single = ast.ImportFrom(node.module, [alias], node.level)
                for name in defined_names(alias):
                    imports[name] = ast.unparse(single)
    return imports
