"""The data files of a master: those that it hands out or reads, and that lie next to it."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from typing import Any

from autograder.course.course import DATA_PATH, MOST_DATA_MB
from autograder.otter.code import authors_code
from autograder.otter.master import Master
from autograder.sandbox.request import DataFiles

_READS = re.compile(r"^(?:read|load|open|genfromtxt|fromfile|imread)", re.IGNORECASE)
_PICTURES = (".png", ".jpg", ".jpeg", ".gif", ".svg", ".pdf")
_SETTINGS = ("requirements.txt", "environment.yml")


def data_files_of(master: Master) -> tuple[DataFiles, list[str]]:
    """Return the data files of a master, and the names of those that are missing."""
    files: dict[str, bytes] = {}
    missing = []
    folder = master.path.resolve().parent
    names = [*_read_by_code(master), *_handed_out(master)]
    for name in dict.fromkeys(names):
        path = (folder / name).resolve()
        is_inside = path.is_relative_to(folder)
        is_other = path.suffix.lower() in _PICTURES or path.name in _SETTINGS
        if is_other or not re.search(DATA_PATH, name):
            continue
        if is_inside and path.is_file():
            content = path.read_bytes()
            size_before = sum(map(len, files.values()))
            size = size_before + len(content)
            if size <= MOST_DATA_MB << 20:
                path_in_folder = path.relative_to(folder)
                files[path_in_folder.as_posix()] = content
                continue
            master.notes.append(f"`{name}` is too large for a data file.")
        else:
            missing.append(name)
    return DataFiles(files), missing


def _handed_out(master: Master) -> Iterator[str]:
    files = master.config.get("files") or []
    if isinstance(files, str):
        files = [files]
    for name in files:
        yield str(name)


def _read_by_code(master: Master) -> Iterator[str]:
    """Yield the names of the files that the code of a master opens, where they stand in it as texts."""
    for cell in master.code_cells:
        tree = ast.parse(authors_code(cell))
        for node in ast.walk(tree):
            if not isinstance(node, ast.Call) or not node.args:
                continue
            function = node.func
            name = getattr(function, "id", "")
            name = getattr(function, "attr", name)  # of a method
            first, *_ = node.args
            path: Any = getattr(first, "value", None)
            is_text = isinstance(first, ast.Constant) and isinstance(path, str)
            is_read = _READS.match(name)
            if is_text and is_read and "://" not in path:
                yield path
