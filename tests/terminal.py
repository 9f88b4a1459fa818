"""A program on a terminal of its own, as a person sees it: what it shows, keys for it, signals to it."""

from __future__ import annotations

import fcntl
import os
import pty
import select
import struct
import subprocess
import termios
import time
from collections.abc import Sequence
from pathlib import Path

PATIENCE = 60
ENVIRONMENT = {
    **{name: value for name, value in os.environ.items() if name not in ("COLUMNS", "LINES")},  # of xdist
    "TERM": "xterm",
    "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1",
    "PYTHONUTF8": "1",
}


class Terminal:
    """A running program; ``shown`` is what it has written and nobody has waited for yet."""

    def __init__(self, command: Sequence[str], cwd: Path, rows: int = 24, columns: int = 80) -> None:
        self.master, self.slave = pty.openpty()
        self.resize(rows, columns)
        self.settings = termios.tcgetattr(self.slave)
        self.shown = ""
        self.process = subprocess.Popen(
            command,
            cwd=cwd,
            stdin=self.slave,
            stdout=self.slave,
            stderr=self.slave,
            env=ENVIRONMENT,
            preexec_fn=self._take_over,
        )

    def __enter__(self) -> Terminal:
        return self

    def __exit__(self, *error: object) -> None:
        self.process.kill()
        self.process.wait()
        os.close(self.master)
        os.close(self.slave)

    def resize(self, rows: int, columns: int) -> None:
        fcntl.ioctl(self.slave, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))

    def press(self, keys: str) -> None:
        os.write(self.master, keys.encode())

    def until(self, text: str) -> str:
        """Wait until a text is shown; return what was shown up to its end."""
        ends = time.monotonic() + PATIENCE
        while text not in self.shown:
            assert time.monotonic() < ends, f"no {text!r} in {self.shown!r}"
            if select.select([self.master], [], [], 0.1)[0]:
                self.shown += os.read(self.master, 65536).decode("utf-8", "replace")
            elif self.process.poll() is not None:
                raise AssertionError(f"it ended without {text!r}: {self.shown!r}")
        before, match, self.shown = self.shown.partition(text)
        return before + match

    def ends_within(self, seconds: float) -> bool:
        """Wait for the end, and read meanwhile: a program that sets a terminal back waits until it is read."""
        ends = time.monotonic() + seconds
        while self.process.poll() is None and time.monotonic() < ends:
            if select.select([self.master], [], [], 0.1)[0]:
                self.shown += os.read(self.master, 65536).decode("utf-8", "replace")
        return self.process.poll() is not None

    def ended(self) -> int:
        """Wait for the end; return the exit status. The terminal is then as it was before."""
        assert self.ends_within(PATIENCE), f"it did not end: {self.shown!r}"
        status = self.process.wait()
        assert termios.tcgetattr(self.slave) == self.settings
        return status

    def _take_over(self) -> None:
        os.setsid()
        fcntl.ioctl(0, termios.TIOCSCTTY, 0)
