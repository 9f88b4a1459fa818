import os
import signal
import sys
import time
from dataclasses import replace

import pytest
from wording import to_staff

from autograder.authoring.parallel import in_parallel
from autograder.sandbox.cold import ColdSandbox
from autograder.sandbox.levels import PROCESS_ONLY
from autograder.sandbox.pool import SandboxPool, open_sandbox
from autograder.sandbox.report import Answer, RunReport, Status
from autograder.sandbox.request import Limits, SharedCalls
from autograder.sandbox.warm import ProcessLetGo, SandboxDied, WarmSandbox

from .asking import HONEST, is_well, request, run

needs_linux = pytest.mark.skipif(sys.platform != "linux", reason="a warm sandbox needs Linux")


@pytest.fixture(scope="module")
def pool():
    with SandboxPool() as opened:
        yield opened


class Opened:
    """Stands for a sandbox: remembers what it was asked, and dies as often as it is told to."""

    layers = ("test",)

    def __init__(self, library, deaths):
        self.library = library
        self.deaths = deaths
        self.closed = False

    def run(self, request):
        if self.deaths:
            raise self.deaths.pop()
        return RunReport(Status.GRADED)

    def close(self):
        self.closed = True


@pytest.fixture
def opened(monkeypatch):
    """The sandboxes that a pool opens, and the deaths that await them."""
    sandboxes = []
    deaths = []

    def open_one(library):
        sandboxes.append(Opened(library, deaths))
        return sandboxes[-1]

    monkeypatch.setattr("autograder.sandbox.pool.open_sandbox", open_one)
    return sandboxes, deaths


def test_a_sandbox_is_opened_once_for_each_library(opened):
    sandboxes, _ = opened
    with SandboxPool() as pool:
        for source in (HONEST, "import torch", "x = 1", "from torch import nn"):
            pool.run(request(source))
        pool.run(request(HONEST, library="torch"))
        assert [sandbox.library for sandbox in sandboxes] == ["numpy", "torch"]
        assert not any(sandbox.closed for sandbox in sandboxes)
    assert all(sandbox.closed for sandbox in sandboxes)


def test_runs_are_announced_and_their_ends_too(opened):
    heard = []
    with SandboxPool(heard.append) as pool:
        pool.run(request(HONEST))
    assert heard == [Limits().seconds, 0]


@pytest.mark.parametrize(
    ("source", "library"),
    [
        ("import torch.optim", "torch.optim"),
        ("from torch.optim import SGD", "torch.optim"),
        ("from torch import nn, optim\noptim.SGD([])", "torch.optim"),
        ("import torch  # the optimal size", "torch"),
        ("optimal = 1", "numpy"),
    ],
)
def test_only_code_that_trains_gets_a_sandbox_with_optimizers(opened, source, library):
    sandboxes, _ = opened
    with SandboxPool() as pool:
        pool.run(request(source))
    assert [sandbox.library for sandbox in sandboxes] == [library]


def test_the_report_names_the_layers_of_its_sandbox(opened):
    with SandboxPool() as pool:
        assert pool.run(request(HONEST)).layers == ("test",)


@pytest.mark.parametrize("death", [SandboxDied("gone"), OSError("no memory")])
def test_one_death_is_made_good(opened, death):
    sandboxes, deaths = opened
    deaths.append(death)
    with SandboxPool() as pool:
        assert pool.run(request(HONEST)).status is Status.GRADED
    assert len(sandboxes) == 2
    assert sandboxes[0].closed


def test_a_process_that_was_let_go_is_no_death_of_the_sandbox(opened):
    sandboxes, deaths = opened
    first = RunReport(Status.GRADED, answers=[Answer(value=1)])
    deaths += [SandboxDied("gone"), ProcessLetGo("too much memory", first)]
    with SandboxPool() as pool:
        report = pool.run(replace(request(HONEST), later_calls=SharedCalls([])))
    assert (report.status, [answer.value for answer in report.answers]) == (Status.GRADED, [1])
    assert [sandbox.closed for sandbox in sandboxes] == [True, True]


def test_two_deaths_are_our_fault_and_the_next_run_gets_a_new_sandbox(opened):
    sandboxes, deaths = opened
    deaths += [SandboxDied("first"), SandboxDied("second")]
    with SandboxPool() as pool:
        report = pool.run(request(HONEST))
        assert report.status is Status.INFRASTRUCTURE_ERROR
        assert report.detail == to_staff["pool.died-twice"]
        assert pool.run(request(HONEST)).status is Status.GRADED
    assert len(sandboxes) == 3
    assert all(sandbox.closed for sandbox in sandboxes)


def test_a_sandbox_that_cannot_be_opened_is_our_fault(monkeypatch):
    def refuse(library):
        raise SandboxDied("does not start")

    monkeypatch.setattr("autograder.sandbox.pool.open_sandbox", refuse)
    with SandboxPool() as pool:
        assert pool.run(request(HONEST)).status is Status.INFRASTRUCTURE_ERROR


@needs_linux
def test_a_killed_zygote_is_replaced_and_the_submission_is_graded(pool):
    assert is_well(pool)
    zygote = pool._open["numpy"]
    assert isinstance(zygote, WarmSandbox)
    os.kill(zygote._process.pid, signal.SIGKILL)
    report = run(pool, HONEST)
    assert report.status is Status.GRADED
    assert report.answers[0].value == 7


@needs_linux
def test_a_submission_that_kills_the_zygote_each_time_is_never_a_zero_but_our_fault(monkeypatch):
    monkeypatch.setattr("autograder.sandbox.warm.strongest_level", lambda: PROCESS_ONLY)
    with SandboxPool() as pool:
        report = run(pool, "import os, time\nos.kill(os.getppid(), 9)\ntime.sleep(60)")
        assert report.status is Status.INFRASTRUCTURE_ERROR
        assert is_well(pool)


@needs_linux
def test_a_submission_cannot_kill_the_zygote(pool):
    report = run(pool, "import os\ndef f(): os.kill(os.getppid(), 9)")
    [answer] = report.answers
    assert answer.error.type in {"OSError", "PermissionError"}


@pytest.mark.parametrize(("platform", "kind"), [("darwin", ColdSandbox), ("win32", ColdSandbox)])
def test_other_platforms_get_a_process_for_each_run(monkeypatch, platform, kind):
    monkeypatch.setattr("autograder.sandbox.pool.sys.platform", platform)
    assert type(open_sandbox("numpy")) is kind


def test_parallel_work_gives_each_result_once_and_each_thread_its_own_sandboxes(opened):
    sandboxes, _ = opened

    def double(item, pool):
        assert pool.run(request(HONEST)).status is Status.GRADED
        return 2 * item

    assert sorted(in_parallel(double, range(20), 3)) == [2 * item for item in range(20)]
    assert 1 <= len(sandboxes) <= 3
    assert all(sandbox.closed for sandbox in sandboxes)


def test_a_thread_takes_over_the_sandboxes_of_the_caller_who_closes_them(opened):
    sandboxes, _ = opened
    with SandboxPool() as pool:
        pool.run(request(HONEST))
        in_turn = in_parallel(lambda item, pool: pool.run(request(HONEST)).status, range(5), 1, pool)
        assert list(in_turn) == [Status.GRADED] * 5
        assert [sandbox.closed for sandbox in sandboxes] == [False]
    assert [sandbox.closed for sandbox in sandboxes] == [True]


@pytest.mark.parametrize("by_an_error", [True, False])
def test_parallel_work_that_is_stopped_does_not_begin_the_rest(opened, by_an_error):
    begun = []

    def work(item, pool):
        begun.append(item)
        pool.run(request(HONEST))
        time.sleep(0.01)
        if by_an_error:
            raise ValueError("broken")
        return item

    results = in_parallel(work, range(1000), 2)
    if by_an_error:
        with pytest.raises(ValueError, match="broken"):
            next(results)
    else:
        next(results)
        results.close()
    assert len(begun) < 500
    assert all(sandbox.closed for sandbox in opened[0])


def test_code_that_mentions_torch_runs_where_torch_is_not_installed(opened, monkeypatch):
    monkeypatch.setattr("autograder.sandbox.pool.importlib.util.find_spec", lambda name: None)
    with SandboxPool() as pool:
        assert pool.run(request("import torch")).status is Status.GRADED
    assert [sandbox.library for sandbox in opened[0]] == ["numpy"]
