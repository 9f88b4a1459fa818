"""The files read from one submission so far, and the limits on how much more may be read."""

from __future__ import annotations

import itertools
from typing import IO

from autograder.intake.naming import (
    SUBMISSION_ENDINGS,
    displayed,
    ending,
    printable,
    shortened,
)
from autograder.intake.submission import Problem, ReadResult, SourceFile

MAX_FILE_BYTES = 20 << 20
MAX_TOTAL_BYTES = 64 << 20
MAX_FILES = 2000
MAX_ENTRIES = 50_000
MAX_PATH_LETTERS = 1000
MAX_FOLDER_DEPTH = 16
MAX_ZIP_DEPTH = 3

_CHUNK = 1 << 16
_MAX_NAMES = 5
_OTHER_ARCHIVES = frozenset(
    {".7z", ".bz2", ".gz", ".rar", ".tar", ".tgz", ".xz", ".zst"}
)
_ADDED_ENDINGS = (".txt", ".json", ".download")
_HIDDEN_ENDINGS = tuple(
    kind + added
    for kind, added in itertools.product(SUBMISSION_ENDINGS, _ADDED_ENDINGS)
)


class Intake:
    """Collects the files of one submission under limits; every refusal becomes a problem."""

    def __init__(self) -> None:
        self._files: dict[str, bytes] = {}
        self._problems: list[Problem] = []
        self._others = 0
        self._other_names: list[str] = []
        self._looked_at = 0
        self._stopped = False
        self._bytes_left = MAX_TOTAL_BYTES
        self.entries_left = MAX_ENTRIES

    def problem(self, text: str, path: str = "", remedy: str = "") -> None:
        """Record a problem of the submission, or of a path in it; the first twenty are reported.

        ``text`` is for the student, ``remedy`` is what the staff can do besides.
        """
        if path:
            self._problems.append(Problem.of(path, text, remedy))
        else:
            self._problems.append(Problem(text, remedy, text))

    def admits(self, entries: int = 1) -> bool:
        """Count entries of folders and zips, read or not, and say whether they are within the limit.

        Going over it is reported once.
        """
        if self.entries_left >= entries:
            self.entries_left -= entries
            return True
        if self.entries_left >= 0:
            self.problem(
                f"there are more than {MAX_ENTRIES:,} files: the rest was left out"
            )
        self.entries_left = -1
        return False

    def wants(self, path: str) -> bool:
        """Return whether a file is to be read; other files are counted or, over the limit, left out."""
        if len(path) > MAX_PATH_LETTERS:
            self.problem(
                "has too long a path and was left out: move the homework's files up",
                path,
            )
            return False
        if ending(path) not in SUBMISSION_ENDINGS:
            self._others += 1
            if len(self._other_names) < _MAX_NAMES:
                self._other_names.append(path)
            if ending(path) in _OTHER_ARCHIVES:
                self.problem(
                    "is not a zip and was not opened: hand in a zip, or the files",
                    path,
                    "unpack it by hand, or ask for a zip",
                )
            elif path.lower().endswith(_HIDDEN_ENDINGS):
                new_name = displayed(path.rpartition(".")[0])
                self.problem(
                    f"is not read because of its ending: rename it to {new_name}", path
                )
            return False
        if self._bytes_left <= 0:
            return self._stop(
                f"the submission unpacks to more than {MAX_TOTAL_BYTES >> 20} MiB"
            )
        if self._looked_at >= MAX_FILES:
            return self._stop(
                f"the submission holds more than {MAX_FILES:,} files to read"
            )
        self._looked_at += 1
        return True

    def _stop(self, reason: str) -> bool:
        if not self._stopped:
            self.problem(
                f"{reason}: the rest was left out; keep only the homework's own files in it"
            )
        self._stopped = True
        return False

    def read(self, stream: IO[bytes], path: str, declared: int) -> bytes | None:
        """Return the bytes of one file, or None with a problem; bytes of a refused file count as well.

        Args:
            stream: the file, or the member of a zip.
            path: its path in the submission.
            declared: its size as the system or the zip says, which may be false.
        """
        limit = self._bytes_left
        remedy = ""
        refusal = (
            "was left out, because the submission unpacks to more than "
            f"{MAX_TOTAL_BYTES >> 20} MiB: keep only the homework's files in it"
        )
        if ending(path) != ".zip" and self._bytes_left > MAX_FILE_BYTES:
            limit = MAX_FILE_BYTES
            remedy = "ask for it without its outputs"
            refusal = f"is larger than {MAX_FILE_BYTES >> 20} MiB and was left out: clear its outputs"
        data = bytearray()
        while max(declared, len(data)) <= limit:
            chunk = stream.read(_CHUNK)
            if not chunk:
                return bytes(data)
            data += chunk
            self._bytes_left -= len(chunk)
        self.problem(refusal, path, remedy)
        return None

    def keep(self, path: str, data: bytes) -> None:
        """Keep a file's bytes under its path, made printable."""
        clean = printable(path)
        if clean != path:
            self.problem(
                f"has odd characters in its name: it was read as {displayed(clean)}",
                path,
            )
        if self._files.get(clean, data) != data:
            self.problem(
                "is in the submission twice, with different contents: the last one was read; "
                "hand in one of them",
                clean,
                "ask which one counts",
            )
        self._files[clean] = data

    def result(self) -> ReadResult:
        """Return the files in the order of their paths, and the problems."""
        return ReadResult(
            files=tuple(
                SourceFile(path, data) for path, data in sorted(self._files.items())
            ),
            problems=shortened(self._problems, "problems of this submission", Problem),
            others=self._others,
            other_names=tuple(map(printable, self._other_names)),
        )
