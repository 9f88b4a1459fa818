"""The corpus of a homework: whole submissions that must earn everything, or lose exactly what is recorded.

Files in ``correct`` and ``mistaken`` are submissions as they are. In ``styles*.py`` and ``mistakes*.py`` each
function ``softmax__loops`` is one submission: the reference solution with this function as its ``softmax``.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from autograder.authoring.checks_package import lines_of, with_what_is_used
from autograder.course.course import Course
from autograder.course.homework import CourseError, Homework
from autograder.course.schema import read_toml
from autograder.reasons.catalogue import Edit, Solution, read_edits

CORPUS = Path("tests", "corpus")
RIGHT, WRONG = "correct", "mistaken"
VARIANTS = {RIGHT: "styles*.py", WRONG: "mistakes*.py"}
APART = "__"
LOSSES = "losses.toml"


@dataclass(frozen=True)
class Example:
    """One submission of the corpus: where it stands, its text, and whether it must earn everything.

    ``loses`` are the checks that a mistaken one says it loses, in a docstring ``loses: …``; None without one.
    """

    path: Path
    name: str
    text: str
    is_right: bool
    loses: frozenset[str] | None = None


def read_corpus(course: Course, homework: Homework) -> list[Example]:
    """Read the corpus of a homework, right ones first; empty where it has none.

    Raises:
        CourseError: a file is not valid Python, or has a variant of a function that the solution has not.
    """
    folder = course.root / CORPUS / homework.id
    found = []
    for kind, pattern in VARIANTS.items():
        for path in sorted((folder / kind).glob("*.py")):
            text = path.read_text("utf-8")
            found.append(
                Example(
                    path, path.stem, text, kind == RIGHT, _loses(_parsed(path, text))
                )
            )
        for path in sorted(folder.glob(pattern)):
            found += _variants(path, read_edits(homework).solution, kind == RIGHT)
    return found


def read_losses(course: Course, homework: Homework) -> dict[str, frozenset[str]]:
    """Read which checks each known mistake loses, made as an edit; empty where nothing is recorded."""
    path = course.root / CORPUS / homework.id / LOSSES
    found = read_toml(path, dict[str, str]) if path.is_file() else {}
    return {name: frozenset(checks.split(", ")) for name, checks in found.items()}


def write_losses(
    course: Course, homework_id: str, losses: Mapping[str, Iterable[str]]
) -> Path:
    """Record which checks each known mistake loses; return the file."""
    path = course.root / CORPUS / homework_id / LOSSES
    lines = [f"# Written by `autograder audit {homework_id} --accept`."]
    lines += [
        f'"{name}" = "{", ".join(checks)}"' for name, checks in sorted(losses.items())
    ]
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("\n".join([*lines, ""]), "utf-8")
    return path


def _variants(path: Path, solution: Solution, is_right: bool) -> Iterator[Example]:
    """Yield the solution with each variant of the file in place of its own function."""
    text = path.read_text("utf-8")
    body, names = _parsed(path, text).body, set[str]()
    for node in body:
        if not isinstance(
            node, ast.FunctionDef | ast.ClassDef
        ) or APART not in node.name.strip("_"):
            continue
        part = node.name.partition(APART)[0]
        if part not in solution.parts or node.name in names:
            why = (
                "is there twice"
                if node.name in names
                else f"is of no function in {solution.path.name}"
            )
            raise CourseError(
                f"{path}, line {node.lineno}: {node.name} {why}; name it FUNCTION{APART}STYLE"
            )
        own = re.sub(rf"\b{node.name}\b", part, lines_of(text, node))
        replaced = solution.parts[part]
        edited = solution.edited({Edit(replaced.start, replaced.end, own)})
        names.add(node.name)
        used = with_what_is_used(body, {node.name}) - {node}
        whole = "\n\n".join(
            [*(lines_of(text, one) for one in body if one in used), edited]
        )
        yield Example(path, node.name, whole, is_right, _loses(node))


def _parsed(path: Path, text: str) -> ast.Module:
    try:
        return ast.parse(text)
    except SyntaxError as error:
        raise CourseError(f"{path}, line {error.lineno}: {error.msg}") from error


def _loses(node: ast.Module | ast.FunctionDef | ast.ClassDef) -> frozenset[str] | None:
    said = ast.get_docstring(node) or ""
    names = said.removeprefix("loses:").split(",")
    return (
        frozenset(name.strip() for name in names) if said.startswith("loses:") else None
    )
