"""Slow tests of the same subject as ``test_replies``, for CI and `make test WHOLE=1`."""

import numpy as np
import pytest
from wording import to_students

from autograder.sandbox.report import Status
from autograder.worker.wire import pack

from ..test_replies import EMPTY, ERROR, FACTS, REPLIES, _with, bounded

FLOODS = {
    "modified": lambda: _with(0, modified=EMPTY),
    "modified-list": lambda: _with(0, modified=list(range(30_000))),
    "parameters": lambda: _with(0, parameters=EMPTY),
    "parameters-names": lambda: _with(0, parameters={str(number): "" for number in range(100_000)}),
    "parameters-shape": lambda: _with(0, parameters={"w": "1 " * 1_000_000}),
    "parameters-array": lambda: _with(0, parameters={"w": EMPTY}),
    "gradients": lambda: _with(0, gradients=EMPTY),
    "seconds": lambda: _with(0, seconds=np.zeros(1 << 20)),
    "failed-cells": lambda: {**REPLIES[0], "stops": EMPTY},
    "failed-cells-list": lambda: {**REPLIES[0], "stops": [{"cell": 1, **ERROR}] * 3_000},
    "functions": lambda: {**REPLIES[0], "functions": EMPTY},
    "functions-many": lambda: {
        **REPLIES[0],
        "functions": {str(number): FACTS["f"] for number in range(2000)},
    },
    "results": lambda: {**REPLIES[0], "results": EMPTY},
    "error": lambda: {**REPLIES[0], "error": EMPTY},
    "error-type": lambda: {**REPLIES[0], "error": {**ERROR, "type": np.zeros((3000, 3000))}},
    "error-line": lambda: {**REPLIES[0], "error": {**ERROR, "line": EMPTY}},
    "message": lambda: {**REPLIES[0], "error": {**ERROR, "message": np.zeros((3000, 3000))}},
    "not-a-tree": lambda: EMPTY,
}


@pytest.mark.parametrize("name", FLOODS)
def test_a_flood_in_place_of_a_short_list_is_an_invalid_answer(name):
    report = bounded(pack(FLOODS[name]()))
    assert (report.status, report.detail) == (
        Status.INVALID_ANSWER,
        to_students["replies.answer-is-malformed"],
    )
