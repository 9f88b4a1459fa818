"""Slow tests of the same subject as ``test_examples``, for CI and `make test WHOLE=1`."""

import numpy as np
import pytest

from autograder.course.homework import EXAMPLES
from autograder.examples.form import MOST_EXAMPLES, arguments_of
from autograder.sandbox.report import Status
from autograder.verdict.store import open_store
from autograder.worker.wire import Tensor

from ..test_examples import SOFTMAX, graded

__all__ = ["graded"]  # the fixtures


@pytest.mark.parametrize("value", ["[np.eye(2)] * 300_000", "[np.ones((10_000, 13_000))]"])
def test_a_flood_ends_as_a_limit_of_the_submission(graded, value):
    result = graded(f"import numpy as np\n{SOFTMAX} = {value}")
    limits = (Status.INVALID_ANSWER, Status.MEMORY_LIMIT, Status.TIME_LIMIT, Status.CRASHED)
    assert result.status in limits
    assert result.earned == 0
    assert all(check.reason for check in result.checks)


@pytest.mark.parametrize("number", range(1, 7))
def test_the_stored_inputs_of_each_homework_earn_everything(number, grade_text, course):
    """So every mistake that is counted can be told apart by inputs within the limits."""
    base, lines = course.homework(f"hw{number}"), []
    known = open_store(course, base).read()
    for task in base.tasks:
        # The scores behind attention cases are there to judge by the student's own weights.
        cases = [known_case.case for known_case in known if known_case.case.task == task.name]
        cases = [case for case in cases if case.group != "published" and case.topic != "scores"]
        inputs = [tuple(map(listed, arguments_of(case.call))) for case in cases[-MOST_EXAMPLES:]]
        lines.append(f"{task.name}{EXAMPLES} = {inputs!r}")
    result = grade_text(f"hw{number}_examples", "\n".join(lines))
    assert (result.earned, result.points) == (5 * len(base.tasks), 5 * len(base.tasks)), result.checks


def listed(value):
    return np.asarray(value.array if isinstance(value, Tensor) else value).tolist()
