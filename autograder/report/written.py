"""``written.html`` and ``written.csv``: the written answers, and a row for each where people enter points.

What people have entered is never lost: a table that is there already is read first and merged.
"""

from __future__ import annotations

import base64
import hashlib
import hmac
import math
import re
import unicodedata
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import TypeAlias

from autograder.course.homework import THEORY, Homework
from autograder.course.questions import Written
from autograder.feedback.pages import page
from autograder.gradebook.decisions import Mark
from autograder.intake.csv_table import as_read, number
from autograder.policy.decision_input import Row, read_rows
from autograder.verdict.checks import Outcome
from autograder.verdict.results import SubmissionResult

KEYS = ("submission", "homework", "question")
COLUMNS = (*KEYS, "max", "points", "comment")
ENTRIES = ("points", "comment")
LETTERS_OF_CODE = 16
"""80 bits: two of a million names have the same code once in a million million classes."""
NEAR = 0.7
"""The share of common pairs of neighbouring words (Jaccard's index) from which two texts are near."""

Key: TypeAlias = tuple[str, str, str]
Groups: TypeAlias = tuple[tuple[tuple["WrittenAnswer", ...], ...], ...]
Cells: TypeAlias = Mapping[str, str]


@dataclass(frozen=True)
class WrittenAnswer:
    """One answer; ``shown`` is the submission's name, or its code where names are hidden."""

    submission: str
    shown: str
    text: str


@dataclass(frozen=True)
class Asked:
    """One question with all answers to it: groups that are nearly the same, of groups that are equal.

    Two answers are equal if they differ in capitals and spaces alone; equal ones get one mark.
    """

    homework: Homework
    question: Written
    groups: Groups

    @property
    def answers(self) -> list[WrittenAnswer]:
        """The answers in the order in which they are shown."""
        return [answer for near in self.groups for equal in near for answer in equal]


@dataclass(frozen=True)
class Table:
    """The rows to be written, by column; ``orphans`` are marked rows whose answer is gone."""

    columns: Sequence[str]
    rows: Sequence[Cells]
    orphans: Sequence[Key] = ()

    @property
    def cells(self) -> list[list[str]]:
        """The rows as they are written, cell by cell."""
        return [[row.get(column, "") for column in self.columns] for row in self.rows]

    @property
    def unmarked(self) -> int:
        """How many rows have no points yet."""
        return sum(not row["points"] for row in self.rows)


def code_of(submission: str, secret: str) -> str:
    """Return the code that stands for a submission's name in the tables of one gradebook.

    Only the gradebook can compute it (HMAC-SHA256 under its secret): whoever has the list of names cannot
    find out whose answer a code stands for, and nobody can choose a name that equals another one's code.

    Args:
        submission: the name.
        secret: the gradebook's own; see ``Gradebook.draw_secret_of_codes``.

    Raises:
        ValueError: the secret is blank, so that anybody could compute the code.
    """
    if not secret:
        raise ValueError("codes for names need the gradebook's secret")
    name = submission.encode("utf-8", "surrogateescape")
    digest = hmac.digest(secret.encode(), name, "sha256")
    return f"anonymous-{base64.b32encode(digest)[:LETTERS_OF_CODE].decode().lower()}"


def _code_without_secret(submission: str) -> str:
    """Return the code that tables bore before gradebooks had a secret; such tables may still be marked."""
    digest = hashlib.sha256(submission.encode("utf-8", "surrogateescape")).digest()
    return f"anonymous-{base64.b32encode(digest)[:8].decode().lower()}"


def is_code(text: str) -> bool:
    """Whether a text looks like the code of a name, now or before gradebooks had a secret."""
    return (
        re.fullmatch(f"anonymous-([a-z2-7]{{8}}|[a-z2-7]{{{LETTERS_OF_CODE}}})", text)
        is not None
    )


def collect_written(
    results: Iterable[SubmissionResult],
    homeworks: Sequence[Homework],
    secret: str = "",
    *,
    anonymous: bool = False,
) -> list[Asked]:
    """Return every written question that anyone answered, in the homeworks' order.

    Only the answers are kept, so that ``results`` may be a whole course, read one by one. ``secret`` is that
    of the codes which stand for names where ``anonymous``.
    """
    found: defaultdict[tuple[str, str], list[WrittenAnswer]] = defaultdict(list)
    for result in results:
        shown = code_of(result.name, secret) if anonymous else result.name
        for one in result.homeworks:
            for check in one.checks:
                if check.outcome is Outcome.COLLECTED:
                    key = (one.homework, check.check.removeprefix(f"{THEORY}_"))
                    found[key].append(WrittenAnswer(result.name, shown, check.answer))
    asked = []
    for homework in homeworks:
        for question in homework.questions:
            answers = sorted(
                found.get((homework.id, question.id), ()),
                key=lambda answer: answer.shown,
            )
            if isinstance(question, Written) and answers:
                asked.append(Asked(homework, question, _grouped(answers)))
    return asked


def _grouped(answers: Iterable[WrittenAnswer]) -> Groups:
    """Return the answers in groups of nearly the same, each beginning with the most frequent one."""
    equal: defaultdict[str, list[WrittenAnswer]] = defaultdict(list)
    for answer in answers:
        equal[
            " ".join(unicodedata.normalize("NFC", answer.text).casefold().split())
        ].append(answer)
    found = [tuple(group) for group in equal.values()]
    near = group_similar([group[0].text for group in found])
    return tuple(
        tuple(sorted((found[place] for place in places), key=len, reverse=True))
        for places in near
    )


def group_similar(texts: Sequence[str]) -> list[list[int]]:
    """Return the texts in groups, each as indices, in the order of the groups' first texts.

    A text joins the first group to whose first text it is near; case, spacing and punctuation do not count.
    """
    all_pairs: list[frozenset[tuple[str, ...]]] = []
    for text in texts:
        words = re.findall(r"\w+", unicodedata.normalize("NFKC", text).casefold())
        all_pairs.append(
            frozenset(pairwise(words) if len(words) > 1 else [tuple(words)])
        )
    frequency = Counter(pair for pairs in all_pairs for pair in pairs)
    groups: list[list[int]] = []
    known: defaultdict[tuple[str, ...], list[int]] = defaultdict(list)
    for place, pairs in enumerate(all_pairs):
        # Of so many of their rarest pairs, two near texts share at least one: the prefix filter of
        # Bayardo, Ma and Srikant, *Scaling up all pairs similarity search* (2007).
        ordered = sorted(pairs, key=lambda pair: (frequency[pair], pair))
        rare = ordered[: len(pairs) - math.ceil(NEAR * len(pairs)) + 1]
        for index in sorted({index for pair in rare for index in known[pair]}):
            first = all_pairs[groups[index][0]]
            if NEAR <= len(pairs) / len(first) <= 1 / NEAR and len(
                pairs & first
            ) >= NEAR * len(pairs | first):
                groups[index].append(place)
                break
        else:
            for pair in rare:
                known[pair].append(len(groups))
            groups.append([place])
    return groups


def write_written_page(
    path: Path, asked: Sequence[Asked], table: Table, gradebook: str
) -> None:
    """Write the page on which people mark; ``gradebook`` keeps the marks of two classes apart in a browser.

    The rows of the table begin with those of the answers, in their order: so the page knows whose they are.
    """
    rows = [list(map(as_read, row)) for row in table.cells]
    data = {"gradebook": gradebook, "columns": table.columns, "rows": rows}
    entries = {_key(row): row for row in table.rows}
    page(path, "written.html", asked=asked, entries=entries, data=data)


def merge_written(
    path: Path,
    asked: Sequence[Asked],
    names: Iterable[str],
    chosen: Sequence[str],
    marks: Iterable[Mark] = (),
    secret: str = "",
    *,
    anonymous: bool,
) -> Table:
    """Return the table for these answers, merged with what people have entered in an earlier one, if any.

    ``names`` are all submissions, to turn codes into names and back; ``chosen`` the homeworks that ``asked``
    covers, so that rows of others stay as they are; ``marks`` fill in rows in which the earlier table has
    nothing; ``secret`` is that of the codes.
    """
    names = list(names)
    named = _names_by_old_code(names)
    # A submission's own name comes last, so that it stands for that submission whatever it looks like.
    if secret:
        named |= {code_of(name, secret): name for name in names}
    named |= {as_read(name): name for name in names}

    def read(row: Row) -> tuple[Key, Row]:
        row["submission"] = named.get(row["submission"], row["submission"])
        return _key(row), row

    earlier = read_rows(path, COLUMNS, read) if path.is_file() else {}
    kept = {
        (one.submission, one.homework, one.question): {
            "points": number(one.points),
            "comment": one.comment,
        }
        for one in marks
    }
    rows: dict[Key, Cells] = {}
    for question in asked:
        for answer in question.answers:
            key = (answer.submission, question.homework.id, question.question.id)
            entered = {"points": "", "comment": "", **earlier.get(key, {})}
            if not any(entered[column] for column in ENTRIES):
                entered |= kept.get(key, {})
            most = number(question.question.points)
            rows[key] = {**entered, **dict(zip(KEYS, key, strict=True)), "max": most}
    orphans = []
    for key, row in earlier.items():
        if key not in rows and (
            key[1] not in chosen or any(row[column] for column in ENTRIES)
        ):
            rows[key] = row
            orphans += [key] if key[1] in chosen else []
    extra = [
        column for row in earlier.values() for column in row if column not in COLUMNS
    ]
    shown = list(rows.values())
    if anonymous:
        shown = []
        for (name, _, _), cells in rows.items():
            # A code whose submission is gone cannot be turned into a name; it hides that name already.
            is_code_of_nobody = is_code(name) and name not in names
            shown.append(
                cells
                if is_code_of_nobody
                else {**cells, "submission": code_of(name, secret)}
            )
    return Table((*COLUMNS, *dict.fromkeys(extra)), shown, orphans)


def _names_by_old_code(names: Iterable[str]) -> dict[str, str]:
    """Return the names by their codes without a secret, as far as a code stands for one name only."""
    names_of_code: defaultdict[str, list[str]] = defaultdict(list)
    for name in names:
        names_of_code[_code_without_secret(name)].append(name)
    return {code: own[0] for code, own in names_of_code.items() if len(own) == 1}


def _key(row: Cells) -> Key:
    return row["submission"], row["homework"], row["question"]
