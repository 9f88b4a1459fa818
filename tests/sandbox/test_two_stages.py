"""Runs in two stages, and processes that wait between them while other code of the same submission runs."""

import os
import sys
import textwrap
import time
from dataclasses import replace

import numpy as np
import pytest

from autograder.sandbox.levels import PROCESS_ONLY
from autograder.sandbox.pool import SandboxPool
from autograder.sandbox.report import Status
from autograder.sandbox.request import Code, Limits, Request, SharedCalls
from autograder.sandbox.warm import ProcessLetGo
from autograder.worker.wire import Tensor, pack

from .asking import is_well, run
from .test_shared_calls import SCAN
from .test_warm import children, open_descriptors

needs_linux = pytest.mark.skipif(sys.platform != "linux", reason="a warm sandbox needs Linux")
ERROR = {"type": "ValueError", "message": "496714", "line": 1}


def call(name, *args):
    return {"op": "function", "name": name, "args": list(args)}


def request(source, first, second, **limits):
    code = Code("homework.py", {"homework.py": textwrap.dedent(source)})
    limited = replace(Limits(), **limits)
    return Request(code, SharedCalls(first), "numpy", limited, SharedCalls(second))


def values(report):
    return [answer.value for answer in report.answers]


def test_the_answers_of_both_stages_come_in_the_order_of_the_calls(either):
    source = "seen = []\ndef f(x): seen.append(x); return len(seen), 2 * x"
    report = either.run(request(source, [call("f", 1), call("f", 2)], [call("f", 3)]))
    assert (report.status, values(report)) == (Status.GRADED, [(1, 2), (2, 4), (3, 6)])
    assert report.functions["f"].parameters == ("x",)
    assert is_well(either)


def test_a_function_that_ran_out_of_time_is_not_called_in_the_second_stage(either):
    source = "def f():\n    while True: pass\ndef g(): return 1"
    stages = [call("f"), call("g")], [call("f")] * 20 + [call("g")]
    report = either.run(request(source, *stages, call_seconds=0.3))
    kinds = [answer.error and answer.error.type for answer in report.answers]
    assert kinds == ["TimeLimit", None, *["TimeLimit"] * 20, None]


def test_what_the_code_is_by_itself_is_told_as_it_was_before_any_call(either):
    source = """
    N = 3
    def f(x):
        global N
        N = x
        import broken
        return N
    """
    two_stages = request(source, [call("f", 5)], [call("f", 7)])
    two_stages = replace(
        two_stages, code=Code("homework.py", {**two_stages.code.files, "broken.py": "1 / 0"})
    )
    report = either.run(two_stages)
    assert values(report) == [5, 7]
    assert report.functions["f"].sizes == {"N": 3}
    assert list(report.stops) == [], "nothing had stopped when the file was loaded"


@pytest.mark.parametrize(
    ("line", "library"),
    [
        ("import warnings; warnings.simplefilter('error')", "numpy"),
        ("np.seterr(all='raise'); np.set_printoptions(precision=1); np.random.seed = 42", "numpy"),
        ("import sys; sys.stdout.close(); sys.stdin = None", "numpy"),
        ("import os; os.chdir('/tmp'); os.environ.clear()", "numpy"),
        ("import signal; signal.alarm(1); signal.signal(signal.SIGALRM, signal.SIG_IGN)", "numpy"),
        ("import time; time.perf_counter = time.time = 0", "numpy"),
        ("open = input = print = list = dict = len = 0", "numpy"),
        ("import torch; torch.set_default_dtype(torch.float64); torch.set_grad_enabled(False)", "torch"),
        ("import torch; torch.set_default_device('meta'); torch.manual_seed(3)", "torch"),
    ],
)
def test_what_code_leaves_switched_on_does_not_disturb_the_second_stage(line, library, pool):
    x, cotangent = np.arange(6.0).reshape(2, 3), np.ones((2, 3))
    if library == "torch":
        calls = [{**call("f", Tensor(x, requires_grad=True)), "cotangent": Tensor(cotangent)}]
    else:
        calls = [call("f", x)]
    two_stages = request(f"import numpy as np\n{line}\ndef f(x): return x * x", calls, calls * 3)
    report = pool.run(replace(two_stages, library=library))
    assert report.status is Status.GRADED
    for answer in report.answers:
        assert answer.error is None
        value = answer.value.array if library == "torch" else answer.value
        assert value.tolist() == (x * x).tolist()
        if library == "torch":
            assert answer.gradients["0"].array.tolist() == (2 * x).tolist()


@pytest.mark.parametrize(
    ("source", "status"),
    [
        ("import os\ndef f(x): os._exit(x)", Status.CRASHED),
        ("def f(x):\n    import missing", Status.GRADED),
        ("nothing = 1", Status.GRADED),
    ],
)
def test_one_that_dies_in_the_first_stage_has_no_answers(either, source, status):
    report = either.run(request(source, [call("f", 3)], [call("f", 4)]))
    assert report.status is status
    assert len(report.answers) == (2 if status is Status.GRADED else 0)


def test_code_that_does_not_load_has_no_second_stage(either):
    report = either.run(request("import missing", [call("f")], [call("f")]))
    assert (report.status, list(report.answers)) == (Status.IMPORT_FAILED, [])
    assert "missing" in report.load_error.message


@pytest.mark.parametrize(
    ("body", "status"),
    [
        ("import os; os._exit(0)", Status.CRASHED),
        ("import os; os._exit(3)", Status.CRASHED),
        ("import numpy as np; return np.ones(1 << 20)", Status.INVALID_ANSWER),
    ],
)
def test_one_that_dies_in_the_second_stage_keeps_its_first_answers(either, body, status):
    source = f"def f(x):\n    if x > 1:\n        {body}\n    return 7"
    report = either.run(request(source, [call("f", 1)], [call("f", 2)], answer_mb=4))
    assert (report.status, values(report)) == (status, [7])
    assert report.functions["f"].parameters == ("x",)
    assert is_well(either)


@needs_linux
def test_a_time_limit_in_the_second_stage_keeps_the_first_answers(warm):
    source = """
    import signal, time
    def f(x):
        if x > 1:
            signal.signal(signal.SIGALRM, signal.SIG_IGN)
            time.sleep(600)
        return 7
    """
    report = warm.run(request(source, [call("f", 1)], [call("f", 2)], seconds=1.0, call_seconds=0.2))
    assert (report.status, values(report)) == (Status.TIME_LIMIT, [7])


# The order, whatever the process does


@needs_linux
def test_no_memory_of_the_first_stage_holds_numbers_of_the_second(warm):
    numbers = np.random.default_rng(4967).normal(size=2000)
    added = np.uint64(496714)
    search = call("f", numbers.view(np.uint64) + added, added)
    hidden = [call("g", part) for part in np.split(numbers, 100)]
    two_stages = request(SCAN, [search], [*hidden, search], seconds=60, call_seconds=30, cpu_seconds=30)
    warm.run(two_stages)
    report = warm.run(two_stages)
    assert report.answers[0].value == 0
    assert report.answers[-1].value >= 20, "the search finds what is there: the numbers of one call at least"


SENDS_EARLY = """
import os
os.write(201, {answer!r})
os.write(203, b"1")
os.close(203)
pieces = []
while piece := os.read(204, 1 << 16):
    pieces.append(piece)
print(b"496714" in b"".join(pieces), flush=True)
def f(x): return 7
"""


@needs_linux
@pytest.mark.parametrize("answer", [b"garbage", b'{"dict": {}}\n' + bytes(8)])
def test_a_process_whose_first_answer_cannot_be_read_is_given_nothing(warm, answer):
    report = warm.run(request(SENDS_EARLY.format(answer=answer), [call("f", 1)], [call("f", "496714")]))
    assert report.status is Status.INVALID_ANSWER
    assert report.output.startswith("False\n")
    assert list(report.answers) == []
    assert is_well(warm)


@needs_linux
def test_a_process_that_asks_early_is_held_to_what_it_said_then(warm):
    results = [{"value": "said early", "modified": [], "seconds": 0.0}]
    early = pack({"error": None, "stops": [], "functions": {}, "results": results})
    two_stages = request(SENDS_EARLY.format(answer=early), [call("f", 1)], [call("f", "496714")])
    report = warm.run(two_stages)
    assert report.output.startswith("True\n"), "it did get them"
    assert values(report) == ["said early"]
    assert report.status is Status.INVALID_ANSWER


@needs_linux
def test_an_answer_in_the_second_stage_changes_nothing_of_the_first(warm):
    facts = {"parameters": ["x496714"], "globals_read": [], "sizes": {}}
    forged = pack(
        {
            "error": {**ERROR, "type": "KeyError"},
            "stops": [{"cell": None, **ERROR}],
            "functions": {"f": facts},
            "results": [{"value": 8, "modified": [], "seconds": 0.0}],
        }
    )
    source = f"""
    import os
    def f(x):
        if x > 1:
            os.ftruncate(201, 0)
            os.pwrite(201, {forged!r}, 0)
            os._exit(0)
        return 7
    """
    report = warm.run(request(source, [call("f", 1)], [call("f", 2)]))
    assert (report.status, values(report)) == (Status.GRADED, [7, 8])
    assert (report.load_error, list(report.stops)) == (None, [])
    assert report.functions["f"].parameters == ("x",)


@needs_linux
def test_one_that_writes_its_first_answer_itself_and_leaves_has_answered_nothing(warm):
    results = [{"value": 7, "modified": [], "seconds": 0.0}]
    forged = pack({"error": None, "stops": [], "functions": {}, "results": results})
    source = f"import os, posix\nos.write(201, {forged!r})\nposix._exit(0)"
    report = warm.run(request(source, [call("f", 1)], [call("f", 2)]))
    assert (report.status, list(report.answers)) == (Status.CRASHED, [])


@needs_linux
def test_calls_that_the_process_does_not_take_stop_nobody(warm):
    big = np.ones(1 << 18)
    does_not_read = (
        "import os, signal\nos.write(201, {!r})\nos.write(203, b'1')\nos.kill(os.getpid(), signal.SIGSTOP)"
    )
    early = pack({"error": None, "stops": [], "functions": {}, "results": []})
    started = time.monotonic()
    report = warm.run(request(does_not_read.format(early), [], [call("f", big)], seconds=1.0))
    assert report.status is Status.TIME_LIMIT
    assert time.monotonic() - started < 5
    closes = "import os\nos.write(201, {!r})\nos.close(204)\nos.write(203, b'1')\nos.close(203)\ndef f(x): 0"
    report = warm.run(request(closes.format(early), [], [call("f", big)]))
    assert report.status is Status.INVALID_ANSWER
    assert is_well(warm)


@needs_linux
def test_the_ends_of_the_pipes_are_there_as_long_as_they_are_needed(warm):
    source = """
    import os
    def f(x):
        found = []
        for number in range(4096):
            try:
                os.fstat(number)
            except OSError:
                continue
            found.append(number)
        return found
    """
    report = warm.run(request(source, [call("f", 1)], [call("f", 2)]))
    assert values(report) == [[0, 1, 2, 201, 203, 204], [0, 1, 2, 201]]


@needs_linux
def test_runs_in_two_stages_leave_no_descriptors_and_no_processes_behind(warm):
    sources = ["def f(x): return x", "import os\nos._exit(1)", "import os\ndef f(x): os.abort()", "def f(:"]
    requests = [request(source, [call("f", 1)], [call("f", 2)]) for source in sources]
    warm.run(requests[0])
    before = open_descriptors(), children()
    for request_asked in requests * 20:
        warm.run(request_asked)
    assert (open_descriptors(), children()) == before


@needs_linux
def test_a_sandbox_that_dies_in_the_second_stage_is_not_asked_the_first_again(tmp_path, monkeypatch):
    """What is quoted from the first stage would else come after the hidden inputs were there."""
    monkeypatch.setattr("autograder.sandbox.warm.strongest_level", lambda: PROCESS_ONLY)
    mark = tmp_path / "mark"
    source = f"""
    import os, posix, time
    def f(x):
        if x > 1 and not posix.access({str(mark)!r}, posix.F_OK):
            posix.close(posix.open({str(mark)!r}, posix.O_CREAT | posix.O_WRONLY))
            os.kill(os.getppid(), 9)
            time.sleep(60)
        return "later" if posix.access({str(mark)!r}, posix.F_OK) else "first"
    """
    with SandboxPool() as pool:
        report = pool.run(request(source, [call("f", 1)], [call("f", 2)]))
    assert os.path.exists(mark)
    assert (report.status, values(report)) == (Status.GRADED, ["first", "later"])
    assert report.functions["f"].parameters == ("x",)


COUNTS = "seen = []\ndef f(x): seen.append(x); return [*seen]"
MANY_MB = 700
"""More than all processes that are held may have together, and less than one of them may use."""


def twice(source, before_later, **limits):
    return replace(request(source, [call("f", 1)], [call("f", 2)], **limits), before_later=before_later)


def test_what_comes_between_happens_after_the_first_stage_and_before_the_second(either):
    reports = []

    def innermost():
        reports.append(either.run(request(COUNTS, [call("f", 1)], [call("f", 2)])))

    def inner():
        reports.append(either.run(twice(COUNTS, innermost)))

    reports.append(either.run(twice(COUNTS, inner)))
    assert [report.status for report in reports] == [Status.GRADED] * 3
    assert [values(report) for report in reports] == [[[1], [1, 2]]] * 3
    assert is_well(either)


def test_nothing_comes_between_where_there_is_no_second_stage(either):
    def never():
        raise AssertionError("called")

    assert either.run(twice("def f(:", never)).status is Status.IMPORT_FAILED
    assert either.run(twice("import posix\nposix._exit(1)", never)).status is Status.CRASHED


@needs_linux
def test_who_waits_does_nothing_meanwhile_and_loses_no_time(warm):
    source = """
    import threading, time
    ticks = 0
    def tick():
        global ticks
        while True:
            ticks += 1
            time.sleep(0.01)
    threading.Thread(target=tick, daemon=True).start()
    def f(x):
        time.sleep(0.1)
        return ticks, time.monotonic()
    """
    report = warm.run(twice(source, lambda: time.sleep(3), seconds=2.0))
    assert report.status is Status.GRADED
    (ticks, started), (later_ticks, ended) = (answer.value for answer in report.answers)
    assert ended - started > 2.9
    assert later_ticks - ticks < 100


@needs_linux
def test_who_has_much_memory_does_not_wait_and_is_run_again_for_the_second_stage(warm):
    source = f"much = bytearray({MANY_MB} << 20)\n{COUNTS}"
    ended = []
    with pytest.raises(ProcessLetGo) as caught:
        warm.run(twice(source, lambda: ended.append(run(warm, "def f(): return 7"))))
    assert [values(report) for report in ended] == [[7]]
    assert caught.value.first is not None
    assert values(caught.value.first) == [[1]]
    with SandboxPool() as pool:
        report = pool.run(twice(source, lambda: ended.append(run(pool, "def f(): return 7"))))
        assert (report.status, values(report)) == (Status.GRADED, [[1], [2]])
        assert [values(each) for each in ended] == [[7]] * 2
        assert is_well(pool)


@needs_linux
def test_memory_of_all_who_wait_counts_together(warm):
    source = f"much = bytearray({MANY_MB // 2} << 20)\n{COUNTS}"
    inner = []

    def inner_run():
        with pytest.raises(ProcessLetGo):
            warm.run(twice(source, lambda: inner.append("innermost")))
        inner.append("inner")

    report = warm.run(twice(source, inner_run))
    assert inner == ["innermost", "inner"]
    assert (report.status, values(report)) == (Status.GRADED, [[1], [1, 2]])


@needs_linux
def test_who_is_dead_before_it_is_held_has_its_first_answers(warm):
    source = """
    import os
    write = os.write
    def leave(*arguments):
        write(*arguments)
        os._exit(3)
    def f(x):
        os.write = lambda file, data: leave(file, data) if file == 203 else write(file, data)
        return x
    """
    between = []
    for _ in range(10):
        report = warm.run(twice(source, lambda: between.append(run(warm, "def f(): return 7"))))
        assert (report.status, values(report)) == (Status.CRASHED, [1])
    assert [values(each) for each in between] == [[7]] * 10
    assert is_well(warm)


@needs_linux
def test_the_next_one_cannot_end_or_wake_who_waits_and_leaves_nothing(warm):
    before = open_descriptors(), children()
    source = "import os, signal\ndef f():\n    for number in (9, 18): os.kill(-1, number)"
    report = warm.run(twice(COUNTS, lambda: run(warm, source)))
    # Both belong to one student: whoever ends the other has lost its own points.
    assert report.status in (Status.GRADED, Status.CRASHED)
    assert values(report)[0] == [1]
    assert is_well(warm)
    assert (open_descriptors(), children()) == before


@needs_linux
def test_a_sandbox_that_dies_meanwhile_is_not_asked_the_first_again(tmp_path, monkeypatch):
    monkeypatch.setattr("autograder.sandbox.warm.strongest_level", lambda: PROCESS_ONLY)
    mark = tmp_path / "mark"
    kills = f"""
    import os, posix, time
    def f():
        if not posix.access({str(mark)!r}, posix.F_OK):
            posix.close(posix.open({str(mark)!r}, posix.O_CREAT | posix.O_WRONLY))
            os.kill(os.getppid(), 9)
            time.sleep(60)
        return 7
    """
    waits = f"import posix\ndef f(x): return x, posix.access({str(mark)!r}, posix.F_OK)"
    between = []
    with SandboxPool() as pool:
        report = pool.run(twice(waits, lambda: between.append(run(pool, kills))))
    assert os.path.exists(mark)
    assert [values(each) for each in between] == [[7]]
    assert (report.status, values(report)) == (Status.GRADED, [(1, False), (2, True)])


@needs_linux
def test_a_fault_of_ours_meanwhile_leaves_a_pool_that_goes_on():
    def fails():
        raise RuntimeError("our fault")

    with SandboxPool() as pool:
        with pytest.raises(RuntimeError, match="our fault"):
            pool.run(twice(COUNTS, fails))
        assert is_well(pool)


def test_after_what_comes_between_the_pool_says_how_long_the_rest_may_take():
    replies = []
    with SandboxPool(replies.append) as pool:
        pool.run(twice(COUNTS, lambda: run(pool, "def f(): return 7", seconds=5.0), seconds=4.0))
    assert replies == [4.0, 5.0, 0, 4.0, 0]


@needs_linux
def test_threads_of_who_waits_take_none_from_the_next(warm):
    source = """
    import threading, time
    def f(*x):
        threading.stack_size(1 << 18)
        for number in range(40): threading.Thread(target=time.sleep, args=(60,), daemon=True).start()
        return threading.active_count()
    """
    source_once = source.replace("def f(*x):", "def f(x):\n        if x > 1: return 0")
    inner = []
    report = warm.run(twice(source_once, lambda: inner.append(run(warm, source))))
    assert [values(each) for each in (report, *inner)] == [[41, 0], [41]]
