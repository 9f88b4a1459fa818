"""Read ``questions.toml``. Every complaint is a ``ValueError`` that names the key."""

from __future__ import annotations

import tomllib
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path
from string import ascii_lowercase

from autograder.homework.questions import (
    Choice,
    Numeric,
    Option,
    Question,
    RubricLine,
    TypicalNumber,
    Written,
)
from autograder.homework.table import Table

QUESTIONS = "questions.toml"
COMMON_KEYS = ("id", "kind", "title", "text")


def read_questions(path: Path) -> tuple[Question, ...]:
    """Return the questions of a file in their order.

    Raises:
        ValueError: a key is missing, unknown or of the wrong kind, or two questions have the same id.
    """
    table = Table(tomllib.loads(path.read_text(encoding="utf-8")))
    table.only(["questions"])
    questions = tuple(_question(one) for one in table.tables("questions"))
    name, times = Counter(one.id for one in questions).most_common(1)[0]
    if times > 1:
        raise ValueError(f"two questions have the id {name!r}")
    return questions


def _question(table: Table) -> Question:
    if not table.text("id").isidentifier():
        raise table.wrong("id", "a name of letters, digits and underscores")
    return _READERS[table.one_of("kind", tuple(_READERS))](table)


def _choice(table: Table) -> Choice:
    table.only([*COMMON_KEYS, "points", "options", "right", "mistakes"])
    options, mistakes = table.table("options"), table.table("mistakes")
    labels = tuple(options.values)
    if len(labels) < 2 or not set(labels) <= set(ascii_lowercase):
        raise ValueError(
            f"{table.place}.options needs two options or more, each labelled with a small letter"
        )
    right = table.one_of("right", labels)
    mistakes.only([label for label in labels if label != right])
    read = [
        Option(label, options.text(label), "" if label == right else mistakes.text(label)) for label in labels
    ]
    return Choice(*_common(table), float(table.number("points")), tuple(read))


def _numeric(table: Table) -> Numeric:
    table.only([*COMMON_KEYS, "points", "number", "tolerance", "unit", "hint", "mistakes"])
    number, tolerance = table.signed("number"), table.number("tolerance")
    mistakes = tuple(_typical(one) for one in _optional_tables(table, "mistakes"))
    if any(abs(one.number - number) <= tolerance for one in mistakes):
        raise table.wrong("mistakes", "a list of wrong numbers, none of which is right within the tolerance")
    return Numeric(
        *_common(table),
        points=float(table.number("points")),
        number=number,
        tolerance=float(tolerance),
        hint=table.text("hint"),
        unit=table.text("unit") if "unit" in table.values else "",
        mistakes=mistakes,
    )


def _typical(table: Table) -> TypicalNumber:
    table.only(["number", "mistake"])
    return TypicalNumber(table.signed("number"), table.text("mistake"))


def _written(table: Table) -> Written:
    table.only([*COMMON_KEYS, "rubric"])
    return Written(*_common(table), tuple(_rubric_line(one) for one in table.tables("rubric")))


def _rubric_line(table: Table) -> RubricLine:
    table.only(["points", "text"])
    return RubricLine(float(table.number("points")), table.text("text"))


def _common(table: Table) -> tuple[str, str, str]:
    """The id, the title on one line, and the text with its line ends."""
    return table.text("id"), " ".join(table.text("title").split()), table.text("text").strip()


def _optional_tables(table: Table, key: str) -> Sequence[Table]:
    return tuple(table.tables(key)) if key in table.values else ()


_READERS: dict[str, Callable[[Table], Question]] = {
    "choice": _choice,
    "numeric": _numeric,
    "written": _written,
}
