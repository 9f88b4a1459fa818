"""What keeps the kit readable: data flows one way, files stay short, heavy imports wait until needed."""

from __future__ import annotations

import ast
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
PACKAGE = ROOT / "autograder"
ROOMS = (
    "worker",
    "sandbox",
    "submissions",
    "roster",
    "homework",
    "comparison",
    "reference",
    "diagnosis",
    "checks",
    "public",
    "handouts",
    "notebooks",
    "stubs",
    "release",
    "gradescope",
    "grading",
    "gradebook",
    "policy",
    "exports",
    "audit",
    "cluster",
    "cli",
)
MAX_LINES = 400


def imported_rooms(path: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        names = [node.module or ""] if isinstance(node, ast.ImportFrom) else []
        names += [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
        yield from (n.split(".")[1] for n in names if n.startswith("autograder.") and len(n.split(".")) > 1)


def test_every_folder_of_the_package_is_a_room_with_a_docstring() -> None:
    folders = {path.parent.name for path in PACKAGE.glob("*/__init__.py")}
    assert folders == set(ROOMS)
    for room in ROOMS:
        docstring = ast.get_docstring(ast.parse((PACKAGE / room / "__init__.py").read_text("utf-8")))
        assert docstring, room


@pytest.mark.parametrize("room", ROOMS)
def test_a_room_imports_only_from_itself_and_from_rooms_before_it(room: str) -> None:
    allowed = {"errors", "safe_path", "templates", *ROOMS[: ROOMS.index(room) + 1]}
    for path in (PACKAGE / room).glob("*.py"):
        assert set(imported_rooms(path)) <= allowed, path.name


def test_files_stay_short() -> None:
    sources = [
        p for top in ("autograder", "benchmarks", "solutions", "tests") for p in (ROOT / top).rglob("*.py")
    ]
    long = {
        str(path.relative_to(ROOT))
        for path in sources
        if len(path.read_text("utf-8").splitlines()) >= MAX_LINES
    }
    assert long == set()


@pytest.mark.parametrize(
    "module", ["autograder.cli.app", "autograder.pytest_plugin", "autograder.judging.workers"]
)
def test_heavy_libraries_are_imported_only_when_needed(module: str) -> None:
    heavy = ("torch", "IPython", "nbformat", "distributed", "otter")
    code = f"import sys, {module}; print([name for name in {heavy} if name in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
