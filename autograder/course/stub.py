"""Turn a reference solution into a stub: each solution region becomes one ``raise NotImplementedError``.

A region of the module itself, outside functions and classes, leaves nothing: the stub must load.
"""

from __future__ import annotations

import ast
import re

from autograder.course.homework import ANSWERS, CourseError, Homework
from autograder.intake import parse_notebook

BEGIN, END = "# BEGIN SOLUTION", "# END SOLUTION"
PLACEHOLDER = "raise NotImplementedError"
MARK = "# {{ answers }}"
NEARLY_A_MARK = re.compile(r"#\s*(BEGIN|END)\s+SOLUTION\b", re.IGNORECASE)


def strip_solution(source: str, name: str) -> str:
    """Return the stub; ``CourseError`` where a mark is misspelt or alone, or the stub is not valid Python."""
    kept: list[str] = []
    regions, opened = 0, 0  # how many, and the line of the one that is open
    for number, line in enumerate(source.replace("\r\n", "\n").removesuffix("\n").split("\n"), start=1):
        mark = line.strip()
        if mark == BEGIN:
            if opened:
                raise CourseError(f"{name}, line {number}: the region of line {opened} is still open")
            regions, opened = regions + 1, number
            if line != BEGIN:
                kept.append(line.replace(BEGIN, PLACEHOLDER))
        elif mark == END:
            if not opened:
                raise CourseError(f"{name}, line {number}: {END} without {BEGIN}")
            opened = 0
        elif found := NEARLY_A_MARK.search(line):
            wanted = f"# {found[1].upper()} SOLUTION"
            raise CourseError(f"{name}, line {number}: write the mark as {wanted}, alone on its line")
        elif not opened:
            kept.append(line)
    if opened:
        raise CourseError(f"{name}, line {opened}: this region is never closed with {END}")
    stub = "\n".join(kept) + "\n"
    try:
        ast.parse(stub)
    except SyntaxError as error:
        raise CourseError(f"{name}: without its solution regions it is not valid Python: {error}") from error
    if not regions:
        raise CourseError(f"{name} has no {BEGIN} … {END} region, so its stub would be the solution")
    return stub


def notebook_name(homework: Homework) -> str:
    """The file name of a homework's notebook, which is that of its stub but for the ending."""
    return homework.stub.removesuffix(".py") + ".ipynb"


def stub_text(homework: Homework) -> str:
    """Return the text of a homework's stub; its dictionary of answers to questions holds None for each.

    Raises:
        CourseError: the reference solution is missing, its regions are wrong, or its mark for the dictionary
            is missing, or is there without questions.
    """
    path = homework.solution
    if not path.is_file():
        raise CourseError(f"{path} is missing: it is the reference solution of {homework.id}")
    stub = strip_solution(path.read_text(encoding="utf-8"), str(path))
    marks = [line for line in stub.split("\n") if line.strip() == MARK]
    if marks != [MARK] * bool(homework.questions):
        wanted = "one line" if homework.questions else "no line"
        raise CourseError(f"{path} needs {wanted} {MARK}, for questions.toml decides what is asked")
    entries = "".join(f'    # {one.title}: {one.form}\n    "{one.id}": None,\n' for one in homework.questions)
    answers = (
        "# Theory questions: the handout asks them in full. Put your answers in place of None.\n"
        f"{ANSWERS} = {{\n{entries}}}"
    )
    return stub.replace(MARK, answers) if marks else stub


def given_texts(homework: Homework) -> list[str]:
    """Return the code that students are given or led to: stub, notebook if there is one, solution."""
    if homework.base:  # a drill: what students were given is the solution with a mistake, or not code at all
        return [homework.solution.read_text(encoding="utf-8")]
    notebook = homework.folder.parents[1] / "assignments" / homework.id / notebook_name(homework)
    cells = [parse_notebook(notebook.read_bytes(), notebook.name).text] if notebook.is_file() else []
    return [stub_text(homework), *cells, homework.solution.read_text(encoding="utf-8")]


def is_untouched(homework: Homework, text: str) -> bool:
    """Whether a file's text is the homework's stub as it was handed out, apart from white space.

    The text of a notebook is that of its code cells; the notebook as it was handed out is untouched as well.
    What stands before the first task may be that of another release: nothing there outlives the tasks' stubs.
    """
    names = "|".join(re.escape(task.name) for task in homework.tasks)
    first = re.compile(rf"^(?:def|class)[ \t]+(?:{names})\b", re.MULTILINE)
    values = [ANSWERS, *(task.value for task in homework.tasks if task.value)]

    def work(text: str) -> list[str]:
        found = first.search(text)
        before = text[: found.start()] if found else ""
        return text.removeprefix("" if any(one in before for one in values) else before).split()

    return work(text) in [work(given) for given in given_texts(homework)[:-1]]
