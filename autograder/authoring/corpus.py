"""The corpus of a homework: whole submissions that must earn everything, or lose exactly what is recorded.

Files in ``correct`` and ``mistaken`` are submissions as they are; one that is older than a task of the
homework gets the solution's function for it. In ``styles*.py`` and ``mistakes*.py`` each
function ``softmax__loops`` is one submission: the reference solution with this function as its ``softmax``. So
is each class ``submission__loops``: each function in it replaces the solution's function of the same name.
"""

from __future__ import annotations

import ast
import re
import textwrap
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from autograder.authoring.statements import with_what_is_used
from autograder.course.course import Course
from autograder.course.homework import CourseError, Homework
from autograder.course.schema import read_toml
from autograder.course.statements import defined_names, text_of
from autograder.reasons.catalogue import read_edits
from autograder.reasons.source_text import Edit, SourceText

CORPUS = Path("tests", "corpus")
RIGHT, WRONG = "correct", "mistaken"
VARIANTS = {RIGHT: "styles*.py", WRONG: "mistakes*.py"}
"""The files of variants, by the folder of whole submissions of the same kind."""
APART = "__"
"""Stands between the name of a function and that of its style."""
SEVERAL = "submission"
"""Stands for the name of a function where a class holds several functions, and what they need, in one style."""
LOSSES = "losses.toml"


@dataclass(frozen=True)
class CorpusSubmission:
    """A submission of the corpus.

    Attributes:
        path: the file that it stands in.
        name: the name of the file, or of the variant in it.
        text: the whole text of the submission.
        is_right: whether it must earn everything.
        loses: the checks that a docstring ``loses: …`` names; None without one.
        borrowed: the tasks that it does not define, which the solution does for it.
    """

    path: Path
    name: str
    text: str
    is_right: bool
    loses: frozenset[str] | None = None
    borrowed: tuple[str, ...] = ()


def read_corpus(course: Course, homework: Homework) -> list[CorpusSubmission]:
    """Read the corpus of a homework, right submissions first; empty where it has none.

    Raises:
        CourseError: a file is not valid Python, or has a variant of a function that the solution has not.
    """
    folder = course.root / CORPUS / homework.id
    submissions = []
    for kind, pattern in VARIANTS.items():
        for path in sorted((folder / kind).glob("*.py")):
            text = path.read_text("utf-8")
            module = _parsed(path, text)
            lacking = _lacking(module, homework)
            submission = CorpusSubmission(
                path=path,
                name=path.stem,
                text=_with_borrowed(text, lacking, homework),
                is_right=kind == RIGHT,
                loses=_loses(module),
                borrowed=lacking,
            )
            submissions.append(submission)
        for path in sorted(folder.glob(pattern)):
            solution = read_edits(homework).solution
            submissions += _variants(path, solution, kind == RIGHT)
    return submissions


def read_losses(course: Course, homework: Homework) -> dict[str, frozenset[str]]:
    """Read which checks each known mistake loses, made as an edit; empty where nothing is recorded."""
    path = course.root / CORPUS / homework.id / LOSSES
    if not path.is_file():
        return {}
    losses = {}
    for name, checks in read_toml(path, dict[str, str]).items():
        losses[name] = frozenset(checks.split(", "))
    return losses


def write_losses(
    course: Course,
    homework_id: str,
    losses: Mapping[str, Iterable[str]],
) -> Path:
    """Record which checks each known mistake loses, by its name; return the file."""
    path = course.root / CORPUS / homework_id / LOSSES
    lines = [f"# Written by `autograder audit {homework_id} --accept`."]
    for name, checks in sorted(losses.items()):
        lost = ", ".join(checks)
        lines.append(f'"{name}" = "{lost}"')
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("\n".join([*lines, ""]), "utf-8")
    return path


def _variants(
    path: Path,
    solution: SourceText,
    is_right: bool,
) -> Iterator[CorpusSubmission]:
    """Yield the solution with each variant of a file in place of the functions that it is a variant of."""
    text = path.read_text("utf-8")
    body = _parsed(path, text).body
    names: set[str] = set()
    for node in body:
        if not isinstance(node, ast.FunctionDef | ast.ClassDef):
            continue
        if APART not in node.name.strip("_"):  # a helper of variants
            continue
        function = node.name.partition(APART)[0]
        trouble = ""
        if node.name in names:
            trouble = "occurs twice"
        elif function != SEVERAL and function not in solution.parts:
            trouble = f"belongs to no function in {solution.path.name}"
        if trouble:
            where = f"{path}, line {node.lineno}"
            remedy = f"name it FUNCTION{APART}STYLE"
            raise CourseError(f"{where}: {node.name} {trouble}; {remedy}")
        names.add(node.name)

        if function == SEVERAL:
            codes, own_parts = _parts_of_class(path, text, node, solution)
        else:
            code = text_of(text, node)
            codes = {function: re.sub(rf"\b{node.name}\b", function, code)}
            own_parts = []

        # Each function stands where the solution's stands.
        edits = set()
        for name, code in codes.items():
            definition = solution.parts[name]
            edits.add(Edit(definition.start, definition.end, code))

        # What the variant uses of its file goes in front of the solution.
        used = with_what_is_used(body, {node.name}) - {node}
        parts = []
        for statement in body:
            if statement in used:
                parts.append(text_of(text, statement))
        yield CorpusSubmission(
            path=path,
            name=node.name,
            text="\n\n".join([*parts, *own_parts, solution.edited(edits)]),
            is_right=is_right,
            loses=_loses(node),
        )


def _parts_of_class(
    path: Path,
    text: str,
    node: ast.FunctionDef | ast.ClassDef,
    solution: SourceText,
) -> tuple[dict[str, str], list[str]]:
    """Split a class into the functions that the solution has too, by name, and its other statements.

    Raises:
        CourseError: it has no function that the solution has.
    """
    codes = {}
    other_statements = []
    docstring = ast.get_docstring(node)
    for statement in node.body if docstring is None else node.body[1:]:
        code = textwrap.dedent(text_of(text, statement))
        name = getattr(statement, "name", "")
        if name in solution.parts:
            codes[name] = code
        else:
            other_statements.append(code)
    if not codes:
        functions = ", ".join(solution.parts)
        raise CourseError(
            f"{path}, line {node.lineno}: {node.name} has no function of {solution.path.name}; "
            f"it may have {functions}"
        )
    return codes, other_statements


def _lacking(module: ast.Module, homework: Homework) -> tuple[str, ...]:
    """Return the tasks for which a file defines neither the function nor the value that counts instead."""
    names: set[str] = set()
    for node in ast.walk(module):
        names |= defined_names(node)
    lacking = []
    for task in homework.tasks:
        if names.isdisjoint({task.name, task.value}):
            lacking.append(task.name)
    return tuple(lacking)


def _with_borrowed(text: str, tasks: Sequence[str], homework: Homework) -> str:
    """Add the solution's functions for some tasks to a file.

    Each one and what it uses of the solution stand in a function of their own. What the file defines by the
    same names neither changes them nor is changed.
    """
    solution = ast.parse(homework.solution.read_text("utf-8"))
    parts = [text]
    for task in tasks:
        used = with_what_is_used(solution.body, {task})
        parts.append(f"def _borrowed_{task}():")
        for statement in solution.body:
            if statement in used:
                parts.append(textwrap.indent(ast.unparse(statement), "    "))
        parts.append(f"    return {task}")
        parts.append(f"\n\n{task} = _borrowed_{task}()")
    return "\n".join(parts)


def _parsed(path: Path, text: str) -> ast.Module:
    try:
        return ast.parse(text)
    except SyntaxError as error:
        raise CourseError(f"{path}, line {error.lineno}: {error.msg}") from error


def _loses(node: ast.Module | ast.FunctionDef | ast.ClassDef) -> frozenset[str] | None:
    """Read the checks that the docstring of a submission says it loses."""
    docstring = ast.get_docstring(node) or ""
    if not docstring.startswith("loses:"):
        return None
    names = docstring.removeprefix("loses:").split(",")
    return frozenset(name.strip() for name in names)
