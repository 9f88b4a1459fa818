"""Write ``assignments/`` from ``solutions/`` and verify that it is what would be written."""

from __future__ import annotations

from pathlib import Path

from autograder.authoring.handout_page import handout_files
from autograder.authoring.notebooks import notebook_files
from autograder.course import Course, stub_text
from autograder.intake import read_below
from autograder.sandbox import SandboxPool


def build_assignments(course: Course) -> list[Path]:
    """Write every generated file that is missing or differs, remove stale ones, return those touched."""
    wanted, stale = _wanted(course)
    touched = [path for path, text in wanted.items() if _read(path) != text]
    for path in touched:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(wanted[path], "utf-8", newline="\n")
    for path in stale:
        path.unlink()
        folder = path.parent
        while folder != course.assignments and not any(folder.iterdir()):
            folder.rmdir()
            folder = folder.parent
    return touched + stale


def verify_assignments(course: Course) -> list[str]:
    """Return one line per file that differs from what the solutions give; none when all is in sync."""
    wanted, stale = _wanted(course)
    lines = {
        path: "differs" if path.is_file() else "is missing" for path in wanted if _read(path) != wanted[path]
    }
    lines |= dict.fromkeys(stale, "has no source")
    return [f"{path.relative_to(course.root)} {line}" for path, line in lines.items()]


def _wanted(course: Course) -> tuple[dict[Path, str], list[Path]]:
    """Return the text of every generated file, and the files whose homework or source is gone."""
    wanted: dict[Path, str] = {}
    with SandboxPool() as pool:  # it runs reference solutions
        for homework in course.homeworks():
            stub = stub_text(homework)
            generated = {homework.stub: stub, **handout_files(homework, pool)}
            generated |= notebook_files(homework, stub)
            wanted |= {course.assignments / homework.id / name: text for name, text in generated.items()}
    found = [course.assignments / name for name in read_below(course.assignments)]
    stale = [path for path in found if path not in wanted and path.parent != course.assignments]
    return wanted, stale


def _read(path: Path) -> str | None:
    """Return a file's text with plain line ends; bytes that are not text differ from any generated text."""
    return path.read_text("utf-8", errors="backslashreplace") if path.is_file() else None
