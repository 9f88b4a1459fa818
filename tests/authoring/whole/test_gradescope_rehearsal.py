"""The bundle as Gradescope runs it: its real ``setup.sh``, once, and ``run_autograder``, in a container."""

from __future__ import annotations

import io
import json
import os
import shutil
import zipfile
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest
from attacks.whole.test_second_level import REHEARSED
from container import ENVIRONMENT, LANDLOCK, PROJECT, Container, install_settings, require_containers
from gradescope_folder import Folder
from submissions import mistaken_text

from autograder.course.homework import Homework
from autograder.platforms.gradescope_bundle import gradescope_zip
from autograder.sandbox.levels import NO_NAMESPACES
from autograder.verdict.checks import load_checks

HOMEWORK = "hw1_attention_scores"
SEED = 31
LATE = 30  # hours, and so two days begun
MISTAKEN = mistaken_text(HOMEWORK, "no-scaling")
HOSTILE = """
import glob, os, posix
HIDDEN = {hidden!r}

def attempt(act):
    try:
        return act()
    except OSError:
        return None

for path in ("results/results.json", "results/results.json.partial", "new"):
    path = "/autograder/" + path
    attempt(lambda: posix.write(posix.open(path, os.O_WRONLY | os.O_CREAT, 0o777), b'{{"score": 100}}'))
got = [path for path in HIDDEN if attempt(lambda: posix.open(path, os.O_RDONLY)) is not None]
attempt(posix.fork)

def qk_scores(Q, K):
    raise ValueError(f"got {{got}}")
"""
MODULES = ("multiprocessing", "math", "socket", "json", "numpy", "typer", "sitecustomize", "autograder")


@dataclass(frozen=True)
class Rehearsal(Folder):
    """Gradescope's container: the folder ``/autograder`` in it, and what was said when it was built."""

    container: Container
    homework: Homework
    log: str

    @property
    def solution(self):
        return self.homework.solution.read_text("utf-8")

    def run(self, *refused, **environment):
        """Run as Gradescope does, in a bare environment; what is said goes where Gradescope keeps it."""
        words = ("bash", "-c", "exec ./run_autograder > results/stdout 2>&1")
        bare = {"PATH": ENVIRONMENT["PATH"], **environment}
        result = self.container.run(*words, environment=bare, folder="/autograder", refused=refused)
        assert self.container.running() == []
        assert list((self.container.root / "tmp").glob("tmp.*")) == []
        result.stdout = (self.root / "results" / "stdout").read_text("utf-8")
        return result

    def grade(self):
        """Run, and return the results."""
        process = self.run()
        assert process.returncode == 0, process.stdout
        assert sorted(path.name for path in self.results.parent.iterdir()) == ["results.json", "stdout"]
        return self.read()


@pytest.fixture(scope="module")
def built(course, tmp_path_factory):
    """The container with what ``setup.sh`` installs; tests share it, since that takes half a minute."""
    require_containers()
    homework = course.homework(HOMEWORK)
    with Container(tmp_path_factory.mktemp("gradescope")) as container:
        root = container.root / "autograder"
        for name in ("source", "submission", "results"):
            (root / name).mkdir(parents=True)
        with zipfile.ZipFile(io.BytesIO(gradescope_zip(course, [homework], chosen=True, seed=SEED))) as data:
            data.extractall(root / "source")
        shutil.copy(root / "source" / "run_autograder", root)
        (root / "run_autograder").chmod(0o755)
        # Libraries are compiled where they are imported: here pip would compile all of them, for no test.
        settings = install_settings() | {"PIP_NO_COMPILE": "1"}
        process = container.run(
            "bash", "/autograder/source/setup.sh", environment=settings, folder="/autograder"
        )
        assert process.returncode == 0, process.stdout + process.stderr
        yield Rehearsal(root, container, homework, process.stdout)


@pytest.fixture
def gradescope(built):
    """The container as it is before each submission."""
    for name in ("submission", "results"):
        shutil.rmtree(built.root / name)
        (built.root / name).mkdir()
    (built.root / "source" / "policy.toml").unlink(missing_ok=True)
    built.tell()
    return built


@contextmanager
def changed(path, text):
    """Give a file of the container another text for a while."""
    original = path.read_text("utf-8")
    path.write_text(text, "utf-8")
    try:
        yield
    finally:
        path.write_text(original, "utf-8")


def test_the_build_says_which_level_protects_and_hides_what_only_root_may_read(built):
    [chosen] = [line for line in built.log.splitlines() if "→" in line]
    assert NO_NAMESPACES.name in chosen
    for path in (built.root / "source").iterdir():
        assert (path.stat().st_mode & 0o077 == 0) is (path.name != "autograder"), path


def test_a_right_submission_gets_full_points_with_the_same_inputs_in_each_run(gradescope, course):
    gradescope.rules('hidden_checks = "after_due_date"')
    gradescope.submit("my own work.py", "import torch\n" + gradescope.solution)
    checks_seen = []
    for _ in range(2):
        results = gradescope.grade()
        assert 0 <= results.pop("execution_time") < 480
        checks_seen.append(results)
    assert checks_seen[0] == checks_seen[1]
    assert results["score"] == gradescope.homework.points
    homework = results["extra_data"]["homeworks"][HOMEWORK]
    assert (homework["seed"], homework["layers"]) == (SEED, list(NO_NAMESPACES.layers))
    public = {check.name for check in load_checks(gradescope.homework) if check.public}
    visibilities = {test["extra_data"]["check"]: test["visibility"] for test in results["tests"]}
    assert visibilities == {name: "visible" if name in public else "after_due_date" for name in visibilities}
    assert set(visibilities.values()) == {"visible", "after_due_date"}


def test_a_mistake_is_named_and_lateness_counts(gradescope):
    gradescope.rules("penalty_per_day = 10\n")
    gradescope.tell(LATE)
    gradescope.submit("attention_scores.py", MISTAKEN)
    results = gradescope.grade()
    earned = sum(test["score"] for test in results["tests"])
    assert 0 < earned < gradescope.homework.points
    assert results["score"] == pytest.approx(earned * 0.8)
    assert "no-scaling" in str([test["extra_data"]["misconceptions"] for test in results["tests"]])


def test_a_zip_with_a_notebook_and_awkward_names_is_graded(gradescope):
    cells = [gradescope.solution, "print('\\ud800\\x00')", "raise ValueError('\\ud800\\x00' * 99_999)", "1 +"]
    tree = {"cells": [{"cell_type": "code", "source": [cell]} for cell in cells], "nbformat": 4}
    with zipfile.ZipFile(gradescope.root / "submission" / "häusliche Übung (1).zip", "w") as archive:
        archive.writestr("w\u0323o\nrk/$(id) `id` ;'\"\\1.ipynb", json.dumps(tree))
        archive.writestr("-rf \x1b[31m.txt", "")
    Path(os.fsdecode(os.fsencode(gradescope.root / "submission") + b"/\xff\xfe.txt")).write_text("", "utf-8")
    gradescope.submit("-n", "")
    results = gradescope.grade()
    assert results["score"] == gradescope.homework.points, results


@pytest.mark.parametrize("files", [{}, {"notes.txt": "I was ill."}], ids=["nothing", "notes"])
def test_an_empty_submission_gets_zero_and_is_told_why(gradescope, files):
    for name, text in files.items():
        gradescope.submit(name, text)
    results = gradescope.grade()
    assert results["score"] == 0
    assert gradescope.homework.stub in results["output"]


def test_a_hostile_submission_reads_and_writes_nothing_and_its_modules_are_imported_nowhere(gradescope):
    places = [
        gradescope.root,
        gradescope.root / "source",
        gradescope.root / "source" / "solutions" / HOMEWORK,
    ]
    hidden = [
        str(path) for place in places for path in place.iterdir() if path.name not in ("venv", "autograder")
    ]
    inside = [path.replace(str(gradescope.container.root), "") for path in hidden]
    assert f"/autograder/source/solutions/{HOMEWORK}/{gradescope.homework.stub}" in inside
    gradescope.submit(gradescope.homework.stub, HOSTILE.format(hidden=inside))
    for name in MODULES:
        gradescope.submit(f"{name}.py", "open('/autograder/imported', 'w')\n")
    results = gradescope.grade()
    assert results["score"] == 0
    assert "got []" in str(results["tests"])
    assert not {"new", "imported"} & {path.name for path in gradescope.root.iterdir()}
    open_to_others = {path.name for path in gradescope.root.iterdir() if path.stat().st_mode & 0o077}
    assert open_to_others == {"source", "venv"}


def test_a_fault_of_ours_leaves_no_results_and_an_older_file_is_gone(gradescope):
    gradescope.submit(gradescope.homework.stub, gradescope.solution)
    gradescope.results.write_text('{"score": 7}', "utf-8")
    manifest = gradescope.root / "source" / "reference_outputs" / HOMEWORK / "manifest.json"
    with changed(manifest, "{"):
        process = gradescope.run()
    assert process.returncode != 0
    assert "manifest.json" in process.stdout
    assert [path.name for path in gradescope.results.parent.iterdir()] == ["stdout"]


def test_a_container_that_contains_nothing_hostile_grades_nothing(gradescope):
    gradescope.submit(gradescope.homework.stub, gradescope.solution)
    process = gradescope.run(*LANDLOCK)
    assert process.returncode != 0
    assert "--unsafe" in process.stdout
    assert not gradescope.results.exists()


def test_grading_that_takes_too_long_ends_with_all_its_processes_and_without_results(gradescope):
    script = gradescope.root / "run_autograder"
    gradescope.submit(gradescope.homework.stub, "while True:\n    pass\n")
    with changed(script, script.read_text("utf-8").replace(" 480 ", " 3 ")):
        process = gradescope.run()
    assert process.returncode == 124
    assert not gradescope.results.exists()


def test_a_build_that_fails_says_what_to_do(gradescope):
    refusing = gradescope.container.root / "refusing"
    refusing.mkdir()
    (refusing / "apt-get").write_text("#!/bin/sh\necho E: no route to host >&2\nexit 100\n", "utf-8")
    (refusing / "apt-get").chmod(0o755)
    settings = {**ENVIRONMENT, "PATH": f"/refusing:{ENVIRONMENT['PATH']}"}
    result = gradescope.container.run("bash", "/autograder/source/setup.sh", environment=settings)
    assert result.returncode == 100
    assert "E: no route to host" in result.stderr
    assert "build" in result.stderr.splitlines()[-1]


def test_the_attacks_gain_nothing_in_it(gradescope):
    tests = gradescope.root / "source" / "tests"
    for package in ("attacks", "sandbox"):
        shutil.copytree(PROJECT / "tests" / package, tests / package)
    for module in ("container.py", "few_reasons.py", "missing.py"):
        shutil.copy(PROJECT / "tests" / module, tests)
    name = "attacks/whole/test_second_level.py::test_attack_gains_nothing_without_namespaces"
    chosen = [f"{name}[{homework.name}]" for homework in REHEARSED]
    assert len(chosen) > 100
    words = [
        "/autograder/venv/bin/python",
        "-P",
        "-m",
        "pytest",
        "-q",
        "-c",
        "/dev/null",
        "-p",
        "no:cacheprovider",
    ]
    words += ["--rootdir=.", "--basetemp=/autograder/results/attacks"]
    environment = {**ENVIRONMENT, "PYTHONPATH": "/autograder/source", "PYTHONDONTWRITEBYTECODE": "1"}
    before = shutil.disk_usage(gradescope.root).used
    folder = "/autograder/source/tests"
    result = gradescope.container.run(*words, *chosen, environment=environment, folder=folder)
    assert result.returncode == 0, result.stdout[-9000:]
    assert f"{len(chosen)} passed" in result.stdout
    assert gradescope.container.running() == []
    assert shutil.disk_usage(gradescope.root).used - before < 50 << 20
