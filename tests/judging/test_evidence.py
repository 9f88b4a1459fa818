"""What a finding remembers of the case it was made on, and the windows in which arrays are shown."""

import numpy as np
import pytest
from tiny import SOLUTION

from autograder.batch.evidence import call_again, explain_check
from autograder.batch.session import open_session
from autograder.course.arguments import tensor
from autograder.course.calls import FunctionCall, ModuleCall
from autograder.course.cases import Case
from autograder.exhibits.parts import answer_parts, inputs_of, window
from autograder.intake.submission import Submission
from autograder.sandbox.report import Answer
from autograder.verdict.known import FailedCase, KnownCase

SEED = 11
BOTH = SOLUTION.replace("factor * x", "3 * x + 1")


def judged(value, expected, *names):
    case = Case("double/wide", FunctionCall("double", (np.ones(3), 2)))
    return FailedCase(KnownCase(case, expected, None, 1e-5), Answer(value=value), names)


@pytest.fixture
def session(mistaken):
    return open_session(SEED, course=mistaken.course)


def explained(session, pool, folder, text, check="double_sizes"):
    (folder / "doubles.py").write_text(text, "utf-8")
    return explain_check(session, Submission("ada", folder / "doubles.py"), "hwx", check, pool)


# Parts


def test_the_difference_is_what_came_minus_what_was_expected_and_nothing_where_that_is_right():
    [part] = answer_parts(judged([1.0, 2.0 + 1e-7, np.nan], np.array([3.0, 2.0, 1.0]), "numbers"))
    assert part.name == "numbers"
    np.testing.assert_array_equal(part.difference, [-2.0, 0.0, np.nan])


@pytest.mark.parametrize("value", [None, np.ones(4), "text", [[1.0], [2.0, 3.0]], True])
def test_what_cannot_be_compared_entry_by_entry_has_no_difference(value):
    [part] = answer_parts(judged(value, np.ones(3)))
    assert (part.value is value, part.difference) == (True, None)


def test_each_part_of_a_tuple_stands_beside_what_came_in_its_place():
    expected = (np.ones(2), np.zeros(3))
    wrong, right = answer_parts(judged((np.ones(2) + 1, np.zeros(3)), expected, "weights", "output"))
    assert [part.name for part in (wrong, right)] == ["weights", "output"]
    assert (wrong.difference.tolist(), right.difference.tolist()) == ([1, 1], [0, 0, 0])
    different, missing = answer_parts(judged(np.ones(2), expected))
    assert (different.difference is not None, missing.value, missing.expected is not None) == (
        True,
        None,
        True,
    )
    *_, extra = answer_parts(judged([np.ones(2), np.zeros(3), "more"], expected))
    assert (extra.value, extra.expected) == ("more", None)


def test_a_list_of_columns_is_one_part():
    columns = [np.ones((2, 1)), np.zeros((2, 1))]
    [part] = answer_parts(judged([columns[0], columns[0]], columns))
    assert part.difference.squeeze().tolist() == [[0, 0], [1, 1]]


def test_a_flood_of_numbers_is_not_compared():
    [part] = answer_parts(judged([[0.0] * 10**5], np.ones(3)))
    assert part.difference is None


def test_inputs_have_the_names_of_parameters_as_far_as_these_are_known():
    assert [name for name, _ in inputs_of(judged(None, np.ones(3)).known.case.call, ["x"])] == [
        "x",
        "argument 2",
    ]
    call = ModuleCall("Block", (8,), tensor(np.ones(3)), {"weight": tensor(np.ones(3))})
    known = KnownCase(Case("block/one", call), np.ones(3), None, 1e-5)
    assert [name for name, _ in inputs_of(known.case.call, [])] == ["argument 1", "input"]


# Windows


def test_a_small_array_is_shown_whole_and_a_large_one_from_its_corner():
    array = np.arange(12).reshape(3, 4)
    assert window(array, 3, 4)[0] == ""
    where, cut = window(array, 2, 3)
    assert (where, cut.tolist()) == ("[0:2, 0:3]", [[0, 1, 2], [4, 5, 6]])


def test_a_window_moves_to_an_entry_that_the_corner_lacks():
    where, cut = window(np.arange(100).reshape(10, 10), 3, 3, first=57)
    assert (where, cut[0].tolist()) == ("[5:8, 7:10]", [57, 58, 59])


@pytest.mark.parametrize(
    ("shape", "first", "where", "cut"),
    [
        ((), 0, "", (1, 1)),
        ((9,), 7, "[7:9]", (1, 2)),
        ((4, 2, 2), 9, "[2, 0:2, 0:2]", (2, 2)),
        ((3, 2, 1), 0, "", (3, 2)),
        ((1, 1, 1), 0, "", (1, 1)),
    ],
)
def test_arrays_of_any_number_of_axes_have_a_window(shape, first, where, cut):
    place, part = window(np.zeros(shape), 3, 3, first)
    assert (place, part.shape) == (where, cut)


# What a failed check rests on


def test_a_failed_check_names_its_first_case_and_the_mistake_as_an_edit(session, pool, tmp_path):
    why = explained(session, pool, tmp_path, SOLUTION.replace("return factor", "return 3"))
    assert why.judged.known.case.id == "public/double/small"
    np.testing.assert_allclose(why.judged.answer.value, 1.5 * why.judged.known.expected)
    assert (why.is_sure, why.parameters) == (True, ("x",))
    [(title, diff)] = why.diffs.items()
    assert title == "triples"
    assert "-    return factor * x" in diff
    assert "+    return 3 * x" in diff


def test_a_pair_of_mistakes_is_one_edit(session, pool, tmp_path):
    why = explained(session, pool, tmp_path, BOTH)
    [(title, diff)] = why.diffs.items()
    assert (title, "+    return 3 * x + 1" in diff) == ("triples + adds-one", True)


def test_a_check_that_passes_has_nothing_to_explain(session, pool, tmp_path):
    assert explained(session, pool, tmp_path, SOLUTION) is None


@pytest.mark.parametrize(
    ("text", "check"),
    [
        (SOLUTION.replace("return factor * x", "raise ValueError(x)"), "double_sizes"),
        (SOLUTION.replace("def double", "def triple"), "double_sizes"),
        (SOLUTION.replace("x.sum(), np.prod(x)", "np.prod(x), x.sum()"), "totals"),
    ],
)
def test_errors_missing_functions_and_exchanged_results_have_a_case_too(text, check, session, pool, tmp_path):
    why = explained(session, pool, tmp_path, text, check)
    assert (why.is_sure, why.judged.known.case.task) == (True, check.partition("_")[0])


def test_a_file_that_does_not_load_has_a_reason_and_no_case(session, pool, tmp_path):
    why = explained(session, pool, tmp_path, "import nummpy\n")
    assert (why.judged, "nummpy" in why.failure.staff) == (None, True)


def test_a_check_without_a_comparison_shows_what_it_looked_at_last(own_course, pool, tmp_path):
    with (own_course.folder / "test_hwx.py").open("a", encoding="utf-8") as file:
        file.write(
            '\n\n@check(task="double", points=0)\n'
            "def test_double_odd(submission, cases):\n"
            '    """double is never odd."""\n'
            '    assert submission.answer(cases.fresh("double")[0]).value[0] == 1, "it is even"\n'
        )
    session = open_session(SEED, course=own_course.course)
    why = explained(session, pool, tmp_path, SOLUTION, "double_odd")
    assert (why.is_sure, why.judged.known.case.id) == (False, "fresh/double/drawn")
    assert why.failure.student.startswith("it is even")


# A call made again


def test_a_call_is_made_again_with_the_input_of_its_batch(mistaken, tmp_path):
    path = tmp_path / "changed copy.py"
    path.write_text(SOLUTION.replace("factor = 2", "factor = 3; print('here')"), "utf-8")
    root = mistaken.course.root
    known, run = call_again(path, "hwx", "fresh/double/drawn", seed=SEED, course=root)
    np.testing.assert_allclose(run.answers[0].value, 1.5 * known.expected)
    assert run.output == "here\n"
    other, _ = call_again(path, "hwx", "fresh/double/drawn", seed=SEED + 1, course=root)
    assert not np.allclose(other.expected, known.expected)
    with pytest.raises(KeyError):
        call_again(path, "hwx", "fresh/double/nothing", seed=SEED, course=root)
