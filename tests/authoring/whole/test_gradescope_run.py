"""Which points count on Gradescope, and when there are none: ``run_autograder`` without a container."""

import json
import os
import subprocess
import sys
import zipfile
from dataclasses import dataclass

import pytest
from gradescope_folder import DUE, Folder, moment
from submissions import mistaken_text

from autograder.platforms.gradescope_bundle import gradescope_zip
from autograder.sandbox.levels import strongest_level

HOMEWORK = "hw5_multihead_attention"
SEED = 31
MISTAKEN = mistaken_text(HOMEWORK, "softmax-unstable")

pytestmark = pytest.mark.skipif(
    not strongest_level().confines_hostile_code, reason="nothing here contains hostile code"
)


@dataclass(frozen=True)
class Unpacked(Folder):
    """The folder, graded in by this Python."""

    def run(self, python=sys.executable):
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


@pytest.fixture(scope="module")
def bundle(course, tmp_path_factory):
    path = tmp_path_factory.mktemp("bundle") / "autograder.zip"
    path.write_bytes(gradescope_zip(course, [course.homework(HOMEWORK)], chosen=True, seed=SEED))
    return path


@pytest.fixture
def folder(bundle, tmp_path):
    for name in ("source", "submission", "results"):
        (tmp_path / name).mkdir()
    with zipfile.ZipFile(bundle) as archive:
        archive.extractall(tmp_path / "source")
    unpacked = Unpacked(tmp_path)
    unpacked.tell()
    return unpacked


def test_a_python_that_does_not_start_leaves_no_results(folder):
    folder.results.write_text('{"score": 7}', encoding="utf-8")
    assert folder.run(python="/bin/false").returncode != 0
    assert not folder.results.exists()


LATE = 30  # hours, and so two days begun
TEN = "penalty_per_day = 10\n"
TABLE = "submission,due\ns2@x.edu,2027-03-09T12:00:00Z\n"
CASES = {
    # rules, extensions, own due dates of the users, factor of the points
    "late days": (f"{TEN}late_days = 1", "", [0], 0.9),
    "a team of which one has longer": (TEN, TABLE, [0, 10], 1),
}


@pytest.mark.parametrize("case", CASES)
def test_the_points_that_count_are_those_of_the_policy_and_the_due_dates(folder, course, case):
    rules, extensions, days, factor = CASES[case]
    homework = course.homework(HOMEWORK)
    folder.rules(rules, extensions)
    folder.tell(LATE, due_hours=days)
    folder.submit(homework.stub, homework.solution.read_text("utf-8"))
    process = folder.run()
    assert process.returncode == 0, process.stderr
    results = folder.read()
    assert results["score"] == pytest.approx(homework.points * factor)
    assert ("extended to" in results["output"]) is case.startswith("a team")
    assert ("another homework" in results["output"]) is (case == "late days")


def test_a_mistake_extra_credit_and_all_or_nothing_count_as_with_grade_and_policy(folder, tmp_path):
    text = MISTAKEN
    rules = f"penalty_per_day = 10\n[homeworks.{HOMEWORK}]\n"
    rules += 'extra_credit = ["multihead_scaled_self_attention"]\nall_or_nothing = ["softmax_cols"]\n'
    folder.rules(f"{rules}due = {DUE.isoformat()}\n")
    expected = graded_elsewhere(folder, tmp_path / "elsewhere", text)
    folder.rules(rules)
    folder.tell(LATE)
    folder.submit("mine.py", text)
    assert folder.run().returncode == 0
    results = folder.read()
    assert results["score"] == pytest.approx(14 * 0.8)
    for key in ("score", "output", "tests"):
        assert results[key] == expected[key], key
    assert "Extra credit" in results["output"]
    assert "counts in full or not at all" in results["output"]


def graded_elsewhere(folder, elsewhere, text):
    """What ``grade`` and ``policy`` write for the same submission and rules."""
    entry, out, times = elsewhere / "class" / "submission", elsewhere / "out", elsewhere / "times.csv"
    entry.mkdir(parents=True)
    (entry / "mine.py").write_text(text, "utf-8")
    times.write_text(f"submission,submitted_at\nsubmission,{moment(LATE)}\n", "utf-8")
    chosen = ("--homework", HOMEWORK, "--seed", str(SEED), "--layout", "plain", "--jobs", "1")
    for arguments in (("grade", entry.parent, "--out", out, *chosen), ("policy", out, "--times", times)):
        command = [sys.executable, "-m", "autograder", *arguments, "--course", folder.root / "source"]
        subprocess.run(command, check=True, capture_output=True)
    return json.loads((out / "submissions" / "submission" / "results.json").read_text("utf-8"))


@pytest.mark.parametrize("metadata", [None, "{", '{"created_at": "yesterday"}'])
def test_without_readable_metadata_nobody_gets_points_that_may_be_wrong(folder, metadata):
    path = folder.root / "submission_metadata.json"
    path.unlink() if metadata is None else path.write_text(metadata, "utf-8")
    folder.submit("notes.txt", "I was ill.")
    process = folder.run()
    assert process.returncode != 0
    assert "submission_metadata.json" in process.stderr
    assert not folder.results.exists()
