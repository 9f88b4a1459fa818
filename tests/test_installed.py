"""The kit installed from a wheel, and a course in a folder of its own: nothing needs the clone."""

from __future__ import annotations

import csv
import os
import shutil
import site
import subprocess
import sys
import venv
import zipfile
from collections.abc import Callable
from importlib.metadata import version
from pathlib import Path

import pytest

HOMEWORK = "hw1_times"
CLONE = Path(__file__).resolve().parents[1]
Run = Callable[..., subprocess.CompletedProcess[str]]

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel, built from a copy: building leaves files behind."""
    folder = tmp_path_factory.mktemp("wheel")
    source = folder / "source"
    shutil.copytree(CLONE / "autograder", source / "autograder", ignore=shutil.ignore_patterns("__pycache__"))
    for name in ("pyproject.toml", "README.md"):
        shutil.copy(CLONE / name, source)
    pip("wheel", "--no-build-isolation", "--wheel-dir", folder, source)
    [built] = folder.glob("*.whl")
    return built


@pytest.fixture(scope="module")
def run(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Run:
    """Runs a command of an environment that has the wheel and, as links, all that is here but the kit."""
    environment = tmp_path_factory.mktemp("installed")
    venv.create(environment, with_pip=False, symlinks=True)
    [packages] = environment.glob("lib/python3*/site-packages")
    for entry in Path(site.getsitepackages()[0]).iterdir():
        if "attention_homework_kit" not in entry.name and not (packages / entry.name).exists():
            (packages / entry.name).symlink_to(entry)
    pip("install", "--target", packages, wheel)
    variables = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    elsewhere = tmp_path_factory.mktemp("elsewhere")

    def run(*words: object, expected: int = 0) -> subprocess.CompletedProcess[str]:
        command = [environment / "bin/python", "-P", "-m", *map(str, words)]
        done = subprocess.run(command, cwd=elsewhere, env=variables, capture_output=True, text=True)
        assert done.returncode == expected, f"{words}: {done.stdout}{done.stderr}"
        return done

    return run


def pip(command: str, *words: object) -> None:
    subprocess.run(
        [sys.executable, "-m", "pip", command, "--quiet", "--no-index", "--no-deps", *map(str, words)],
        check=True,
    )


def test_the_wheel_holds_every_file_of_the_kit_and_nothing_else(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        packed = {name for name in archive.namelist() if ".dist-info/" not in name}
    files = {path for path in (CLONE / "autograder").rglob("*") if path.is_file() and path.suffix != ".pyc"}
    assert packed == {str(path.relative_to(CLONE)) for path in files}


def test_an_instructors_and_a_tas_day_with_a_course_of_their_own(run: Run, tmp_path: Path) -> None:
    own, graded = tmp_path / "own", tmp_path / "graded"
    course = ("--course", own)

    assert "--course DIR" in run("autograder", "check", expected=2).stderr
    run("autograder", "doctor")
    run("autograder", "new", HOMEWORK, "--tasks", "double,treble", *course)
    run("autograder", "check", *course)
    run("autograder", "reference", "build", *course)
    run("autograder", "assignments", "build", *course)
    run("autograder", "release", *course, "--out", tmp_path / "release")
    run("autograder", "gradescope", *course, "--out", tmp_path / "autograder.zip")
    assert {path.name for path in (tmp_path / "release").iterdir()} == {f"{HOMEWORK}.zip", "course.zip"}
    with zipfile.ZipFile(tmp_path / "autograder.zip") as archive:
        assert {"autograder/worker/zygote.py", f"solutions/{HOMEWORK}/cases.py"} <= set(archive.namelist())
        pins = archive.read("constraints.txt").decode().splitlines()
    assert f"numpy=={version('numpy')}" in pins

    submissions = tmp_path / "class"
    (submissions / "ada").mkdir(parents=True)
    shutil.copy(own / "solutions" / HOMEWORK / "times.py", submissions / "ada")
    run("autograder", "grade", submissions, "--out", graded, "--unsafe", *course)
    run("autograder", "policy", graded)
    run("autograder", "report", graded)
    [row] = csv.DictReader((graded / "grades.csv").read_text("utf-8").splitlines())
    assert (row["submission"], row["status"], row["total"]) == ("ada", "graded", "12")
    run("pytest", "-q", own / "solutions" / HOMEWORK, f"--submission={submissions / 'ada'}")
