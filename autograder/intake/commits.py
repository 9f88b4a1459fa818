"""When the checked-out commit of a git clone was made, read from the clone's files as data.

No git runs in a clone: settings of its own can name programs to run, and other places to read from. Read are
HEAD, the branch that it names, and one commit, loose or packed, under limits and without following links.
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
MAX_REFERENCES_BYTES = 4 << 20
MAX_PACKS = 1000
MAX_DELTAS = 100
_SHA = re.compile(rb"[0-9a-f]{40}")
_COMMITTER = re.compile(rb"^committer [^\n]*> (\d{1,12}) [+-]\d{4}$", re.MULTILINE)
_INDEX, _FANOUT = b"\xfftOc\0\0\0\2", 8 + 4 * 256
_COMMIT, _BY_OFFSET, _BY_NAME = 1, 6, 7


class UnknownTimeError(ValueError):
    """The time of a clone's last commit cannot be told; the message says why."""


def commit_time(clone: Path) -> dt.datetime:
    """Return when the commit that a clone has checked out was made, by its committer's word.

    Raises:
        UnknownTimeError: there is no such commit, it cannot be read, or it is dated in the future.
    """
    top = Path(os.path.realpath(clone)) / ".git"
    try:
        if not stat.S_ISDIR(os.lstat(top).st_mode):
            raise UnknownTimeError("its .git is not a folder but leads elsewhere")
        name = _head(top)
        found = _COMMITTER.search(_commit(top, name).partition(b"\n\n")[0])
        time = dt.datetime.fromtimestamp(int(found[1]), dt.UTC) if found else None
    except FileNotFoundError:
        raise UnknownTimeError("it has no commit") from None
    except UnknownTimeError:
        raise
    except (OSError, OverflowError, ValueError, IndexError, struct.error, zlib.error):
        raise UnknownTimeError("its last commit cannot be read") from None
    if time is None or time > dt.datetime.now(dt.UTC):
        raise UnknownTimeError("its last commit is dated in the future" if time else "its commit has no time")
    return time


@contextmanager
def _opened(top: Path, name: str) -> Iterator[BinaryIO]:
    """Open a file of the clone's ``.git`` that no link leads to; never wait for a pipe."""
    path = top / name
    if os.path.realpath(path) != str(path):
        raise ValueError("links, and names that lead upwards, are not followed")
    with open(os.open(path, FLAGS), "rb") as file:
        if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
            raise ValueError("it is not an ordinary file")
        yield file


def _read(top: Path, name: str, limit: int) -> bytes:
    with _opened(top, name) as file:
        data = file.read(limit + 1)
    if len(data) > limit:
        raise ValueError(f"{name} is too large")
    return data


def _head(top: Path) -> bytes:
    """Return the name of the commit that is checked out, by a branch or by itself."""
    head = _read(top, "HEAD", 4096).strip()
    if head.startswith(b"ref: refs/"):
        branch = head.removeprefix(b"ref: ")
        try:
            head = _read(top, branch.decode(), 4096).strip()
        except (FileNotFoundError, NotADirectoryError):
            packed = _read(top, "packed-refs", MAX_REFERENCES_BYTES)
            line = re.search(b"^(" + _SHA.pattern + b") " + re.escape(branch) + b"$", packed, re.MULTILINE)
            if line is None:
                raise FileNotFoundError from None
            head = line[1]
    if not _SHA.fullmatch(head):
        raise ValueError("HEAD is not the name of a commit")
    return head


def _commit(top: Path, name: bytes) -> bytes:
    """Return a commit's text, which its name vouches for."""
    kind, data = _object(top, name, MAX_DELTAS)
    if kind != _COMMIT or hashlib.sha1(b"commit %d\0" % len(data) + data).hexdigest().encode() != name:
        raise ValueError("it is not what its name says")
    return data


def _object(top: Path, name: bytes, deltas: int) -> tuple[int, bytes]:
    """Return the kind and the bytes of an object, from its own file or from a pack."""
    text = name.decode()
    try:
        with _opened(top, f"objects/{text[:2]}/{text[2:]}") as file:
            header, _, data = _inflated(file.read(MAX_OBJECT_BYTES)).partition(b"\0")
            return _COMMIT if header.startswith(b"commit ") else 0, data
    except FileNotFoundError:
        pass
    with os.scandir(top / "objects" / "pack") as listing:
        packs = [one.name[:-4] for one in itertools.islice(listing, 8 * MAX_PACKS) if one.name[-4:] == ".idx"]
    for pack in packs[:MAX_PACKS]:
        with _opened(top, f"objects/pack/{pack}.idx") as file:
            offset = _offset(file, bytes.fromhex(text))
        if offset is not None:
            with _opened(top, f"objects/pack/{pack}.pack") as file:
                return _packed(top, file, offset, deltas)
    raise ValueError("the commit is not here")


def _offset(index: BinaryIO, name: bytes) -> int | None:
    """Return where an object lies in a pack, by the pack's index of version 2."""

    def at(place: int, form: str) -> int:
        index.seek(place)
        return int(struct.unpack(form, index.read(struct.calcsize(form)))[0])

    if index.read(8) != _INDEX:
        raise ValueError("the index of a pack is of another version")
    low = at(4 + 4 * name[0], ">I") if name[0] else 0
    high, total = at(8 + 4 * name[0], ">I"), at(_FANOUT - 4, ">I")
    while low < high:
        middle = (low + high) // 2
        index.seek(_FANOUT + 20 * middle)
        found = index.read(20)
        if found == name:
            offset = at(_FANOUT + 24 * total + 4 * middle, ">I")
            return at(_FANOUT + 28 * total + 8 * (offset - 2**31), ">Q") if offset >= 2**31 else offset
        low, high = (middle + 1, high) if found < name else (low, middle)
    return None


def _packed(top: Path, pack: BinaryIO, offset: int, deltas: int) -> tuple[int, bytes]:
    """Return the kind and the bytes of an object in a pack; a difference is put together."""
    pack.seek(offset)
    data = pack.read(MAX_OBJECT_BYTES)
    kind, place = data[0] >> 4 & 7, 0
    while data[place] & 0x80:
        place += 1
    place += 1
    if kind not in (_BY_OFFSET, _BY_NAME):
        return kind, _inflated(data[place:])
    if not deltas:
        raise ValueError("too many differences lie on each other")
    if kind == _BY_NAME:
        base = _object(top, data[place : place + 20].hex().encode(), deltas - 1)
        place += 20
    else:
        back = data[place] & 0x7F
        while data[place] & 0x80:
            place += 1
            back = (back + 1 << 7) | data[place] & 0x7F
        place += 1
        base = _packed(top, pack, offset - back, deltas - 1)
    return base[0], _patched(base[1], _inflated(data[place:]))


def _inflated(data: bytes) -> bytes:
    unpacker = zlib.decompressobj()
    inflated = unpacker.decompress(data, MAX_OBJECT_BYTES)
    if not unpacker.eof:
        raise ValueError("an object is too large, or cut off")
    return inflated


def _patched(base: bytes, delta: bytes) -> bytes:
    """Return what a difference makes of its base."""
    place, new = 0, bytearray()
    for _ in ("size of the base", "size of the result"):
        while delta[place] & 0x80:
            place += 1
        place += 1
    while place < len(delta):
        order, place = delta[place], place + 1
        if order & 0x80:
            numbers = [0] * 7
            for bit in range(7):
                if order >> bit & 1:
                    numbers[bit], place = delta[place], place + 1
            start, size = (int.from_bytes(part, "little") for part in (numbers[:4], numbers[4:]))
            new += base[start : start + (size or 0x10000)]
        else:
            new += delta[place : place + order]
            place += order
        if not order or len(new) > MAX_OBJECT_BYTES:
            raise ValueError("a difference is damaged, or its result too large")
    return bytes(new)
