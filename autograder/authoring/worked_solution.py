"""Worked solutions: a homework's solution with its comments, and other right ways to write it.

The code comes from the solution itself and from the corpus, whose submissions are graded. ``other_ways.toml`` in
the homework's folder says which of them are shown, each with a comment.
"""

from __future__ import annotations

import ast
import re
import textwrap
from collections.abc import Iterator, Sequence

from autograder.authoring.corpus import APART, CORPUS, RIGHT, SEVERAL, VARIANTS
from autograder.authoring.statements import used_statements
from autograder.course.course import Course
from autograder.course.homework import CourseError, Homework
from autograder.course.schema import read_toml
from autograder.course.statements import text_of
from autograder.course.stub import BEGIN, END, MARK

WAYS = "other_ways.toml"
TODO = re.compile(r"^(\s*)# TODO (\d+): ")


def worked_solution(course: Course, homework: Homework) -> str:
    """Return the worked solution of a homework as Markdown.

    Raises:
        CourseError: ``other_ways.toml`` is malformed, or names no right submission of the corpus.
    """
    source = homework.solution.read_text("utf-8")
    solution = commented_solution(source)
    parts = [
        f"# {homework.title}: a worked solution",
        f"This is one right way to write `{homework.stub}`; the numbers are those of its TODOs. "
        "Others that earn all points follow; functions that they call but do not show are those of this one.",
        _block(solution),
    ]
    for name, comment in read_ways(homework).items():
        function, _, _ = name.partition(APART)
        if name == function or function == SEVERAL:
            heading = "Another way"
        else:
            heading = f"Another way to write `{function}`"
        code = code_of_way(course, homework, name)
        parts += [f"## {heading}", comment, _block(code)]
    text = "\n\n".join(parts)
    return f"{text}\n"


def read_ways(homework: Homework) -> dict[str, str]:
    """Read the comments on other ways, by their names in the corpus; empty without the file."""
    path = homework.folder / WAYS
    if not path.is_file():
        return {}
    return read_toml(path, dict[str, str])


def commented_solution(source: str) -> str:
    """Return a solution without the marks of its regions and the answers to questions; TODOs become comments."""
    source, _, _ = source.partition(f"\n{MARK}")
    lines = []
    for line in source.split("\n"):
        if line.strip() in (BEGIN, END):
            continue
        comment = TODO.sub(r"\1# \2. ", line)
        lines.append(comment)
    solution = "\n".join(lines)
    return solution.strip()


def code_of_way(course: Course, homework: Homework, name: str) -> str:
    """Return the code of a right submission of the corpus, with what it uses, under the solution's names.

    Raises:
        CourseError: there is none of this name.
    """
    folder = course.root / CORPUS / homework.id
    whole_file = folder / RIGHT / f"{name}.py"
    if whole_file.is_file():
        return whole_file.read_text("utf-8").strip()
    for path in sorted(folder.glob(VARIANTS[RIGHT])):
        text = path.read_text("utf-8")
        body = ast.parse(text).body
        if name not in _functions_and_classes(body):
            continue
        imports, statements = used_statements(body, {name})
        parts = []
        if imports:
            parts.append("\n".join(imports))
        for statement in statements:
            parts += _statements(text, statement, name)
        return "\n\n\n".join(parts)
    raise CourseError(
        f"{homework.folder / WAYS}: {folder} has no right submission {name!r}"
    )


def _functions_and_classes(body: Sequence[ast.stmt]) -> Iterator[str]:
    """Yield the names of the functions and classes of a module."""
    for node in body:
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            yield node.name


def _statements(text: str, statement: ast.stmt, name: str) -> Iterator[str]:
    """Yield the text of a statement; of a class that holds one submission, that of everything in it."""
    function, _, _ = name.partition(APART)
    source = text_of(text, statement)
    if isinstance(statement, ast.ClassDef) and function == SEVERAL:
        if statement.name == name:
            for inner in statement.body:
                # Methods do not see the names of their class, so the module imports them, too.
                if isinstance(inner, ast.Import | ast.ImportFrom):
                    continue
                inner_source = text_of(text, inner)
                yield textwrap.dedent(inner_source)
            return
    yield re.sub(rf"\b{name}\b", function, source)


def _block(code: str) -> str:
    return f"```python\n{code}\n```"
