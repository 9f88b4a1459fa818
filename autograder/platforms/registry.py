"""The table of platforms: those of the kit, and those that installed distributions add."""

from __future__ import annotations

import functools
import importlib.metadata
from collections.abc import Mapping

from autograder.errors import KitError
from autograder.intake.submission import AUTO, PLAIN
from autograder.platforms.canvas import Canvas
from autograder.platforms.classroom import Classroom
from autograder.platforms.gradescope import Gradescope
from autograder.platforms.moodle import Moodle
from autograder.platforms.platform import Platform

ENTRY_POINTS = "autograder.platforms"
BUILT_IN: tuple[Platform, ...] = (Canvas(), Moodle(), Gradescope(), Classroom())
# Names of Moodle's flat downloads can have Canvas's form as well, so the more particular forms come first.
_RECOGNISED_FIRST = ("gradescope", "moodle")


class PlatformError(KitError):
    """An installed distribution adds a platform that cannot be used; the message names both."""


def platforms() -> dict[str, Platform]:
    """Return all platforms by name: those of the kit, then those of installed distributions.

    Raises:
        PlatformError: a platform of a distribution cannot be loaded, or its name is taken.
    """
    table: dict[str, Platform] = {platform.name: platform for platform in BUILT_IN}
    for entry_point in _added():
        added = (
            f"the platform {entry_point.name!r}, which {entry_point.value} adds to "
            f"{ENTRY_POINTS},"
        )
        if entry_point.name in (*table, AUTO, PLAIN):
            raise PlatformError(f"{added} has a name that is taken: rename it")
        try:
            platform = entry_point.load()()
        except Exception as error:  # a stranger's module may raise anything
            reason = f"{type(error).__name__}: {error}"
            raise PlatformError(
                f"{added} cannot be loaded ({reason}): update or uninstall its distribution"
            ) from error
        if getattr(platform, "name", None) != entry_point.name:
            raise PlatformError(
                f"{added} calls itself {getattr(platform, 'name', None)!r}: "
                "its attribute `name` must be that of the entry point"
            )
        table[entry_point.name] = platform
    return table


@functools.cache  # to look through all that is installed takes longer than a submission
def _added() -> importlib.metadata.EntryPoints:
    return importlib.metadata.entry_points(group=ENTRY_POINTS)


def in_order_of_recognition() -> Mapping[str, Platform]:
    """Return all platforms by name, in the order in which a download is compared with them.

    Added ones come first: Canvas's form of names is so loose that it would take their downloads.
    """
    table = platforms()
    built_in = [platform.name for platform in BUILT_IN]
    added = []
    for name in table:
        if name not in built_in:
            added.append(name)
    names = dict.fromkeys([*added, *_RECOGNISED_FIRST, *built_in])
    return {name: table[name] for name in names}


def layouts() -> list[str]:
    """Return the values of ``--layout``."""
    return [AUTO, PLAIN, *platforms()]
