"""A warm sandbox: one zygote process, one submission at a time.

The answer is read after the child is dead. Of a run in two stages, that to the first stage is copied as soon
as the child says that it is there; only then are the calls of the second stage written into a pipe that
nobody but the child can read.
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
from collections.abc import Callable, Iterator, Mapping, Sequence
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
from autograder.sandbox.request import WORKER_ENVIRONMENT, Call, Request, SharedCalls

WORKER_FOLDER = Path(__file__).resolve().parent.parent / "worker"
START_SECONDS = 120.0
DEAF = ("/bin/sh", "-c", 'trap "" INT TERM HUP; exec "$@"', "sh")
"""Ctrl-C is for the grader, which then ends its sandboxes itself; bubblewrap would end at once."""
GRACE_SECONDS = 10.0
KEPT_CALLS = 16
"""How many lists of shared calls a zygote keeps: enough for the homeworks that one folder mixes."""


class SandboxDied(RuntimeError):
    """The sandbox itself is gone or does not answer; the submission is not to blame yet.

    ``first`` is the report on the first stage of the run, where its second had begun.
    """

    def __init__(self, message: str, first: RunReport | None = None) -> None:
        super().__init__(message)
        self.first = first


class ProcessLetGo(SandboxDied):
    """The process had too much memory to wait for its second stage and was ended; the sandbox is well."""


class WarmSandbox:
    """A zygote with a library imported; ``run`` forks it for one request."""

    def __init__(self, library: str, level: Level | None = None) -> None:
        self.library = library
        self.level = level or strongest_level()
        if home := packages_of_one_user():
            raise LayerRefusedError(
                f"no sandbox can read {home}: install the kit in a virtual environment, not with --user"
            )
        readable, listable = view_of_python(WORKER_FOLDER)
        self._user = (
            ClaimedUser() if is_root() and "own-user" in self.level.layers else None
        )
        namespaces = "namespaces" in self.level.layers
        config = {
            "library": library,
            "layers": self.level.layers,
            "readable": [*READABLE, *readable],
            "listable": listable,
            "uid": self._user.uid if self._user else None,
            "own_user_namespace": namespaces and not is_root(),
        }
        self._control, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        control = str(theirs.fileno())
        zygote = [
            sys.executable,
            "-s",
            str(WORKER_FOLDER),
            "zygote",
            control,
            json.dumps(config),
        ]
        self._process = subprocess.Popen(
            [*DEAF, *bubblewrap_command(readable), *zygote] if namespaces else zygote,
            env=WORKER_ENVIRONMENT,
            pass_fds=[theirs.fileno()],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            cwd="/",
        )
        theirs.close()
        self._kept: list[str] = []
        self.layers: tuple[str, ...] = ()
        try:
            hello = self._receive(START_SECONDS)
            if "refused" in hello:
                raise LayerRefusedError(f"level {self.level.name}: {hello['refused']}")
        except (SandboxDied, LayerRefusedError):
            self.close()
            raise
        self.layers = tuple(hello["layers"])

    def run(self, request: Request) -> RunReport:
        """Run one submission; ``SandboxDied`` where no trustworthy report came: take a new sandbox."""
        limits, later_calls = request.limits, request.later_calls
        deadline = time.monotonic() + limits.seconds + GRACE_SECONDS
        first = given = ending = None
        with (
            _memory_files(request.pack(), b"", b"") as files,
            contextlib.ExitStack() as pipes,
        ):
            _, answered, printed = files
            message = {"limits": vars(limits), "calls": self._hand_over(request.calls)}
            if later_calls is None:
                self._send(message, files)
            else:
                is_done, says_done = _pipe(pipes)
                takes_calls, gives_calls = _pipe(pipes)
                self._send(message, [*files, says_done.fileno(), takes_calls.fileno()])
                # The process has the only other ends now: when it is dead, both pipes say so.
                says_done.close()
                takes_calls.close()
                if self._is_first_stage_done(is_done, deadline):
                    first = read_answer_to_calls(
                        os.pread(answered, limits.answer_mb << 20, 0), request
                    )
                if first is not None and first.status is Status.GRADED:
                    given = first
                    if request.before_later is not None:
                        started = time.monotonic()
                        ending = self._hold_during(
                            request.before_later, first, deadline
                        )
                        deadline += time.monotonic() - started
            try:
                if later_calls is not None:
                    if given is not None and ending is None:
                        self._give(later_calls.packed, gives_calls, deadline)
                    gives_calls.close()
                if ending is None:
                    ending = Ending(
                        **self._receive(max(0.0, deadline - time.monotonic()))
                    )
                raw = os.pread(answered, limits.answer_mb << 20, 0)
                output = os.pread(printed, MAX_OUTPUT_BYTES, 0)
            except (SandboxDied, OSError) as error:
                raise SandboxDied(str(error), given) from error
        return read_report(raw, output, ending, request, first)

    def _hold_during(
        self, before_later: Callable[[], object], first: RunReport, deadline: float
    ) -> Ending | None:
        """Have the process stopped while something else is done; return how it ended where it is dead.

        Raises:
            ProcessLetGo: it had too much memory to be held.
        """
        ending, is_held = None, False
        try:
            self._send({"hold": True}, [])
            answer = self._receive(max(0.0, deadline - time.monotonic()))
            is_held = answer.get("held", False)
            if (
                not is_held
            ):  # the report on its end comes in place of an answer, or after it
                ending = Ending(
                    **(self._receive(GRACE_SECONDS) if "held" in answer else answer)
                )
        except SandboxDied as error:
            before_later()
            raise SandboxDied(str(error), first) from error
        try:
            before_later()
        except BaseException:
            self.close()  # it would wait for ever
            raise
        if "held" in answer and not is_held:
            raise ProcessLetGo("a process had too much memory to be held", first)
        if is_held:
            try:
                self._send({"go_on": True}, [])
            except SandboxDied as error:
                raise SandboxDied(str(error), first) from error
        return ending

    def _is_first_stage_done(self, is_done: FileIO, deadline: float) -> bool:
        """Wait until the process says so, is dead, or is out of time; True where it has said so."""
        return (
            self._wait_for(is_done, select.POLLIN, deadline) and is_done.read(1) == b"1"
        )

    def _give(self, calls: bytes, pipe: FileIO, deadline: float) -> None:
        """Send the calls of the second stage; stop where the process is dead or takes no more."""
        os.set_blocking(pipe.fileno(), False)
        rest = memoryview(calls)
        with contextlib.suppress(BrokenPipeError):
            while rest and self._wait_for(pipe, select.POLLOUT, deadline):
                rest = rest[os.write(pipe.fileno(), rest) :]

    def _wait_for(self, pipe: FileIO, event: int, deadline: float) -> bool:
        """Wait until a pipe is ready; False where the zygote has something to say before, or time is up."""
        waiting = select.poll()
        waiting.register(self._control, select.POLLIN)
        waiting.register(pipe, event)
        milliseconds = max(0.0, deadline - time.monotonic()) * 1000
        return pipe.fileno() in dict(waiting.poll(milliseconds))

    def _hand_over(self, calls: Sequence[Call] | SharedCalls) -> str | None:
        """Let the zygote keep shared calls, forget those unused for longest, and return their name there."""
        if not isinstance(calls, SharedCalls):
            return None
        if calls.digest in self._kept:
            self._kept.remove(calls.digest)
        else:
            forget = self._kept.pop(0) if len(self._kept) == KEPT_CALLS else None
            with _memory_files(calls.packed) as [file]:
                self._send({"keep": calls.digest, "forget": forget}, [file])
        self._kept.append(calls.digest)
        return calls.digest

    def _send(self, message: Mapping[str, object], descriptors: list[int]) -> None:
        try:
            socket.send_fds(self._control, [json.dumps(message).encode()], descriptors)
        except OSError as error:
            raise SandboxDied(f"the sandbox takes no request: {error}") from error

    def _receive(self, seconds: float) -> Any:
        self._control.settimeout(seconds)
        try:
            message = self._control.recv(65536)
        except OSError as error:
            raise SandboxDied(f"the sandbox does not answer: {error}") from error
        if not message:
            raise SandboxDied(f"the sandbox ended (exit status {self._process.wait()})")
        return json.loads(message)

    def close(self) -> None:
        """Hang up; the zygote ends by itself, and is killed if it does not."""
        self._control.close()
        try:
            self._process.wait(2)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        if self._user is not None:
            self._user.release()


def _pipe(stack: contextlib.ExitStack) -> tuple[FileIO, FileIO]:
    """Return the reading and the writing end of a pipe, both closed with the stack."""
    reading, writing = os.pipe()
    return stack.enter_context(FileIO(reading, "r")), stack.enter_context(
        FileIO(writing, "w")
    )


@contextlib.contextmanager
def _memory_files(*contents: bytes) -> Iterator[list[int]]:
    """Give the descriptors of memory files with these contents."""
    with contextlib.ExitStack() as stack:
        files = [
            stack.enter_context(os.fdopen(os.memfd_create("wall"), "w+b"))
            for _ in contents
        ]
        for file, content in zip(files, contents, strict=True):
            file.write(content)
            file.seek(0)
        yield [file.fileno() for file in files]
