"""The operators that make mutants: what each writes in the place of what, and how a change is recognised."""

from pathlib import Path

import pytest

from autograder.authoring import mutants
from autograder.authoring.generated_edits import edits_in, small_changes
from autograder.authoring.mutants import HELPERS, mutants_of, replaced_arguments
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
