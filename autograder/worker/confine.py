"""Confinement of a student's process: what it may read, which system calls it may make, which user it is.

Prepared once in the warm process and proved there in a child, then applied after each fork, before any of the
student's code. A layer that was asked for and cannot be prepared, applied or proved raises an error; none is
left out silently.
"""

from __future__ import annotations

import os
import socket
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from autograder.worker.filter import compile_filter, load_filter
from autograder.worker.limits import become, drop_capabilities, refuse_new_privileges

DEVICES = ("/dev/null", "/dev/zero", "/dev/urandom", "/dev/random")


class LayerError(RuntimeError):
    """A protection that was chosen is not available; the run must stop."""


@dataclass(frozen=True)
class Confinement:
    """The layers of one zygote, applied in each child in this order, for good."""

    layers: tuple[str, ...]
    uid: int | None
    _without_capabilities: bool
    _landlock: Any
    _filter: bytes | None

    @property
    def descriptor(self) -> int | None:
        """The Landlock ruleset's descriptor, which must survive until ``apply``."""
        return None if self._landlock is None else int(self._landlock.fileno())

    def become_nobody(self) -> None:
        """Give up root for a user id of this sandbox's own, or at least its powers where there is none."""
        if self.uid is not None:
            become(self.uid)
        if self._without_capabilities:
            drop_capabilities()

    def apply(self) -> None:
        """Lock this process in; there is no way back."""
        refuse_new_privileges()
        if self._landlock is not None:
            self._landlock.restrict()
            self._landlock.close()
        if self._filter is not None:
            load_filter(self._filter)

    def complaint(self) -> str:
        """Lock this process in and see each layer refuse what it is there for.

        Returns:
            What a layer let through, or what every submission needs and cannot have; else nothing.
        """
        self.become_nobody()
        self.apply()
        if self.uid is not None and os.getresuid() != (self.uid,) * 3:
            return "own-user: the user id was not changed"
        if self._landlock is not None and not _is_refused(lambda: os.listdir("/")):
            return "landlock: a folder outside the Python installation can be read"
        if self._filter is not None and not _is_refused(
            lambda: socket.socket(socket.AF_UNIX).close()
        ):
            return "seccomp: a socket can be made"
        if not _python_is_readable():
            return f"the Python installation cannot be read any more from inside ({', '.join(self.layers)})"
        return ""


def prepare(config: Mapping[str, Any]) -> Confinement:
    """Prepare the layers that the configuration names, and prove them in a child of this process.

    ``own-user`` is missing in the result's ``layers`` where we are not root, and where that user could not
    read the Python installation, as with an interpreter below a private home folder. Capabilities go anyway.

    Args:
        config: ``layers`` (names), ``readable`` and ``listable`` (folders and files), ``uid`` (or None).

    Raises:
        LayerError: a named layer is not available here, or does not hold.
    """
    uid = config["uid"]

    def complaint_as_that_user() -> str:
        become(uid)
        return "" if _python_is_readable() else "unreadable"

    if uid is not None and _in_a_child(complaint_as_that_user):
        uid = None
    layers = tuple(
        name for name in config["layers"] if name != "own-user" or uid is not None
    )
    landlock = _prepare_landlock(config) if "landlock" in layers else None
    try:
        system_calls = compile_filter() if "seccomp" in layers else None
    except (ImportError, OSError, RuntimeError) as error:
        raise LayerError(f"seccomp cannot be used: {error}") from error
    confinement = Confinement(
        layers, uid, "own-user" in config["layers"], landlock, system_calls
    )
    if complaint := _in_a_child(confinement.complaint):
        raise LayerError(complaint)
    return confinement


def _python_is_readable() -> bool:
    """Whether the folders of the standard library and of the packages can be listed, and files read."""
    try:
        for module in (os, np):
            os.listdir(os.path.dirname(str(module.__file__)))
            with open(str(module.__file__), "rb") as file:
                file.read(1)
    except OSError:
        return False
    return True


def _prepare_landlock(config: Mapping[str, Any]) -> Any:
    """Allow reading below some folders, and no writing, executing, TCP, or signals and sockets to others."""
    try:
        import landlockpy as landlock

        if not landlock.abi_version():
            raise LayerError("Landlock is switched off in this kernel")
        ruleset = landlock.Ruleset(
            scoped=landlock.Scope.SIGNAL | landlock.Scope.ABSTRACT_UNIX_SOCKET
        )
        access = landlock.AccessFS
        for path in filter(os.path.exists, config["readable"]):
            ruleset.allow_path(
                path, access.READ_FILE | (access.READ_DIR if os.path.isdir(path) else 0)
            )
        for path in filter(os.path.isdir, config["listable"]):
            ruleset.allow_path(path, access.READ_DIR)
        for path in filter(os.path.exists, DEVICES):
            ruleset.allow_path(path, access.READ_FILE | access.WRITE_FILE)
    except (ImportError, OSError) as error:
        raise LayerError(f"Landlock cannot be used: {error}") from error
    return ruleset


def _is_refused(attempt: Callable[[], object]) -> bool:
    try:
        attempt()
    except OSError:
        return True
    return False


def _in_a_child(complain: Callable[[], str]) -> str:
    """Call a function in a forked process and return its complaint; dying is a complaint too."""
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            os.write(writer, complain().encode())
            os._exit(0)
        except BaseException as error:  # also a layer that cannot be applied at all
            os.write(writer, f"{type(error).__name__}: {error}".encode())
        finally:
            os._exit(1)
    os.close(writer)
    with os.fdopen(reader, "rb") as pipe:
        complaint = pipe.read().decode("utf-8", "replace")
    _, status = os.waitpid(child, 0)
    return complaint or (
        "" if status == 0 else f"a confined process died (status {status})"
    )
