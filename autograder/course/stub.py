"""Turn a reference solution into a stub: each solution region becomes one ``raise NotImplementedError``.

A region of the module itself, outside functions and classes, is removed entirely, because the stub must load.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Sequence

from autograder.course.homework import ANSWERS, CourseError, Homework
from autograder.course.statements import line_numbers
from autograder.language import in_language, say

BEGIN, END = "# BEGIN SOLUTION", "# END SOLUTION"
PLACEHOLDER = "raise NotImplementedError"
MARK = "# {{ answers }}"
TODO = re.compile(r"^\s*# TODO\b")
COMPUTING_METHODS = ("forward", "__call__")
"""The methods of a task's class that always hold a part of its solution."""
NEARLY_A_MARK = re.compile(r"#\s*(BEGIN|END)\s+SOLUTION\b", re.IGNORECASE)


def strip_solution(source: str, name: str) -> str:
    """Return the stub of a solution.

    Args:
        source: the text of the reference solution.
        name: how the solution is called in messages.

    Raises:
        CourseError: a mark is misspelt or has no counterpart, there is no region, or the stub is not valid
            Python.
    """
    text = source.replace("\r\n", "\n").removesuffix("\n")
    stub_lines: list[str] = []
    regions = 0
    opened_at = 0  # the line of the region that is open
    for number, line in enumerate(text.split("\n"), start=1):
        mark = line.strip()
        misspelt = NEARLY_A_MARK.search(line)
        if mark == BEGIN:
            if opened_at:
                raise CourseError(
                    f"{name}, line {number}: the region of line {opened_at} is still open"
                )
            regions += 1
            opened_at = number
            is_inside_function = line != BEGIN
            if is_inside_function:
                stub_lines.append(line.replace(BEGIN, PLACEHOLDER))
        elif mark == END:
            if not opened_at:
                raise CourseError(f"{name}, line {number}: {END} without {BEGIN}")
            opened_at = 0
        elif misspelt is not None:
            expected = f"# {misspelt[1].upper()} SOLUTION"
            raise CourseError(
                f"{name}, line {number}: write the mark as {expected}, on its own line"
            )
        elif not opened_at:
            stub_lines.append(line)
    if opened_at:
        raise CourseError(
            f"{name}, line {opened_at}: this region is never closed with {END}"
        )
    stub = "\n".join(stub_lines) + "\n"
    try:
        ast.parse(stub)
    except SyntaxError as error:
        raise CourseError(
            f"{name}: without its solution regions it is not valid Python: {error}"
        ) from error
    if not regions:
        raise CourseError(
            f"{name} has no {BEGIN} … {END} region, so its stub would be the solution"
        )
    return stub


def refuse_leaks(source: str, tasks: Sequence[str], name: str) -> None:
    """Refuse a solution whose stub would show a part of it: each task needs its own region.

    So does each other function or method with a TODO, and the methods that compute the result of a task's
    class.

    Args:
        source: the text of a reference solution, whose marks are in order.
        tasks: the names of the functions and classes that students write.
        name: how the solution is called in messages.

    Raises:
        CourseError: a region is missing, or holds no code; the message names the line and the function.
    """
    lines = source.replace("\r\n", "\n").split("\n")
    hidden_lines = solution_lines(source)

    def require_region(node: ast.stmt, label: str) -> None:
        if hidden_lines.isdisjoint(line_numbers(node)):
            raise CourseError(
                f"{name}, line {node.lineno}: {label} needs a {BEGIN} … {END} region with code in it, "
                f"or its stub would be the solution"
            )

    def has_todo(node: ast.stmt) -> bool:
        node_lines = lines[node.lineno - 1 : node.end_lineno]
        return any(TODO.match(line) for line in node_lines)

    for node in ast.parse("\n".join(lines)).body:
        if isinstance(node, ast.Assign):  # a task that is made by other code
            for target in node.targets:
                if isinstance(target, ast.Name) and target.id in tasks:
                    require_region(node, target.id)
        if not isinstance(node, ast.FunctionDef | ast.ClassDef):
            continue
        is_task = node.name in tasks
        if is_task or has_todo(node):
            require_region(node, node.name)
        if isinstance(node, ast.FunctionDef):
            continue
        for method in node.body:
            if not isinstance(method, ast.FunctionDef):
                continue
            is_computing = is_task and method.name in COMPUTING_METHODS
            if is_computing or has_todo(method):
                require_region(method, f"{node.name}.{method.name}")


def solution_lines(source: str) -> set[int]:
    """Return the numbers of the lines of code within solution regions, which students write; the first is 1."""
    numbers = set()
    is_open = False
    lines = source.replace("\r\n", "\n").split("\n")
    for number, line in enumerate(lines, start=1):
        mark = line.strip()
        if mark in (BEGIN, END):
            is_open = mark == BEGIN
        if is_open and mark != "" and not mark.startswith("#"):
            numbers.add(number)
    return numbers


def notebook_name(homework: Homework) -> str:
    """Return the file name of a homework's notebook: that of the stub, with another ending."""
    return homework.stub.removesuffix(".py") + ".ipynb"


@in_language
def stub_text(homework: Homework) -> str:
    """Return the text of a homework's stub; its dictionary of answers to questions holds None for each.

    Raises:
        CourseError: the reference solution is missing, its regions are wrong or do not cover each task, or
            its mark for the dictionary is missing, or is present without questions.
    """
    path = homework.solution
    if not path.is_file():
        raise CourseError(
            f"{path} is missing: it is the reference solution of {homework.id}"
        )
    source = path.read_text(encoding="utf-8")
    stub = homework.language.translated_lines(strip_solution(source, str(path)))
    refuse_leaks(source, [task.name for task in homework.tasks], str(path))
    marks = []
    for line in stub.split("\n"):
        if line.strip() == MARK:
            marks.append(line)
    expected_marks = [MARK] if homework.questions else []
    if marks != expected_marks:
        expected = "no line"
        if homework.questions:
            expected = "one line"
        raise CourseError(
            f"{path} needs {expected} {MARK}, because questions.toml decides what is asked"
        )
    if not homework.questions:
        return stub
    entries = "".join(
        f'    # {question.title}: {question.form.instruction()}\n    "{question.id}": None,\n'
        for question in homework.questions
    )
    comment = say(
        "Theory questions: the handout has them in full. Replace None with your answers."
    )
    answers = f"# {comment}\n{ANSWERS} = {{\n{entries}}}"
    return stub.replace(MARK, answers)
