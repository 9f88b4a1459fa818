"""The two forms of a handout's tables and picture: in Markdown, and in an HTML page."""

from __future__ import annotations

import re
from collections.abc import Sequence
from html import escape

from autograder.handouts.fill import Form
from autograder.handouts.matrix import Matrix
from autograder.handouts.shapes import Picture
from autograder.handouts.svg import svg
from autograder.handouts.tables import html_tables, text_tables

PICTURE_FILE = "handout.svg"


def _fenced(matrices: Sequence[Matrix]) -> str:
    return f"```text\n{text_tables(matrices)}\n```"


def _linked(picture: Picture) -> str:
    words = re.sub(r"([\[\]\\*_`])", r"\\\1", f"{picture.title}. {picture.description}")
    return f"![{words}]({PICTURE_FILE})"


def _inline(picture: Picture) -> str:
    return (
        f'<figure tabindex="0">\n{svg(picture)}<figcaption>{escape(picture.title)}.</figcaption>\n</figure>'
    )


MARKDOWN = Form(_fenced, _linked)
PAGE = Form(html_tables, _inline)
