from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from wording import to_students

from autograder.course.questions import Choice, Numeric, TypicalNumber
from autograder.verdict.theory import mistake_in, quoted, read_answer


def judged(question, answer):
    """What is wrong with an answer, in its form or in what it says."""
    read = read_answer(question.form, answer)
    return read.wrong or mistake_in(question, read.value)


COLOUR = Choice("c", "C", "?", 1, {"a": "red", "b": "blue"}, "b", {"a": "that is a rose."})
WEIGHT = Numeric(
    "w", "W", "?", 1, 12.5, 0.1, "Add the box.", "kg", (TypicalNumber(10, "the box is missing."),)
)


@pytest.mark.parametrize("answer", ["b", "B", " b ", "(b)", "b)", "b.", "B).\n"])
def test_the_right_letter_counts_however_it_is_written(answer):
    assert judged(COLOUR, answer) == ""


@pytest.mark.parametrize("answer", ["a", " A)"])
def test_a_wrong_option_gets_the_thought_that_leads_to_it(answer):
    assert judged(COLOUR, answer) == to_students["theory_answers.you-chose-a-that-is-a-rose"]


@pytest.mark.parametrize("answer", ["c", "blue", "ab", 1, 1.5, True, "()"])
def test_what_is_no_option_is_told_the_options(answer):
    reason = judged(COLOUR, answer)
    assert reason.endswith('is not one of the options: answer with "a" or "b".')


@pytest.mark.parametrize("answer", [12.5, 12.42, 12.59, "12.5", " 12.5 kg", "12.5kg", "1.25e1"])
def test_a_number_within_the_tolerance_is_right_also_as_text_with_its_unit(answer):
    assert judged(WEIGHT, answer) == ""


def test_a_typical_wrong_number_is_named():
    assert judged(WEIGHT, 10.05) == "10.05: the box is missing."


def test_any_other_number_gets_the_hint():
    assert judged(WEIGHT, 1234567.25) == to_students["theory_answers.not-right-add-the-box"]


@pytest.mark.parametrize("answer", ["twelve", True, False, "nan", "inf", float("nan"), float("inf"), "12 5"])
def test_what_is_no_finite_number_is_told_so(answer):
    assert to_students["theory_answers.not-a-number"] in str(judged(WEIGHT, answer))


def test_an_integer_beyond_every_float_is_no_number():
    assert str(judged(WEIGHT, 10**400)) == to_students["theory_answers.not-a-number-2"]


@given(st.floats(allow_nan=False, allow_infinity=False, width=32), st.floats(0, 100))
def test_exactly_the_numbers_within_the_tolerance_are_right(number, tolerance):
    question = replace(WEIGHT, number=0.0, tolerance=tolerance, mistakes=())
    assert (not judged(question, number)) == (abs(number) <= tolerance)


def test_a_large_whole_number_must_be_exact_where_the_tolerance_is_zero():
    question = replace(WEIGHT, number=198272.0, tolerance=0.0, mistakes=())
    assert judged(question, 198272) == ""
    assert judged(question, 198273) != ""


def test_a_quoted_answer_is_one_short_line_of_visible_characters():
    assert quoted("a\n\x1b[31m b" + "x" * 100) == f"“a ?[31m b{'x' * 31}…”"
