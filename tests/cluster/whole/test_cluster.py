"""Grading on a real scheduler with two worker processes, one of which is killed."""

from dataclasses import replace
from pathlib import Path

import pytest
from distributed import KilledWorker
from tiny import SOLUTION, write_tiny
from wording import to_staff

from autograder.authoring.reference import build_outputs
from autograder.batch.session import Plan
from autograder.cluster import ClusterError
from autograder.cluster import driver as driver_module
from autograder.cluster.driver import Cluster, result_of, room
from autograder.intake.submission import Submission
from autograder.platforms.discover import find_submissions
from autograder.sandbox.levels import FULL, strongest_level
from autograder.sandbox.report import Status

from ..farm import Farm

TEXTS = {
    "right": SOLUTION,
    "wrong": SOLUTION.replace("factor * x", "x + x.sum()"),
    "random": SOLUTION.replace("factor * x", "x + np.random.normal(size=x.shape)"),
}


@pytest.fixture(scope="module")
def built(tmp_path_factory, pool):
    tiny = write_tiny(tmp_path_factory.mktemp("course"))
    assert build_outputs(tiny.course, tiny.homework, pool).written
    return tiny


@pytest.fixture(scope="module")
def farm(tmp_path_factory):
    with Farm(tmp_path_factory.mktemp("farm")) as started:
        yield started


@pytest.fixture
def entries(tmp_path):
    """A class of twelve."""
    for number in range(12):
        kind = list(TEXTS)[number % len(TEXTS)]
        folder = tmp_path / "class" / f"{kind}-{number:02}"
        folder.mkdir(parents=True)
        (folder / "doubles.py").write_text(TEXTS[kind], "utf-8")
    return list(find_submissions([tmp_path / "class"]).submissions)


def test_a_class_is_graded_whole_and_as_here_though_a_worker_is_killed(built, farm, entries, pool):
    plan = Plan(built.course, 5)
    workers = [farm.worker(), farm.worker()]
    results = []
    with Cluster(farm.address, plan, strongest_level(), print) as cluster:
        cluster._client.wait_for_workers(2, timeout=90)
        for result in cluster.grade(entries, lambda: True):
            results.append(result)
            if len(results) == 2:
                workers[0].kill()
    workers[1].kill()
    session = plan.open()
    here = {entry.name: _lasting(session.grade(entry, pool)) for entry in entries}
    assert sorted(result.name for result in results) == sorted(here), "every submission exactly once"
    assert {result.name: _lasting(result) for result in results} == here


@pytest.mark.parametrize(
    ("threads", "under_way", "more"), [(2, 0, 4), (2, 3, 1), (1, 4, 0), (0, 0, 1), (0, 2, 0)]
)
def test_a_lost_worker_leaves_no_room_rather_than_less_than_none(threads, under_way, more):
    assert room(threads, under_way) == more


def test_a_worker_that_protects_less_is_refused_and_named(built, tmp_path):
    refused = r"the worker tcp://127.0.0.1:\d+: it protects only at the level"
    with Farm(tmp_path) as weak:
        weak.worker("--preload", str(Path(__file__).parents[1].joinpath("preload_weak.py")))
        with pytest.raises(ClusterError, match=refused):
            Cluster(weak.address, Plan(built.course, 5), FULL, print)


def test_a_scheduler_without_workers_is_told(built, tmp_path):
    with (
        Farm(tmp_path) as empty,
        pytest.raises(ClusterError, check=to_staff["cluster.had-no-worker-for-s-start"]),
    ):
        Cluster(empty.address, Plan(built.course, 5), None, print, patience=0.2)


def test_an_address_where_nobody_answers_is_told(built, monkeypatch):
    monkeypatch.setattr(driver_module, "CONNECT_SECONDS", 0.5)
    with pytest.raises(ClusterError, check=to_staff["cluster.no-scheduler-answers"]):
        Cluster("tcp://127.0.0.1:9", Plan(built.course, 5), None, print)


class Lost:
    """A result that never came, for its entry took worker after worker with it."""

    def result(self):
        raise KilledWorker("grade", None, 3)


def test_an_entry_that_takes_worker_after_worker_with_it_is_our_fault():
    lost = Lost()
    result = result_of(lost, Submission("ada", Path("ada.py")))
    assert result.status is Status.INFRASTRUCTURE_ERROR
    assert result.earned is None
    assert result.fault == to_staff["cluster.workers-of-the-cluster-died"]


def _lasting(result):
    return replace(result, homeworks=tuple(replace(homework, seconds=0.0) for homework in result.homeworks))
