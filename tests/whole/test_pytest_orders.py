"""``pytest --submission`` in every order: pytest loads nothing that lies in a submission or beside it."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

HW1 = "hw1_attention_scores"
LOOK = "--collect-only"
QUICKLY = ("-p", "no:cacheprovider", "-p", "no:hypothesispytest")  # a plugin that imports for half a second
PYTEST = str(Path(sys.executable).with_name("pytest"))
SETTINGS = {
    "pytest.ini": "[pytest]\n{}",
    ".pytest.ini": "[pytest]\n{}",
    "tox.ini": "[pytest]\n{}",
    "setup.cfg": "[tool:pytest]\n{}",
    "pyproject.toml": "[tool.pytest.ini_options]\n{}",
    "pytest.toml": "[pytest]\n{}",
}
LISTS = {"pyproject.toml": 'addopts = "-p evil {}"\npythonpath = ["."]\n'}
LISTS["pytest.toml"] = 'addopts = ["-p", "evil", "{}"]\npythonpath = ["."]\n'
MORE = "-p no:autograder"
MODULES = ("evil", "conftest", "test_evil", "autograder", "torch", "numpy", "setup", "sitecustomize", "math")


@dataclass(frozen=True)
class Hostile:
    """A right submission among files that pytest loads from a folder of tests, in a class folder like it."""

    folder: Path
    marker: Path
    graders: Path

    def run(self, *words, cwd):
        return subprocess.run(
            [PYTEST, *QUICKLY, "-q", *map(str, words)],
            cwd=cwd,
            capture_output=True,
            text=True,
            check=False,
        )


@pytest.fixture(params=SETTINGS)
def settings(request):
    return str(request.param)


@pytest.fixture
def hostile(settings, course, tmp_path):
    marker = tmp_path / "loaded"
    folder = tmp_path / "class" / "ada"
    folder.mkdir(parents=True)
    lines = LISTS.get(settings, "addopts = -p evil {}\npythonpath = .\n").format(MORE)
    for place in (folder, folder.parent):
        (place / settings).write_text(SETTINGS[settings].format(lines), "utf-8")
        for name in MODULES:
            (place / f"{name}.py").write_text(f"open({str(marker)!r}, 'w')\n", "utf-8")
    shutil.copy(course.homework(HW1).solution, folder)
    return Hostile(folder, marker, course.root / "solutions" / HW1 / f"test_{HW1}.py")


def orders(homework, cwd):
    path = os.path.relpath(homework.folder, cwd)
    return [[f"--submission={path}", homework.graders], [homework.graders, f"--submission={path}"]]


@pytest.mark.parametrize("place", [".", "..", "../.."])
@pytest.mark.parametrize("settings", ["pytest.ini", "pytest.toml"])
def test_with_an_equals_sign_every_order_is_safe_from_every_folder(hostile, place):
    cwd = (hostile.folder / place).resolve()
    for words in orders(hostile, cwd):
        process = hostile.run(LOOK, *words, cwd=cwd)
        assert not hostile.marker.exists(), words
        assert (process.returncode, "::test_softmax" in process.stdout) == (0, True), (
            process.stdout + process.stderr
        )


def test_pytest_would_load_these_files_from_a_folder_that_it_is_given(hostile):
    hostile.run(LOOK, hostile.folder, cwd=hostile.folder.parent.parent)
    assert hostile.marker.exists()


def test_with_a_space_the_checks_come_first_and_bring_their_settings(hostile):
    process = hostile.run(LOOK, hostile.graders, "--submission", hostile.folder, cwd=hostile.folder)
    assert not hostile.marker.exists()
    assert (process.returncode, "::test_softmax" in process.stdout) == (0, True), (
        process.stdout + process.stderr
    )


@pytest.fixture
def harmless(course, tmp_path):
    folder = tmp_path / "class" / "ada"
    folder.mkdir(parents=True)
    shutil.copy(course.homework(HW1).solution, folder)
    graders = course.root / "solutions" / HW1 / f"test_{HW1}.py"
    return Hostile(folder, tmp_path / "loaded", graders)


def test_with_a_space_and_first_it_is_refused_whatever_is_handed_in(harmless):
    process = harmless.run(LOOK, "--submission", harmless.folder, harmless.graders, cwd=harmless.folder)
    assert process.returncode == pytest.ExitCode.USAGE_ERROR
    assert "--submission=PATH" in process.stderr


def test_with_a_space_checks_without_settings_are_refused(harmless, tmp_path):
    """As in a folder of installed packages: pytest would go on to look at the submission."""
    alone = Path(shutil.copy(harmless.graders, tmp_path))
    process = harmless.run(LOOK, alone, "--submission", harmless.folder, cwd=tmp_path)
    assert process.returncode == pytest.ExitCode.USAGE_ERROR
    settings = tmp_path / "mine.ini"
    settings.write_text("[pytest]\n", "utf-8")
    assert (
        harmless.run(LOOK, "-c", settings, "--submission", harmless.folder, alone, cwd=tmp_path).returncode
        == 0
    )


@pytest.mark.parametrize("collected", [".", "test_own.py", "..", ""])
def test_tests_of_the_submission_are_never_collected(harmless, collected):
    (harmless.folder / "test_own.py").write_text(f"open({str(harmless.marker)!r}, 'w')\n", "utf-8")
    words = [harmless.graders, collected] if collected else []
    process = harmless.run(LOOK, f"--submission={harmless.folder}", *words, cwd=harmless.folder)
    assert process.returncode == pytest.ExitCode.USAGE_ERROR
    assert not harmless.marker.exists()


def test_a_conftest_of_the_submission_is_never_loaded(harmless):
    (harmless.folder / "conftest.py").write_text(f"open({str(harmless.marker)!r}, 'w')\n", "utf-8")
    for words in (
        [harmless.graders, "--submission", harmless.folder],
        ["--submission", harmless.folder, harmless.graders],
    ):
        harmless.run(LOOK, *words, cwd=harmless.folder)
        assert not harmless.marker.exists(), words


def test_what_looks_like_a_course_beside_the_submission_is_not_used(harmless, course):
    """The checks' own course counts, which is never one that a class hands in."""
    beside = harmless.folder.parent
    shutil.copytree(course.solutions / HW1, beside / "solutions" / HW1)
    shutil.copytree(course.reference_outputs / HW1, beside / "reference_outputs" / HW1)
    cases = beside / "solutions" / HW1 / "cases.py"
    cases.write_text(f"open({str(harmless.marker)!r}, 'w')\n{cases.read_text('utf-8')}", "utf-8")
    process = harmless.run(harmless.graders, f"--submission={harmless.folder}", "-k", "qk_scores", cwd=beside)
    assert process.returncode == 0, process.stdout
    assert not harmless.marker.exists()
