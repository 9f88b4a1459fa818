import numpy as np
import pytest
from wording import to_students

from autograder.reasons.agreement import (
    Variant,
    agreeing,
    is_visible,
    proved_by_exceptions,
    same_answer,
    tell,
)
from autograder.sandbox.report import Answer, Operand, StudentError
from autograder.verdict.failure import Reason
from autograder.verdict.misfits import misfits_of
from autograder.worker.wire import Tensor, Unsendable

from .answers import NOT_DEFINED, RAISED, RIGHT, answers, known, times, variant

TRIPLES = variant("triples", times(3))
SQUARES = variant("squares", {"small": np.array([1.0, 4.0]), "wide": np.array([0.25, 1.0, 16.0])})
NAN = np.array([1.0, np.nan])


def named(*arguments):
    return [label for one in agreeing(*arguments) for label in one.labels]


def test_the_one_variant_that_agrees_everywhere_is_the_explanation():
    assert named(answers(times(3)), known(), [SQUARES, TRIPLES]) == ["triples"]


def test_numbers_within_the_tolerance_agree_and_others_do_not():
    assert named(answers(times(3 + 1e-7)), known(), [TRIPLES]) == ["triples"]
    assert agreeing(answers(times(3 + 1e-3)), known(), [TRIPLES]) == []


def test_agreement_on_some_cases_is_no_explanation():
    mixed = {"small": times(3)["small"], "wide": times(5)["wide"]}
    assert agreeing(answers(mixed), known(), [TRIPLES, SQUARES]) == []
    right_elsewhere = {"small": times(3)["small"], "wide": RIGHT["wide"]}
    assert agreeing(answers(right_elsewhere), known(), [TRIPLES]) == []


def test_an_answer_that_no_variant_gives_has_no_explanation():
    assert agreeing(answers(times(7)), known(), [TRIPLES, SQUARES]) == []
    assert agreeing(answers(times(3)), known(), []) == []


def test_all_variants_that_agree_equally_well_are_found():
    both = [TRIPLES, variant("adds-itself", times(3))]
    assert agreeing(answers(times(3)), known(), both) == both


def test_a_variant_that_changes_nothing_explains_nothing():
    harmless = variant("harmless", RIGHT)
    assert not is_visible(harmless, known())
    assert agreeing(answers(RIGHT), known(), [harmless]) == []


def test_a_variant_that_only_raises_explains_no_answer_that_raises():
    raising = variant("raises", {"small": RAISED, "wide": RAISED})
    assert is_visible(raising, known())
    assert agreeing(answers({"small": RAISED, "wide": RAISED}), known(), [raising]) == []
    assert agreeing(answers({"small": NOT_DEFINED, "wide": NOT_DEFINED}), known(), [raising]) == []


def test_a_variant_that_raises_for_some_sizes_explains_an_answer_that_raises_there():
    square_only = {"small": times(3)["small"], "wide": RAISED}
    assert named(answers(square_only), known(), [variant("square-only", square_only)]) == ["square-only"]
    assert agreeing(answers(times(3)), known(), [variant("square-only", square_only)]) == []


# Exceptions about shapes


def product(*sizes, arguments=(0, 1)):
    """The exception of a product of matrices, (a, b) with (c, d)."""
    a, b, c, d = sizes
    message = f"shapes ({a},{b}) and ({c},{d}) not aligned: {b} (dim 1) != {c} (dim 0)"
    operands = (Operand((a, b), arguments[0]), Operand((c, d), arguments[1]))
    return Answer(error=StudentError("ValueError", message, operands=operands))


def raising(label, values):
    made = variant(label, values)
    return Variant(made.labels, made.answers, misfits_of(made.answers))


MISFITS = {"small": product(7, 6, 5, 8), "wide": product(3, 4, 9, 2)}


def test_a_variant_that_raises_everywhere_is_told_by_its_misfits():
    assert named(answers(MISFITS), known(), [raising("exchanged", MISFITS)]) == ["exchanged"]


@pytest.mark.parametrize(
    "other",
    [
        product(3, 4, 9, 3),
        product(3, 4, 9, 2, arguments=(0, None)),
        RAISED,
        NOT_DEFINED,
        Answer(error=StudentError("ValueError", "axes don't match array")),
        Answer(value=RIGHT["wide"]),
    ],
    ids=["other shape", "computed", "no misfit", "not defined", "other operation", "right"],
)
def test_what_raises_for_another_cause_in_one_case_does_not_agree(other):
    of_another_cause = {**MISFITS, "wide": other}
    assert agreeing(answers(of_another_cause), known(), [raising("exchanged", MISFITS)]) == []


def test_one_misfit_alone_may_be_chance():
    same = {"small": MISFITS["small"], "wide": MISFITS["small"]}
    assert agreeing(answers(same), known(), [raising("exchanged", same)]) == []
    once = {**RIGHT, "wide": MISFITS["wide"]}
    assert agreeing(answers(once), known(), [raising("exchanged", once)]) == []


def test_code_that_is_right_in_some_cases_and_raises_in_others_agrees_by_misfits_only():
    for_matrices = {**RIGHT, "wide": RAISED}
    sized = raising("first-only", for_matrices)
    assert agreeing(answers(for_matrices), known(), [sized]) == []
    assert agreeing(answers(for_matrices), known(), [sized], any_exception=True) == [sized]


def test_wrong_numbers_tell_more_than_exceptions():
    """The same numbers where all sizes are equal: another style may raise elsewhere in the code."""
    mistake = {"small": times(3)["small"], "wide": MISFITS["wide"]}
    elsewhere = {**mistake, "wide": product(2, 9, 4, 3)}
    assert named(answers(elsewhere), known(), [raising("exchanged", mistake)]) == ["exchanged"]


def test_a_mistake_that_its_exception_proves_needs_no_agreement_elsewhere():
    cases = known({**RIGHT, "square": np.ones(2)})
    proving = raising("proving", {**MISFITS, "square": np.zeros(2)})
    other = raising("other", {**MISFITS, "square": np.full(2, 5.0)})
    sayings = {one: Reason((one,), one, by_exception=one == "proving") for one in ("proving", "other")}
    wrong = answers({**MISFITS, "square": np.full(2, 7.0)})
    assert agreeing(wrong, cases, [proving, other]) == []
    assert proved_by_exceptions(wrong, cases, [proving], sayings) == [proving]
    assert proved_by_exceptions(wrong, cases, [other], sayings) == []
    assert proved_by_exceptions(wrong, cases, [proving, other], sayings) == [proving, other], "as possible"
    assert tell([proving, other], sayings).labels == ()


def test_nan_and_infinity_agree_where_they_stand_in_the_same_places():
    overflows = {"small": NAN, "wide": np.array([np.inf, 2.0, 8.0])}
    assert named(answers(overflows), known(), [variant("overflows", overflows)]) == ["overflows"]
    moved = {"small": NAN[::-1].copy(), "wide": overflows["wide"]}
    assert agreeing(answers(moved), known(), [variant("overflows", overflows)]) == []
    finite = {"small": np.array([1.0, 0.0]), "wide": overflows["wide"]}
    assert agreeing(answers(finite), known(), [variant("overflows", overflows)]) == []


def test_numbers_beside_nan_still_count():
    overflows = {"small": NAN, "wide": RIGHT["wide"]}
    other = {"small": np.array([1.5, np.nan]), "wide": RIGHT["wide"]}
    assert agreeing(answers(other), known(), [variant("overflows", overflows)]) == []


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        (np.ones(2), np.ones(2), True),
        (np.ones(2), np.ones((2, 1)), False),
        (np.ones(2), np.ones(1), False),
        (np.ones(2), [1.0, 1.0], True),
        (np.ones(2), Tensor(np.ones(2, np.float32)), True),
        (np.ones(2, np.int64), np.ones(2), True),
        (np.ones(2), np.ones(2, np.complex128), False),
        (np.ones(2), np.ones(2, np.bool_), True),
        (np.ones(2), None, False),
        (np.ones(2), Unsendable("a generator"), False),
        (None, None, False),
        ((np.ones(2), np.zeros(3)), (np.ones(2), np.zeros(3)), True),
        ((np.ones(2), np.zeros(3)), [np.ones(2), np.zeros(3)], True),
        ((np.ones(2), np.zeros(3)), (np.zeros(3), np.ones(2)), False),
        ((np.ones(2), np.zeros(3)), (np.ones(2),), False),
        (np.array(np.nan), np.array(np.nan), True),
        (np.array([]), np.array([]), True),
    ],
)
def test_two_values_are_the_same_in_form_and_numbers(one, other, same):
    assert same_answer(Answer(value=one), Answer(value=other), 1e-5) is same
    assert same_answer(Answer(value=other), Answer(value=one), 1e-5) is same


def test_a_value_is_never_the_same_as_none():
    assert not same_answer(Answer(value=np.ones(2)), RAISED, 1e-5)
    assert same_answer(RAISED, NOT_DEFINED, 1e-5)


def test_the_tolerance_grows_with_the_largest_number():
    large, near = np.array([1e6, 1.0]), np.array([1e6, 1.5])
    assert same_answer(Answer(value=large), Answer(value=near), 1e-5)
    assert not same_answer(Answer(value=large / 1e6), Answer(value=near / 1e6), 1e-7)


def test_extreme_numbers_are_compared_without_a_warning(recwarn):
    huge = np.array([1e308, -1e308])
    assert not same_answer(Answer(value=huge), Answer(value=-huge), 1e-5)
    assert not [str(one.message) for one in recwarn]


# What is told of those that agree

SAYINGS = {one: Reason((one,), f"{one.upper()}.") for one in "abcde"} | {
    "a-otherwise": Reason(("a",), "A."),
    "sized": Reason(("sized",), "SIZED.", about_size=True),
}


def told(*labels):
    return tell([Variant(tuple(one.split("+")), {}) for one in labels], SAYINGS)


def test_nothing_is_told_where_nothing_agrees():
    assert told() == Reason()


def test_the_one_mistake_or_pair_that_agrees_is_named():
    assert told("a") == Reason(("a",), "A.")
    assert told("a+b") == Reason(("a", "b"), "A. B.")


def test_a_mistake_that_fixes_a_size_says_so_alone_and_in_a_pair():
    assert told("sized").about_size
    assert told("a+sized").about_size
    assert not told("a+b").about_size


def test_two_forms_of_one_mistake_are_one():
    assert told("a", "a-otherwise") == Reason(("a",), "A.")
    assert told("a+b", "a-otherwise+b") == Reason(("a", "b"), "A. B.")
    assert told("a+a-otherwise") == Reason(("a",), "A.")


def test_of_two_pairs_what_both_share_is_named_and_the_rest_is_told_as_possible():
    found = told("a+b", "c+a")
    assert found == Reason(("a",), to_students["agreement.a-besides-any-of-the-following"])


def test_mistakes_that_share_nothing_are_told_without_a_label():
    found = told("a", "b")
    assert found == Reason((), to_students["agreement.any-of-the-following-gives"])


def test_of_many_possible_mistakes_only_what_all_share_is_told():
    assert told("a+b", "a+c", "a+d", "a+e") == Reason(("a",), "A.")
    assert told("a", "b", "c", "d") == Reason()
