"""Fingerprints: what was handed in, and what graded it. Equal fingerprints make a grade reusable."""

from __future__ import annotations

import hashlib
import sys
from collections.abc import Iterable, Iterator, Sequence
from importlib.metadata import version
from pathlib import Path

from autograder.homework.course import LIBRARIES, TELLING, Course
from autograder.submissions.archive import read_files
from autograder.submissions.model import Part, ReadResult

PACKAGE = Path(__file__).resolve().parents[1]


def fingerprint_submission(path: Path, parts: Sequence[Part] = ()) -> str:
    """Return a hash of an entry's names and bytes; an unreadable file counts by its name alone.

    Of an entry that is gathered from ``parts``, what a grader reads of them counts.
    """
    if parts:
        return _fingerprint_read(read_files(path, *parts))
    files = [path] if path.is_file() else sorted(p for p in path.rglob("*") if p.is_file())
    return _digest((str(file.relative_to(path.parent)), file) for file in files)


def _fingerprint_read(read: ReadResult) -> str:
    total = hashlib.sha256(repr((read.problems, read.others, read.other_names)).encode())
    for file in read.files:
        total.update(file.path.encode() + b"\0" + hashlib.sha256(file.data).digest())
    return total.hexdigest()


def fingerprint_graders(course: Course, seed: int, homeworks: Iterable[str]) -> str:
    """Return a hash of what decides a grade: engine, checks, cases, reference outputs, libraries, seed."""
    roots = (PACKAGE, course.solutions, course.reference_outputs)
    files = (
        (str(file.relative_to(root.parent)), file)
        for root in roots
        for file in sorted(root.rglob("*"))
        if file.is_file() and file.suffix in (".py", ".toml", ".json") and _decides(file, course)
    )
    settings = f"{seed} {sorted(homeworks)} {sys.version} {[version(name) for name in LIBRARIES]}"
    return hashlib.sha256((_digest(files) + settings).encode()).hexdigest()


def _decides(file: Path, course: Course) -> bool:
    return file.name not in TELLING or file.parent.parent != course.solutions


def _digest(files: Iterable[tuple[str, Path]]) -> str:
    total = hashlib.sha256()
    for name, file in files:
        content = hashlib.sha256()
        for chunk in _chunks(file):
            content.update(chunk)
        total.update(name.encode("utf-8", "surrogateescape") + b"\0" + content.digest())
    return total.hexdigest()


def _chunks(file: Path) -> Iterator[bytes]:
    try:
        with file.open("rb") as stream:
            while chunk := stream.read(1 << 20):
                yield chunk
    except OSError as error:
        yield f"unreadable: {error.errno}".encode()
