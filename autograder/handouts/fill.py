"""Fill in a handout, which is a jinja2 template, in one of its two forms: Markdown and an HTML page.

======================  ==========================================================================
``{{ tasks }}``         the table of tasks and points
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
from dataclasses import dataclass
from html import escape
from typing import Any

from autograder.handouts.example import Example
from autograder.handouts.listing import code_lines, listed
from autograder.handouts.matrix import Matrix
from autograder.handouts.shapes import Picture
from autograder.handouts.svg import svg
from autograder.handouts.tables import html_tables, text_tables
from autograder.templates import fill

PICTURE_FILE = "handout.svg"


@dataclass(frozen=True)
class Form:
    """How matrices and the picture are written in one kind of file."""

    tables: Callable[[Sequence[Matrix]], str]
    picture: Callable[[Picture], str]


def _linked(picture: Picture) -> str:
    words = re.sub(r"([\[\]\\*_`])", r"\\\1", f"{picture.title}. {picture.description}")
    return f"![{words}]({PICTURE_FILE})"


def _inline(picture: Picture) -> str:
    caption = f"<figcaption>{escape(picture.title)}.</figcaption>"
    return f'<figure tabindex="0">\n{svg(picture)}{caption}\n</figure>'


MARKDOWN = Form(lambda matrices: f"```text\n{text_tables(matrices)}\n```", _linked)
PAGE = Form(html_tables, _inline)


@dataclass(frozen=True, eq=False)
class Shown:
    """A matrix, or a part of it, inside a sentence."""

    matrix: Matrix
    texts: Any
    is_whole: bool = True

    def __getitem__(self, place: int | tuple[int, ...]) -> Shown:
        texts = self.texts
        for index in place if isinstance(place, tuple) else (place,):
            if isinstance(texts, str) or not isinstance(index, int) or index >= len(texts):
                raise ValueError(f"{self.matrix.name} has no entry {place}")
            texts = texts[index]
        return Shown(self.matrix, texts, is_whole=False)

    def __str__(self) -> str:
        return listed(self.texts)


def fill_handout(template: str, blocks: Mapping[str, str], example: Example, form: Form) -> str:
    """Return the handout's text; ``blocks`` are what stands for a name without an argument.

    Raises:
        ValueError: a placeholder means nothing, or names what the example does not have.
    """

    def writer(write: Callable[[Sequence[Matrix]], str]) -> Callable[..., str]:
        def written(*shown: object) -> str:
            matrices = [one.matrix for one in shown if isinstance(one, Shown) and one.is_whole]
            if not matrices or len(matrices) < len(shown):
                known = ", ".join(example.matrices) or "none"
                raise ValueError(f"a table and code are made of whole matrices; the example has {known}")
            return write(matrices)

        return written

    names: dict[str, object] = {
        **blocks,
        "table": writer(form.tables),
        "code": writer(lambda matrices: f"```python\n{code_lines(matrices)}\n```"),
    }
    if example.picture is not None:
        names["picture"] = form.picture(example.picture)
    for name, matrix in example.matrices.items():
        if name in names:
            raise ValueError(f"a matrix of the example cannot be called {name}: the name is taken")
        names[name] = Shown(matrix, matrix.texts())
    return fill(template, names)
