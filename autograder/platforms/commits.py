"""Read the time of a git clone's checked-out commit from the clone's files, as data.

No git is run: the settings of a clone can name programs to run, and other places to read from. What is read
is HEAD, the branch that it names, and one commit, loose or packed, under limits and without following links.
https://git-scm.com/docs/gitformat-pack describes the files.
"""

from __future__ import annotations

import datetime as dt
import hashlib
import itertools
import os
import re
import stat
import struct
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

from autograder.intake.files import FLAGS

MAX_OBJECT_BYTES = 1 << 18
MAX_REFERENCE_BYTES = 4096
MAX_REFERENCES_BYTES = 4 << 20
MAX_PACK_FILES = 4000
MAX_DELTAS = 100
_NAME = re.compile(rb"[0-9a-f]{40}")
_COMMITTER = re.compile(rb"^committer [^\n]*> (\d{1,12}) [+-]\d{4}$", re.MULTILINE)
_INDEX, _FANOUT = b"\xfftOc\0\0\0\2", 8 + 4 * 256
_COMMIT, _BY_OFFSET, _BY_NAME = 1, 6, 7


class UnknownTimeError(ValueError):
    """The time of a clone's last commit is unknown; the message says why."""


def commit_time(clone: Path) -> dt.datetime:
    """Return when a clone's checked-out commit was made, as its committer's clock said.

    Raises:
        UnknownTimeError: there is no such commit, it cannot be read, or it is dated in the future.
    """
    top = Path(os.path.realpath(clone)) / ".git"
    try:
        if not stat.S_ISDIR(os.lstat(top).st_mode):
            raise UnknownTimeError("its .git leads elsewhere")
        header, _, _ = last_commit(top).partition(b"\n\n")
        committer = _COMMITTER.search(header)
        if committer is None:
            raise UnknownTimeError("its commit has no time")
        time = dt.datetime.fromtimestamp(int(committer[1]), dt.UTC)
    except UnknownTimeError:
        raise
    except FileNotFoundError:
        raise UnknownTimeError("it has no commit") from None
    except (OSError, OverflowError, ValueError, IndexError, struct.error, zlib.error):
        raise UnknownTimeError("its last commit cannot be read") from None
    if time > dt.datetime.now(dt.UTC):
        raise UnknownTimeError("its last commit is dated in the future")
    return time


@contextmanager
def _opened(top: Path, name: str) -> Iterator[BinaryIO]:
    """Open an ordinary file of the clone's ``.git``, never one elsewhere, and never wait for a pipe."""
    path = top / name
    if os.path.realpath(path) != str(path):
        raise ValueError(f"{name} leads elsewhere")
    with open(os.open(path, FLAGS), "rb") as file:
        if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
            raise ValueError(f"{name} is not an ordinary file")
        yield file


def _reference(top: Path, name: str) -> bytes:
    with _opened(top, name) as file:
        text = file.read(MAX_REFERENCE_BYTES)
    if len(text) == MAX_REFERENCE_BYTES:
        raise ValueError(f"{name} is too long")
    return text.strip()


def last_commit(top: Path) -> bytes:
    """Return the text of the commit that is checked out, by a branch or directly."""
    head = _reference(top, "HEAD")
    if head.startswith(b"ref: refs/"):
        branch = head.removeprefix(b"ref: ")
        try:
            head = _reference(top, branch.decode())
        except (FileNotFoundError, NotADirectoryError):
            with _opened(top, "packed-refs") as file:
                packed = file.read(MAX_REFERENCES_BYTES)
            line = re.search(
                b"^(" + _NAME.pattern + b") " + re.escape(branch) + b"$",
                packed,
                re.MULTILINE,
            )
            if line is None:
                raise FileNotFoundError from None
            head = line[1]
    if not _NAME.fullmatch(head):
        raise ValueError("HEAD names no commit")
    return commit(top, head.decode())


def commit(top: Path, name: str) -> bytes:
    """Return a commit's text, whose hash is its name."""
    kind, data = _object(top, name)
    header = b"commit %d\0" % len(data)
    digest = hashlib.sha1(header + data).hexdigest()
    if kind != _COMMIT or digest != name:
        raise ValueError(f"{name} is not a commit, or is damaged")
    return data


def _object(top: Path, name: str) -> tuple[int, bytes]:
    """Return the kind and the bytes of an object, from its own file or from a pack."""
    try:
        with _opened(top, f"objects/{name[:2]}/{name[2:]}") as file:
            compressed = file.read(MAX_OBJECT_BYTES)
        header, _, data = _inflated(compressed).partition(b"\0")
        kind = 0
        if header.startswith(b"commit "):
            kind = _COMMIT
        return kind, data
    except FileNotFoundError:
        pass
    with os.scandir(top / "objects" / "pack") as listing:
        files = [entry.name for entry in itertools.islice(listing, MAX_PACK_FILES)]
    for file_name in files:
        if not file_name.endswith(".idx"):
            continue
        pack_name = file_name.removesuffix(".idx")
        with _opened(top, f"objects/pack/{file_name}") as index:
            offset = _offset(index, bytes.fromhex(name))
            if offset is not None:
                with _opened(top, f"objects/pack/{pack_name}.pack") as pack:
                    return _packed(pack, index, offset)
    raise ValueError(f"{name} is not here")


def _offset(index: BinaryIO, name: bytes) -> int | None:
    """Return the offset of an object in a pack, from the pack's index (version 2), or None.

    The index holds a table of how many names begin with each byte or a lower one; then, for each object, a
    name of 20 bytes, a checksum of 4 and an offset of 4; then offsets of 8 bytes for large packs.
    """

    def read_at(place: int, size: int) -> bytes:
        index.seek(place)
        return index.read(size)

    if read_at(0, 8) != _INDEX:
        raise ValueError("an index is of another version")
    counts = struct.unpack(">256I", read_at(8, 4 * 256))
    objects = counts[-1]
    offsets_at = _FANOUT + 24 * objects
    large_offsets_at = _FANOUT + 28 * objects
    first_byte = name[0]
    low = 0
    if first_byte:
        low = counts[first_byte - 1]
    high = counts[first_byte]
    while low < high:  # the names are sorted
        middle = (low + high) // 2
        other = read_at(_FANOUT + 20 * middle, 20)
        if other == name:
            place = offsets_at + 4 * middle
            [offset] = struct.unpack(">I", read_at(place, 4))
            if offset >= 1 << 31:  # an index into the table of large offsets
                place = large_offsets_at + 8 * (offset - (1 << 31))
                [offset] = struct.unpack(">Q", read_at(place, 8))
            return int(offset)
        if other < name:
            low = middle + 1
        else:
            high = middle
    return None


def _packed(pack: BinaryIO, index: BinaryIO, offset: int) -> tuple[int, bytes]:
    """Return the kind and the bytes of an object in a pack; a delta is applied to its base.

    Bases are in the same pack. All deltas together are limited like one object, for each of their bytes may
    be an order to carry out.
    """
    deltas = list[bytes]()
    while True:
        pack.seek(offset)
        data = pack.read(MAX_OBJECT_BYTES)
        kind = data[0] >> 4 & 7
        place = _number_end(data, 0)
        if kind == _BY_NAME:
            end = place + 20
            base = _offset(index, data[place:end])
        elif kind == _BY_OFFSET:
            end = _number_end(data, place)
            back = -1
            for byte in data[place:end]:
                back = back + 1 << 7
                back |= byte & 0x7F
            base = offset - back
        else:
            break
        deltas.append(_inflated(data[end:]))
        size = sum(map(len, deltas))
        if base is None or len(deltas) > MAX_DELTAS or size > MAX_OBJECT_BYTES:
            raise ValueError("its chain of deltas is too long, or has no base")
        offset = base
    whole = _inflated(data[place:])
    for delta in reversed(deltas):
        whole = _patched(whole, delta)
    return kind, whole


def _number_end(data: bytes, place: int) -> int:
    """Return where a number ends, in which all bytes but the last have the highest bit set."""
    while data[place] & 0x80:
        place += 1
    return place + 1


def _inflated(data: bytes) -> bytes:
    """Return the bytes of a compressed object, which may be followed by others."""
    unpacker = zlib.decompressobj()
    inflated = unpacker.decompress(data, MAX_OBJECT_BYTES)
    if not unpacker.eof:
        raise ValueError("an object is too large, or cut off")
    return inflated


def _patched(base: bytes, delta: bytes) -> bytes:
    """Apply a delta to its base: it copies pieces of the base, and adds its own bytes."""
    after_first_size = _number_end(delta, 0)
    place = _number_end(delta, after_first_size)
    new = bytearray()
    while place < len(delta):
        order = delta[place]
        place += 1
        if order & 0x80:
            # Copy: the bits say which bytes of the start (4) and the size (3) follow; others are 0.
            numbers = [0] * 7
            for bit in range(7):
                if order >> bit & 1:
                    numbers[bit] = delta[place]
                    place += 1
            start = int.from_bytes(numbers[:4], "little")
            size = int.from_bytes(numbers[4:], "little") or 0x10000
            new += base[start : start + size]
        else:
            new += delta[place : place + order]
            place += order
        if not order or len(new) > MAX_OBJECT_BYTES:
            raise ValueError("a delta is damaged, or its result too large")
    return bytes(new)
