"""A folder laid out like Gradescope's ``/autograder``, and what Gradescope says it reads from there."""

import datetime as dt
import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import jsonschema

DUE = dt.datetime(2027, 3, 1, 23, 59, tzinfo=dt.timezone(-dt.timedelta(hours=8)))
FORMAT = {"enum": ["text", "html", "simple_format", "md", "ansi"]}
VISIBILITY = {"enum": ["visible", "hidden", "after_due_date", "after_published"]}
TEXT, NUMBER, OBJECT = {"type": "string"}, {"type": "number"}, {"type": "object"}
TEST = {
    "type": "object",
    "additionalProperties": False,
    "properties": {
        "score": NUMBER,
        "max_score": NUMBER,
        "status": {"enum": ["passed", "failed"]},
        "name": TEXT,
        "name_format": FORMAT,
        "number": TEXT,
        "output": TEXT,
        "output_format": FORMAT,
        "tags": {"type": "array", "items": TEXT},
        "visibility": VISIBILITY,
        "extra_data": OBJECT,
    },
}
PLACE = {
    "type": "object",
    "additionalProperties": False,
    "required": ["name", "value"],
    "properties": {"name": TEXT, "value": {"type": ["number", "string"]}, "order": {"enum": ["asc", "desc"]}},
}
SCHEMA = {
    "type": "object",
    "additionalProperties": False,
    "properties": {
        "score": NUMBER,
        "execution_time": NUMBER,
        "output": TEXT,
        "output_format": FORMAT,
        "test_output_format": FORMAT,
        "test_name_format": FORMAT,
        "visibility": VISIBILITY,
        "stdout_visibility": VISIBILITY,
        "extra_data": OBJECT,
        "tests": {"type": "array", "items": TEST},
        "leaderboard": {"type": "array", "items": PLACE},
    },
    "anyOf": [
        {"required": ["score"]},
        {"required": ["tests"], "properties": {"tests": {"minItems": 1, "items": {"required": ["score"]}}}},
    ],
}
"""The fields and values that Gradescope's documentation lists for ``results.json``, and no others."""
MAX_BYTES = 2_000_000  # none is documented; a page of more is of use to nobody


def documented(text: str) -> dict[str, Any]:
    """Read ``results.json`` as strictly as any reader of JSON, and hold it to the documentation.

    Numbers are finite, and texts are such that every database and page takes them: whole characters, no NUL.
    """
    assert len(text) < MAX_BYTES
    results: dict[str, Any] = json.loads(text, parse_constant=lambda name: 1 / 0)
    jsonschema.validate(results, SCHEMA)
    for string in _texts(results):
        assert "\0" not in string
        string.encode("utf-8")
    return results


def _texts(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict | list):
        for item in [*value, *value.values()] if isinstance(value, dict) else value:
            yield from _texts(item)


def moment(hours: float) -> str:
    """The time so many hours after the due date, as Gradescope writes it."""
    return (DUE + dt.timedelta(hours=hours)).isoformat(timespec="microseconds")


@dataclass(frozen=True)
class Folder:
    """A folder laid out like ``/autograder``."""

    root: Path

    @property
    def results(self) -> Path:
        return self.root / "results" / "results.json"

    def submit(self, name: str, text: str) -> None:
        (self.root / "submission" / name).write_text(text, encoding="utf-8")

    def rules(self, text: str, extensions: str = "") -> None:
        (self.root / "source" / "policy.toml").write_text(text, encoding="utf-8")
        if extensions:
            (self.root / "source" / "extensions.csv").write_text(extensions, encoding="utf-8")

    def tell(self, hours: float = -1, due_hours: Sequence[float] = (0,)) -> None:
        """Write what Gradescope says: handed in so many hours after it was due, and each user's due date."""

        def dates(hours: float) -> dict[str, str | None]:
            return {"due_date": moment(hours), "late_due_date": None, "release_date": moment(-99)}

        users = [
            {"id": number, "email": f"S{number}@x.edu", "name": f"S {number}", "assignment": dates(more)}
            for number, more in enumerate(due_hours, 1)
        ]
        assignment = {**dates(0), "id": 3, "title": "one", "group_size": None, "total_points": "20.0"}
        metadata = {"id": 9, "created_at": moment(hours), "assignment": assignment, "users": users}
        metadata |= {"submission_method": "upload", "previous_submissions": []}
        (self.root / "submission_metadata.json").write_text(json.dumps(metadata), encoding="utf-8")

    def read(self) -> dict[str, Any]:
        """Return the results, which are as documented."""
        return documented(self.results.read_text("utf-8"))
