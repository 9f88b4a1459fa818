"""The bundle as Gradescope's container runs it, in a folder that stands for ``/autograder``."""

from __future__ import annotations

import datetime as dt
import io
import json
import os
import shutil
import subprocess
import sys
import venv
import zipfile
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path
from typing import Any

import pytest
from packaging.requirements import Requirement

from autograder.authoring.gradescope_bundle import gradescope_zip
from autograder.course.course import Course
from autograder.judging.checks import load_checks
from autograder.sandbox.levels import strongest_level

HOMEWORK = "hw5_multihead_attention"
WITH_A_HIDDEN_CHECK = "hw1_attention_scores"
SEED = 31
MISTAKEN = Path(__file__).parents[1] / "corpus" / HOMEWORK / "mistaken" / "softmax-unstable.py"
DUE = dt.datetime(2027, 3, 1, 23, 59, tzinfo=dt.timezone(-dt.timedelta(hours=8)))
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


def moment(hours: float) -> str:
    return (DUE + dt.timedelta(hours=hours)).isoformat(timespec="microseconds")


@dataclass(frozen=True)
class Container:
    """A folder laid out like ``/autograder``."""

    root: Path

    @property
    def results(self) -> Path:
        return self.root / "results" / "results.json"

    def submit(self, name: str, text: str) -> None:
        (self.root / "submission" / name).write_text(text, encoding="utf-8")

    def rules(self, text: str, extensions: str = "") -> None:
        (self.root / "source" / "policy.toml").write_text(text, encoding="utf-8")
        if extensions:
            (self.root / "source" / "extensions.csv").write_text(extensions, encoding="utf-8")

    def tell(self, hours: float = -1, own: Sequence[float] = (0,)) -> None:
        """Write what Gradescope says: handed in so many hours after it was due, and each user's due date."""

        def dates(hours: float) -> dict[str, str | None]:
            return {"due_date": moment(hours), "late_due_date": None, "release_date": moment(-99)}

        users = [
            {"id": number, "email": f"S{number}@x.edu", "name": f"S {number}", "assignment": dates(more)}
            for number, more in enumerate(own, 1)
        ]
        assignment = {**dates(0), "id": 3, "title": "one", "group_size": None, "total_points": "20.0"}
        told = {"id": 9, "created_at": moment(hours), "assignment": assignment, "users": users}
        told |= {"submission_method": "upload", "previous_submissions": []}
        (self.root / "submission_metadata.json").write_text(json.dumps(told), encoding="utf-8")

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
    path.write_bytes(gradescope_zip(course, [course.homework(HOMEWORK)], chosen=True, seed=SEED))
    return path


def unpacked(bundle: Path | io.BytesIO, folder: Path) -> Container:
    for name in ("source", "submission", "results"):
        (folder / name).mkdir()
    with zipfile.ZipFile(bundle) as archive:
        archive.extractall(folder / "source")
    found = Container(folder)
    found.tell()
    return found


@pytest.fixture
def container(bundle: Path, tmp_path: Path) -> Container:
    return unpacked(bundle, tmp_path)


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


LATE = 30  # hours, and so two days begun
TEN = "penalty_per_day = 10\n"
TABLE = "submission,due\ns2@x.edu,2027-03-09T12:00:00Z\n"
CASES = {
    # rules, extensions, own due dates of the users, factor of the points
    "late": (TEN, "", [0], 0.8),
    "late days": (f"{TEN}late_days = 1", "", [0], 0.9),
    "a team of which one has longer": (TEN, TABLE, [0, 10], 1),
}


@pytest.mark.parametrize("case", CASES)
def test_the_points_that_count_are_those_of_the_policy_and_the_due_dates(
    container: Container, course: Course, case: str
) -> None:
    rules, extensions, own, factor = CASES[case]
    homework = course.homework(HOMEWORK)
    container.rules(rules, extensions)
    container.tell(LATE, own=own)
    container.submit(homework.stub, homework.solution.read_text("utf-8"))
    done = container.run()
    assert done.returncode == 0, done.stderr
    results = container.read()
    assert results["score"] == pytest.approx(homework.points * factor)
    assert ("extended to" in results["output"]) is case.startswith("a team")
    assert ("another homework" in results["output"]) is (case == "late days")


def test_a_mistake_extra_credit_and_all_or_nothing_count_as_with_grade_and_policy(
    container: Container, course: Course, tmp_path: Path
) -> None:
    text = MISTAKEN.read_text("utf-8")
    rules = f"penalty_per_day = 10\n[homeworks.{HOMEWORK}]\n"
    rules += 'extra_credit = ["multihead_scaled_self_attention"]\nall_or_nothing = ["softmax_cols"]\n'
    container.rules(f"{rules}due = {DUE.isoformat()}\n")
    expected = graded_elsewhere(container, tmp_path / "elsewhere", text)
    container.rules(rules)
    container.tell(LATE)
    container.submit("mine.py", text)
    assert container.run().returncode == 0
    results = container.read()
    assert results["score"] == pytest.approx(14 * 0.8)
    for key in ("score", "output", "tests"):
        assert results[key] == expected[key], key
    assert "Extra credit" in results["output"]
    assert "counts in full or not at all" in results["output"]


def graded_elsewhere(container: Container, folder: Path, text: str) -> dict[str, Any]:
    """What ``grade`` and ``policy`` write for the same submission and rules."""
    own, out, times = folder / "class" / "submission", folder / "out", folder / "times.csv"
    own.mkdir(parents=True)
    (own / "mine.py").write_text(text, "utf-8")
    times.write_text(f"submission,submitted_at\nsubmission,{moment(LATE)}\n", "utf-8")
    chosen = ("--homework", HOMEWORK, "--seed", str(SEED), "--layout", "plain", "--jobs", "1")
    for arguments in (("grade", own.parent, "--out", out, *chosen), ("policy", out, "--times", times)):
        command = [sys.executable, "-m", "autograder", *arguments, "--course", container.root / "source"]
        subprocess.run(command, check=True, capture_output=True)
    read: dict[str, Any] = json.loads(
        (out / "submissions" / "submission" / "results.json").read_text("utf-8")
    )
    return read


def test_all_submissions_and_each_rerun_get_the_same_fresh_inputs_and_the_time_is_told(
    container: Container, course: Course
) -> None:
    homework = course.homework(HOMEWORK)
    container.submit(homework.stub, homework.solution.read_text("utf-8"))
    seen = []
    for _ in range(2):
        assert container.run().returncode == 0
        results = container.read()
        time = results.pop("execution_time")
        assert type(time) is int
        assert 0 <= time < 480
        assert results["extra_data"]["homeworks"][HOMEWORK]["seed"] == SEED
        seen.append(results)
    assert seen[0] == seen[1]


def test_public_checks_are_shown_and_hidden_ones_as_the_policy_says(course: Course, tmp_path: Path) -> None:
    homework = course.homework(WITH_A_HIDDEN_CHECK)
    container = unpacked(io.BytesIO(gradescope_zip(course, [homework], chosen=True, seed=SEED)), tmp_path)
    container.rules('hidden_checks = "after_due_date"')
    container.submit(homework.stub, homework.solution.read_text("utf-8"))
    assert container.run().returncode == 0
    public = {one.name for one in load_checks(homework) if one.public}
    shown = {test["extra_data"]["check"]: test["visibility"] for test in container.read()["tests"]}
    assert public
    assert shown == {name: "visible" if name in public else "after_due_date" for name in shown}
    assert set(shown.values()) == {"visible", "after_due_date"}


@pytest.mark.parametrize("metadata", [None, "{", '{"created_at": "yesterday"}'])
def test_without_readable_metadata_nobody_gets_points_that_may_be_wrong(
    container: Container, metadata: str | None
) -> None:
    path = container.root / "submission_metadata.json"
    path.unlink() if metadata is None else path.write_text(metadata, "utf-8")
    container.submit("notes.txt", "I was ill.")
    done = container.run()
    assert done.returncode != 0
    assert "submission_metadata.json" in done.stderr
    assert not container.results.exists()


def distributions(requirements: Iterable[str]) -> dict[str, metadata.Distribution]:
    """What pip would install for these requirements, by name, as it is installed here."""
    found: dict[str, metadata.Distribution] = {}
    todo = [Requirement(line) for line in requirements]
    while todo:
        one = todo.pop()
        if one.name not in found and (one.marker is None or one.marker.evaluate({"extra": ""})):
            found[one.name] = metadata.distribution(one.name)
            todo += [Requirement(line) for line in found[one.name].requires or ()]
    return found


@pytest.mark.slow
def test_grading_works_with_what_the_zip_asks_for_and_nothing_else(
    container: Container, course: Course, tmp_path: Path
) -> None:
    venv.create(tmp_path / "venv", with_pip=False)
    python = tmp_path / "venv" / "bin" / "python"
    where = [str(python), "-c", "import sysconfig; print(sysconfig.get_path('purelib'))"]
    packages = Path(subprocess.run(where, capture_output=True, text=True, check=True).stdout.strip())
    lines = (container.root / "source" / "requirements.txt").read_text("utf-8").splitlines()
    installed = distributions(lines)
    assert not installed.keys() & {"torch", "latex2mathml", "mdit-py-plugins", "pyyaml"}
    for file in (file for one in installed.values() for file in one.files or ()):
        if ".." not in file.parts and "__pycache__" not in file.parts:
            (packages / file).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(file.locate(), packages / file)
    homework = course.homework(HOMEWORK)
    container.submit(homework.stub, "import torch\n" + homework.solution.read_text("utf-8"))
    done = container.run(python=str(python))
    assert done.returncode == 0, done.stderr
    results = container.read()
    assert results["score"] == homework.points
    assert "torch" in results["output"]
