"""Draw the map of a course: ``map.toml`` beside its homeworks says which part of the picture each one builds.

It stands at the top of each handout, with the homework's part marked, and in the course's folder, where
``check.py`` fills in the parts of homeworks that are done.
"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from msgspec import Meta
from msgspec.structs import replace

from autograder.course.schema import Amount, Record, Text, read_toml
from autograder.language import Language, spoken
from autograder.student.course_map import NONE, state_of
from autograder.templates import render

MAP_SOURCE = "map.toml"


class MapPart(Record):
    """A box that one homework builds; a box inside a larger one comes after it."""

    homework: Text
    words: Text
    x: Amount
    y: Amount
    width: Amount
    height: Amount


class MapNote(Record):
    """Words that belong to no homework; ``x`` is their middle, and ``y`` their base line."""

    words: Text
    x: Amount
    y: Amount


class CourseMap(Record):
    """The picture: its size, its text alternative, its parts in drawing order."""

    title: Text
    description: Text
    width: Amount
    height: Amount
    parts: Annotated[
        tuple[MapPart, ...],
        Meta(min_length=1, description="tables, each under [[parts]]"),
    ]
    notes: tuple[MapNote, ...] = ()


def read_map(solutions: Path) -> CourseMap | None:
    """Read the map of a course in the student's language. The course may lack some of its homeworks.

    Raises:
        CourseError: the file is wrong.
    """
    path = solutions / MAP_SOURCE
    if not path.is_file():
        return None
    return _translated(read_toml(path, CourseMap), spoken())


def _translated(course_map: CourseMap, language: Language) -> CourseMap:
    """Return the map with its words in a language."""
    parts = []
    for part in course_map.parts:
        parts.append(replace(part, words=language.translated(part.words)))
    notes = []
    for note in course_map.notes:
        notes.append(replace(note, words=language.translated(note.words)))
    return replace(
        course_map,
        title=language.translated(course_map.title),
        description=language.translated(course_map.description),
        parts=tuple(parts),
        notes=tuple(notes),
    )


def map_svg(course_map: CourseMap, here: str = "") -> str:
    """Return the map as SVG, with no part filled in yet, and that of one homework marked."""
    return render(
        "autograder.authoring",
        "map.svg",
        map=course_map,
        state=state_of((), here),
        green=NONE,
        here=here,
    )
