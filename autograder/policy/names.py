"""Whose submission a text in a table or on the command line means."""

from __future__ import annotations

import difflib
from collections import defaultdict
from collections.abc import Collection, Iterable, Sequence

from autograder.csv_table import as_read_back
from autograder.gradebook.book import Gradebook
from autograder.intake.naming import listed
from autograder.policy.policy import PolicyError

KINDS = ("submission", "id", "email", "login")
"""What a text in a table may be: a submission's name, or its owner's student id, e-mail address or login."""

Index = defaultdict[str, set[str]]
"""Names of submissions by a text that means them."""


def did_you_mean(text: str, known: Iterable[str], otherwise: str) -> str:
    """Return the end of a complaint about an unknown name: the known ones that are nearly like it."""
    similar = difflib.get_close_matches(text, sorted(known), n=3)
    if not similar:
        return otherwise
    suggestions = " or ".join(similar)
    return f"; did you mean {suggestions}?"


class Names:
    """Find submissions by their name, or by the student id, e-mail address or login of their owner.

    A text may be a submission's name and another student's id. Then it names neither, and somebody has to
    write ``submission:``, ``id:``, ``email:`` or ``login:`` before it.
    """

    def __init__(self, book: Gradebook) -> None:
        self._names = book.names()
        self._owners = book.owners()
        submissions = Index(set)
        ids = Index(set)
        emails = Index(set)
        logins = Index(set)
        for name in self._names:
            submissions[name].add(name)
            submissions[as_read_back(name)].add(name)
        for name, owner in self._owners.items():
            if owner.student_id:
                ids[owner.student_id].add(name)
            if owner.email:
                emails[owner.email.casefold()].add(name)
            if owner.login:
                logins[owner.login].add(name)
        indexes = (submissions, ids, emails, logins)
        self._by_kind = dict(zip(KINDS, indexes, strict=True))

    def all(self, text: str) -> Sequence[str]:
        """Return the submissions that a text names: the one of that name, or all of that student.

        Where it may mean several students, it names none; see ``doubt``.
        """
        if text in self._names and not self.doubt(text):
            return [text]
        names = self._meant(text)
        if self._is_in_doubt(names):
            return []
        return sorted(names)

    def doubt(self, text: str) -> str:
        """Say whom a text may mean if these are several students, with the remedy; blank if it is clear."""
        names = self._meant(text)
        if not self._is_in_doubt(names):
            return ""
        readings: dict[str, str] = {}
        for kind in KINDS:
            names = self._of_kind(kind, text)
            for name in sorted(names):
                # On GitHub a submission is called like the login: it is one reading.
                readings.setdefault(name, f"{name!r} (as `{kind}:{text}`)")
        submissions = " and ".join(readings.values())
        return f"{text!r} may mean the submissions {submissions}: write which one"

    def _meant(self, text: str) -> set[str]:
        """Return all submissions that a text may mean, of however many students."""
        kind, _, value = text.partition(":")
        if text not in self._names and kind in KINDS:
            return self._of_kind(kind, value)
        names: set[str] = set()
        for kind in KINDS:
            names |= self._of_kind(kind, text)
        return names

    def _of_kind(self, kind: str, text: str) -> set[str]:
        """Return the submissions that a text means as this kind; addresses count in any case of letters."""
        if kind == "email":
            text = text.casefold()
        index = self._by_kind[kind]
        return index.get(text, set())

    def _is_in_doubt(self, names: Collection[str]) -> bool:
        """Return whether submissions are of several students, as far as their owners are known."""
        students = set()
        for name in names:
            student = f"submission {name}"
            owner = self._owners.get(name)
            if owner:
                student = owner.student_id or owner.email or student
            students.add(student)
        return len(students) > 1

    def find(self, text: str) -> str:
        """Return a submission's name; a text that names none, or several, is returned as it is."""
        names = self.all(text)
        if len(names) != 1:
            return text
        return names[0]

    def need(self, text: str) -> str:
        """Return a submission's name.

        Raises:
            PolicyError: there is none, and similar ones are named; or the text may mean several students.
        """
        self.need_clear([text], one_submission=True)
        name = self.find(text)
        if name not in self._names:
            known = set().union(*self._by_kind.values())
            hint = did_you_mean(text, known, "; grades.csv lists them")
            raise PolicyError(f"the gradebook has no submission {text!r}{hint}")
        return name

    def pick(self, text: str) -> str:
        """Return the submission that somebody typed: as in a table, or by a beginning that no other one has.

        Raises:
            PolicyError: no submission is meant, or several may be; it lists them.
        """
        if text and not self._meant(text):
            folded = text.casefold()
            equal: set[str] = set()
            begun: set[str] = set()
            for index in self._by_kind.values():
                for key, names in index.items():
                    folded_key = key.casefold()
                    if folded_key == folded:
                        equal |= names
                    if folded_key.startswith(folded):
                        begun |= names
            candidates = sorted(equal or begun)
            if len(candidates) == 1:
                return candidates[0]
            if candidates:
                possible = listed(candidates, show=repr)
                raise PolicyError(
                    f"{text!r} may mean {possible}: write more of the name"
                )
        return self.need(text)

    def need_clear(self, texts: Iterable[str], *, one_submission: bool) -> None:
        """Refuse texts that may mean several students, or (``one_submission``) several of one student's.

        Raises:
            PolicyError: the first of them may; it names all submissions that are possible.
        """
        for text in texts:
            doubt = self.doubt(text)
            if doubt:
                raise PolicyError(doubt)
            names = self.all(text)
            if one_submission and len(names) > 1:
                submissions = " and ".join(map(repr, names))
                raise PolicyError(
                    f"{text!r} has the submissions {submissions}: write which one"
                )

    def unknown(self, texts: Iterable[str]) -> tuple[str, ...]:
        """Return the texts that name no submission."""
        unknown = []
        for text in texts:
            if not self._meant(text):
                unknown.append(text)
        return tuple(dict.fromkeys(unknown))
