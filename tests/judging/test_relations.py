"""What is told of wrong numbers, of their places and of turned batches holds in all cases, and not by chance."""

from dataclasses import replace

import numpy as np
import pytest
from wording import to_students

from autograder.course.calls import FunctionCall
from autograder.course.cases import Case
from autograder.reasons.code_facts import CodeFacts
from autograder.reasons.context import Context
from autograder.reasons.places import MarkedCase, wrong_where_argument_is
from autograder.reasons.relations import AXES, LIST_OF_VECTORS, related
from autograder.reasons.turned import turned
from autograder.reasons.wrong import WrongArray
from autograder.sandbox.report import Answer, FunctionFacts
from autograder.verdict.failure import NO_REASON, Reason
from autograder.verdict.fixtures import Cases, Compare, SubmissionProxy
from autograder.verdict.interface import Restored
from autograder.verdict.known import KnownCase

CHANCE = np.random.default_rng(5)
SHAPES = ((4, 5), (3, 7), (6, 2))


def wrongs(change, shapes=SHAPES):
    """Wrong arrays of these shapes, made from right ones, which are also their first argument."""
    right = [CHANCE.normal(size=shape) for shape in shapes]
    return [wrong(change(array), array) for array in right]


def wrong(got, right, **inputs):
    sizes = {"`d`": right.shape[-1]}
    marked = np.abs(got - right) > 1e-5
    return WrongArray(got, right, marked, inputs, sizes, 1e-5, AXES[right.ndim])


def label(wrong_arrays, *, are_all=True):
    diagnosis = related(wrong_arrays, all_cases_wrong=are_all) or related(
        wrong_arrays, all_cases_wrong=are_all, is_last=True
    )
    return diagnosis.labels[0] if diagnosis else ""


@pytest.mark.parametrize(
    ("change", "called"),
    [
        (np.negative, "sign-flipped"),
        (np.square, "squared"),
        (np.abs, "absolute-values"),
        (lambda right: right.clip(0), "negatives-cut"),
        (np.exp, "exponentials"),
        (lambda right: right[::-1], "reversed"),
        (lambda right: np.roll(right, 1, axis=0), "shifted"),
        (lambda right: right.cumsum(axis=0), "running-sums"),
        (lambda right: np.sort(right, axis=1), "sorted"),
        (lambda right: right.T.reshape(right.shape), "reshaped"),
        (np.floor, "cut-to-integers"),
        (lambda right: 3 * right, "constant-factor"),
        (lambda right: right / np.sqrt(right.shape[1]), "constant-factor"),
        (lambda right: right + 2, "constant-offset"),
        (lambda right: right * np.arange(1, len(right) + 1)[:, None], "factor-per-row"),
        (lambda right: right + np.arange(1, len(right) + 1)[:, None], "offset-per-row"),
        (lambda right: np.tile(right[:1], (len(right), 1)), "all-alike"),
        (lambda right: np.tril(right), "region-wrong"),
        (lambda right: np.vstack([right[:-1], 0 * right[:1]]), "region-wrong"),
        (lambda right: np.vstack([right[:1], 0 * right[1:]]), "region-wrong"),
        (lambda right: right + CHANCE.normal(size=right.shape), ""),
        (lambda right: right**3, ""),
    ],
)
def test_what_was_done_to_the_right_numbers_is_named(change, called):
    assert label(wrongs(change)) == called


def test_weights_that_vanish_beside_weights_of_1_are_not_cut_to_integers():
    right = np.array([[1 - 1e-9, 1e-9, 0.0, 0.0], [0.0, 1.0, 0.0, 0.0], [0.0, 1e-9, 0.0, 1 - 1e-9]])
    assert label([wrong(np.trunc(right), right)]) != "cut-to-integers"


def test_a_reshape_is_told_with_a_remedy_for_a_list_as_well():
    reason = related(wrongs(lambda right: right.T.reshape(right.shape)), all_cases_wrong=True)
    assert reason.says == to_students["relations.reshaped"]


def test_what_was_done_along_an_axis_says_what_stands_there_in_the_plural():
    for shapes, entry in ((((5,), (4,)), "reversed-entries"), (((3, 4), (5, 2)), "reversed-rows")):
        reason = related(wrongs(lambda right: right[::-1], shapes), all_cases_wrong=True)
        assert reason.says == to_students[f"relations.{entry}"]


@pytest.mark.parametrize(
    ("change", "called"),
    [
        (lambda scores: 2 * scores, "scores-scaled"),
        (lambda scores: scores / np.linalg.norm(scores, axis=1, keepdims=True), "scores-scaled"),
        (lambda scores: np.log(2) * scores, "powers-of-two"),
        (lambda scores: np.log(10) * scores, "powers-of-ten"),
        (np.negative, "scores-negated"),
        (lambda scores: np.log(scores**2), "not-exponentials"),
        (lambda scores: np.where(np.eye(*scores.shape) > 0, -np.inf, scores), "weights-masked"),
        (np.cos, ""),
    ],
)
def test_what_the_softmax_got_in_place_of_the_scores_is_named(change, called):
    scores = [CHANCE.normal(size=shape) for shape in ((4, 5), (3, 7))]
    assert label([wrong(softmax(change(matrix)), softmax(matrix), x=matrix) for matrix in scores]) == called


@pytest.mark.parametrize(("keys", "called"), [((5, 2), "scores-scaled"), ((2, 2), "")])
def test_two_weights_alone_show_no_scaling(keys, called):
    scores = [CHANCE.normal(size=(4, count)) for count in keys]
    wrong_arrays = [
        wrong(softmax(matrix / np.linalg.norm(matrix, axis=1, keepdims=True)), softmax(matrix))
        for matrix in scores
    ]
    assert label(wrong_arrays) == called


def softmax(scores):
    return np.exp(scores) / np.exp(scores).sum(axis=1, keepdims=True)


def test_an_argument_that_was_added_is_named():
    right, extra = CHANCE.normal(size=(4, 5)), CHANCE.normal(size=(4, 5))
    diagnosis = related([wrong(right + extra, right, X=extra)], all_cases_wrong=True)
    assert diagnosis.labels == ("argument-too-often",)
    assert "X is added" in diagnosis.says


def test_a_factor_that_is_made_of_a_size_is_named_by_it():
    diagnosis = related(wrongs(lambda right: right / right.shape[1]), all_cases_wrong=True)
    assert "divided by `d`" in diagnosis.says


@pytest.mark.parametrize(
    ("got", "right"), [([4.0], [2.0]), ([4.0, 6.0], [2.0, 3.0]), ([[1.0, 5.0], [7.0, 2.0]], [[1, 2], [3, 2]])]
)
def test_a_few_numbers_prove_nothing(got, right):
    assert label([wrong(np.array(got), np.array(right, dtype=float))]) == ""


def test_columns_that_are_never_written_are_named_though_all_else_is_wrong():
    def half_filled(right):
        output = np.zeros_like(right)
        output[:, 0::2] = 3 + right[:, 0::2] ** 3
        return output

    diagnosis = related(wrongs(half_filled, ((5, 4), (7, 6))), all_cases_wrong=True, is_last=True)
    assert diagnosis.labels == ("never-filled",)
    assert diagnosis.says.startswith(
        "Every second column, from the second on, of your result is 0 throughout"
    )


def test_a_list_whose_first_item_alone_is_right_is_asked_for_its_first_round():
    wrong_arrays = wrongs(lambda right: np.vstack([right[:1], CHANCE.normal(size=right[1:].shape)]))
    lists = [replace(one, axis_names=LIST_OF_VECTORS) for one in wrong_arrays]
    diagnosis = related(lists, all_cases_wrong=True, is_last=True)
    assert diagnosis.says == to_students["relations.first-item"]
    diagnosis = related(wrong_arrays, all_cases_wrong=True, is_last=True)
    assert "the first row is right, and the others are not" in diagnosis.says


def test_what_is_right_in_one_row_alone_may_be_masked():
    wrong_arrays = wrongs(lambda right: np.vstack([CHANCE.normal(size=right[:-1].shape), right[-1:]]))
    diagnosis = related(wrong_arrays, all_cases_wrong=True, is_last=True)
    assert "mask" in diagnosis.says


@pytest.mark.parametrize(
    ("code", "asked", "left_out"),
    [
        (CodeFacts(), "for a formula in which", "loop"),
        (CodeFacts(has_first_index=True), "index such as `[0]`", "loop"),
        (CodeFacts(has_mask=True), "Look for a mask that treats", "loop"),
        (CodeFacts(has_loop=True, has_first_index=True), "first round of your loop", "mask"),
        (None, "first round of your loop", "mask"),
    ],
)
def test_of_a_right_first_item_only_what_stands_in_the_code_is_asked(code, asked, left_out):
    shapes = ((3, 4, 5), (2, 3, 7))
    wrong_arrays = wrongs(
        lambda right: np.concatenate([right[:1], CHANCE.normal(size=right[1:].shape)]), shapes
    )
    diagnosis = related(wrong_arrays, all_cases_wrong=True, is_last=True, code=code)
    assert diagnosis.labels == ("region-wrong",)
    assert asked in diagnosis.says
    assert left_out not in diagnosis.says


def test_zeros_beside_a_right_row_ask_for_a_loop_only_where_there_is_one():
    wrong_arrays = wrongs(lambda right: np.vstack([right[:1], 0 * right[1:]]))
    for code, has_loop in ((CodeFacts(has_loop=True), True), (CodeFacts(has_slice=True), False)):
        says = related(wrong_arrays, all_cases_wrong=True, code=code).says
        assert ("loop" in says) == has_loop


def test_a_part_is_not_blamed_where_it_is_right_for_other_inputs():
    wrong_arrays = wrongs(
        lambda right: np.vstack([right[:-1], right[-1:] + CHANCE.normal(size=right.shape[1])])
    )
    assert label(wrong_arrays) == "region-wrong"
    assert label(wrong_arrays, are_all=False) == ""


@pytest.mark.parametrize(("take", "side"), [(np.triu, "above"), (np.tril, "below")])
def test_a_side_of_the_diagonal_that_is_a_copy_of_the_other_is_told(take, side):
    def mirrored(right):
        output = np.zeros_like(right)
        size = min(right.shape)
        square = right[:size, :size]
        copied = take(np.ones((size, size)), {"above": 1, "below": -1}[side]) > 0
        output[:size, :size] = np.where(copied, square.T, square)
        return output

    for are_all in (True, False):
        diagnosis = related(wrongs(mirrored), all_cases_wrong=are_all)
        assert diagnosis.labels == ("mirrored",)
        assert diagnosis.says.startswith(
            f"In your result the part {side} the diagonal is a copy of the other part"
        )
    assert label(wrongs(lambda right: mirrored(right) + np.eye(*right.shape))) != "mirrored"


def test_numbers_that_are_not_finite_are_left_alone():
    assert label(wrongs(lambda right: right * np.nan)) == ""


def test_arrays_of_many_axes_are_compared_by_rows():
    def labels_of(got):
        diagnosis = related([WrongArray(got, right, right > 9, {}, {}, 1e-5, ())], all_cases_wrong=True)
        return diagnosis.labels if diagnosis is not None else ()

    right = CHANCE.normal(size=(2, 2, 2, 5))
    assert labels_of(2 * right) == ("constant-factor",)
    assert labels_of(right * np.array([[1.0], [3.0]])) == ("factor-per-row",)
    assert labels_of(right[..., ::-1]) == ()


def test_weights_under_masks_of_several_axes_show_another_base():
    def weights(scores, base):
        powers = np.where(scores > -0.5, base**scores, 0)  # a mask that hides some keys
        total = powers.sum(axis=-1, keepdims=True)
        return powers / np.where(total == 0, 1, total)

    wrong_arrays = []
    for shape in ((4, 5), (2, 3, 6), (2, 2, 3, 4)):
        scores = CHANCE.normal(size=shape)
        right, got = weights(scores, np.e), weights(scores, 2.0)
        wrong_arrays.append(WrongArray(got, right, got != right, {}, {}, 1e-5, ()))
    diagnosis = related(wrong_arrays, all_cases_wrong=True)
    assert diagnosis.labels == ("powers-of-two",)


@pytest.mark.parametrize("change", [np.reciprocal, np.log])
def test_infinite_numbers_that_a_change_makes_are_not_agreement(change):
    right = CHANCE.normal(size=(4, 5)) ** 2
    right[0, 0] = 0.0
    assert label([wrong(CHANCE.normal(size=(4, 5)), right)]) == ""
    with np.errstate(divide="ignore"):
        assert label([wrong(change(right), right)]) == ""


def test_rows_are_called_alike_only_where_there_are_several_that_should_differ():
    one_row = CHANCE.normal(size=(1, 6))
    assert label([wrong(one_row + CHANCE.normal(size=(1, 6)), one_row)]) == ""
    alike = np.tile(one_row, (3, 1))
    assert label([wrong(np.tile(CHANCE.normal(size=(1, 6)), (3, 1)), alike)]) == ""
    assert label([wrong(np.tile(one_row, (3, 1)), CHANCE.normal(size=(3, 6)))]) == "all-alike"


def test_whole_numbers_that_are_one_too_small_are_not_called_cut():
    right = np.arange(12.0).reshape(3, 4)
    assert label([wrong(right - 1, right)]) == "constant-offset"


def test_only_zeros_are_not_called_a_relu():
    right = -2 - CHANCE.normal(size=(3, 4)) ** 2
    assert label([wrong(np.zeros((3, 4)), right)]) not in ("negatives-cut", "all-alike")


def test_where_the_right_weights_are_masked_not_every_key_is_said_to_count():
    scores = CHANCE.normal(size=(4, 5))
    right = softmax(np.where(np.tri(4, 5) > 0, scores, -np.inf))
    masked = softmax(np.where(np.tri(4, 5, -1) + np.eye(4, 5)[[0, 0, 2, 3]] > 0, scores, -np.inf))
    diagnosis = related([wrong(masked, right)], all_cases_wrong=True)
    assert diagnosis.labels == ("weights-masked",)
    assert "Every key" not in diagnosis.says


def test_a_part_of_a_result_is_named():
    right = CHANCE.normal(size=(4, 5))
    part = replace(wrong(2 * right, right), title="the scores")
    diagnosis = related([part], all_cases_wrong=True)
    assert diagnosis.says.startswith("Every number in the scores is the right one times 2")
    negated = related([replace(part, array=-right)], all_cases_wrong=True)
    assert negated.says.startswith("Your numbers in the scores are right except for their sign")


def test_equal_weights_are_called_that_and_what_is_no_share_is_not_called_a_softmax():
    right = softmax(CHANCE.normal(size=(4, 5)))
    uniform = related([wrong(np.full((4, 5), 0.2), right)], all_cases_wrong=True)
    assert uniform.labels == ("weights-uniform",)
    assert label([wrong(np.ones((4, 5)), right)]) == "all-alike"


def test_the_own_sum_is_no_remedy_where_a_summand_is_wrong_as_well():
    right = softmax(CHANCE.normal(size=(4, 7)))
    rows = np.arange(1, 5)[:, None]
    diagnosis = related([wrong(right * rows + 0.1 * rows**2, right)], all_cases_wrong=True, is_last=True)
    assert diagnosis.labels == ("both-per-row",)
    assert "sum" not in diagnosis.says.replace("summand", "")
    factor = related([wrong(right * rows, right)], all_cases_wrong=True, is_last=True)
    assert "divide each row by its own sum" in factor.says


def test_shares_of_plain_numbers_are_not_called_those_of_absolute_values():
    scores = CHANCE.normal(size=(4, 5))
    lower = scores - scores.max(axis=1, keepdims=True)
    diagnosis = related(
        [wrong(lower / lower.sum(axis=1, keepdims=True), softmax(scores), x=scores)], all_cases_wrong=True
    )
    assert diagnosis.says.startswith("Your weights are shares of `x`, not of `exp(x)`")


def test_zeros_in_a_part_are_told_of_it_and_leave_open_why():
    right = CHANCE.random(size=(4, 5))
    diagnosis = related([replace(wrong(0 * right, right), title="the scores")], all_cases_wrong=True)
    assert diagnosis.says.startswith("All your numbers in the scores are 0: is nothing written")
    assert "multiplied by 0? Or is everything cut" in diagnosis.says


def padded(lengths, n, *, is_wrong):
    """A mask that is all False where ``is_wrong(length, n)``."""
    lengths = np.array(lengths)
    right = np.arange(n)[None, None, :] < lengths[:, None, None]
    mask = np.where(is_wrong(lengths, n)[:, None, None], False, right)
    return MarkedCase(mask, mask != right, {"`lengths`": lengths, "`n`": n})


def told(is_wrong):
    cases = [padded([3, 2], 3, is_wrong=is_wrong), padded([4, 6, 6, 1], 6, is_wrong=is_wrong)]
    reason = wrong_where_argument_is(cases, "your result")
    return reason.says if reason else ""


def test_rows_of_one_length_are_told_by_the_argument_that_has_it():
    assert told(lambda lengths, n: lengths == n) == to_students["places.equal-to-argument"]


@pytest.mark.parametrize(
    "is_wrong",
    [
        lambda lengths, n: lengths == lengths[0],
        lambda lengths, n: (lengths == n) & (n > 3),
        lambda lengths, n: lengths >= n - 1,
    ],
    ids=["the first", "right in one case", "others as well"],
)
def test_a_rule_that_does_not_hold_everywhere_is_not_told(is_wrong):
    assert told(is_wrong) == ""


@pytest.mark.parametrize(("changed", "says"), [([-1], True), ([0, -1], False)])
def test_targets_of_minus_one_are_told_with_the_column_that_they_reach(changed, says):
    cases = []
    for targets in ([[0, 3, -1], [2, -1, 1]], [[-1, 2, 2]]):
        targets = np.array(targets)
        gradient = np.ones((*targets.shape, 4))
        gradient[targets == -1] = 0
        is_wrong = np.zeros(gradient.shape, dtype=bool)
        for column in changed:
            is_wrong[targets == -1, column] = True
        cases.append(MarkedCase(gradient - is_wrong, is_wrong, {"`logits`": gradient, "`targets`": targets}))
    reason = wrong_where_argument_is(cases, "the gradient")
    assert reason.says.startswith("What is wrong in the gradient is exactly where `targets` is -1.")
    assert ("only the last number" in reason.says) is says


def rotated(positions, base=None):
    """Rows of which those at negative positions are wrong, or all where a base is given."""
    positions = np.array(positions)
    is_wrong = np.zeros((len(positions), 4), dtype=bool)
    arguments = {"`x`": np.ones((len(positions), 4)), "`positions`": positions}
    if base is None:
        is_wrong[positions < 0] = True
    else:
        is_wrong[:] = True
        arguments["`base`"] = base
    return MarkedCase(is_wrong * 1.0, is_wrong, arguments)


def test_a_rule_of_calls_without_an_optional_argument_is_told_of_these_calls_only():
    cases = [rotated([-3, 0, 2, -1]), rotated([0, 1, 2]), rotated([3, 1, -2], base=100.0)]
    reason = wrong_where_argument_is(cases, "your result")
    assert reason.says.startswith(
        "In calls without `base`, what is wrong in your result is exactly where `positions` is negative."
    )


def test_one_place_proves_nothing():
    case = MarkedCase(np.zeros(3), np.array([True, False, False]), {"`ids`": np.array([0, 1, 2])})
    assert wrong_where_argument_is([case], "your result") is None


BATCH = np.random.default_rng(5).normal(size=(2, 3, 4, 4))
WIDE = np.random.default_rng(6).normal(size=(2, 3, 5))
MISTAKE = Reason(("halved",), "Halved.")


def look(tiny, *pairs):
    """What is found where these values came for those that are expected; half of it is a known mistake."""
    known = [
        KnownCase(Case(f"double/{n}", FunctionCall("double", ())), right, None, 1e-5)
        for n, (_, right) in enumerate(pairs)
    ]
    answers = {known_case.case.id: Answer(value) for known_case, (value, _) in zip(known, pairs, strict=True)}

    def diagnose(task, answers, cases, *, pairs=True):
        assert not pairs
        is_half = all(
            known_case.is_right(Answer(np.multiply(2, answers[known_case.case.id].value)))
            for known_case in cases
        )
        return MISTAKE if is_half else NO_REASON

    facts = {"double": FunctionFacts(("x",))}
    proxy = SubmissionProxy(Restored(answers), lambda: facts, tuple, lambda calls: [])
    return turned(Context(Compare(tiny.homework, proxy, Cases(known)), diagnose), "double")


def some(batch):
    turned = batch.copy()
    turned[0, 1] = turned[0, 1].T
    return turned


@pytest.mark.parametrize(
    ("pairs", "labels"),
    [
        ([(BATCH.swapaxes(-1, -2), BATCH), (WIDE.swapaxes(-1, -2), WIDE)], ("returns-transposed",)),
        ([(some(BATCH), BATCH)], ("returns-transposed",)),
        ([(BATCH.swapaxes(-1, -2) / 2, BATCH)], ("returns-transposed", "halved")),
        ([((BATCH, WIDE.swapaxes(-1, -2)), (BATCH, WIDE))], ("returns-transposed",)),
        ([(~(BATCH > 0), BATCH > 0)], ("mask-inverted",)),
    ],
)
def test_matrices_of_a_batch_may_come_transposed(tiny, pairs, labels):
    diagnosis = look(tiny, *pairs)
    assert diagnosis.labels == labels


@pytest.mark.parametrize(
    "pairs",
    [
        [(BATCH, BATCH)],
        [(BATCH.swapaxes(0, 1)[:, :2, ...].swapaxes(0, 1), BATCH)],
        [(BATCH.swapaxes(-1, -2), BATCH), (WIDE + 1, WIDE)],
        [(-BATCH, BATCH), ("text", WIDE)],
        [(np.zeros((2, 2)), np.tri(2) > 0), (np.tri(2, k=-1).T, np.tri(2) > 0)],
    ],
)
def test_nothing_is_said_where_it_does_not_explain_every_answer(tiny, pairs):
    assert look(tiny, *pairs) is None
