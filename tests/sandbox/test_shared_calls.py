"""What a request carries: calls that many submissions share, limits of time, and data files."""

import errno
import sys

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from autograder.sandbox.pool import SandboxPool
from autograder.sandbox.request import Cell, Code, DataFiles, Limits, Request, SharedCalls
from autograder.sandbox.warm import KEPT_CALLS
from autograder.worker.composites import Composite
from autograder.worker.wire import Tensor, unpack

needs_linux = pytest.mark.skipif(sys.platform != "linux", reason="a warm sandbox needs Linux")
X = np.arange(6.0).reshape(2, 3)


def code(body):
    return Code("a.py", {"a.py": f"def f(x):\n    {body}\n"})


def calls_of(*numbers):
    return SharedCalls([{"op": "function", "name": "f", "args": [X + number]} for number in numbers])


def values(report):
    assert not any(answer.error for answer in report.answers), report
    return [np.asarray(answer.value).tolist() for answer in report.answers]


def test_shared_calls_bring_the_answers_of_calls_that_are_not_shared(either):
    shared, alone = (
        either.run(Request(code("return x * 2"), calls)) for calls in (calls_of(0, 1), calls_of(0, 1).calls)
    )
    assert values(shared) == values(alone) == [(X * 2).tolist(), ((X + 1) * 2).tolist()]


def test_a_submission_that_changes_its_arguments_changes_them_for_itself_alone(either):
    shared = calls_of(0, 0)
    spoiled = either.run(Request(code("x += 1; x.sort(); return x"), shared))
    assert [answer.modified for answer in spoiled.answers] == [(0,), (0,)]
    assert values(either.run(Request(code("return x"), shared))) == [X.tolist(), X.tolist()]


def test_a_submission_that_looks_through_all_objects_changes_nothing_for_the_next(warm):
    shared = calls_of(3)
    searching = "import gc, numpy as np\n    for one in gc.get_objects():\n        " + (
        "if type(one) is list:\n            one.clear()\n    return 1"
    )
    warm.run(Request(code(searching), shared))
    assert values(warm.run(Request(code("return x"), shared))) == [(X + 3).tolist()]


LOOKS = """
import gc
gc.unfreeze()
def f(word): return word
def g(half):
    lists = [one for one in gc.get_objects() if type(one) is list]
    return any(type(item) is str and item == half + half for one in lists for item in one)
"""


@needs_linux
@pytest.mark.parametrize("is_shared", [True, False])
def test_no_calls_of_others_are_there_for_the_next_submission(warm, is_shared):
    looks = Code("a.py", {"a.py": LOOKS})
    word = "seen" if is_shared else "only"
    calls = [{"op": "function", "name": "f", "args": [word + word]}]
    warm.run(Request(looks, SharedCalls(calls) if is_shared else calls))
    search = [{"op": "function", "name": "g", "args": [word]}]
    [answer] = warm.run(Request(looks, search)).answers
    assert answer.value is False


@needs_linux
@settings(max_examples=30, deadline=None)
@given(order=st.lists(st.integers(0, KEPT_CALLS + 3), min_size=1, max_size=2 * KEPT_CALLS))
def test_whatever_the_order_of_lists_each_request_gets_its_own(warm, order):
    for number in order:
        report = warm.run(Request(code("return x[0, 0]"), calls_of(number)))
        assert values(report) == [number]
        assert len(warm._kept) <= KEPT_CALLS


@needs_linux
def test_memory_does_not_grow_with_the_lists_of_calls(warm):
    megabytes = []
    for number in range(3 * KEPT_CALLS):
        big = SharedCalls([{"op": "function", "name": "f", "args": [np.full(1 << 19, float(number))]}])
        megabytes.append(warm.run(Request(code("return 1"), big)).memory_mb)
    assert max(megabytes) < megabytes[0] + 16


def test_a_tensor_that_requires_a_gradient_serves_one_submission_after_another(pool):
    x = Tensor(X, requires_grad=True)
    shared = SharedCalls(
        [{"op": "function", "name": "f", "args": [x], "cotangent": Tensor(np.ones_like(X))}] * 2
    )
    request = Request(code("x.grad = x.detach() * 9; return x * x"), shared, "torch")
    for _ in range(3):
        for answer in pool.run(request).answers:
            assert answer.gradients["0"].array.tolist() == (2 * X).tolist()


@needs_linux
def test_a_new_sandbox_is_told_the_calls_again():
    shared = calls_of(5)
    with SandboxPool() as pool:
        for _ in range(2):
            assert values(pool.run(Request(code("return x"), shared))) == [(X + 5).tolist()]
            pool._open.pop("numpy").close()


def test_equal_calls_have_one_digest_and_different_ones_another():
    assert calls_of(1).digest == calls_of(1).digest != calls_of(2).digest


SEARCH = """
import sys

found, seen = [], {}  # what is seen is kept, so that no other object gets its id


def look(value):
    if id(value) in seen:
        return
    seen[id(value)] = value
    value = getattr(value, "array", value) if type(value).__name__ == "Tensor" else value
    if hasattr(value, "flatten"):
        found.append(float(value.flatten()[0]))
    elif isinstance(value, dict):
        look(list(value.values()))
    elif isinstance(value, (list, tuple)):
        for item in list(value):
            look(item)


frame = sys._getframe()
while frame is not None:
    look(list(frame.f_locals.values()))
    frame = frame.f_back


def f(*arguments):
    return sorted(one for one in found if one > 4000)
"""


@needs_linux
@pytest.mark.parametrize("library", ["numpy", "torch"])
def test_a_fork_holds_no_calls_but_those_that_it_makes(library, pool):
    text = Code("a.py", {"a.py": SEARCH})
    array = np.full(3, 4967.125)
    shared = SharedCalls(
        [{"op": "function", "name": "f", "args": [Tensor(array, requires_grad=True), [{"a": array + 1}]]}]
    )
    pool.run(Request(code("return 1"), shared, library))
    for others in ([{"op": "value", "name": "found"}], SharedCalls([{"op": "value", "name": "found"}])):
        [answer] = pool.run(Request(text, others, library)).answers
        assert [value for value in answer.value if value > 4000] == []
    [answer] = pool.run(Request(text, shared, library)).answers
    assert answer.value == [4967.125, 4968.125], "the search finds what is there"


SCAN = """
import ctypes
import numpy as np

pwrite = ctypes.CDLL(None).pwrite
pwrite.argtypes = [ctypes.c_int, ctypes.c_void_p, ctypes.c_size_t, ctypes.c_long]
PAGE, ANSWER = 4096, 201


def pages_near(start):  # the kernel refuses to copy from where no page is
    for step in (-PAGE, PAGE):
        page = start // PAGE * PAGE
        while page not in pages and pwrite(ANSWER, page, 1, 0) == 1:
            yield page
            page += step


large, small = [bytearray(size) for size in (600, 1 << 14)], [bytes(size) for size in range(16, 480, 16)]
starts = {ctypes.addressof(ctypes.c_char.from_buffer(one)) for one in large} | set(map(id, small))
pages = set()
for start in starts:
    for page in pages_near(start):
        pages.add(page)


def f(disguised, added):  # what is searched for is not found in itself, nor in what the search leaves behind
    words = [np.frombuffer(ctypes.string_at(page, PAGE), np.uint64) + added for page in sorted(pages)]
    return int(np.isin(np.concatenate(words), disguised).sum())
"""


@needs_linux
def test_no_memory_of_a_fork_holds_numbers_of_calls_that_it_does_not_make():
    """Neither in an object nor where one was: what runs without hidden inputs may say whatever it likes."""
    numbers = np.random.default_rng(4967).normal(size=2000)
    hidden = [{"op": "function", "name": "g", "args": [part]} for part in np.split(numbers, 100)]
    added, limits = np.uint64(496714), Limits(seconds=60, call_seconds=30, cpu_seconds=30)
    search = {"op": "function", "name": "f", "args": [numbers.view(np.uint64) + added, added]}
    with SandboxPool() as pool:
        pool.run(Request(code("return 1"), SharedCalls(hidden)))
        alone, together = (
            pool.run(Request(Code("a.py", {"a.py": SCAN}), calls, limits=limits)).answers[0]
            for calls in ([search], [search, *hidden])
        )
    assert alone.value == 0
    assert together.value > 100, "the search finds what is there"


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
        "edits": None,
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


def test_the_inputs_of_calls_with_edited_functions_are_packed_once():
    x = np.ones(2)
    calls = [
        {"op": "function", "name": "f", "args": [x], "edited": ["f", "def f(x): return 1"]},
        {"op": "function", "name": "f", "args": [x], "edited": ["f", "def f(x): return 2"]},
        {"op": "function", "name": "f", "args": [x]},
        {"op": "function", "name": "f", "args": [np.ones(2)]},
        {"op": "function", "name": "f", "args": [x], "seconds": 0.5},
    ]
    message = unpack(Request(Code("a.py"), calls).pack())
    assert message["order"] == [0, 0, 0, 1, 2]
    assert message["edits"] == [
        {"edited": ["f", "def f(x): return 1"]},
        {"edited": ["f", "def f(x): return 2"]},
        {},
        {},
        {},
    ]
    assert [sorted(packed) for packed in message["calls"]] == [
        ["args", "name", "op"],
        ["args", "name", "op"],
        ["args", "name", "op", "seconds"],
    ]


def test_a_table_of_a_call_that_is_made_again_is_as_it_was(pool):
    text = "def f(table):\n    table.iloc[:, 0] += 1\n    return table.to_numpy()\n"
    table = Composite("table", {"columns": ["a"], "values": [np.zeros(2)], "index": [0, 1]})
    call = {"op": "function", "name": "f", "args": [table]}
    report = pool.run(Request(Code("a.py", {"a.py": text}), [call, dict(call)]))
    assert [answer.value.tolist() for answer in report.answers] == [[[1], [1]], [[1], [1]]]


def test_the_parameters_of_a_module_are_packed_once_for_all_switches():
    weights = np.ones((2, 2))
    calls = []
    for number in range(3):
        parameters = {"weight": weights}
        calls.append(
            {"op": "module", "name": "M", "args": [], "parameters": parameters, "switch": ["switch", number]}
        )
    calls.append({"op": "module", "name": "M", "args": [], "parameters": {"bias": weights}})
    message = unpack(Request(Code("a.py"), calls).pack())
    assert message["order"] == [0, 0, 0, 1]
    assert message["edits"] == [{"switch": ["switch", number]} for number in range(3)] + [{}]


def test_a_switch_comes_before_its_call_and_its_exception_is_that_of_the_call(pool):
    text = "FACTORS = [1, 2]\ndef switch(number):\n    global factor\n    factor = FACTORS[number]\n"
    text += "def f(x):\n    return factor * x\n"
    call = {"op": "function", "name": "f", "args": [np.ones(2)]}
    calls = [{**call, "switch": ["switch", number]} for number in (1, 0, 5)]
    report = pool.run(Request(Code("a.py", {"a.py": text}), calls))
    right, other, failed = report.answers
    assert (right.value.tolist(), other.value.tolist()) == ([2, 2], [1, 1])
    assert failed.error.type == "IndexError"


def test_each_call_has_its_own_definition_of_an_edited_function(pool):
    x = np.zeros(2)
    call = {"op": "function", "name": "f", "args": [x]}
    edits = ["def f(x):\n    x += 2\n    return x\n", "def f(x): return x - 1", "def f(x): return", None]
    calls = []
    for edit in [*edits, edits[0]]:
        calls.append(call if edit is None else {**call, "edited": ["f", edit]})
    report = pool.run(Request(Code("a.py", {"a.py": "def f(x):\n    x += 1\n    return x\n"}), calls))
    answers = [None if answer.value is None else answer.value.tolist() for answer in report.answers]
    assert answers == [[2, 2], [-1, -1], None, [1, 1], [2, 2]]


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


FILES = DataFiles({"prices.csv": b"1,2\n3,4\n", "models/small.bin": bytes(range(256)), "empty.csv": b""})
HEAD = """
import os
from pathlib import Path
import numpy as np
def attempt(name, mode="w"):
    try:
        open(name, mode)
    except OSError as error:
        return error.errno
def errno_of(act, *names):
    try:
        act(*names)
    except OSError as error:
        return error.errno
"""


def report_of(sandbox, body, data=FILES):
    code = Code("a.py", {"a.py": f"{HEAD}def f(x):\n    return {body}\n"})
    return sandbox.run(Request(code, calls_of(0), data=data))


@pytest.mark.parametrize(
    ("body", "value"),
    [
        ("open('prices.csv').read()", "1,2\n3,4\n"),
        ("np.loadtxt('prices.csv', delimiter=',').sum()", 10.0),
        ("np.genfromtxt(Path('prices.csv'), delimiter=',').sum()", 10.0),
        ("sum((Path(__file__).parent / 'models' / 'small.bin').read_bytes())", 255 * 128),
        ("os.listdir('models')", ["small.bin"]),
        ("open('empty.csv').read()", ""),
        ("[os.path.exists('prices.csv'), os.path.isdir('models')]", [True, True]),
        ("(os.chdir('/content/drive/MyDrive/hw'), open('models/small.bin', 'rb').read(2))[1].hex()", "0001"),
        ("[attempt('prices.csv'), attempt('prices.csv', 'a'), attempt('prices.csv', 'r+')]", [errno.EACCES] * 3),
        ("[errno_of(os.remove, 'prices.csv'), errno_of(os.rename, 'models', 'm')]", [errno.EACCES] * 2),
        ("(open('new.csv', 'w').close(), errno_of(os.replace, 'new.csv', 'prices.csv'))[1]", errno.EACCES),
        ("(attempt('prices.csv'), open('prices.csv').read())[1]", "1,2\n3,4\n"),
        ("attempt('other.csv', 'r')", errno.ENOENT),
    ],
)  # fmt: skip
def test_code_reads_them_and_changes_none(warm, body, value):
    [answer] = report_of(warm, body).answers
    assert answer.error is None, answer.error
    assert np.asarray(answer.value).tolist() == value


def test_a_request_without_them_has_none_after_one_with_them(either):
    for data in (FILES, DataFiles({})):
        [answer] = report_of(
            either, "open('prices.csv').read() if os.path.exists('prices.csv') else ''", data
        ).answers
        assert answer.value == (data.files["prices.csv"].decode() if data.files else "")


def test_the_submissions_own_file_of_the_same_name_does_not_replace_one(warm):
    code = Code("a.py", {"a.py": "def f(x): return open('prices.csv').read()", "prices.csv": "9,9"})
    [answer] = warm.run(Request(code, calls_of(0), data=FILES)).answers
    assert answer.value == "1,2\n3,4\n"


def test_a_changed_file_reaches_the_next_submission(warm):
    for content in (b"1", b"2", b"1"):
        [answer] = report_of(warm, "open('a.csv').read()", DataFiles({"a.csv": content})).answers
        assert answer.value == content.decode()
