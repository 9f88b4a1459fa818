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
from contextlib import suppress
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import TypeAlias

from autograder.course.homework import THEORY, Homework
from autograder.course.questions import Written
from autograder.csv_table import as_read_back, parse_decimal, points_cell
from autograder.feedback.rendering import page
from autograder.gradebook.decisions import Mark
from autograder.intake.naming import listed
from autograder.policy.tables import Row, read_rows
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
class AnsweredQuestion:
    """One question with all answers to it: groups that are nearly the same, of groups that are equal.

    Two answers are equal if they differ only in capitals and spaces; equal ones get one mark.
    """

    homework: Homework
    question: Written
    groups: Groups

    @property
    def answers(self) -> list[WrittenAnswer]:
        """The answers in the order in which they are shown."""
        answers: list[WrittenAnswer] = []
        for near in self.groups:
            for equal in near:
                answers.extend(equal)
        return answers


@dataclass(frozen=True)
class UnequalMarks:
    """Equal answers to a question that have different points: ``names`` of submissions by their points.

    ``first`` is the key of the first of these answers.
    """

    first: Key
    names: Mapping[str, Sequence[str]]

    def __str__(self) -> str:
        points = []
        for mark, names in self.names.items():
            points.append(f"{mark} ({listed(names)})")
        return listed(points, show=str)


@dataclass(frozen=True)
class MarkTable:
    """The rows to be written, by column; ``orphans`` are marked rows whose answer is gone."""

    columns: Sequence[str]
    rows: Sequence[Cells]
    orphans: Sequence[Key] = ()

    @property
    def cells(self) -> list[list[str]]:
        """The rows as they are written, cell by cell."""
        cells = []
        for row in self.rows:
            cells.append([row.get(column, "") for column in self.columns])
        return cells

    @property
    def unmarked(self) -> int:
        """How many rows have no points yet."""
        unmarked = 0
        for row in self.rows:
            if not row["points"]:
                unmarked += 1
        return unmarked


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
    """Return whether a text looks like the code of a name, now or before gradebooks had a secret."""
    form = f"anonymous-([a-z2-7]{{8}}|[a-z2-7]{{{LETTERS_OF_CODE}}})"
    return re.fullmatch(form, text) is not None


def collect_written(
    results: Iterable[SubmissionResult],
    homeworks: Sequence[Homework],
    secret: str = "",
    *,
    anonymous: bool = False,
) -> list[AnsweredQuestion]:
    """Return every written question that anyone answered, in the homeworks' order.

    Only the answers are kept, so that ``results`` may be a whole course, read one by one. ``secret`` is that
    of the codes which stand for names where ``anonymous``.
    """
    answers_of: defaultdict[tuple[str, str], list[WrittenAnswer]] = defaultdict(list)
    for result in results:
        display_name = code_of(result.name, secret) if anonymous else result.name
        for homework in result.homeworks:
            for check in homework.checks:
                if check.outcome is Outcome.COLLECTED:
                    question_id = check.check.removeprefix(f"{THEORY}_")
                    answer = WrittenAnswer(result.name, display_name, check.answer)
                    answers_of[homework.homework, question_id].append(answer)
    answered = []
    for course_homework in homeworks:
        for question in course_homework.questions:
            answers = answers_of.get((course_homework.id, question.id), [])
            if isinstance(question, Written) and answers:
                answers.sort(key=lambda answer: answer.shown)
                groups = _grouped(answers)
                answered.append(AnsweredQuestion(course_homework, question, groups))
    return answered


def _grouped(answers: Iterable[WrittenAnswer]) -> Groups:
    """Return the answers in groups of nearly the same, each beginning with the most frequent one."""
    answers_of_text: defaultdict[str, list[WrittenAnswer]] = defaultdict(list)
    for answer in answers:
        text = unicodedata.normalize("NFC", answer.text).casefold()
        answers_of_text[" ".join(text.split())].append(answer)
    equal_answers = list(map(tuple, answers_of_text.values()))
    first_texts = [answers[0].text for answers in equal_answers]
    groups = []
    for places in group_similar(first_texts):
        near = [equal_answers[place] for place in places]
        near.sort(key=len, reverse=True)
        groups.append(tuple(near))
    return tuple(groups)


def group_similar(texts: Sequence[str]) -> list[list[int]]:
    """Return the texts in groups, each as indices, in the order of the groups' first texts.

    A text joins the first group to whose first text it is near; case, spacing and punctuation do not count.
    """
    all_pairs: list[frozenset[tuple[str, ...]]] = []
    for text in texts:
        folded = unicodedata.normalize("NFKC", text).casefold()
        words = re.findall(r"\w+", folded)
        pairs: Iterable[tuple[str, ...]] = pairwise(words)
        if len(words) < 2:
            pairs = [tuple(words)]
        all_pairs.append(frozenset(pairs))
    frequency = Counter[tuple[str, ...]]()
    for text_pairs in all_pairs:
        frequency.update(text_pairs)

    groups: list[list[int]] = []
    groups_with_pair: defaultdict[tuple[str, ...], list[int]] = defaultdict(list)
    for place, text_pairs in enumerate(all_pairs):
        # Of so many of their rarest pairs, two near texts share at least one: the prefix filter of
        # Bayardo, Ma and Srikant, *Scaling up all pairs similarity search* (2007).
        rarest_first = sorted(text_pairs, key=lambda pair: (frequency[pair], pair))
        least_common = math.ceil(NEAR * len(text_pairs))
        count = len(text_pairs) - least_common + 1
        rare = rarest_first[:count]
        candidates: set[int] = set()
        for pair in rare:
            candidates.update(groups_with_pair[pair])
        for index in sorted(candidates):
            group = groups[index]
            first_pairs = all_pairs[group[0]]
            if _are_near(text_pairs, first_pairs):
                group.append(place)
                break
        else:
            for pair in rare:
                groups_with_pair[pair].append(len(groups))
            groups.append([place])
    return groups


def _are_near(
    pairs: frozenset[tuple[str, ...]], other: frozenset[tuple[str, ...]]
) -> bool:
    size_ratio = len(pairs) / len(other)
    if not NEAR <= size_ratio <= 1 / NEAR:
        return False
    in_both = len(pairs & other)
    in_any = len(pairs | other)
    return in_both >= NEAR * in_any


def find_unequal_marks(
    questions: Sequence[AnsweredQuestion], points: Mapping[Key, str]
) -> list[UnequalMarks]:
    """Return the equal answers that have different points; those without any do not count.

    Args:
        questions: the answers.
        points: the points by submission as it is shown, homework and question.
    """
    unequal = []
    for question in questions:
        for near in question.groups:
            for equal in near:
                names: defaultdict[str, list[str]] = defaultdict(list)
                for answer in equal:
                    mark = points.get(_key_of(answer, question), "")
                    with suppress(
                        ValueError
                    ):  # whoever reads the table's marks says what is no number
                        mark = points_cell(parse_decimal(mark))
                    if mark:
                        names[mark].append(answer.shown)
                if len(names) > 1:
                    in_order = dict(sorted(names.items()))
                    first_key = _key_of(equal[0], question)
                    unequal.append(UnequalMarks(first_key, in_order))
    return unequal


def _key_of(answer: WrittenAnswer, question: AnsweredQuestion) -> Key:
    return answer.shown, question.homework.id, question.question.id


def write_written_page(
    path: Path, questions: Sequence[AnsweredQuestion], table: MarkTable, gradebook: str
) -> None:
    """Write the page on which people mark; ``gradebook`` keeps the marks of two classes apart in a browser.

    The rows of the table begin with those of the answers, in their order: so the page knows whose they are.
    """
    rows = []
    for cells in table.cells:
        rows.append(list(map(as_read_back, cells)))
    data = {"gradebook": gradebook, "columns": table.columns, "rows": rows}
    entries = {}
    points = {}
    for row in table.rows:
        key = _key(row)
        entries[key] = row
        points[key] = row["points"]
    unequal = {}
    for marks in find_unequal_marks(questions, points):
        unequal[marks.first] = str(marks)
    page(
        path,
        "written.html",
        asked=questions,
        entries=entries,
        data=data,
        unequal=unequal,
    )


def _is_filled_in(row: Cells) -> bool:
    return any(row[column] for column in ENTRIES)


def merge_written(
    path: Path,
    questions: Sequence[AnsweredQuestion],
    names: Iterable[str],
    chosen: Sequence[str],
    marks: Iterable[Mark] = (),
    secret: str = "",
    *,
    anonymous: bool,
) -> MarkTable:
    """Return the table for these answers, merged with what people have entered in an earlier one, if any.

    ``names`` are all submissions, to turn codes into names and back; ``chosen`` the homeworks that ``asked``
    covers, so that rows of others stay as they are; ``marks`` fill in rows in which the earlier table has
    nothing; ``secret`` is that of the codes.
    """
    names = list(names)
    name_of = _names_by_old_code(names)
    if secret:
        for name in names:
            name_of[code_of(name, secret)] = name
    # A submission's own name comes last, so that it stands for that submission whatever it looks like.
    for name in names:
        name_of[as_read_back(name)] = name

    def read(row: Row) -> tuple[Key, Row]:
        row["submission"] = name_of.get(row["submission"], row["submission"])
        return _key(row), row

    earlier: Mapping[Key, Row] = {}
    if path.is_file():
        earlier = read_rows(path, COLUMNS, read)
    marks_in_gradebook: dict[Key, Cells] = {}
    for mark in marks:
        key = (mark.submission, mark.homework, mark.question)
        points = points_cell(mark.points)
        marks_in_gradebook[key] = {"points": points, "comment": mark.comment}

    # A row for each answer, with what was entered for it.
    rows: dict[Key, Cells] = {}
    for question in questions:
        for answer in question.answers:
            key = (answer.submission, question.homework.id, question.question.id)
            row = {"points": "", "comment": "", **earlier.get(key, {})}
            if not _is_filled_in(row):
                row |= marks_in_gradebook.get(key, {})
            row |= dict(zip(KEYS, key, strict=True))
            row["max"] = points_cell(question.question.points)
            rows[key] = row

    # Rows of other homeworks stay, and marks whose answer is gone.
    orphans = []
    for key, earlier_row in earlier.items():
        if key in rows:
            continue
        _, homework_id, _ = key
        if homework_id not in chosen:
            rows[key] = earlier_row
        elif _is_filled_in(earlier_row):
            rows[key] = earlier_row
            orphans.append(key)

    columns = list(COLUMNS)
    for earlier_row in earlier.values():
        for column in earlier_row:
            if column not in columns:
                columns.append(column)
    if not anonymous:
        return MarkTable(columns, list(rows.values()), orphans)
    coded = []
    for (name, _, _), cells in rows.items():
        # A code whose submission is gone cannot be turned into a name; it hides that name already.
        is_code_of_nobody = is_code(name) and name not in names
        if not is_code_of_nobody:
            cells = {**cells, "submission": code_of(name, secret)}
        coded.append(cells)
    return MarkTable(columns, coded, orphans)


def _names_by_old_code(names: Iterable[str]) -> dict[str, str]:
    """Return the names by their codes without a secret, as far as a code stands for one name only."""
    names_of_code: defaultdict[str, list[str]] = defaultdict(list)
    for name in names:
        names_of_code[_code_without_secret(name)].append(name)
    name_of = {}
    for code, names_with_code in names_of_code.items():
        if len(names_with_code) == 1:
            name_of[code] = names_with_code[0]
    return name_of


def _key(row: Cells) -> Key:
    return row["submission"], row["homework"], row["question"]
