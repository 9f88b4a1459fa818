from __future__ import annotations

import pytest

from autograder.bench.records import Measured, Report, Row, Scale


def row(contestant: str, *cpu_seconds: float, submissions: int = 10) -> Row:
    return Row("hwx", contestant, tuple(Measured(submissions, 2 * s, s, 50.0 + s) for s in cpu_seconds))


def test_a_row_tells_the_median_of_its_rounds_and_its_largest_process() -> None:
    measured = row("cold pytest", 1.0, 5.0, 2.0)
    assert measured.per_cpu_second == 5.0
    assert measured.per_second == 2.5
    assert measured.peak_mb == 55.0


def test_the_ratio_is_of_submissions_per_processor_second() -> None:
    ours, theirs = row("ours, 1 job", 1.0), row("otter run", 4.0, submissions=2)
    report = Report((ours, theirs), (), cores=2, protection="full")
    assert report.ratio(theirs) == pytest.approx(20.0)
    assert report.ratio(ours) == 1.0


def test_the_ratio_is_taken_within_a_homework() -> None:
    slow = Row("hwy", "ours, 1 job", (Measured(1, 1.0, 1.0, 1.0),))
    theirs = Row("hwy", "otter run", (Measured(1, 3.0, 3.0, 1.0),))
    assert Report((row("ours, 1 job", 1.0), slow, theirs), (), 2, "full").ratio(theirs) == pytest.approx(3.0)


def test_the_cost_in_a_class_leaves_out_what_starting_costs() -> None:
    classes = (Measured(101, 12.0, 6.0, 80.0), Measured(101, 14.0, 7.0, 75.0))
    alone = (Measured(1, 2.0, 1.0, 70.0), Measured(1, 9.0, 9.0, 70.0), Measured(1, 1.0, 0.5, 70.0))
    scale = Scale("hwx", classes, alone)
    assert scale.size == 101
    assert scale.cpu_per_submission == pytest.approx(0.055)
    assert scale.seconds_per_submission == pytest.approx(0.11)
    assert scale.peak_mb == 80.0


def test_what_several_commands_used_adds_up_but_for_the_largest_process() -> None:
    assert Measured(1, 1.0, 2.0, 30.0) + Measured(2, 1.5, 2.5, 20.0) == Measured(3, 2.5, 4.5, 30.0)
