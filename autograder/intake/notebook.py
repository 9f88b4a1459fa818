"""Read source files and notebooks, and turn ``%magic``, ``!command`` and ``name?`` into Python."""

from __future__ import annotations

import importlib
import json
import re
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from autograder.intake.naming import ending
from autograder.intake.submission import Problem, SourceFile
from autograder.intake.text import Script, clean, decode
from autograder.sandbox.request import Cell
from autograder.untrusted_text import name_in_message, name_to_store

# Empty objects take three bytes in a file and a hundred times that in memory.
MAX_JSON_OBJECTS = 1_000_000
MAX_CELLS = 2000
MAX_SOURCE_LETTERS = 2_000_000

_NOTEBOOK_TEXT = re.compile(r'\s*\{.*"(?:cells|worksheets)"\s*:\s*\[', re.DOTALL)
_INSTALLER = r"(?:pip3?|conda|mamba)[ \t]+(?:install|uninstall|download|freeze|list|show|update|create)\b"
_BARE_INSTALLER = re.compile(rf"^(?=[ \t]*{_INSTALLER})([ \t]*)", re.MULTILINE)
_IPYTHON_ONLY = re.compile(
    r"^[ \t]*[%!?]"  # a magic, a shell command, or help before the name
    r"|^[ \t]*[%\w.\[\]*]+\?{1,2}[ \t]*$"  # help after the name
    r"|^[\w., \t]+=[ \t]*[%!]\w"  # the result of a magic or a shell command
    r"|\A(?:[ \t]*\n)*(?:[ \t]+[^ \t\n]|>>> |In \[)",  # indented or pasted with its prompt
    re.MULTILINE,
)
# These only watch their cell; without them its statements run one by one, as in any other cell.
_WATCHING = re.compile(
    r"\A((?:[ \t]*(?:#[^\n]*)?\n)*)[ \t]*(%%(?:time|timeit|capture|prun)\b)"
)
_SHELL_LINE = re.compile(r"^[ \t]*[%!][A-Za-z]", re.MULTILINE)

_LINE_MAGIC = re.compile(
    r"^([ \t]*(?:[\w., \t]+=[ \t]*)?)(?:%(\w+)[ \t]*(.*)|!+[ \t]*(\w.*))$", re.MULTILINE
)
_HELP = re.compile(r"^([ \t]*)(?:\?+[%\w.]+|[%\w.\[\]*]+\?{1,2})[ \t]*$", re.MULTILINE)

# IPython looks for the name before a question mark in time quadratic in the length of a word.
_LONG_WORD = re.compile(r"[\w*.\[\]-]{300}")
_ROUND = re.compile(r"^[ \t]*[%!?,;/]|\?[ \t]*$|=[ \t]*[%!]", re.MULTILINE)

_MAX_STACKED = 3
_MAX_LINE = 2000
_MAX_WORK = 300_000  # letters times rounds: about two seconds at worst
_ROUND_COST = 50  # letters that take as long as a round over none


def read_script(file: SourceFile) -> Script:
    """Return a source file as text; never raises."""
    if ending(file.path) == ".ipynb":
        return parse_notebook(file.data, file.path)
    script = decode(file.data, file.path)
    if _NOTEBOOK_TEXT.match(script.text):
        note = f"{name_in_message(file.path)} is a notebook by its contents and was read as one"
        return replace(parse_notebook(file.data, file.path), notes=(note,))
    if len(script.text) > MAX_SOURCE_LETTERS:
        return replace(script, text="", cells=(), problems=(_too_much(file.path),))
    return script


def parse_notebook(data: bytes, name: str) -> Script:
    """Return a notebook, its code cells numbered from 1; never raises.

    Empty cells are left out and still count.
    """
    decoded = decode(data, name)
    try:
        tree = notebook_tree(data, decoded.text)
        sources = list(_sources(tree))
    except ValueError as error:
        text = f"is not a notebook ({error}): save it again from Jupyter or Colab as .ipynb"
        return Script(name, "", (), problems=(Problem.of(name, text),))
    cells = []
    for number, source in enumerate(sources, 1):
        if source.strip():
            cells.append(Cell(number, source))
    problems = [Problem(note) for note in decoded.notes]
    language = _language(tree)
    if language and not language.lower().startswith(("python", "ipython")):
        text = f"says it is written in {name_to_store(language)[:30]}: it was read as Python"
        problems.append(Problem.of(name, text))
    letters = sum(len(cell.source) for cell in cells)
    if len(cells) > MAX_CELLS or letters > MAX_SOURCE_LETTERS:
        return Script(name, "", (), problems=(*problems, _too_much(name)))
    if not cells:
        problems.append(
            Problem.of(
                name,
                "has no code cells: hand in the notebook with the work in it",
                "ask for it",
            )
        )
    return Script(
        name,
        "\n".join(cell.source for cell in cells),
        tuple(cells),
        problems=tuple(problems),
    )


def _language(tree: dict[str, Any]) -> str:
    """Return the language of a notebook's kernel, "" if the notebook does not say."""
    metadata = tree.get("metadata")
    kernel = metadata.get("kernelspec") if isinstance(metadata, dict) else None
    language = kernel.get("language") if isinstance(kernel, dict) else None
    if isinstance(language, str):
        return language
    return ""


def _too_much(name: str) -> Problem:
    return Problem.of(
        name,
        f"holds more than {MAX_SOURCE_LETTERS:,} letters or {MAX_CELLS:,} cells of code "
        "and was not read: keep only the homework's own code in it",
    )


def notebook_tree(data: bytes, text: str) -> dict[str, Any]:
    """Return the JSON of a notebook.

    Raises:
        ValueError: the file is not a notebook; the message says why.
    """
    if not data.strip():
        raise ValueError("the file is empty")
    if data.count(b"{") + data.count(b"[") > MAX_JSON_OBJECTS:
        raise ValueError("it holds too many objects")
    try:
        tree = json.loads(text, strict=False)
    except json.JSONDecodeError as error:
        raise ValueError(f"line {error.lineno}: {error.msg}") from error
    except (RecursionError, ValueError) as error:
        raise ValueError(
            "it is nested too deeply, or contains a number that is too long"
        ) from error
    if not isinstance(tree, dict):
        raise ValueError("it is JSON, but not a notebook")
    return tree


def _sources(tree: dict[str, Any]) -> Iterator[str]:
    """Yield the code of each code cell.

    The cells are a list; older versions keep it in worksheets and call the source of a code cell ``input`` or
    ``code``. No other part of the file is needed.
    """
    sheets = tree.get("worksheets")
    if isinstance(tree.get("cells"), list):
        sheets = [tree]
    if not isinstance(sheets, list):
        raise ValueError("it has no list of cells")
    for sheet in sheets:
        cells = sheet.get("cells") if isinstance(sheet, dict) else None
        if not isinstance(cells, list):
            continue
        for cell in cells:
            if isinstance(cell, dict) and cell.get("cell_type") == "code":
                yield _source(cell)


def _source(cell: dict[str, Any]) -> str:
    """Return the text of a code cell, which is a string or a list of lines."""
    for key in ("source", "input", "code"):
        if key in cell:
            source = cell[key]
            lines = source if isinstance(source, list) else [source]
            text = ""
            for line in lines:
                if isinstance(line, str):
                    text += line
            return clean(text)
    return ""


def _without_ipython(source: str) -> str:
    """Translate a cell's magics and shell lines as IPython would, if each is on its own line."""
    cell_magic = re.match(r"\s*%%(\w+)[ \t]*(.*)\n([\s\S]*)", source)
    if cell_magic is not None:
        magic, arguments, body = cell_magic.groups()
        return f"get_ipython().run_cell_magic({magic!r}, {arguments!r}, {body!r})"

    def call(line: re.Match[str]) -> str:
        before, magic, arguments, command = line.groups()
        if magic:
            return f"{before}get_ipython().run_line_magic({magic!r}, {arguments!r})"
        # Before "=" or nothing: the output of the command is assigned, or only shown.
        function = "system"
        if before.strip():
            function = "getoutput"
        return f"{before}get_ipython().{function}({command!r})"

    return _HELP.sub(r"\1pass", _LINE_MAGIC.sub(call, source))


class Translator:
    """Translates cells of one submission with IPython's own rules, up to an amount of work.

    IPython needs time proportional to a cell's length for each magic in it. A cell that exceeds the amount,
    has a very long line, or cannot be translated stays as it is; it fails in the worker, which records that.
    """

    def __init__(self) -> None:
        self._work_left = _MAX_WORK

    def cell(self, source: str) -> str:
        """Return a cell as Python, with as many lines before each statement as the student sees."""
        if len(source) > self._work_left:
            return source
        for _ in range(_MAX_STACKED):
            source = _WATCHING.sub(r"\1# \2", source)
        source = _BARE_INSTALLER.sub(r"\1%", source)
        if _IPYTHON_ONLY.search(source):
            return self._translated(source)
        return source

    def script(self, text: str) -> str:
        """Return a ``.py`` as Python; downloads of notebooks hold magics and shell lines as well."""
        if len(text) > self._work_left:
            return text
        python = text
        if _SHELL_LINE.search(text):
            python = self._translated(text)
        if python.strip() == text.strip():
            return text
        return python

    def _translated(self, source: str) -> str:
        work = len(source) * (1 + len(_ROUND.findall(source)))
        longest_line = max(map(len, source.split("\n")))
        if work > self._work_left or longest_line > _MAX_LINE:
            return source
        if "?" in source and _LONG_WORD.search(source):
            return source
        blank_lines = re.match(r"(?:[ \t]*\n)*", source)
        try:
            python = self._in_rounds(source)
        except ModuleNotFoundError:  # on a student's machine
            return _without_ipython(source)
        except Exception:  # IPython may raise any; the worker will say what is wrong
            return source
        # IPython drops blank lines at the top, and line numbers in messages would be wrong without them.
        lost_lines = 0
        if blank_lines:
            lost_lines = blank_lines[0].count("\n")
        return "\n" * lost_lines + python

    def _in_rounds(self, source: str) -> str:
        """Return a cell as IPython's ``transform_cell`` would, but with the work of each round counted.

        A round turns one magic into Python, which may begin with the next one: ``;;;;x``.
        """
        # Imported only when it is needed: it takes longer than reading a whole class.
        transformers = importlib.import_module("IPython.core.inputtransformer2")
        ipython: Any = transformers.TransformerManager()
        if not source.endswith("\n"):
            source += "\n"
        lines = source.splitlines(keepends=True)
        for transform in (*ipython.cleanup_transforms, *ipython.line_transforms):
            lines = transform(lines)
        goes_on = True
        while goes_on:
            self._work_left -= sum(map(len, lines)) + _ROUND_COST
            if self._work_left < 0:
                raise RuntimeError("more rounds than there is work left for")
            goes_on, lines = ipython.do_one_token_transform(lines)
        return "".join(lines)
