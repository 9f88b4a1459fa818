"""Ctrl-C during a batch: the first one lets what is under way finish, the second one ends at once."""

from __future__ import annotations

import os
import signal
import sys
import threading
import types

INTERRUPTED = 130
FIRST = "note: finishing what is under way; Ctrl-C again stops at once\n"
SHOW_CURSOR = "\x1b[?25h"


class Interrupt:
    """Listens for Ctrl-C; a context manager.

    Only the main thread can listen, and what was started to ignore Ctrl-C goes on ignoring it.
    """

    def __init__(self) -> None:
        self.asked = False

    def go_on(self) -> bool:
        """Whether nobody has pressed Ctrl-C yet."""
        return not self.asked

    def __enter__(self) -> Interrupt:
        in_main_thread = threading.current_thread() is threading.main_thread()
        self._listens = in_main_thread and signal.getsignal(signal.SIGINT) is not signal.SIG_IGN
        if self._listens:
            self._before = signal.signal(signal.SIGINT, self._hear)
        return self

    def __exit__(self, *exc_info: object) -> None:
        if self._listens:
            signal.signal(signal.SIGINT, self._before)

    def _hear(self, number: int, frame: types.FrameType | None) -> None:
        """Say what happens past all buffers, for the signal may have come in the middle of a line.

        Ending at once is safe: every grade is committed when it is known, and sandboxes and worker
        processes end when this process is gone.
        """
        if self.asked:
            os.write(2, SHOW_CURSOR.encode() if sys.stderr.isatty() else b"")
            os._exit(INTERRUPTED)
        self.asked = True
        os.write(2, FIRST.encode())
