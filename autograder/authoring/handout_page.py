"""Write the files of a handout: Markdown, its picture, and one HTML file that needs no other.

The page has its style, its picture and its formulas inside.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from html import escape
from typing import TYPE_CHECKING, Any
from xml.etree import ElementTree

from autograder.authoring.handout_figures import svg
from autograder.authoring.handout_text import (
    MARKDOWN,
    PAGE,
    PICTURE_FILE,
    fill_handout,
    line_up_pipes,
    question_list,
    read_example,
)
from autograder.course import CourseError, Homework
from autograder.sandbox import SandboxPool
from autograder.templates import render

if TYPE_CHECKING:
    from markdown_it.token import Token

HANDOUT, PAGE_FILE = "handout.md", "handout.html"
TASKS_MARK, QUESTIONS_MARK = "{{ tasks }}", "{{ questions }}"
WORD_AS_OPERATOR = re.compile(r"<mo>([A-Za-z]{2,})</mo>")  # which browsers set apart like a plus sign


def handout_files(homework: Homework, pool: SandboxPool) -> Mapping[str, str]:
    """Return the text of each file of the handout, by file name.

    Raises:
        CourseError: the handout, its example or its picture is wrong.
    """
    path = homework.folder / HANDOUT
    template = path.read_text(encoding="utf-8") if path.is_file() else ""
    if TASKS_MARK not in template:
        raise CourseError(f"{path} needs a line {TASKS_MARK}, where the table of tasks goes")
    if homework.questions and QUESTIONS_MARK not in template:
        raise CourseError(f"{path} needs a line {QUESTIONS_MARK}, where the questions of questions.toml go")
    example = read_example(homework, pool)
    tasks = render("autograder.authoring", "tasks.txt", homework=homework).rstrip()
    blocks = {"tasks": tasks, "questions": question_list(homework)}
    try:
        markdown, html = (fill_handout(template, blocks, example, form) for form in (MARKDOWN, PAGE))
        files = {HANDOUT: line_up_pipes(markdown), PAGE_FILE: page(homework.title, html)}
        return files | ({PICTURE_FILE: svg(example.picture)} if example.picture else {})
    except ValueError as error:
        raise CourseError(f"{path}: {error}") from error


def page(title: str, markdown: str) -> str:
    """Return the HTML page of a handout's Markdown.

    Tables scroll by themselves and, like code, can be reached by keyboard. Their headers are the first row,
    and the first cell of each other row.

    Raises:
        ValueError: a formula uses LaTeX that cannot be shown.
    """
    from markdown_it import MarkdownIt
    from mdit_py_plugins.dollarmath import dollarmath_plugin

    def fence(_: Any, tokens: Sequence[Token], index: int, *__: Any) -> str:
        return f'<pre tabindex="0"><code>{escape(tokens[index].content)}</code></pre>\n'

    def table_open(_: Any, tokens: Sequence[Token], index: int, *__: Any) -> str:
        end = next(i for i in range(index, len(tokens)) if tokens[i].type == "tr_close")
        headers = [token.content for token in tokens[index:end] if token.type == "inline" and token.content]
        label = escape(f"Table: {', '.join(headers)}")
        return f'<div class="scroll" role="region" aria-label="{label}" tabindex="0"><table>\n'

    parser = MarkdownIt("commonmark", {"html": True}).enable("table")
    dollarmath_plugin(parser, allow_labels=False, allow_space=False, allow_digits=False, renderer=mathml)
    parser.add_render_rule("fence", fence)
    parser.add_render_rule("table_open", table_open)
    parser.add_render_rule("table_close", lambda *_: "</table></div>\n")
    tokens = parser.parse(markdown)
    for i, token in enumerate(tokens):
        if token.type == "th_open":
            token.attrSet("scope", "col")
        if token.type == "tr_open" and tokens[i + 1].type == "td_open":
            closing = next(one for one in tokens[i + 1 :] if one.type == "td_close")
            tokens[i + 1].tag = closing.tag = "th"
            tokens[i + 1].attrSet("scope", "row")
    body = str(parser.renderer.render(tokens, parser.options, {}))
    return render("autograder.authoring", "page.html", title=title, body=body)


def mathml(latex: str, options: dict[str, Any]) -> str:
    """Return a formula as MathML, which browsers show and screen readers read without a script.

    Raises:
        ValueError: the converter does not know what the formula uses.
    """
    from latex2mathml.converter import convert

    display = "block" if options["display_mode"] else "inline"
    try:
        written = str(convert(latex.strip(), display=display))
        ElementTree.fromstring(written)
    except Exception as error:  # the converter's errors have no common class
        raise ValueError(f"the formula {latex.strip()!r} cannot be shown in HTML: {error!r}") from error
    if "\\" in written:
        raise ValueError(f"the formula {latex.strip()!r} has a command that cannot be shown in HTML")
    return WORD_AS_OPERATOR.sub(r"<mi>\1</mi>", written)
