"""Moodle, "Download all submissions": ``Ada Lovelace_12345_assignsubmission_file_``, as folders or flat."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Sequence

from autograder.intake.download import Item
from autograder.intake.naming import printable, shown
from autograder.intake.submission import Collected, Layout, Owner, Part, Reading

# The form follows mod_assign's downloader: the full name with spaces for underscores, or "Participant" where
# marking is blind, or a team's name; the number of the participant or team; the kind of submission. Newer
# versions leave out the last underscore of a folder, and everybody without a team shares one without number.
_FORM = re.compile(
    r"(?P<name>.*?)(?:_(?P<id>\d{1,19}))?_assignsubmission_(?P<kind>[a-z]+)(?:_(?P<file>.*))?", re.DOTALL
)


def share_of_moodle(items: Sequence[Item]) -> float:
    """Return how many of the items are named by Moodle, from 0 to 1."""
    return sum(_FORM.fullmatch(item.name) is not None for item in items) / max(1, len(items))


def read_moodle(items: Sequence[Item]) -> Reading:
    """Put together what each student handed in, as files and as online text."""
    students: defaultdict[str, list[tuple[Item, re.Match[str]]]] = defaultdict(list)
    strangers = []
    for item in items:
        found = _FORM.fullmatch(item.name)
        if found is None:
            strangers.append(item)
        else:
            students[found["id"] or found["name"]].append((item, found))
    collected = [_together(pieces) for pieces in students.values()]
    unknown = [one.name for one in collected if one.owner is None] + [item.name for item in strangers]
    collected += [Collected(item.name, (item.part(),)) for item in strangers]
    return Reading(Layout.MOODLE, tuple(collected), tuple(map(_unknown, unknown)))


def _together(pieces: Sequence[tuple[Item, re.Match[str]]]) -> Collected:
    found = pieces[0][1]
    parts = tuple(_part(item, one) for item, one in pieces)
    owner = Owner(found["id"], printable(found["name"])) if found["id"] else None
    return Collected("_".join(filter(None, (found["name"], found["id"]))), parts, owner)


def _part(item: Item, found: re.Match[str]) -> Part:
    return item.part("" if item.is_folder else found["file"] or item.name)


def _unknown(name: str) -> str:
    return f"{shown(name)} bears no student's number of Moodle: it counts as an unknown student's submission"
