"""Take over what people decide about a gradebook, checked against its content."""

from __future__ import annotations

import difflib
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from autograder.course import Course
from autograder.intake import as_read
from autograder.records.book import Gradebook
from autograder.records.decision_tables import read_marks, read_times
from autograder.records.decisions import Override
from autograder.records.points import check_of
from autograder.records.policy import PolicyError
from autograder.records.settlement import load_policy


class Names:
    """Finds submissions by their name, or by a student id that only one submission has."""

    def __init__(self, book: Gradebook) -> None:
        self._names = book.names()
        owners = {name: owner.student_id for name, owner in book.owners().items() if owner.student_id}
        once = {one for one, times in Counter(owners.values()).items() if times == 1}
        by_id = {student: name for name, student in owners.items() if student in once}
        self._told = {as_read(name): name for name in self._names} | by_id

    def find(self, text: str) -> str:
        """Return a submission's name; a text that names none is returned as it is."""
        return text if text in self._names else self._told.get(text, text)

    def need(self, text: str) -> str:
        """Return a submission's name.

        Raises:
            PolicyError: there is no such submission; the message names similar ones.
        """
        found = self.find(text)
        if found not in self._names:
            close = difflib.get_close_matches(text, {**dict.fromkeys(self._names), **self._told}, n=3)
            hint = f"; did you mean {' or '.join(close)}?" if close else ""
            raise PolicyError(f"the gradebook has no submission {text!r}{hint}")
        return found


@dataclass(frozen=True)
class Taken:
    """What was read from a table: rows kept, rows still blank, and names that no submission has."""

    kept: int
    blank: int
    unknown: tuple[str, ...]


def take_times(book: Gradebook, course: Course, path: Path) -> Taken:
    """Keep the times of a table; times of students who have not handed in wait for them.

    Raises:
        PolicyError: the table is wrong.
    """
    zone = load_policy(book, course).zone
    times = read_times(path, Names(book).find, course.homework_ids(), zone)
    book.decisions.set_times(times)
    return Taken(len(times), 0, _unknown(book, [name for name, _ in times]))


def take_marks(book: Gradebook, course: Course, path: Path) -> Taken:
    """Keep the marks of a table, but none for a name that no submission has.

    Raises:
        PolicyError: the table is wrong.
    """
    results = {result.name: result for result in book.results()}

    def most(name: str, homework: str, question: str) -> float | None:
        result = results[name].homework(homework) if name in results else None
        check = None if result is None else check_of(result, question)
        return None if check is None else check.points

    marks = read_marks(path, Names(book).find, course.homework_ids(), most)
    unknown = _unknown(book, [mark.submission for mark in marks])
    known = [mark for mark in marks if mark.submission not in unknown]
    book.decisions.mark(known)
    marked = sum(mark.points is not None for mark in known)
    return Taken(marked, len(known) - marked, unknown)


def _unknown(book: Gradebook, names: Iterable[str]) -> tuple[str, ...]:
    known = book.names()
    return tuple(dict.fromkeys(name for name in names if name not in known))


def take_override(book: Gradebook, course: Course, override: Override) -> None:
    """Keep an override of something that is there.

    Raises:
        PolicyError: there is no such submission, task or check, or the points are more than it gives.
        CourseError: there is no such homework.
    """
    homework = course.homework(override.homework)
    result = next((one for one in book.results() if one.name == override.submission), None)
    found = None if result is None else result.homework(homework.id)
    if override.is_whole:
        own = (override.submission, override.homework)
        marks = [mark for mark in book.decisions.marks() if (mark.submission, mark.homework) == own]
        beside = [mark for mark in marks if found is None or check_of(found, mark.question) is None]
        most = (found or homework).points + sum(mark.maximum for mark in beside)
    elif found is None:
        raise PolicyError(
            f"{override.submission} holds nothing for {override.homework}: to set the points of the whole "
            "homework, leave --task and --check out"
        )
    else:
        named = [(check.check if override.check else check.task, check.points) for check in found.checks]
        wanted = override.check or override.task
        if wanted not in dict(named):
            place = f"{override.homework} of {override.submission}"
            raise PolicyError(f"{place} has no {override.subject}; it has: {', '.join(dict(named))}")
        most = sum(points for name, points in named if name == wanted)
    if override.points > most:
        raise PolicyError(f"{override.points:g} points are more than the {most:g} of {override.subject}")
    book.decisions.override(override)
