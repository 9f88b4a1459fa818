"""Write the files of a handout: Markdown, its picture, and one HTML file that needs no other.

The page has its style, its picture, its formulas and a font for these inside.
"""

from __future__ import annotations

import datetime as dt
import re
from base64 import b64encode
from collections.abc import Mapping, Sequence
from html import escape
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import autograder
from autograder.course.course import MASTER
from autograder.course.homework import CourseError, Homework
from autograder.course.stub import notebook_name
from autograder.handouts.course_map import map_svg, read_map
from autograder.handouts.figures import svg
from autograder.handouts.text import (
    MARKDOWN,
    PAGE,
    PICTURE_FILE,
    fill_handout,
    line_up_pipes,
    question_list,
    read_example,
)
from autograder.language import say
from autograder.sandbox.pool import SandboxPool
from autograder.student.course_map import MAP_FILE
from autograder.templates import render
from autograder.verdict.checks import load_checks

HANDOUT = "handout.md"
PAGE_FILE = "handout.html"
TASKS_MARK = "{{ tasks }}"
QUESTIONS_MARK = "{{ questions }}"
CHECKS_MARK = "{{ checks }}"
MATH_FONT = Path(autograder.__file__).parent / "authoring" / "templates" / "math.woff2"
ROOT_OR_INDEX = re.compile(r"(√?)\b([A-Za-z]_[A-Za-z]\b(?: = \d+)?)|√([A-Za-z])\b")
"""Roots and letters with an index in plain text."""
WORD_AS_OPERATOR = re.compile(r"<mo>([A-Za-z]{2,})</mo>")
"""A word that browsers set apart like a plus sign."""
MATHML = "http://www.w3.org/1998/Math/MathML"
WORD = re.compile(r"[A-Za-z]{2,}")
ROWS = ("math", "mrow", "mtd")
"""Elements of MathML that lay out any number of children in a row; others count theirs."""
FENCE = re.compile(r"^(?:```|~~~)")
SECTION = re.compile(r"^#{1,3} ")


def handout_files(homework: Homework, pool: SandboxPool) -> Mapping[str, str]:
    """Return the text of each file of the handout, by file name."""
    path = homework.language.existing_path(homework.folder / HANDOUT)
    template = ""
    if path.is_file():
        template = path.read_text("utf-8")
    if TASKS_MARK not in template:
        raise CourseError(
            f"{path} needs a line {TASKS_MARK}, where the table of tasks goes"
        )
    if homework.questions and QUESTIONS_MARK not in template:
        raise CourseError(
            f"{path} needs a line {QUESTIONS_MARK}, where the questions of questions.toml go"
        )
    if CHECKS_MARK not in template:
        heading = say("How to check")
        template = f"{template.rstrip()}\n\n## {heading}\n\n{CHECKS_MARK}\n"
    template = _with_commands(template, homework)
    title, _, text = template.partition("\n")
    template = f"{title}\n\n{{{{ facts }}}}\n\n{{{{ course_map }}}}\n{text}"
    example = read_example(homework, pool)
    blocks = _blocks(homework, text)
    course_map = read_map(homework.folder.parent)
    map_in_markdown = ""
    map_in_page = ""
    if course_map:
        map_in_page = map_svg(course_map, here=homework.id)
        map_in_markdown = f"![{course_map.title}. {course_map.description}]({MAP_FILE})"
    try:
        markdown = fill_handout(
            template, {**blocks, "course_map": map_in_markdown}, example, MARKDOWN
        )
        html = fill_handout(
            template, {**blocks, "course_map": map_in_page}, example, PAGE
        )
        files = {
            HANDOUT: line_up_pipes(markdown),
            PAGE_FILE: page(homework.title, html),
        }
        if example.picture:
            files[PICTURE_FILE] = svg(example.picture)
        if course_map:
            files[MAP_FILE] = map_in_page
        return files
    except ValueError as error:
        raise CourseError(f"{path}: {error}") from error


def _with_commands(template: str, homework: Homework) -> str:
    """Return the handout with the command that checks a task at the end of the task's section."""
    commands = {}
    for task in homework.tasks:
        command = say("To check it: `python check.py {task}`", task=task.name)
        commands[f"### `{task.name}`"] = [command, ""]
    lines = []
    pending: list[str] = []
    is_code = False
    for line in template.splitlines():
        if FENCE.match(line):
            is_code = not is_code
        if SECTION.match(line) and not is_code:
            lines += pending
            pending = []
            for heading, command_lines in commands.items():
                if line.startswith(heading):
                    pending = command_lines
        lines.append(line)
    if pending:
        lines += ["", *pending]
    return "\n".join(lines).rstrip() + "\n"


def _blocks(homework: Homework, text: str) -> Mapping[str, object]:
    """Return the texts from the homework's files that replace placeholders."""
    points = {task.name: f"{task.points:g}" for task in homework.tasks}
    public = dict.fromkeys(points, 0.0)
    for check in load_checks(homework):
        if check.public:
            public[check.task] += check.points
    notebook = None
    if (homework.folder / MASTER).is_file():
        notebook = notebook_name(homework)
    due = homework.due and homework.due.astimezone(dt.UTC)

    def fill_template(name: str) -> str:
        text_of_template = render(
            "autograder.authoring",
            name,
            homework=homework,
            text=text,
            public=public,
            notebook=notebook,
            due=due,
        )
        return text_of_template.rstrip()

    place = say("at the end of `{file}`", file=homework.stub)
    if notebook:
        place = say("at the end of `{file}` or of the notebook", file=homework.stub)
    questions = ROOT_OR_INDEX.sub(_typeset, question_list(homework, place))
    return {
        "tasks": fill_template("tasks.txt"),
        "facts": fill_template("handout_facts.txt"),
        "checks": fill_template("handout_checks.txt"),
        "questions": questions,
        "points": points,
    }


def _typeset(match: re.Match[str]) -> str:
    root, letters, letter_under_root = match.groups()
    if root or letter_under_root:
        return f"$\\sqrt{{{letters or letter_under_root}}}$"
    return f"${letters}$"


def page(title: str, markdown: str) -> str:
    """Return the HTML page of a handout's Markdown, with a table of contents where it has sections.

    Tables scroll by themselves and, like code, can be reached by keyboard. Their headers are the first row,
    and the first cell of each other row.

    Raises:
        ValueError: a formula uses LaTeX that cannot be shown.
    """
    from markdown_it import MarkdownIt
    from mdit_py_plugins.anchors import anchors_plugin
    from mdit_py_plugins.dollarmath import dollarmath_plugin

    def fence(_: Any, tokens: Sequence[Any], index: int, *__: Any) -> str:
        code = escape(tokens[index].content)
        label = say("Code")
        return f'<pre tabindex="0" role="group" aria-label="{label}"><code>{code}</code></pre>\n'

    def code_inline(_: Any, tokens: Sequence[Any], index: int, *__: Any) -> str:
        return f"<code>{escape(tokens[index].content)}</code>"

    def table_open(_: Any, tokens: Sequence[Any], index: int, *__: Any) -> str:
        headers = []
        for token in tokens[index:]:
            if token.type == "tr_close":
                break
            if token.type == "inline" and token.content:
                headers.append(token.content)
        label = escape(say("Table: {headers}", headers=", ".join(headers)))
        return f'<div class="scroll" role="group" aria-label="{label}" tabindex="0"><table>\n'

    parser = MarkdownIt("commonmark", {"html": True}).enable("table")
    dollarmath_plugin(parser, allow_labels=False, allow_space=False, renderer=mathml)
    anchors_plugin(parser, min_level=2, max_level=3)
    parser.add_render_rule("fence", fence)
    parser.add_render_rule("code_inline", code_inline)
    parser.add_render_rule("table_open", table_open)
    parser.add_render_rule("table_close", lambda *_: "</table></div>\n")
    tokens = parser.parse(markdown)
    contents = []
    for place, token in enumerate(tokens):
        following = None
        if place + 1 < len(tokens):
            following = tokens[place + 1]
        if token.type == "th_open":
            token.attrSet("scope", "col")
        elif token.type == "tr_open" and following and following.type == "td_open":
            # The first cell of each row is its header.
            closing = tokens[place + 3]  # a cell is its opening, its text and its end
            following.tag = closing.tag = "th"
            following.attrSet("scope", "row")
        elif token.type == "heading_open" and following and token.tag in ("h2", "h3"):
            heading = parser.renderInline(following.content)
            contents.append((token.tag, token.attrs["id"], heading))
    html = str(parser.renderer.render(tokens, parser.options, {}))
    start, section, following_sections = html.partition("<h2")
    return render(
        "autograder.authoring",
        "page.html",
        title=title,
        start=start,
        body=section + following_sections,
        contents=contents,
        font=b64encode(MATH_FONT.read_bytes()).decode(),
    )


def mathml(latex: str, options: dict[str, Any]) -> str:
    """Return a formula as MathML, which browsers show and screen readers read without a script.

    Raises:
        ValueError: the converter does not know what the formula uses.
    """
    from latex2mathml.converter import convert

    display = "inline"
    if options["display_mode"]:
        display = "block"
    try:
        written = str(convert(latex.strip(), display=display))
        ElementTree.fromstring(written)
    except Exception as error:  # the converter's errors have no common class
        raise ValueError(
            f"the formula {latex.strip()!r} cannot be shown in HTML: {error!r}"
        ) from error
    if "\\" in written:
        raise ValueError(
            f"the formula {latex.strip()!r} has a command that cannot be shown in HTML"
        )
    with_words = WORD_AS_OPERATOR.sub(r"<mi>\1</mi>", written)
    # Without the namespace, which ElementTree would write as a prefix of each name.
    formula = ElementTree.fromstring(with_words.replace(f' xmlns="{MATHML}"', ""))
    _set_off_functions(formula)
    formula.set("xmlns", MATHML)
    return ElementTree.tostring(formula, encoding="unicode")


def _set_off_functions(formula: ElementTree.Element) -> None:
    """Put a space between a function and its argument, as in ln 2, wherever the two stand in a row.

    In other elements the place of a child says what it is: a space would become the index.
    """
    for row in formula.iter():
        if row.tag not in ROWS:
            continue
        children = list(row)
        for place in reversed(range(len(children) - 1)):
            name, argument = children[place : place + 2]
            is_word = name.tag == "mi" and WORD.fullmatch(name.text or "")
            if is_word and argument.tag in ("mi", "mn"):
                space = ElementTree.Element("mspace", {"width": "0.17em"})
                row.insert(place + 1, space)
