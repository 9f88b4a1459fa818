"""The clones of a class from GitHub Classroom: graded, and late by their last commits or by its table."""

import csv
import datetime as dt

from intake.clones import MONDAY, clone_of, git
from wording import to_staff

from .conftest import RIGHT, TRIPLES
from .running import grade, rows, run, totals

ROSTER = '"identifier","github_username","github_id","name"\n"4711","ada-l","1",""\n"4712","bo","2","Bo O."\n'
DAY = dt.timedelta(days=1)


def csv_rows(path):
    with path.open(encoding="utf-8-sig", newline="") as file:
        return list(csv.DictReader(file))


def clones_of(kit):
    """Three clones: in time, a day late, and one without any commit."""
    clones = kit.submissions / "hw1-submissions"
    clone_of(clones / "hw1-ada-l", {"doubles.py": RIGHT, ".github/workflows/checks.yml": "on: push"})
    clone_of(clones / "hw1-bo", {"doubles.py": RIGHT}, MONDAY + DAY)
    git(clone_of(clones / "hw1-cy", {"doubles.py": TRIPLES}), "update-ref", "-d", "HEAD")
    return clones


def test_clones_are_graded_and_late_by_their_last_commits_or_by_the_platforms_table(kit):
    due = (MONDAY + DAY / 2).isoformat()
    rules = f"penalty_per_day = 50\n[homeworks.hwx]\ndue = {due}\n"
    (kit.root / "policy.toml").write_text(rules, "utf-8")
    roster, table = kit.root / "classroom_roster.csv", kit.root / "grades.csv"
    roster.write_text(ROSTER, "utf-8")
    clones = clones_of(kit)
    result = grade(clones, "--out", kit.out, "--roster", roster)
    assert result.exit == 0, result.err
    best = float(totals(kit.out)["ada-l"])
    assert float(totals(kit.out)["bo"]) == best / 2
    assert {row["submission"]: (row["student_id"], row["late"]) for row in rows(kit.out)} == {
        "ada-l": ("4711", "no"),
        "bo": ("4712", "yes"),
        "cy": ("", ""),
    }
    again = grade(clones, "--out", kit.out, "--roster", roster, "--layout", "classroom")
    assert "3 of 3 already graded" in again.err
    stated = f"ada-l,{MONDAY + 2 * DAY:%Y-%m-%d %H:%M:%S} UTC\nbo,{MONDAY:%Y-%m-%d %H:%M:%S} UTC\ncy,\n"
    table.write_text(f"github_username,submission_timestamp\n{stated}", "utf-8")
    assert run("policy", kit.out, "--times", table).exit == 0
    assert [float(totals(kit.out)[login]) for login in ("ada-l", "bo")] == [0, best]


def test_a_login_that_looks_like_another_students_id_takes_nothing_of_that_student(kit):
    """Somebody who is not in the roster calls the account 4711, which is Ada's id at the school."""
    due = MONDAY + DAY / 2
    rules = f"penalty_per_day = 50\n[homeworks.hwx]\ndue = {due.isoformat()}\n"
    (kit.root / "policy.toml").write_text(rules, "utf-8")
    roster, extensions = kit.root / "classroom_roster.csv", kit.root / "given.csv"
    roster.write_text(ROSTER, "utf-8")
    clones = kit.submissions / "hw1-submissions"
    for login in ("ada-l", "4711", "bo"):
        clone_of(clones / f"hw1-{login}", {"doubles.py": RIGHT}, MONDAY + DAY)
    assert grade(clones, "--out", kit.out, "--roster", roster).exit == 0
    late = float(totals(kit.out)["bo"])
    assert {row["submission"]: row["student_id"] for row in rows(kit.out)} == {
        "ada-l": "4711",
        "bo": "4712",
        "4711": "",
    }

    extensions.write_text("submission,due\n4711,2030-01-01T00:00:00Z\n", "utf-8")
    refused = run("policy", kit.out, "--extensions", extensions)
    assert (refused.exit, refused.err) == (2, to_staff["github.a-login-or-an-id"])
    assert float(totals(kit.out)["ada-l"]) == late

    extensions.write_text("submission,due\nid:4711,2030-01-01T00:00:00Z\n", "utf-8")
    assert run("policy", kit.out, "--extensions", extensions).exit == 0
    points = {login: float(text) for login, text in totals(kit.out).items()}
    assert points == {"ada-l": 2 * late, "bo": late, "4711": late}

    # The same roster exports Ada's points to Ada, and nothing of the other one's to anybody.
    result = run("export", kit.out, "--to", "moodle", "--roster", roster, "--column", "Week 1")
    assert result.exit == 0, result.err
    exported = {row["ID number"]: row["Week 1"] for row in csv_rows(kit.out / "moodle.csv")}
    assert exported == {"4711": f"{2 * late:g}", "4712": f"{late:g}"}
