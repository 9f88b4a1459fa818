from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from autograder.bench.records import Measured, Report, Row, Scale
from autograder.cli import bench as bench_module

from .running import run

REPORT = Report(
    rows=(
        Row("hwx", "ours, 1 job", (Measured(300, 10.0, 10.0, 70.0),)),
        Row("hwx", "otter run", (Measured(4, 20.0, 16.0, 140.0),)),
        Row("hwx", "nbgrader autograde", unavailable="no network"),
    ),
    scales=(
        Scale("hwx", (Measured(101, 11.0, 6.0, 70.0),), (Measured(1, 1.0, 1.0, 70.0),)),
        Scale("hwx", (Measured(1001, 101.0, 51.0, 72.0),), (Measured(1, 1.0, 1.0, 70.0),)),
    ),
    cores=2,
    protection="full",
)


@pytest.fixture
def measured(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """Let the benchmark find this report; returns the plans it was given."""
    plans: list[Any] = []

    def run_bench(course: Any, homeworks: Any, plan: Any, tell: Any) -> Report:
        plans.append(plan)
        return REPORT

    monkeypatch.setattr(bench_module, "run_bench", run_bench)
    return plans


def test_the_table_shows_ratios_and_who_could_not_take_part(measured: list[Any]) -> None:
    done = run("bench")
    assert done.exit == 0
    assert "120 ×" in done.out
    assert "not here: no network" in done.out
    assert "1,001" in done.out
    assert "1.00" in done.out


def test_every_measurement_can_be_written_as_json(measured: list[Any], tmp_path: Path) -> None:
    target = tmp_path / "new" / "bench.json"
    assert run("bench", "--json", str(target)).exit == 0
    written = json.loads(target.read_text("utf-8"))
    assert written["rows"][1]["rounds"][0]["cpu_seconds"] == 16.0


def test_peers_are_chosen_by_name(measured: list[Any]) -> None:
    run("bench", "--peers", "otter")
    run("bench", "--peers", "", "--full")
    assert [list(plan.peers) for plan in measured] == [["otter"], []]
    assert measured[1].sizes[-1] == 10_000


def test_an_unknown_peer_is_told_with_the_known_ones(measured: list[Any]) -> None:
    done = run("bench", "--peers", "gradescope")
    assert done.exit == 2
    assert "pytest, otter, nbgrader" in done.err
