"""``python check.py --show``: the pictures of the notebook, drawn with the functions of a ``.py``, on one page."""

from __future__ import annotations

import ast
import base64
import contextlib
import html
import importlib.util
import io
import json
import os
import sys
import webbrowser
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from autograder.language import in_language, say, spoken
from autograder.student.bootstrap import ReleaseError, not_installed, unpacked
from autograder.student.find import OwnWork
from autograder.student.homework import PublicHomework
from autograder.worker.inert import PLOTS
from autograder.worker.load import load_code

PAGE = "pictures.html"
CHECKS_A_TASK = "check_task("
TIME = (300.0, 300.0)
"""Seconds, and seconds of processor time, that loading the student's file may take."""
START = """<!doctype html>
<html lang="{language}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>{title}</title>
<style>
body {{ max-width: 60rem; margin: 0 auto; padding: 1rem; font: 1rem/1.5 system-ui, sans-serif; }}
img {{ display: block; max-width: 100%; margin: .5rem 0; background: #fff; }}
</style>
</head>
<body>
<h1>{title}</h1>
"""


@dataclass
class Section:
    """One cell of the notebook: the heading above it, what it prints, and its pictures as PNG."""

    heading: str
    text: str = ""
    pictures: list[bytes] = field(default_factory=list)


@in_language
def show(public: PublicHomework, folder: Path, work: OwnWork) -> list[str]:
    """Draw the pictures, write them beside the student's file and open them; return what to say.

    Raises:
        ReleaseError: Matplotlib or the notebook is missing, or there is no code; the message says what to do.
    """
    stem = Path(public.homework.stub).stem
    notebook = folder / f"{stem}.ipynb"
    if work.code is None:
        raise ReleaseError(say("no pictures: {trouble}", trouble=work.trouble))
    if work.code.cells is not None:
        return [
            say(
                "{origin} shows its pictures itself: open it in Jupyter or VS Code.",
                origin=work.origin,
            )
        ]
    if notebook.name not in public.handed_out:
        raise ReleaseError(say("no pictures: this homework has no notebook"))
    if not notebook.is_file():
        raise ReleaseError(
            say(
                "the pictures are in {name}, which is not here: unzip the homework "
                "again",
                name=notebook.name,
            )
        )
    if importlib.util.find_spec("matplotlib") is None:
        raise ReleaseError(
            say(
                "no pictures: {not_installed}",
                not_installed=not_installed("matplotlib"),
            )
        )
    loaded = load_code(dict(work.code.files), work.code.entry, None, TIME)
    sections = _draw(notebook, loaded.namespace, unpacked(folder))
    page = folder / PAGE
    page.write_text(_page(public.homework.title, sections), "utf-8")
    lines = [say("The pictures are in {name}.", name=page.name)]
    if not (_has_screen() and webbrowser.open(page.resolve().as_uri())):
        lines.append(
            say(
                "No browser could be started: open {page} yourself.",
                page=page.resolve(),
            )
        )
    return lines


def _has_screen() -> bool:
    """Return whether a browser has a screen: without one, on Linux, a text browser would take this terminal."""
    if not sys.platform.startswith("linux"):
        return True
    return any(
        os.environ.get(name) for name in ("BROWSER", "DISPLAY", "WAYLAND_DISPLAY")
    )


def _draw(notebook: Path, namespace: dict[str, Any], archive: Path) -> list[Section]:
    """Run the notebook's cells that are not for tasks or checks, among the student's own functions."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    sys.path.append(str(archive))
    name = next(filter(importlib.util.find_spec, PLOTS))
    plots: Any = importlib.import_module(name)
    plots.AGAIN = say("Write it, then run `python check.py --show` again.")
    namespace["plots"] = plots
    sections = []
    heading = ""
    for cell in json.loads(notebook.read_text("utf-8"))["cells"]:
        source = "".join(cell["source"])
        if cell["cell_type"] == "markdown":
            heading = _heading_of(source) or heading
        elif cell["cell_type"] == "code":
            try:
                code = _to_run(source, namespace)
            except SyntaxError:
                continue  # a magic, or a line that is not finished: it draws nothing
            section = Section(heading)
            with _collecting(pyplot, section):
                exec(compile(code, f"cell under {heading!r}", "exec"), namespace)
            if section.pictures or section.text:
                sections.append(section)
    return sections


def _to_run(source: str, namespace: Mapping[str, object]) -> ast.Module:
    """Return the statements of a cell that are run: of a cell that checks a task, its plain imports.

    Functions that the student's file defines stay the student's.
    """
    tree = ast.parse(source)
    statements: list[ast.stmt] = []
    for statement in tree.body:
        is_import = isinstance(statement, ast.Import | ast.ImportFrom)
        is_own = (
            isinstance(statement, ast.FunctionDef | ast.ClassDef)
            and statement.name in namespace
        )
        if is_import or (CHECKS_A_TASK not in source and not is_own):
            statements.append(statement)
    return ast.Module(statements, [])


@contextlib.contextmanager
def _collecting(pyplot: Any, section: Section) -> Iterator[None]:
    """Keep what a cell prints and draws; an error in it becomes a sentence."""
    printed = io.StringIO()

    def keep(*_: object, **__: object) -> None:
        for number in pyplot.get_fignums():
            picture = io.BytesIO()
            pyplot.figure(number).savefig(picture, format="png", dpi=120)
            section.pictures.append(picture.getvalue())
        pyplot.close("all")

    shown_before = pyplot.show
    pyplot.show = keep
    try:
        with contextlib.redirect_stdout(printed):
            yield
            keep()
    except Exception as error:
        printed.write(
            say("No picture: {type}: {error}\n", type=type(error).__name__, error=error)
        )
        pyplot.close("all")
    finally:
        pyplot.show = shown_before
        section.text = printed.getvalue().strip()


def _heading_of(markdown: str) -> str:
    last_heading = ""
    for line in markdown.splitlines():
        if line.startswith("#"):
            last_heading = line
    return last_heading.lstrip("#").strip()


def _page(title: str, sections: list[Section]) -> str:
    """Return the page, which needs no other file."""
    language = spoken().code
    parts = [START.format(language=language, title=html.escape(title))]
    heading = ""
    for section in sections:
        if section.heading != heading:
            heading = section.heading
            parts.append(f"<h2>{html.escape(heading)}</h2>\n")
        if section.text:
            parts.append(f"<p>{html.escape(section.text)}</p>\n")
        for picture in section.pictures:
            data = base64.b64encode(picture).decode()
            alt = html.escape(say("Picture: {heading}", heading=heading), quote=True)
            parts.append(f'<img alt="{alt}" src="data:image/png;base64,{data}">\n')
    if not sections:
        parts.append(f"<p>{say('This notebook has no pictures.')}</p>\n")
    parts.append("</body>\n</html>\n")
    return "".join(parts)
