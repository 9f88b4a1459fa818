"""The class that is graded: right answers and known mistakes in turn, no two files alike."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from pathlib import Path

from autograder.course.homework import Homework
from autograder.reasons.catalogue import CATALOGUE, read_catalogue
from autograder.reasons.mutation import mutants
from benchmarks.records import BenchError


def texts(homework: Homework) -> Iterator[str]:
    """Yield submissions without end: the reference solution, then one mistake, and so on."""
    catalogue = [(mistake.id,) for mistake in read_catalogue(homework)]
    if not catalogue:
        path = homework.folder / CATALOGUE
        raise BenchError(
            f"{path} is missing: a class is made of right answers and mistakes"
        )
    right = homework.solution.read_text(encoding="utf-8")
    mistakes = itertools.cycle(list(mutants(homework, catalogue)))
    for number in itertools.count():
        yield f"{next(mistakes) if number % 2 else right}\n# submission {number}\n"


def write_class(homework: Homework, folder: Path, size: int) -> list[Path]:
    """Write a class of single files and return them in the order in which they were made."""
    folder.mkdir(parents=True)
    width = len(str(size))
    files = []
    for number, text in enumerate(itertools.islice(texts(homework), size)):
        files.append(folder / f"student_{number:0{width}}.py")
        files[-1].write_text(text, encoding="utf-8")
    return files
