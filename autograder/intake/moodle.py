"""Moodle, "Download all submissions": ``Ada Lovelace_12345_assignsubmission_file_``, as folders or flat."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Sequence

from autograder.intake.download import Item
from autograder.intake.naming import printable, shown
from autograder.intake.submission import Collected, Layout, Owner, Reading

# The form follows mod_assign's downloader: the full name with spaces for underscores, or "Participant" where
# marking is blind, or a team's name; the number of the participant or team; the kind of submission. Newer
# versions leave out the last underscore of a folder, and everybody without a team shares one without number.
_FORM = re.compile(
    r"(?P<name>.*?)(?:_(?P<id>\d{1,19}))?_assignsubmission_(?P<kind>[a-z]+)(?:_(?P<file>.*))?", re.DOTALL
)


def share_of_moodle(items: Sequence[Item]) -> float:
    """Return the share of the items that are named by Moodle, from 0 to 1."""
    return sum(_FORM.fullmatch(item.name) is not None for item in items) / max(1, len(items))


def read_moodle(items: Sequence[Item]) -> Reading:
    """Put together what each student handed in, as files and as online text."""
    students: defaultdict[str, list[tuple[Item, re.Match[str]]]] = defaultdict(list)
    strangers = []
    for item in items:
        if found := _FORM.fullmatch(item.name):
            students[found["id"] or found["name"]].append((item, found))
        else:
            strangers.append(Collected(item.name, (item.part(),)))
    collected = []
    for pieces in students.values():
        name, number = pieces[0][1]["name"], pieces[0][1]["id"]
        parts = tuple(item.part("" if item.is_folder else one["file"] or item.name) for item, one in pieces)
        owner = Owner(number, printable(name)) if number else None
        collected.append(Collected("_".join(filter(None, (name, number))), parts, owner))
    collected += strangers
    notes = (
        f"{shown(one.name)} bears no student's number of Moodle: it counts as an unknown student's submission"
        for one in collected
        if one.owner is None
    )
    return Reading(Layout.MOODLE, tuple(collected), tuple(notes))
