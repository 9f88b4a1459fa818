"""The outer wall: a bubblewrap command line with own namespaces and a read-only view of the system."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path, PurePath

from autograder.sandbox.readable import HARDWARE, SYSTEM

USR_LINKS = ("bin", "sbin", "lib", "lib64")
DEVICES = ("/dev/null", "/dev/zero", "/dev/random", "/dev/urandom")
CAPABILITIES = ("CAP_SETUID", "CAP_SETGID", "CAP_KILL")


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
