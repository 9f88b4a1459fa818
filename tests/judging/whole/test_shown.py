"""Slow tests of the same subject as ``test_shown``, for CI and `make test WHOLE=1`."""

import json

import numpy as np
import pytest
from safetensors.numpy import save

from autograder.grading import grade
from autograder.reasons.student_code import StudentCode
from autograder.worker.wire import Unsendable

from ..test_shown import (
    CODE,
    ERROR,
    VARIATIONS,
    Forger,
    _everywhere,
    asking,
    digits_of,
    forms_of,
    pages,
    planted,
)

__all__ = ["asking"]  # the fixtures


def _at_top(part, value):
    def forge(digits, tree):
        tree[part] = value(digits)

    return forge


def _facts(digits):
    names = [f"x_{int(digits[place : place + 2])}" for place in range(0, 6, 2)]
    number = int(digits[:6])
    return {"double": {"parameters": names, "globals_read": names, "sizes": dict.fromkeys(names, number)}}


def _cells(digits):
    chosen = [int(digits[place : place + 2]) % 39 + 1 for place in range(0, 60, 2)]
    return [{"cell": cell, **ERROR, "file": f"cell {cell}", "line": int(digits[cell]) + 1} for cell in chosen]


def _answers(value):
    def forge(digits, tree):
        for result in tree["results"]:
            if isinstance(result["value"], dict):
                result["value"] = value(digits)

    return forge


SILENT = {
    "own exception types": _everywhere("type", lambda digits: f"X{digits[:40]}"),
    "exception types from a codebook": _everywhere("type", lambda digits: f"E{digits[:2]}"),
    "messages": _everywhere("message", str),
    "traces": _everywhere("trace", str),
    "sources": _everywhere("source", str),
    "file names": _everywhere("file", str),
    "file names of magics": _everywhere("file", lambda digits: f"{digits} (magic)"),
    "lines that there are not": _everywhere("line", lambda digits: 1000 + int(digits[:6])),
    "import errors": _at_top("error", lambda digits: {**ERROR, "type": f"X{digits[:90]}", "line": 9999}),
    "malformed answers": _at_top("results", str),
    "malformed numbers": _everywhere("seconds", lambda digits: digits),
    "malformed indices": _everywhere("modified", lambda digits: [int(digits[:9])]),
    "malformed tags": lambda digits, tree: json.dumps({digits[:40]: 1}).encode() + b"\n" + save({}),
    "bytes that are no answer": lambda digits, tree: digits.encode(),
    "failed cells": _at_top("stops", _cells),
    "names and sizes of functions": _at_top("functions", _facts),
    "names of parameters": _everywhere("parameters", lambda digits: {digits[:90]: "3"}),
    "kinds of values": _everywhere("value", lambda digits: Unsendable(f"an object of type X{digits[:90]}")),
    "dtypes": _everywhere(
        "value", lambda digits: Unsendable(f"an array of dtype [('{digits[:90]}', '<f8')]")
    ),
    "texts as values": _everywhere("value", lambda digits: digits),
    "huge shapes": _everywhere("value", lambda digits: np.empty((0, int("1" + digits[:6])))),
    "many axes": _everywhere(
        "value", lambda digits: np.empty([int(digit) + 3 for digit in digits[:6]] + [0])
    ),
    "long lists": _everywhere("value", lambda digits: [None] * (1000 + int(digits[:3]))),
    "huge factors": _everywhere("value", lambda digits: np.full(3, float(digits[:6]) * 1e20)),
    "answers to questions": _answers(lambda digits: {"shape": digits[:30], "total": digits[:30]}),
    "keys of answers": _answers(lambda digits: {digits[:90]: "b", f"shape{digits[:9]}": 1}),
    "kinds of answers": _answers(lambda digits: {"shape": Unsendable(f"a value of type X{digits[:90]}")}),
    "no answers": _answers(lambda digits: Unsendable(f"a value of type X{digits[:90]}")),
}


@pytest.fixture(scope="module")
def text_of_code():
    """The text of the submission, which is the same whatever came back from it."""
    return StudentCode(CODE)


@pytest.fixture(autouse=True)
def read_once(text_of_code, monkeypatch):
    """Read the long text of the submission once for all gradings: this costs four times what a grading does."""

    def read(code):
        assert code is CODE
        return text_of_code

    monkeypatch.setattr(grade, "StudentCode", read)


@pytest.mark.parametrize("channel", SILENT)
def test_a_channel_that_carries_nothing(channel, asking, tmp_path):
    distinct_pages = set()
    for number in range(VARIATIONS):
        planted_suite = planted(asking, number)
        distinct_pages.add(pages(planted_suite, Forger(SILENT[channel]), tmp_path))
        digits = digits_of(call.as_mapping() for call in planted_suite.calls.values())
        assert not [form for form in forms_of(digits) if form in next(iter(distinct_pages))]
    assert len(distinct_pages) == 1, channel
    assert "failed" in next(iter(distinct_pages)), "the submission is told something"
