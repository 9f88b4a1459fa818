"""Confine a student's process: its readable files, its system calls and its user.

The layers are prepared once in the warm process and proved there in a child. They are applied after each fork,
before any of the student's code. A layer that was chosen and cannot be prepared, applied or proved raises an
error; no layer is left out silently.
"""

from __future__ import annotations

import os
import socket
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from autograder.worker.filter import compile_filter, load_filter
from autograder.worker.layers import Layer
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
        """The Landlock ruleset's descriptor, which must stay open until ``apply``."""
        if self._landlock is None:
            return None
        return int(self._landlock.fileno())

    def become_nobody(self) -> None:
        """Give up root for the sandbox's user id; if it has none, give up at least root's powers."""
        if self.uid is not None:
            become(self.uid)
        if self._without_capabilities:
            drop_capabilities()

    def apply(self) -> None:
        """Lock this process in for good."""
        refuse_new_privileges()
        if self._landlock is not None:
            self._landlock.restrict()
            self._landlock.close()
        if self._filter is not None:
            load_filter(self._filter)

    def complaint(self) -> str:
        """Lock this process in and try what each layer must refuse.

        Returns:
            What a layer let through, or what every submission needs and cannot have; else an empty text.
        """
        self.become_nobody()
        self.apply()
        if self.uid is not None and os.getresuid() != (self.uid,) * 3:
            return "own-user: the user id was not changed"
        if self._landlock is not None and not _is_refused(_list_the_root):
            return "landlock: a folder outside the Python installation can be read"
        if self._filter is not None and not _is_refused(_make_a_socket):
            return "seccomp: a socket can be made"
        if not _python_is_readable():
            return f"the Python installation cannot be read any more from inside ({', '.join(self.layers)})"
        return ""


def prepare(config: Mapping[str, Any]) -> Confinement:
    """Prepare the layers that the configuration names, and prove in a child of this process that they hold.

    ``own-user`` is missing in the result's ``layers`` if this process is not root, or if that user could not
    read the Python installation. Capabilities are given up in any case.

    Args:
        config: ``layers`` by name; the ``uid`` to run under or None; the files and folders that are
            ``readable``, and the folders that are only ``listable``.

    Raises:
        LayerError: a named layer is not available here, or does not hold.
    """
    uid = config["uid"]
    chosen_layers = config["layers"]

    def complaint_as_that_user() -> str:
        become(uid)
        return "" if _python_is_readable() else "unreadable"

    # An interpreter below a home folder of mode 0700 is readable for root only. Then the process keeps root's
    # id, without its powers.
    if uid is not None and _in_a_child(complaint_as_that_user):
        uid = None
    layers = []
    for layer in chosen_layers:
        if layer != Layer.OWN_USER or uid is not None:
            layers.append(layer)
    landlock = None
    if Layer.LANDLOCK in layers:
        landlock = _prepare_landlock(config)
    system_calls = None
    if Layer.SECCOMP in layers:
        try:
            system_calls = compile_filter()
        except (ImportError, OSError, RuntimeError) as error:
            raise LayerError(f"seccomp cannot be used: {error}") from error
    without_capabilities = Layer.OWN_USER in chosen_layers
    confinement = Confinement(
        tuple(layers), uid, without_capabilities, landlock, system_calls
    )
    complaint = _in_a_child(confinement.complaint)
    if complaint:
        raise LayerError(complaint)
    return confinement


def _list_the_root() -> None:
    os.listdir("/")


def _make_a_socket() -> None:
    socket.socket(socket.AF_UNIX).close()


def _is_refused(attempt: Callable[[], object]) -> bool:
    try:
        attempt()
    except OSError:
        return True
    return False


def _python_is_readable() -> bool:
    """Return whether the folders of the standard library and the packages can be listed, and files in them read."""
    try:
        for module in (os, np):
            file_name = str(module.__file__)
            os.listdir(os.path.dirname(file_name))
            with open(file_name, "rb") as file:
                file.read(1)
    except OSError:
        return False
    return True


def _prepare_landlock(config: Mapping[str, Any]) -> Any:
    """Allow reading below some folders; refuse writing, executing, TCP, and signals and sockets to others."""
    try:
        import landlockpy as landlock

        if not landlock.abi_version():
            raise LayerError("Landlock is switched off in this kernel")
        ruleset = landlock.Ruleset(
            scoped=landlock.Scope.SIGNAL | landlock.Scope.ABSTRACT_UNIX_SOCKET
        )
        access = landlock.AccessFS
        for path in filter(os.path.exists, config["readable"]):
            rights = access.READ_FILE
            if os.path.isdir(path):
                rights |= access.READ_DIR
            ruleset.allow_path(path, rights)
        for path in filter(os.path.isdir, config["listable"]):
            ruleset.allow_path(path, access.READ_DIR)
        for path in filter(os.path.exists, DEVICES):
            ruleset.allow_path(path, access.READ_FILE | access.WRITE_FILE)
    except (ImportError, OSError) as error:
        raise LayerError(f"Landlock cannot be used: {error}") from error
    return ruleset


def _in_a_child(complain: Callable[[], str]) -> str:
    """Call a function in a forked process and return its complaint; a death is a complaint too."""
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            os.write(writer, complain().encode())
            os._exit(0)
        except BaseException as error:  # also of a layer that cannot be applied at all
            os.write(writer, f"{type(error).__name__}: {error}".encode())
        finally:
            os._exit(1)
    os.close(writer)
    with os.fdopen(reader, "rb") as pipe:
        complaint = pipe.read().decode("utf-8", "replace")
    _, status = os.waitpid(child, 0)
    if not complaint and status != 0:
        return f"a confined process died (status {status})"
    return complaint
