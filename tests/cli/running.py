"""Run the command as a user does, in this process, and keep what it says."""

import contextlib
import csv
import io
import json
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from autograder.cli.app import main


@dataclass(frozen=True)
class Done:
    """One run of the command: exit status, standard output and standard error."""

    exit: int
    out: str
    err: str


def run(*arguments: object) -> Done:
    """Run ``autograder`` with these arguments."""
    out, err = io.StringIO(), io.StringIO()
    with (
        pytest.MonkeyPatch.context() as patch,
        contextlib.redirect_stdout(out),
        contextlib.redirect_stderr(err),
    ):
        patch.setattr(sys, "argv", ["autograder", *map(str, arguments)])
        with pytest.raises(SystemExit) as leaving:
            main()
    return Done(int(leaving.value.code or 0), out.getvalue(), err.getvalue())


def refusal(done: Done) -> str:
    """What a command says that is refused, and not by a traceback."""
    assert done.exit == 2
    assert "Traceback" not in done.err
    return done.err


def grade(*arguments: object) -> Done:
    """Grade, on whatever protection this machine offers."""
    return run("grade", *arguments, "--unsafe")


def rows(folder: Path) -> list[dict[str, str]]:
    """The rows of ``grades.csv``."""
    with (folder / "grades.csv").open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def totals(folder: Path) -> dict[str, str]:
    """The total of each submission."""
    return {row["submission"]: row["total"] for row in rows(folder)}


def results_of(folder: Path, name: str) -> dict[str, Any]:
    """One submission's ``results.json``."""
    text = (folder / "submissions" / name / "results.json").read_text(encoding="utf-8")
    return dict(json.loads(text))


def labels_of(folder: Path, name: str) -> dict[str, list[str]]:
    """The misconceptions of each check that has any."""
    labels_by_check = {
        t["extra_data"]["check"]: t["extra_data"]["misconceptions"] for t in results_of(folder, name)["tests"]
    }
    return {check: labels for check, labels in labels_by_check.items() if labels}
