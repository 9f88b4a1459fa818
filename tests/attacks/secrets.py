"""Secrets planted where the trusted side lives, and the search for them in all that came out."""

import itertools
import os
import re
import socket
import uuid
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from autograder.sandbox.report import RunReport
from autograder.verdict.arrays import as_array
from autograder.verdict.known import KnownCase
from autograder.worker.wire import Array, Tensor

MARKER = "attack-marker-"  # followed by 32 hexadecimal digits, which no attack's own source contains
VARIABLE = "ATTENTION_KIT_SECRET"
WRITABLE_FOLDERS = ("/tmp", "/var/tmp", "/dev/shm", "/run", "/")


@dataclass(frozen=True)
class Secrets:
    """The planted markers, and the places that attacks are told of."""

    marker: str
    in_memory: bytearray
    places: Mapping[str, str]
    listeners: Sequence[socket.socket]
    left_behind: str

    def found_in(self, reports: Sequence[RunReport]) -> list[str]:
        """Return every text and array that carries the marker or says that something was got."""
        texts = [text for report in reports for text in _texts(report) if self.marker in text]
        return texts + [
            report.output for report in reports if re.search(r"^GOT", report.output, re.MULTILINE)
        ]

    def contacts(self) -> int:
        """Return how many connections and messages reached this process over the network."""
        return sum(map(_contacts, self.listeners))

    def files_left(self) -> list[str]:
        """Return the files that an attack managed to write outside."""
        return [str(path) for folder in self._folders() for path in folder.glob(f"{self.left_behind}*")]

    def clear(self) -> None:
        """Remove what an attack left, and forget its messages, where it was let through on purpose."""
        self.contacts()
        for name in self.files_left():
            Path(name).unlink()

    def _folders(self) -> Iterator[Path]:
        for name in (self.places["writable"], *WRITABLE_FOLDERS, Path.home()):
            if Path(name).is_dir():
                yield Path(name)


def expected_values_in(
    reports: Sequence[RunReport], known: Iterable[KnownCase], computed: Iterable[KnownCase] = ()
) -> list[str]:
    """Return the expected numbers, as digits or as bytes, that stand in what came out.

    Numbers that are also the answer to a case that the submission ``computed`` prove nothing, nor do those
    with few digits, which stand everywhere.
    """
    texts = "\n".join({text for report in reports for text in _texts(report)})
    numbers = {number for number in _numbers(known) - _numbers(computed) if len(repr(number)) > 12}
    needles = {repr(number): np.float64(number).tobytes().decode("latin-1") for number in numbers}
    return [digits for digits, raw in needles.items() if digits in texts or raw in texts]


def _numbers(known: Iterable[KnownCase]) -> set[float]:
    return {
        float(number) for known_case in known for part in _arrays(known_case.expected) for number in part.flat
    }


def _arrays(expected: Any) -> Iterator[Array]:
    for part in expected if isinstance(expected, tuple | list) else [expected]:
        array = as_array(part)
        if array is not None:
            yield array


@contextmanager
def plant(folder: Path, root: Path) -> Iterator[Secrets]:
    """Put a marker into a readable file, the environment and this process's memory."""
    marker = MARKER + uuid.uuid4().hex
    (folder / "secret.txt").write_text(marker, encoding="utf-8")
    np.save(folder / "secret.npy", np.frombuffer(marker.encode(), np.uint8))
    writable = folder / "writable"
    writable.mkdir()
    for path in (folder, writable):
        path.chmod(0o777)
    os.environ[VARIABLE] = marker
    with socket.create_server(("127.0.0.1", 0)) as tcp, socket.socket(type=socket.SOCK_DGRAM) as udp:
        udp.bind(tcp.getsockname())
        for listener in (tcp, udp):
            listener.setblocking(False)
        places = _places(folder, root, tcp.getsockname()[1])
        yield Secrets(marker, bytearray(marker.encode()), places, (tcp, udp), places["left"])
    del os.environ[VARIABLE]


def _places(folder: Path, root: Path, port: int) -> dict[str, str]:
    homework = "hw1_attention_scores"
    places = {
        "secret": folder / "secret.txt",
        "secret_array": folder / "secret.npy",
        "writable": folder / "writable",
        "root": root,
        "expected": root / "reference_outputs" / homework / "expected.safetensors",
        "manifest": root / "reference_outputs" / homework / "manifest.json",
        "solution": root / "solutions" / homework / "attention_scores.py",
        "grader": root / "solutions" / homework / f"test_{homework}.py",
        "port": port,
        "driver": os.getpid(),
        "left": f"left-by-an-attack-{uuid.uuid4().hex}",
        "marker": MARKER,
    }
    return {name: str(place) for name, place in places.items()}


def _contacts(listener: socket.socket) -> int:
    """How many connections or messages wait, none of which is left for the next attack."""
    for count in itertools.count():
        try:
            listener.accept() if listener.type == socket.SOCK_STREAM else listener.recv(99)
        except BlockingIOError:
            return count
    raise AssertionError


def _texts(report: RunReport) -> Iterator[str]:
    yield report.output
    errors = [report.load_error, *(failure.error for failure in report.stops)]
    errors += [answer.error for answer in report.answers]
    for error in filter(None, errors):
        yield error.message + error.trace
    for answer in report.answers:
        yield from _texts_of(answer.value)


def _texts_of(value: Any) -> Iterator[str]:
    """A value as text, numbers read as bytes: what an attack found may come back in any coat."""
    if isinstance(value, Tensor):
        value = value.array
    if isinstance(value, np.ndarray):
        yield value.tobytes().decode("latin-1")
        if value.size and value.dtype.kind in "iuf" and np.isfinite(value).all():
            yield np.clip(value, 0, 255).astype(np.uint8).tobytes().decode("latin-1")
    elif isinstance(value, list | tuple):
        for item in value:
            yield from _texts_of(item)
    elif isinstance(value, dict):
        yield from _texts_of(list(value.values()))
    else:
        yield str(value)
