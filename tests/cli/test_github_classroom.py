"""The clones of a class from GitHub Classroom: graded, and late by their last commits or by its table."""

from __future__ import annotations

import datetime as dt
from pathlib import Path

from intake.clones import MONDAY, clone_of, git

from .conftest import RIGHT, TRIPLES, Kit
from .running import grade, rows, run, totals

ROSTER = '"identifier","github_username","github_id","name"\n"4711","ada-l","1",""\n"4712","bo","2","Bo O."\n'
DAY = dt.timedelta(days=1)


def clones_of(kit: Kit) -> Path:
    """Three clones: in time, a day late, and one without any commit."""
    clones = kit.submissions / "hw1-submissions"
    clone_of(clones / "hw1-ada-l", {"doubles.py": RIGHT, ".github/workflows/checks.yml": "on: push"})
    clone_of(clones / "hw1-bo", {"doubles.py": RIGHT}, MONDAY + DAY)
    git(clone_of(clones / "hw1-cy", {"doubles.py": TRIPLES}), "update-ref", "-d", "HEAD")
    return clones


def test_clones_are_graded_and_late_by_their_last_commits_or_by_the_platforms_table(kit: Kit) -> None:
    due = (MONDAY + DAY / 2).isoformat()
    rules = f"penalty_per_day = 50\n[homeworks.hwx]\ndue = {due}\n"
    (kit.root / "policy.toml").write_text(rules, "utf-8")
    roster, table = kit.root / "classroom_roster.csv", kit.root / "grades.csv"
    roster.write_text(ROSTER, "utf-8")
    clones = clones_of(kit)
    done = grade(clones, "--out", kit.out, "--roster", roster)
    assert done.exit == 0, done.err
    best = float(totals(kit.out)["ada-l"])
    assert float(totals(kit.out)["bo"]) == best / 2
    assert {row["submission"]: (row["student_id"], row["late"]) for row in rows(kit.out)} == {
        "ada-l": ("4711", "no"),
        "bo": ("4712", "yes"),
        "cy": ("cy", ""),
    }
    again = grade(clones, "--out", kit.out, "--roster", roster, "--layout", "classroom")
    assert "3 of 3 already graded" in again.err
    stated = f"ada-l,{MONDAY + 2 * DAY:%Y-%m-%d %H:%M:%S} UTC\nbo,{MONDAY:%Y-%m-%d %H:%M:%S} UTC\ncy,\n"
    table.write_text(f"github_username,submission_timestamp\n{stated}", "utf-8")
    assert run("policy", kit.out, "--times", table).exit == 0
    assert [float(totals(kit.out)[login]) for login in ("ada-l", "bo")] == [0, best]
