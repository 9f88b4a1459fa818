"""What a batch asks of every worker: plain data that is sent to each of them once."""

from __future__ import annotations

import io
import platform
import zipfile
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path

from autograder import __version__
from autograder.course import LIBRARIES, Course
from autograder.errors import KitError
from autograder.judging import Plan
from autograder.records import fingerprint_graders
from autograder.sandbox import LEVELS, Level, level_named, strongest_level


class ClusterError(KitError):
    """The cluster cannot be used as it is; the message says what to do."""


@dataclass(frozen=True)
class Duty:
    """One batch: ``course`` is the zipped course, ``graders`` the fingerprint that a worker must have too.

    ``weakest`` names the isolation level that a worker must reach, or is None where any will do.
    """

    batch: str
    course: bytes
    seed: int
    chosen: tuple[str, ...]
    graders: str
    versions: str
    weakest: str | None

    def plan(self, folder: Path) -> Plan:
        """Unpack the course into an empty folder and return the batch's plan there."""
        with zipfile.ZipFile(io.BytesIO(self.course)) as archive:
            archive.extractall(folder)
        return Plan(Course(folder), self.seed, self.chosen)


def duty_of(batch: str, plan: Plan, level: Level | None) -> Duty:
    """Return what a plan asks of every worker, with what grading reads of its course."""
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        for root in (plan.course.solutions, plan.course.reference_outputs):
            for path in sorted(root.rglob("*")):
                if path.is_file() and "__pycache__" not in path.parts:
                    archive.write(path, path.relative_to(plan.course.root))
    graders = fingerprint_graders(plan.course, plan.seed, plan.chosen)
    weakest = None if level is None else level.name
    return Duty(batch, packed.getvalue(), plan.seed, plan.chosen, graders, versions(), weakest)


def versions() -> str:
    """Name the versions that grades depend on."""
    parts = [f"kit {__version__}", f"Python {platform.python_version()}"]
    return ", ".join([*parts, *(f"{name} {version(name)}" for name in LIBRARIES)])


def shortcoming(duty: Duty, plan: Plan) -> str:
    """Say why this process may not grade the batch; empty where it may."""
    here = strongest_level()
    if duty.weakest and LEVELS.index(here) > LEVELS.index(level_named(duty.weakest)):
        return (
            f"it protects only at the level {here.name}, and this batch asks for {duty.weakest}: see "
            "`autograder doctor` there, or grade with --unsafe"
        )
    if versions() != duty.versions:
        return f"it has {versions()}; the driver has {duty.versions}: install the same"
    if fingerprint_graders(plan.course, plan.seed, plan.chosen) != duty.graders:
        return "its graders are not the driver's, though the versions agree: install the same files"
    return ""
