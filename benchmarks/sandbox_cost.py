"""What the sandbox costs, side by side with the least that any process can cost and with a cold one.

Run it with ``python -m benchmarks.sandbox_cost``; it is no test, for machines differ. Per submission,
with five calls each:

- floor: fork a process that has everything imported and loaded, make the calls, end it
- ours: the kit's sandbox at the strongest level, from request to parsed report
- cold: a new Python that imports its libraries, loads the submission and makes the calls

The rounds of floor and ours alternate, so that a busy machine is busy for both. At the end one worker runs
300 torch submissions in a row: each answer must have the bits of a fresh process's, and its memory must
not grow.
"""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from autograder.sandbox.cold import ColdSandbox
from autograder.sandbox.levels import strongest_level
from autograder.sandbox.report import RunReport
from autograder.sandbox.request import (
    WORKER_ENVIRONMENT,
    Code,
    Limits,
    Request,
    SharedCalls,
)
from autograder.sandbox.warm import WarmSandbox
from autograder.worker.wire import Array, Tensor, pack

ROUNDS, COLD_ROUNDS, IN_A_ROW = 100, 5, 300

NUMPY_SUBMISSION = """
import numpy as np


def attention(Q, K, V):
    scores = Q @ K.T / np.sqrt(K.shape[-1])
    exponentials = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return exponentials / exponentials.sum(axis=-1, keepdims=True) @ V
"""
TORCH_SUBMISSION = """
import torch
from torch import nn

torch.manual_seed(0)
layer = nn.TransformerEncoderLayer(64, 4, 256, dropout=0.0, batch_first=True)


def attention(x):
    return layer(x)
"""
FLOOR = """
import os, sys, time
import numpy as np
if {torch}:
    import torch
    torch.set_num_threads(1)
arguments = [np.asarray(one, dtype=np.{dtype}) for one in np.load(sys.argv[1]).values()]
if {torch}:
    arguments = [torch.from_numpy(one) for one in arguments]
namespace = {{}}
exec({source!r}, namespace)
namespace["attention"](*arguments)
while sys.stdin.readline():
    started = time.perf_counter()
    child = os.fork()
    if child == 0:
        for _ in range({calls}):
            namespace["attention"](*arguments)
        os._exit(0)
    os.waitpid(child, 0)
    print(time.perf_counter() - started, flush=True)
"""
CALLS = 5


@dataclass(frozen=True)
class Work:
    """One submission, its arguments, and how much more than the floor, and less than cold, it may cost."""

    library: str
    source: str
    shapes: Sequence[tuple[int, ...]]
    at_most_floors: float
    colds_at_least: float

    @property
    def arguments(self) -> list[Array]:
        rng = np.random.default_rng(0)
        kind = np.float32 if self.library == "torch" else np.float64
        return [rng.normal(size=shape).astype(kind) for shape in self.shapes]

    @property
    def request(self) -> Request:
        arguments = [
            Tensor(argument) if self.library == "torch" else argument
            for argument in self.arguments
        ]
        calls = SharedCalls(
            [{"op": "function", "name": "attention", "args": arguments}] * CALLS
        )
        return Request(
            Code("a.py", {"a.py": self.source}), calls, self.library, Limits()
        )


WORKS = (
    Work(
        "numpy",
        NUMPY_SUBMISSION,
        ((30, 64), (40, 64), (40, 32)),
        at_most_floors=6,
        colds_at_least=5,
    ),
    Work(
        "torch", TORCH_SUBMISSION, ((32, 10, 64),), at_most_floors=4, colds_at_least=20
    ),
)


class Floor:
    """A process that has all it needs and only forks."""

    def __init__(self, work: Work, folder: Path) -> None:
        inputs = folder / f"{work.library}.npz"
        np.savez(inputs, *work.arguments)
        is_torch = work.library == "torch"
        program = FLOOR.format(
            torch=is_torch,
            dtype="float32" if is_torch else "float64",
            source=work.source,
            calls=CALLS,
        )
        self._process = subprocess.Popen(
            [sys.executable, "-c", program, str(inputs)],
            env=WORKER_ENVIRONMENT,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )

    def seconds(self) -> float:
        """Fork once and return how long it took."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write("once more\n")
        self._process.stdin.flush()
        return float(self._process.stdout.readline())

    def close(self) -> None:
        self._process.kill()
        self._process.wait()


def measure(work: Work, folder: Path, sandbox: WarmSandbox) -> bytes:
    """Print the three costs of one submission and what they are of each other; return a fresh process's answers."""
    floor = Floor(work, folder)
    request = work.request
    floor.seconds(), _checked(sandbox.run(request))
    floors, ours = [], []
    for _ in range(ROUNDS):
        floors.append(floor.seconds())
        seconds, _ = _timed(lambda: sandbox.run(request))
        ours.append(seconds)
    cold = ColdSandbox(work.library)
    colds = []
    for _ in range(COLD_ROUNDS):
        seconds, report = _timed(lambda: cold.run(request))
        colds.append(seconds)
    floor.close()
    low, mine, high = (
        statistics.median(times) * 1e3 for times in (floors, ours, colds)
    )
    print(
        f"{work.library:>6}: floor {low:.1f} ms, ours {mine:.1f} ms, cold {high:.0f} ms per submission"
    )
    _judge(
        "ours / floor",
        mine / low,
        mine / low <= work.at_most_floors,
        f"at most {work.at_most_floors:g}",
    )
    _judge(
        "cold / ours",
        high / mine,
        high / mine >= work.colds_at_least,
        f"at least {work.colds_at_least:g}",
    )
    return _bytes(report)


def measure_many_in_a_row(work: Work, sandbox: WarmSandbox, fresh: bytes) -> None:
    """Run one worker for long, and hold each answer against that of a fresh process."""
    same = _bytes(_checked(sandbox.run(work.request))) == fresh
    before = _memory_of_all_below(sandbox._process.pid)
    for _ in range(IN_A_ROW):
        same = same and _bytes(_checked(sandbox.run(work.request))) == fresh
    grown = _memory_of_all_below(sandbox._process.pid) - before
    print(f"{work.library:>6}: {IN_A_ROW} submissions in one worker")
    _judge("answers bit for bit those of a fresh process", float(same), same, "1")
    _judge(
        "growth of the worker's memory in MiB",
        grown / 1024,
        grown < 1024,
        "less than 1",
    )


def _timed(run: Callable[[], RunReport]) -> tuple[float, RunReport]:
    started = time.perf_counter()
    report = run()
    seconds = time.perf_counter() - started
    return seconds, _checked(report)


def _checked(report: RunReport) -> RunReport:
    if report.status != "graded" or not all(
        answer.is_usable for answer in report.answers
    ):
        raise RuntimeError(f"the submission was not run: {report}")
    return report


def _bytes(report: RunReport) -> bytes:
    return pack([answer.value for answer in report.answers])


def _memory_of_all_below(pid: int) -> int:
    """The memory in KiB that a process and those it started have for themselves."""
    children = (
        Path(f"/proc/{pid}/task/{pid}/children").read_text(encoding="ascii").split()
    )
    status = Path(f"/proc/{pid}/status").read_text(encoding="utf-8")
    memory = next(
        int(line.split()[1])
        for line in status.splitlines()
        if line.startswith("RssAnon")
    )
    return memory + sum(map(_memory_of_all_below, map(int, children)))


def _judge(title: str, value: float, holds: bool, expected: str) -> None:
    print(
        f"        {title}: {value:.2f} (wanted: {expected}) {'' if holds else '  <-- missed'}".rstrip()
    )


def main() -> None:
    """Print every cost, and what is not as wanted."""
    level = strongest_level()
    print(
        f"level: {level.name} ({', '.join(level.layers)}); {os.cpu_count()} processors"
    )
    with tempfile.TemporaryDirectory() as folder:
        for work in WORKS:
            with closing(WarmSandbox(work.library)) as sandbox:
                fresh = measure(work, Path(folder), sandbox)
                if work.library == "torch":
                    measure_many_in_a_row(work, sandbox, fresh)


if __name__ == "__main__":
    main()
