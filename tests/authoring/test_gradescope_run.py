"""The bundle as Gradescope's container runs it, in a folder that stands for ``/autograder``."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import zipfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from autograder.authoring.gradescope_bundle import gradescope_zip
from autograder.course.course import Course
from autograder.sandbox.levels import strongest_level

HOMEWORK = "hw5_multihead_attention"
HOSTILE = """
for path in ({results!r}, {partial!r}):
    try:
        open(path, "w").write('{{"score": 100}}')
    except OSError:
        pass

def softmax_cols(data_in):
    return open({solution!r}).read()
"""

pytestmark = pytest.mark.skipif(
    not strongest_level().contains_hostile_code, reason="nothing here contains hostile code"
)


@dataclass(frozen=True)
class Container:
    """A folder laid out like ``/autograder``."""

    root: Path

    @property
    def results(self) -> Path:
        return self.root / "results" / "results.json"

    def submit(self, name: str, text: str) -> None:
        (self.root / "submission" / name).write_text(text, encoding="utf-8")

    def run(self, python: str = sys.executable) -> subprocess.CompletedProcess[str]:
        names = {"AUTOGRADER_ROOT": str(self.root), "AUTOGRADER_PYTHON": python}
        script = self.root / "source" / "run_autograder"
        return subprocess.run(
            ["bash", script],
            cwd=self.root / "submission",
            env={**os.environ, **names},
            capture_output=True,
            text=True,
            check=False,
        )

    def read(self) -> dict[str, Any]:
        read: dict[str, Any] = json.loads(self.results.read_text("utf-8"))
        return read


@pytest.fixture(scope="module")
def bundle(course: Course, tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("bundle") / "autograder.zip"
    path.write_bytes(gradescope_zip(course, [course.homework(HOMEWORK)], chosen=True))
    return path


@pytest.fixture
def container(bundle: Path, tmp_path: Path) -> Container:
    for name in ("source", "submission", "results"):
        (tmp_path / name).mkdir()
    with zipfile.ZipFile(bundle) as archive:
        archive.extractall(tmp_path / "source")
    return Container(tmp_path)


def test_a_right_submission_of_any_name_gets_full_marks(container: Container, course: Course) -> None:
    homework = course.homework(HOMEWORK)
    container.submit("my own work.py", homework.solution.read_text("utf-8"))
    done = container.run()
    assert done.returncode == 0, done.stderr
    results = container.read()
    assert results["score"] == sum(test["max_score"] for test in results["tests"]) == homework.points
    assert [path.name for path in container.results.parent.iterdir()] == ["results.json"]


def test_a_submission_without_the_homework_gets_zero_and_is_told_why(container: Container) -> None:
    container.submit("notes.txt", "I was ill.")
    assert container.run().returncode == 0
    results = container.read()
    assert results["score"] == 0
    assert "multihead_attention.py" in results["output"]


def test_a_hostile_submission_neither_reads_the_solution_nor_writes_its_own_result(
    container: Container, course: Course
) -> None:
    solution = container.root / "source" / "solutions" / HOMEWORK / course.homework(HOMEWORK).stub
    names = {"results": container.results, "partial": f"{container.results}.partial", "solution": solution}
    container.submit(
        "multihead_attention.py", HOSTILE.format(**{key: str(one) for key, one in names.items()})
    )
    assert container.run().returncode == 0
    results = container.read()
    assert results["score"] == 0
    reasons = [test["output"] for test in results["tests"]]
    assert any("PermissionError" in reason or "FileNotFoundError" in reason for reason in reasons)
    assert "exponentials" not in str(results)


def test_files_named_like_modules_are_imported_nowhere(container: Container, course: Course) -> None:
    container.submit("multihead_attention.py", course.homework(HOMEWORK).solution.read_text("utf-8"))
    marker = container.root / "imported"
    for name in (
        "multiprocessing",
        "math",
        "socket",
        "json",
        "numpy",
        "typer",
        "sitecustomize",
        "autograder",
    ):
        container.submit(f"{name}.py", f"open({str(marker)!r}, 'w')\n")
    done = container.run()
    assert done.returncode == 0, done.stderr
    assert container.read()["score"] == course.homework(HOMEWORK).points
    assert not marker.exists()


def test_a_fault_of_ours_leaves_no_results_so_that_nobody_gets_a_zero(
    container: Container, course: Course
) -> None:
    container.submit("multihead_attention.py", course.homework(HOMEWORK).solution.read_text("utf-8"))
    container.results.write_text('{"score": 7}', encoding="utf-8")
    manifest = container.root / "source" / "reference_outputs" / HOMEWORK / "manifest.json"
    manifest.write_text("{", encoding="utf-8")
    assert container.run().returncode != 0
    assert not container.results.exists()


def test_a_python_that_does_not_start_leaves_no_results(container: Container) -> None:
    container.results.write_text('{"score": 7}', encoding="utf-8")
    assert container.run(python="/bin/false").returncode != 0
    assert not container.results.exists()
