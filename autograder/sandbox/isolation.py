"""What namespaces show of the file system (the system's libraries and this Python), and a user id of its own.

Folders are named as narrowly as imports allow, because a course may lie beside, or even inside, the
folders that Python is installed in.
"""

from __future__ import annotations

import contextlib
import os
import site
import socket
import sys
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path, PurePath

SYSTEM = (
    *(f"/usr/{name}" for name in ("bin", "sbin", "lib", "lib32", "lib64")),
    *(f"/usr/local/{name}" for name in ("bin", "lib", "lib64")),
    "/etc/ld.so.cache",
    "/nix/store",
    "/gnu/store",
)
LIBRARY_FOLDERS = ("/lib", "/lib64")
HARDWARE = ("/sys/kernel/mm/transparent_hugepage", "/sys/devices/system/cpu")  # the first: huge pages
PROC_FILES = ("/proc/cpuinfo", "/proc/meminfo")
PARTS_OF_PYTHON = ("bin", "lib", "lib64", "pyvenv.cfg")
USR_LINKS = ("bin", "sbin", "lib", "lib64")
DEVICES = ("/dev/null", "/dev/zero", "/dev/random", "/dev/urandom")
CAPABILITIES = ("CAP_SETUID", "CAP_SETGID", "CAP_KILL")
FIRST_UID, LAST_UID = 60800, 61180  # left free by the usual plans for user ids


@dataclass(frozen=True)
class View:
    """Files and folders whose content is readable, and folders in which only names may be listed."""

    readable: tuple[str, ...]
    listable: tuple[str, ...]


def view_of_python(worker: Path) -> View:
    """Return what a worker needs: its own folder and every place that this Python imports from.

    The rest of the package that ``worker`` lies in stays hidden, also where the package is installed
    among the others.
    """
    hidden = worker.parent
    readable: list[Path] = [worker]
    listable: list[Path] = []
    for place in _without_nested(_places()):
        _add(place, hidden, readable, listable)
    return View(_names(readable), _names(listable))


def _places() -> Iterator[Path]:
    for prefix in dict.fromkeys((sys.prefix, sys.base_prefix, sys.exec_prefix, sys.base_exec_prefix)):
        for part in PARTS_OF_PYTHON:
            yield from _both_forms(Path(prefix, part))
    for folder in site.getsitepackages():
        yield from _both_forms(Path(folder))
        yield from _linked_packages(Path(folder))


def _both_forms(path: Path) -> Iterator[Path]:
    """A path as it is written and as it is once links are followed; both are asked for."""
    if path.exists():
        yield path
        yield path.resolve()


def _linked_packages(folder: Path) -> Iterator[Path]:
    """Some installers fill the folder of packages with links into a cache: to folders, or file by file."""
    if not folder.is_dir():
        return
    for entry in folder.iterdir():
        if entry.is_symlink():
            yield entry.resolve()
        elif entry.is_dir():
            yield from {file.resolve().parent for file in entry.iterdir() if file.is_symlink()}


def _without_nested(places: Iterable[Path]) -> list[Path]:
    """Drop what lies below another place or below the system's folders, for it is readable anyway."""
    kept: list[Path] = []
    for place in sorted(set(places), key=lambda path: len(path.parts)):
        if not any(place.is_relative_to(above) for above in (*map(Path, SYSTEM), *kept)):
            kept.append(place)
    return sorted(kept)


def _add(place: Path, hidden: Path, readable: list[Path], listable: list[Path]) -> None:
    """Add a place, or where the hidden folder lies in it, everything in it but that folder."""
    if not hidden.is_relative_to(place.resolve()):
        readable.append(place)
    elif place.resolve() != hidden:
        listable.append(place)
        for child in sorted(place.iterdir()):
            _add(child, hidden, readable, listable)


def _names(paths: Iterable[Path]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(map(os.fspath, paths)))


def bubblewrap_command(readable: Iterable[str]) -> list[str]:
    """Return the words before the command to run; ``readable`` is mounted read-only at its own place.

    As root the mounts are made with root's rights, so that an interpreter below a private home folder can
    be shown; the capabilities that remain serve only to change the user id afterwards. Nothing inside can
    be written to: a submission leaves nothing behind for the next one.
    """
    root = os.geteuid() == 0
    command = ["bwrap", "--unshare-ipc", "--unshare-pid", "--unshare-uts", "--unshare-net"]
    command += [] if root else ["--unshare-user"]
    command += ["--as-pid-1", "--die-with-parent", "--new-session", "--cap-drop", "ALL"]
    command += [word for name in CAPABILITIES for word in ("--cap-add", name)] if root else []
    paths = list(dict.fromkeys((*SYSTEM, *HARDWARE, *readable)))
    for folder in _folders_above([*paths, *DEVICES, "/proc"]):
        command += ["--dir", folder]
    for path in paths:
        command += ["--ro-bind-try", path, path]
    for name in USR_LINKS:
        command += _system_folder(name)
    for path in DEVICES:
        command += ["--dev-bind", path, path]
    return [*command, "--proc", "/proc", "--remount-ro", "/", "--chdir", "/"]


def _folders_above(paths: Iterable[str]) -> list[str]:
    """The folders that mounts are made in; made by name, they are open to every user of the sandbox."""
    above = {str(parent) for path in paths for parent in PurePath(path).parents}
    return sorted(above - {"/"})


def _system_folder(name: str) -> list[str]:
    """Systems differ in whether /lib is a link to /usr/lib or a folder of its own."""
    path = Path("/", name)
    if path.is_symlink():
        return ["--symlink", os.readlink(path), str(path)]
    return ["--ro-bind-try", str(path), str(path)]


class ClaimedUser:
    """A user id that no other sandbox holds, whichever grader started it; given back by ``release``.

    The claim is a socket with a name of its own and no address: the kernel drops it with this process.
    """

    def __init__(self) -> None:
        self._claim, self.uid = _claim()

    def release(self) -> None:
        """Let another sandbox have the user id."""
        self._claim.close()


def is_root() -> bool:
    """Whether this process may change its user id."""
    return hasattr(os, "geteuid") and os.geteuid() == 0


def _claim() -> tuple[socket.socket, int]:
    for uid in range(FIRST_UID, LAST_UID + 1):
        claim = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        with contextlib.suppress(OSError):
            claim.bind(f"\0attention-homework-kit/sandbox-user/{uid}")
            if not _has_an_account(uid):
                return claim, uid
        claim.close()
    raise RuntimeError(f"all user ids from {FIRST_UID} to {LAST_UID} are taken by other sandboxes")


def _has_an_account(uid: int) -> bool:
    import pwd

    try:
        pwd.getpwuid(uid)
    except KeyError:
        return False
    return True
