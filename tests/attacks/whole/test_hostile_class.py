"""A class in which most entries are hostile: the honest ones get exactly their points."""

import csv
import itertools
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from cli.running import run
from cluster.farm import Farm
from submissions import corpus

from autograder.course.course import Course
from autograder.gradebook.opening import read_gradebook
from autograder.sandbox.levels import FULL, NO_NAMESPACES
from autograder.verdict.checks import Outcome, load_checks

from ..conftest import ROOT, require
from ..hostile_class import STUB, hostile_entries, write_on_top

HOMEWORK = "hw1_attention_scores"
SECONDS = 900  # far more than it takes; only so that a hanging one fails
LIMITS = {
    "time": "while True: pass",
    "memory": "return np.ones(10**9)",
    "output": "print('x' * 50_000_000)\n    raise ValueError('y' * 10**7)",
    "answers": "return np.ones(3_500_000)",
    "dies": "posix._exit(3)",
}
"""What each function of a homework does that uses up a limit, or ends its process."""
BEFORE = {"memory": "much = bytearray(350 << 20)\n", "answers": "much = bytearray(150 << 20)\n"}
RUN = ("module-", "older-starving-", "older-escaping-")  # what may come through at one level alone
EXPLAINED = 40
"""One hostile entry of so many is explained as well."""
COMMAND = Path(sys.executable).with_name("autograder")
SHORT_LIMITS = {"seconds": 3, "call_seconds": 0.4, "cpu_seconds": 2, "memory_mb": 512}
"""Smaller limits than those of the course, for most hostile entries use them up."""
SHORTENED = ("course.toml", "hw2_self_attention/homework.toml", "hw6_encoder_block/homework.toml")
"""The files of limits that are shortened. The others are those of homeworks whose right answers need the time."""
FEWER = 6
"""One mistaken answer of so many is handed in: they stand for all whom hostile entries may disturb."""
FULL_LEVEL = pytest.param(FULL, id="full", marks=pytest.mark.xdist_group("hostile class, full"))
NO_NAMESPACES_LEVEL = pytest.param(
    NO_NAMESPACES, id="no-namespaces", marks=pytest.mark.xdist_group("hostile class, no namespaces")
)


@pytest.fixture(scope="module")
def quick_course(tmp_path_factory):
    """A copy of the course with shorter limits."""
    root = tmp_path_factory.mktemp("course")
    for name in ("solutions", "reference_outputs", "assignments"):
        shutil.copytree(ROOT / name, root / name, ignore=shutil.ignore_patterns("__pycache__", ".ruff_cache"))
    for name in SHORTENED:
        settings = root / "solutions" / name
        text = settings.read_text("utf-8")
        for limit, short in SHORT_LIMITS.items():
            text = re.sub(rf"^{limit} = [\d.]+", f"{limit} = {short}", text, flags=re.MULTILINE)
        assert f"\nseconds = {SHORT_LIMITS['seconds']}" in text, name
        settings.write_text(text, "utf-8")
    return root


def grade(folder, out, level, course, *more):
    """Grade as a TA does who stands in the folder of submissions."""
    require(level)
    environment = dict(os.environ)
    if level is NO_NAMESPACES:  # a machine without bubblewrap
        environment["PATH"] = str(Path(sys.executable).parent)
    options = ["--out", str(out), "--seed", "3", "--course", str(course), *(more or ("--jobs", "2"))]
    return subprocess.run(
        [str(COMMAND), "grade", ".", *options],
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
        timeout=SECONDS,
        check=False,
    )


def rows(out):
    with (out / "grades.csv").open(encoding="utf-8", newline="") as file:
        return {row[0]: row[1:] for row in csv.reader(file)}


def honest(folder, course, step=1):
    """Hand in right answers and some mistaken ones, under names of students; return their status and points."""
    submissions = [submission for submission in corpus(HOMEWORK) if submission.is_right]
    submissions += [submission for submission in corpus(HOMEWORK) if submission.loses][::FEWER]
    checks = load_checks(course.homework(HOMEWORK))
    expected = {}
    for number, submission in enumerate(submissions[::step]):
        name = f"student-{number:03}"
        (folder / name).mkdir(parents=True)
        (folder / name / STUB).write_text(submission.text, "utf-8")
        points = sum(check.points for check in checks if check.name not in (submission.loses or ()))
        expected[name] = ["graded", points, points]
    return expected


def status_and_points(rows, names):
    """What the rows of some names say: the status, the points of the homework that is not blank, and the total."""
    return {name: [rows[name][0], *map(float, filter(None, rows[name][1:-1]))] for name in names}


@pytest.fixture
def folder(tmp_path):
    """A folder of the test's own that is removed here: pytest cannot remove what is nested so deeply."""
    yield tmp_path
    subprocess.run(["rm", "-rf", str(tmp_path)], check=True)


@pytest.mark.parametrize("level", [FULL_LEVEL, NO_NAMESPACES_LEVEL])
def test_the_honest_get_their_points_whatever_the_others_do(level, folder, quick_course, warm_sandboxes):
    entries = hostile_entries()
    if level is not FULL:  # the same files and answers are read at every level
        entries = {name: write for name, write in entries.items() if name.startswith(RUN)}
    expected = honest(folder / "class", Course(quick_course))
    for name, write in entries.items():
        entry = folder / "class" / name
        entry.mkdir()
        write(entry)
    marker = folder / "imported"
    write_on_top(folder / "class", marker)

    result = grade(folder / "class", folder / "graded", level, quick_course)
    assert result.returncode in (0, 1), result.stderr[-4000:]
    assert "Traceback" not in result.stderr
    assert not marker.exists(), marker.read_text("utf-8")
    graded = rows(folder / "graded")
    assert status_and_points(graded, expected) == expected
    assert set(entries) <= set(graded)
    assert (result.returncode == 1) == any(row[0] == "infrastructure_error" for row in graded.values())
    assert (folder / "graded" / "report.html").is_file()

    # What the staff looks at afterwards reads the same files and answers, whatever the level was.
    if level is not FULL:
        return
    afterwards = folder / "graded", "--course", quick_course
    for command in (["similar"], ["written"], ["written", "--anonymous"]):
        result = run(*command, *afterwards)
        assert result.exit == 0, result.err[-4000:]
    for name in sorted(entries)[::EXPLAINED]:
        result = run("explain", *afterwards, "--", name)
        assert result.exit in (0, 2), (name, result.err[-4000:])
        assert "\x1b" not in result.out + result.err, name


@pytest.mark.parametrize("level", [FULL_LEVEL, NO_NAMESPACES_LEVEL])
def test_homeworks_that_use_up_all_limits_cost_the_others_of_the_submission_nothing(
    level, folder, quick_course
):
    course = Course(quick_course)
    ways = itertools.cycle(LIMITS)
    hostile = set()
    # The capstone, the last one, trains for as long as a third of all: once is enough.
    homework_ids = course.homework_ids() if level is FULL else course.homework_ids()[:-1]
    for number, homework_id in enumerate(homework_ids):
        homework = course.homework(homework_id)
        text = homework.solution.read_text("utf-8")
        if number % 2:
            way = next(ways)
            calls = [task.name for task in homework.tasks if task.value is None]
            functions = [f"def {name}(*arguments):\n    {LIMITS[way]}\n" for name in calls]
            text = "\n".join(["import posix", "import numpy as np", BEFORE.get(way, ""), *functions])
            hostile.add(homework_id)
        (folder / "class" / "mixed").mkdir(parents=True, exist_ok=True)
        (folder / "class" / "mixed" / homework.stub).write_text(text, "utf-8")

    # Two workers would import torch twice, and what is asked is what happens within a submission.
    result = grade(folder / "class", folder / "graded", level, quick_course, "--jobs", "1")
    assert result.returncode == 0, result.stderr[-4000:]
    with read_gradebook(folder / "graded") as book:
        [mixed] = book.results()
    assert [graded.homework for graded in mixed.homeworks] == homework_ids
    for graded in mixed.homeworks:
        if graded.homework in hostile:
            assert graded.earned == 0, graded.homework
            continue
        outcomes = {check.check: check.outcome for check in graded.checks}
        assert graded.status == "graded", graded.homework
        assert set(outcomes.values()) <= {Outcome.PASSED, Outcome.COLLECTED}, (graded.homework, outcomes)
        assert graded.earned >= graded.points, graded.homework


@pytest.mark.xdist_group("hostile class, cluster")
def test_a_cluster_gives_a_hostile_class_the_same_points(folder, quick_course):
    require(FULL)
    entries = hostile_entries()
    # What reaches a limit of time is measured by how busy the machine is.
    names = [name for name in sorted(entries) if name.startswith((*RUN, "file-"))]
    for name in [*names[:: len(names) // 12], "file-deep-folders"]:
        (folder / "class" / name).mkdir(parents=True, exist_ok=True)
        entries[name](folder / "class" / name)
    students = honest(folder / "class", Course(quick_course), step=4)
    assert grade(folder / "class", folder / "here", FULL, quick_course).returncode == 0
    with Farm(folder) as farm:
        farm.worker()
        result = grade(folder / "class", folder / "there", FULL, quick_course, "--scheduler", farm.address)
    assert result.returncode == 0, result.stderr[-4000:]
    here, on_the_cluster = rows(folder / "here"), rows(folder / "there")
    assert here == on_the_cluster
    assert status_and_points(here, students) == students
