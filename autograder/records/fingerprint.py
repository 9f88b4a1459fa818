"""Fingerprints: what was handed in, and what graded it. Equal fingerprints make a grade reusable."""

from __future__ import annotations

import hashlib
import sys
from collections.abc import Iterable, Sequence
from importlib.metadata import version
from pathlib import Path

from autograder.course import LIBRARIES, TELLING, Course
from autograder.intake import Part, read_files

PACKAGE = Path(__file__).resolve().parents[1]


def fingerprint_submission(path: Path, parts: Sequence[Part] = ()) -> str:
    """Return a hash of what a grader reads of an entry, under the same limits, and of what it refuses."""
    read = read_files(path, *parts)
    told = ("" if parts else path.name, read.problems, read.others, read.other_names)
    total = hashlib.sha256(repr(told).encode())
    for file in read.files:
        total.update(file.path.encode() + b"\0" + hashlib.sha256(file.data).digest())
    return total.hexdigest()


def fingerprint_graders(course: Course, seed: int, homeworks: Iterable[str]) -> str:
    """Return a hash of what decides a grade: engine, checks, cases, reference outputs, libraries, seed."""
    roots = (PACKAGE, course.solutions, course.reference_outputs)
    total = hashlib.sha256()
    for root in roots:
        for file in sorted(root.rglob("*")):
            only_tells = file.name in TELLING and file.parent.parent == course.solutions
            if file.is_file() and file.suffix in (".py", ".toml", ".json") and not only_tells:
                name = str(file.relative_to(root.parent))
                total.update(name.encode() + b"\0" + hashlib.sha256(file.read_bytes()).digest())
    settings = f"{seed} {sorted(homeworks)} {sys.version} {[version(name) for name in LIBRARIES]}"
    return hashlib.sha256((total.hexdigest() + settings).encode()).hexdigest()
