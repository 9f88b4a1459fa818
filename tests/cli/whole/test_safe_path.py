"""Hand-ins named like modules, in the current folder: none of them is imported where grades are made."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from results import homework, submission

from autograder.batch import graders
from autograder.batch.graders import GraderPool
from autograder.batch.session import Plan
from autograder.course.course import Course
from autograder.intake.submission import Submission
from autograder.safe_path import WithoutCurrentFolder
from autograder.sandbox.levels import strongest_level

HOMEWORK = "hw1_attention_scores"
NAMES = ("multiprocessing", "math", "socket", "runpy", "numpy", "typer", "json", "signal", "torch", "pickle")
TRACE = "from pathlib import Path\nPath({marker!r}).touch()\n"
JOBS, ENTRIES = 2, 22  # where most of a class fails to import, the command says so and fails
SCRIPT = (str(Path(sys.executable).with_name("autograder")),)
MODULE = (sys.executable, "-m", "autograder")

contained = pytest.mark.skipif(
    not strongest_level().confines_hostile_code, reason="nothing here contains hostile code"
)


@pytest.fixture
def marker(tmp_path):
    return tmp_path / "imported"


@pytest.fixture
def submissions(tmp_path, marker):
    """A class that two worker processes grade."""
    folder = tmp_path / "class"
    folder.mkdir()
    for name in (*NAMES, *(f"student_{number}" for number in range(ENTRIES - len(NAMES)))):
        text = TRACE.format(marker=str(marker)) if name in NAMES else "x = 1\n"
        (folder / f"{name}.py").write_text(text, "utf-8")
    return folder


@contained
@pytest.mark.parametrize("command", [SCRIPT, MODULE, (sys.executable, "-P", "-m", "autograder")])
def test_a_class_folder_as_current_folder(command, submissions, marker, tmp_path):
    words = ["grade", ".", "--out", tmp_path / "out", "--homework", HOMEWORK, "--jobs", JOBS]
    result = subprocess.run(
        [*command, *map(str, words)], cwd=submissions, capture_output=True, text=True, check=False
    )
    assert not marker.exists()
    assert result.returncode == 0, result.stderr
    assert len((tmp_path / "out" / "grades.csv").read_text("utf-8").splitlines()) == ENTRIES + 1


class Looking(Plan):
    """A plan whose worker processes say what they can import from."""

    def open(self):
        return self

    def grade(self, entry, pool, files):
        return submission(entry.name, homework(), problems=(*sys.path, os.environ.get("PYTHONSAFEPATH", "")))


@pytest.mark.parametrize("start", [graders._fork, graders._spawn], ids=["forked", "a new Python"])
def test_worker_processes_that_a_program_starts_import_nothing_from_its_current_folder(
    start, submissions, marker, monkeypatch, tmp_path
):
    monkeypatch.setattr(graders, "_fork", start)
    monkeypatch.chdir(submissions)
    monkeypatch.syspath_prepend("")
    monkeypatch.delenv("PYTHONSAFEPATH", raising=False)
    before = list(sys.path)
    with GraderPool(Looking(Course(tmp_path), 0), 1) as pool:
        [looked] = pool.grade([Submission("ada", tmp_path / "ada")])
    assert not marker.exists()
    *path, safe_path = (problem.text for problem in looked.problems)
    assert safe_path == "1", "so is each process that the worker starts"
    assert not {"", str(submissions)}.intersection(path)
    assert (sys.path, "PYTHONSAFEPATH" in os.environ) == (before, False), "the program keeps its own path"


def test_relative_entries_are_dropped_for_every_process_that_is_started(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", ["", str(tmp_path), str(tmp_path / "mine"), *sys.path])
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(["", "mine", str(tmp_path), "/opt/theirs"]))
    monkeypatch.setenv("PATH", os.pathsep.join(["", ".", "/usr/bin"]))
    monkeypatch.setenv("LD_LIBRARY_PATH", os.pathsep)
    with WithoutCurrentFolder():
        assert not {"", str(tmp_path), str(tmp_path / "mine")}.intersection(sys.path)
        assert os.environ["PYTHONPATH"] == "/opt/theirs"
        assert os.environ["PATH"] == "/usr/bin"
        assert "LD_LIBRARY_PATH" not in os.environ
        assert os.environ["PYTHONSAFEPATH"]
    assert sys.path[0] == ""
    assert os.environ["LD_LIBRARY_PATH"] == os.pathsep


def test_the_kit_is_still_found_where_it_runs_from_its_own_folder(course, monkeypatch):
    monkeypatch.chdir(course.root)
    monkeypatch.setattr(sys, "path", [str(course.root), *sys.path])
    with WithoutCurrentFolder():
        assert sys.path[0] == str(course.root)


def test_nothing_else_is_imported_before_the_current_folder_is_off_the_path(course):
    """A standard module that the first lines import could be a hand-in."""
    code = "before = set(sys.modules); import autograder.safe_path; print(*set(sys.modules) - before)"
    result = subprocess.run(
        [sys.executable, "-I", "-c", f"import sys; sys.path.append({str(course.root)!r}); {code}"],
        capture_output=True,
        text=True,
        check=True,
    )
    assert set(result.stdout.split()) == {"autograder", "autograder.safe_path"}
