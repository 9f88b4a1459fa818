"""What keeps the kit readable: ten packages in one order, faces, short files, heavy imports that wait."""

from __future__ import annotations

import ast
import importlib
import subprocess
import sys
from collections.abc import Iterator
from importlib.util import resolve_name
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
PACKAGE = ROOT / "autograder"
PACKAGES = (
    "worker",
    "sandbox",
    "intake",
    "course",
    "judging",
    "records",
    "student",
    "authoring",
    "cluster",
    "cli",
)
FOR_EVERYBODY = {"errors", "faces", "safe_path", "templates"}
NO_FACE = {"worker.limits", "cluster.driver"}
"""Modules that few machines or few commands can load, so that no face imports them."""
MAX_LINES = 650


def imports(path: Path) -> Iterator[str]:
    """The kit's own modules that a file imports, without the name of the package."""
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        names = []
        if isinstance(node, ast.ImportFrom):
            package = ".".join(["autograder", *path.relative_to(PACKAGE).parts[:-1]])
            names = [resolve_name("." * node.level + (node.module or ""), package)]
        names += [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
        yield from (name.removeprefix("autograder.") for name in names if name.startswith("autograder."))


def face(package: str) -> ast.Module:
    return ast.parse((PACKAGE / package / "__init__.py").read_text("utf-8"))


def test_the_packages_are_these_and_each_says_what_it_is_for() -> None:
    assert {path.parent.name for path in PACKAGE.glob("*/__init__.py")} == set(PACKAGES)
    for package in PACKAGES:
        assert ast.get_docstring(face(package)), package


@pytest.mark.parametrize("package", PACKAGES)
def test_a_package_imports_only_from_itself_and_from_packages_before_it(package: str) -> None:
    allowed = {*FOR_EVERYBODY, *PACKAGES[: PACKAGES.index(package) + 1]}
    for path in (PACKAGE / package).glob("*.py"):
        assert {name.partition(".")[0] for name in imports(path)} <= allowed, path.name


@pytest.mark.parametrize("package", PACKAGES)
def test_a_package_takes_what_is_anothers_from_its_face(package: str) -> None:
    for path in (PACKAGE / package).glob("*.py"):
        others = {name for name in imports(path) if name.partition(".")[0] not in (package, *FOR_EVERYBODY)}
        assert {name for name in others if "." in name} <= NO_FACE, path.name


@pytest.mark.parametrize("package", PACKAGES[:-2])
def test_a_face_offers_what_it_lists_and_no_more(package: str) -> None:
    tree = face(package)
    [listed] = [node for node in tree.body if isinstance(node, ast.If)]
    assert ast.unparse(listed.test) == "TYPE_CHECKING"
    assert ast.unparse(listed.orelse[0]) == "__getattr__ = on_demand(__name__)"
    imported = {
        alias.name for node in listed.body if isinstance(node, ast.ImportFrom) for alias in node.names
    }
    module = importlib.import_module(f"autograder.{package}")
    assert module.__all__ == sorted(imported)
    assert all(hasattr(module, name) for name in imported)
    assert not hasattr(module, "no_such_name")
    assert imported.isdisjoint(path.stem for path in (PACKAGE / package).glob("*.py")), (
        "a module hides a name"
    )


def test_the_documents_print_the_order() -> None:
    order = " < ".join(PACKAGES)
    for name in ("docs/architecture.md", "CONTRIBUTING.md"):
        assert order in " ".join((ROOT / name).read_text("utf-8").split()), name


def test_files_stay_short() -> None:
    sources = [p for top in ("autograder", "solutions", "tests") for p in (ROOT / top).rglob("*.py")]
    lines = {path: len(path.read_text("utf-8").splitlines()) for path in sources}
    assert {str(path.relative_to(ROOT)) for path, count in lines.items() if count >= MAX_LINES} == set()


@pytest.mark.parametrize(
    "module", ["autograder.cli.app", "autograder.pytest_plugin", "autograder.judging.workers"]
)
def test_heavy_libraries_are_imported_only_when_needed(module: str) -> None:
    heavy = ("torch", "IPython", "nbformat", "distributed", "otter")
    code = f"import sys, {module}; print([name for name in {heavy} if name in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
