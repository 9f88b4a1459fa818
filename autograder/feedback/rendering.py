"""Fill in the templates of all pages about submissions, the student's and the staff's."""

from __future__ import annotations

import functools
import hashlib
import re
import statistics
from collections.abc import Sequence
from itertools import zip_longest
from pathlib import Path
from typing import Any

from markupsafe import Markup, escape

from autograder.atomic import replacing
from autograder.course.homework import short_id
from autograder.feedback.task_parts import task_parts
from autograder.feedback.words import as_sentence, change_lines, with_bonus
from autograder.language import say
from autograder.policy.grade import points_of
from autograder.untrusted_text import for_screen
from autograder.verdict.results import most_fundamental
from autograder.verdict.work import RIGHT, Grid

PAGES = "report"
"""The folder of the pages about single submissions, next to the page about the class."""

BUFFERED = 64
LONGEST = 25_000
"""Characters of any one text; those of a result are cut before."""


def page_of(name: str) -> str:
    """Return the file name, without suffix, of the staff's page of a submission.

    It is 128 bits of a hash, because students choose the names of their submissions: of 48 bits, anybody can
    find two names with one page in a minute, and one submission would hide the other from the staff.
    """
    return hashlib.sha256(name.encode("utf-8", "surrogatepass")).hexdigest()[:32]


@functools.lru_cache(maxsize=256)  # the sentences of checks are on every page
def quoted(text: str) -> Markup:
    """Return a text as HTML, with backticks turned into code and everything else escaped."""
    inert = str(escape(_printable(text)))
    return Markup(re.sub("`([^`\n]+)`", r"<code>\1</code>", inert))


def rows_of(grid: Grid, difference: Grid | None = None) -> Markup:
    """Return a grid's rows as HTML, aligned also as plain text; a difference marks the cells that are off."""
    inert = str(escape(_printable("\n".join(grid.rows))))
    rows = [line.split(" ") for line in inert.split("\n")]
    widths = []
    for column in zip_longest(*rows, fillvalue=""):
        lengths = map(len, column)
        widths.append(max(lengths))
    signs: Sequence[str] = ()
    if difference is not None:
        signs = difference.rows[: len(rows)]

    html_rows = []
    for row, row_signs in zip_longest(rows, signs, fillvalue=""):
        cells = list(map(str.rjust, row, widths))
        marks = row_signs.split(" ")
        is_right = set(marks) == {RIGHT}
        if not row_signs or is_right:
            html_rows.append(f"<tr><td>{'</td><td>'.join(cells)}</td></tr>")
            continue
        html_cells = []
        for sign, cell in zip(marks, cells, strict=False):
            off = ' class="off"'
            if sign == RIGHT:
                off = ""
            html_cells.append(f"<td{off}>{cell}</td>")
        html_rows.append(f"<tr>{''.join(html_cells)}</tr>")
    return Markup("\n".join(html_rows))


def page(path: Path, template: str, **values: object) -> None:
    """Write a page piece by piece."""
    stream = _environment().get_template(template).stream(**values)
    stream.enable_buffering(BUFFERED)
    with (
        replacing(path) as part,
        part.open("w", encoding="utf-8", errors="backslashreplace") as file,
    ):
        file.writelines(stream)


def render(template: str, **values: object) -> str:
    """Return a template of this package filled with values, all of them escaped."""
    text: str = _environment().get_template(template).render(**values)
    return text


def warm_templates() -> None:
    """Load the templates of the pages of a submission."""
    for template in ("feedback.html", "submission.html"):
        _environment().get_template(template)


@functools.cache
def _environment() -> Any:  # of jinja2, which is imported within
    """Made once, so that templates are not compiled again for each submission."""
    # Imported here: many commands import this module and write no page.
    from autograder.templates import environment

    engine = environment("autograder.feedback", _printable)
    engine.policies["json.dumps_kwargs"] = {
        "ensure_ascii": False,
        "separators": (",", ":"),
    }
    engine.filters |= {
        "points": points_of,
        # A detail may quote a submission: unlike `say` in a template, this leaves it a text that is escaped.
        "translated": lambda detail: say(detail),
        "with_bonus": with_bonus,
        "parts": task_parts,
        "changes": change_lines,
        "first_to_mend": lambda homework: most_fundamental(homework.checks),
        "quoted": quoted,
        "sentence": as_sentence,
        "rows": rows_of,
        "short": short_id,
        "page_of": page_of,
        "mean": statistics.mean,
        "median": statistics.median,
    }
    return engine


def _printable(value: object) -> object:
    """Show control characters in every text, so that a submission's words cannot disguise themselves.

    What filters such as ``tojson`` made is ready as it is.
    """
    if not isinstance(value, str) or isinstance(value, Markup):
        return value
    if len(value) > LONGEST:
        value = f"{value[:LONGEST]} … {len(value) - LONGEST:,} characters left out"
    if type(value) is str and value.replace("\n", "").isprintable():
        return value
    return for_screen(value, keep="\n\t")
