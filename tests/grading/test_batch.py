from __future__ import annotations

import threading
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from results import homework, submission
from tiny import SOLUTION, Tiny

from autograder.grading import batch
from autograder.grading.batch import grade_batch
from autograder.grading.results import SubmissionResult
from autograder.grading.session import open_session
from autograder.homework.model import CourseError
from autograder.sandbox.parallel import WAITING_PER_JOB
from autograder.sandbox.pool import SandboxPool
from autograder.submissions.discover import find_entries
from autograder.submissions.model import Entry


@pytest.fixture
def threads(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let threads grade also a large class."""
    monkeypatch.setattr(batch, "WORTH_A_PROCESS", 10**6)


class FakeSession:
    """Stands in for a session: remembers threads, pools and how many entries were begun."""

    def __init__(self, broken: str = "") -> None:
        self.begun: list[str] = []
        self.pools: dict[int, set[SandboxPool]] = {}
        self.gate = threading.Event()
        self.gate.set()
        self._broken = broken
        self._lock = threading.Lock()

    def grade(self, entry: Entry, pool: SandboxPool) -> SubmissionResult:
        with self._lock:
            self.begun.append(entry.name)
            self.pools.setdefault(threading.get_ident(), set()).add(pool)
        assert self.gate.wait(60)
        if entry.name == self._broken:
            raise CourseError("the course is broken")
        return submission(entry.name, homework())


def entries(count: int) -> list[Entry]:
    return [Entry(f"student-{number:03}", Path(f"{number}.py")) for number in range(count)]


def names(results: Iterator[SubmissionResult]) -> list[str]:
    return sorted(result.name for result in results)


@pytest.mark.usefixtures("threads")
@pytest.mark.parametrize("jobs", [1, 2, 5])
@pytest.mark.parametrize("count", [0, 1, 3, 50])
def test_every_entry_is_graded_exactly_once(jobs: int, count: int) -> None:
    session: Any = FakeSession()
    assert names(grade_batch(session, entries(count), jobs)) == [entry.name for entry in entries(count)]
    assert len(session.begun) == count


@pytest.mark.usefixtures("threads")
def test_each_thread_has_sandboxes_of_its_own() -> None:
    session: Any = FakeSession()
    list(grade_batch(session, entries(60), 3))
    assert 1 <= len(session.pools) <= 3
    assert all(len(pools) == 1 for pools in session.pools.values())
    assert len(set.union(*session.pools.values())) == len(session.pools)


class CountedEntries(Sequence[Entry]):
    """Entries that remember how many of them were taken."""

    def __init__(self, count: int) -> None:
        self._entries = entries(count)
        self.taken = 0

    def __len__(self) -> int:
        return len(self._entries)

    def __getitem__(self, index: Any) -> Any:
        entry = self._entries[index]
        self.taken += 1
        return entry


@pytest.mark.usefixtures("threads")
def test_only_a_few_entries_wait_at_once() -> None:
    """Memory does not grow with the class, and results come before all entries have been taken."""
    session: Any = FakeSession()
    counted = CountedEntries(200)
    results = grade_batch(session, counted, 2)
    next(results)
    assert counted.taken <= 2 * WAITING_PER_JOB
    assert len(names(results)) == 199


@pytest.mark.usefixtures("threads")
def test_a_broken_course_ends_the_batch() -> None:
    session: Any = FakeSession(broken="student-003")
    with pytest.raises(CourseError, match="the course is broken"):
        list(grade_batch(session, entries(100), 2))
    assert len(session.begun) < 100


def test_no_more_entries_are_begun_once_somebody_says_stop() -> None:
    session: Any = FakeSession()
    results = grade_batch(session, entries(30), 1, lambda: len(session.begun) < 5)
    assert len(names(results)) == len(session.begun) < 5 + WAITING_PER_JOB + 1


@pytest.mark.usefixtures("threads")
def test_a_batch_that_is_left_early_stops_grading() -> None:
    session: Any = FakeSession()
    results = grade_batch(session, entries(100), 2)
    next(results)
    results.close()  # type: ignore[attr-defined]
    assert len(session.begun) <= 2 * WAITING_PER_JOB + 2


def test_results_do_not_depend_on_jobs_or_order(built: Tiny, tmp_path: Path) -> None:
    texts = {
        "right": SOLUTION,
        "wrong": SOLUTION.replace("factor * x", "x + x.sum()"),
        "crash": SOLUTION.replace("return factor * x", "import os\n    os._exit(3)"),
        "broken": "import nummpy\n",
        "random": SOLUTION.replace("factor * x", "x + np.random.normal(size=x.shape)"),
    }
    for name, text in texts.items():
        (tmp_path / name).mkdir()
        (tmp_path / name / "doubles.py").write_text(text, "utf-8")
    found = find_entries([tmp_path]).entries
    runs = [
        {one.name: _lasting(one) for one in grade_batch(open_session(5, course=built.course), order, jobs)}
        for order, jobs in ((found, 1), (found[::-1], 3))
    ]
    assert runs[0] == runs[1]
    assert {name: result.earned for name, result in runs[0].items()} == {
        "right": 5.5,
        "wrong": 2.5,
        "crash": 2.5,
        "broken": 0,
        "random": 2.5,
    }


def _lasting(result: SubmissionResult) -> SubmissionResult:
    return replace(result, homeworks=tuple(replace(one, seconds=0.0) for one in result.homeworks))
