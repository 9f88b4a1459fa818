"""Find out which platform a download comes from."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from pathlib import Path

from autograder.submissions.canvas import read_canvas, share_of_canvas
from autograder.submissions.download import Item, items_of, items_within
from autograder.submissions.gradescope import is_gradescope, read_gradescope
from autograder.submissions.layout import Layout, Reading
from autograder.submissions.model import SubmissionError
from autograder.submissions.moodle import is_moodle, read_moodle
from autograder.submissions.naming import shown

_EXAMPLES = {
    Layout.CANVAS: "lovelaceada_12345_67890_scores.py",
    Layout.MOODLE: "Ada Lovelace_12345_assignsubmission_file_",
    Layout.GRADESCOPE: "submission_metadata.yml",
}
_READERS: Mapping[Layout, Callable[[Sequence[Item], Collection[str]], Reading]] = {
    Layout.GRADESCOPE: lambda items, _: read_gradescope(items),
    Layout.MOODLE: lambda items, _: read_moodle(items),
    Layout.CANVAS: read_canvas,
}


def read_download(path: Path, layout: Layout, stubs: Collection[str] = ()) -> Reading | None:
    """Return what students handed in through a platform, or None where the layout is plain.

    The download may be a folder or a zip, and may lie in one folder of its own within it.

    Raises:
        SubmissionError: another layout than a plain one was asked for, and it is not this one.
    """
    top = None if layout is Layout.PLAIN else items_of(path)
    for items in _places(top or []):
        for one in _READERS:
            if layout in (one, Layout.AUTO) and _suits(one, items, forced=layout is one):
                return _READERS[one](items, stubs)
    if layout in _EXAMPLES:
        raise SubmissionError(
            f"{shown(str(path))} is no download from {layout.capitalize()}, for nothing in it is named like "
            f"{_EXAMPLES[layout]!r}: name another folder, or leave --layout out"
        )
    return None


def _places(top: list[Item]) -> list[list[Item]]:
    """Return the items on top and, where there is only one folder, those in it."""
    inner = items_within(top[0]) if len(top) == 1 and top[0].is_folder else []
    return [top, inner]


def _suits(layout: Layout, items: Sequence[Item], *, forced: bool) -> bool:
    """Whether items may come from a platform; names like those of Canvas may also be a student's own."""
    if layout is Layout.GRADESCOPE:
        return is_gradescope(items)
    if layout is Layout.MOODLE:
        return is_moodle(items)
    share = share_of_canvas(items)
    return share > 0 if forced else share >= 0.5
