"""The files read from one submission so far, and the limits on how much more may be read."""

from __future__ import annotations

import itertools
from typing import IO

from autograder.intake.naming import SUBMISSION_ENDINGS, ending, shortened
from autograder.intake.submission import Problem, ReadResult, SourceFile
from autograder.untrusted_text import name_in_message, name_to_store

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
        self._started_files = 0
        self._stopped = False
        self._bytes_left = MAX_TOTAL_BYTES
        self.entries_left = MAX_ENTRIES
        self._has_reported_entries = False

    def report(self, text: str, path: str = "", remedy: str = "") -> None:
        """Record a problem of the submission, or of a path in it; the first twenty are shown.

        Args:
            text: for the student. With a path it begins with a verb, because the path is put in front of it;
                otherwise it is a sentence.
            path: the file or folder.
            remedy: what the staff can do besides.
        """
        if path:
            self._problems.append(Problem.of(path, text, remedy))
        else:
            self._problems.append(Problem(text, remedy, text))

    def count_entries(self, count: int) -> bool:
        """Count entries of a folder or zip, read or not; return whether all so far are within the limit.

        The first ones beyond it are reported.
        """
        if count <= self.entries_left:
            self.entries_left -= count
            return True
        if not self._has_reported_entries:
            self.report(
                f"there are more than {MAX_ENTRIES:,} files: the rest was left out"
            )
        self._has_reported_entries = True
        self.entries_left = 0
        return False

    def start_file(self, path: str) -> bool:
        """Count a file that may be read, and return whether to read it.

        A file of another kind is counted apart; a file beyond a limit is reported and left out.
        """
        if len(path) > MAX_PATH_LETTERS:
            self.report(
                "has too long a path and was left out: move the homework's files up",
                path,
            )
            return False
        if ending(path) not in SUBMISSION_ENDINGS:
            self._others += 1
            if len(self._other_names) < _MAX_NAMES:
                self._other_names.append(path)
            if ending(path) in _OTHER_ARCHIVES:
                self.report(
                    "is not a zip and was not opened: hand in a zip, or the files",
                    path,
                    "unpack it by hand, or ask for a zip",
                )
            elif path.lower().endswith(_HIDDEN_ENDINGS):
                new_name = name_in_message(path.rpartition(".")[0])
                self.report(
                    f"is not read because of its ending: rename it to {new_name}", path
                )
            return False
        if self._bytes_left <= 0:
            return self._stop(
                f"the submission unpacks to more than {MAX_TOTAL_BYTES >> 20} MiB"
            )
        if self._started_files >= MAX_FILES:
            return self._stop(
                f"the submission holds more than {MAX_FILES:,} files to read"
            )
        self._started_files += 1
        return True

    def _stop(self, reason: str) -> bool:
        """Report, once, that a limit on the whole submission is reached, and return that no file is read."""
        if not self._stopped:
            self.report(
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
        self.report(refusal, path, remedy)
        return None

    def keep(self, path: str, data: bytes) -> None:
        """Keep a file's bytes under its path, made printable."""
        clean = name_to_store(path)
        if clean != path:
            self.report(
                f"has odd characters in its name: it was read as {name_in_message(clean)}",
                path,
            )
        if self._files.get(clean, data) != data:
            self.report(
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
            other_names=tuple(map(name_to_store, self._other_names)),
        )
