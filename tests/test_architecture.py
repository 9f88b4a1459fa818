"""What keeps the kit readable: packages in one order, small faces, short files, heavy imports that wait."""

import ast
import importlib
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from autograder import reasons
from autograder.reasons import explanations

ROOT = Path(__file__).resolve().parents[1]
PACKAGE = ROOT / "autograder"
[LAYERS, *_] = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["tool"]["importlinter"][
    "contracts"
]
PACKAGES = LAYERS["layers"][::-1]
MOST_NAMES = 20
"""What a visitor of a package can take in: the words that the author of a homework writes with."""


def face(package):
    return ast.parse((PACKAGE / package / "__init__.py").read_text("utf-8"))


def test_each_package_says_what_it_is_for():
    for package in PACKAGES:
        assert ast.get_docstring(face(package)), package


@pytest.mark.parametrize("package", PACKAGES)
def test_a_face_is_a_sentence_and_a_sorted_list_of_few_names(package):
    module = importlib.import_module(f"autograder.{package}")
    names = getattr(module, "__all__", [])
    assert len(names) <= MOST_NAMES
    assert names == sorted(set(names), key=lambda name: (not name.isupper(), name))  # as ruff sorts them
    assert all(hasattr(module, name) for name in names)


def test_the_documents_print_the_order():
    order = " < ".join(PACKAGES)
    for name in ("docs/architecture.md", "CONTRIBUTING.md"):
        assert order in " ".join((ROOT / name).read_text("utf-8").split()), name


def test_each_name_of_the_map_of_changes_is_in_a_file_of_its_row():
    text = (ROOT / "docs/architecture.md").read_text("utf-8")
    _, _, section = text.partition("## Where to change what")
    section, _, _ = section.partition("\n## ")
    rows = [line for line in section.splitlines() if line.startswith("| ") and "`" in line]
    assert len(rows) > 10
    for row in rows:
        words = re.findall("`([^`]+)`", row)
        paths = [
            path for word in words for path in (PACKAGE / word, ROOT / word) if "/" in word and path.exists()
        ]
        assert len(paths) == sum("/" in word for word in words), row
        code = "\n".join(path.read_text("utf-8") for path in paths if path.is_file())
        names = [word for word in words if word.isidentifier()]
        assert [name for name in names if not re.search(rf"\b{name}\b", code)] == [], row


def test_the_map_of_the_reasons_names_each_of_their_modules():
    modules = {path.stem for path in (PACKAGE / "reasons").glob("*.py")} - {"__init__"}
    assert set(re.findall(r"``(\w+)``", reasons.__doc__)) == modules


def test_the_table_of_explanations_is_in_their_order():
    guide = (ROOT / "docs/diagnosis.md").read_text("utf-8")
    _, _, table = guide.partition("| function | what it finds |")
    table, _, _ = table.partition("\n\n")
    names = []
    for row in table.splitlines():
        names += re.findall("`([a-z_0-9]+)`", row.split("|")[1]) if row.startswith("| `") else []
    assert names == [explanation.__name__ for explanation in explanations.EXPLANATIONS]


@pytest.mark.parametrize(
    "module", ["autograder.cli.app", "autograder.pytest_plugin", "autograder.batch.graders"]
)
def test_heavy_libraries_are_imported_only_when_needed(module):
    heavy = ("torch", "IPython", "nbformat", "distributed", "otter")
    assert imported_with(module, heavy) == "[]"


@pytest.mark.parametrize(
    ("module", "needless"),
    [
        ("autograder.cli.explain", ("torch", "pandas", "jinja2", "filelock", "hypothesis", "pytest")),
        ("autograder.batch.graders", ("torch", "pandas", "jinja2", "filelock", "rich", "typer", "sqlite3")),
        ("autograder.student.watch", ("torch", "pandas", "jinja2", "filelock", "rich", "typer", "sqlite3")),
        ("autograder.student.judge", ("torch", "pandas", "jinja2", "filelock", "rich", "typer", "sqlite3")),
    ],
)
def test_what_people_wait_for_imports_nothing_that_it_does_not_use(module, needless):
    assert imported_with(module, needless) == "[]"


def imported_with(module, names):
    """Which of these modules are imported with one of ours, as a list."""
    code = f"import sys, {module}; print([name for name in {names} if name in sys.modules])"
    process = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return process.stdout.strip()
