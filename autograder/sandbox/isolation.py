"""A sandbox's view of the file system, its namespaces, and the user id that it runs under.

The view is the system's libraries and this Python. Folders are named as narrowly as imports allow, because a
course may be next to, or even inside, the folders that Python is installed in.
"""

from __future__ import annotations

import contextlib
import importlib.machinery
import os
import site
import socket
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path, PurePath

SYSTEM = (
    "/usr/bin",
    "/usr/sbin",
    "/usr/lib",
    "/usr/lib32",
    "/usr/lib64",
    "/usr/local/bin",
    "/usr/local/lib",
    "/usr/local/lib64",
    "/etc/ld.so.cache",
    "/nix/store",
    "/gnu/store",
)
HARDWARE = (
    "/sys/kernel/mm/transparent_hugepage",  # without it malloc takes no huge pages
    "/sys/devices/system/cpu",
)
READABLE = (*SYSTEM, *HARDWARE, "/lib", "/lib64", "/proc/cpuinfo", "/proc/meminfo")
PARTS_OF_PYTHON = ("bin", "lib", "lib64", "pyvenv.cfg")
USR_LINKS = ("/bin", "/sbin", "/lib", "/lib64")
DEVICES = ("/dev/null", "/dev/zero", "/dev/random", "/dev/urandom")
CAPABILITIES = ("CAP_SETUID", "CAP_SETGID", "CAP_KILL")
# No usual plan for user ids gives these away.
FIRST_UID = 60800
LAST_UID = 61180


def view_of_python(worker: Path) -> tuple[list[str], list[str]]:
    """Return the files and folders that a worker process needs: its own, and all that this Python imports from.

    The package that contains ``worker`` stays hidden otherwise, even if it is installed among the others.

    Returns:
        Files and folders whose content is readable, and folders in which only names may be listed.
    """
    prefixes = {sys.prefix, sys.base_prefix, sys.exec_prefix, sys.base_exec_prefix}
    places: set[Path] = set()
    for prefix in prefixes:
        places.update(Path(prefix, part) for part in PARTS_OF_PYTHON)
    for folder in map(Path, site.getsitepackages()):
        places.add(folder)
        places.update(_linked_packages(folder))

    # Python asks for paths as they are written, and also with all links followed.
    existing = set[Path]()
    for place in places:
        if place.exists():
            existing |= {place, place.resolve()}

    # A place below another one, or below the system's folders, is readable anyway.
    outermost: list[Path] = []
    for place in sorted(existing, key=lambda path: len(path.parts)):
        folders_above = (*map(Path, SYSTEM), *outermost)
        if not any(place.is_relative_to(folder) for folder in folders_above):
            outermost.append(place)

    # Of a folder that contains the hidden package, take everything else one by one.
    hidden = worker.parent
    readable = {str(worker)}
    listable = set[str]()
    remaining = outermost
    while remaining:
        place = remaining.pop()
        if not hidden.is_relative_to(place.resolve()):
            readable.add(str(place))
        elif place.resolve() != hidden:
            listable.add(str(place))
            remaining += place.iterdir()
    return sorted(readable), sorted(listable)


def _linked_packages(folder: Path) -> Iterator[Path]:
    """Yield the targets of links in a folder of packages.

    Some installers fill it with links into a cache: to folders, or file by file.
    """
    if not folder.is_dir():
        return
    # Reading a folder says of each entry what it is; to ask again for thousands takes longer than all else here.
    with os.scandir(folder) as entries:
        for entry in entries:
            if entry.is_symlink():
                yield Path(entry.path).resolve()
            elif entry.is_dir():
                with os.scandir(entry.path) as files:
                    for file in files:
                        if file.is_symlink():
                            yield Path(file.path).resolve().parent


def packages_of_one_user() -> str:
    """Return the user's own folder of packages if NumPy is only there: no sandbox can read it."""
    find_spec = importlib.machinery.PathFinder.find_spec
    user_packages = site.getusersitepackages()
    if not find_spec("numpy", [user_packages]):
        return ""
    if find_spec("numpy", site.getsitepackages()):
        return ""
    return user_packages


def bubblewrap_command(readable: Iterable[str]) -> list[str]:
    """Return the bubblewrap command that goes before another command; ``readable`` is mounted read-only.

    As root the mounts are made with root's rights, so that an interpreter below a private home folder can
    be shown; the remaining capabilities serve only to change the user id afterwards. Nothing inside can be
    written to: a submission leaves nothing behind for the next one.
    """
    command = ["bwrap"]
    for namespace in ("ipc", "pid", "uts", "net"):
        command.append(f"--unshare-{namespace}")
    if not is_root():
        command.append("--unshare-user")
    # Without --as-pid-1 a submission could kill bubblewrap's own process 1.
    command += ["--as-pid-1", "--die-with-parent", "--new-session", "--cap-drop", "ALL"]
    if is_root():
        for capability in CAPABILITIES:
            command += ["--cap-add", capability]

    # The folders to mount in: created by name, they are open to every user of the sandbox.
    paths = list(dict.fromkeys((*SYSTEM, *HARDWARE, *readable)))
    folders_above = set[str]()
    for path in (*paths, *DEVICES, "/proc"):
        folders_above.update(map(str, PurePath(path).parents))
    for folder in sorted(folders_above - {"/"}):
        command += ["--dir", folder]

    for path in paths:
        command += ["--ro-bind-try", path, path]
    # Systems differ in whether /lib is a link to /usr/lib or a separate folder.
    for path in USR_LINKS:
        if os.path.islink(path):
            command += ["--symlink", os.readlink(path), path]
        else:
            command += ["--ro-bind-try", path, path]
    for path in DEVICES:
        command += ["--dev-bind", path, path]
    return [*command, "--proc", "/proc", "--remount-ro", "/", "--chdir", "/"]


def is_root() -> bool:
    """Return whether this process may change its user id."""
    return hasattr(os, "geteuid") and os.geteuid() == 0


class ClaimedUser:
    """A user id that no other sandbox has, whichever grader started it; given back by ``release``.

    The claim is a socket with its own name and no address: the kernel drops it with this process.

    Raises:
        RuntimeError: every user id is claimed.
    """

    def __init__(self) -> None:
        import pwd

        for uid in range(FIRST_UID, LAST_UID + 1):
            claim = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
            with contextlib.suppress(OSError):  # of a name that is bound already
                claim.bind(f"\0attention-homework-kit/sandbox-user/{uid}")
                try:
                    pwd.getpwuid(uid)
                except KeyError:  # no account has it either
                    self.uid = uid
                    self._claim = claim
                    return
            claim.close()
        raise RuntimeError(
            f"all user ids from {FIRST_UID} to {LAST_UID} are taken by other sandboxes"
        )

    def release(self) -> None:
        """Let another sandbox have the user id."""
        self._claim.close()
