"""A warm sandbox: one zygote process, one submission at a time. ``worker/zygote.py`` lists the messages to it.

The answer is read after the child is dead. In a run of two stages, the answer to the first stage is copied as soon
as the child says that it is written; only then are the calls of the second stage written into a pipe that only
the child can read.
"""

from __future__ import annotations

import contextlib
import json
import os
import select
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from io import FileIO
from pathlib import Path
from typing import Any

from autograder.sandbox.isolation import (
    READABLE,
    ClaimedUser,
    bubblewrap_command,
    is_root,
    packages_of_one_user,
    view_of_python,
)
from autograder.sandbox.levels import Level, strongest_level
from autograder.sandbox.report import (
    MAX_OUTPUT_BYTES,
    Ending,
    LayerRefusedError,
    RunReport,
    Status,
    read_answer_to_calls,
    read_report,
)
from autograder.sandbox.request import (
    WORKER_ENVIRONMENT,
    DataFiles,
    Request,
    SharedCalls,
)
from autograder.worker.layers import Layer
from autograder.worker.wire import MAX_CONTROL_BYTES

WORKER_FOLDER = Path(__file__).resolve().parent.parent / "worker"
START_SECONDS = 120.0
GRACE_SECONDS = 10.0
CLOSE_SECONDS = 2.0
IGNORING_SIGNALS = ("/bin/sh", "-c", 'trap "" INT TERM HUP; exec "$@"', "sh")
"""Ctrl-C is for the grader, which then ends its sandboxes itself; bubblewrap would end at once."""
KEPT_CALLS = 16
"""How many lists of shared calls and sets of data files a zygote keeps: enough for a folder of mixed homeworks."""


class SandboxDied(RuntimeError):
    """The sandbox itself is gone or does not answer; the submission is not to blame yet.

    ``first`` is the report on the first stage of the run, if its second had begun.
    """

    def __init__(self, message: str, first: RunReport | None = None) -> None:
        super().__init__(message)
        self.first = first


class ProcessLetGo(SandboxDied):
    """The process had too much memory to wait for its second stage and was ended; the sandbox is well."""


class WarmSandbox:
    """A zygote with a library imported; ``run`` forks it for one request.

    Args:
        library: ``numpy``, ``torch`` or ``torch.optim``.
        level: the isolation level; None for the strongest that works here.

    Raises:
        LayerRefusedError: a layer of the level does not hold on this machine.
        SandboxDied: the zygote does not start.
    """

    def __init__(self, library: str, level: Level | None = None) -> None:
        self.library = library
        self.level = level or strongest_level()
        user_packages = packages_of_one_user()
        if user_packages:
            raise LayerRefusedError(
                f"no sandbox can read {user_packages}: install the kit in a virtual environment, not with --user"
            )
        has_namespaces = Layer.NAMESPACES in self.level.layers
        readable, listable = view_of_python(WORKER_FOLDER)
        self._user: ClaimedUser | None = None
        if is_root() and Layer.OWN_USER in self.level.layers:
            self._user = ClaimedUser()
        config = {
            "library": library,
            "layers": self.level.layers,
            "readable": [*READABLE, *readable],
            "listable": listable,
            "uid": self._user.uid if self._user else None,
            "own_user_namespace": has_namespaces and not is_root(),
        }

        # One message is one packet on this socket.
        self._control, zygote_end = socket.socketpair(
            socket.AF_UNIX, socket.SOCK_SEQPACKET
        )
        command = [sys.executable, "-s", str(WORKER_FOLDER), "zygote"]
        command += [str(zygote_end.fileno()), json.dumps(config)]
        if has_namespaces:
            command = [*IGNORING_SIGNALS, *bubblewrap_command(readable), *command]
        self._process = subprocess.Popen(
            command,
            env=WORKER_ENVIRONMENT,
            pass_fds=[zygote_end.fileno()],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            cwd="/",
        )
        zygote_end.close()
        # Digests of shared calls and data files, the last used at the end.
        self._kept: list[str] = []
        self.layers: tuple[str, ...] = ()
        try:
            hello = self._receive(START_SECONDS)
            if hello["kind"] == "refused":
                raise LayerRefusedError(f"level {self.level.name}: {hello['why']}")
        except (SandboxDied, LayerRefusedError):
            self.close()
            raise
        self.layers = tuple(hello["layers"])

    def run(self, request: Request) -> RunReport:
        """Run one submission.

        Raises:
            SandboxDied: there is no trustworthy report; take a new sandbox.
            ProcessLetGo: the process was ended between its stages; this sandbox can be used again.
        """
        limits = request.limits
        later_calls = request.later_calls
        deadline = time.monotonic() + request.seconds + GRACE_SECONDS
        first: RunReport | None = None
        ending: Ending | None = None
        second_has_begun = False
        with (
            _memory_files(request.pack(), b"", b"") as files,
            contextlib.ExitStack() as pipes,
        ):
            _, answer_file, output_file = files
            calls = None
            if isinstance(request.calls, SharedCalls):
                calls = self._hand_over(request.calls)
            data = None
            if request.data.files:
                data = self._hand_over(request.data)
            message = {
                "kind": "run",
                "limits": request.process_limits,
                "calls": calls,
                "data": data,
                "two_stages": later_calls is not None,
            }
            if later_calls is None:
                self._send(message, files)
            else:
                is_done, says_done = _pipe(pipes)
                takes_calls, gives_calls = _pipe(pipes)
                self._send(message, [*files, says_done.fileno(), takes_calls.fileno()])
                # The process has the only other ends now: when it is dead, both pipes say so.
                says_done.close()
                takes_calls.close()
                # It says that it is done, or is dead, or out of time.
                has_news = self._wait_for(is_done, select.POLLIN, deadline)
                if has_news and is_done.read(1) == b"1":
                    raw = os.pread(answer_file, limits.answer_mb << 20, 0)
                    first = read_answer_to_calls(raw, request)
                # A process without a good answer to the first stage gets no second.
                if first is not None and first.status is Status.GRADED:
                    second_has_begun = True
                    if request.before_later is not None:
                        started = time.monotonic()
                        ending = self._hold_during(
                            request.before_later, first, deadline
                        )
                        deadline += time.monotonic() - started
            try:
                if later_calls is not None:
                    if second_has_begun and ending is None:
                        self._give(later_calls.packed, gives_calls, deadline)
                    gives_calls.close()
                if ending is None:
                    patience = max(0.0, deadline - time.monotonic())
                    ending = _ending_in(self._receive(patience))
                raw = os.pread(answer_file, limits.answer_mb << 20, 0)
                printed = os.pread(output_file, MAX_OUTPUT_BYTES, 0)
            except (SandboxDied, OSError) as error:
                first_report = first if second_has_begun else None
                raise SandboxDied(str(error), first_report) from error
        return read_report(raw, printed, ending, request, first)

    def _hold_during(
        self, before_later: Callable[[], object], first: RunReport, deadline: float
    ) -> Ending | None:
        """Have the process stopped while ``before_later`` runs.

        Returns:
            How the process ended, if it is dead; else None.

        Raises:
            ProcessLetGo: it had too much memory to be held.
            SandboxDied: the sandbox is gone.
        """
        ending = None
        try:
            self._send({"kind": "hold"}, [])
            reply = self._receive(max(0.0, deadline - time.monotonic()))
            was_let_go = reply["kind"] == "let_go"
            # Of a dead process there is a report on its end: in place of the reply, or after it.
            if was_let_go:
                ending = _ending_in(self._receive(GRACE_SECONDS))
            elif reply["kind"] != "held":
                ending = _ending_in(reply)
        except SandboxDied as error:
            # Other homeworks of this submission must give their first answers before any hidden input is sent;
            # they get a new sandbox.
            before_later()
            raise SandboxDied(str(error), first) from error
        try:
            before_later()
        except BaseException:
            self.close()  # the held process would wait for ever
            raise
        if was_let_go:
            raise ProcessLetGo("a process had too much memory to be held", first)
        if ending is None:
            try:
                self._send({"kind": "go_on"}, [])
            except SandboxDied as error:
                raise SandboxDied(str(error), first) from error
        return ending

    def _give(self, calls: bytes, pipe: FileIO, deadline: float) -> None:
        """Send the calls of the second stage; stop if the process is dead or takes no more."""
        os.set_blocking(pipe.fileno(), False)
        remaining = memoryview(calls)
        with contextlib.suppress(BrokenPipeError):
            while remaining and self._wait_for(pipe, select.POLLOUT, deadline):
                written = os.write(pipe.fileno(), remaining)
                remaining = remaining[written:]

    def _wait_for(self, pipe: FileIO, event: int, deadline: float) -> bool:
        """Wait until a pipe is ready; False if the zygote has something to say first, or time is up."""
        poll = select.poll()
        poll.register(self._control, select.POLLIN)
        poll.register(pipe, event)
        milliseconds = max(0.0, deadline - time.monotonic()) * 1000
        return pipe.fileno() in dict(poll.poll(milliseconds))

    def _hand_over(self, shared: SharedCalls | DataFiles) -> str:
        """Let the zygote keep shared calls or data files, and forget those unused for longest.

        Returns:
            Their name there.
        """
        if shared.digest in self._kept:
            self._kept.remove(shared.digest)
        else:
            forget = None
            if len(self._kept) == KEPT_CALLS:
                forget = self._kept.pop(0)
            with _memory_files(shared.packed) as [file]:
                message = {"kind": "keep", "digest": shared.digest, "forget": forget}
                self._send(message, [file])
        self._kept.append(shared.digest)
        return shared.digest

    def _send(self, message: Mapping[str, object], descriptors: list[int]) -> None:
        try:
            socket.send_fds(self._control, [json.dumps(message).encode()], descriptors)
        except OSError as error:
            raise SandboxDied(f"the sandbox takes no request: {error}") from error

    def _receive(self, seconds: float) -> Any:
        self._control.settimeout(seconds)
        try:
            message = self._control.recv(MAX_CONTROL_BYTES)
        except OSError as error:
            raise SandboxDied(f"the sandbox does not answer: {error}") from error
        if not message:
            raise SandboxDied(f"the sandbox ended (exit status {self._process.wait()})")
        return json.loads(message)

    def close(self) -> None:
        """Hang up; the zygote ends then, and is killed if it does not."""
        self._control.close()
        try:
            self._process.wait(CLOSE_SECONDS)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        if self._user is not None:
            self._user.release()


def _ending_in(message: Mapping[str, Any]) -> Ending:
    """Read the zygote's message that a run has ended."""
    if message["kind"] != "ended":
        raise SandboxDied(f"the sandbox says {message['kind']!r} in place of an end")
    return Ending(
        exit=message["exit"],
        late=message["late"],
        cpu_seconds=message["cpu_seconds"],
        memory_mb=message["memory_mb"],
    )


def _pipe(stack: contextlib.ExitStack) -> tuple[FileIO, FileIO]:
    """Return the reading and the writing end of a pipe, both closed with the stack."""
    reading, writing = os.pipe()
    reader = stack.enter_context(FileIO(reading, "r"))
    writer = stack.enter_context(FileIO(writing, "w"))
    return reader, writer


@contextlib.contextmanager
def _memory_files(*contents: bytes) -> Iterator[list[int]]:
    """Give the descriptors of memory files with these contents."""
    with contextlib.ExitStack() as stack:
        descriptors = []
        for content in contents:
            file = stack.enter_context(os.fdopen(os.memfd_create("message"), "w+b"))
            file.write(content)
            file.seek(0)
            descriptors.append(file.fileno())
        yield descriptors
