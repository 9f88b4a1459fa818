"""The warm process: NumPy (and torch) imported once, then one fork per submission, and that fork's life.

It holds no submission, no answer and no input, not even in memory that was freed: requests, calls that many
submissions are asked, answers and printed output lie in memory files whose descriptors arrive over the
control socket, and only a fork reads what it is to use. Calls of a second stage come through a pipe, of which
the trusted side holds the other end: they exist nowhere in here until that side has the answers to the first.
In between a fork may be held, which means stopped, while others of the same submission run.
Time, memory and exit status come from the kernel, never from the child.
"""

from __future__ import annotations

import contextlib
import gc
import itertools
import json
import os
import resource
import select
import signal
import socket
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NoReturn

import numpy as np

from autograder.worker.confine import Confinement, LayerError, prepare
from autograder.worker.limits import apply_limits, die_with_parent, hide_memory
from autograder.worker.runner import answer_request, end_after, write_answer
from autograder.worker.wire import pack, unpack

MAX_CONTROL_BYTES = 65536
# Above the limit of open files: closed, they stay closed.
REQUEST_FD, ANSWER_FD, CALLS_FD, DONE_FD, LATER_FD = 200, 201, 202, 203, 204
READ_BYTES = 1 << 20
HIGHEST_FD = 4096
MOST_DESCRIPTORS = 5
FIRST_TO_GO = "1000"
MOST_HELD_MB = 512
"""How much memory of their own the processes that are held may have together."""


@dataclass(frozen=True)
class Zygote:
    """What each job needs to know.

    ``as_torch``: tensors of a call become torch's. ``owns_its_user``: all processes of the child's user id
    are this sandbox's, so they may be counted. ``kept`` are the descriptors of shared calls, by their name.
    """

    as_torch: bool
    confinement: Confinement
    control: socket.socket
    is_first_process: bool
    owns_its_user: bool
    kept: dict[str, int] = field(default_factory=dict)


def serve(control_fd: int, config_json: str) -> None:
    """Warm up, say hello, then answer one job at a time until the trusted side hangs up."""
    config = json.loads(config_json)
    control = socket.socket(fileno=control_fd)
    # Undo a soft limit of address space that this process was started with; each fork gets its own.
    hard = resource.getrlimit(resource.RLIMIT_AS)[1]
    resource.setrlimit(resource.RLIMIT_AS, (hard, hard))
    _warm_up(config["library"])
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGPIPE):
        signal.signal(number, signal.SIG_IGN)
    # If the machine runs out of memory, the kernel should end this before the grader. This is a wish and not
    # a layer: some containers do not allow it.
    with contextlib.suppress(OSError):
        Path("/proc/self/oom_score_adj").write_text(FIRST_TO_GO, encoding="ascii")
    if "private-memory" in config["layers"]:
        hide_memory()
    try:
        confinement = prepare(config)
    except LayerError as error:
        control.send(json.dumps({"refused": str(error)}).encode())
        os._exit(1)
    zygote = Zygote(
        config["library"] != "numpy",
        confinement,
        control,
        is_first_process=os.getpid() == 1,
        owns_its_user=confinement.uid is not None or config["own_user_namespace"],
    )
    gc.collect()
    gc.freeze()
    control.send(json.dumps({"layers": confinement.layers}).encode())
    _listen(zygote)
    os._exit(0)


def _listen(zygote: Zygote, held: Sequence[int] = ()) -> None:
    """Run one submission after another until the trusted side hangs up; keep the calls that several share.

    ``held`` are processes that wait, stopped, for their second stage while others of the same submission run.
    Then the trusted side may also say that the last of them goes on.
    """
    while True:
        raw, descriptors, _, _ = socket.recv_fds(
            zygote.control, MAX_CONTROL_BYTES, MOST_DESCRIPTORS
        )
        if not raw:
            return
        message = json.loads(raw)
        if "keep" in message:
            if message["forget"] is not None:
                os.close(zygote.kept.pop(message["forget"]))
            [zygote.kept[message["keep"]]] = descriptors
        elif "limits" in message:
            calls = None if message["calls"] is None else zygote.kept[message["calls"]]
            _say(zygote, _run_job(zygote, message["limits"], descriptors, calls, held))
        elif "go_on" in message:
            return
        # Else it asks to hold a process that is dead by now, as the report that was sent meanwhile says.


def _say(zygote: Zygote, message: Mapping[str, Any]) -> None:
    with contextlib.suppress(BrokenPipeError):
        zygote.control.send(json.dumps(message).encode())


def _warm_up(library: str) -> None:
    """Do once, here, what the libraries put off until their first use, instead of in each child."""
    np.linalg.svd(np.ones((8, 8)))
    np.random.default_rng(0).normal()
    unpack(pack({"warm": np.ones(3)}))
    tempfile.tempdir = "/"  # torch asks for a folder on import and never writes to it; this one always exists
    if library == "numpy":
        return
    import torch

    torch.set_num_threads(1)
    layer = torch.nn.TransformerEncoderLayer(16, 2, 32, batch_first=True)
    layer(torch.randn(2, 3, 16)).sum().backward()
    layer.eval()(torch.randn(2, 3, 16))
    if library == "torch.optim":
        torch.optim.SGD(layer.parameters(), lr=0.0).step()


def _run_job(
    zygote: Zygote,
    limits: Mapping[str, float],
    descriptors: list[int],
    calls: int | None,
    held: Sequence[int],
) -> dict[str, Any]:
    """Run one submission in a fork and report how it ended.

    ``descriptors`` are the memory files for the request, the answer, and what is printed; of a run in two
    stages also the pipe that says that the first is done and the one that brings the calls of the second.
    ``calls`` is the memory file of the shared calls to make, None where the request brings its own. ``held``
    are the processes of the same submission that wait meanwhile.
    """
    here = os.getpid()
    pages = int(Path("/proc/self/statm").read_text().split()[0])
    child = os.fork()
    if child == 0:
        memory = pages * os.sysconf("SC_PAGE_SIZE")
        threads = sum(_number(process, "Threads:") for process in held)
        _live_and_die(
            zygote,
            limits,
            descriptors,
            calls,
            memory_in_use=memory,
            parent=here,
            threads_that_wait=threads,
        )
    for descriptor in descriptors:
        os.close(descriptor)
    late = _wait(zygote, child, limits["seconds"], held)
    _, status, usage = os.wait4(child, 0)
    if not held:
        _leave_nothing_behind(zygote)
    return {
        "exit": os.waitstatus_to_exitcode(status),
        "late": late,
        "cpu_seconds": usage.ru_utime + usage.ru_stime,
        "memory_mb": usage.ru_maxrss >> 10,
    }


def _live_and_die(
    zygote: Zygote,
    limits: Mapping[str, float],
    descriptors: list[int],
    calls: int | None,
    *,
    memory_in_use: int,
    parent: int,
    threads_that_wait: int,
) -> NoReturn:
    """Lock this process in, answer the request, and end; never return into the warm process's code."""
    confinement = zygote.confinement

    def answer() -> None:
        _arrange_descriptors(descriptors, calls, confinement.descriptor)
        os.setpgid(0, 0)
        for number in (signal.SIGTERM, signal.SIGHUP):
            signal.signal(number, signal.SIG_DFL)
        signal.signal(signal.SIGINT, signal.default_int_handler)
        sys.stdout.reconfigure(line_buffering=True)  # type: ignore[union-attr]
        confinement.become_nobody()
        if "rlimits" in confinement.layers:
            apply_limits(
                limits,
                memory_in_use,
                count_processes=zygote.owns_its_user,
                threads_that_wait=threads_that_wait,
            )
        die_with_parent(parent)
        confinement.apply()
        raw = _read_and_close(REQUEST_FD)
        shared = (
            None
            if calls is None
            else unpack(_read_and_close(CALLS_FD), as_torch=zygote.as_torch)
        )
        next_stage = (
            _begin_second_stage if len(descriptors) == MOST_DESCRIPTORS else None
        )
        reply = answer_request(
            raw, shared, as_torch=zygote.as_torch, next_stage=next_stage
        )
        write_answer(ANSWER_FD, reply)

    end_after(answer)


def _begin_second_stage(answer: bytes) -> bytes:
    """Write the answer to the first stage, say so, and read the calls of the second.

    The trusted side copies the answer before it gives these calls. If it is gone, or cannot read the answer,
    the pipe ends without a byte.
    """
    write_answer(ANSWER_FD, answer)
    os.write(DONE_FD, b"1")
    os.close(DONE_FD)
    pieces = []
    while piece := os.read(LATER_FD, READ_BYTES):
        pieces.append(piece)
    os.close(LATER_FD)
    os.ftruncate(
        ANSWER_FD, 0
    )  # whoever ends the process in the second stage leaves no answer to it
    return b"".join(pieces)


def _read_and_close(descriptor: int) -> bytes:
    """The whole of a memory file; forks share the offset of a descriptor, so none is used."""
    try:
        return os.pread(descriptor, os.fstat(descriptor).st_size, 0)
    finally:
        os.close(descriptor)


def _arrange_descriptors(
    descriptors: list[int], calls: int | None, rules: int | None
) -> None:
    """Leave the standard streams, request, answer, calls, pipes, and Landlock's rules until they apply."""
    request, answer, output, *pipes = descriptors
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    os.dup2(output, 1)
    os.dup2(output, 2)
    os.dup2(request, REQUEST_FD)
    os.dup2(answer, ANSWER_FD)
    if calls is not None:
        os.dup2(calls, CALLS_FD)
    own = [REQUEST_FD, ANSWER_FD, *([] if calls is None else [CALLS_FD])]
    if pipes:
        done, later = pipes
        os.dup2(done, DONE_FD)
        os.dup2(later, LATER_FD)
        own += [DONE_FD, LATER_FD]
    kept = [2, *([] if rules is None else [rules]), *own, HIGHEST_FD]
    for below, above in itertools.pairwise(kept):
        os.closerange(below + 1, above)


def _wait(zygote: Zygote, child: int, seconds: float, held: Sequence[int]) -> bool:
    """Wait for the child to end; kill it and its process group when it does not. True if it was late.

    If the socket of the trusted side becomes readable, that side is gone, or asks to hold the child.
    """
    watch = os.pidfd_open(child)
    deadline = time.monotonic() + seconds
    try:
        while True:
            patience = max(0.0, deadline - time.monotonic())
            ready = select.select([watch, zygote.control.fileno()], [], [], patience)[0]
            if (
                watch in ready
                or not ready
                or not zygote.control.recv(MAX_CONTROL_BYTES)
            ):
                break
            started = time.monotonic()
            _hold(zygote, child, held)
            deadline += time.monotonic() - started
        late = not ready
    finally:
        os.close(watch)
    for kill in (
        os.kill,
        os.killpg,
    ):  # the child is not reaped yet, so its id is still its own
        with contextlib.suppress(ProcessLookupError):
            kill(child, signal.SIGKILL)
    return late


def _hold(zygote: Zygote, child: int, held: Sequence[int]) -> None:
    """Stop the child, whatever threads it has, and run others of the same submission until it may go on.

    Where processes that are held have much memory, it is ended instead, for all of them exist at once.
    """
    now_held = [*held, child]
    os.kill(child, signal.SIGSTOP)
    shared_mb = _memory_mb(os.getpid())
    is_small = (
        sum(max(0, _memory_mb(process) - shared_mb) for process in now_held)
        <= MOST_HELD_MB
    )
    if not is_small:
        os.kill(child, signal.SIGKILL)
    _say(zygote, {"held": is_small})
    if is_small:
        _listen(zygote, now_held)
        os.kill(child, signal.SIGCONT)


def _memory_mb(process: int) -> int:
    """The memory of a process that is in no file; 0 of one that is dead."""
    return _number(process, "RssAnon:", "RssShmem:") >> 10


def _number(process: int, *names: str) -> int:
    """The sum of these numbers of a process, as the kernel tells them; those of memory are in KiB."""
    lines = Path(f"/proc/{process}/status").read_text("ascii", "replace").splitlines()
    return sum(int(line.split()[1]) for line in lines if line.startswith(names))


def _leave_nothing_behind(zygote: Zygote) -> None:
    """Kill and reap whatever a submission managed to start."""
    if zygote.is_first_process:
        with contextlib.suppress(ProcessLookupError):
            os.kill(-1, signal.SIGKILL)
    elif zygote.confinement.uid is not None:
        # Without a process namespace, kill whatever runs under the sandbox's user id.
        killer = os.fork()
        if killer == 0:
            try:
                zygote.confinement.become_nobody()
                os.kill(-1, signal.SIGKILL)
            finally:
                os._exit(0)
        os.waitpid(killer, 0)
    with contextlib.suppress(ChildProcessError):
        while os.waitpid(-1, 0 if zygote.is_first_process else os.WNOHANG)[0]:
            pass
