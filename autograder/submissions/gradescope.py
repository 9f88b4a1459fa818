"""Gradescope, "Export Submissions": ``submission_12345/`` folders and ``submission_metadata.yml``."""

from __future__ import annotations

import datetime as dt
import re
import zipfile
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from autograder.submissions.download import Item, read_bytes
from autograder.submissions.layout import Collected, Layout, Reading
from autograder.submissions.model import Owner, SubmissionError
from autograder.submissions.naming import shown

METADATA = "submission_metadata.yml"
MAX_METADATA_BYTES = 64 << 20

Record = Mapping[str, Any]


def is_gradescope(items: Sequence[Item]) -> bool:
    """Whether the export's table of submissions is there."""
    return any(item.name == METADATA and not item.is_folder for item in items)


def read_gradescope(items: Sequence[Item]) -> Reading:
    """Say whose each submission is; of a group, each member gets the submission as an entry of their own.

    Raises:
        SubmissionError: the table of submissions is missing, too large or damaged.
    """
    table = next((item for item in items if item.name == METADATA), None)
    if table is None:
        raise SubmissionError(f"there is no {METADATA}: name the folder that Gradescope's export unpacks to")
    records = _records(table)
    others = [item for item in items if item is not table]
    collected = [one for item in others for one in _of(item, records.get(item.name))]
    notes = list(_notes(others, records))
    return Reading(Layout.GRADESCOPE, tuple(collected), tuple(notes))


def _records(table: Item) -> dict[str, Record]:
    import yaml

    try:
        data = read_bytes(table, MAX_METADATA_BYTES)
        if data is None:
            raise SubmissionError(
                f"{METADATA} is larger than {MAX_METADATA_BYTES >> 20} MiB: export it again"
            )
        # Everything is read as text, for YAML would take the id 0123 for the number 83.
        loaded = yaml.load(data, getattr(yaml, "CBaseLoader", yaml.BaseLoader))
    except (OSError, zipfile.BadZipFile, yaml.YAMLError, ValueError, RecursionError) as error:
        raise SubmissionError(f"{METADATA} cannot be read ({_first_line(error)}): export it again") from error
    if not isinstance(loaded, dict):
        raise SubmissionError(f"{METADATA} is no table of submissions: export it again")
    return {str(key): value for key, value in loaded.items() if isinstance(value, dict)}


def _first_line(error: Exception) -> str:
    return shown((str(error).splitlines() or [type(error).__name__])[0])


def _of(item: Item, record: Record | None) -> Iterator[Collected]:
    """Yield the entries of one submission; without a known submitter there is one of nobody."""
    owners = [] if record is None else list(_owners(record))
    parts = (item.part("" if item.is_folder else item.name),)
    for owner in owners:
        yield Collected("_".join(filter(None, (owner.name, owner.student_id or owner.email))), parts, owner)
    if not owners:
        yield Collected(item.name, parts)


def _owners(record: Record) -> Iterator[Owner]:
    submitters = record.get(":submitters")
    history = record.get(":history")
    for one in submitters if isinstance(submitters, list) else ():
        known = {key: _text(one, key) for key in (":name", ":sid", ":email")} if isinstance(one, dict) else {}
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
    return value.strip() if isinstance(value, str) and value.strip() not in ("~", "null") else ""


def _time(text: str) -> dt.datetime | None:
    """Return a time that states its zone, and None for one that does not."""
    try:
        time = dt.datetime.fromisoformat(re.sub(r"\s+(?=Z$|[+-]\d)", "", text))
    except ValueError:
        return None
    return time if time.tzinfo else None


def _notes(items: Sequence[Item], records: Mapping[str, Record]) -> Iterator[str]:
    for item in items:
        owners = list(_owners(records.get(item.name, {})))
        if not owners:
            yield f"{METADATA} does not say whose {shown(item.name)} is: it counts as an unknown student's"
        elif len(owners) > 1:
            yield f"{shown(item.name)} is the work of {len(owners)} students: each of them is graded for it"
    for name in sorted(records.keys() - {item.name for item in items}):
        yield f"{METADATA} lists {shown(name)}, which is not in the export: download it again"
