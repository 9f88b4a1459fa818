"""``written.html`` and ``written.csv``: the written answers, and a row for each where people enter points.

What people have entered is never lost: a table that is there already is read first and merged.
"""

from __future__ import annotations

import base64
import hashlib
import os
import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

from autograder.course import THEORY, Homework, Written
from autograder.errors import KitError
from autograder.intake import as_read, number, write_table
from autograder.judging import Outcome, SubmissionResult
from autograder.records.decision_tables import table_rows
from autograder.records.pages import render
from autograder.records.similar import group_similar

KEYS = ("submission", "homework", "question")
COLUMNS = (*KEYS, "max", "points", "comment")
ENTRIES = ("points", "comment")

Key: TypeAlias = tuple[str, str, str]
Cells: TypeAlias = Mapping[str, str]


class WrittenError(KitError):
    """The table of written answers cannot be merged; the message names the file and the remedy."""


@dataclass(frozen=True)
class WrittenAnswer:
    """One answer; ``shown`` is the submission's name, or its code where names stay out of sight."""

    submission: str
    shown: str
    text: str


@dataclass(frozen=True)
class Asked:
    """One question with all answers to it; each group holds answers that are nearly the same."""

    homework: Homework
    question: Written
    groups: tuple[tuple[WrittenAnswer, ...], ...]

    @property
    def answers(self) -> list[WrittenAnswer]:
        """The answers in the order in which they are shown."""
        return [answer for group in self.groups for answer in group]


@dataclass(frozen=True)
class Table:
    """The rows to be written, by column; ``orphans`` are marked rows whose answer is gone."""

    columns: Sequence[str]
    rows: Sequence[Cells]
    orphans: Sequence[Key] = ()

    @property
    def by_key(self) -> dict[Key, Cells]:
        """The rows by submission, as it stands in the table, homework and question."""
        return {_key(row): row for row in self.rows}

    @property
    def unmarked(self) -> int:
        """How many rows have no points yet."""
        return sum(not row["points"] for row in self.rows)


def code_of(submission: str) -> str:
    """Return a name's code: the same in every table, and no word that tells who it is.

    It keeps a reader from knowing whose answer it is; it is no secret from who has the list of names.
    """
    digest = hashlib.sha256(submission.encode("utf-8", "surrogateescape")).digest()
    return f"anonymous-{base64.b32encode(digest)[:8].decode().lower()}"


def is_code(text: str) -> bool:
    """Whether a text looks like a name's code."""
    return re.fullmatch("anonymous-[a-z2-7]{8}", text) is not None


def collect_written(
    results: Iterable[SubmissionResult], homeworks: Sequence[Homework], *, anonymous: bool = False
) -> list[Asked]:
    """Return every written question that anyone answered, in the homeworks' order.

    Only the answers are kept, so that ``results`` may be a whole course, read one by one.
    """
    found: defaultdict[tuple[str, str], list[WrittenAnswer]] = defaultdict(list)
    for result in results:
        shown = code_of(result.name) if anonymous else result.name
        for one in result.homeworks:
            for check in one.checks:
                if check.outcome is Outcome.COLLECTED:
                    key = (one.homework, check.check.removeprefix(f"{THEORY}_"))
                    found[key].append(WrittenAnswer(result.name, shown, check.answer))
    return [
        Asked(homework, question, _grouped(found[homework.id, question.id]))
        for homework in homeworks
        for question in homework.questions
        if isinstance(question, Written) and (homework.id, question.id) in found
    ]


def _grouped(answers: Sequence[WrittenAnswer]) -> tuple[tuple[WrittenAnswer, ...], ...]:
    ordered = sorted(answers, key=lambda answer: answer.shown)
    return tuple(
        tuple(ordered[place] for place in places)
        for places in group_similar([answer.text for answer in ordered])
    )


def write_written_page(path: Path, asked: Sequence[Asked], table: Table) -> None:
    """Write the page; what people have entered in the table is shown beside the answers."""
    page = render("written.html", asked=asked, entries=table.by_key)
    path.write_text(page, encoding="utf-8", errors="backslashreplace")


def merge_written(
    path: Path, asked: Sequence[Asked], names: Iterable[str], chosen: Sequence[str], *, anonymous: bool
) -> Table:
    """Return the table for these answers, with what people have entered in an earlier one.

    Args:
        path: the earlier table; it may be missing.
        asked: the answers that there are now.
        names: all submissions, to turn codes into names and back.
        chosen: the homeworks that ``asked`` covers; rows of others stay as they are.
        anonymous: whether submissions stand in the table by their codes.

    Raises:
        WrittenError: the earlier table names an answer twice.
        PolicyError: it cannot be read, or lacks a column.
    """
    named = {told: name for name in names for told in (code_of(name), as_read(name))}
    earlier = _read(path, named)
    rows = [_row(one, answer.submission, earlier) for one in asked for answer in one.answers]
    current = {_key(row) for row in rows}
    kept = [
        row
        for key, row in earlier.items()
        if key not in current and (key[1] not in chosen or any(row[column] for column in ENTRIES))
    ]
    orphans = [_key(row) for row in kept if row["homework"] in chosen]
    extra = [column for row in earlier.values() for column in row if column not in COLUMNS]
    shown = [_shown(row, anonymous) for row in (*rows, *kept)]
    return Table((*COLUMNS, *dict.fromkeys(extra)), shown, orphans)


def write_written(path: Path, table: Table) -> None:
    """Write the table in one step, so that an interruption leaves the earlier one whole."""
    unfinished = path.with_name(f".{path.name}.unfinished")
    rows = ([row.get(column, "") for column in table.columns] for row in table.rows)
    write_table(unfinished, table.columns, rows)
    os.replace(unfinished, path)


def _read(path: Path, named: Mapping[str, str]) -> dict[Key, Cells]:
    """Return the rows of an earlier table by key, with names in place of codes."""
    found: dict[Key, Cells] = {}
    for line, row in table_rows(path, COLUMNS) if path.is_file() else ():
        cells = dict(row.values)
        cells["submission"] = named.get(cells["submission"], cells["submission"])
        if _key(cells) in found:
            raise WrittenError(f"{path}, line {line}: a second row for {' / '.join(_key(cells))}; remove one")
        found[_key(cells)] = cells
    return found


def _row(asked: Asked, submission: str, earlier: Mapping[Key, Cells]) -> Cells:
    key = (submission, asked.homework.id, asked.question.id)
    fresh = {"max": number(asked.question.points), "points": "", "comment": ""}
    kept = {column: cell for column, cell in earlier.get(key, {}).items() if column not in (*KEYS, "max")}
    return {**dict(zip(KEYS, key, strict=True)), **fresh, **kept}


def _key(row: Cells) -> Key:
    return row["submission"], row["homework"], row["question"]


def _shown(row: Cells, anonymous: bool) -> Cells:
    name = row["submission"]
    return {**row, "submission": code_of(name)} if anonymous and not is_code(name) else row
