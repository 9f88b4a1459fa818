"""Generate ``assignments/`` from ``solutions/``, and verify that the two are in sync."""

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


def build_assignments(course: Course, ids: Iterable[str] | None = None) -> list[Path]:
    """Write every generated file that is missing or differs, and remove stale ones.

    Args:
        course: the course.
        ids: the homeworks, as a command line names them; by default all.

    Returns:
        The files that were written or removed.
    """
    differing, stale = _out_of_sync(course, ids)
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
    course: Course,
    ids: Iterable[str] | None = None,
    pool: SandboxPool | None = None,
) -> list[str]:
    """Return a line for each file that is out of date; an empty list if all are in sync."""
    differing, stale = _out_of_sync(course, ids, pool)
    lines = []
    for path in differing:
        trouble = "is missing"
        if path.is_file():
            trouble = "differs"
        lines.append(f"{path.relative_to(course.root)} {trouble}")
    for path in stale:
        lines.append(f"{path.relative_to(course.root)} has no source")
    return lines


def _out_of_sync(
    course: Course,
    ids: Iterable[str] | None,
    pool: SandboxPool | None = None,
) -> tuple[dict[Path, str], list[Path]]:
    """Return the text of each generated file that is missing or differs, and files without a source.

    Line ends do not count; bytes that are not text differ from any generated text.
    """
    homeworks = course.homeworks(ids)
    generated: dict[Path, str] = {}
    opened = nullcontext(pool) if pool else SandboxPool()
    with opened as running:  # handouts run reference solutions
        for homework in homeworks:
            stub = stub_text(homework)
            files = {homework.stub: stub}
            files.update(handout_files(homework, running))
            files.update(notebook_files(homework, stub))
            for name, text in files.items():
                generated[course.assignments / homework.id / name] = text

    differing = {}
    for path, text in generated.items():
        is_same = False
        if path.is_file():
            is_same = path.read_text("utf-8", errors="backslashreplace") == text
        if not is_same:
            differing[path] = text

    folders = [course.assignments]
    if ids:
        folders = [course.assignments / homework.id for homework in homeworks]
    stale = []
    for folder in folders:
        for name in read_below(folder):
            path = folder / name
            if path not in generated and path.parent != course.assignments:
                stale.append(path)
    return differing, stale
