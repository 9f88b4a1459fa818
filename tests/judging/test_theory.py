"""Answers to theory questions: read, judged one by one, and graded on their way through the worker."""

from dataclasses import replace

import pytest
from asked import asking, questions
from hypothesis import given
from hypothesis import strategies as st
from msgspec import structs
from tiny import SOLUTION
from wording import to_students

from autograder.course.questions import Choice, Numeric, TypicalNumber
from autograder.grading.grade import grade_handin
from autograder.sandbox.report import Answer, Status, StudentError
from autograder.sandbox.request import Code
from autograder.verdict import theory as theory_module
from autograder.verdict.theory import Theory, judge_theory, mistake_in
from autograder.verdict.theory_answers import quoted, read_answer, strange_keys
from autograder.worker.wire import Unsendable

from .asking import DOUBLE, code, lasting, notebook, outcomes

RIGHT = {"shape": "b", "total": -2.5, "why": "Because."}
NONE_FOUND = "Theory questions (3.5 bonus points): no answers found; fill in `answers`."


@pytest.fixture
def question_list(tmp_path):
    return questions(tmp_path)


def judged(question_list, value):
    return judge_theory(asking(question_list), Answer(value=value))


def result(question_list, question, answer):
    [checks] = [
        c
        for c in judged(question_list, {**RIGHT, question: answer}).checks
        if c.check == f"theory_{question}"
    ]
    return checks


def test_right_answers_earn_their_points_and_a_written_one_waits_for_its_reader(question_list):
    theory = judged(question_list, RIGHT)
    shape, total, why = theory.checks
    assert {check.task for check in theory.checks} == {"theory"}
    assert [check.sentence for check in theory.checks] == [question.title for question in question_list]
    assert [(c.outcome, c.earned, c.points) for c in (shape, total)] == [
        ("passed", 1, 1),
        ("passed", 0.5, 0.5),
    ]
    assert (why.outcome, why.earned, why.points) == ("collected", 0, 2)
    assert (why.reason, why.answer) == (to_students["theory.collected-for-your-ta-points"], "Because.")
    assert theory.notes == ()


def test_each_answer_is_read_once(question_list, monkeypatch):
    read = []
    really_read = theory_module.read_answer

    def read_answer_once(form, value):
        read.append(form.id)
        return really_read(form, value)

    monkeypatch.setattr(theory_module, "read_answer", read_answer_once)
    judged(question_list, RIGHT)
    assert read == list(RIGHT)


def test_a_homework_without_questions_has_no_theory():
    assert judge_theory(asking(()), Answer(value=RIGHT)) == Theory()


@pytest.mark.parametrize(
    "answer",
    [
        Answer(not_defined=True),
        Answer(value={}),
        Answer(value={"shape": None, "total": None, "why": None}),
        Answer(value={"shape": "", "why": " \n\t"}),
    ],
)
def test_who_answers_no_bonus_question_has_no_results_of_them_and_is_told(question_list, answer):
    assert judge_theory(asking(question_list), answer) == Theory(notes=(NONE_FOUND,))


@pytest.mark.parametrize("answer", [Answer(not_defined=True), Answer(value=7), Answer(value={"shape": None})])
def test_counted_questions_are_there_from_the_start(question_list, answer):
    theory = judge_theory(asking(question_list, counted=True), answer)
    assert [(check.outcome, check.points) for check in theory.checks] == [
        ("failed", 1),
        ("failed", 0.5),
        ("failed", 2),
    ]
    assert theory.notes[0].startswith("Theory questions (3.5 points): ")


def test_one_answer_makes_all_questions_count(question_list):
    theory = judged(question_list, {"shape": "a"})
    assert [str(check.outcome) for check in theory.checks] == ["failed"] * 3
    assert theory.checks[1].reason == to_students["theory.answers-holds-no-answer"]


@pytest.mark.parametrize(
    ("value", "words"),
    [
        (Unsendable("a value of type list"), "it is a value of type list, not"),
        (Unsendable("\x1b[31m<b>"), "it is ?[31m?b?, not"),
        ([1, 2], "it is something else, not"),
        ("b", "it is something else, not"),
        ({f"key{number}": 1 for number in range(51)}, "it is something else, not"),
    ],
)
def test_what_is_no_short_dictionary_counts_as_no_answers(question_list, value, words):
    theory = judged(question_list, value)
    assert theory.checks == ()
    assert words in theory.notes[0]
    assert theory.notes[0].startswith("Theory questions (3.5 bonus points): `answers` could not be read")


def test_an_error_while_reading_counts_as_no_answers(question_list):
    theory = judge_theory(asking(question_list), Answer(error=StudentError("TimeLimit")))
    assert theory.notes == (to_students["theory.theory-questions-points"],)


def test_keys_that_name_no_question_are_named(question_list):
    theory = judged(question_list, {"shape": "b", "totl": 3, "\x1b[1m": 2})
    assert theory.notes == (to_students["theory.answers-has-keys-that-name"],)


@pytest.mark.parametrize("question", ["shape", "total", "why"])
@pytest.mark.parametrize(
    ("answer", "words"),
    [
        (Unsendable("a text of 5000 characters"), "it is a text of 5000 characters; answer with"),
        ([1, 2], "it is neither a text nor a number; answer with"),
        ({"a": 1}, "it is neither a text nor a number; answer with"),
    ],
)
def test_an_answer_that_cannot_be_read_fails_alone(question_list, question, answer, words):
    theory = judged(question_list, {**RIGHT, question: answer})
    failed = [check.check for check in theory.checks if check.outcome == "failed"]
    assert failed == [f"theory_{question}"]
    assert words in result(question_list, question, answer).reason


def test_a_written_answer_is_text_of_bounded_length(question_list):
    assert result(question_list, "why", 12).reason == to_students["theory.not-a-text-answer-with-two"]
    assert result(question_list, "why", "x" * 4000).outcome == "collected"
    assert result(question_list, "why", "x" * 4001).reason == to_students["theory.longer-than-characters"]


def test_the_answer_is_kept_without_what_disguises_itself(question_list):
    assert result(question_list, "why", "a\u202eb\x1b[2J\ud800\nc").answer == "a?b?[2J?\nc"
    assert result(question_list, "total", -2.5).answer == "-2.5"


def test_a_wrong_answer_says_what_went_wrong(question_list):
    assert result(question_list, "shape", "C").reason == to_students["theory.you-chose-c-every-array"]
    assert result(question_list, "total", 6.5).reason == "6.5: the sign got lost."


def test_a_key_that_is_misspelt_comes_with_the_question_that_is_meant():
    remarks = strange_keys({"alowed_pairs": 21, "xyz": 1}, ["allowed_pairs", "mask_after"])
    assert remarks == to_students["theory.did-you-mean"]


def what_is_wrong(question, answer):
    """What is wrong with an answer, in its form or in what it says."""
    read = read_answer(question.form, answer)
    return read.wrong or mistake_in(question, read.value)


COLOUR = Choice(
    id="c",
    title="C",
    text="?",
    points=1,
    options={"a": "red", "b": "blue"},
    right="b",
    mistakes={"a": "that is a rose."},
)
WEIGHT = Numeric(
    id="w",
    title="W",
    text="?",
    points=1,
    number=12.5,
    tolerance=0.1,
    hint="Add the box.",
    unit="kg",
    mistakes=(TypicalNumber(number=10, mistake="the box is missing."),),
)


@pytest.mark.parametrize("answer", ["b", "B", " b ", "(b)", "b)", "b.", "B).\n"])
def test_the_right_letter_counts_however_it_is_written(answer):
    assert what_is_wrong(COLOUR, answer) == ""


@pytest.mark.parametrize("answer", ["a", " A)"])
def test_a_wrong_option_gets_the_thought_that_leads_to_it(answer):
    assert what_is_wrong(COLOUR, answer) == to_students["theory_answers.you-chose-a-that-is-a-rose"]


@pytest.mark.parametrize("answer", ["c", "blue", "ab", 1, 1.5, True, "()"])
def test_what_is_no_option_is_told_the_options(answer):
    reason = what_is_wrong(COLOUR, answer)
    assert reason.endswith('is not one of the options: answer with "a" or "b".')


@pytest.mark.parametrize("answer", [12.5, 12.42, 12.59, "12.5", " 12.5 kg", "12.5kg", "1.25e1"])
def test_a_number_within_the_tolerance_is_right_also_as_text_with_its_unit(answer):
    assert what_is_wrong(WEIGHT, answer) == ""


def test_a_typical_wrong_number_is_named():
    assert what_is_wrong(WEIGHT, 10.05) == "10.05: the box is missing."


def test_any_other_number_gets_the_hint():
    assert what_is_wrong(WEIGHT, 1234567.25) == to_students["theory_answers.not-right-add-the-box"]


@pytest.mark.parametrize("answer", ["twelve", True, False, "nan", "inf", float("nan"), float("inf"), "12 5"])
def test_what_is_no_finite_number_is_told_so(answer):
    assert to_students["theory_answers.not-a-number"] in str(what_is_wrong(WEIGHT, answer))


def test_an_integer_beyond_every_float_is_no_number():
    assert str(what_is_wrong(WEIGHT, 10**400)) == to_students["theory_answers.not-a-number-2"]


@given(st.floats(allow_nan=False, allow_infinity=False, width=32), st.floats(0, 100))
def test_exactly_the_numbers_within_the_tolerance_are_right(number, tolerance):
    question = structs.replace(WEIGHT, number=0.0, tolerance=tolerance, mistakes=())
    assert (not what_is_wrong(question, number)) == (abs(number) <= tolerance)


def test_a_large_whole_number_must_be_exact_where_the_tolerance_is_zero():
    question = structs.replace(WEIGHT, number=198272.0, tolerance=0.0, mistakes=())
    assert what_is_wrong(question, 198272) == ""
    assert what_is_wrong(question, 198273) != ""


def test_a_quoted_answer_is_one_short_line_of_visible_characters():
    assert quoted("a\n\x1b[31m b" + "x" * 100) == f"“a ?[31m b{'x' * 31}…”"


RIGHT_TEXT = '{"shape": "b", "total": -2.5, "why": "Because."}'
CODE_OUTCOMES = {"double_published": "passed", "double_sizes": "passed", "totals": "passed"}


@pytest.fixture
def course_that_asks(suite, tmp_path):
    return replace(suite, homework=replace(suite.homework, questions=questions(tmp_path)))


def graded(course_that_asks, pool, lines):
    return grade_handin(code(f"{SOLUTION}\n{lines}\n"), course_that_asks, pool)


def of_theory(result):
    return {name: outcome for name, outcome in outcomes(result).items() if name not in CODE_OUTCOMES}


def test_right_answers_are_points_beyond_the_maximum(course_that_asks, pool):
    result = graded(course_that_asks, pool, f"answers = {RIGHT_TEXT}")
    assert (result.status, result.earned, result.points) == (Status.GRADED, 7, 5.5)
    assert outcomes(result) == {
        **CODE_OUTCOMES,
        "theory_shape": "passed",
        "theory_total": "passed",
        "theory_why": "collected",
    }


def test_code_without_answers_is_graded_as_if_nothing_had_been_asked(suite, course_that_asks, pool):
    asked_of, never_asked = (
        grade_handin(code(SOLUTION), suite_graded, pool) for suite_graded in (course_that_asks, suite)
    )
    assert asked_of.notes == (to_students["theory_grading.theory-questions-points"],)
    assert lasting(replace(asked_of, notes=())) == lasting(never_asked)


def test_a_bonus_is_told_of_where_there_is_one(course_that_asks, pool):
    assert graded(course_that_asks, pool, f"answers = {RIGHT_TEXT}").notes == (
        to_students["theory_grading.bonus"],
    )


@pytest.mark.parametrize("lines", ["", "answers = 7", "answers = {'shape': 'a'}", "1 / = 0"])
def test_counted_questions_are_in_the_maximum_whatever_was_answered(course_that_asks, pool, lines):
    counted = replace(course_that_asks, homework=replace(course_that_asks.homework, questions_count=True))
    result = graded(counted, pool, lines)
    assert result.points == 9
    assert [check.outcome for check in result.checks if check.task == "theory"] == ["failed"] * 3


def test_a_notebook_answers_in_a_cell(course_that_asks, pool):
    result = grade_handin(notebook(SOLUTION, f"answers = {RIGHT_TEXT}"), course_that_asks, pool)
    assert (result.earned, result.points) == (7, 5.5)


def test_answers_count_although_the_code_fails(course_that_asks, pool):
    result = grade_handin(
        code(f"def double(x):\n    return x\n\nanswers = {RIGHT_TEXT}\n"), course_that_asks, pool
    )
    assert (result.earned, result.points) == (1.5, 5.5)


def test_a_file_that_does_not_load_has_no_theory(course_that_asks, pool):
    result = graded(course_that_asks, pool, f"answers = {RIGHT_TEXT}\n1 / = 0")
    assert (result.status, result.earned, result.points) == (Status.IMPORT_FAILED, 0, 5.5)
    assert of_theory(result) == {}


def test_answers_count_although_a_call_brings_the_process_down(course_that_asks, pool):
    text = f"import os\n{DOUBLE}\ndef totals(x):\n    os._exit(3)\n\nanswers = {RIGHT_TEXT}\n"
    result = grade_handin(Code("doubles.py", {"doubles.py": text}), course_that_asks, pool)
    assert (result.status, result.earned, result.points) == (Status.CRASHED, 4.5, 5.5)


@pytest.mark.parametrize(
    "lines",
    [
        "answers = [1, 2]",
        "def answers():\n    return {}",
        "class Sly(dict):\n    def items(self):\n        while True: pass\nanswers = Sly(shape='b')",
        "answers = {str(number): 'b' for number in range(10 ** 5)}",
        "answers = {'shape': None}",
        "class Key(str):\n    __hash__ = str.__hash__\nanswers = {Key('shape'): 'b', 7: 'b'}",
    ],
)
def test_what_cannot_be_read_as_answers_leaves_the_code_its_points(course_that_asks, pool, lines):
    result = graded(course_that_asks, pool, lines)
    assert (result.status, result.earned, result.points) == (Status.GRADED, 5.5, 5.5)
    assert result.notes[0].startswith("Theory questions (3.5 bonus points): ")


@pytest.mark.parametrize(
    "answer",
    [
        "'x' * 10 ** 7",
        "type('Sly', (str,), {'strip': lambda self, *a: 'b'})('b')",
        "answers",
        "10 ** 5000",
        "float('nan')",
        "np.arange(3)",
        "type('Sly', (), {'__module__': 'numpy', 'item': lambda self: [self]})()",
    ],
)
def test_one_answer_that_cannot_be_read_fails_alone(course_that_asks, pool, answer):
    lines = f"answers = {RIGHT_TEXT}\nanswers['shape'] = {answer}"
    result = graded(course_that_asks, pool, lines)
    assert (result.status, result.earned, result.points) == (Status.GRADED, 6, 5.5)
    assert of_theory(result) == {
        "theory_shape": "failed",
        "theory_total": "passed",
        "theory_why": "collected",
    }


def test_a_fault_of_ours_while_judging_theory_never_becomes_a_zero(course_that_asks, pool, monkeypatch):
    monkeypatch.setattr("autograder.grading.grade.judge_theory", lambda *_: 1 / 0)
    result = graded(course_that_asks, pool, f"answers = {RIGHT_TEXT}")
    assert (result.status, result.earned, result.points) == (Status.INFRASTRUCTURE_ERROR, None, 5.5)
