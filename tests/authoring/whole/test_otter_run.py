"""``otter run`` with the kit's zip, and the zip's own script in a folder that stands for ``/autograder``."""

import importlib.metadata
import json
import pickle
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest
from submissions import mistaken_text
from wording import to_authors

from autograder.course.course import CourseError
from autograder.otter.bundle import otter_zip
from autograder.sandbox.levels import strongest_level

HOMEWORK, SEED = "hw5_multihead_attention", 31
STUB = "multihead_attention.py"
MISTAKEN = mistaken_text(HOMEWORK, "softmax-unstable")
EMPTY = {"cells": [], "metadata": {}, "nbformat": 4, "nbformat_minor": 5}
DUE = "2027-03-01T23:59:00+00:00"

pytestmark = [
    pytest.mark.skipif(
        not strongest_level().confines_hostile_code, reason="nothing here contains hostile code"
    ),
]

WRONG = """
def softmax_cols(data_in):
    return data_in * 0
"""
HOSTILE = """
import builtins, glob, json, pickle
import numpy as np
for name in ("allclose", "array_equal", "isclose"):
    setattr(np, name, lambda *_, **__: True)
np.testing.assert_allclose = lambda *_, **__: None
pickle.dump = pickle.dumps = json.dumps = lambda *_, **__: b'{{"score": 400}}'
builtins.isinstance = lambda *_: True
try:
    import otter.test_files as files
    from otter.execute import Checker
    files.GradingResults.total = files.TestFile.score = files.TestFile.passed_all = 400
    Checker.check_if_not_already_checked = lambda *_: None
except BaseException as error:
    print(error)
print("Total Score: 400.000 / 4.000 (10000.000%)")

for folder in ("/tmp/*/autograder/", "../", "./", "../results/", "/autograder/results/", {marks!r} + "/"):
    for root in glob.glob(folder):
        for name in ("results.json", "results/results.json", "results/results.pkl"):
            try:
                open(root + name, "w").write('{{"score": 400, "tests": []}}')
            except OSError:
                pass

def softmax_cols(data_in):
    for root in glob.glob("/tmp/*/autograder/source") + [{course!r}]:
        for path in glob.glob(root + "/solutions/*/*"):
            raise ValueError(open(path).read())
    return data_in * 0
"""
LEAVES = """
import atexit, os, sys
atexit.register(lambda: open({marks!r} + "/results.json", "w"))
print('{{"score": 400}}')
sys.stdout.flush()
def softmax_cols(data_in):
    os._exit(0)
"""
SHELL = (
    "!touch {marks}/shell",
    "%%bash\ntouch {marks}/bash",
    "%run {marks}/evil.py\nget_ipython().system('x')",
)
UNREADABLE = ("{", "[" * 200_000, "3", '{"cells": 7, "nbformat": 4}', '{"cells": [1], "nbformat": 4}')
"""Notebooks at which Otter ends by itself, before it asks any plugin."""
MARK = "open({marks!r} + '/imported', 'a').write(__file__)\n"
SHADOWS = ("numpy", "otter", "autograder", "IPython", "tests", "pytest", "nbformat")


class Pickled:
    """Touches a file when it is read back."""

    def __init__(self, path):
        self.path = path

    def __reduce__(self):
        return Path.touch, (self.path,)


def notebook(*cells, **metadata):
    tagged = {"otter": {"tests": ["multihead"], "ignore": True}, "tags": ["otter_ignore"]}
    code_cells = [
        {"cell_type": "code", "source": text, "metadata": tagged if metadata else {}, "outputs": [],
         "execution_count": None}
        for text in cells
    ]  # fmt: skip
    return {**EMPTY, "cells": code_cells, "metadata": metadata, "nbformat_minor": 4}


class HandedIn:
    """A class as files: each submission as a folder for ``autograder grade`` and as one file for Otter."""

    def __init__(self, folder, course):
        self.folder, self.files, self.marks = folder, dict[str, Path](), folder / "marks"
        for path in (self.marks, folder / "class", folder / "zips"):
            path.mkdir(parents=True)
        values = {"marks": str(self.marks), "course": str(course.root)}
        right = course.homework(HOMEWORK).solution.read_text("utf-8")
        self.one("right", "mine.ipynb", json.dumps(notebook(right)))
        cells = [cell.format(**values) for cell in SHELL]
        kernel = {"name": "../../evil", "display_name": "e", "language": "bash"}
        self.one("kernel", "kernel.ipynb", json.dumps(notebook(*cells, right, kernelspec=kernel)))
        self.one("mistaken", STUB, MISTAKEN)
        self.one("hostile", STUB, HOSTILE.format(**values))
        self.one("leaves", STUB, LEAVES.format(**values))
        self.one("named_like_a_module", "nbformat.py", MARK.format(**values) + WRONG)
        about = {
            "otter": {"OK_FORMAT": True, "assignment_name": "x", "tests": {"multihead": {"points": 400}}}
        }
        self.one("claims", "multihead_attention.ipynb", json.dumps(notebook(WRONG, **about)))
        marks = {f"{name}/__init__.py": MARK.format(**values) for name in SHADOWS}
        marks |= {"__init__.py": MARK.format(**values), "tests/q1.py": "OK_FORMAT = True\ntest = {}\n"}
        log = pickle.dumps(Pickled(self.marks / "unpickled"))
        marks |= {"multihead_attention.ipynb": json.dumps(notebook(WRONG))}
        self.several("ships", {**marks, ".OTTER_LOG": log})
        climbing = dict.fromkeys((f"../../../..{self.marks}/climbed", f"{self.marks}/absolute"), "x")
        self.several("climbs", {**climbing, "empty.ipynb": json.dumps(EMPTY), STUB: right})
        (folder / "class" / "climbs" / "empty.ipynb").unlink()
        self.several("folder", {"empty.ipynb": json.dumps(EMPTY), "mine/week5.py": right})
        (folder / "class" / "folder" / "empty.ipynb").unlink()

    def one(self, name, file, text):
        path = self.folder / "class" / name / file
        path.parent.mkdir()
        path.write_text(text, "utf-8")
        self.files[name] = path

    def several(self, name, files):
        self.files[name] = self.folder / "zips" / f"{name}.zip"
        with zipfile.ZipFile(self.files[name], "w") as archive:
            for file, content in files.items():
                archive.writestr(file, content)
        with zipfile.ZipFile(self.files[name]) as archive:
            archive.extractall(self.folder / "class" / name)


@pytest.fixture(scope="module")
def bundle(course, tmp_path_factory):
    path = tmp_path_factory.mktemp("otter") / "otter.zip"
    path.write_bytes(otter_zip(course, [course.homework(HOMEWORK)], chosen=True, seed=SEED))
    return path


@pytest.fixture(scope="module")
def handed_in(course, tmp_path_factory):
    return HandedIn(tmp_path_factory.mktemp("handed_in"), course)


@pytest.fixture(scope="module")
def expected(course, handed_in):
    """What ``autograder grade`` gives each of them."""
    out = handed_in.folder / "graded"
    command = [sys.executable, "-m", "autograder", "grade", handed_in.folder / "class", "--out", out]
    command += ["--homework", HOMEWORK, "--seed", str(SEED), "--course", course.root, "--layout", "plain"]
    subprocess.run(command, check=True, capture_output=True)
    return {name: read(out / "submissions" / name) for name in handed_in.files}


def read(folder):
    return json.loads((folder / "results.json").read_text("utf-8"))


NAMES = (
    "right",
    "kernel",
    "climbs",
    "mistaken",
    "hostile",
    "leaves",
    "claims",
    "ships",
    "named_like_a_module",
    "folder",
)


@pytest.mark.parametrize("name", NAMES)
def test_otter_gives_what_grade_gives(bundle, handed_in, expected, name, tmp_path):
    from otter.run import main as otter_run

    judged = otter_run(
        str(handed_in.files[name]), autograder=str(bundle), output_dir=str(tmp_path), no_logo=True
    )
    results, expected_results = read(tmp_path), expected[name]
    assert results["score"] == expected_results["score"] == judged.total
    assert results["tests"] == expected_results["tests"]
    assert results["output"] == expected_results["output"]
    assert sum(judged.get_score(test) for test in judged.test_files) == sum(
        test["score"] for test in results["tests"]
    )
    points = {
        "right": 20,
        "kernel": 20,
        "climbs": 20,
        "folder": 20,
        "mistaken": expected["mistaken"]["score"],
    }
    assert results["score"] == points.get(name, 0)
    assert not list(handed_in.marks.iterdir())
    assert "BEGIN SOLUTION" not in str(results)


@pytest.mark.parametrize("text", UNREADABLE, ids=range(len(UNREADABLE)))
def test_a_notebook_that_otter_cannot_read_is_not_a_zero(bundle, text, tmp_path):
    from otter.run import main as otter_run

    path = tmp_path / "mine.ipynb"
    path.write_text(text, "utf-8")
    with pytest.raises(Exception):  # noqa: B017, PT011 - Otter's, nbformat's or json's, by what is wrong
        otter_run(str(path), autograder=str(bundle), output_dir=str(tmp_path), no_logo=True)
    assert not (tmp_path / "results.json").exists()


def test_zipped_with_an_empty_notebook_it_is_graded_and_its_reason_told(bundle, tmp_path):
    """As docs/otter.md says; how each of them is read is tested with the reading of notebooks."""
    from otter.run import main as otter_run

    packed = tmp_path / "mine.zip"
    with zipfile.ZipFile(packed, "w") as archive:
        for number, text in enumerate(UNREADABLE):
            archive.writestr(f"mine/{number}.ipynb", text)
        archive.writestr("empty.ipynb", json.dumps(EMPTY))
    otter_run(str(packed), autograder=str(bundle), output_dir=str(tmp_path), no_logo=True)
    results = read(tmp_path)
    assert results["score"] == 0
    for number in range(len(UNREADABLE)):
        assert f"{number}.ipynb" in results["output"]


def test_a_fault_of_the_grader_is_not_a_zero(bundle, handed_in, tmp_path):
    from otter.run import main as otter_run

    broken = tmp_path / "broken.zip"
    with zipfile.ZipFile(bundle) as old, zipfile.ZipFile(broken, "w") as new:
        for name in old.namelist():
            new.writestr(name, b"{" if name.endswith("manifest.json") else old.read(name))
    with pytest.raises(RuntimeError, match=r"manifest\.json"):
        otter_run(
            str(handed_in.files["right"]), autograder=str(broken), output_dir=str(tmp_path), no_logo=True
        )
    assert not (tmp_path / "results.json").exists()


def test_where_nothing_contains_hostile_code_otter_grades_nothing(bundle, handed_in, tmp_path, monkeypatch):
    from otter.run import main as otter_run

    (tmp_path / "pyseccomp.py").write_text("raise ImportError('none here')", "utf-8")
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    with pytest.raises(RuntimeError, match="--unsafe"):
        otter_run(
            str(handed_in.files["right"]), autograder=str(bundle), output_dir=str(tmp_path), no_logo=True
        )
    assert not (tmp_path / "results.json").exists()


def as_set_up(bundle, folder):
    """What ``setup.sh`` leaves on Gradescope: an environment of the kit's own beside Otter's."""
    for name in ("submission", "results", "venv/bin"):
        (folder / name).mkdir(parents=True)
    with zipfile.ZipFile(bundle) as archive:
        archive.extractall(folder / "source")
    python = folder / "venv" / "bin" / "python"
    python.write_text(f'#!/bin/sh\nexec {sys.executable} "$@"\n', "utf-8")
    python.chmod(0o755)
    return folder


def test_in_the_container_any_files_are_graded_and_lateness_counts(bundle, course, tmp_path):
    container = as_set_up(bundle, tmp_path)
    right = course.homework(HOMEWORK).solution.read_text("utf-8")
    files = {STUB: right, "draft.ipynb": "{", "other.ipynb": json.dumps(notebook("x = 1")), "tests": "none"}
    for name, text in files.items():
        (container / "submission" / name).write_text(text, "utf-8")
    (container / "source" / "policy.toml").write_text("penalty_per_day = 10\n", "utf-8")
    dates = {"due_date": DUE, "late_due_date": None, "release_date": None}
    metadata = {"created_at": DUE.replace("03-01", "03-02"), "assignment": dates}
    metadata["users"] = [{"email": "a@x.edu", "name": "A", "id": 1, "assignment": dates}]
    (container / "submission_metadata.json").write_text(json.dumps(metadata), "utf-8")
    command = [sys.executable, container / "source" / "run_otter.py"]  # as Otter's run_autograder
    process = subprocess.run(command, cwd=container, capture_output=True, text=True, check=False)
    assert process.returncode == 0, process.stderr
    results = read(container / "results")
    assert results["score"] == pytest.approx(20 * 0.9)
    assert all(test["status"] == "passed" for test in results["tests"] if test["max_score"])
    assert not (container / "grading").stat().st_mode & 0o077


def test_without_otter_the_remedy_is_named(course, monkeypatch):
    def missing(name):
        raise importlib.metadata.PackageNotFoundError(name)

    monkeypatch.setattr(importlib.metadata, "version", missing)
    with pytest.raises(CourseError, check=to_authors["otter.not-installed"]):
        otter_zip(course, [course.homework(HOMEWORK)], chosen=True, seed=SEED)
