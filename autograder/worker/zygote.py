"""The warm process: NumPy (and torch) imported once, then one fork per submission, and that fork's life.

The warm process holds no submission, no answer and no input, not even in memory that was freed. Requests, shared
calls, answers and printed output are in memory files whose descriptors arrive over the control socket, and only
a fork reads the files that it needs. Calls of a second stage come through a pipe whose other end is on the
trusted side: they do not exist in this sandbox until that side has the answers to the first stage.
Between its stages a fork may be held, which means stopped, while other code of the same submission runs.
Time, memory and exit status come from the kernel, never from the child.

Each message over the control socket is a JSON object, whose ``kind`` says which it is:

====================  ==========================================================================================
from the grader
``keep``              Keep the file that comes with it, shared calls or data files, under a ``digest``. Before that,
                      let go of another one, if there is a digest to ``forget``.
``run``               Run a submission under ``limits``, with the kept files of ``calls`` and ``data``: a digest,
                      or null. Three files come with it: request, answer and printed output. If it has
                      ``two_stages``, two pipes come, too: the fork writes a byte into the first when its first
                      answer is written, and then reads the calls of the second stage from the other.
``hold``              Stop the running fork between its stages, and listen for further messages, of other runs.
``go_on``             Let the fork that was held last go on.
from this process
``ready``             Once, after the start: the ``layers`` in force.
``refused``           In place of it: ``why`` a layer does not hold.
``held``, ``let_go``  One of them answers ``hold``. A fork that is let go had too much memory to be held; it is
                      killed, and ``ended`` follows. A fork that ended before it could be held gets neither.
``ended``             Once for each run: ``exit``, ``late``, ``cpu_seconds`` and ``memory_mb``.
====================  ==========================================================================================

An empty message means that the grader has hung up.
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
from autograder.worker.layers import Layer
from autograder.worker.limits import apply_limits, die_with_parent, hide_memory
from autograder.worker.runner import answer_request, end_after, write_answer
from autograder.worker.wire import MAX_CONTROL_BYTES, pack, unpack

# Above the limit of open files: once closed, a submission cannot open them again.
REQUEST_FD = 200
ANSWER_FD = 201
CALLS_FD = 202
DONE_FD = 203
LATER_FD = 204
DATA_FD = 205
SHARED_FDS = {"calls": CALLS_FD, "data": DATA_FD}
"""The numbers of the memory files that this process keeps, by the key of ``run`` that names one."""
READ_BYTES = 1 << 16
"""As much as a pipe holds: a larger buffer would be memory that each fork touches for nothing."""
HIGHEST_FD = 4096
MOST_DESCRIPTORS = 5
"""Request, answer and printed output; of a run in two stages also two pipes."""
OOM_SCORE = "1000"
MOST_HELD_MB = 512
"""How much memory the held processes may have together, beyond what they share with the warm process."""


@dataclass(frozen=True)
class Zygote:
    """State that all jobs share.

    Attributes:
        as_torch: tensors of a call become torch's.
        confinement: the layers that each fork applies.
        control: the socket to the trusted side.
        is_first_process: this is process 1 of a process namespace, so every other process in it is a child's.
        owns_its_user: all processes of the child's user id are this sandbox's, so they may be counted.
        kept: descriptors of memory files with shared calls or with data files, by their digest.
    """

    as_torch: bool
    confinement: Confinement
    control: socket.socket
    is_first_process: bool
    owns_its_user: bool
    kept: dict[str, int] = field(default_factory=dict)


@dataclass(frozen=True)
class Job:
    """A submission to run.

    Attributes:
        limits: the limits that hold for the process as a whole.
        descriptors: the memory files for the request, the answer and the printed output; of a run in two
            stages also the pipe that says that the first is done, and the one that brings the later calls.
        shared: the memory files of the shared calls to make and of the data files, where there are any, by
            the numbers that they get in the fork.
        has_two_stages: whether later calls follow.
        held: processes of the same submission that wait, stopped, while this one runs.
    """

    limits: Mapping[str, float]
    descriptors: Sequence[int]
    shared: Mapping[int, int]
    has_two_stages: bool
    held: Sequence[int]


def serve(control_fd: int, config_json: str) -> None:
    """Warm up, say hello, then answer one job at a time until the trusted side hangs up."""
    config = json.loads(config_json)
    control = socket.socket(fileno=control_fd)
    # Undo a soft limit of address space that this process was started with; each fork gets its own.
    hard_limit = resource.getrlimit(resource.RLIMIT_AS)[1]
    resource.setrlimit(resource.RLIMIT_AS, (hard_limit, hard_limit))
    gc.disable()  # nearly all that an import makes stays: to look for garbage costs an eighth of torch's
    _warm_up(config["library"])
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGPIPE):
        signal.signal(number, signal.SIG_IGN)
    # If the machine runs out of memory, the kernel should end this process before the grader. This is a wish
    # and not a layer: some containers do not allow it.
    with contextlib.suppress(OSError):
        Path("/proc/self/oom_score_adj").write_text(OOM_SCORE, encoding="ascii")
    if Layer.PRIVATE_MEMORY in config["layers"]:
        hide_memory()
    try:
        confinement = prepare(config)
    except LayerError as error:
        refusal = {"kind": "refused", "why": str(error)}
        control.send(json.dumps(refusal).encode())
        os._exit(1)
    zygote = Zygote(
        as_torch=config["library"] != "numpy",
        confinement=confinement,
        control=control,
        is_first_process=os.getpid() == 1,
        owns_its_user=confinement.uid is not None or config["own_user_namespace"],
    )
    # The collector of a fork would otherwise write into every object's header, and copy all of these pages.
    gc.collect()
    gc.freeze()
    gc.enable()
    hello = {"kind": "ready", "layers": confinement.layers}
    control.send(json.dumps(hello).encode())
    _listen(zygote)
    os._exit(0)


def _listen(zygote: Zygote, held: Sequence[int] = ()) -> None:
    """Run one submission after another until the trusted side hangs up, and keep shared calls.

    Args:
        zygote: this process's settings.
        held: processes that wait, stopped, for their second stage while other code of the same submission
            runs. If there are any, the trusted side may also say that the last of them goes on.
    """
    while True:
        raw, descriptors, _, _ = socket.recv_fds(
            zygote.control, MAX_CONTROL_BYTES, MOST_DESCRIPTORS
        )
        if not raw:
            return
        message = json.loads(raw)
        match message["kind"]:
            case "keep":
                if message["forget"] is not None:
                    os.close(zygote.kept.pop(message["forget"]))
                [kept_file] = descriptors
                zygote.kept[message["digest"]] = kept_file
            case "run":
                shared = {}
                for name, number in SHARED_FDS.items():
                    if message[name] is not None:
                        shared[number] = zygote.kept[message[name]]
                job = Job(
                    message["limits"], descriptors, shared, message["two_stages"], held
                )
                _say(zygote, _run_job(zygote, job))
            case "go_on":
                return
            case "hold":
                # It is for a process that is dead by now. The report on its end, sent meanwhile, says so.
                pass
            case unknown:
                raise ValueError(f"a message of the kind {unknown!r}")


def _say(zygote: Zygote, message: Mapping[str, Any]) -> None:
    with contextlib.suppress(BrokenPipeError):
        zygote.control.send(json.dumps(message).encode())


def _warm_up(library: str) -> None:
    """Trigger the libraries' lazy set-up once, here, instead of in each child."""
    np.linalg.svd(np.ones((8, 8)))
    np.random.default_rng(0).normal()
    unpack(pack({"warm": np.ones(3)}))
    # Torch asks for a folder on import and never writes to it. The root always exists.
    tempfile.tempdir = "/"
    if library == "numpy":
        return
    import torch

    torch.set_num_threads(1)
    layer = torch.nn.TransformerEncoderLayer(16, 2, 32, batch_first=True)
    layer(torch.randn(2, 3, 16)).sum().backward()
    layer.eval()(torch.randn(2, 3, 16))
    if library == "torch.optim":
        torch.optim.SGD(layer.parameters(), lr=0.0).step()


def _run_job(zygote: Zygote, job: Job) -> dict[str, Any]:
    """Run one submission in a fork; return the message that says how it ended."""
    parent = os.getpid()
    pages = int(Path("/proc/self/statm").read_text().split()[0])
    child = os.fork()
    if child == 0:
        _serve_request_in_child(
            zygote,
            job,
            memory_in_use=pages * os.sysconf("SC_PAGE_SIZE"),
            parent=parent,
        )
    for descriptor in job.descriptors:
        os.close(descriptor)
    is_late = _wait(zygote, child, job)
    _, status, usage = os.wait4(child, 0)
    # Held processes would be swept away, too.
    if not job.held:
        _leave_nothing_behind(zygote)
    return {
        "kind": "ended",
        "exit": os.waitstatus_to_exitcode(status),
        "late": is_late,
        "cpu_seconds": usage.ru_utime + usage.ru_stime,
        "memory_mb": usage.ru_maxrss >> 10,
    }


def _serve_request_in_child(
    zygote: Zygote, job: Job, *, memory_in_use: int, parent: int
) -> NoReturn:
    """Lock this process in, answer the request, and end; never return into the warm process's code."""
    confinement = zygote.confinement
    as_torch = zygote.as_torch
    shared = job.shared
    threads_that_wait = 0
    for process in job.held:
        threads_that_wait += _number(process, "Threads:")

    def answer() -> None:
        _arrange_descriptors(job.descriptors, shared, confinement.descriptor)
        os.setpgid(0, 0)
        for number in (signal.SIGTERM, signal.SIGHUP):
            signal.signal(number, signal.SIG_DFL)
        signal.signal(signal.SIGINT, signal.default_int_handler)
        sys.stdout.reconfigure(line_buffering=True)  # type: ignore[union-attr]

        # The order matters: a change of user would undo the leash to the parent, so the user changes first,
        # and the filter comes last, because it forbids all of this.
        confinement.become_nobody()
        if Layer.RLIMITS in confinement.layers:
            apply_limits(
                job.limits,
                memory_in_use,
                count_processes=zygote.owns_its_user,
                threads_that_wait=threads_that_wait,
            )
        die_with_parent(parent)
        confinement.apply()

        # Only now is anything of the request read.
        raw = _read_and_close(REQUEST_FD)
        calls = None
        if CALLS_FD in shared:
            calls = unpack(_read_and_close(CALLS_FD), as_torch=as_torch)
        data = None
        if DATA_FD in shared:
            data = unpack(_read_and_close(DATA_FD))
        next_stage = _begin_second_stage if job.has_two_stages else None
        reply = answer_request(
            raw, calls, data, as_torch=as_torch, next_stage=next_stage
        )
        write_answer(ANSWER_FD, reply)

    end_after(answer)


def _begin_second_stage(first_answer: bytes) -> bytes:
    """Write the answer to the first stage, say so, and read the calls of the second.

    The trusted side copies the answer before it gives these calls. If it is gone, or cannot read the answer,
    the pipe ends without a byte.
    """
    write_answer(ANSWER_FD, first_answer)
    os.write(DONE_FD, b"1")
    os.close(DONE_FD)
    pieces = []
    while piece := os.read(LATER_FD, READ_BYTES):
        pieces.append(piece)
    os.close(LATER_FD)
    # A submission that ends the process in the second stage leaves no answer to it.
    os.ftruncate(ANSWER_FD, 0)
    return b"".join(pieces)


def _read_and_close(descriptor: int) -> bytes:
    """Read the whole of a memory file, by position: forks share the offset of a descriptor."""
    try:
        return os.pread(descriptor, os.fstat(descriptor).st_size, 0)
    finally:
        os.close(descriptor)


def _arrange_descriptors(
    descriptors: Sequence[int], shared: Mapping[int, int], landlock_rules: int | None
) -> None:
    """Put each file and pipe at its number, and close every other descriptor.

    What stays open are the standard streams, this job's files and pipes, and Landlock's rules until they
    apply: neither the control socket nor the calls and data of other requests.
    """
    request, answer, output, *pipes = descriptors
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    os.dup2(output, 1)
    os.dup2(output, 2)
    os.dup2(request, REQUEST_FD)
    os.dup2(answer, ANSWER_FD)
    stays_open = [2]
    if landlock_rules is not None:
        stays_open.append(landlock_rules)
    stays_open += [REQUEST_FD, ANSWER_FD]
    for number, kept_file in shared.items():
        os.dup2(kept_file, number)
        stays_open.append(number)
    if pipes:
        done_pipe, later = pipes
        os.dup2(done_pipe, DONE_FD)
        os.dup2(later, LATER_FD)
        stays_open += [DONE_FD, LATER_FD]
    for below, above in itertools.pairwise([*sorted(stays_open), HIGHEST_FD]):
        os.closerange(below + 1, above)


def _wait(zygote: Zygote, child: int, job: Job) -> bool:
    """Wait for the child to end, and kill it and its process group if it does not.

    If the control socket becomes readable, the trusted side is gone, or asks to hold the child.

    Returns:
        Whether the child was out of time.
    """
    ends = os.pidfd_open(child)
    deadline = time.monotonic() + job.limits["seconds"]
    try:
        while True:
            patience = max(0.0, deadline - time.monotonic())
            ready, _, _ = select.select(
                [ends, zygote.control.fileno()], [], [], patience
            )
            if ends in ready or not ready:
                break
            raw = zygote.control.recv(MAX_CONTROL_BYTES)
            if not raw:
                break
            message = json.loads(raw)
            if message["kind"] != "hold":
                raise ValueError(
                    f"a message of the kind {message['kind']!r} during a run"
                )
            started = time.monotonic()
            _hold(zygote, child, job.held)
            deadline += time.monotonic() - started
        is_late = not ready
    finally:
        os.close(ends)
    # The child is not reaped yet, so its id cannot be another process's by now.
    for kill in (os.kill, os.killpg):
        with contextlib.suppress(ProcessLookupError):
            kill(child, signal.SIGKILL)
    return is_late


def _hold(zygote: Zygote, child: int, held: Sequence[int]) -> None:
    """Stop the child with all its threads, and run other code of the submission until it may go on.

    Ending it, and running the code again for its second stage, would be simpler. It takes about 20 ms more for a
    homework of NumPy, and 80 ms for one of torch, besides the time in which the code is loaded again.
    If the held processes have much memory, the child is ended instead: they all exist at once.
    """
    held_now = [*held, child]
    os.kill(child, signal.SIGSTOP)
    shared_mb = _memory_mb(os.getpid())
    memory_mb = 0
    for process in held_now:
        memory_mb += max(0, _memory_mb(process) - shared_mb)
    if memory_mb > MOST_HELD_MB:
        os.kill(child, signal.SIGKILL)
        _say(zygote, {"kind": "let_go"})
        return
    _say(zygote, {"kind": "held"})
    _listen(zygote, held_now)
    os.kill(child, signal.SIGCONT)


def _memory_mb(process: int) -> int:
    """Return the MiB of a process's memory that are in no file; 0 for a dead process."""
    return _number(process, "RssAnon:", "RssShmem:") >> 10


def _number(process: int, *names: str) -> int:
    """Return the sum of these numbers in a process's status; those of memory are in KiB."""
    lines = Path(f"/proc/{process}/status").read_text("ascii", "replace").splitlines()
    total = 0
    for line in lines:
        if line.startswith(names):
            _, number, *_ = line.split()
            total += int(number)
    return total


def _leave_nothing_behind(zygote: Zygote) -> None:
    """Kill and reap all processes that a submission managed to start."""
    if zygote.is_first_process:
        with contextlib.suppress(ProcessLookupError):
            os.kill(-1, signal.SIGKILL)
    elif zygote.confinement.uid is not None:
        # Without a process namespace, kill whatever runs under the sandbox's user id, as that user.
        killer = os.fork()
        if killer == 0:
            try:
                zygote.confinement.become_nobody()
                os.kill(-1, signal.SIGKILL)
            finally:
                os._exit(0)
        os.waitpid(killer, 0)
    # As process 1 this process inherits all orphans, and waits until the last of them is dead.
    options = 0 if zygote.is_first_process else os.WNOHANG
    with contextlib.suppress(ChildProcessError):
        while os.waitpid(-1, options)[0]:
            pass
