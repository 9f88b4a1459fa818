"""What exceptions say is shown, and holds nothing of hidden inputs, wherever a submission puts them."""

import pytest

from autograder.grading.grade import grade_handin
from autograder.sandbox.request import Cell, Code

from .test_shown import asking, digits_of, pages, planted

__all__ = ["asking"]  # the fixture


class CountingPool:
    """Runs what it is asked, and remembers the requests."""

    def __init__(self, pool):
        self._pool = pool
        self.runs = []

    def run(self, request):
        self.runs.append(request)
        return self._pool.run(request)


@pytest.mark.parametrize(
    ("body", "for_reasons"),
    [
        ("return 2 * x", 0),
        ("raise NotImplementedError", 0),
        ("return X", 0),
        ("return 3 * x", 1),  # do equal calls give equal results?
    ],
)
def test_a_submission_is_run_once_and_again_only_for_reasons(body, for_reasons, suite, pool):
    counting = CountingPool(pool)
    text = f"def double(x):\n    {body}\n\ndef totals(x):\n    return x.sum(), x.prod()\n"
    grade_handin(Code("doubles.py", {"doubles.py": text}), suite, counting)
    first, *others = counting.runs
    assert (first.calls, first.later_calls) == suite.stages
    assert len(others) == for_reasons
    assert all(request.later_calls is None for request in others)


def test_nothing_hidden_is_among_the_calls_of_the_first_stage(suite):
    first, second = suite.stages
    assert second is not None
    hidden = digits_of(call.as_mapping() for call in suite.hidden_cases.values())
    assert hidden == digits_of(second.calls) != ""
    assert digits_of(first.calls) == ""
    assert {case.partition("/")[0] for case in suite.open_cases} == {"published", "public"}
    assert {case.partition("/")[0] for case in suite.hidden_cases} == {"hidden", "fresh"}


@pytest.mark.parametrize(
    ("text", "is_told"),
    [
        ("def Doubled(x):\n    return 2 * x\n", "If you mean your `Doubled`, rename it"),
        ("def double(x):\n    return 2 * x\ndouble = double(3)\n", "`double` is not a function: a line"),
        ("def double(x):\n    return x[:, None, 9]\n", "It says: “too many indices for array"),
        ("import doubles_of_mine\n", "It says: “No module named 'doubles_of_mine'”"),
    ],
)
def test_what_helps_is_said_from_runs_without_hidden_inputs(text, is_told, suite, pool):
    result = grade_handin(Code("doubles.py", {"doubles.py": text}), suite, pool)
    assert is_told in result.checks[0].reason


LOADS = """
import sys

frame, found = sys._getframe(), []
while frame:
    calls = frame.f_locals.get("calls")
    found += [str(one) for one in calls] if isinstance(calls, list) else []
    frame = frame.f_back
raise ValueError(found[3:], "odd")
"""


@pytest.mark.parametrize("where", ["at import", "in a cell"])
def test_what_a_load_says_is_said_without_any_input(where, asking, pool, tmp_path):
    code = Code("doubles.py", {"doubles.py": LOADS})
    if where == "in a cell":
        code = Code("work.ipynb", {}, [Cell(1, LOADS)])
    distinct_pages = {pages(planted(asking, number), pool, tmp_path, code) for number in range(3)}
    assert len(distinct_pages) == 1
    assert "It says: “" in next(iter(distinct_pages))
