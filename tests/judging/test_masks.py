"""A homework whose answers are masks, from the reference outputs to a verdict."""

import numpy as np
import pytest
from tiny import CHECKS_FILE, write_tiny
from wording import to_students

from autograder.authoring.reference import build_outputs, verify_outputs
from autograder.grading.grade import grade_handin
from autograder.grading.suite import prepare_suite
from autograder.reasons.catalogue import CATALOGUE
from autograder.verdict.arrays import as_mask, broadcasting_axes

from .asking import TOTALS, code

MISTAKES = """
[without-diagonal]
says = "Your mask keeps each query from its own key."
edits.double = [["np.tril(square)", "np.tril(square, -1)"]]

[only-last-two]
says = "Your mask allows two keys only."
edits.double = [["np.tril(square)", "np.tril(square) & ~np.tril(square, -2)"]]

[next-too]
says = "Your mask allows the next key as well."
edits.double = [["np.tril(square)", "np.tril(square, 1)"]]

[present-alone]
says = "Your mask allows nothing but the present."
edits.double = [["np.ones(", "np.tri(len(x), dtype=bool).T & np.ones("]]

[all-allowed]
says = "Your mask allows everything."
edits.double = [["np.tril(square)", "square"]]
"""
PRINTED = """
1 0 0
1 1 0

True True True
"""


@pytest.fixture(scope="module")
def masks(tmp_path_factory, pool):
    """The tiny course, where ``double`` returns the causal mask of its numbers."""
    tiny = write_tiny(tmp_path_factory.mktemp("masks"))
    tiny.edit("homework.toml", 'value = "all_doubled"', 'dtype = "bool"')
    tiny.edit("homework.toml", '["doubled numbers"]', '["mask"]')
    tiny.edit("doubles.py", "factor = 2\n", "square = np.ones((len(x), len(x)), bool)\n")
    tiny.edit("doubles.py", "return factor * x", "return np.tril(square)")
    tiny.edit(CHECKS_FILE, ', requires=["double_published"]', "")
    tiny.edit("published.toml", '1\nprinted = "1.0 2.5 8.0"', f'0\nprinted = """{PRINTED}"""')
    tiny.edit("oracle.py", "[number + number for number in x]", "[[j <= i for j in a] for i in a]")
    tiny.edit("oracle.py", "def double(x):\n", "def double(x):\n    a = range(len(x))\n")
    (tiny.folder / CATALOGUE).write_text(MISTAKES, "utf-8")
    report = build_outputs(tiny.course, tiny.homework, pool)
    assert report.written, report
    return tiny


@pytest.fixture(scope="module")
def mask_suite(masks, pool):
    return prepare_suite(masks.course, masks.homework, 11, pool)


def graded(suite, pool, returns):
    text = f"import numpy as np\n\ndef double(x):\n    a = np.arange(len(x))\n    return {returns}\n{TOTALS}"
    return grade_handin(code(text), suite, pool)


def test_masks_are_stored_verified_and_separated_from_mistakes(masks, pool):
    assert verify_outputs(masks.course, masks.homework, pool) == []
    [printed, *others] = [known_case for known_case in masks.store.read() if known_case.case.task == "double"]
    assert printed.expected.dtype == bool
    assert all(
        known_case.evidence and known_case.evidence.nearest and (known_case.evidence.margin or 0) >= 500
        for known_case in others
    )


@pytest.mark.parametrize(
    ("returns", "earned"),
    [
        ("a <= a[:, None]", 3.0),
        ("(a <= a[:, None]).tolist()", 3.0),
        ("[[np.bool_(j <= i) for j in a] for i in a]", 3.0),
        ("np.ma.masked_where(a > a[:, None], np.ones((len(x), len(x)))).filled(0) == 1", 3.0),
        ("(a <= a[:, None]).astype(int)", 2.0),
        ("np.tri(len(x))", 2.0),
    ],
)
def test_numbers_for_booleans_cost_the_published_check(mask_suite, pool, returns, earned):
    result = graded(mask_suite, pool, returns)
    assert result.earned == earned + 2.5
    labels = {label for check in result.checks for label in check.misconceptions}
    assert labels == (set() if earned == 3.0 else {"numbers-for-booleans"})


@pytest.mark.parametrize(
    ("returns", "label"),
    [
        ("a < a[:, None]", "without-diagonal"),
        ("(a < a[:, None]) * 1", "without-diagonal"),
        ("np.where(a <= a[:, None], 0.0, -np.inf)", "mask-additive"),
    ],
)
def test_a_wrong_mask_gets_its_reason(mask_suite, pool, returns, label):
    failed = [check for check in graded(mask_suite, pool, returns).checks if check.outcome == "failed"]
    assert [check.misconceptions for check in failed] == [(label,)] * 2


@pytest.mark.parametrize(
    ("returns", "labels", "entry"),
    [
        ("a >= a[:, None]", ["returns-transposed"], "transposed"),
        ("a > a[:, None]", ["mask-inverted"], "inverted"),
        ("(a > a[:, None]) * 1.0", ["mask-inverted"], "inverted-numbers"),
        ("a >= a[:, None] - 1", ["returns-transposed", "next-too"], "transposed-mistake"),
        ("a > a[:, None] + 1", ["mask-inverted", "next-too"], "inverted-mistake"),
    ],
)
def test_a_mask_the_other_way_round_is_no_pair_of_mistakes(mask_suite, pool, returns, labels, entry):
    """Two mistakes together may give the same, and are not what was done."""
    failed = [check for check in graded(mask_suite, pool, returns).checks if check.outcome == "failed"]
    assert [list(check.misconceptions) for check in failed] == [labels] * 2
    assert failed[0].reason == to_students[f"masks.{entry}"]


FORBIDDEN_COUNTS = (
    # too small a number is added to forbidden scores
    """
    masked = scores - 10000.0 * ~mask
    exponentials = np.exp(masked - masked.max(axis=-1, keepdims=True))
    weights = exponentials / exponentials.sum(axis=-1, keepdims=True)
    return np.where(mask.any(axis=-1, keepdims=True), weights, 0)
""",
    # a softmax over all keys, of which the allowed weights are divided by their sum
    """
    shifted = scores - scores.max(axis=-1, keepdims=True)
    weights = np.exp(shifted) / np.exp(shifted).sum(axis=-1, keepdims=True) * mask
    return weights / (weights.sum(axis=-1, keepdims=True) + 1e-12)
""",
)
ADVISED = """
    scores = np.where(mask, scores, -np.inf)
    largest = scores.max(axis=-1, keepdims=True)
    shifted = scores - np.where(mask.any(axis=-1, keepdims=True), largest, 0)
    sums = np.exp(shifted).sum(axis=-1, keepdims=True)
    return np.exp(shifted) / np.where(mask.any(axis=-1, keepdims=True), sums, 1)
"""
CLIPPED = """
    exponentials = np.exp(np.clip(scores, -100, 100)) * mask
    sums = exponentials.sum(axis=-1, keepdims=True)
    return exponentials / np.where(sums == 0, 1, sums)
"""


@pytest.fixture
def graded_softmax(grade_up_to, course):
    """Grade hw7's solution with another body of its softmax; return its check of large scores."""
    homework_id = "hw7_masked_attention"
    lines = course.homework(homework_id).solution.read_text("utf-8")
    start = lines.index("    # BEGIN SOLUTION", lines.index("def masked_softmax"))
    end = lines.index("    # END SOLUTION", start)

    def grade(body):
        result = grade_up_to(homework_id, "masked_softmax_large", f"{lines[:start]}{body}{lines[end:]}")
        [check] = [check for check in result.checks if check.check == "masked_softmax_large"]
        return check

    return grade


@pytest.mark.parametrize("body", FORBIDDEN_COUNTS)
def test_a_forbidden_score_that_still_counts_is_told_as_such(graded_softmax, body):
    assert to_students["masks.forbidden-score-counts"] in graded_softmax(body).reason


def test_the_advice_for_a_forbidden_score_that_counts_gives_the_right_weights(graded_softmax):
    assert graded_softmax(ADVISED).outcome == "passed"


def test_limited_scores_are_not_told_that_forbidden_ones_count(graded_softmax):
    reason = graded_softmax(CLIPPED).reason
    assert to_students["masks.forbidden-score-counts"] not in reason


@pytest.mark.parametrize("value", [True, np.array(True), np.ones((2, 3)), [1, 0], "mask", None, {"a": True}])
def test_only_an_array_of_booleans_is_a_mask(value):
    assert as_mask(value) is None


def test_a_mask_may_come_as_a_list_and_its_axes_of_length_1_stand_for_any():
    mask = as_mask([[[True], [False]]])
    assert mask.tolist() == [[[True], [False]]]
    assert broadcasting_axes(mask) == (True, False, True)
