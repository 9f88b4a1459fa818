"""Fill in a handout, which is a jinja2 template, in one of its two forms: Markdown and an HTML page.

The worked example and the picture are computed with the reference solution. The placeholders are:

======================  ==========================================================================
``{{ tasks }}``         the table of tasks and points
``{{ points.NAME }}``   the points of a task
``{{ checks }}``        how students check their work, and what is checked
``{{ questions }}``     the theory questions of ``questions.toml``
``{{ picture }}``       the picture of ``picture.py``
``{{ table(A, B) }}``   matrices of ``example.py``, side by side
``{{ code(A, B) }}``    the same as Python code, to paste
``{{ A[0, 1] }}``       one number inside a sentence; ``A[0]`` is a row of it, ``A`` all
======================  ==========================================================================
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from html import escape
from pathlib import Path
from typing import Any

from autograder.course.calls import Call
from autograder.course.cases import Case, Group, stored_cases
from autograder.course.course import EXAMPLE, PICTURE
from autograder.course.course_files import errors_named, function_of, load_module
from autograder.course.homework import ANSWERS, CourseError, Homework
from autograder.handouts.figures import Picture, Text, svg
from autograder.handouts.numbers import (
    Matrix,
    code_lines,
    html_tables,
    listed,
    rounding_notes,
    text_tables,
)
from autograder.language import Language
from autograder.reasons.mutation import run_variants
from autograder.sandbox.pool import SandboxPool
from autograder.sandbox.report import Answer
from autograder.templates import fill, render
from autograder.verdict.reference import run_course_file
from autograder.worker.wire import Tensor

PICTURE_FILE = "handout.svg"
MARKS = re.compile(r"[\[\]\\*_`]")
BACKSLASH_BEFORE = r"\\\g<0>"
PIPE = re.compile(r"(?<!\\)\|")
TABLE = re.compile(r"^\|.*\n\|[ :|-]+\|[ ]*\n(?:\|.*\n?)*", re.MULTILINE)


@dataclass(frozen=True, eq=False)
class Example:
    """A handout's worked example: its matrices by name, and its picture if it has one."""

    matrices: Mapping[str, Matrix] = field(default_factory=dict)
    picture: Picture | None = None


@dataclass(frozen=True, eq=False)
class Reference:
    """The reference solution of one homework; each call runs in a worker, as a submission's does."""

    homework: Homework
    pool: SandboxPool

    def __call__(self, call: Call) -> Any:
        """Return the solution's result; tensors come as arrays."""
        return _plain(self._answer(call).value)

    def published(self, name: str) -> Any:
        """Return the solution's result for a published case."""
        return self(self.case(name).call)

    def mistaken(self, name: str, misconception: str) -> Any:
        """Return a known mistake's result for a published case, to warn of it."""
        case = self.case(name)
        (mutant,) = run_variants(self.homework, [case], [(misconception,)], self.pool)
        return _plain(mutant.answers[case.id].value)

    def case(self, name: str) -> Case:
        """Return a published case, for its inputs."""
        published = {}
        for case in stored_cases(self.homework):
            if case.group == Group.PUBLISHED:
                published[case.name] = case
        if name not in published:
            known = ", ".join(published)
            raise CourseError(
                f"{self.homework.id} has no published case {name!r}; it has {known}"
            )
        return published[name]

    def parameters(self, call: Call) -> Mapping[str, tuple[int, ...]]:
        """Return the shapes of a module's parameters, by name."""
        return self._answer(call).parameters

    def _answer(self, call: Call) -> Answer:
        case = Case(f"{call.name}/handout", call, group=Group.PUBLIC)
        solution = self.homework.solution
        [answer] = run_course_file(self.homework, solution, [case], self.pool)
        return answer


def _plain(value: Any) -> Any:
    if isinstance(value, Tensor):
        return value.array
    if isinstance(value, tuple | list):
        return type(value)(_plain(part) for part in value)
    return value


def read_example(homework: Homework, pool: SandboxPool) -> Example:
    """Compute a homework's worked example with its reference solution and draw its picture."""
    path = homework.folder / EXAMPLE
    if not path.is_file():
        return Example()
    reference = Reference(homework, pool)
    matrices: dict[str, Matrix] = {}
    for matrix in _result_of(path, "example", lambda make: list(make(reference))):
        if not isinstance(matrix, Matrix):
            kind = type(matrix).__name__
            raise CourseError(f"{path}: example() yields a {kind}, not a Matrix")
        if matrix.name in matrices:
            raise CourseError(f"{path}: two matrices are named {matrix.name!r}")
        matrices[matrix.name] = _translated_matrix(matrix, homework.language)

    picture_path = homework.folder / PICTURE
    if not picture_path.is_file():
        return Example(matrices)
    picture = _result_of(picture_path, "picture", lambda draw: draw(matrices))
    if not isinstance(picture, Picture):
        kind = type(picture).__name__
        raise CourseError(f"{picture_path}: picture() returns a {kind}, not a Picture")
    return Example(matrices, _translated_picture(picture, homework.language))


def _translated_matrix(matrix: Matrix, language: Language) -> Matrix:
    """Return a matrix with its caption and labels in a language; its name is that of a placeholder."""
    return replace(
        matrix,
        caption=language.translated(matrix.caption),
        rows=tuple(map(language.translated, matrix.rows)),
        columns=tuple(map(language.translated, matrix.columns)),
        corner=language.translated(matrix.corner),
    )


def _translated_picture(picture: Picture, language: Language) -> Picture:
    """Return a picture with its words in a language."""
    shapes = []
    for shape in picture.shapes:
        if isinstance(shape, Text):
            shape = replace(shape, words=language.translated(shape.words))
        shapes.append(shape)
    return replace(
        picture,
        title=language.translated(picture.title),
        description=language.translated(picture.description),
        shapes=shapes,
    )


def _result_of(path: Path, name: str, make: Callable[[Any], Any]) -> Any:
    """Return the result of ``make`` for a function in one of the course's files."""
    function = function_of(load_module(path), name)
    with errors_named(path):
        return make(function)


@dataclass(frozen=True)
class HandoutForm:
    """How matrices and the picture are written in one kind of file."""

    tables: Callable[[Sequence[Matrix]], str]
    picture: Callable[[Picture], str]


def _picture_in_markdown(picture: Picture) -> str:
    text = f"{picture.title}. {picture.description}"
    return f"![{MARKS.sub(BACKSLASH_BEFORE, text)}]({PICTURE_FILE})"


def _picture_in_html(picture: Picture) -> str:
    caption = f"<figcaption>{escape(picture.title)}.</figcaption>"
    return f'<figure tabindex="0">\n{svg(picture)}{caption}\n</figure>'


MARKDOWN = HandoutForm(
    tables=lambda matrices: f"```text\n{text_tables(matrices)}\n```",
    picture=_picture_in_markdown,
)
PAGE = HandoutForm(
    tables=html_tables,
    picture=_picture_in_html,
)


@dataclass(frozen=True, eq=False)
class MatrixInText:
    """A matrix, or a part of it, inside a sentence."""

    matrix: Matrix
    texts: Any
    is_whole: bool = True

    def __getitem__(self, place: int | tuple[int, ...]) -> MatrixInText:
        texts = self.texts
        indices = place if isinstance(place, tuple) else (place,)
        for index in indices:
            is_whole_number = isinstance(index, int)
            if isinstance(texts, str) or not is_whole_number or index >= len(texts):
                raise ValueError(f"{self.matrix.name} has no entry {place}")
            texts = texts[index]
        return MatrixInText(self.matrix, texts, is_whole=False)

    def __str__(self) -> str:
        return listed(self.texts)


def fill_handout(
    template: str, blocks: Mapping[str, object], example: Example, form: HandoutForm
) -> str:
    """Return the handout's text; ``blocks`` are the placeholders that are not made of matrices.

    Raises:
        ValueError: a placeholder is unknown, or names what the example does not have.
    """

    def writer(write: Callable[[Sequence[Matrix]], str]) -> Callable[..., str]:
        def write_matrices(*arguments: object) -> str:
            matrices = []
            for argument in arguments:
                if isinstance(argument, MatrixInText) and argument.is_whole:
                    matrices.append(argument.matrix)
            if not matrices or len(matrices) < len(arguments):
                known = ", ".join(example.matrices) or "none"
                raise ValueError(
                    f"a table and code are made of whole matrices; the example has {known}"
                )
            return write(matrices)

        return write_matrices

    def tables_with_notes(matrices: Sequence[Matrix]) -> str:
        tables = form.tables(matrices)
        notes = rounding_notes(matrices)
        if notes:
            return f"{tables}\n\n{notes}"
        return tables

    names: dict[str, object] = {
        **blocks,
        "table": writer(tables_with_notes),
        "code": writer(lambda matrices: f"```python\n{code_lines(matrices)}\n```"),
    }
    if example.picture is not None:
        names["picture"] = form.picture(example.picture)
    for name, matrix in example.matrices.items():
        if name in names:
            raise ValueError(
                f"a matrix of the example cannot be called {name}: the name is taken"
            )
        names[name] = MatrixInText(matrix, matrix.texts())
    return fill(template, names)


def question_list(homework: Homework, where: str) -> str:
    """Return the questions as a numbered list, after a sentence on where the answers go, or nothing."""
    if not homework.questions:
        return ""
    values = {"where": where, "answers": ANSWERS}
    return render(
        "autograder.authoring", "questions.txt", homework=homework, **values
    ).rstrip()


def line_up_pipes(markdown: str) -> str:
    """Return the text with the columns of every pipe table aligned.

    Raises:
        ValueError: a row of a table has more or fewer cells than another.
    """

    def pad(match: re.Match[str]) -> str:
        lines = match[0].splitlines()
        rows = []
        for line in lines:
            cells = PIPE.split(line.strip())[1:-1]
            rows.append([cell.strip() for cell in cells])
        if len({len(row) for row in rows}) > 1:
            raise ValueError(
                f"the rows of the table {lines[0]!r} have different numbers of cells"
            )
        columns = [_padded_column(column) for column in zip(*rows, strict=True)]
        padded_lines = []
        for padded_row in zip(*columns, strict=True):
            padded_lines.append(f"| {' | '.join(padded_row)} |\n")
        return "".join(padded_lines)

    return TABLE.sub(pad, markdown)


def _padded_column(column: Sequence[str]) -> list[str]:
    """Return the cells of a column in one width, to the right where the rule below its head says so."""
    head, rule, *body = column
    width = max(3, *map(len, [head, *body]))
    left_colon = rule[:1].strip("-")
    right_colon = rule[-1:].strip("-")
    place = str.ljust
    if right_colon and not left_colon:
        place = str.rjust
    dashes = "-" * (width - len(left_colon + right_colon))
    cells = [place(cell, width) for cell in body]
    return [place(head, width), f"{left_colon}{dashes}{right_colon}", *cells]
