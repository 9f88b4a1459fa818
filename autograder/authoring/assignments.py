"""Write ``assignments/`` from ``solutions/``, and verify that it is what would be written."""

from __future__ import annotations

from pathlib import Path

from autograder.authoring.archives import files_below
from autograder.authoring.handout_page import handout_files
from autograder.authoring.notebooks import notebook_files
from autograder.course import Course, stub_text
from autograder.sandbox import SandboxPool


def build_assignments(course: Course) -> list[Path]:
    """Write every generated file that is missing or differs, remove stale ones, return those touched."""
    wanted = _wanted(course)
    touched = []
    for path, text in wanted.items():
        if _read(path) != text:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8", newline="\n")
            touched.append(path)
    for path in _stale(course, wanted):
        path.unlink()
        folder = path.parent
        while folder != course.assignments and not any(folder.iterdir()):
            folder.rmdir()
            folder = folder.parent
        touched.append(path)
    return touched


def verify_assignments(course: Course) -> list[str]:
    """Return one line per file that differs from what the solutions give; none when all is in sync."""
    wanted = _wanted(course)
    lines = []
    for path, text in wanted.items():
        found = _read(path)
        if found != text:
            lines.append(f"{path.relative_to(course.root)} {'is missing' if found is None else 'differs'}")
    lines += [f"{path.relative_to(course.root)} has no source" for path in _stale(course, wanted)]
    return lines


def _wanted(course: Course) -> dict[Path, str]:
    """Return the text of every generated file; the pool runs reference solutions."""
    wanted: dict[Path, str] = {}
    with SandboxPool() as pool:
        for homework in course.homeworks():
            stub = stub_text(homework)
            generated = {homework.stub: stub} | {**handout_files(homework, pool)}
            generated |= notebook_files(homework, stub)
            wanted |= {course.assignments / homework.id / name: text for name, text in generated.items()}
    return wanted


def _read(path: Path) -> str | None:
    """Return a file's text with plain line ends; bytes that are not text differ from any generated text."""
    if not path.is_file():
        return None
    return path.read_text(encoding="utf-8", errors="backslashreplace")


def _stale(course: Course, wanted: dict[Path, str]) -> list[Path]:
    """Files whose homework or source is gone, in folders of homeworks."""
    found = files_below(course.assignments).values()
    return [path for path in found if path not in wanted and path.parent != course.assignments]
