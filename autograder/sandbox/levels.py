"""Isolation levels: their promises, the layers that work on this machine, and the choice of a level."""

from __future__ import annotations

import functools
import importlib
import importlib.util
import shutil
import signal
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from autograder.sandbox.isolation import bubblewrap_command, is_root
from autograder.worker.layers import Layer

PROBE_SECONDS = 20


@dataclass(frozen=True)
class LayerStatus:
    """A layer on this machine.

    Attributes:
        layer: its name.
        works: whether it works here.
        protects: what it protects from, in words.
        reason: why it does not work, and what to do; empty if it works.
    """

    layer: str
    works: bool
    protects: str
    reason: str = ""


@dataclass(frozen=True)
class Level:
    """A set of layers with a name that goes into the gradebook."""

    name: str
    layers: tuple[str, ...]
    promise: str

    @property
    def confines_hostile_code(self) -> bool:
        """Whether submissions of strangers may be graded without ``--unsafe``."""
        return Layer.SECCOMP in self.layers and (
            Layer.LANDLOCK in self.layers or Layer.NAMESPACES in self.layers
        )


FULL = Level(
    "full",
    (
        Layer.NAMESPACES,
        Layer.OWN_USER,
        Layer.LANDLOCK,
        Layer.SECCOMP,
        Layer.PRIVATE_MEMORY,
        Layer.RLIMITS,
    ),
    "own process, network and file namespaces, read-only system, no network, no new processes",
)
NO_LANDLOCK = Level(
    "no-landlock",
    (
        Layer.NAMESPACES,
        Layer.OWN_USER,
        Layer.SECCOMP,
        Layer.PRIVATE_MEMORY,
        Layer.RLIMITS,
    ),
    "as full, but on a kernel without Landlock: one layer less between a submission and the system's files",
)
NO_NAMESPACES = Level(
    "no-namespaces",
    (
        Layer.OWN_USER,
        Layer.LANDLOCK,
        Layer.SECCOMP,
        Layer.PRIVATE_MEMORY,
        Layer.RLIMITS,
    ),
    "only the Python installation is readable, no network, no new processes",
)
PROCESS_ONLY = Level(
    "process-only",
    (Layer.PRIVATE_MEMORY, Layer.RLIMITS),
    "a separate process with limits: protects against accidents, not attacks",
)
LEVELS = (FULL, NO_LANDLOCK, NO_NAMESPACES, PROCESS_ONLY)
PROTECTS: Mapping[str, str] = {
    Layer.NAMESPACES: "hides other processes, network, shared memory and all files but the Python installation",
    Layer.OWN_USER: "keeps submissions from the files, processes and limits of every other user",
    Layer.LANDLOCK: "denies reading outside the Python installation, all writing, TCP, signals to others",
    Layer.SECCOMP: "denies system calls for processes, network, debugging, mounting, shared memory",
    Layer.RLIMITS: "caps processor time, memory, open files and file sizes",
    # Part of no level, because it guards the grader: reading and judging have a budget for each submission.
    "watchdog": "ends reading or judging a submission that takes too long, and grades the others on",
}


def layer_statuses() -> list[LayerStatus]:
    """Try out each layer on this machine, and report whether it works."""
    troubles: dict[str, str] = {
        Layer.NAMESPACES: _trouble_with_namespaces(),
        Layer.OWN_USER: "" if is_root() else "only root can assign other user ids",
        Layer.LANDLOCK: _trouble_with_landlock(),
        Layer.SECCOMP: _trouble_with_seccomp(),
        Layer.RLIMITS: "",
        "watchdog": "",
    }
    if sys.platform == "win32":
        troubles[Layer.RLIMITS] = "Windows has none; time is still limited"
    if not hasattr(signal, "setitimer"):
        troubles["watchdog"] = "Windows has no such timers; grade on Linux"
    return [
        LayerStatus(layer, not trouble, PROTECTS[layer], trouble)
        for layer, trouble in troubles.items()
    ]


@functools.cache
def strongest_level() -> Level:
    """Return the strongest level whose layers all work here."""
    # Two layers rule out no level: a user id is given away only as root, and memory can always be closed.
    working: set[str] = {Layer.OWN_USER, Layer.PRIVATE_MEMORY}
    for status in layer_statuses():
        if status.works:
            working.add(status.layer)
    for level in LEVELS:
        if working.issuperset(level.layers):
            return level
    return PROCESS_ONLY


# Each returns why a layer does not work here and what to do, or an empty text.


def _trouble_with_namespaces() -> str:
    if sys.platform != "linux":
        return "only Linux has namespaces; grade on Linux or in a VM"
    if shutil.which("bwrap") is None:
        return "install bubblewrap: apt-get install bubblewrap"
    command = [*bubblewrap_command([]), "true"]
    try:
        process = subprocess.run(
            command, capture_output=True, text=True, timeout=PROBE_SECONDS, check=False
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        return f"bubblewrap does not run: {error}"
    if process.returncode == 0:
        return ""
    lines = process.stderr.strip().splitlines() or ["no reason given"]
    reason = lines[-1]
    return f"this kernel or container refuses them ({reason}); see docs/installing.md, In a container"


def _trouble_with_landlock() -> str:
    if sys.platform != "linux" or importlib.util.find_spec("landlockpy") is None:
        return "Linux only: pip install landlockpy"
    import landlockpy

    try:
        works = landlockpy.abi_version()
    except OSError as error:  # of a container's filter that does not know the calls
        return f"this container refuses it ({error}): run it with a newer Docker, 23 or later"
    if works:
        return ""
    return "needs Linux 5.13 or newer with Landlock switched on"


def _trouble_with_seccomp() -> str:
    if sys.platform != "linux" or importlib.util.find_spec("pyseccomp") is None:
        return "Linux only: pip install pyseccomp"
    try:
        pyseccomp: Any = importlib.import_module("pyseccomp")  # it has no types
        pyseccomp.SyscallFilter(pyseccomp.ALLOW)
    except (ImportError, OSError, RuntimeError) as error:
        return f"install libseccomp: apt-get install libseccomp2 ({error})"
    return ""
