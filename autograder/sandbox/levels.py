"""Levels of protection: what this machine offers, which level is chosen, and what each one is worth."""

from __future__ import annotations

import functools
import importlib
import importlib.util
import shutil
import signal
import subprocess
import sys
from dataclasses import dataclass
from typing import Any

from autograder.sandbox.isolation import bubblewrap_command, is_root

PROBE_SECONDS = 20


@dataclass(frozen=True)
class Offer:
    """One layer on this machine: whether it works, and otherwise why not and what to do."""

    layer: str
    works: bool
    protects: str
    remedy: str = ""


@dataclass(frozen=True)
class Level:
    """A set of layers with a name that goes into the gradebook."""

    name: str
    layers: tuple[str, ...]
    promise: str

    @property
    def contains_hostile_code(self) -> bool:
        """Whether submissions of strangers may be graded without ``--unsafe``."""
        return "seccomp" in self.layers and ("landlock" in self.layers or "namespaces" in self.layers)


FULL = Level(
    "full",
    ("namespaces", "own-user", "landlock", "seccomp", "private-memory", "rlimits"),
    "own process, network and file namespaces, read-only system, no network, no new processes",
)
NO_LANDLOCK = Level(
    "no-landlock",
    ("namespaces", "own-user", "seccomp", "private-memory", "rlimits"),
    "as full, but on a kernel without Landlock: one layer less between a submission and the system's files",
)
NO_NAMESPACES = Level(
    "no-namespaces",
    ("own-user", "landlock", "seccomp", "private-memory", "rlimits"),
    "only the Python installation is readable, no network, no new processes",
)
PROCESS_ONLY = Level(
    "process-only",
    ("private-memory", "rlimits"),
    "a process of its own with limits: a guard against accidents, not against malice",
)
LEVELS = (FULL, NO_LANDLOCK, NO_NAMESPACES, PROCESS_ONLY)
ROOT_ONLY = "own-user"  # part of every level, in force only where we are root


def offers() -> list[Offer]:
    """Say for each layer whether it works here, tried out, not guessed."""
    has_rlimits, has_timers = sys.platform != "win32", hasattr(signal, "setitimer")
    return [
        _offer_namespaces(),
        Offer(
            ROOT_ONLY,
            is_root(),
            "keeps submissions from the files, processes and limits of every other user",
            "" if is_root() else "only root can give user ids away",
        ),
        _offer_landlock(),
        _offer_seccomp(),
        Offer(
            "rlimits",
            has_rlimits,
            "caps processor time, memory, open files and file sizes",
            "" if has_rlimits else "Windows has none; time is still limited",
        ),
        # Part of no level, for it guards this side: reading and judging have a budget for each submission.
        Offer(
            "watchdog",
            has_timers,
            "ends reading or judging a submission that takes too long, and grades the others on",
            "" if has_timers else "Windows has no such timers; grade on Linux",
        ),
    ]


@functools.cache
def strongest_level() -> Level:
    """Return the strongest level all of whose layers work here."""
    working = {offer.layer for offer in offers() if offer.works} | {ROOT_ONLY, "private-memory"}
    return next(level for level in LEVELS if working.issuperset(level.layers) or level is PROCESS_ONLY)


def level_named(name: str) -> Level:
    """Return the level of that name."""
    return next(level for level in LEVELS if level.name == name)


def _offer_namespaces() -> Offer:
    protects = "hides other processes, the network, shared memory and all files but the Python installation"
    if sys.platform != "linux":
        return Offer("namespaces", False, protects, "only Linux has namespaces; grade on Linux or in a VM")
    if shutil.which("bwrap") is None:
        return Offer("namespaces", False, protects, "install bubblewrap: apt-get install bubblewrap")
    command = [*bubblewrap_command([]), "true"]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=PROBE_SECONDS, check=False)
    except (OSError, subprocess.TimeoutExpired) as error:
        return Offer("namespaces", False, protects, f"bubblewrap does not run: {error}")
    if done.returncode != 0:
        reason = done.stderr.strip().splitlines()[-1:] or ["no reason given"]
        return Offer("namespaces", False, protects, f"this kernel or container refuses them ({reason[0]})")
    return Offer("namespaces", True, protects)


def _offer_landlock() -> Offer:
    protects = "denies reading outside the Python installation, all writing, TCP, signals to others"
    if sys.platform != "linux" or importlib.util.find_spec("landlockpy") is None:
        return Offer("landlock", False, protects, "Linux only: pip install landlockpy")
    import landlockpy

    if not landlockpy.abi_version():
        return Offer("landlock", False, protects, "needs Linux 5.13 or newer with Landlock switched on")
    return Offer("landlock", True, protects)


def _offer_seccomp() -> Offer:
    protects = "denies system calls for processes, network, debugging, mounting, shared memory"
    if sys.platform != "linux" or importlib.util.find_spec("pyseccomp") is None:
        return Offer("seccomp", False, protects, "Linux only: pip install pyseccomp")
    try:
        pyseccomp: Any = importlib.import_module("pyseccomp")  # it has no types
        pyseccomp.SyscallFilter(pyseccomp.ALLOW)
    except (ImportError, OSError, RuntimeError) as error:
        return Offer("seccomp", False, protects, f"install libseccomp: apt-get install libseccomp2 ({error})")
    return Offer("seccomp", True, protects)
