"""A submission's scratch folder: its working directory and the folder for temporary files, held in memory.

Writing a log, calling ``np.save`` and using ``tempfile`` are ordinary habits, and must not cost a student the
functions next to them. While a submission runs, relative paths, ``/tmp``, and ``/content``, where notebooks from
Colab go to a mounted drive, therefore lead into the memory of its own process, on every system; all other paths
go to the real functions. This is a convenience, not a protection: code that asks the kernel directly meets the
layers around the process.

Why no file system of the kernel's (``tmpfs``): forks of one warm process would find each other's files, some
systems have none, and as it is no layer has to let a submission write. Why no library such as pyfakefs: it stands
in for all of ``os``, and this only for the functions that ordinary habits reach.
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

from autograder.worker.places import SUBMISSION_ROOT

HOME = SUBMISSION_ROOT.rstrip("/")
TEMPORARY = "/tmp"
COLAB = "/content"
ROOTS = (HOME, TEMPORARY, COLAB)
"""The folders that are always there: nothing moves, replaces or removes them."""
FOLDERS = tuple(f"{root}/" for root in ROOTS)
MAX_BYTES = 16 << 20
MAX_ENTRIES = 500
CREATING = os.O_WRONLY | os.O_CREAT
FLAGS_OF_MODES = {
    "r": os.O_RDONLY,
    "w": CREATING | os.O_TRUNC,
    "x": CREATING | os.O_EXCL,
    "a": CREATING | os.O_APPEND,
}
OPENERS = ((builtins, "open"), (io, "open"), (os, "fdopen"))
BY_PATH = (
    "access", "chmod", "link", "listdir", "listxattr", "lstat", "mkdir", "remove", "rmdir", "scandir", "stat",
    "symlink", "truncate", "unlink", "utime",
)  # fmt: skip
"""Functions of ``os`` whose first argument is a path."""
Node = bytes | None
"""The content of a file; None stands for a folder."""


class MemoryFile(io.BytesIO):
    """An open file, and its own descriptor; each flush stores the written bytes in the folder."""

    def __init__(self, folder: ScratchFolder, place: str, flags: int) -> None:
        content = b""
        if not flags & os.O_TRUNC:
            content = folder.nodes[place] or b""
        super().__init__(content)
        self.name = place
        self._folder = folder
        self._appends = bool(flags & os.O_APPEND)
        self._writes = bool(flags & (os.O_WRONLY | os.O_RDWR))
        if self._appends:
            self.seek(0, os.SEEK_END)

    def write(self, data: Any) -> int:
        if self._appends:
            self.seek(0, os.SEEK_END)
        size = memoryview(data).nbytes
        self._folder.make_room(self.tell() + size, self.name)
        return super().write(data)

    def flush(self) -> None:
        super().flush()
        # A file that was deleted meanwhile stays deleted.
        nodes = self._folder.nodes
        if self._writes and nodes.get(self.name) is not None:
            nodes[self.name] = self.getvalue()

    def close(self) -> None:
        if not self.closed:
            self.flush()
        super().close()


class ScratchEntry:
    """One entry of ``os.scandir``."""

    def __init__(self, place: str, node: Node) -> None:
        self.name = posixpath.basename(place)
        self.path = place
        self._node = node

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


class Listing(nullcontext[Iterator[ScratchEntry]]):
    """The iterator and context manager that ``os.scandir`` returns."""

    def __iter__(self) -> Iterator[ScratchEntry]:
        return self.enter_result

    def __next__(self) -> ScratchEntry:
        return next(self.enter_result)


class ScratchFolder:
    """Files and folders by absolute path; the submission's own ``.py`` files are among them.

    A method with the name of a function of ``os`` implements it for a path in this folder. Functions of
    ``BY_PATH`` without a method are not permitted here.

    Args:
        files: the submission's ``.py`` files by name.
        outside: the only other folders that exist for the submission; None if all do.
        data: the homework's data files by relative path, which are there to be read only. They come before
            files of the submission.
    """

    def __init__(
        self,
        files: Mapping[str, str],
        outside: Sequence[str] | None = None,
        data: Mapping[str, bytes] | None = None,
    ) -> None:
        self.nodes: dict[str, Node] = dict.fromkeys(ROOTS)
        submitted_bytes = 0
        for name, text in files.items():
            content = text.encode("utf-8", "replace")
            self.nodes[f"{HOME}/{name}"] = content
            submitted_bytes += len(content)
        self._data = data or {}
        self._read_only: set[str] = set()
        self._put_data(HOME)
        self._most_bytes = MAX_BYTES + submitted_bytes
        self._most_entries = MAX_ENTRIES + len(self.nodes)
        self._outside: tuple[str, ...] | None = None
        if outside is not None:
            self._outside = tuple(f"{_with_slashes(folder)}/" for folder in outside)
        self._here = HOME
        # The real functions, for all other paths.
        self._real_open = io.open
        self._real_os_open = os.open
        self._real_close = os.close

    @contextmanager
    def in_use(self) -> Iterator[None]:
        """Serve the submission from this folder within the context."""
        replacements = list(self._replacements())
        originals = []
        for owner, name, _ in replacements:
            originals.append((owner, name, getattr(owner, name)))
        # NumPy keeps its own table with `io.open` in it.
        numpy_openers = np.lib._datasource._file_openers._file_openers  # type: ignore[attr-defined]
        try:
            for owner, name, value in replacements:
                setattr(owner, name, value)
            numpy_openers[None] = self.open_file
            yield
        finally:
            numpy_openers[None] = self._real_open
            for owner, name, value in originals:
                setattr(owner, name, value)

    def _replacements(self) -> Iterator[tuple[Any, str, object]]:
        """Yield the replacements: the owner, its attribute, and the stand-in."""
        for owner, name in OPENERS:
            yield owner, name, self.open_file
        for name in BY_PATH:
            if hasattr(os, name):
                yield os, name, self._by_path(name)
        for name in ("rename", "replace"):
            yield os, name, self._moving(getattr(os, name))
        for name in ("open", "close", "getcwd", "chdir"):
            yield os, name, getattr(self, name)
        yield tempfile, "tempdir", TEMPORARY
        # rmtree by paths: descriptors of folders do not exist here.
        yield shutil, "_use_fd_functions", False
        # Temporary files hold `os.unlink` as a default, bound when `tempfile` was imported.
        closer = vars(tempfile)["_TemporaryFileCloser"]
        stand_ins = {os.unlink: self._by_path("unlink")}
        for function in vars(closer).values():
            defaults = getattr(function, "__defaults__", None) or ()
            if os.unlink in defaults:
                new_defaults = [stand_ins.get(default, default) for default in defaults]
                yield function, "__defaults__", tuple(new_defaults)
        # On Windows these ask the system themselves, and not `os.stat` and `os.getcwd`.
        if os.name == "nt":
            for name in ("exists", "isdir", "isfile"):
                yield os.path, name, getattr(genericpath, name)
            yield os.path, "abspath", _absolute_path
        torch = sys.modules.get("torch")
        if torch is not None:
            yield torch, "save", self._saving(torch.save)

    # Paths into this folder are served here, all others by the real functions

    def _resolve(self, path: Any) -> tuple[str | None, Any]:
        """Find where a path leads.

        Returns:
            The place in this folder or None, and the path for the real functions.
        """
        if isinstance(path, int | MemoryFile):
            return None, path
        plain = _with_slashes(os.fsdecode(path))
        joined = posixpath.join(self._here, plain)
        place = posixpath.normpath(joined)
        is_here = f"{place}/".startswith(FOLDERS)
        if self._outside is not None and place != "/":
            # Every other folder is one of this folder's that does not exist.
            is_here |= not f"{place}/".startswith(self._outside)
        # A relative path is relative to this folder's current one, which the system does not know.
        real_path = path
        if not posixpath.isabs(plain):
            real_path = place
        if not is_here:
            return None, real_path
        return place, real_path

    def _by_path(self, name: str) -> Callable[..., Any]:
        """Return the stand-in for a function of ``os`` whose first argument is a path."""
        real = getattr(os, name)
        method = getattr(self, name, None)

        @functools.wraps(real)
        def function(path: Any = ".", *args: Any, **kwargs: Any) -> Any:
            place, path = self._resolve(path)
            if place is None:
                return real(path, *args, **kwargs)
            if method is None:
                return _fail(errno.EPERM, place)
            return method(place)

        return function

    def _moving(self, real: Callable[..., None]) -> Callable[..., None]:
        """Return the stand-in for ``os.rename`` or ``os.replace``."""

        @functools.wraps(real)
        def function(source: Any, target: Any, **kwargs: Any) -> None:
            source_place, source = self._resolve(source)
            target_place, target = self._resolve(target)
            if source_place is None and target_place is None:
                real(source, target, **kwargs)
            elif source_place is None or target_place is None:
                _fail(errno.EXDEV, source)
            else:
                self._move(source_place, target_place)

        return function

    def _saving(self, save: Callable[..., None]) -> Callable[..., None]:
        """Return the stand-in for ``torch.save``, which opens a path in C code."""

        @functools.wraps(save)
        def function(obj: object, f: Any, *args: Any, **kwargs: Any) -> None:
            place = None
            if isinstance(f, str | os.PathLike):
                place, _ = self._resolve(f)
            if place is not None:
                with self.open_file(f, "wb") as file:
                    save(obj, file, *args, **kwargs)
            else:
                save(obj, f, *args, **kwargs)

        return function

    def open_file(
        self,
        file: Any,
        mode: str = "r",
        buffering: int = -1,
        encoding: Any = None,
        errors: Any = None,
        newline: Any = None,
        closefd: bool = True,
        opener: Any = None,
    ) -> Any:
        """Implement ``open``, ``io.open`` and ``os.fdopen``."""
        flags = os.O_RDONLY
        for letter in mode:
            if letter in FLAGS_OF_MODES:
                flags = FLAGS_OF_MODES[letter]
                break
        if "+" in mode:
            flags = flags & ~os.O_WRONLY | os.O_RDWR
        place, path = self._resolve(file)
        if opener:
            file = opener(path, flags)
        elif place is not None:
            file = self.open(path, flags)
        if isinstance(file, MemoryFile):
            if "b" in mode:
                return file
            is_line_buffered = buffering == 1
            return io.TextIOWrapper(file, encoding, errors, newline, is_line_buffered)
        # The opener was called above; the real function gets the descriptor that it returned.
        opened = opener and (lambda *_: file)
        return self._real_open(
            path, mode, buffering, encoding, errors, newline, closefd, opened
        )

    def open(
        self, path: Any, flags: int, mode: int = 0o777, *, dir_fd: int | None = None
    ) -> Any:
        """Implement ``os.open``; a file opened here stands for its own descriptor."""
        place, path = self._resolve(path)
        if place is None:
            return self._real_os_open(path, flags, mode, dir_fd=dir_fd)
        creates = flags & os.O_CREAT
        writes = flags & (os.O_WRONLY | os.O_RDWR)
        if creates and place not in self.nodes:
            self._add(place, b"")
        elif creates and flags & os.O_EXCL:
            _fail(errno.EEXIST, place)
        if self._node(place) is None:
            _fail(errno.EISDIR, place)
        if writes:
            self._refuse_data(place)
        return MemoryFile(self, place, flags)

    def close(self, descriptor: Any) -> None:
        """Implement ``os.close``."""
        if isinstance(descriptor, MemoryFile):
            descriptor.close()
        else:
            self._real_close(descriptor)

    def getcwd(self) -> str:
        return self._here

    def chdir(self, path: Any) -> None:
        place, path = self._resolve(path)
        # A mounted drive has the student's folders, or a shell line made them: any folder below exists.
        if place is not None and place.startswith(f"{COLAB}/"):
            os.makedirs(place, exist_ok=True)
            self._put_data(place)
        mode = os.stat(path).st_mode
        if not stat.S_ISDIR(mode):
            _fail(errno.ENOTDIR, path)
        self._here = place or os.fsdecode(path)

    # The folder itself

    def _put_data(self, folder: str) -> None:
        """Put the data files, with the folders around them, into a folder that a student works in."""
        for name, content in self._data.items():
            place = f"{folder}/{name}"
            self.nodes[place] = content
            self._read_only.add(place)
            above = posixpath.dirname(place)
            while above not in self.nodes:
                self.nodes[above] = None
                above = posixpath.dirname(above)

    def _refuse_data(self, place: str) -> None:
        """Raise an error if a place is a data file, or a folder around one: nothing replaces or removes it."""
        for data_place in self._read_only:
            if f"{data_place}/".startswith(f"{place}/"):
                _fail(errno.EACCES, place)

    def make_room(self, size: int, place: str) -> None:
        """Raise an error if there is no room for a file of this size at a place."""
        other_bytes = 0
        for other_place, node in self.nodes.items():
            if other_place != place and other_place not in self._read_only:
                other_bytes += len(node or b"")
        if other_bytes + size > self._most_bytes:
            _fail(errno.ENOSPC, place)

    def _node(self, place: str) -> Node:
        if place not in self.nodes:
            _fail(errno.ENOENT, place)
        return self.nodes[place]

    def _add(self, place: str, node: Node) -> None:
        if self._node(posixpath.dirname(place)) is not None:
            _fail(errno.ENOTDIR, place)
        if len(self.nodes) >= self._most_entries:
            _fail(errno.ENOSPC, place)
        self.nodes[place] = node

    def _move(self, source: str, target: str) -> None:
        """Move a file, or a folder with all that is in it, by the rules of POSIX.

        A file replaces a file, and a folder an empty folder. All rules come before the first change.
        """
        node = self._node(source)
        if source == target:
            return
        for moved_place in (source, target):
            self._refuse_data(moved_place)
            if moved_place in ROOTS:
                _fail(errno.EBUSY, moved_place)
        if target.startswith(f"{source}/"):
            _fail(errno.EINVAL, target)
        if self._node(posixpath.dirname(target)) is not None:
            _fail(errno.ENOTDIR, target)
        if target in self.nodes:
            is_folder = node is None
            replaces_folder = self.nodes[target] is None
            if replaces_folder and not is_folder:
                _fail(errno.EISDIR, target)
            if is_folder and not replaces_folder:
                _fail(errno.ENOTDIR, target)
            if is_folder and self.listdir(target):
                _fail(errno.ENOTEMPTY, target)
        for place in list(self.nodes):
            if f"{place}/".startswith(f"{source}/"):
                within = place.removeprefix(source)
                self.nodes[target + within] = self.nodes.pop(place)

    def access(self, place: str) -> bool:
        return place in self.nodes

    def stat(self, place: str) -> os.stat_result:
        return _facts(self._node(place))

    lstat = utime = chmod = stat

    def listdir(self, place: str) -> list[str]:
        if self._node(place) is not None:
            _fail(errno.ENOTDIR, place)
        names = []
        for path in self.nodes:
            if posixpath.dirname(path) == place:
                names.append(posixpath.basename(path))
        return sorted(names)

    def listxattr(self, place: str) -> list[str]:
        return []

    def scandir(self, place: str) -> Listing:
        entries = []
        for name in self.listdir(place):
            path = f"{place}/{name}"
            entries.append(ScratchEntry(path, self.nodes[path]))
        return Listing(iter(entries))

    def mkdir(self, place: str) -> None:
        if place in self.nodes:
            _fail(errno.EEXIST, place)
        self._add(place, None)

    def rmdir(self, place: str) -> None:
        if place in ROOTS:
            _fail(errno.EBUSY, place)
        if self.listdir(place):
            _fail(errno.ENOTEMPTY, place)
        del self.nodes[place]

    def remove(self, place: str) -> None:
        if self._node(place) is None:
            _fail(errno.EISDIR, place)
        self._refuse_data(place)
        del self.nodes[place]

    unlink = remove


def _absolute_path(path: Any) -> Any:
    absolute = os.path.join(os.getcwd(), path)
    return os.path.normpath(absolute)


def _with_slashes(path: str) -> str:
    """Return a path of Windows as it is written on other systems."""
    if os.name != "nt":
        return path
    _, without_drive = os.path.splitdrive(path)
    return without_drive.replace("\\", "/")


def _facts(node: Node) -> os.stat_result:
    kind = stat.S_IFREG | 0o600
    if node is None:
        kind = stat.S_IFDIR | 0o700
    size = len(node or b"")
    return os.stat_result((kind, id(node), 0, 1, 0, 0, size, 0, 0, 0))


def _fail(code: int, path: Any) -> NoReturn:
    raise OSError(code, os.strerror(code), os.fsdecode(path))
