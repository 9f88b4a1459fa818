"""Grading and policy together: what ``grade`` applies, records, keeps and refuses."""

import json
import sqlite3

import pytest
from tiny import HOMEWORK
from wording import to_staff

from autograder.gradebook.opening import FILE_NAME, open_gradebook

from .conftest import TRIPLES
from .running import grade, results_of, run, totals

LATE = "submission,submitted_at\nada,2027-02-06T12:00:00Z\nbob,2027-02-01T12:00:00Z\n"


def select(out, query):
    connection = sqlite3.connect(out / FILE_NAME)
    try:
        return connection.execute(query).fetchall()
    finally:
        connection.close()


def graded(kit):
    kit.submit("ada")
    kit.submit("bob", TRIPLES)
    assert grade(kit.submissions, "--out", kit.out, "--seed", 7).exit == 0


def decide(kit):
    """Make ada late by a table, and give bob a check by hand."""
    (kit.root / "policy.toml").write_text("penalty_per_day = 20\n", "utf-8")
    (kit.root / "times.csv").write_text(LATE, "utf-8")
    how = ("--override", "bob", "--homework", "hwx", "--check", "double_published", "--points", 0.5)
    assert run("policy", kit.out, "--times", "times.csv", *how, "--reason", "the idea is right").exit == 0


@pytest.mark.parametrize("how", ["--resume", "--fresh"])
def test_decisions_are_kept_and_applied_when_submissions_are_graded_again(kit, how):
    graded(kit)
    decide(kit)
    assert totals(kit.out) == {"ada": "4.4", "bob": "3"}
    checks = kit.tiny.folder / f"test_{HOMEWORK}.py"
    checks.write_text(f"{checks.read_text('utf-8')}\n# other graders\n", "utf-8")
    assert grade(kit.submissions, "--out", kit.out, how).exit == 0
    assert totals(kit.out) == {"ada": "4.4", "bob": "3"}
    assert results_of(kit.out, "ada")["score"] == 4.4
    assert select(kit.out, "SELECT submission, raw, final FROM grades ORDER BY 1") == [
        ("ada", 5.5, 4.4),
        ("bob", 2.5, 3.0),
    ]


def test_a_wrong_policy_stops_before_anything_is_graded(kit):
    kit.submit("ada")
    (kit.root / "policy.toml").write_text("late_dayz = 2\n", "utf-8")
    result = grade(kit.submissions, "--out", kit.out)
    assert result.exit == 2
    assert to_staff["policy_grading.late_dayz-is-unknown"] in result.err
    assert not (kit.out / "submissions").exists()


def test_a_second_grade_on_the_folder_stops_and_changes_nothing(kit):
    graded(kit)
    before = (kit.out / "grades.csv").read_bytes()
    kit.submit("cyd")
    with open_gradebook(kit.out):
        for command in (("grade", kit.submissions, "--out", kit.out, "--unsafe"), ("policy", kit.out)):
            result = run(*command)
            assert result.exit == 2
            assert to_staff["policy_grading.use"] in result.err
            assert to_staff["policy_grading.wait-until-it-ends"] in result.err
    assert (kit.out / "grades.csv").read_bytes() == before


def test_each_run_is_recorded(kit):
    graded(kit)
    kit.submit("cyd")
    grade(kit.submissions, "--out", kit.out, "--jobs", 1)
    first, second = select(kit.out, "SELECT seed, command, outcomes, ended_at IS NULL FROM runs ORDER BY id")
    assert (first[0], second[0]) == (7, 7)
    assert str(second[1]).startswith("grade ")
    assert [json.loads(str(grading[2])) for grading in (first, second)] == [{"graded": 2}, {"graded": 1}]
    assert (first[3], second[3]) == (0, 0)
    assert select(kit.out, "SELECT submission, run FROM gradings ORDER BY 1") == [
        ("ada", 1),
        ("bob", 1),
        ("cyd", 2),
    ]


def test_a_regrade_by_other_checks_shows_in_the_diff(kit):
    graded(kit)
    other = kit.root / "other"
    kit.submit("bob")
    assert grade(kit.submissions, "--out", other, "--seed", 8).exit == 0
    result = run("diff", kit.out, other)
    assert result.exit == 1
    assert to_staff["policy_grading.submissions-have-other"] in result.out
    assert "seed 7 → 8" in " ".join(result.out.replace("│", " ").split())
