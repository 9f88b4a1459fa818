import pytest
from asked import asking, questions
from wording import to_students

from autograder.sandbox.report import Answer, StudentError
from autograder.verdict.theory import Theory, judge_theory, strange_keys
from autograder.worker.wire import Unsendable

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
