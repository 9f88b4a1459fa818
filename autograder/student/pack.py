"""Build the zip to hand in, list what is in it, and warn of what would cost points."""

from __future__ import annotations

import zipfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from autograder.intake import SourceFile, read_script
from autograder.sandbox import Code
from autograder.student.find import Work, digest
from autograder.student.homework import PublicHomework
from autograder.student.judge import NOT_WRITTEN, Report
from autograder.student.traps import find_traps

EPOCH = (1980, 1, 1, 0, 0, 0)


@dataclass(frozen=True)
class Packed:
    """The zip that was built, what is in it with sizes in bytes, and the warnings."""

    path: Path
    contents: tuple[tuple[str, int], ...]
    warnings: tuple[str, ...]


def pack(public: PublicHomework, folder: Path, work: Work, report: Report) -> Packed | None:
    """Write the zip into the homework's folder; without any work there is nothing to pack.

    The files are those that the grader would take: the stub or the notebook, and modules beside it. What is
    still as it was handed out stays at home, unless it is all there is.
    """
    if work.code is None:
        return None
    names = _chosen(public, work)
    path = folder / f"{public.homework.id}_handin.zip"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name in names:
            archive.writestr(zipfile.ZipInfo(name, EPOCH), work.files[name], zipfile.ZIP_DEFLATED)
    contents = tuple((name, len(work.files[name])) for name in names)
    return Packed(path, contents, tuple(warnings_of(public, work, report)))


def warnings_of(public: PublicHomework, work: Work, report: Report) -> Iterator[str]:
    """Yield what a student should look at before handing in."""
    if work.trouble:
        yield work.trouble
    elif work.origin not in (public.homework.stub, Path(public.homework.stub).with_suffix(".ipynb").name):
        yield f"the file is called {work.origin}; the handout asks for {public.homework.stub}"
    if report.trouble:
        yield report.trouble
    unwritten = dict.fromkeys(one.task for one in report.results if one.reason == NOT_WRITTEN)
    for task in unwritten:
        yield f"`{task}` is still the stub: it would earn nothing"
    wrong = [one for one in report.results if one.reason and one.reason != NOT_WRITTEN]
    if wrong and not report.trouble:
        yield f"{len(wrong)} public checks do not pass; hidden checks ask for more than public ones"
    if work.code is not None:
        yield from (trap for name, source in _sources(work.code) for trap in find_traps(source, name))


def _chosen(public: PublicHomework, work: Work) -> list[str]:
    """The file that counts, and the modules that are not as they were handed out."""
    handed_out = set(public.handed_out.values())
    beside = [
        name
        for name, data in work.files.items()
        if name.endswith(".py") and name != work.origin and _digest(name, data) not in handed_out
    ]
    return [work.origin, *beside]


def _digest(name: str, data: bytes) -> str:
    return digest(read_script(SourceFile(name, data)).text)


def _sources(code: Code) -> Iterator[tuple[str, str]]:
    if code.cells is None:
        yield from code.files.items()
    else:
        yield from ((f"cell {cell.number}", cell.source) for cell in code.cells)
