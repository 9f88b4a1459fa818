"""Inputs as submissions: which count, and which known mistakes they tell from right code."""

import numpy as np
import pytest
from wording import to_students

from autograder.course.calls import FunctionCall
from autograder.examples.form import MASK, MOST_EXAMPLES, read_examples, sizes_of, written_sizes
from autograder.sandbox.report import Answer, Status
from autograder.verdict.checks import Outcome
from autograder.verdict.fixtures import SubmissionProxy
from autograder.worker.wire import Tensor

SOFTMAX, ATTENTION = "softmax_examples", "scaled_dot_product_attention_examples"
TELLING = """
import numpy as np
rng = np.random.default_rng(1)
softmax_examples = [rng.normal(size=(3, 5)), np.array([[0, 2000, 0], [4, 6, 4]])]
scaled_dot_product_attention_examples = [[rng.normal(size=size) for size in ((3, 5), (7, 5), (7, 4))]]
"""


@pytest.fixture(scope="module")
def graded(grade_text):
    return lambda text: grade_text("hw3_examples", text)


def checks_by_name(result):
    return {check.check: check for check in result.checks}


def points(result, task):
    return sum(check.earned for check in result.checks if check.task == task)


def test_inputs_of_different_sizes_and_large_numbers_earn_everything(graded):
    result = graded(TELLING)
    assert (result.status, result.earned, result.points) == (Status.GRADED, 10, 10)


def test_zeros_and_squares_earn_little_and_it_is_said_what_they_tell_apart(graded):
    result = graded(
        f"import numpy as np\n{SOFTMAX} = [np.zeros((3, 3))]\n{ATTENTION} = [(np.ones((2, 2)),) * 3]"
    )
    assert points(result, SOFTMAX) == 1
    assert points(result, ATTENTION) == 1
    assert checks_by_name(result)[f"{SOFTMAX}_50"].reason == to_students["examples.six-of-fifteen"]
    assert checks_by_name(result)[f"{SOFTMAX}_90"].outcome is Outcome.NOT_RUN


def test_without_large_numbers_and_whole_ones_the_last_points_are_missing(graded):
    small = graded(TELLING.replace(", np.array([[0, 2000, 0], [4, 6, 4]])", ""))
    assert points(small, SOFTMAX) == 3
    assert "softmax-unstable" in checks_by_name(small)[f"{SOFTMAX}_90"].reason


@pytest.mark.parametrize(
    "same",
    [
        "[([[1.0, 2, 3], [4, 5.5, 0]],), ((0.1, 0.2), (0.3, 0.7), (-1, 3))]",
        "[torch.tensor([[1.0, 2, 3], [4, 5.5, 0]], requires_grad=True), torch.rand(3, 2).double()]",
        "list(np.arange(12.0).reshape(2, 2, 3) ** 0.5)",
        "([[np.float32(1), 2, 3], [4, 5, 9]], [[[1, 2], [3, 4]]])",
    ],
)
def test_right_inputs_count_in_whatever_style(graded, same):
    checks = checks_by_name(graded(f"import numpy as np\nimport torch\n{SOFTMAX} = {same}"))
    assert checks[f"{SOFTMAX}_valid"].reason == ""
    assert checks[f"{SOFTMAX}_50"].reason == ""


@pytest.mark.parametrize(
    ("value", "why"),
    [
        ("np.full((2, 3), np.nan)", to_students["examples.nan"]),
        ("np.ones((2, 2, 2, 3, 4))", to_students["examples.five-axes"]),
        ("'abc'", to_students["examples.text"]),
        (
            "type('A', (), {'__array__': lambda self: np.ones((2, 2))})()",
            to_students["examples.object-with-array"],
        ),
        ("(row for row in np.eye(3))", to_students["examples.generator"]),
        ("np.array([[object()]])", to_students["examples.objects"]),
        ("1j * np.ones((2, 2))", to_students["examples.complex"]),
        ("np.ones((2, 2), bool)", to_students["examples.booleans"]),
        ("np.ones((600, 2))", to_students["examples.too-long"]),
        ("np.ones((0, 2))", to_students["examples.empty-array"]),
        ("[[10 ** 400]]", to_students["examples.huge-integer"]),
    ],
)
def test_an_input_of_another_form_does_not_count_and_costs_no_other(graded, value, why):
    result = checks_by_name(graded(f"import numpy as np\n{SOFTMAX} = [{value}, np.eye(3)]"))
    assert result[f"{SOFTMAX}_valid"].reason == why
    assert result[f"{SOFTMAX}_100"].outcome is not Outcome.PASSED
    assert result[f"{SOFTMAX}_50"].reason.startswith("1 input counts.") or not result[f"{SOFTMAX}_50"].reason


def test_arguments_that_do_not_fit_each_other_are_named(graded):
    text = f"import numpy as np\n{ATTENTION} = [(np.ones((2, 3)), np.ones((4, 3)), np.ones((5, 3))), (1, 2)]"
    assert checks_by_name(graded(text))[f"{ATTENTION}_valid"].reason == to_students["examples.do-not-fit"]


def test_an_input_on_which_right_code_overflows_does_not_count(graded):
    text = (
        f"from numpy import full\n{ATTENTION} = [(full((2, 3), 1e200), full((4, 3), 1e200), full((4, 2), 1))]"
    )
    assert checks_by_name(graded(text))[f"{ATTENTION}_valid"].reason == to_students["examples.overflows"]


@pytest.mark.parametrize(
    ("value", "why"),
    [
        ("3\ndel softmax_examples", to_students["examples.missing"]),
        ("3", to_students["examples.number"]),
        ("[]", to_students["examples.none-yet"]),
        ("{1}", to_students["examples.a-set"]),
    ],
)
def test_a_list_that_is_none_has_its_reason(graded, value, why):
    result = checks_by_name(graded(f"{SOFTMAX} = {value}"))
    assert result[f"{SOFTMAX}_valid"].reason == why
    assert result[f"{SOFTMAX}_50"].reason == result[f"{SOFTMAX}_valid"].reason


def test_only_the_first_inputs_count(graded):
    result = checks_by_name(
        graded(f"import numpy as np\n{SOFTMAX} = [np.zeros((2, 2))] * {MOST_EXAMPLES} + [np.eye(3)]")
    )
    assert result[f"{SOFTMAX}_valid"].reason == to_students["examples.first-twenty"]
    assert result[f"{SOFTMAX}_50"].reason.startswith(f"{MOST_EXAMPLES} inputs count.")


MASKED = {"Q": ("a", "b", "c"), "scores": ("a", "d", "e"), "mask": (MASK, "a", "1", "e")}
Q, SCORES = np.ones((2, 3, 4)), np.ones((2, 5, 6))


@pytest.mark.parametrize(
    ("arguments", "counts"),
    [
        ((Q, SCORES, np.ones((2, 1, 6), bool)), True),
        ((Q[0], SCORES[0], np.ones((5, 6), bool)), True),
        ((Q[None], SCORES[None], np.ones((1, 2, 1, 6), bool)), True),
        ((Q, SCORES, np.ones(6, bool)), True),
        ((Q, SCORES, np.ones((2, 5, 1), bool)), True),
        ((Q, SCORES, np.ones((2, 1, 5), bool)), False),
        ((Q, SCORES[:1], np.ones((2, 1, 6), bool)), False),
        ((Q[0, 0], SCORES, np.ones((2, 1, 6), bool)), False),
        ((Q[None, None, None], SCORES, np.ones((2, 1, 6), bool)), False),
    ],
)
def test_axes_are_aligned_from_the_right(arguments, counts):
    answers = {"value/m": Answer([arguments])}
    submission = SubmissionProxy(answers, dict, tuple, list)
    usable, problems = read_examples("m", submission, MASKED)
    assert (list(usable), problems == []) == ([1] if counts else [], counts)


def test_a_batch_counts_for_a_function_of_matrices(graded):
    result = checks_by_name(graded(f"import numpy as np\n{SOFTMAX} = [np.arange(24.0).reshape(2, 3, 4)]"))
    assert result[f"{SOFTMAX}_valid"].outcome is Outcome.PASSED


def test_sizes_that_are_equal_in_all_calls_have_one_letter():
    calls = [
        FunctionCall("f", (np.ones((n, 2 * n)), Tensor(np.ones((2 * n, 1))), m, n))
        for n, m in ((2, 5), (3, 5), (4, 7))
    ]
    sizes = sizes_of(("X", "b", "k", "n"), calls)
    assert sizes == {"X": ("a", "b"), "b": ("b", "1"), "k": "c", "n": "a"}
    assert written_sizes(sizes) == "X (a, b), b (b, 1), k = c, n = a"


def test_masks_are_asked_and_read_as_booleans():
    sizes = sizes_of(
        ("S", "mask"), [FunctionCall("f", (np.ones((n, 2)), np.ones((n, 2), bool))) for n in (3, 4)]
    )
    assert written_sizes(sizes) == "S (a, b), mask (True or False, a, b)"
    scores, right = np.ones((2, 3)), [[True, False, True]] * 2
    for mask in (right, np.array(right), np.array(right) * 1):
        answer = Answer([(scores, mask)])
        usable, problems = read_examples("m", SubmissionProxy({"value/m": answer}, dict, tuple, list), sizes)
        assert not problems
        assert usable[1][1].dtype == bool
        np.testing.assert_array_equal(usable[1][1], right)
    wrong = SubmissionProxy({"value/m": Answer([(scores, scores / 2)])}, dict, tuple, list)
    assert read_examples("m", wrong, sizes)[1] == [to_students["examples.no-mask"]]
