"""Generate ``assignments/`` from ``solutions/``, and verify that the two are in sync."""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import nullcontext
from pathlib import Path

from autograder.archives import read_below
from autograder.authoring.corpus import CORPUS
from autograder.authoring.notebooks import notebook_files
from autograder.course.course import Course
from autograder.course.stub import stub_text
from autograder.handouts.page import handout_files
from autograder.language import speaking
from autograder.sandbox.pool import SandboxPool

REMEDY = "run `autograder assignments build`, and never edit assignments/ by hand"
"""What mends files that are out of sync."""


def build_assignments(course: Course, ids: Iterable[str] | None = None) -> list[Path]:
    """Write every generated file that is missing or differs, and remove stale ones.

    Args:
        course: the course.
        ids: the homeworks, as a command line names them; by default all.

    Returns:
        The files that were written or removed.
    """
    differing, stale = _out_of_sync(course, ids)
    for path, content in differing.items():
        path.parent.mkdir(parents=True, exist_ok=True)
        data = content.encode() if isinstance(content, str) else content
        path.write_bytes(data)
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
    """Return a line for each file that is out of date, and for each homework that is gone.

    The list is empty if all are in sync.
    """
    differing, stale = _out_of_sync(course, ids, pool)
    lines = []
    for path in differing:
        trouble = "is missing"
        if path.is_file():
            trouble = "differs"
        lines.append(f"{path.relative_to(course.root)} {trouble}")
    existing_ids = course.homework_ids()
    removed_ids: dict[str, None] = {}
    for path in stale:
        homework_id = path.relative_to(course.assignments).parts[0]
        if homework_id in existing_ids:
            lines.append(f"{path.relative_to(course.root)} has no source in solutions/")
        else:
            removed_ids[homework_id] = None
    for homework_id in removed_ids:
        lines.append(
            f"assignments/{homework_id} has no homework in solutions/ any more"
        )
    return lines


def left_behind(course: Course) -> list[str]:
    """Return a line for each homework that is gone from solutions/ and has left files elsewhere.

    Those in assignments/ are not among them: a build removes them.
    """
    existing_ids = course.homework_ids()
    folders_of_id: dict[str, list[str]] = {}
    for parent in (course.reference_outputs, course.root / CORPUS):
        for folder in sorted(parent.glob("*/")):
            is_hidden = folder.name.startswith((".", "_"))
            if folder.name not in existing_ids and not is_hidden:
                path = str(folder.relative_to(course.root))
                folders_of_id.setdefault(folder.name, []).append(path)
    lines = []
    for homework_id, paths in folders_of_id.items():
        lines.append(
            f"solutions/ has no {homework_id}, but it has left {' and '.join(paths)}; "
            "delete what is no longer needed"
        )
    return lines


def _out_of_sync(
    course: Course,
    ids: Iterable[str] | None,
    pool: SandboxPool | None = None,
) -> tuple[dict[Path, str | bytes], list[Path]]:
    """Return the content of each generated file that is missing or differs, and files without a source.

    Line ends of a text do not count; bytes that are not text differ from any generated text. Data files are
    copies.
    """
    homeworks = course.homeworks(ids)
    generated: dict[Path, str | bytes] = {}
    opened = nullcontext(pool) if pool else SandboxPool()
    with opened as running:  # handouts run reference solutions
        for homework in homeworks:
            with speaking(homework.language):
                stub = stub_text(homework)
                files = {homework.stub: stub}
                files.update(handout_files(homework, running))
                files.update(notebook_files(homework, stub))
            folder = course.assignments / homework.id
            for name, content in homework.data_files.files.items():
                generated[folder / name] = content
            for name, text in files.items():
                generated[folder / name] = text

    differing = {}
    for path, expected in generated.items():
        is_same = False
        if path.is_file() and isinstance(expected, str):
            is_same = path.read_text("utf-8", errors="backslashreplace") == expected
        elif path.is_file():
            is_same = path.read_bytes() == expected
        if not is_same:
            differing[path] = expected

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
