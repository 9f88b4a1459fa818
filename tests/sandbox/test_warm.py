import os
import signal
import sys
import time
from pathlib import Path

import pytest
from wording import to_staff, to_students

from autograder.sandbox.levels import PROCESS_ONLY, Level
from autograder.sandbox.report import Status
from autograder.sandbox.request import WORKER_ENVIRONMENT, Limits, Request
from autograder.sandbox.warm import LayerRefusedError, SandboxDied, WarmSandbox

from .asking import HONEST, is_well, request, run

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="a warm sandbox needs Linux")

FORGED = b'{"dict": {}}\n'


def open_descriptors():
    return set(os.listdir("/proc/self/fd"))


def children():
    """The processes that this one has started and not yet buried."""
    tasks = Path("/proc/self/task").iterdir()
    return {pid for task in tasks for pid in (task / "children").read_text().split()}


def is_alive(pid):
    """Whether a process runs, and does not only wait to be buried."""
    try:
        return "State:\tZ" not in Path(f"/proc/{pid}/status").read_text("ascii")
    except (FileNotFoundError, ProcessLookupError):
        return False


def zygote_of(sandbox):
    return sandbox._process.pid


# Ways to end, each followed by an honest submission


@pytest.mark.parametrize(
    ("source", "status", "expected"),
    [
        ("import os\ndef f(): os._exit(0)", Status.CRASHED, "exit status 0"),
        ("import os\ndef f(): os._exit(3)", Status.CRASHED, "exit status 3"),
        ("import os\nos._exit(0)", Status.IMPORT_FAILED, "SystemExit"),
        ("import os\ndef f(): os.abort()", Status.CRASHED, "SIGABRT"),
        ("import ctypes\ndef f(): ctypes.string_at(0)", Status.CRASHED, "SIGSEGV"),
        ("import os, signal\ndef f(): os.kill(os.getpid(), signal.SIGKILL)", Status.CRASHED, "SIGKILL"),
        ("import os, signal\ndef f(): os.kill(os.getpid(), signal.SIGTERM)", Status.CRASHED, "SIGTERM"),
        ("import os\ndef f(): os.killpg(0, 9)", Status.CRASHED, "SIGKILL"),
        ("import os\ndef f(): os.write(201, b'garbage'); os._exit(0)", Status.INVALID_ANSWER, "malformed"),
        ("import os\ndef f(): os.close(201)", Status.INVALID_ANSWER, "written"),
        ("import numpy as np\ndef f(): return np.ones(1 << 20)", Status.INVALID_ANSWER, "limit 4 MiB"),
        ("def f(): return ['x' * 1000] * 5000", Status.INVALID_ANSWER, "4 MiB"),
        ("x = bytearray(1 << 40)", Status.MEMORY_LIMIT, "MemoryError"),
        ("import numpy as np\nx = np.ones(1 << 37)", Status.MEMORY_LIMIT, "MemoryError"),
        ("raise ValueError('no')", Status.IMPORT_FAILED, "ValueError"),
        ("import sys\nsys.exit(0)", Status.IMPORT_FAILED, "SystemExit"),
        ("def f(:", Status.IMPORT_FAILED, "SyntaxError"),
    ],
)
def test_whatever_a_submission_does_has_one_status_and_the_next_is_graded(warm, source, status, expected):
    report = run(warm, source, answer_mb=4)
    assert report.status is status
    assert expected in report.detail
    assert list(report.answers) == []
    assert is_well(warm)


@pytest.mark.parametrize(
    "body",
    [
        "    while True:\n        try: spin()\n        except: pass",
        "    import signal, time\n    signal.signal(signal.SIGALRM, signal.SIG_IGN)\n    time.sleep(600)",
        "    import os, signal\n    os.kill(os.getpid(), signal.SIGSTOP)",
        "    import signal\n    signal.pthread_sigmask(signal.SIG_BLOCK, range(1, 64))\n    while True: pass",
    ],
    ids=["bare-except", "ignored-alarm", "stopped", "blocked-signals"],
)
def test_a_call_that_ignores_its_timer_ends_the_run_at_the_time_limit(warm, body):
    source = f"def spin():\n    while True: pass\ndef f():\n{body}"
    report = run(warm, source, seconds=0.6, call_seconds=0.1)
    assert report.status is Status.TIME_LIMIT
    assert report.detail == to_students["warm.stopped-after-s"]
    assert is_well(warm)


def test_an_import_that_never_ends_is_stopped(warm):
    assert run(warm, "while True: pass", seconds=0.5).status is Status.TIME_LIMIT
    assert is_well(warm)


def test_processor_time_is_limited_apart_from_the_clock(warm):
    source = "def f():\n    while True: pass"
    report = run(warm, source, seconds=60, call_seconds=50, cpu_seconds=1)
    assert report.status is Status.TIME_LIMIT
    assert report.detail == to_students["warm.stopped-after-s-of-processor"]
    assert is_well(warm)


def test_too_much_memory_within_a_call_is_that_calls_error(warm):
    source = """
    import numpy as np
    def f(): return np.ones(1 << 37)
    def g():
        kept = []
        while True: kept.append(bytearray(1 << 24))
    def h(): return 1
    """
    report = run(warm, source, "f", "g", "h", memory_mb=300, call_seconds=50, seconds=60, cpu_seconds=60)
    assert report.status is Status.GRADED
    assert [answer.error.type for answer in report.answers if answer.error] == ["MemoryError"] * 2
    assert report.answers[2].value == 1


def test_memory_that_runs_out_while_the_answer_is_packed_is_a_memory_limit(warm):
    source = """
    import numpy as np
    print("x" * 100_000)
    kept = []
    def f(): return np.ones(10_000_000, np.int8)
    def g():
        try:
            while True: kept.append(bytes(1 << 20))
        except MemoryError:
            del kept[-8:]
            return 1
    """
    report = run(warm, source, "f", "g", memory_mb=200)
    assert report.status is Status.MEMORY_LIMIT
    assert "200 MiB" in report.detail
    assert is_well(warm)


def test_a_forged_answer_is_read_as_what_it_is(warm):
    source = f"import os\ndef f(): os.write(201, {FORGED!r} + bytes(8)); os._exit(0)"
    assert run(warm, source).status is Status.INVALID_ANSWER


def test_an_answer_written_before_the_end_is_overwritten_by_the_true_one(warm):
    report = run(warm, "import os\ndef f():\n    os.write(201, b'x' * 100_000)\n    return 7")
    assert [answer.value for answer in report.answers] == [7]


def test_a_result_just_within_the_limit_arrives(warm):
    report = run(warm, "import numpy as np\ndef f(): return np.ones(500_000)", answer_mb=4)
    assert report.answers[0].value.shape == (500_000,)


@pytest.mark.parametrize(
    "leave",
    [
        "import builtins; builtins.len = lambda x: 99",
        "import numpy as np; np.exp = np.sum = np.ones = None",
        "import numpy as np; np.set_printoptions(precision=1)",
        "import numpy as np; np.seterr(all='raise'); np.random.seed(5)",
        "import os; os.environ['TRACE'] = '1'; os.chdir('/tmp')",
        "import sys; sys.modules['numpy'] = None; sys.path.clear(); sys.meta_path.clear()",
        "import sys; sys.setrecursionlimit(60); sys.trace_left = 1",
        "import resource; resource.setrlimit(resource.RLIMIT_NOFILE, (4, 4))",
        "import signal; signal.signal(signal.SIGALRM, signal.SIG_IGN)",
        "import atexit, threading; threading.Thread(target=lambda: None).start(); atexit.register(print)",
        "import gc; gc.disable(); [o.clear() for o in gc.get_objects() if type(o) is dict and 'TRACE' in o]",
    ],
)
def test_no_submission_leaves_a_trace_for_the_next(warm, leave):
    look = """
    import os, signal, sys
    import numpy as np
    def f():
        return [len([1]), float(np.exp(0.0)), str(np.array([1.23456])), np.random.rand(), os.getcwd(),
                'TRACE' in os.environ, sys.getrecursionlimit(), hasattr(sys, 'trace_left'), np.geterr()]
    """
    before = run(warm, look).answers[0]
    run(warm, f"{leave}\ndef f(): return 1")
    after = run(warm, look).answers[0]
    assert before.error is None
    assert after.value == before.value


def test_garbage_is_collected_where_a_submission_runs(warm):
    """Only while the libraries are imported is none looked for."""
    assert run(warm, "import gc\ndef f(): return gc.isenabled()").answers[0].value is True


# The sandbox itself


def test_it_tells_its_layers(warm):
    assert set(warm.layers) <= set(warm.level.layers)
    assert "rlimits" in warm.layers


def test_runs_leave_no_descriptors_and_no_processes_behind(warm):
    run(warm, HONEST)
    before = open_descriptors(), children()
    for source in (HONEST, "import os\nos._exit(1)", "import os\nos.fork()\ndef f(): return 1"):
        run(warm, source)
    assert (open_descriptors(), children()) == before


def test_the_zygote_keeps_no_descriptor_of_a_run():
    import resource

    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (220, hard))  # else a leak would take too long to tell
    try:
        sandbox = WarmSandbox("numpy")
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
    assert all(is_well(sandbox) for _ in range(80))
    sandbox.close()


def test_closing_leaves_no_process_and_no_descriptor_behind():
    before = open_descriptors(), children()
    sandbox = WarmSandbox("numpy")
    assert is_well(sandbox)
    assert children() > before[1]
    sandbox.close()
    sandbox.close()  # once more is harmless
    assert (open_descriptors(), children()) == before


@pytest.mark.parametrize("message", [{"kind": "keep calm"}, {"kind": "keep", "forget": None}])
def test_a_message_that_a_zygote_does_not_understand_ends_it(message):
    sandbox = WarmSandbox("numpy")
    sandbox._send(message, [])
    with pytest.raises(SandboxDied):
        run(sandbox, HONEST)
    sandbox.close()


def test_closing_ends_a_zygote_that_does_not_listen():
    sandbox = WarmSandbox("numpy")
    os.kill(zygote_of(sandbox), signal.SIGSTOP)
    sandbox.close()
    assert sandbox._process.returncode == -signal.SIGKILL


@pytest.mark.parametrize("close", [True, False], ids=["closed", "killed"])
def test_a_sandbox_that_is_gone_says_so(close):
    sandbox = WarmSandbox("numpy")
    if close:
        sandbox.close()
    else:
        os.kill(zygote_of(sandbox), signal.SIGKILL)
        time.sleep(0.5)  # the signal may come after the next request
    with pytest.raises(SandboxDied):
        run(sandbox, HONEST)
    sandbox.close()


def test_a_zygote_killed_during_a_run_is_noticed_and_takes_the_run_with_it(tmp_path):
    pid = tmp_path / "pid"
    sandbox = WarmSandbox("numpy", PROCESS_ONLY)
    source = f"""
    import os, posix, time
    posix.write(posix.open({str(pid)!r}, posix.O_CREAT | posix.O_WRONLY), str(os.getpid()).encode())
    os.kill(os.getppid(), 9)
    time.sleep(60)
    """
    with pytest.raises(SandboxDied):
        run(sandbox, source)
    sandbox.close()
    for _ in range(100):
        if not is_alive(pid.read_text()):
            return
        time.sleep(0.1)
    pytest.fail("the run goes on alone")


def test_a_wall_of_files_also_keeps_signals_from_others():
    sandbox = WarmSandbox("numpy", Level("one wall", ("landlock", "rlimits"), ""))
    [answer] = run(sandbox, "import os\ndef f(): os.kill(os.getppid(), 0)").answers
    sandbox.close()
    assert answer.error.type == "PermissionError"


@pytest.mark.parametrize("script", ["exit 3", "exec sleep 600"], ids=["ends", "hangs"])
def test_a_sandbox_that_does_not_start_leaves_nothing_behind(monkeypatch, tmp_path, script):
    before = open_descriptors(), children()
    broken = tmp_path / "python"
    broken.write_text(f"#!/bin/sh\n{script}\n")
    broken.chmod(0o755)
    monkeypatch.setattr("sys.executable", str(broken))
    monkeypatch.setattr("autograder.sandbox.warm.START_SECONDS", 0.5)
    with pytest.raises(SandboxDied) as raised:
        WarmSandbox("numpy")
    assert (open_descriptors(), children()) == before, raised


def test_interrupting_the_grader_does_not_end_the_zygote(warm):
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        os.kill(zygote_of(warm), number)
    assert is_well(warm)


def test_a_large_request_arrives_whole(warm):
    import numpy as np

    big = np.arange(1 << 20, dtype=np.float64)
    large_request = request("def f(x): return x.sum()", "f")
    large_request = Request(
        large_request.code, [{"op": "function", "name": "f", "args": [big]}], limits=Limits(answer_mb=1)
    )
    assert float(warm.run(large_request).answers[0].value) == big.sum()


def test_the_folders_that_libraries_make_on_import_exist_wherever_the_kit_lies():
    """Only /usr and the Python installation are shown inside, so /tmp exists by chance alone."""
    made_on_import = [value for name, value in WORKER_ENVIRONMENT.items() if name.endswith("_CACHE_DIR")]
    assert made_on_import == ["/"]


def test_an_installation_for_one_user_alone_is_refused_with_the_remedy(tmp_path, monkeypatch):
    (tmp_path / "numpy").mkdir()
    (tmp_path / "numpy" / "__init__.py").touch()
    monkeypatch.setattr("site.getusersitepackages", lambda: str(tmp_path))
    WarmSandbox("numpy", PROCESS_ONLY).close()
    monkeypatch.setattr("site.getsitepackages", list)
    with pytest.raises(LayerRefusedError, check=to_staff["sandbox.for-one-user-alone"]):
        WarmSandbox("numpy", PROCESS_ONLY)
