"""``autograder audit``, also with ``--mutants``: its tables, its exit status, and the file for machines."""

import json

import pytest
from wording import to_staff

from autograder.authoring.audit import Audit, Kind, Margin, Trial
from autograder.authoring.audit_seeds import SeedRun
from autograder.authoring.mutant_audit import Fate, MutantAudit, Verdict
from autograder.cli import audit as audit_module

from .running import refusal, run

TRIALS = (
    Trial("hwx", Kind.SINGLE, "triples", ("triples",), 2.5, 5.5, (("triples",),), ("double_sizes",)),
    Trial("hwx", Kind.PAIR, "a + b", ("a", "b"), 0.0, 5.5),
    Trial("hwx", Kind.CORRECT, "reference", (), 5.5, 5.5),
    Trial("hwx", Kind.STUB, "doubles.py", (), 0.0, 5.5),
)
MARGINS = (
    Margin("hwx", "hidden/double/wide", "triples", 1e4),
    Margin("hwx", "hidden/totals/wide", "x", 57.3),
)


@pytest.fixture
def pretend(monkeypatch):
    """Let the audit find this; returns what it was asked."""

    def pretend(**changes):
        audits = []
        audit = Audit(**({"trials": TRIALS, "margins": MARGINS, "violations": ()} | changes))

        def audit_course(course, homeworks, jobs, tell, **sampling):
            audits.extend([[homework.id for homework in homeworks], jobs])
            for trial in audit.trials:
                tell(trial)
            return audit

        monkeypatch.setattr(audit_module, "audit_course", audit_course)
        return audits

    return pretend


def test_an_audit_without_violations_ends_well_with_a_line_per_homework(kit, pretend):
    audits = pretend()
    result = run("audit", "--jobs", 3)
    assert (result.exit, result.err) == (0, "")
    assert audits == [["hwx"], 3]
    row = next(line for line in result.out.splitlines() if "hwx" in line)
    assert row.split() == ["hwx", "1/1", "0/1", "1/1", "57", "tolerances"]


@pytest.mark.parametrize(
    ("chosen", "sampling"),
    [
        ((), {"every_pair": 1, "every_form": 1}),
        (("hwx",), {"every_pair": 8, "every_form": 1}),
        (("hwx", "--every", "2"), {"every_pair": 2, "every_form": 2}),
        (("--every", "3"), {"every_pair": 3, "every_form": 3}),
    ],
)
def test_of_a_named_homework_some_of_the_pairs_are_graded_unless_all_are_asked_for(
    kit, monkeypatch, chosen, sampling
):
    calls = []

    def audit_course(*args, **numbers):
        calls.append(numbers)
        return Audit((), ())

    monkeypatch.setattr(audit_module, "audit_course", audit_course)
    result = run("audit", *chosen)
    assert (result.exit, calls) == (0, [sampling])
    assert result.err == (to_staff["audit.every-8th-pair"] if chosen == ("hwx",) else "")


def test_a_real_audit_of_a_small_course_ends_well(kit):
    result = run("audit")
    assert (result.exit, result.err) == (0, "")
    assert "hwx" in result.out


def test_violations_are_told_one_by_one_and_end_in_status_one(kit, pretend):
    pretend(violations=("hwx: single [a] loses nothing", "hwx: stub doubles.py earns 3"))
    result = run("audit")
    assert result.exit == 1
    assert result.err == "error: hwx: single [a] loses nothing\nerror: hwx: stub doubles.py earns 3\n"
    assert "hwx" in result.out


def test_every_trial_is_written_as_json_also_with_violations(kit, pretend):
    pretend(violations=("hwx: something",))
    path = kit.root / "audit.json"
    assert run("audit", "--json", path).exit == 1
    report = json.loads(path.read_text("utf-8"), parse_constant=pytest.fail)
    assert [trial["name"] for trial in report["trials"]] == [trial.name for trial in TRIALS]
    assert report["trials"][0] == {
        "homework": "hwx",
        "kind": "single",
        "name": "triples",
        "mistakes": ["triples"],
        "earned": 2.5,
        "points": 5.5,
        "labels": [["triples"]],
        "unexplained": [],
        "failed": ["double_sizes"],
        "says": None,
        "cause": "",
        "faults": [],
        "outside_sizes": [],
    }
    assert report["margins"][1]["tolerances"] == 57.3
    assert report["violations"] == ["hwx: something"]


def test_recorded_losses_are_sorted_in_json_so_that_runs_compare(kit, pretend):
    names = [f"double_{number}" for number in range(20)]
    pretend(trials=(Trial("hwx", Kind.SINGLE, "triples", says=frozenset(names)),))
    path = kit.root / "audit.json"
    assert run("audit", "--json", path).exit == 0
    [trial] = json.loads(path.read_text("utf-8"))["trials"]
    assert trial["says"] == sorted(names)


def test_an_infinite_margin_is_no_number_in_json(kit, pretend):
    pretend(margins=(Margin("hwx", "hidden/double/wide", "first-only", float("inf")),))
    path = kit.root / "audit.json"
    assert run("audit", "--json", path).exit == 0
    report = json.loads(path.read_text("utf-8"), parse_constant=pytest.fail)
    assert report["margins"][0]["tolerances"] is None


def test_the_folder_of_the_json_file_is_made_before_minutes_are_spent(kit, pretend):
    pretend()
    path = kit.root / "reports" / "today" / "audit.json"
    assert run("audit", "--json", path).exit == 0
    assert path.is_file()


def test_a_json_file_that_cannot_be_written_is_refused_before_the_audit(kit, pretend):
    audits = pretend()
    assert "--json" in refusal(run("audit", "--json", kit.root))
    assert audits == []


def test_the_matrix_shows_what_each_mistake_loses(kit, pretend):
    ungraded = Trial("hwx", Kind.SINGLE, "squares", ("squares",), None, 5.5)
    pretend(trials=(*TRIALS, ungraded))
    result = run("audit", "--matrix")
    rows = [line.split() for line in result.out.splitlines() if "/5.5" in line]
    assert rows == [["hwx", "triples", "2.5/5.5", "double_sizes"], ["hwx", "squares", "–/5.5"]]


# --seeds


def pretend_seeds(monkeypatch, *runs):
    monkeypatch.setattr(audit_module, "run_seeds", lambda *arguments: list(runs))


def test_seeds_are_audited_instead_and_summed_up(kit):
    result = run("audit", "--seeds", 2)
    assert result.exit == 0
    assert result.out == to_staff["audit.seeds-answers-of-right"]


def test_false_failures_and_escapes_are_told_and_end_in_status_one(kit, monkeypatch):
    shows = {("triples", seed): seed != 1 for seed in range(3)}
    pretend_seeds(monkeypatch, SeedRun("hwx", 9, ("hwx: einsum fails fresh/double/drawn/seed-2",), shows))
    result = run("audit", "--seeds", 3)
    assert result.exit == 1
    assert result.out == to_staff["audit.seeds-answers-of-right-2"]
    assert "error: hwx: einsum fails fresh/double/drawn/seed-2" in result.err
    assert to_staff["audit.error-hwx-triples-escapes"] in result.err


def test_what_only_stored_cases_catch_is_noted_and_no_failure(kit, monkeypatch):
    pretend_seeds(monkeypatch, SeedRun("hwx", shows={("quiet", 0): False}))
    result = run("audit", "--seeds", 1)
    assert (result.exit, result.err) == (0, to_staff["audit.note-caught-by-stored-cases"])


DIFF = "--- doubles.py\n+++ doubles.py mutated\n-    factor = 2\n+    factor = 3\n"
CHANGE = ("factor = 2", "factor = 3")


def verdict(fate):
    return Verdict("hwx", "double", "small_changes", fate, CHANGE, DIFF, "double_published")


@pytest.fixture
def pretend_fates(monkeypatch):
    """Let the audit find these fates and violations; returns the steps that it was asked for."""

    def pretend_fates(*fates, violations=()):
        steps = []

        def audit_mutants(course, homeworks, jobs, tell, every):
            steps.append(every)
            return MutantAudit(tuple(map(verdict, fates)), violations)

        monkeypatch.setattr(audit_module, "audit_mutants", audit_mutants)
        return steps

    return pretend_fates


def test_the_table_counts_mutants_that_could_be_made(kit, pretend_fates):
    steps = pretend_fates(Fate.KILLED, Fate.KILLED, Fate.EQUIVALENT, Fate.INAPPLICABLE)
    result = run("audit", "--mutants")
    assert (result.exit, result.err) == (0, "")
    row = next(line for line in result.out.splitlines() if line.startswith("hwx"))
    assert row.split() == ["hwx", "3", "2", "1", "0"]
    assert steps == [1]


def test_a_survivor_ends_with_status_1_and_its_diff(kit, pretend_fates):
    pretend_fates(Fate.KILLED, Fate.SURVIVED, violations=(f"hwx: this mutant earns all points:\n{DIFF}",))
    result = run("audit", "--mutants", "hwx")
    assert result.exit == 1
    assert "+    factor = 3" in result.err
    assert ["hwx", "2", "1", "0", "1"] in [line.split() for line in result.out.splitlines()]


def test_a_sample_says_that_it_is_one(kit, pretend_fates):
    steps = pretend_fates(Fate.KILLED)
    result = run("audit", "--mutants", "--every", 20)
    assert steps == [20]
    assert "1 mutant of 20" in result.err


def test_every_verdict_is_written_for_machines(kit, pretend_fates, tmp_path):
    pretend_fates(Fate.KILLED, Fate.SURVIVED)
    file = tmp_path / "new" / "mutants.json"
    run("audit", "--mutants", "--json", file)
    written = json.loads(file.read_text("utf-8"))
    assert [verdict["fate"] for verdict in written["verdicts"]] == ["killed", "survived"]
    assert written["verdicts"][0]["change"] == list(CHANGE)
    assert written["violations"] == []
