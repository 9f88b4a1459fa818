"""Write ``assignments/`` from ``solutions/``, and verify that it is what would be written."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

from autograder.authoring.handout_page import handout_files
from autograder.authoring.notebooks import notebook_files
from autograder.course import Course, Homework, stub_text
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
        _remove_empty(path.parent, course.assignments)
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


def _stub_file(homework: Homework, _: SandboxPool) -> Mapping[str, str]:
    return {homework.stub: stub_text(homework)}


def _notebook_files(homework: Homework, _: SandboxPool) -> Mapping[str, str]:
    return notebook_files(homework, stub_text(homework))


# Each gives some of a homework's files for students, by name; the pool runs reference solutions.
GENERATORS: tuple[Callable[[Homework, SandboxPool], Mapping[str, str]], ...] = (
    _stub_file,
    handout_files,
    _notebook_files,
)


def _wanted(course: Course) -> dict[Path, str]:
    with SandboxPool() as pool:
        return {
            course.assignments / homework.id / name: text
            for homework in course.homeworks()
            for generate in GENERATORS
            for name, text in generate(homework, pool).items()
        }


def _read(path: Path) -> str | None:
    """Return a file's text with plain line ends; what is no text is no generated file either."""
    if not path.is_file():
        return None
    return path.read_text(encoding="utf-8", errors="backslashreplace")


def _stale(course: Course, wanted: dict[Path, str]) -> list[Path]:
    """Files whose homework or source is gone; what a system or an editor leaves behind is not ours."""
    found = (path for path in course.assignments.glob("*/**/*") if path.is_file())
    return sorted(path for path in found if path not in wanted and not _is_nobodys(path, course))


def _is_nobodys(path: Path, course: Course) -> bool:
    parts = path.relative_to(course.assignments).parts
    return any(part.startswith(".") or part == "__pycache__" for part in parts)


def _remove_empty(folder: Path, top: Path) -> None:
    while folder != top and not any(folder.iterdir()):
        folder.rmdir()
        folder = folder.parent
