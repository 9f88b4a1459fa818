"""Released homework folders for tests: built once per process, laid out where a test wants them."""

import atexit
import functools
import io
import json
import os
import shutil
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Mapping
from pathlib import Path

from forking import run_forked

from autograder.authoring.release import homework_folder, repository
from autograder.course.course import find_course

HW1, HW4 = "hw1_attention_scores", "hw4_self_attention_columns"

# Only what students install may be imported; everything else is treated as if it were not there.
FENCE = """
import sys
ALLOWED = {*sys.stdlib_module_names, "numpy", "pytest", "_pytest", "pluggy", "iniconfig", "packaging", "py"}
ALLOWED |= {"__main__", "autograder", "public_checks", "conftest", "check"}
ALLOWED |= {"pygments", "attention_scores", "test_mine"}
class Fence:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] not in ALLOWED:
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)
sys.meta_path.insert(0, Fence())
"""
PYTEST = FENCE + "import pytest; sys.exit(pytest.main(sys.argv[1:]))"
CHECK = FENCE + "import runpy; sys.argv = sys.argv[1:]; runpy.run_path(sys.argv[0], run_name='__main__')"
IMPORTED = """
import argparse, copy, dataclasses, difflib, encodings.cp437, gettext, hashlib, importlib.resources, json, locale
import numpy, numpy.typing, random, runpy, shutil, signal, string, symtable, tempfile, threading, tomllib, traceback
import unicodedata, zipfile
"""
IMPORTED_WITH_PYTEST = """
import pytest
from _pytest.config import default_plugins
for name in default_plugins:
    __import__(f"_pytest.{name}")
"""
ANYTHING = "import sys\n"
"""In place of the fence: all libraries that are installed may be imported."""
CHECK_HERE = ANYTHING + CHECK.removeprefix(FENCE)
SHOW = ANYTHING + "sys.argv[1:1] = ['check.py', '--show']\n" + CHECK.removeprefix(FENCE)

ENGINE = "autograder.student.command"
PREPARED = {
    CHECK: (FENCE + IMPORTED, ENGINE),
    PYTEST: (FENCE + IMPORTED + IMPORTED_WITH_PYTEST, "autograder.student.pytest_hooks"),
    CHECK_HERE: (ANYTHING + IMPORTED + "import torch\n", ENGINE),
    SHOW: (ANYTHING + IMPORTED + "import matplotlib.pyplot, torch\n", ENGINE),
}
"""What each program imports first of all, and then of the engine; it runs in a fork of a process that has it."""


@functools.cache
def released(homework_id: str) -> dict[str, bytes]:
    """The files of a released homework."""
    course = find_course(Path(__file__).parent)
    return homework_folder(course, course.homework(homework_id))


@functools.cache
def repository_of(homework_id: str) -> dict[str, bytes]:
    """The files of a released homework's template repository."""
    return repository(find_course(Path(__file__).parent).homework(homework_id), released(homework_id))


def inside(files: dict[str, bytes]) -> dict[str, bytes]:
    """The files of a released homework, its archive replaced by what is inside, as ``archive.pyz/name``."""
    files_inside = {}
    for name, data in files.items():
        if name.endswith(".pyz"):
            with zipfile.ZipFile(io.BytesIO(data)) as archive:
                files_inside.update(
                    {f"{name}/{member}": archive.read(member) for member in archive.namelist()}
                )
        else:
            files_inside[name] = data
    return files_inside


def engine_in(files: Mapping[str, bytes]) -> dict[str, bytes]:
    """The engine in the archive of a released homework: its modules, by name."""
    top = "public_checks.pyz/autograder/"
    return {name: data for name, data in inside(dict(files)).items() if name.startswith(top)}


def unzip(homework_id: str, folder: Path, files: Mapping[str, bytes] | None = None) -> Path:
    """Lay a released homework, or these files of it, into a folder."""
    for name, data in (files or released(homework_id)).items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
    return folder


def used(homework_id: str, folder: Path) -> Path:
    """Lay a released homework into a folder as it is after a first check: unpacked, its modules compiled.

    To unpack and compile takes longer than most checks.
    """
    compiled(homework_id, unzip(homework_id, folder))
    return folder


def compiled(homework_id: str, folder: Path) -> None:
    """Put what a first check unpacks and compiles into the folder of a released homework."""
    shutil.copytree(_checked_once(homework_id) / "__pycache__", folder / "__pycache__")


def limit(folder: Path, **limits: float) -> None:
    """Give a released homework that was checked before other limits than those of its course."""
    [about] = folder.glob("__pycache__/*/homework/homework.json")
    tree = json.loads(about.read_text("utf-8"))
    tree["homework"]["limits"] |= limits
    about.write_text(json.dumps(tree), "utf-8")


@functools.cache
def _checked_once(homework_id: str) -> Path:
    folder = Path(tempfile.mkdtemp(prefix="released-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    unzip(homework_id, folder)
    for program, words in ((CHECK, ("check.py", "--all")), (PYTEST, ("-q",))):
        run(program, *words, cwd=folder, alone=True, PYTHONDONTWRITEBYTECODE="")
    return folder


def run(
    code: str, *arguments: object, cwd: Path, alone: bool = False, engine_of: str = "", **environment: str
) -> subprocess.CompletedProcess[str]:
    """Run one of the programs above as a student would, without the kit's own pytest plugin.

    Args:
        code: the program.
        arguments: its words.
        cwd: its folder.
        alone: whether it starts in a process of its own, and not in a fork of one that has imported libraries.
        engine_of: the homework from whose archive the engine is loaded already; otherwise the program loads it
            from the archive in its folder, as it does for a student.
        environment: further variables.
    """
    everything = {
        **os.environ,
        "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1",
        "PYTHONIOENCODING": "utf-8",
        "COLUMNS": "80",
        **environment,
    }
    words = [str(word) for word in arguments]
    encoding = environment.get("PYTHONIOENCODING", "utf-8")
    if code in PREPARED and not alone and sys.platform != "win32":
        preparation, engine = PREPARED[code]
        if engine_of:
            [home] = (_checked_once(engine_of) / "__pycache__").glob("public_checks-*/")
            preparation += f"sys.path.insert(0, {str(home)!r})\nimport {engine}\nsys.path.pop(0)\n"
        ended = run_forked(preparation, code, words, cwd, everything)
        return subprocess.CompletedProcess(
            ended.args, ended.returncode, ended.stdout.decode(encoding), ended.stderr.decode(encoding)
        )
    return subprocess.run(
        [sys.executable, "-c", code, *words],
        cwd=cwd,
        capture_output=True,
        encoding=encoding,
        env=everything,
        check=False,
    )
