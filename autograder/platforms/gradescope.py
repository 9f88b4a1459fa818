"""Gradescope, "Export Submissions": ``submission_12345/`` folders and ``submission_metadata.yml``."""

from __future__ import annotations

import datetime as dt
import re
import zipfile
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from autograder.intake.download import Item, read_bytes, share
from autograder.intake.naming import printable, shown
from autograder.intake.submission import Discovery, Entry, Owner, SubmissionError

METADATA = "submission_metadata.yml"
MAX_METADATA_BYTES = 64 << 20
MAX_NODES = 10_000_000
MAX_DEPTH = 100
_KEPT_DEPTH = 4  # a list of submitters lies in a record in the table; what lies deeper is not looked at
_LONGEST_TEXT = 300
_SUBMISSION = re.compile(r"(?P<name>submission)_(?P<id>\d+)")

Record = Mapping[str, Any]


def is_gradescope(items: Sequence[Item]) -> bool:
    """Whether there is the table of an export, and most of the other items are named as in one.

    The table alone proves nothing, for a student may call a file like it.
    """
    others = [item for item in items if item.name != METADATA]
    return len(others) < len(items) and share(others, _SUBMISSION.fullmatch) >= 0.5


def read_gradescope(items: Sequence[Item]) -> Discovery:
    """Say whose each submission is; of a group, each member gets the submission as an entry of their own."""
    table = next((item for item in items if item.name == METADATA), None)
    if table is None:
        raise SubmissionError(
            f"there is no {METADATA}: name the folder that Gradescope's export unpacks to"
        )
    records = _records(table)
    others = [item for item in items if item is not table]
    entries, notes = [], []
    for item in others:
        parts = (item.part(),)
        owners = list(_owners(records.get(item.name, {})))
        for owner in owners:
            name = "_".join(filter(None, (owner.name, owner.student_id or owner.email)))
            entries.append(Entry(name, item.path, owner, parts))
        if not owners:
            entries.append(Entry(item.name, item.path, None, parts))
        elif len(owners) > 1:
            work = f"{shown(item.name)} is the work of {len(owners)} students"
            notes.append(f"{work}: each of them is graded for it")
    lost = map(shown, sorted(records.keys() - {item.name for item in others}))
    notes += [
        f"{METADATA} lists {name}, which is not in the export: download it again"
        for name in lost
    ]
    return Discovery(tuple(entries), tuple(notes))


def _records(table: Item) -> dict[str, Record]:
    from yaml import YAMLError

    try:
        loaded = _loaded(read_bytes(table, MAX_METADATA_BYTES).decode())
    except (OSError, zipfile.BadZipFile, YAMLError, ValueError) as error:
        reason = shown((str(error).splitlines() or [type(error).__name__])[0])
        raise SubmissionError(
            f"{METADATA} cannot be read ({reason}): export it again"
        ) from error
    if not isinstance(loaded, dict):
        raise SubmissionError(
            f"{METADATA} is not a table of submissions: export it again"
        )
    return {key: value for key, value in loaded.items() if isinstance(value, dict)}


def _loaded(text: str) -> Any:
    """Return what YAML says, all scalars as text, for YAML would take the id 0123 for the number 83.

    It is built from the parser's events, for libyaml's own composer recurses until the process dies. An alias
    of a text is that text; one of a list or table is empty, for it could stand for any amount.

    Raises:
        ValueError: there is more, or it is nested more deeply, than in any export.
        yaml.YAMLError: it is not YAML.
    """
    import yaml

    if any(line.startswith("%") for line in text.splitlines()):
        raise ValueError("it holds a directive")
    open_nodes: list[list[Any]] = [[]]
    anchored: dict[str | None, str] = {}
    for count, event in enumerate(
        yaml.parse(text, getattr(yaml, "CBaseLoader", yaml.BaseLoader))
    ):
        if count > MAX_NODES or len(open_nodes) > MAX_DEPTH:
            raise ValueError("it holds too much, or is nested too deeply")
        if isinstance(event, yaml.ScalarEvent):
            is_null = event.implicit[0] and event.value in (
                "~",
                "null",
            )  # and not "null" in quotes
            anchored[event.anchor] = "" if is_null else event.value
            open_nodes[-1].append(anchored[event.anchor])
        elif isinstance(event, yaml.AliasEvent):
            open_nodes[-1].append(anchored.get(event.anchor, ""))
        elif isinstance(event, yaml.CollectionStartEvent):
            open_nodes.append([])
        elif isinstance(event, yaml.CollectionEndEvent):
            node: Any = open_nodes.pop()
            if isinstance(event, yaml.MappingEndEvent):
                keys = [key if isinstance(key, str) else "" for key in node[::2]]
                node = dict(zip(keys, node[1::2], strict=True))
            open_nodes[-1].append(node if len(open_nodes) <= _KEPT_DEPTH else "")
    return open_nodes[0][0] if open_nodes[0] else None


def _owners(record: Record) -> Iterator[Owner]:
    submitters = record.get(":submitters")
    history = record.get(":history")
    for one in submitters if isinstance(submitters, list) else ():
        known = (
            {key: _text(one, key) for key in (":name", ":sid", ":email")}
            if isinstance(one, dict)
            else {}
        )
        if any(known.values()):
            yield Owner(
                known[":sid"] or known[":email"],
                known[":name"],
                submitted_at=_time(_text(record, ":created_at")),
                attempt=1 + len(history) if isinstance(history, list) else None,
                email=known[":email"],
            )


def _text(record: Record, key: str) -> str:
    value = record.get(key)
    return printable(value[:_LONGEST_TEXT]).strip() if isinstance(value, str) else ""


def _time(text: str) -> dt.datetime | None:
    """Return a time that states its zone, and None for one that does not."""
    try:
        time = dt.datetime.fromisoformat(re.sub(r"\s+(?=Z$|[+-]\d)", "", text))
        time.astimezone(dt.UTC)
    except (
        ValueError,
        OverflowError,
    ):  # the second where the year would leave the calendar in another zone
        return None
    return time if time.tzinfo else None
