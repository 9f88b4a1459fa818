"""What a sandbox sees of the file system, its namespaces, and the user id that it runs under.

It sees the system's libraries and this Python. Folders are named as narrowly as imports allow, because a
course may lie beside, or even inside, the folders that Python is installed in.
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
    *(f"/usr/{name}" for name in ("bin", "sbin", "lib", "lib32", "lib64")),
    *(f"/usr/local/{name}" for name in ("bin", "lib", "lib64")),
    "/etc/ld.so.cache",
    "/nix/store",
    "/gnu/store",
)
HARDWARE = (
    "/sys/kernel/mm/transparent_hugepage",
    "/sys/devices/system/cpu",
)  # the first: huge pages
READABLE = (*SYSTEM, *HARDWARE, "/lib", "/lib64", "/proc/cpuinfo", "/proc/meminfo")
PARTS_OF_PYTHON = ("bin", "lib", "lib64", "pyvenv.cfg")
USR_LINKS = ("/bin", "/sbin", "/lib", "/lib64")
DEVICES = ("/dev/null", "/dev/zero", "/dev/random", "/dev/urandom")
CAPABILITIES = ("CAP_SETUID", "CAP_SETGID", "CAP_KILL")
FIRST_UID, LAST_UID = 60800, 61180  # left free by the usual plans for user ids


def view_of_python(worker: Path) -> tuple[list[str], list[str]]:
    """Return what a worker process needs: its own folder and every place that this Python imports from.

    The rest of the package that ``worker`` lies in stays hidden, even where the package is installed among
    the others.

    Returns:
        Files and folders whose content is readable, and folders in which only names may be listed.
    """
    prefixes = {sys.prefix, sys.base_prefix, sys.exec_prefix, sys.base_exec_prefix}
    places = {Path(prefix, part) for prefix in prefixes for part in PARTS_OF_PYTHON}
    for folder in map(Path, site.getsitepackages()):
        places |= {folder, *_linked_packages(folder)}
    # Python asks for paths as they are written, and also with all links followed.
    written = {place for place in places if place.exists()}
    kept: list[Path] = []
    for place in sorted(
        written | {one.resolve() for one in written}, key=lambda path: len(path.parts)
    ):
        # What lies below another place or below the system's folders is readable anyway.
        if not any(
            place.is_relative_to(above) for above in (*map(Path, SYSTEM), *kept)
        ):
            kept.append(place)
    hidden, readable, listable = worker.parent, {str(worker)}, set()
    while kept:
        place = kept.pop()
        if not hidden.is_relative_to(place.resolve()):
            readable.add(str(place))
        elif place.resolve() != hidden:  # everything in it but the hidden folder
            listable.add(str(place))
            kept += place.iterdir()
    return sorted(readable), sorted(listable)


def _linked_packages(folder: Path) -> Iterator[Path]:
    """Some installers fill the folder of packages with links into a cache: to folders, or file by file."""
    for entry in folder.iterdir() if folder.is_dir() else ():
        if entry.is_symlink():
            yield entry.resolve()
        elif entry.is_dir():
            yield from {
                file.resolve().parent for file in entry.iterdir() if file.is_symlink()
            }


def packages_of_one_user() -> str:
    """Return the user's own folder of packages where NumPy is in no other: no sandbox can read it."""
    find, home = importlib.machinery.PathFinder.find_spec, site.getusersitepackages()
    return (
        home
        if find("numpy", [home]) and not find("numpy", site.getsitepackages())
        else ""
    )


def bubblewrap_command(readable: Iterable[str]) -> list[str]:
    """Return the words before the command to run; ``readable`` is mounted read-only at its own place.

    As root the mounts are made with root's rights, so that an interpreter below a private home folder can
    be shown; the capabilities that remain serve only to change the user id afterwards. Nothing inside can
    be written to: a submission leaves nothing behind for the next one.
    """
    command = [
        "bwrap",
        "--unshare-ipc",
        "--unshare-pid",
        "--unshare-uts",
        "--unshare-net",
    ]
    command += [] if is_root() else ["--unshare-user"]
    command += ["--as-pid-1", "--die-with-parent", "--new-session", "--cap-drop", "ALL"]
    command += (
        [word for name in CAPABILITIES for word in ("--cap-add", name)]
        if is_root()
        else []
    )
    paths = list(dict.fromkeys((*SYSTEM, *HARDWARE, *readable)))
    # The folders that mounts are made in: made by name, they are open to every user of the sandbox.
    above = {
        str(parent)
        for path in (*paths, *DEVICES, "/proc")
        for parent in PurePath(path).parents
    }
    command += [word for folder in sorted(above - {"/"}) for word in ("--dir", folder)]
    command += [word for path in paths for word in ("--ro-bind-try", path, path)]
    for path in (
        USR_LINKS
    ):  # systems differ in whether /lib is a link to /usr/lib or a folder of its own
        is_link = os.path.islink(path)
        command += (
            ["--symlink", os.readlink(path), path]
            if is_link
            else ["--ro-bind-try", path, path]
        )
    command += [word for path in DEVICES for word in ("--dev-bind", path, path)]
    return [*command, "--proc", "/proc", "--remount-ro", "/", "--chdir", "/"]


def is_root() -> bool:
    """Whether this process may change its user id."""
    return hasattr(os, "geteuid") and os.geteuid() == 0


class ClaimedUser:
    """A user id that no other sandbox holds, whichever grader started it; given back by ``release``.

    The claim is a socket with a name of its own and no address: the kernel drops it with this process.
    """

    def __init__(self) -> None:
        import pwd

        for uid in range(FIRST_UID, LAST_UID + 1):
            claim = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
            with contextlib.suppress(OSError):
                claim.bind(f"\0attention-homework-kit/sandbox-user/{uid}")
                try:
                    pwd.getpwuid(uid)
                except KeyError:  # no account has it either
                    self.uid, self._claim = uid, claim
                    return
            claim.close()
        raise RuntimeError(
            f"all user ids from {FIRST_UID} to {LAST_UID} are taken by other sandboxes"
        )

    def release(self) -> None:
        """Let another sandbox have the user id."""
        self._claim.close()
