"""Write ``assignments/`` from ``solutions/`` and verify that it is what would be written."""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import nullcontext
from pathlib import Path

from autograder.authoring.notebooks import notebook_files
from autograder.course.course import Course
from autograder.course.stub import stub_text
from autograder.handouts.page import handout_files
from autograder.intake.zips import read_below
from autograder.sandbox.pool import SandboxPool


def build_assignments(course: Course, named: Iterable[str] | None = None) -> list[Path]:
    """Write every generated file that is missing or differs, remove stale ones, return those touched.

    With ids, only the files of these homeworks.
    """
    differing, stale = _out_of_sync(course, named)
    for path, text in differing.items():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8", newline="\n")
    for path in stale:
        path.unlink()
        folder = path.parent
        while folder != course.assignments and not any(folder.iterdir()):
            folder.rmdir()
            folder = folder.parent
    return [*differing, *stale]


def verify_assignments(
    course: Course, named: Iterable[str] | None = None, pool: SandboxPool | None = None
) -> list[str]:
    """Return one line per file that differs from what the solutions give; none when all is in sync."""
    differing, stale = _out_of_sync(course, named, pool)
    lines = {path: "differs" if path.is_file() else "is missing" for path in differing}
    lines |= dict.fromkeys(stale, "has no source")
    return [f"{path.relative_to(course.root)} {line}" for path, line in lines.items()]


def _out_of_sync(
    course: Course, named: Iterable[str] | None, pool: SandboxPool | None = None
) -> tuple[dict[Path, str], list[Path]]:
    """Return the text of each generated file that is missing or differs, and files without a source.

    Line ends do not count; bytes that are not text differ from any generated text.
    """
    wanted: dict[Path, str] = {}
    homeworks = course.homeworks(named)
    folders = (
        [course.assignments / one.id for one in homeworks]
        if named
        else [course.assignments]
    )
    with (
        nullcontext(pool) if pool else SandboxPool() as running
    ):  # it runs reference solutions
        for homework in homeworks:
            stub = stub_text(homework)
            generated = {homework.stub: stub, **handout_files(homework, running)}
            generated |= notebook_files(homework, stub)
            wanted |= {
                course.assignments / homework.id / name: text
                for name, text in generated.items()
            }
    found = [folder / name for folder in folders for name in read_below(folder)]
    texts = {
        path: path.read_text("utf-8", errors="backslashreplace")
        for path in wanted
        if path.is_file()
    }
    differing = {path: text for path, text in wanted.items() if texts.get(path) != text}
    return differing, [
        one for one in found if one not in wanted and one.parent != course.assignments
    ]
