"""Turn a reference solution into a stub: each solution region becomes one ``raise NotImplementedError``.

A region of the module itself, outside functions and classes, leaves nothing: the stub must load.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Sequence

from autograder.course.homework import ANSWERS, CourseError, Homework

BEGIN, END = "# BEGIN SOLUTION", "# END SOLUTION"
PLACEHOLDER = "raise NotImplementedError"
MARK = "# {{ answers }}"
TODO = re.compile(r"^\s*# TODO\b")
COMPUTES = ("forward", "__call__")
"""The methods of a task's class that always hold a part of its solution."""
NEARLY_A_MARK = re.compile(r"#\s*(BEGIN|END)\s+SOLUTION\b", re.IGNORECASE)


def strip_solution(source: str, name: str) -> str:
    """Return the stub; ``CourseError`` where a mark is misspelt or alone, or the stub is not valid Python."""
    kept: list[str] = []
    regions, opened = 0, 0  # how many, and the line of the one that is open
    for number, line in enumerate(
        source.replace("\r\n", "\n").removesuffix("\n").split("\n"), start=1
    ):
        mark = line.strip()
        if mark == BEGIN:
            if opened:
                raise CourseError(
                    f"{name}, line {number}: the region of line {opened} is still open"
                )
            regions, opened = regions + 1, number
            if line != BEGIN:
                kept.append(line.replace(BEGIN, PLACEHOLDER))
        elif mark == END:
            if not opened:
                raise CourseError(f"{name}, line {number}: {END} without {BEGIN}")
            opened = 0
        elif found := NEARLY_A_MARK.search(line):
            wanted = f"# {found[1].upper()} SOLUTION"
            raise CourseError(
                f"{name}, line {number}: write the mark as {wanted}, alone on its line"
            )
        elif not opened:
            kept.append(line)
    if opened:
        raise CourseError(
            f"{name}, line {opened}: this region is never closed with {END}"
        )
    stub = "\n".join(kept) + "\n"
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
    """Refuse a solution of which the stub would show a part: each task needs a region of its own.

    So does each other function or method with a TODO, and what computes the result of a task's class.

    Args:
        source: the text of a reference solution, whose marks are in order.
        tasks: the names of the functions and classes that students write.
        name: what the solution is called in the message.

    Raises:
        CourseError: a region is missing, or holds no code; the message names the line and the function.
    """
    lines = source.replace("\r\n", "\n").split("\n")
    in_region: list[bool] = []
    is_open = False
    for line in lines:
        mark = line.strip()
        if mark in (BEGIN, END):
            is_open = mark == BEGIN
        is_code = mark != "" and not mark.startswith("#")
        in_region.append(is_open and is_code)

    def needs_region(node: ast.stmt, called: str) -> None:
        first, last = node.lineno - 1, node.end_lineno or node.lineno
        if not any(in_region[first:last]):
            raise CourseError(
                f"{name}, line {node.lineno}: {called} needs a {BEGIN} … {END} region with code in it, "
                f"or its stub would be the solution"
            )

    def has_todo(node: ast.stmt) -> bool:
        return any(
            TODO.match(line) for line in lines[node.lineno - 1 : node.end_lineno]
        )

    for node in ast.parse("\n".join(lines)).body:
        if isinstance(node, ast.Assign):
            targets = [
                target.id for target in node.targets if isinstance(target, ast.Name)
            ]
            for task in set(targets) & set(tasks):
                needs_region(node, task)
        if isinstance(node, ast.FunctionDef | ast.ClassDef) and (
            node.name in tasks or has_todo(node)
        ):
            needs_region(node, node.name)
        if isinstance(node, ast.ClassDef):
            for method in node.body:
                if not isinstance(method, ast.FunctionDef):
                    continue
                if has_todo(method) or (node.name in tasks and method.name in COMPUTES):
                    needs_region(method, f"{node.name}.{method.name}")


def notebook_name(homework: Homework) -> str:
    """The file name of a homework's notebook, which is that of its stub but for the ending."""
    return homework.stub.removesuffix(".py") + ".ipynb"


def stub_text(homework: Homework) -> str:
    """Return the text of a homework's stub; its dictionary of answers to questions holds None for each.

    Raises:
        CourseError: the reference solution is missing, its regions are wrong or do not cover each task, or
            its mark for the dictionary is missing, or is there without questions.
    """
    path = homework.solution
    if not path.is_file():
        raise CourseError(
            f"{path} is missing: it is the reference solution of {homework.id}"
        )
    source = path.read_text(encoding="utf-8")
    stub = strip_solution(source, str(path))
    refuse_leaks(source, [task.name for task in homework.tasks], str(path))
    marks = [line for line in stub.split("\n") if line.strip() == MARK]
    if marks != [MARK] * bool(homework.questions):
        wanted = "one line" if homework.questions else "no line"
        raise CourseError(
            f"{path} needs {wanted} {MARK}, for questions.toml decides what is asked"
        )
    entries = "".join(
        f'    # {one.title}: {one.form}\n    "{one.id}": None,\n'
        for one in homework.questions
    )
    answers = (
        "# Theory questions: the handout asks them in full. Put your answers in place of None.\n"
        f"{ANSWERS} = {{\n{entries}}}"
    )
    return stub.replace(MARK, answers) if marks else stub
