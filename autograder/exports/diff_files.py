"""What differs between two gradebooks, as CSV and as JSON."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict, fields
from pathlib import Path

from autograder.gradebook.difference import Difference
from autograder.roster.table import Cell, write_table


def write_diff_csv(path: Path, differences: Sequence[Difference]) -> None:
    """Write one row per difference; points that do not exist are blank."""
    write_table(path, [field.name for field in fields(Difference)], map(_row, differences))


def write_diff_json(path: Path, differences: Sequence[Difference]) -> None:
    """Write the differences as a list of objects; points that do not exist are null."""
    text = json.dumps([asdict(one) for one in differences], indent=1)
    path.write_text(f"{text}\n", encoding="utf-8")


def _row(one: Difference) -> list[Cell]:
    return [one.submission, one.homework, one.subject, one.before, one.after, one.why, one.cause]
