"""``autograder audit --mutants``: its table, its exit status, and the file for machines."""

import json

import pytest

from autograder.authoring.mutant_audit import Fate, MutantAudit, Verdict
from autograder.cli import audit as audit_module

from .running import run

DIFF = "--- doubles.py\n+++ doubles.py mutated\n-    factor = 2\n+    factor = 3\n"
CHANGE = ("factor = 2", "factor = 3")


def verdict(fate):
    return Verdict("hwx", "double", "small_changes", fate, CHANGE, DIFF, "double_published")


@pytest.fixture
def pretend(monkeypatch):
    """Let the audit find these fates and violations; returns the steps that it was asked for."""

    def pretend(*fates, violations=()):
        steps = []

        def audit_mutants(course, homeworks, jobs, tell, every):
            steps.append(every)
            return MutantAudit(tuple(map(verdict, fates)), violations)

        monkeypatch.setattr(audit_module, "audit_mutants", audit_mutants)
        return steps

    return pretend


def test_the_table_counts_mutants_that_could_be_made(kit, pretend):
    steps = pretend(Fate.KILLED, Fate.KILLED, Fate.EQUIVALENT, Fate.INAPPLICABLE)
    result = run("audit", "--mutants")
    assert (result.exit, result.err) == (0, "")
    row = next(line for line in result.out.splitlines() if line.startswith("hwx"))
    assert row.split() == ["hwx", "3", "2", "1", "0"]
    assert steps == [1]


def test_a_survivor_ends_with_status_1_and_its_diff(kit, pretend):
    pretend(Fate.KILLED, Fate.SURVIVED, violations=(f"hwx: this mutant earns all points:\n{DIFF}",))
    result = run("audit", "--mutants", "hwx")
    assert result.exit == 1
    assert "+    factor = 3" in result.err
    assert ["hwx", "2", "1", "0", "1"] in [line.split() for line in result.out.splitlines()]


def test_a_sample_says_that_it_is_one(kit, pretend):
    steps = pretend(Fate.KILLED)
    result = run("audit", "--mutants", "--every", 20)
    assert steps == [20]
    assert "1 mutant of 20" in result.err


def test_every_verdict_is_written_for_machines(kit, pretend, tmp_path):
    pretend(Fate.KILLED, Fate.SURVIVED)
    file = tmp_path / "new" / "mutants.json"
    run("audit", "--mutants", "--json", file)
    written = json.loads(file.read_text("utf-8"))
    assert [verdict["fate"] for verdict in written["verdicts"]] == ["killed", "survived"]
    assert written["verdicts"][0]["change"] == list(CHANGE)
    assert written["violations"] == []
