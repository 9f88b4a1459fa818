"""``python check.py --watch``: the table again after each save, hints in steps, and keys.

A second process checks the work, so that code which hangs, crashes or leaves threads behind takes nothing
with it, and keys work meanwhile. It is kept from check to check, since it takes long to start.
"""

from __future__ import annotations

import contextlib
import importlib
import os
import pickle
import re
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Collection, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from autograder.language import say
from autograder.student.find import bytes_digest, find_work, own_files
from autograder.student.homework import open_homework
from autograder.student.judge import Report
from autograder.student.load import check_work
from autograder.student.table import ALL_STEPS, Style, first_thing_to_fix, render
from autograder.verdict.checks import Outcome

CLEAR = "\033[2J\033[H"
REWRITE = "\r\033[K"
NO_WRAP = "\033[?7l"
WRAP = "\033[?7h"
SPECIAL = re.compile(r"\033(?:[\[O][0-?]*[ -/]*[@-~])?")
"""What arrows and the like send, whose end could be taken for a letter."""
KEYS = "r run · a all · h hint · q quit"
TICK = 0.05
"""Seconds between two looks at the files."""
SETTLED = 0.3
"""Seconds after which a file that is gone or empty is so for good."""
PATIENCE = 1.0
"""Seconds after which a check is given up for a newer save."""
ENDED = "no answer: it hangs, crashes or quits Python"
SERVE = "import sys; sys.path[:] = {path!r}; from autograder.student.watch import serve; serve(sys.argv[1:])"


def watch(
    folder: Path, chosen: str | None, checks: Collection[str], style: Style, every: bool
) -> int:
    """Check now and after each save, until ``q`` or Ctrl-C; return the exit status."""
    with keyboard() as keys:
        checker = Checker(str(folder), chosen or "", *checks)
        steps = 0 if keys else ALL_STEPS  # without keys, nobody can ask for more
        with contextlib.suppress(KeyboardInterrupt), contextlib.closing(checker):
            Watching(checker, Files(folder), style, every, keys, steps=steps).run()
    print(style.fit("\n" + say("stopped watching")), file=sys.stderr)
    return 0


def serve(arguments: list[str]) -> None:
    """Answer each line of the input with a report; what else the work reads and prints leads nowhere."""
    folder, chosen, *checks = arguments
    requests = os.fdopen(os.dup(0), "rb")
    replies = os.fdopen(os.dup(1), "wb")
    nowhere = os.open(os.devnull, os.O_RDWR)
    os.dup2(nowhere, 0)
    os.dup2(nowhere, 1)
    public = open_homework(Path(folder))
    for _ in requests:
        report = check_work(public, find_work(public, Path(folder), chosen or None))
        pickle.dump(replace(report.only(checks), raised={}), replies)
        replies.flush()


class Checker:
    """The process that checks; it is started where there is none."""

    def __init__(self, *arguments: str) -> None:
        self._arguments = arguments
        self._process: subprocess.Popen[bytes] | None = None
        self._reader = ThreadPoolExecutor(1)
        self._reply: Future[Report] = Future()
        self.since = 0.0  # when it was asked what it has not answered

    def ask(self) -> None:
        """Have the work checked; a check that has not ended yet is given up."""
        if self.since or self._process is None or self._process.poll() is not None:
            self.close()
            program = SERVE.format(path=sys.path)
            own_group: Any = {"start_new_session": True}  # Ctrl-C is not for it
            if sys.platform == "win32":
                own_group = {"creationflags": subprocess.CREATE_NEW_PROCESS_GROUP}
            self._process = subprocess.Popen(
                [sys.executable, "-c", program, *self._arguments],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                **own_group,
            )
        assert self._process.stdin is not None, "it is a pipe"
        assert self._process.stdout is not None, "it is a pipe"
        with contextlib.suppress(OSError):  # if it has ended, an answer says so
            self._process.stdin.write(b"\n")
            self._process.stdin.flush()
        self._reply = self._reader.submit(pickle.load, self._process.stdout)
        self.since = time.monotonic()

    def answers(self) -> Iterator[Report | None]:
        """Yield the report where it has come; None says that the process ended instead."""
        if self.since and self._reply.done():
            self.since = 0.0
            report = None if self._reply.exception() else self._reply.result()
            if report is None:
                self.close()
            yield report

    def close(self) -> None:
        """End the process."""
        if self._process is not None:
            with contextlib.suppress(OSError), self._process:
                self._process.kill()
        self._process = None
        self.since = 0.0


class Files:
    """The student's files as they were when they last changed."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._facts: dict[str, tuple[int, int, int]] = {}
        self._texts: dict[str, str] = {}
        self._lost = 0.0

    def changed(self) -> bool:
        """Return whether a file's text has changed; a file that an editor is still writing is waited for."""
        try:
            facts = {}
            is_fresh = False
            for name in own_files(self._folder):
                stat = (self._folder / name).stat()
                if stat.st_size:
                    facts[name] = (stat.st_mtime_ns, stat.st_size, stat.st_ino)
                # Clocks tick slowly: a file may change twice within one tick.
                is_fresh |= abs(time.time() - stat.st_mtime) < 1
            if facts == self._facts and not is_fresh:
                return False
            texts = {}
            for name in facts:
                texts[name] = bytes_digest((self._folder / name).read_bytes())
        except OSError:  # between two steps of a save
            return False

        # A file that is gone or empty is given time: an editor may be writing it.
        now = time.monotonic()
        if self._texts.keys() - texts.keys():
            self._lost = self._lost or now
            if now - self._lost < SETTLED:
                return False
        else:
            self._lost = 0.0
        is_new = texts != self._texts
        self._facts = facts
        self._texts = texts
        return is_new


@dataclass
class Watching:
    """The state of watch mode, and the screen that shows it."""

    checker: Checker
    files: Files
    style: Style
    every: bool
    keys: Callable[[float], str] | None
    report: Report | None = None
    before: Report | None = None
    steps: int = ALL_STEPS
    news: str = ""

    def run(self) -> None:
        """Look for saves, keys, reports and another size of the window, by turns."""
        size = shutil.get_terminal_size()
        while True:
            seconds = TICK / 4 if self.checker.since else TICK
            pressed = ""
            if self.keys is not None:
                pressed = self.keys(seconds)
            else:
                time.sleep(seconds)
            if "q" in pressed:
                return
            for key in pressed:
                self._press(key)
            waited = time.monotonic() - self.checker.since
            is_waiting = self.checker.since and waited < PATIENCE
            if not is_waiting and self.files.changed():
                self.before = self.report
                self._check()
            for report in self.checker.answers():
                self._take(report)
            if shutil.get_terminal_size() != size:
                size = shutil.get_terminal_size()
                self._draw()

    def _press(self, key: str) -> None:
        if key in "r\r\n":
            self._check()
        elif key == "a":
            self.every = not self.every
        elif key == "h":
            self.steps = (self.steps + 1) % (ALL_STEPS + 1)
        if key in "ah\f":
            self._draw()

    def _check(self) -> None:
        self.checker.ask()
        self.news = say("running…")
        if sys.stdout.isatty():
            self._write(REWRITE + self._footer())

    def _take(self, report: Report | None) -> None:
        """Show a report; hints begin anew where another thing is to be fixed first."""
        if report is None:
            self.news = say(ENDED)
        else:
            if self.keys and self.report:
                todo_before = first_thing_to_fix(self.report)
                if first_thing_to_fix(report) != todo_before:
                    self.steps = 0
            self.report = report
            self.news = changes(self.before, report)
        self._draw()

    def _draw(self) -> None:
        columns = shutil.get_terminal_size().columns
        style = replace(self.style, width=columns)
        table = ""
        if self.report:
            table = render(self.report, style, self.every, self.steps) + "\n\n"
        if sys.stdout.isatty():
            self._write(f"{CLEAR}{NO_WRAP}{table}{WRAP}{self._footer()}")
        else:
            self._write(f"{table}{self._footer()}\n")

    def _footer(self) -> str:
        """Return one line: the keys, and the current state."""
        parts = []
        if self.keys:
            parts.append(say(KEYS))
        if self.news:
            parts.append(self.news)
        line = "   ".join(parts)
        if sys.stdout.isatty():
            return line[: shutil.get_terminal_size().columns - 1]
        return line

    def _write(self, text: str) -> None:
        print(self.style.fit(text), end="", flush=True)


def changes(before: Report | None, after: Report) -> str:
    """Say how many more checks pass than before, and how many that passed do not."""
    if before is None:
        return ""
    passed_before = _passed(before)
    passed_now = _passed(after)
    gained = len(passed_now - passed_before)
    lost = len(passed_before - passed_now)
    parts = []
    if gained:
        parts.append(f"+{gained} ✓")
    if lost:
        parts.append(f"−{lost} ✗")
    return say(
        "{changes} since the last save",
        changes=" ".join(parts) or say("nothing changed"),
    )


def _passed(report: Report) -> set[str]:
    passed = set()
    for check in report.results:
        if check.outcome is Outcome.PASSED:
            passed.add(check.check)
    return passed


@contextlib.contextmanager
def keyboard() -> Iterator[Callable[[float], str] | None]:
    """Yield a function that waits so many seconds for keys and returns them; None without a terminal.

    However this ends or is stopped, the terminal is then as it was before.
    """
    if not (sys.stdin.isatty() and sys.stdout.isatty()):
        yield None
    elif sys.platform == "win32":
        yield _windows_keys
    else:
        with _posix_keys() as keys:
            yield keys


def _windows_keys(seconds: float) -> str:
    msvcrt: Any = importlib.import_module("msvcrt")
    end = time.monotonic() + seconds
    while not msvcrt.kbhit() and time.monotonic() < end:
        time.sleep(TICK / 8)
    pressed = ""
    while msvcrt.kbhit():
        key = msvcrt.getwch()
        if key in "\0\xe0":
            # An arrow or the like: its second half could be taken for a letter.
            msvcrt.getwch()
        elif key == "\x03":
            pressed += "q"
        else:
            pressed += key
    return pressed.lower()


@contextlib.contextmanager
def _posix_keys() -> Iterator[Callable[[float], str]]:
    import select
    import signal
    import termios
    import tty

    terminal = sys.stdin.fileno()
    before = termios.tcgetattr(terminal)
    keys_to_come = [""]

    def read(seconds: float) -> str:
        pressed = keys_to_come[0]
        keys_to_come[0] = ""
        if pressed:
            return pressed
        readable, _, _ = select.select([terminal], [], [], seconds)
        if not readable:
            return ""
        try:
            data = os.read(terminal, 1024)
            termios.tcgetattr(terminal)
        except (OSError, termios.error):  # the window was closed
            return "q"
        return SPECIAL.sub("", data.decode("ascii", "ignore")).lower()

    def listen() -> None:
        tty.setcbreak(terminal)
        settings = termios.tcgetattr(terminal)
        # Wait for no key that the shell has taken meanwhile.
        settings[6][termios.VMIN] = 0
        termios.tcsetattr(terminal, termios.TCSADRAIN, settings)

    def pause(*args: object) -> None:
        termios.tcsetattr(terminal, termios.TCSADRAIN, before)
        signal.signal(signal.SIGTSTP, signal.SIG_DFL)
        os.kill(os.getpid(), signal.SIGTSTP)  # it goes on here after `fg`
        signal.signal(signal.SIGTSTP, pause)
        listen()
        keys_to_come[0] = "\f"

    def leave(number: int, frame: object) -> None:
        sys.exit(128 + number)

    handlers: dict[int, Any] = {
        signal.SIGTSTP: pause,
        signal.SIGTERM: leave,
        signal.SIGHUP: leave,
    }
    former = {}
    for number, handler in handlers.items():
        former[number] = signal.signal(number, handler)
    try:
        listen()
        yield read
    finally:
        termios.tcsetattr(terminal, termios.TCSADRAIN, before)
        for number, handler in former.items():
            signal.signal(number, handler)
