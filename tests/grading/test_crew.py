"""Worker processes: every entry once, whatever becomes of the processes."""

from __future__ import annotations

import multiprocessing
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from tiny import SOLUTION, Tiny

from autograder.grading import crew
from autograder.grading.batch import grade_batch
from autograder.grading.crew import CrewError, grade_in_processes
from autograder.grading.plan import Plan
from autograder.grading.results import SubmissionResult
from autograder.grading.session import open_session
from autograder.homework.course import Course
from autograder.homework.model import CourseError
from autograder.sandbox.status import Status
from autograder.submissions.discover import find_entries
from autograder.submissions.model import Entry

from .fake_plan import FakePlan, StillbornPlan

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="processes are killed by signals here")


@pytest.fixture
def plan(tmp_path: Path) -> Plan:
    return FakePlan(Course(tmp_path), 0)


def entries(tmp_path: Path, *names: str) -> list[Entry]:
    return [Entry(name, tmp_path / name) for name in names]


def by_name(results: Iterator[SubmissionResult]) -> dict[str, SubmissionResult]:
    """The results, each of which must be there once."""
    found = list(results)
    assert len({result.name for result in found}) == len(found)
    return {result.name: result for result in found}


def test_every_entry_is_graded_once_and_the_processes_end(plan: Plan, tmp_path: Path) -> None:
    names = [f"student-{number:02}" for number in range(40)]
    found = by_name(grade_in_processes(plan, entries(tmp_path, *names), 2))
    assert sorted(found) == names
    processes = {result.problems for result in found.values()}
    assert 1 <= len(processes) <= 2
    assert multiprocessing.active_children() == []


def test_the_entries_of_a_process_that_dies_are_graded_again(plan: Plan, tmp_path: Path) -> None:
    names = ["ada", "unlucky-bob", "cyd", "dan", "eve"]
    found = by_name(grade_in_processes(plan, entries(tmp_path, *names), 2))
    assert sorted(found) == sorted(names)
    assert {result.status for result in found.values()} == {Status.GRADED}


def test_an_entry_that_always_takes_its_process_with_it_is_our_fault_and_the_others_count(
    plan: Plan, tmp_path: Path
) -> None:
    found = by_name(grade_in_processes(plan, entries(tmp_path, "ada", "killer-bob", "cyd", "dan"), 1))
    assert sorted(found) == ["ada", "cyd", "dan", "killer-bob"]
    assert found["killer-bob"].status is Status.INFRASTRUCTURE_ERROR
    assert found["killer-bob"].earned is None
    assert "died 3 times" in found["killer-bob"].fault
    assert {found[name].status for name in ("ada", "cyd", "dan")} == {Status.GRADED}


def test_ctrl_c_is_for_the_driver_alone(plan: Plan, tmp_path: Path) -> None:
    found = by_name(grade_in_processes(plan, entries(tmp_path, "interrupted-ada", "bob"), 1))
    assert {result.status for result in found.values()} == {Status.GRADED}
    assert len({result.problems for result in found.values()}) == 1, "one process graded both"


def test_a_broken_course_ends_the_batch_and_its_processes(plan: Plan, tmp_path: Path) -> None:
    with pytest.raises(CourseError, match="the course is broken"):
        list(grade_in_processes(plan, entries(tmp_path, "ada", "broken-bob", "cyd"), 1))
    assert multiprocessing.active_children() == []


def test_a_batch_that_is_left_early_leaves_no_process(plan: Plan, tmp_path: Path) -> None:
    results = grade_in_processes(plan, entries(tmp_path, *map(str, range(50))), 1)
    next(results)
    results.close()  # type: ignore[attr-defined]
    assert multiprocessing.active_children() == []


def test_processes_that_cannot_live_end_the_batch_with_a_remedy(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(crew, "MAX_DEATHS_IN_A_ROW", 2)
    with pytest.raises(CrewError, match="fewer --jobs"):
        list(grade_in_processes(StillbornPlan(Course(tmp_path), 0), entries(tmp_path, "ada", "bob"), 1))


def test_processes_give_the_results_that_one_thread_gives(built: Tiny, tmp_path: Path) -> None:
    texts = {
        "right": SOLUTION,
        "wrong": SOLUTION.replace("factor * x", "x + x.sum()"),
        "crash": SOLUTION.replace("return factor * x", "import os\n    os._exit(3)"),
        "random": SOLUTION.replace("factor * x", "x + np.random.normal(size=x.shape)"),
    }
    for name, text in texts.items():
        (tmp_path / name).mkdir()
        (tmp_path / name / "doubles.py").write_text(text, "utf-8")
    found = find_entries([tmp_path]).entries
    one = by_name(grade_batch(open_session(5, course=built.course), found, 1))
    two = by_name(grade_in_processes(Plan(built.course, 5), found[::-1], 2))
    assert {name: _lasting(result) for name, result in one.items()} == {
        name: _lasting(result) for name, result in two.items()
    }
    assert {name: result.earned for name, result in one.items()} == {
        "right": 5.5,
        "wrong": 2.5,
        "crash": 2.5,
        "random": 2.5,
    }


def _lasting(result: SubmissionResult) -> SubmissionResult:
    return replace(result, homeworks=tuple(replace(one, seconds=0.0) for one in result.homeworks))
