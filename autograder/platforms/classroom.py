"""GitHub Classroom: a git clone for each student or team, as ``gh classroom clone student-repos`` makes them.

``hw1-submissions/hw1-ada/.git``: the assignment, followed by the student's login, or the team's name.
"""

from __future__ import annotations

import os
from collections.abc import Collection, Mapping, Sequence

from autograder.intake.download import Item
from autograder.intake.naming import listed
from autograder.intake.submission import Discovery, Owner, Submission
from autograder.platforms.commits import UnknownTimeError, commit_time
from autograder.platforms.platform import Platform
from autograder.untrusted_text import name_in_message, name_to_store

_ALL_CLONES = "-submissions"
# Clones in a folder that gh named are surely a class; elsewhere two may be a student's own.
_LEAST_CLONES = 3
_LEAST_CLONES_OF_GH = 2


class Classroom(Platform):
    """GitHub Classroom: clones of repositories, which take no grades back."""

    name = "classroom"
    title = "GitHub Classroom"
    example = "hw1-ada/.git"

    def is_named(self, item: Item) -> bool:
        """Return whether an item is a folder with a ``.git``, whatever that is."""
        if not item.is_folder or item.member:
            return False
        return os.path.lexists(item.path / ".git")

    def resembles(self, items: Sequence[Item]) -> bool:
        """Return whether half of the items are clones; single ones are folders that a student keeps in git."""
        clones = list(filter(self.is_named, items))
        return bool(clones) and 2 * len(clones) >= len(items)

    def is_download(self, items: Sequence[Item]) -> bool:
        """Return whether items are surely clones of one assignment: most folders are clones and named alike."""
        folders = []
        for item in items:
            if item.is_folder:
                folders.append(item)
        clones = list(filter(self.is_named, folders))
        least = _LEAST_CLONES
        for clone in clones:
            if clone.path.parent.name.endswith(_ALL_CLONES):
                least = _LEAST_CLONES_OF_GH
        is_most = len(clones) >= max(least, len(folders) / 2)
        return is_most and _assignment(clones) != ""

    def read(self, items: Sequence[Item], stubs: Collection[str] = ()) -> Discovery:
        """Say whose each clone is, and when its last commit was made.

        A clone without a known time is graded all the same. Files, and folders of other names, are nobody's.
        """
        assignment = _assignment(list(filter(self.is_named, items)))
        entries = []
        timeless = []
        for item in items:
            login = name_to_store(_login(item, assignment))
            if not login:
                part = item.part()
                entries.append(Submission(item.name, item.path, parts=(part,)))
                continue
            time = None
            try:
                time = commit_time(item.path)
            except UnknownTimeError as reason:
                timeless.append(f"{name_in_message(login)} ({reason})")
            owner = Owner("", login, submitted_at=time, login=login)
            entries.append(Submission(login, item.path, owner, (item.part(),)))
        notes = []
        if assignment:
            notes.append(
                f"{name_in_message(assignment)} was taken as the assignment, and the rest of each name as the login"
            )
        if timeless:
            who = listed(timeless, show=str)
            notes.append(
                f"graded, but without a submission time ({len(timeless)}): {who}"
            )
        return Discovery(tuple(entries), tuple(notes))

    def roster_columns(
        self, columns: Mapping[str, str]
    ) -> Mapping[str, str | None] | None:
        """Return Classroom's columns: its "identifier" is the school's name or number of a student."""
        if "github username" not in columns:
            return None
        school_id = columns.get("identifier", columns.get("roster identifier"))
        return {
            "login": columns["github username"],
            "student_id": school_id,
            "number": None,
        }


def _assignment(clones: Sequence[Item]) -> str:
    """Return how the clones' names begin, hyphen included: as the folder around them says, or all alike."""
    if not clones:
        return ""
    folder = clones[0].path.parent.name
    if folder.endswith(_ALL_CLONES):
        prefix = folder.removesuffix(_ALL_CLONES) + "-"
        for clone in clones:
            if clone.name.startswith(prefix):
                return prefix
    if len(clones) == 1:
        return ""
    # The hyphened words that all names begin with; the last word is part of the login in any case.
    words_of_names = [clone.name.split("-")[:-1] for clone in clones]
    prefix = ""
    for words in zip(*words_of_names, strict=False):
        if len(set(words)) > 1:
            break
        prefix += f"{words[0]}-"
    return prefix


def _login(item: Item, assignment: str) -> str:
    """Return a clone's name without the assignment, or "" if it does not begin with that."""
    if not item.is_folder or not item.name.startswith(assignment):
        return ""
    return item.name.removeprefix(assignment)
