"""Mutants of a solution: the operators that make them, and the audit with them."""

import contextlib
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest

from autograder.authoring import mutant_audit, mutants
from autograder.authoring.generated_edits import edits_in, small_changes
from autograder.authoring.mutant_audit import EQUIVALENTS, Fate, MutantAudit, audit_mutants
from autograder.authoring.mutants import HELPERS, mutants_of, replaced_arguments
from autograder.course.schema import CourseError
from autograder.reasons.source_text import SourceText


def solution_of(body, parameters="a, b"):
    lines = "".join(f"    {line}\n" for line in body.split("\n"))
    source = f'import numpy as np\n\n\ndef f({parameters}):\n    """Calculate."""\n{lines}'
    return SourceText(Path("solution.py"), source, HELPERS)


def edited(solution, edit):
    """The body of the function after an edit."""
    whole = solution.whole[: edit.start] + edit.new + solution.whole[edit.end :]
    return whole[solution.definitions["f"].code :].partition("\n\n")[0].strip().replace("\n    ", "\n")


def results(operator, body):
    solution = solution_of(body)
    return [edited(solution, edit) for _, edit in edits_in(solution, "f", [operator])]


@pytest.mark.parametrize(
    ("operator", "body", "expected"),
    [
        (mutants.transpose_if_square, "return a.T", "return transposed_if_square(a.T)"),
        (mutants.transpose_if_square, "return a @ b", "return a @ transposed_if_square(b)"),
        (mutants.take_first_for_all, "return a + 1", "return first_for_all(a, 1) + 1"),
        (mutants.round_to_float16, "return a - b", "return rounded_to_float16(a - b)"),
        (mutants.detach, "return abs(a)", "return detached(abs(a))"),
        (mutants.negate, "return abs(a - b)", "return abs(-(a - b))"),
        (mutants.change_comparison, "return a < b", "return a <= b"),
        (mutants.change_comparison, "return a >= b", "return a < b"),
        (mutants.change_comparison, "return a is None", "return a is not None"),
        (mutants.change_condition, "return a if b else 0", "return a if not b else 0"),
        (mutants.change_condition, "if b:\n    a = 0\nreturn a", "if False:\n    a = 0\nreturn a"),
        (mutants.change_condition, "return a and b", "return a or b"),
        (mutants.change_loop, "return [n for n in a]", "return [n for n in without_last(a)]"),
        (
            mutants.change_loop,
            "for n in a:\n    b += n\nreturn b",
            "for n in only_first(a):\n    b += n\nreturn b",
        ),
        (mutants.move_slice, "return a[:, b:]", "return a[:, b + 1:]"),
        (mutants.move_slice, "return a[:b]", "return a[1:b]"),
        (mutants.move_slice, "return a[:, None]", "return a[:-1, None]"),
        (mutants.make_infinity_finite, "return np.where(a, b, -np.inf)", "return np.where(a, b, -10000.0)"),
        (mutants.return_argument, "return a + b", "return zeros_of(b)"),
        (mutants.change_function, "return np.exp(a)", "return np.exp2(a)"),
        (mutants.change_function, "return np.maximum(a, b)", "return np.minimum(a, b)"),
        (mutants.change_option, "return nn.Linear(a, b)", "return nn.Linear(a, b, bias=False)"),
        (mutants.take_term_out, "return norm(a + b)", "return a + norm(b)"),
        (mutants.change_augmented, "a += b\nreturn a", "a = b\nreturn a"),
        (small_changes, "return a.sum(axis=-1)", "return a.sum(axis=-2)"),
        (small_changes, "return a.sum(axis=-1, keepdims=True)", "return a.sum(axis=-1)"),
        (small_changes, "return a - b", "return b - a"),
        (small_changes, "return np.where(a, b, 0)", "return np.where(a, 0, b)"),
        (small_changes, "a = a - b\nreturn a", "pass\nreturn a"),
    ],
)
def test_an_operator_writes_this_mutant(operator, body, expected):
    assert expected in results(operator, body)


@pytest.mark.parametrize("body", ["return a + b", "return a * b"])
def test_operands_that_commute_are_not_exchanged(body):
    other = body.replace("a", "x").replace("b", "a").replace("x", "b")
    assert other not in results(small_changes, body)


def test_an_argument_is_replaced_as_the_function_begins():
    solution = solution_of("return a - b")
    bodies = [edited(solution, edit) for edit in replaced_arguments(solution, "f")]
    assert "b = first_for_all(b, 0)\nreturn a - b" in bodies
    assert "a = copied_and_overwritten(a)\nreturn a - b" in bodies
    assert "a = None\nreturn a - b" in bodies


def test_each_change_of_a_function_is_made_once():
    solution = solution_of("total = a.sum(axis=-1)\nreturn total / b")
    mutants = mutants_of(solution, ["f"])
    texts = [mutant.text(solution) for mutant in mutants]
    assert len(set(texts)) == len(texts) > 50
    assert solution.whole not in texts
    assert all(mutant.reaches == {"f"} for mutant in mutants)


def test_functions_that_no_task_uses_are_left_alone():
    assert mutants_of(solution_of("return a - b"), ["another"]) == []


def test_a_change_stays_the_same_where_layout_and_other_lines_are_changed():
    plain = solution_of("c = a - b\nreturn c * 3")
    other = solution_of("c = (a -\n     b)  # the distance\nreturn c * 4")
    change = ("c = a - b", "c = b - a")
    for solution in (plain, other):
        assert change in [mutant.change for mutant in mutants_of(solution, ["f"])]


def test_a_diff_shows_the_solution_and_nothing_of_the_helpers():
    solution = solution_of("return a - b")
    [mutant] = [mutant for mutant in mutants_of(solution, ["f"]) if mutant.change[1] == "return b - a"]
    lines = mutant.diff(solution).splitlines()
    changed = [line for line in lines if line.startswith(("+ ", "- "))]
    assert changed == ["-     return a - b", "+     return b - a"] or changed == [
        "-    return a - b",
        "+    return b - a",
    ]


def test_functions_that_students_are_given_complete_are_left_alone():
    complete = "def given(a):\n    return a + 1\n\n\n"
    written = "def f(a):\n    # BEGIN SOLUTION\n    return given(a) - 1\n    # END SOLUTION\n"
    solution = SourceText(Path("solution.py"), complete + written, HELPERS)
    functions = {mutant.function for mutant in mutants_of(solution, ["f"])}
    assert functions == {"f"}


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
