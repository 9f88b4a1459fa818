"""GitHub Classroom: a git clone for each student or team, as ``gh classroom clone student-repos`` makes them.

``hw1-submissions/hw1-ada/.git``: the assignment, and behind it the student's login, or the team's name.
"""

from __future__ import annotations

import itertools
import os
from collections.abc import Sequence

from autograder.intake.download import Item
from autograder.intake.naming import listed, printable, shown
from autograder.intake.submission import Discovery, Entry, Owner
from autograder.platforms.commits import UnknownTimeError, commit_time

_ALL_CLONES = "-submissions"


def is_clone(item: Item) -> bool:
    """Whether an item is a folder with a ``.git``, whatever that is."""
    return item.is_folder and not item.member and os.path.lexists(item.path / ".git")


def is_classroom(items: Sequence[Item]) -> bool:
    """Whether these are surely clones of one assignment: most of the folders are, and are named alike.

    Two are enough where the folder around them is named by ``gh``; elsewhere they may be students' own.
    """
    folders = [item for item in items if item.is_folder]
    clones = list(filter(is_clone, folders))
    enough = (
        2 if any(one.path.parent.name.endswith(_ALL_CLONES) for one in clones) else 3
    )
    return len(clones) >= max(enough, len(folders) / 2) and bool(_assignment(clones))


def _assignment(clones: Sequence[Item]) -> str:
    """Return how the clones' names begin, hyphen included: as the folder around them says, or all alike."""
    names = [one.name for one in clones]
    around = clones[0].path.parent.name if clones else ""
    own = around.removesuffix(_ALL_CLONES) + "-"
    if around.endswith(_ALL_CLONES) and any(name.startswith(own) for name in names):
        return own
    parts = zip(*(name.split("-")[:-1] for name in names), strict=False)
    alike = itertools.takewhile(lambda same: len(set(same)) == 1 < len(same), parts)
    return "".join(f"{part}-" for part, *_ in alike)


def _login(item: Item, assignment: str) -> str:
    """Return a clone's name without the assignment, or "" where it does not begin with that."""
    return (
        item.name.removeprefix(assignment) if item.name.startswith(assignment) else ""
    )


def read_classroom(items: Sequence[Item]) -> Discovery:
    """Say whose each clone is, and when its last commit was made.

    A clone without a known time is graded all the same. Files, and folders of other names, are nobody's.
    """
    assignment = _assignment([item for item in items if is_clone(item)])
    entries, timeless = [], []
    for item in items:
        login, time = (
            printable(_login(item, assignment)) if item.is_folder else "",
            None,
        )
        try:
            time = commit_time(item.path) if login else None
        except UnknownTimeError as reason:
            timeless.append(f"{shown(login)} ({reason})")
        owner = Owner("", login, submitted_at=time, login=login) if login else None
        entries.append(Entry(login or item.name, item.path, owner, (item.part(),)))
    notes = [
        f"{shown(assignment)} was taken as the assignment, and the rest of each name as the login"
    ]
    if timeless:
        who = listed(timeless, show=str)
        notes.append(f"graded, but without a submission time ({len(timeless)}): {who}")
    return Discovery(tuple(entries), tuple(notes[not assignment :]))
