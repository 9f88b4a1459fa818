"""Build the zip to hand in, list what is in it, and warn of what would cost points."""

from __future__ import annotations

import re
import zipfile
from collections.abc import Iterator
from pathlib import Path

from autograder.intake import SourceFile, read_script
from autograder.sandbox import Code
from autograder.student.find import Work, digest
from autograder.student.homework import PublicHomework
from autograder.student.judge import NOT_WRITTEN, Report

EPOCH = (1980, 1, 1, 0, 0, 0)
TRAPS = {
    r"[\"']\s*%\s*\([^()\n]*@": (
        "since NumPy 2.4, formats such as `%f` take no 1×1 array: write `(k.T @ q).item()`"
    ),
    r"\b(?:np|numpy)\.(?:float|int|bool|object|complex|str)\b(?!_|\d)": (
        "this alias was removed in NumPy 1.24: use Python's own type of that name"
    ),
    r"\b(?:np|numpy)\.(?:float_|complex_|unicode_|Inf|Infinity|NaN|infty|PINF|NINF)\b": (
        "this name was removed in NumPy 2.0: write np.float64, np.inf or np.nan"
    ),
    r"\b(?:np|numpy)\.(?:product|cumproduct|alltrue|sometrue|in1d|row_stack|trapz|asfarray|msort)\(": (
        "this function is gone or going from NumPy 2: look for its successor (np.prod, np.vstack …)"
    ),
    r"\b(?:np|numpy)\.(?:concat|permute_dims|matrix_transpose|vecdot|astype|unstack)\(": (
        "this function is new in NumPy 2: with an older NumPy at the grader's it would be missing"
    ),
    r"\b(?:np|numpy)\.matrix\(": "np.matrix multiplies with `*` and stays 2-D: use np.array",
}
"""What works with one version of NumPy and not with another, and what to write instead."""


def pack(public: PublicHomework, folder: Path, work: Work, code: Code, report: Report) -> list[str]:
    """Write the zip into the homework's folder; return lines that say what is in it, and the warnings.

    The files are those that the grader would take: the stub or the notebook, and modules beside it. A module
    that is still as it was handed out stays at home.
    """
    handed_out = set(public.handed_out.values())
    modules = [name for name in work.files if name.endswith(".py") and name != work.origin]
    texts = {name: read_script(SourceFile(name, work.files[name])).text for name in modules}
    names = [work.origin, *(name for name, text in texts.items() if digest(text) not in handed_out)]
    path = folder / f"{public.homework.id}_handin.zip"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name in names:
            archive.writestr(zipfile.ZipInfo(name, EPOCH), work.files[name], zipfile.ZIP_DEFLATED)
    contents = [f"  {name}  ({len(work.files[name])} bytes)" for name in names]
    stopped = [note for note in report.notes if note not in work.notes]
    warnings = [f"warning: {one}" for one in (*stopped, *_warnings(public, work.origin, code, report))]
    return [f"\n{path.name} holds:", *contents, *warnings]


def find_traps(source: str, name: str) -> Iterator[str]:
    """Yield a line for each trap in a source: the file, the line, and the remedy."""
    for number, line in enumerate(source.splitlines(), start=1):
        for pattern, remedy in TRAPS.items():
            if re.search(pattern, line.partition("#")[0]):
                yield f"{name}, line {number}: {remedy}"


def _warnings(public: PublicHomework, origin: str, code: Code, report: Report) -> Iterator[str]:
    """Yield what a student should look at before handing in."""
    stub = public.homework.stub
    if origin not in (stub, Path(stub).with_suffix(".ipynb").name):
        yield f"the file is called {origin}; the handout asks for {stub}"
    if report.trouble:
        yield report.trouble
    for task in dict.fromkeys(one.task for one in report.results if one.reason == NOT_WRITTEN):
        yield f"`{task}` still stops at `raise NotImplementedError`: it would earn nothing"
    wrong = [one for one in report.results if one.reason and one.reason != NOT_WRITTEN]
    if wrong and not report.trouble:
        yield f"{len(wrong)} public checks do not pass; hidden checks ask for more than public ones"
    cells = {f"cell {cell.number}": cell.source for cell in code.cells or ()}
    for name, source in (code.files if code.cells is None else cells).items():
        yield from find_traps(source, name)
