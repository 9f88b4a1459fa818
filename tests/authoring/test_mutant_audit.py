"""The audit with mutants: what is killed, what survives, and what is listed as equivalent."""

import contextlib
from collections import Counter
from collections.abc import Callable

import pytest

from autograder.authoring import mutant_audit
from autograder.authoring.mutant_audit import EQUIVALENTS, Fate, MutantAudit, audit_mutants
from autograder.authoring.mutants import mutants_of
from autograder.course.schema import CourseError

RIGHT = """
[[equivalents]]
reason = "An array with one axis is its own transpose."
changes.double = [["return factor * x", "return factor * x.T"]]
changes.totals = [
    ["return (x.sum(), np.prod(x))", "return (x.T.sum(), np.prod(x))"],
    ["return (x.sum(), np.prod(x))", "return (x.sum(), np.prod(x.T))"],
]

[[equivalents]]
reason = "The product of one number is this number."
changes.totals = [["return (x.sum(), np.prod(x))", "return (x.sum(), np.prod(np.prod(x)))"]]
"""
OVERWRITTEN = ("", "x = copied_and_overwritten(x)")
Run = Callable[..., MutantAudit]


@pytest.fixture
def strict(audited):
    """A course whose checks kill all mutants but the equivalent ones, which are listed."""
    tiny = audited.tiny
    double, totals = '*cases.fresh("double")])\n', '*cases.stored("totals")])\n'
    tiny.edit("test_hwx.py", double, f'{double}    compare.unchanged(cases.stored("double"))\n')
    tiny.edit("test_hwx.py", totals, f'{totals}    compare.unchanged(cases.stored("totals"))\n')
    (tiny.folder / EQUIVALENTS).write_text(RIGHT, "utf-8")
    return audited


@pytest.fixture
def run(monkeypatch, pool):
    """Run the audit of a tiny course in the sandboxes that are open already."""
    monkeypatch.setattr(mutant_audit, "SandboxPool", lambda: contextlib.nullcontext(pool))
    in_turn = lambda work, items, jobs, pool: (work(item, pool) for item in items)  # noqa: E731
    monkeypatch.setattr(mutant_audit, "in_parallel", in_turn)

    def run(audited, every=1):
        return audit_mutants(audited.tiny.course, [audited.tiny.homework], 1, every=every)

    return run


def survivors(audit):
    return {(mutant.function, mutant.change[1]) for mutant in audit.of("hwx", Fate.SURVIVED)}


def test_strict_checks_kill_every_mutant_that_is_not_equivalent(strict, run):
    audit = run(strict)
    assert audit.violations == ()
    fates = Counter(verdict.fate for verdict in audit.verdicts)
    assert fates[Fate.SURVIVED] == 0
    assert fates[Fate.EQUIVALENT] == 4
    assert fates[Fate.KILLED] > 40
    killers = {verdict.check for verdict in audit.of("hwx", Fate.KILLED)}
    assert {"double_published", "double_sizes", "totals"} <= killers


def test_a_mutant_survives_where_a_check_is_taken_away(strict, run):
    strict.tiny.edit("test_hwx.py", '    compare.unchanged(cases.stored("totals"))\n', "")
    audit = run(strict)
    assert survivors(audit) == {("totals", OVERWRITTEN[1])}
    [line] = audit.violations
    assert "+    x = copied_and_overwritten(x)\n" in line
    assert 'changes."totals" = [["","x = copied_and_overwritten(x)"]]' in line


def test_a_mutant_survives_where_no_case_tells_it_apart(strict, run):
    """The published numbers are exact in half precision."""
    strict.tiny.edit(
        "test_hwx.py",
        'compare([*cases.published("totals"), *cases.stored("totals")])',
        "compare(cases.published('totals'))",
    )
    survivors_of_strict = survivors(run(strict))
    assert ("totals", "x = rounded_to_float16(x)") in survivors_of_strict
    assert all(function == "totals" for function, _ in survivors_of_strict)


def list_as_equivalent(strict, change):
    """Add a mutant to the list of those that are right."""
    listed = f'{RIGHT}\n[[equivalents]]\nreason = "It is right."\n{change}\n'
    (strict.tiny.folder / EQUIVALENTS).write_text(listed, "utf-8")


def test_a_listed_mutant_that_is_killed_is_reported(strict, run):
    wrong = 'changes.double = [["factor = 2", "factor = 3"]]'
    list_as_equivalent(strict, wrong)
    [line] = run(strict).violations
    assert "double_published kills this mutant" in line
    assert "'factor = 3' for 'factor = 2'" in line


def test_a_listed_mutant_that_is_no_longer_made_is_reported(strict, run):
    stale = 'changes.double = [["return 7 * x", "return 7 * x.T"]]'
    list_as_equivalent(strict, stale)
    [line] = run(strict).violations
    assert "there is no such mutant: double: 'return 7 * x.T'" in line


def test_a_listed_mutant_that_changes_nothing_is_reported(strict, run):
    """The numbers have one axis, so there is nothing to transpose."""
    idle = 'changes.double = [["return factor * x", "return factor * transposed_if_square(x)"]]'
    list_as_equivalent(strict, idle)
    [line] = run(strict).violations
    assert "this mutant changes nothing: double" in line


def test_a_check_that_breaks_on_an_answer_is_named_with_the_mutant(strict, run):
    counting = 'compare(cases.published("double"))'
    answer = 'submission.answer(cases.published("double")[0]).value'
    strict.tiny.edit(
        "test_hwx.py",
        "def test_double_published(cases, compare):",
        "def test_double_published(cases, compare, submission):",
    )
    strict.tiny.edit("test_hwx.py", counting, f"len({answer})\n    {counting}")
    with pytest.raises(CourseError, match=r"check double_published breaks: TypeError(.|\n)*\+    "):
        run(strict)


def test_a_change_that_is_listed_twice_is_refused(strict, run):
    (strict.tiny.folder / EQUIVALENTS).write_text(RIGHT + RIGHT, "utf-8")
    with pytest.raises(CourseError, match="double lists this change twice"):
        run(strict)


def test_a_solution_that_fails_its_own_checks_is_refused(strict, run):
    strict.tiny.edit("test_hwx.py", 'compare(cases.published("double"))', "raise AssertionError")
    with pytest.raises(CourseError, match="the solution itself fails double_published"):
        run(strict)


def test_a_mutant_that_never_ends_is_killed_and_the_others_are_judged(strict, run, monkeypatch):
    loop = "    factor = 2\n    while x is None:\n        x = np.ones(1)\n"
    strict.tiny.edit("doubles.py", "    factor = 2\n", loop)
    strict.tiny.edit("homework.toml", "call_seconds = 2", "call_seconds = 0.3")
    strict.build()
    chosen = ("change_comparison", "round_to_float16")
    few = lambda *about: [mutant for mutant in mutants_of(*about) if mutant.operator in chosen]  # noqa: E731
    monkeypatch.setattr(mutant_audit, "mutants_of", few)
    fates = {verdict.change[1]: verdict for verdict in run(strict).verdicts}
    assert fates["while x is not None:"].fate is Fate.KILLED
    assert fates["return factor * rounded_to_float16(x)"].check == "double_sizes"


def test_every_seventh_mutant_is_a_seventh_of_them(strict, run):
    whole, sample = run(strict), run(strict, every=7)
    assert len(sample.verdicts) == -(-len(whole.verdicts) // 7)
    assert set(sample.verdicts) <= set(whole.verdicts)
    assert sample.violations == ()
