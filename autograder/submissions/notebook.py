"""Read the code cells of a notebook, of any format version, whole or a little broken."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from autograder.sandbox.request import Cell
from autograder.submissions.model import Notebook
from autograder.submissions.naming import printable, shown
from autograder.submissions.text import decode

# Empty objects take three bytes in a file and a hundred times that in memory.
MAX_JSON_OBJECTS = 1_000_000
MAX_CELLS = 2000
MAX_SOURCE_LETTERS = 2_000_000
_REMEDY = "save it again from Jupyter or Colab as .ipynb"


def parse_notebook(data: bytes, name: str) -> Notebook:
    """Return the code cells as the student wrote them, numbered from 1 among the code cells; never raises.

    Empty cells are left out and still count.
    The format is JSON with a list of cells; older versions keep it in worksheets and call the source of
    a code cell ``input`` or ``code``. Nothing else is asked of the file.
    """
    try:
        text = decode(data, name)
        tree = _json(data, text.text)
        listed = _cells(tree)
    except _NoNotebook as error:
        return Notebook((), (f"{shown(name)} is no notebook ({error}): {_REMEDY}",))
    sources = [_source(cell) for cell in listed if isinstance(cell, dict) and cell.get("cell_type") == "code"]
    cells = tuple(Cell(number, text) for number, text in enumerate(sources, 1) if text.strip())
    problems = [*text.notes, *_language(tree, name)]
    if len(cells) > MAX_CELLS or sum(len(cell.source) for cell in cells) > MAX_SOURCE_LETTERS:
        return Notebook((), (*problems, too_much(name)))
    if not cells:
        problems.append(f"{shown(name)} has no code cells: ask for the notebook with the work in it")
    return Notebook(cells, tuple(problems))


def too_much(name: str) -> str:
    """Say that a file holds more code than is read of anyone."""
    return (
        f"{shown(name)} holds more than {MAX_SOURCE_LETTERS:,} letters or {MAX_CELLS:,} cells of code and "
        "was not read: keep only the homework's own code in it"
    )


class _NoNotebook(Exception):
    """The bytes are no notebook; the text says in which way."""


def _json(data: bytes, text: str) -> dict[str, Any]:
    if not data.strip():
        raise _NoNotebook("the file is empty")
    if data.count(b"{") + data.count(b"[") > MAX_JSON_OBJECTS:
        raise _NoNotebook("it holds too many objects")
    try:
        tree = json.loads(text, strict=False)
    except json.JSONDecodeError as error:
        raise _NoNotebook(f"line {error.lineno}: {error.msg}") from error
    except (RecursionError, ValueError) as error:
        raise _NoNotebook("it is nested too deeply, or holds an endless number") from error
    if not isinstance(tree, dict):
        raise _NoNotebook("its JSON is not that of a notebook")
    return tree


def _cells(tree: dict[str, Any]) -> list[Any]:
    if isinstance(tree.get("cells"), list):
        return list(tree["cells"])
    worksheets = tree.get("worksheets")
    if not isinstance(worksheets, list):
        raise _NoNotebook("it has no list of cells")
    sheets = [sheet.get("cells") for sheet in worksheets if isinstance(sheet, dict)]
    return [cell for sheet in sheets if isinstance(sheet, list) for cell in sheet]


def _source(cell: dict[str, Any]) -> str:
    raw = next((cell[key] for key in ("source", "input", "code") if key in cell), "")
    lines = raw if isinstance(raw, list) else [raw]
    text = "".join(line for line in lines if isinstance(line, str))
    whole = text.encode("utf-8", "replace").decode("utf-8")  # JSON can spell halves of characters
    return whole.replace("\r\n", "\n").replace("\r", "\n")


def _language(tree: dict[str, Any], name: str) -> Iterator[str]:
    """A notebook that says it is written in another language is run as Python all the same."""
    metadata = tree.get("metadata")
    kernel = metadata.get("kernelspec") if isinstance(metadata, dict) else None
    language = kernel.get("language") if isinstance(kernel, dict) else None
    if isinstance(language, str) and not language.lower().startswith(("python", "ipython")) and language:
        yield f"{shown(name)} says it is written in {printable(language)[:30]}: it was read as Python"
