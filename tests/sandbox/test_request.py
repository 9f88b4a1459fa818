import numpy as np
import pytest

from autograder.sandbox.request import Cell, Code, DataFiles, Limits, Request, SharedCalls
from autograder.worker.wire import Tensor, unpack


def test_a_packed_request_holds_the_code_the_calls_and_nothing_else():
    call = {"op": "function", "name": "f", "args": [np.ones(2), 3]}
    request = Request(Code("a.py", {"a.py": "x = 1", "b.py": ""}), [call], limits=Limits(call_seconds=2))
    message = unpack(request.pack())
    assert message.pop("calls")[0]["args"][0].tolist() == [1, 1]
    assert message == {
        "entry": "a.py",
        "files": {"a.py": "x = 1", "b.py": ""},
        "cells": None,
        "data": None,
        "order": None,
        "call_seconds": 2,
        "function_seconds": {},
        "loading": (9.0, 7.5),
    }


def test_a_notebooks_cells_are_packed_with_their_numbers():
    request = Request(Code("a.ipynb", {}, [Cell(3, "x = 'ü'")]), [])
    assert unpack(request.pack())["cells"] == [{"number": 3, "source": "x = 'ü'"}]


def test_a_call_that_is_made_again_is_packed_once():
    call = {"op": "function", "name": "f", "args": [np.ones(2)]}
    other = {"op": "function", "name": "g", "args": []}
    message = unpack(Request(Code("a.py"), [call, other, call]).pack())
    assert [packed["name"] for packed in message["calls"]] == ["f", "g"]
    assert message["order"] == [0, 1, 0]


def test_a_call_that_is_made_again_gets_its_arguments_as_they_were(pool):
    text = "def f(x):\n    x += 1\n    return x\n"
    call = {"op": "function", "name": "f", "args": [np.zeros(2)]}
    report = pool.run(Request(Code("a.py", {"a.py": text}), [call, call]))
    assert [answer.value.tolist() for answer in report.answers] == [[1, 1], [1, 1]]


def test_a_tensor_of_a_call_that_is_made_again_is_one_that_gradients_reach(pool):
    text = "def f(x):\n    with __import__('torch').no_grad():\n        x += 1\n    return 2 * x\n"
    tensor = Tensor(np.zeros(2, np.float32), requires_grad=True)
    cotangent = Tensor(np.ones(2, np.float32))
    call = {"op": "function", "name": "f", "args": [tensor], "cotangent": cotangent}
    report = pool.run(Request(Code("a.py", {"a.py": text}), [call, call], library="torch"))
    assert [answer.value.array.tolist() for answer in report.answers] == [[2, 2], [2, 2]]
    assert [answer.gradients["0"].array.tolist() for answer in report.answers] == [[2, 2], [2, 2]]


def test_a_process_has_more_time_for_each_call_with_a_limit_of_its_own():
    limits = Limits(seconds=1, cpu_seconds=2, of_functions={"train": 20, "other": 7})
    calls = [{"name": "f", "args": []}, {"name": "train", "args": []}, {"name": "train"}]
    request = Request(
        Code("a.py"), calls, limits=limits, later_calls=SharedCalls([{"name": "train", "args": []}])
    )
    assert request.process_limits == {
        "seconds": 41,
        "cpu_seconds": 2,
        "more_cpu_seconds": 40,
        "memory_mb": 1024,
        "answer_mb": 32,
    }
    assert limits.loading == (0.75, 1.5)


@pytest.mark.parametrize(
    ("code", "is_found"),
    [
        (Code("a.py", {"a.py": "import torch"}), True),
        (Code("a.py", {"a.py": "import numpy", "b.py": "from torch import nn"}), True),
        (Code("a.ipynb", {}, [Cell(1, "x"), Cell(2, "import torch")]), True),
        (Code("torch.py", {"torch.py": "import numpy"}), False),
        (Code("a.ipynb", {}, []), False),
    ],
)
def test_a_word_is_looked_for_in_every_file_and_cell(code, is_found):
    assert code.mentions("torch") is is_found


def test_data_files_are_packed_only_for_a_worker_that_keeps_none():
    request = Request(Code("a.py", {}), [], data=DataFiles({"a/b.csv": b"1,2"}))
    assert unpack(request.pack())["data"] is None
    assert unpack(request.pack(with_data=True))["data"]["a/b.csv"].tobytes() == b"1,2"
