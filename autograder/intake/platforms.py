"""Find out which platform a download comes from."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from autograder.intake.canvas import read_canvas, share_of_canvas
from autograder.intake.download import Item, items_of, items_within
from autograder.intake.gradescope import METADATA, read_gradescope, share_of_gradescope
from autograder.intake.moodle import read_moodle, share_of_moodle
from autograder.intake.naming import shown
from autograder.intake.submission import Layout, Reading, SubmissionError


@dataclass(frozen=True)
class _Platform:
    """How a platform names things, how many of some items it named, and what is read from them."""

    example: str
    share: Callable[[Sequence[Item]], float]
    read: Callable[[Sequence[Item], Collection[str]], Reading]


_PLATFORMS: Mapping[Layout, _Platform] = {
    Layout.GRADESCOPE: _Platform(METADATA, share_of_gradescope, lambda items, _: read_gradescope(items)),
    Layout.MOODLE: _Platform(
        "Ada Lovelace_12345_assignsubmission_file_", share_of_moodle, lambda items, _: read_moodle(items)
    ),
    Layout.CANVAS: _Platform("lovelaceada_12345_67890_scores.py", share_of_canvas, read_canvas),
}


def read_download(path: Path, layout: Layout, stubs: Collection[str] = (), *, alone: bool) -> Reading | str:
    """Return what students handed in through a platform, or "" or a note where a path is read as plain.

    The download may be a folder or a zip, and may lie in one folder of its own within it. Nobody but the
    caller can say that names like a platform's are not a student's own: with ``Layout.AUTO`` a path is a
    download only where most of its names are, no other path was named, and it is not the folder that a
    student handed in: what lies in the only folder of a folder is not looked at, only in that of a zip.

    Raises:
        SubmissionError: a platform's layout was asked for, and it is not this one; or its table is damaged.
    """
    refused = ""
    for items, is_students in _places(path) if layout is not Layout.PLAIN else ():
        for one, platform in _PLATFORMS.items():
            share = platform.share(items)
            is_like_it = share > 0 or any(item.name == platform.example for item in items)
            is_sure = share >= 0.5 and alone and not is_students
            if (is_like_it and layout is one) or (is_sure and layout is Layout.AUTO):
                return platform.read(items, stubs)
            if is_like_it and (share >= 0.5 or one is not Layout.CANVAS):  # its names may be anybody's
                refused = refused or (
                    f"{shown(path.name)} holds names like those of {one.capitalize()}, but was read as "
                    "submissions of students: where it is a download, name it alone and with --layout "
                    f"{one}"
                )
    if layout in _PLATFORMS:
        raise SubmissionError(
            f"{shown(str(path))} is not a download from {layout.capitalize()}, for nothing in it is named "
            f"like {_PLATFORMS[layout].example!r}: name another folder, or leave --layout out"
        )
    return refused


def _places(path: Path) -> Iterator[tuple[list[Item], bool]]:
    """Yield the items on top and those in the only folder, and whether a student may have named them."""
    top = items_of(path) or []
    yield top, False
    if len(top) == 1 and top[0].is_folder:
        with contextlib.suppress(OSError):
            yield items_within(top[0]), not top[0].member
