"""Gradescope, "Export Submissions": ``submission_12345/`` folders and ``submission_metadata.yml``.

Grades and feedback go back as a ``results.json`` for each student. Grading on Gradescope itself is in
``gradescope_bundle.py``.
"""

from __future__ import annotations

import datetime as dt
import re
import zipfile
from collections.abc import Collection, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from autograder.feedback.results_json import write_results
from autograder.intake.download import Item, read_bytes, share
from autograder.intake.naming import as_folder_name
from autograder.intake.roster import Roster
from autograder.intake.submission import Discovery, Owner, Submission, SubmissionError
from autograder.platforms.platform import Export, ExportError, Platform, StudentGrade
from autograder.report.exports import RESULTS
from autograder.untrusted_text import name_in_message, name_to_store

METADATA = "submission_metadata.yml"
MAX_METADATA_BYTES = 64 << 20
MAX_NODES = 10_000_000
MAX_DEPTH = 100
_KEPT_DEPTH = 4  # a list of submitters is in a record in the table; anything deeper is not looked at
_MAX_TEXT_LETTERS = 300
_FORM = re.compile(r"(?P<name>submission)_(?P<id>\d+)")

SubmissionRecord = Mapping[str, Any]


class Gradescope(Platform):
    """Gradescope: exports with a table of submitters, and ``results.json`` for each student."""

    name = "gradescope"
    title = "Gradescope"
    example = METADATA
    tables = (METADATA,)
    table_title = "a table of Gradescope"
    takes_grades = True
    includes_missing = False

    def is_named(self, item: Item) -> bool:
        return item.name == METADATA

    def is_download(self, items: Sequence[Item]) -> bool:
        """Return whether there is the table of an export, and most of the other items are named as in one.

        The table proves nothing, because a student may call a file like it.
        """
        others = []
        for item in items:
            if item.name != METADATA:
                others.append(item)
        return len(others) < len(items) and share(others, _FORM.fullmatch) >= 0.5

    def read(self, items: Sequence[Item], stubs: Collection[str] = ()) -> Discovery:
        """Say whose each submission is; each member of a group gets the submission as an entry of their own.

        Raises:
            SubmissionError: the table is missing or cannot be read.
        """
        tables = []
        for item in items:
            if item.name == METADATA:
                tables.append(item)
        if not tables:
            raise SubmissionError(
                f"there is no {METADATA}: name the folder that Gradescope's export unpacks to"
            )
        table = tables[0]
        records = _records(table)
        others = []
        for item in items:
            if item is not table:
                others.append(item)
        entries = []
        notes = []
        for item in others:
            parts = (item.part(),)
            owners = list(_owners(records.get(item.name, {})))
            for owner in owners:
                identity = (owner.name, owner.student_id or owner.email)
                name = "_".join(filter(None, identity))
                entries.append(Submission(name, item.path, owner, parts))
            if not owners:
                entries.append(Submission(item.name, item.path, None, parts))
            elif len(owners) > 1:
                notes.append(
                    f"{name_in_message(item.name)} is the work of {len(owners)} students: "
                    "each of them is graded for it"
                )
        exported = {item.name for item in others}
        for name in sorted(records.keys() - exported):
            notes.append(
                f"{METADATA} lists {name_in_message(name)}, which is not in the export: download it again"
            )
        return Discovery(tuple(entries), tuple(notes))

    def roster_columns(
        self, columns: Mapping[str, str]
    ) -> Mapping[str, str | None] | None:
        """Recognise a roster, which has roles, or a table of grades, which has total scores."""
        is_table = "role" in columns or "total score" in columns
        if is_table and "sid" in columns and "email" in columns:
            return {}
        return None

    def is_staff_row(self, cells: Mapping[str, str]) -> bool:
        """Tell by the role, which the table of grades does not have."""
        for column, cell in cells.items():
            if column.casefold() == "role":
                return cell.strip().casefold() not in ("student", "")
        return False

    def write_grades(
        self,
        folder: Path,
        roster: Roster,
        grades: Sequence[StudentGrade],
        column: str,
    ) -> Export:
        """Write ``results.json`` for each student who has a submission, in a folder named after the student."""
        path = folder / "gradescope"
        for earlier in path.glob(f"*/{RESULTS}"):
            earlier.unlink()
        for grade in grades:
            if grade.result is None:
                continue
            student = grade.student
            identifier = (
                student.student_id or student.email or student.login or student.number
            )
            student_folder = path / as_folder_name(identifier)
            student_folder.mkdir(parents=True, exist_ok=True)
            is_blank = grade.points is None
            write_results(student_folder / RESULTS, grade.result, is_blank=is_blank)
        return Export(path, {})

    def check_feedback(self, download: Path | None) -> None:
        raise ExportError(
            "Gradescope's results.json hold the feedback: leave --feedback out"
        )


def _records(table: Item) -> dict[str, SubmissionRecord]:
    """Return the records of the export's table by the names of the submissions' folders."""
    from yaml import YAMLError  # only downloads of Gradescope need it

    try:
        content = _loaded(read_bytes(table, MAX_METADATA_BYTES).decode())
    except (OSError, zipfile.BadZipFile, YAMLError, ValueError) as error:
        lines = str(error).splitlines() or [type(error).__name__]
        raise SubmissionError(
            f"{METADATA} cannot be read ({name_in_message(lines[0])}): export it again"
        ) from error
    if not isinstance(content, dict):
        raise SubmissionError(
            f"{METADATA} is not a table of submissions: export it again"
        )
    records: dict[str, SubmissionRecord] = {}
    for name, record in content.items():
        if isinstance(record, dict):
            records[name] = record
    return records


def _loaded(text: str) -> Any:
    """Return the content of a YAML text, all scalars as strings: YAML would take the id 0123 for 83.

    It is built from the parser's events, because libyaml's own composer recurses until the process dies. An
    alias of a text is that text; one of a list or table is empty, because it could stand for any amount.

    Raises:
        ValueError: there is more, or it is nested more deeply, than in any export.
        yaml.YAMLError: it is not YAML.
    """
    import yaml

    if any(line.startswith("%") for line in text.splitlines()):
        raise ValueError("it holds a directive")
    open_nodes: list[list[Any]] = [[]]
    text_by_anchor: dict[str | None, str] = {}
    loader = getattr(yaml, "CBaseLoader", yaml.BaseLoader)
    for count, event in enumerate(yaml.parse(text, loader)):
        if count > MAX_NODES or len(open_nodes) > MAX_DEPTH:
            raise ValueError("it holds too much, or is nested too deeply")
        if isinstance(event, yaml.ScalarEvent):
            is_quoted = not event.implicit[0]
            is_null = event.value in ("~", "null") and not is_quoted
            scalar = "" if is_null else event.value
            text_by_anchor[event.anchor] = scalar
            open_nodes[-1].append(scalar)
        elif isinstance(event, yaml.AliasEvent):
            open_nodes[-1].append(text_by_anchor.get(event.anchor, ""))
        elif isinstance(event, yaml.CollectionStartEvent):
            open_nodes.append([])
        elif isinstance(event, yaml.CollectionEndEvent):
            node: Any = open_nodes.pop()
            if isinstance(event, yaml.MappingEndEvent):
                node = _as_mapping(node)
            if len(open_nodes) > _KEPT_DEPTH:
                node = ""
            open_nodes[-1].append(node)
    if open_nodes[0]:
        return open_nodes[0][0]
    return None


def _as_mapping(children: Sequence[Any]) -> dict[str, Any]:
    """Return the children of a mapping's node, keys and values in turn, as a dictionary."""
    mapping = {}
    for key, value in zip(children[::2], children[1::2], strict=True):
        if not isinstance(key, str):
            key = ""
        mapping[key] = value
    return mapping


def _owners(record: SubmissionRecord) -> Iterator[Owner]:
    """Yield the submitters of a record who can be distinguished at all."""
    submitters = record.get(":submitters")
    if not isinstance(submitters, list):
        return
    history = record.get(":history")
    attempt = 1 + len(history) if isinstance(history, list) else None
    submitted_at = _time(_text(record, ":created_at"))
    for submitter in submitters:
        if not isinstance(submitter, dict):
            continue
        name = _text(submitter, ":name")
        sid = _text(submitter, ":sid")
        email = _text(submitter, ":email")
        if name or sid or email:
            yield Owner(
                sid or email,
                name,
                submitted_at=submitted_at,
                attempt=attempt,
                email=email,
            )


def _text(record: SubmissionRecord, key: str) -> str:
    value = record.get(key)
    if not isinstance(value, str):
        return ""
    return name_to_store(value[:_MAX_TEXT_LETTERS]).strip()


def _time(text: str) -> dt.datetime | None:
    """Return a time that states its zone, and None for one that does not."""
    try:
        time = dt.datetime.fromisoformat(re.sub(r"\s+(?=Z$|[+-]\d)", "", text))
        time.astimezone(dt.UTC)
    except (ValueError, OverflowError):
        # OverflowError: the year would leave the calendar in another zone.
        return None
    if time.tzinfo:
        return time
    return None
