"""The files of one homework in ``reference_outputs/``: a manifest and two safetensors files.

``manifest.json`` names every case with its call, its tolerance, what the tolerance rests on (see
``known.Evidence``) and the shapes of its expected arrays. It holds the tolerances of fresh cases, the
seed, the library versions and the SHA-256 of the two array files. Writing the same content twice gives the
same bytes.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgspec
from msgspec.structs import asdict
from safetensors import SafetensorError
from safetensors.numpy import load, save

from autograder.course.cases import Group
from autograder.course.course import Course
from autograder.course.homework import CourseError, Homework
from autograder.course.schema import Record, read_json
from autograder.verdict.known import (
    Evidence,
    FreshTolerance,
    FreshTolerances,
    KnownCase,
    read_known,
)
from autograder.worker.wire import Array, Bag

MANIFEST = "manifest.json"
INPUTS = "inputs.safetensors"
EXPECTED = "expected.safetensors"
BUILD = "run `autograder reference build`"
REPAIR = f"take it back from version control, or delete {{index}} and {BUILD}"


class CaseEntry(Record):
    """One case in the manifest; calls, expected values and gradients refer to arrays of the two files."""

    id: str
    name: str
    group: Group
    topic: str
    tolerance: float
    evidence: Evidence | None
    shapes: Any
    call: Any
    expected: Any
    gradients: Any


class Manifest(Record):
    """The content of ``manifest.json``.

    ``fresh`` holds the tolerances of fresh cases, ``made_from`` digests of the files it was built from.
    """

    homework: str
    seed: int
    versions: dict[str, str]
    sha256: dict[str, str]
    fresh: dict[str, FreshTolerance]
    cases: tuple[CaseEntry, ...]
    made_from: dict[str, str] = msgspec.field(default_factory=dict)


@dataclass(frozen=True)
class Store:
    """The folder of one homework's reference outputs."""

    folder: Path

    def exists(self) -> bool:
        """Return whether anything has been built here."""
        return (self.folder / MANIFEST).is_file()

    def read(self) -> list[KnownCase]:
        """Read all stored cases.

        Raises:
            CourseError: a file is missing or not as the manifest says.
        """
        manifest = self.manifest()
        sums = manifest.sha256
        inputs = read_arrays(self.folder / INPUTS, sums.get(INPUTS), MANIFEST)
        expected = read_arrays(self.folder / EXPECTED, sums.get(EXPECTED), MANIFEST)
        with damage_named(self.folder / MANIFEST):
            cases = []
            for entry in manifest.cases:
                case = read_known(asdict(entry), inputs, expected, entry.evidence)
                cases.append(case)
            return cases

    def manifest(self) -> Manifest:
        """Read the manifest; ``CourseError`` where it is missing or malformed."""
        if not self.exists():
            raise CourseError(f"{self.folder / MANIFEST} is missing: {BUILD}")
        with damage_named(self.folder / MANIFEST):
            return read_json(self.folder / MANIFEST, Manifest)

    def fresh_tolerances(self) -> FreshTolerances:
        return self.manifest().fresh


def open_store(course: Course, homework: Homework) -> Store:
    """Return the store of a homework."""
    return Store(course.reference_outputs / homework.folder.name)


# Any index and its arrays; the outputs of mutants are stored in the same way


def write_arrays(path: Path, arrays: Bag) -> str:
    """Write a safetensors file and return its SHA-256."""
    data = save(arrays)
    path.write_bytes(data)
    return hashlib.sha256(data).hexdigest()


def read_arrays(path: Path, sha256: str | None, index: str) -> dict[str, Array]:
    """Read a safetensors file; ``CourseError`` where it is missing, or has not this SHA-256."""
    repair = REPAIR.format(index=index)
    if not path.is_file():
        raise CourseError(f"{path} is missing: {repair}")
    data = path.read_bytes()
    if hashlib.sha256(data).hexdigest() != sha256:
        raise CourseError(f"{path} is not the file that {index} describes: {repair}")
    try:
        return load(data)
    except SafetensorError as error:
        raise CourseError(
            f"{path} is not a safetensors file ({error}): {repair}"
        ) from error


def write_index(path: Path, index: Record) -> None:
    """Write an index as JSON that a person can review; equal content gives equal bytes."""
    text = json.dumps(
        msgspec.to_builtins(index, enc_hook=float), indent=1, ensure_ascii=False
    )
    path.write_text(text + "\n", encoding="utf-8", newline="\n")


@contextmanager
def damage_named(index: Path) -> Iterator[None]:
    """Turn whatever reading an index raises into a ``CourseError`` with the remedy."""
    repair = REPAIR.format(index=index.name)
    try:
        yield
    except CourseError as error:
        raise CourseError(f"{error}; {repair}") from error
    except (LookupError, TypeError, ValueError) as error:
        raise CourseError(
            f"{index} is malformed ({type(error).__name__}: {error}); {repair}"
        ) from error
