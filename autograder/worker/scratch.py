"""A submission's scratch folder: its working directory and the folder for temporary files, held in memory.

Writing a log, calling ``np.save`` and using ``tempfile`` are ordinary habits, and must not cost a student
the functions that stand beside them. While a submission runs, relative paths, ``/tmp``, and ``/content``,
where notebooks from Colab go to a mounted drive, therefore lead into the memory of its own process, on every
system; all other paths go to the real functions. This is a convenience, not a protection: code that asks the
kernel directly meets the layers around the process.
"""

from __future__ import annotations

import builtins
import errno
import functools
import genericpath
import io
import os
import posixpath
import shutil
import stat
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext
from typing import Any, NoReturn

import numpy as np

from autograder.worker.errors import SUBMISSION_ROOT

HOME, TEMPORARY, COLAB = SUBMISSION_ROOT.rstrip("/"), "/tmp", "/content"
MAX_BYTES, MAX_ENTRIES = 16 << 20, 500
NEW = os.O_WRONLY | os.O_CREAT
MODES = {
    "r": os.O_RDONLY,
    "w": NEW | os.O_TRUNC,
    "x": NEW | os.O_EXCL,
    "a": NEW | os.O_APPEND,
}
OPENERS = ((builtins, "open"), (io, "open"), (os, "fdopen"))
BY_PATH = (
    "access", "chmod", "link", "listdir", "listxattr", "lstat", "mkdir", "remove", "rmdir", "scandir", "stat",
    "symlink", "truncate", "unlink", "utime",
)  # fmt: skip
Node = bytes | None
"""The content of a file; None stands for a folder."""


class MemoryFile(io.BytesIO):
    """An open file, and its own descriptor; each flush stores what was written in the folder."""

    def __init__(self, folder: ScratchFolder, place: str, flags: int) -> None:
        super().__init__(b"" if flags & os.O_TRUNC else folder.nodes[place] or b"")
        self.name = place
        self._folder, self._flags = folder, flags
        self.seek(0, os.SEEK_END if flags & os.O_APPEND else os.SEEK_SET)

    def write(self, data: Any) -> int:
        if self._flags & os.O_APPEND:
            self.seek(0, os.SEEK_END)
        self._folder.make_room(self.tell() + memoryview(data).nbytes, self.name)
        return super().write(data)

    def flush(self) -> None:
        super().flush()
        if (
            self._flags & (os.O_WRONLY | os.O_RDWR)
            and self._folder.nodes.get(self.name) is not None
        ):
            self._folder.nodes[self.name] = self.getvalue()

    def close(self) -> None:
        if not self.closed:
            self.flush()
        super().close()


class Entry:
    """One entry of ``os.scandir``."""

    def __init__(self, place: str, node: Node) -> None:
        self.name, self.path, self._node = posixpath.basename(place), place, node

    def __fspath__(self) -> str:
        return self.path

    def stat(self, **follow: bool) -> os.stat_result:
        return _facts(self._node)

    def is_dir(self, **follow: bool) -> bool:
        return self._node is None

    def is_file(self, **follow: bool) -> bool:
        return self._node is not None

    def is_symlink(self) -> bool:
        return False


class Listing(nullcontext[Iterator[Entry]]):
    """What ``os.scandir`` returns."""

    def __iter__(self) -> Iterator[Entry]:
        return self.enter_result

    def __next__(self) -> Entry:
        return next(self.enter_result)


class ScratchFolder:
    """Files and folders by absolute path, the submission's own ``.py`` files among them.

    Its methods implement functions of ``os`` for a path in here; those that it lacks are not permitted. Where
    ``outside`` is given, the only other folders that are there are these; else every path is.
    """

    def __init__(
        self, files: Mapping[str, str], outside: Sequence[str] | None = None
    ) -> None:
        own = {
            f"{HOME}/{name}": text.encode("utf-8", "replace")
            for name, text in files.items()
        }
        self.nodes: dict[str, Node] = {HOME: None, TEMPORARY: None, COLAB: None, **own}
        self._most_bytes = MAX_BYTES + sum(map(len, own.values()))
        self._most_entries = MAX_ENTRIES + len(self.nodes)
        self._outside = (
            None
            if outside is None
            else tuple(f"{_with_slashes(path)}/" for path in outside)
        )
        self._here = HOME
        self._open, self._open_handle, self._close = io.open, os.open, os.close

    @contextmanager
    def in_use(self) -> Iterator[None]:
        """Serve the submission from this folder within the context."""
        ours = list(self._replacements())
        theirs = [(owner, name, getattr(owner, name)) for owner, name, _ in ours]
        openers = np.lib._datasource._file_openers._file_openers  # type: ignore[attr-defined]
        try:
            for owner, name, value in ours:
                setattr(owner, name, value)
            openers[None] = self.open_file
            yield
        finally:
            openers[None] = self._open
            for owner, name, value in theirs:
                setattr(owner, name, value)

    def _replacements(self) -> Iterator[tuple[Any, str, object]]:
        """What is replaced: the owner, its attribute, and what stands in for it."""
        yield from ((owner, name, self.open_file) for owner, name in OPENERS)
        yield from (
            (os, name, self._by_path(name)) for name in BY_PATH if hasattr(os, name)
        )
        yield from (
            (os, name, self._moving(getattr(os, name)))
            for name in ("rename", "replace")
        )
        yield from (
            (os, name, getattr(self, name))
            for name in ("open", "close", "getcwd", "chdir")
        )
        yield tempfile, "tempdir", TEMPORARY
        yield shutil, "_use_fd_functions", False
        for function in vars(vars(tempfile)["_TemporaryFileCloser"]).values():
            defaults = getattr(function, "__defaults__", None) or ()
            if os.unlink in defaults:  # bound when ``tempfile`` was imported
                kept = (
                    self._by_path("unlink") if one is os.unlink else one
                    for one in defaults
                )
                yield function, "__defaults__", tuple(kept)
        if os.name == "nt":  # where these ask the system themselves
            yield from (
                (os.path, name, getattr(genericpath, name))
                for name in ("exists", "isdir", "isfile")
            )
            yield (
                os.path,
                "abspath",
                lambda path: os.path.normpath(os.path.join(os.getcwd(), path)),
            )
        if (torch := sys.modules.get("torch")) is not None:
            yield torch, "save", self._saving(torch.save)

    # Paths that lead here are served here, all others by the real functions

    def _place(self, path: Any) -> tuple[str | None, Any]:
        """The place in this folder that a path leads to, if any, and the path for the real functions."""
        if isinstance(path, int | MemoryFile):
            return None, path
        plain = _with_slashes(os.fsdecode(path))
        whole = posixpath.normpath(posixpath.join(self._here, plain))
        is_ours = f"{whole}/".startswith((f"{HOME}/", f"{TEMPORARY}/", f"{COLAB}/"))
        if self._outside is not None and whole != "/":
            is_ours |= not f"{whole}/".startswith(self._outside)
        return whole if is_ours else None, path if posixpath.isabs(plain) else whole

    def _by_path(self, name: str) -> Callable[..., Any]:
        real, ours = getattr(os, name), getattr(self, name, None)

        @functools.wraps(real)
        def function(path: Any = ".", *args: Any, **kwargs: Any) -> Any:
            place, path = self._place(path)
            if place is None:
                return real(path, *args, **kwargs)
            return ours(place) if ours else _fail(errno.EPERM, place)

        return function

    def _moving(self, real: Callable[..., None]) -> Callable[..., None]:
        @functools.wraps(real)
        def function(source: Any, target: Any, **kwargs: Any) -> None:
            (place, source), (new, target) = self._place(source), self._place(target)
            if place is None and new is None:
                real(source, target, **kwargs)
            elif place is None or new is None:
                _fail(errno.EXDEV, source)
            else:
                self._node(place)
                for one in [
                    one for one in self.nodes if f"{one}/".startswith(f"{place}/")
                ]:
                    self._add(new + one.removeprefix(place), self.nodes[one])
                    del self.nodes[one]

        return function

    def _saving(self, save: Callable[..., None]) -> Callable[..., None]:
        """``torch.save``, which opens a path by itself."""

        @functools.wraps(save)
        def function(obj: object, f: Any, *args: Any, **kwargs: Any) -> None:
            is_ours = isinstance(f, str | os.PathLike) and self._place(f)[0] is not None
            with self.open_file(f, "wb") if is_ours else nullcontext(f) as file:
                save(obj, file, *args, **kwargs)

        return function

    def open_file(
        self, file: Any, mode: str = "r", buffering: int = -1, encoding: Any = None, errors: Any = None,
        newline: Any = None, closefd: bool = True, opener: Any = None,
    ) -> Any:  # fmt: skip
        """``open`` and ``io.open``."""
        flags = next((MODES[letter] for letter in mode if letter in MODES), 0)
        flags = flags & ~os.O_WRONLY | os.O_RDWR if "+" in mode else flags
        place, path = self._place(file)
        if opener or place is not None:
            file = (opener or self.open)(path, flags)
        if isinstance(file, MemoryFile):
            return (
                file
                if "b" in mode
                else io.TextIOWrapper(file, encoding, errors, newline, buffering == 1)
            )
        opened = opener and (lambda *_: file)
        return self._open(
            path, mode, buffering, encoding, errors, newline, closefd, opened
        )

    def open(
        self, path: Any, flags: int, mode: int = 0o777, *, dir_fd: int | None = None
    ) -> Any:
        """``os.open``; what is opened here stands for its own descriptor."""
        place, path = self._place(path)
        if place is None:
            return self._open_handle(path, flags, mode, dir_fd=dir_fd)
        if place not in self.nodes and flags & os.O_CREAT:
            self._add(place, b"")
        elif flags & os.O_CREAT and flags & os.O_EXCL:
            _fail(errno.EEXIST, place)
        if self._node(place) is None:
            _fail(errno.EISDIR, place)
        return MemoryFile(self, place, flags)

    def close(self, descriptor: Any) -> None:
        """``os.close``."""
        descriptor.close() if isinstance(descriptor, MemoryFile) else self._close(
            descriptor
        )

    def getcwd(self) -> str:
        return self._here

    def chdir(self, path: Any) -> None:
        place, path = self._place(path)
        if place is not None and place.startswith(
            f"{COLAB}/"
        ):  # a drive has any folder, or a shell made it
            os.makedirs(place, exist_ok=True)
        if not stat.S_ISDIR(os.stat(path).st_mode):
            _fail(errno.ENOTDIR, path)
        self._here = place or os.fsdecode(path)

    # The folder itself

    def make_room(self, size: int, place: str) -> None:
        """Raise an error if there is no room for a file of this size."""
        others = sum(
            len(node or b"") for one, node in self.nodes.items() if one != place
        )
        if others + size > self._most_bytes:
            _fail(errno.ENOSPC, place)

    def _node(self, place: str) -> Node:
        return self.nodes[place] if place in self.nodes else _fail(errno.ENOENT, place)

    def _add(self, place: str, node: Node) -> None:
        if self._node(posixpath.dirname(place)) is not None:
            _fail(errno.ENOTDIR, place)
        if len(self.nodes) >= self._most_entries:
            _fail(errno.ENOSPC, place)
        self.nodes[place] = node

    def access(self, place: str) -> bool:
        return place in self.nodes

    def stat(self, place: str) -> os.stat_result:
        return _facts(self._node(place))

    lstat = utime = chmod = stat

    def listdir(self, place: str) -> list[str]:
        if self._node(place) is not None:
            _fail(errno.ENOTDIR, place)
        return sorted(
            posixpath.basename(one)
            for one in self.nodes
            if posixpath.dirname(one) == place
        )

    def listxattr(self, place: str) -> list[str]:
        return []

    def scandir(self, place: str) -> Listing:
        places = [f"{place}/{name}" for name in self.listdir(place)]
        return Listing(Entry(one, self.nodes[one]) for one in places)

    def mkdir(self, place: str) -> None:
        if place in self.nodes:
            _fail(errno.EEXIST, place)
        self._add(place, None)

    def rmdir(self, place: str) -> None:
        if self.listdir(place) or place in (HOME, TEMPORARY):
            _fail(errno.ENOTEMPTY, place)
        del self.nodes[place]

    def remove(self, place: str) -> None:
        if self._node(place) is None:
            _fail(errno.EISDIR, place)
        del self.nodes[place]

    unlink = remove


def _with_slashes(path: str) -> str:
    """A path as it is written on other systems than Windows."""
    return os.path.splitdrive(path)[1].replace("\\", "/") if os.name == "nt" else path


def _facts(node: Node) -> os.stat_result:
    kind = stat.S_IFDIR | 0o700 if node is None else stat.S_IFREG | 0o600
    return os.stat_result((kind, id(node), 0, 1, 0, 0, len(node or b""), 0, 0, 0))


def _fail(code: int, path: Any) -> NoReturn:
    raise OSError(code, os.strerror(code), os.fsdecode(path))
