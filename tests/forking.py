"""Python processes that have imported their libraries already: each program runs in a fork of such a process.

To start Python and import its libraries costs more than most programs that tests run. What a program finds is
otherwise what it finds in a process of its own: its folder, arguments, environment, standard streams, an empty
``__main__``, and what it imports itself. All forks of a process share its order of sets, however.
"""

from __future__ import annotations

import atexit
import functools
import json
import os
import socket
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path

SERVER = """
import gc as _gc
_gc.disable()  # nearly all that an import makes stays
{preparation}
import atexit as _atexit, json as _json, os as _os, socket as _socket, sys as _sys
import threading as _threading, types as _types

def _serve(requests):
    while size := int.from_bytes(requests.recv(4, _socket.MSG_WAITALL), "big"):
        _, streams, _, _ = _socket.recv_fds(requests, 1, 2)
        request = _json.loads(requests.recv(size, _socket.MSG_WAITALL))
        child = _os.fork()
        if child == 0:
            requests.close()
            return request, streams
        for stream in streams:
            _os.close(stream)
        status = _os.waitstatus_to_exitcode(_os.waitpid(child, 0)[1])
        requests.sendall(status.to_bytes(4, "big", signed=True))
    return None

def _become(request, streams):
    for number, stream in enumerate(streams, 1):
        _os.dup2(stream, number)
        _os.close(stream)
    _os.chdir(request["folder"])
    _os.environ.clear()
    _os.environ.update(request["environment"])
    _sys.argv = ["-c", *request["arguments"]]
    main = _sys.modules["__main__"] = _types.ModuleType("__main__")
    main.__annotations__ = {{}}
    try:
        exec(compile(request["code"], "<string>", "exec"), main.__dict__)
    except SystemExit as leaving:
        if not isinstance(leaving.code, int):
            raise
        _end(leaving.code)

def _end(status):
    # As Python ends, but that it takes no library apart: for that, a fork would copy all of its memory.
    _threading._shutdown()
    _atexit._run_exitfuncs()
    _sys.stdout.flush()
    _sys.stderr.flush()
    _os._exit(status & 0xFF)

_gc.freeze()
_gc.enable()
_asked = _serve(_socket.socket(fileno={socket}))
if _asked:
    _become(*_asked)
"""


class Forking:
    """A process that waits for programs and runs each in a fork of itself.

    Args:
        preparation: Python code that imports what all programs need.
        environment: the environment in which Python starts.
    """

    def __init__(self, preparation: str, environment: Mapping[str, str]) -> None:
        self._socket, other_end = socket.socketpair()
        code = SERVER.format(preparation=preparation, socket=other_end.fileno())
        self._process = subprocess.Popen(
            [sys.executable, "-c", code],
            stdin=subprocess.DEVNULL,
            env=environment,
            pass_fds=[other_end.fileno()],
        )
        other_end.close()

    def run(
        self, code: str, arguments: Sequence[str], folder: Path, environment: Mapping[str, str]
    ) -> subprocess.CompletedProcess[bytes]:
        """Run a program to its end, and keep what it writes."""
        request = {
            "code": code,
            "arguments": list(arguments),
            "folder": str(folder),
            "environment": dict(environment),
        }
        data = json.dumps(request).encode()
        with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
            self._socket.sendall(len(data).to_bytes(4, "big"))
            socket.send_fds(self._socket, [b"\0"], [out.fileno(), err.fileno()])
            self._socket.sendall(data)
            status = self._socket.recv(4, socket.MSG_WAITALL)
            assert len(status) == 4, "the process that forks has ended"
            out.seek(0)
            err.seek(0)
            return subprocess.CompletedProcess(
                [sys.executable, "-c", code, *arguments],
                int.from_bytes(status, "big", signed=True),
                out.read(),
                err.read(),
            )

    def close(self) -> None:
        """End the process."""
        self._socket.close()
        self._process.wait()


def run_forked(
    preparation: str, code: str, arguments: Sequence[str], folder: Path, environment: Mapping[str, str]
) -> subprocess.CompletedProcess[bytes]:
    """Run a program in a fork of a process that is kept for this preparation.

    Python reads some variables only when it starts: programs share a process if these are the same.
    """
    at_start = {name: value for name, value in environment.items() if name.startswith("PYTHON")}
    forking = _forking(preparation, os.getpid(), tuple(sorted(at_start.items())))
    return forking.run(code, arguments, folder, environment)


@functools.cache
def _forking(preparation: str, owner: int, at_start: tuple[tuple[str, str], ...]) -> Forking:
    """Start the process; forks of the tests (another owner) start one of their own."""
    others = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}
    forking = Forking(preparation, {**others, **dict(at_start)})
    atexit.register(forking.close)
    return forking
