"""Submissions as students hand them in: folders, zips and notebooks, made from a few words."""

import io
import json
import os
import zipfile
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from autograder.course.homework import Task
from autograder.intake.matching import HomeworkProfile, match
from autograder.intake.submission import Problem, ReadResult, SourceFile, SubmissionHandins
from autograder.intake.text import Script

Contents = Mapping[str, str | bytes]


def folder_of(path: Path, contents: Contents) -> Path:
    for name, content in contents.items():
        target = path / name
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(as_bytes(content))
    path.mkdir(exist_ok=True)
    return path


def nested_folders(path: Path) -> None:
    """Folders below a folder, deeper than any path that could name them."""
    path.mkdir(exist_ok=True)
    here = os.open(path, os.O_RDONLY)
    for _ in range(1200):
        os.mkdir("d", dir_fd=here)
        below = os.open("d", os.O_RDONLY, dir_fd=here)
        os.close(here)
        here = below
    os.close(here)


def zip_of(contents: Contents, method: int = zipfile.ZIP_DEFLATED) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", method) as archive:
        for name, content in contents.items():
            archive.writestr(name, as_bytes(content))
    return buffer.getvalue()


def code(source: str | list[str], **more: Any) -> dict[str, Any]:
    return {
        "cell_type": "code",
        "metadata": {},
        "outputs": [],
        "execution_count": 1,
        "source": source,
        **more,
    }


def notebook_of(*cells: str | dict[str, Any], **top: Any) -> bytes:
    listed = [cell if isinstance(cell, dict) else code(cell) for cell in cells]
    whole = {"nbformat": 4, "nbformat_minor": 5, "metadata": {}, "cells": listed, **top}
    return json.dumps(whole, ensure_ascii=False).encode()


def read_of(contents: Contents) -> ReadResult:
    files = (SourceFile(path, as_bytes(content)) for path, content in sorted(contents.items()))
    return ReadResult(tuple(files))


def as_bytes(content: str | bytes) -> bytes:
    return content.encode() if isinstance(content, str) else content


def is_one_clean_line(message: str | Problem) -> bool:
    text = message.staff if isinstance(message, Problem) else message
    return bool(text) and text.isprintable()


def task(name: str, points: float = 1.0, value: str | None = None) -> Task:
    return Task(name, points, summary="", returns=(), value=value)


def tasks_of(names: Mapping[str, Sequence[str]]) -> dict[str, dict[str, Task]]:
    """For each homework its tasks by name, each worth a point."""
    return {homework: {name: task(name) for name in listed} for homework, listed in names.items()}


def match_read(
    name: str,
    read: ReadResult,
    stubs: Mapping[str, str],
    chosen: Sequence[str] = (),
    *,
    tasks: Mapping[str, Mapping[str, Task]] | None = None,
    references: Mapping[str, Script] | None = None,
    untouched: Callable[[str, str], bool] = lambda homework, text: False,
) -> SubmissionHandins:
    """Match what was read with homeworks that are described by their stubs and tasks."""
    profiles = []
    for homework, stub in stubs.items():
        own_tasks = (tasks or {}).get(homework, {})
        reference = (references or {}).get(homework)
        profiles.append(HomeworkProfile(homework, stub, own_tasks, reference, partial(untouched, homework)))
    return match(name, read, profiles, chosen)
