"""Answers to theory questions: students learn whether they can be read, and not whether they are right."""

import pytest
from released import unzip
from wording import to_students

from autograder.student.command import main

HW1, HW3 = "hw1_attention_scores", "hw3_scaled_dot_product_attention"
GIVEN = {
    "dot_product_variance": 8,  # wrong, which nobody is told here
    "softmax_gradients": "a",
    "context_shape": " B) ",
    "weights_entries": "0",
    "why_the_root": "Because.",
}


@pytest.fixture
def answered(students, course):
    """What a student of hw3 is told who adds these lines to the right code."""
    code = course.homework(HW3).solution.read_text("utf-8").partition("# {{ answers }}")[0]
    return lambda lines: students.check(HW3, f"{code}\n{lines}\n").questions


def test_the_homework_asks_what_is_answered_here(course):
    assert {question.id for question in course.homework(HW3).questions} == set(GIVEN)


def test_answers_that_can_be_read_are_counted_whether_or_not_they_are_right(answered):
    assert answered(f"answers = {GIVEN}") == to_students["questions.all-answered"]


def test_questions_without_an_answer_come_before_handing_in(students, course):
    code = course.homework(HW3).solution.read_text("utf-8").partition("# {{ answers }}")[0]

    def last_lines(answers):
        return students.check(HW3, f"{code}\nanswers = {answers}\n").after[0]

    assert "Next: hand it in" in last_lines(GIVEN)
    without_one = GIVEN | {"why_the_root": None}
    assert to_students["questions.one-before-handing-in"] in last_lines(without_one)
    without_two = without_one | {"softmax_gradients": "e"}
    assert to_students["questions.two-before-handing-in"] in last_lines(without_two)
    assert "Next: hand it in" not in last_lines(without_two)


@pytest.mark.parametrize(
    ("sentence", "lines"),
    [
        (to_students["questions.nothing-answered"], f"answers = {dict.fromkeys(GIVEN)}"),
        (to_students["questions.no-option"], f"answers = {GIVEN | {'softmax_gradients': 'e'}}"),
        (to_students["questions.no-number"], f"answers = {GIVEN | {'weights_entries': '3x5'}}"),
        (to_students["questions.a-tuple"], f"answers = {GIVEN | {'weights_entries': (3, 5)}}"),
        (
            to_students["questions.a-list-of-sentences"],
            f"answers = {GIVEN | {'why_the_root': ['One.', 'Two.']}}",
        ),
        (
            to_students["questions.a-key-that-is-not-asked-for"],
            f"answers = {GIVEN}\nanswers['why'] = answers.pop('why_the_root')",
        ),
        (to_students["questions.a-comma-too-much"], f"answers = {GIVEN},"),
        (to_students["questions.lost"], ""),
        (to_students["questions.renamed"], f"my_answers = {GIVEN}"),
        (to_students["questions.overwritten"], f"answers = {GIVEN}\nanswers = {dict.fromkeys(GIVEN)}"),
        (
            to_students["questions.overwritten-by-a-loop"],
            f"answers = {GIVEN}\nfor answers in [1, 2]:\n    pass",
        ),
    ],
)
def test_what_cannot_be_read_is_told(answered, sentence, lines):
    assert answered(lines) == sentence


@pytest.mark.parametrize(
    ("key", "value"), [("softmax_gradients", "e"), ("weights_entries", "3x5"), ("why_the_root", (1, 2))]
)
def test_grading_says_the_same_of_the_form(answered, key, value, course, grade_text):
    lines = f"answers = {GIVEN | {key: value}}"
    graded = grade_text(HW3, f"{course.homework(HW3).solution.read_text('utf-8')}\n{lines}\n")
    [reason] = [check.reason for check in graded.checks if check.check == f"theory_{key}"]
    assert reason.rstrip(".") in answered(lines)


def test_a_homework_without_questions_says_nothing(students, course):
    assert students.check(HW1, course.homework(HW1).solution.read_text("utf-8")).questions == ""


def test_the_screen_and_the_packed_zip_say_it(students, course, tmp_path, capsys):
    folder = unzip(HW3, tmp_path / "hw3")
    code = course.homework(HW3).solution.read_text("utf-8").partition("# {{ answers }}")[0]
    for answers, warns in ((GIVEN, False), (GIVEN | {"softmax_gradients": None}, True)):
        (folder / course.homework(HW3).stub).write_text(f"{code}\nanswers = {answers}\n", encoding="utf-8")
        main(folder, ["--pack"])
        screen, _, packed = " ".join(capsys.readouterr().out.split()).partition("handin.zip")
        assert f"{4 if warns else 5} of 5 questions answered" in screen
        assert ("warning: 4 of 5 questions answered" in packed) == warns


def test_a_release_holds_the_form_of_answers_and_nothing_else_of_the_questions(students):
    from released import inside, released

    text = inside(released(HW3))["public_checks.pyz/homework/homework.json"].decode()
    assert '"softmax_gradients"' in text
    assert "mistake" not in text.partition('"questions"')[2].partition("]")[0]
