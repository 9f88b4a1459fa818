from __future__ import annotations

from dataclasses import replace

import pytest
from results import FAILED, NOT_RUN, PASSED, homework, ours, submission

from autograder.sandbox.report import Status

MOST_URGENT_LAST = [
    Status.GRADED,
    Status.NOT_SUBMITTED,
    Status.IMPORT_FAILED,
    Status.INVALID_ANSWER,
    Status.CRASHED,
    Status.MEMORY_LIMIT,
    Status.TIME_LIMIT,
    Status.INFRASTRUCTURE_ERROR,
]


def test_only_passed_checks_earn_points() -> None:
    assert homework().earned == 1.0
    assert homework(checks=(PASSED, PASSED, FAILED, NOT_RUN)).earned == 2.0
    assert homework(checks=()).earned == 0.0


def test_fractions_of_points_add_up_without_dust() -> None:
    tenth = replace(PASSED, points=0.1)
    assert homework(checks=(tenth,) * 3).earned == 0.3
    assert submission("ada", *(homework(checks=(tenth,)) for _ in range(3))).earned == 0.3


def test_our_fault_earns_nothing_that_could_be_taken_for_a_grade() -> None:
    assert homework(status=Status.INFRASTRUCTURE_ERROR).earned is None
    assert submission("ada", homework(), ours()).earned is None
    assert submission("ada", homework(), fault="Traceback").earned is None


@pytest.mark.parametrize("status", MOST_URGENT_LAST[:-1])
def test_every_other_status_keeps_its_points(status: Status) -> None:
    assert homework(status=status).earned == 1.0


def test_the_status_that_needs_most_attention_is_that_of_the_submission() -> None:
    assert set(MOST_URGENT_LAST) == set(Status)
    for position, status in enumerate(MOST_URGENT_LAST):
        others = [homework(status=one) for one in MOST_URGENT_LAST[: position + 1]]
        assert submission("ada", *others).status is status
        assert submission("ada", *reversed(others)).status is status


def test_nothing_found_is_not_submitted_with_no_points() -> None:
    assert (submission("ada").status, submission("ada").earned) == (Status.NOT_SUBMITTED, 0)


def test_a_fault_of_ours_comes_before_everything_else() -> None:
    assert (
        submission("ada", homework(status=Status.CRASHED), fault="Traceback").status
        is Status.INFRASTRUCTURE_ERROR
    )
    assert submission("ada", fault="Traceback").status is Status.INFRASTRUCTURE_ERROR


def test_a_homework_is_found_by_its_id() -> None:
    result = submission("ada", homework(), homework(homework="hwy"))
    assert result.homework("hwy") is result.homeworks[1]
    assert result.homework("hwz") is None
