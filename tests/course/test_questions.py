"""Theory questions: their file, and the real ones of the course."""

import numpy as np
import pytest
from asked import TEXT, ask
from wording import to_authors

from autograder.course.course_files import load_module
from autograder.course.homework import ANSWERS
from autograder.course.questions import Choice, Numeric, RubricLine, TypicalNumber, Written
from autograder.course.schema import CourseError
from autograder.sandbox.report import Answer
from autograder.verdict.theory import judge_theory


def test_without_the_file_a_homework_asks_nothing(tiny):
    assert tiny.homework.questions == ()
    assert tiny.homework.theory_points == 0


def test_the_questions_are_read_as_written(tiny):
    ask(tiny)
    choice, numeric, written = tiny.homework.questions
    assert choice == Choice(
        id="shape",
        title="The shape of twice as much",
        text="What shape does `double(x)` have?",
        points=1.0,
        options={"a": "Twice that of x.", "b": "That of x.", "c": "None."},
        right="b",
        mistakes={"a": "the numbers double, not their count.", "c": "every array has a shape."},
    )
    assert numeric == Numeric(
        id="total",
        title="A total",
        text="What is the sum of 2 and -4.5?",
        points=0.5,
        number=-2.5,
        tolerance=0.01,
        hint="Mind the sign.",
        unit="apples",
        mistakes=(TypicalNumber(number=6.5, mistake="the sign got lost."),),
    )
    assert written == Written(
        id="why",
        title="Why twice",
        text="Say why.",
        rubric=(RubricLine(points=1.5, text="Names a reason."), RubricLine(points=0.5, text="Is brief.")),
    )


def test_points_of_questions_are_apart_from_those_of_tasks(tiny):
    before = tiny.homework.points
    ask(tiny)
    assert (tiny.homework.points, tiny.homework.theory_points) == (before, 3.5)


def test_each_kind_says_what_an_answer_looks_like(tiny):
    ask(tiny)
    assert [question.form.instruction() for question in tiny.homework.questions] == [
        '"a", "b" or "c"',
        to_authors["questions.number-apples"],
        to_authors["questions.two-or-three-sentences"],
    ]


@pytest.mark.parametrize(
    ("old", "new", "complaint"),
    [
        ('id = "shape"', 'id = "the shape"', "questions[1].id"),
        ('id = "total"', 'id = "shape"', "questions: two have the id 'shape'"),
        (
            'kind = "choice"',
            'kind = "guess"',
            'questions[1].kind: expected one of choice, numeric, written, got "guess"',
        ),
        ('right = "b"', 'right = "d"', "questions[1].right"),
        ('c = "every array has a shape."', "", "questions[1].mistakes: expected one for each option"),
        ('c = "every array has a shape."', 'b = "x"\nc = "y"', "questions[1].mistakes: expected"),
        ('c = "None."', 'C = "None."', "labelled with a small letter"),
        ('b = "That of x."\nc = "None."\n', 'b = "That of x."\n', "questions[1].mistakes: expected"),
        ("number = -2.5", "number = true", "questions[2].number"),
        ("number = -2.5", "number = inf", "questions[2].number"),
        ("number = 6.5", "number = -2.495", "none of which is right"),
        ('hint = "Mind the sign."', "", "questions[2].hint is missing"),
        ("tolerance = 0.01", "tolerance = -1", "questions[2].tolerance"),
        ('title = "Why twice"', 'title = "Why twice"\npoints = 2', "questions[3].points is unknown"),
        ("[[questions.rubric]]", "[[questions.rubrics]]", "questions[3].rubrics is unknown"),
        (
            'title = "A total"',
            'title = "A total"\nanswer = 3',
            "questions[2].answer is unknown; the known keys are kind, id,",
        ),
        ('kind = "numeric"', "", "questions[2].kind is missing"),
        ("tolerance = 0.01", "tolerance = ", "Invalid value"),
    ],
)
def test_what_is_wrong_in_the_file_is_named(tiny, old, new, complaint):
    assert old in TEXT
    path = ask(tiny, TEXT.replace(old, new))
    with pytest.raises(CourseError) as refused:
        _ = tiny.homework
    assert str(path) in str(refused.value)
    assert complaint in str(refused.value)


def test_no_task_may_take_the_name_that_questions_count_under(tiny):
    tiny.edit("homework.toml", 'name = "totals"', 'name = "theory"')
    with pytest.raises(CourseError, check=to_authors["questions.kept-for-the-questions"]):
        _ = tiny.homework


HW3, HW4, HW6 = "hw3_scaled_dot_product_attention", "hw4_self_attention_columns", "hw6_encoder_block"
HW8 = "hw8_batched_multihead_attention"


def solution(course, homework_id):
    return load_module(course.homework(homework_id).solution)


def number(course, homework_id, question_id):
    questions = course.homework(homework_id).questions
    return next(
        question.number
        for question in questions
        if isinstance(question, Numeric) and question.id == question_id
    )


@pytest.mark.parametrize("homework_id", [HW3, HW4, HW6])
def test_the_solutions_answers_are_right_and_its_texts_collected(course, homework_id):
    homework = course.homework(homework_id)
    answers = vars(solution(course, homework_id))[ANSWERS]
    theory = judge_theory(homework, Answer(value=answers))
    outcomes = ["collected" if isinstance(question, Written) else "passed" for question in homework.questions]
    assert [str(check.outcome) for check in theory.checks] == outcomes


@pytest.mark.parametrize("homework_id", [HW3, HW4, HW6])
def test_there_are_four_to_six_questions_and_one_is_written(course, homework_id):
    questions = course.homework(homework_id).questions
    assert 4 <= len(questions) <= 6
    assert any(isinstance(question, Written) for question in questions)


def test_the_variance_of_a_dot_product_is_what_drawn_vectors_show(course):
    rng = np.random.default_rng(0)
    drawn = np.einsum("nd,nd->n", *(rng.normal(size=(50_000, 64)) for _ in range(2)))
    assert drawn.var() == pytest.approx(number(course, HW3, "dot_product_variance"), rel=0.05)


def test_sizes_asked_for_in_hw3_are_those_of_the_solution(course):
    attend = solution(course, HW3).scaled_dot_product_attention
    weights, context = attend(np.ones((3, 4)), np.ones((5, 4)), np.ones((5, 2)))
    assert weights.size == number(course, HW3, "weights_entries")
    assert context.shape == (3, 2)


def test_tokens_in_another_order_give_outputs_in_that_order(course):
    module = solution(course, HW4)
    rng = np.random.default_rng(1)
    X, order = rng.normal(size=(2, 3)), np.eye(3)[[2, 0, 1]]
    parameters = [*rng.normal(size=(3, 2, 2)), *rng.normal(size=(3, 2, 1))]
    moved = module.self_attention(X @ order, *parameters)
    assert moved == pytest.approx(module.self_attention(X, *parameters) @ order)
    assert not np.allclose(moved, module.self_attention(X, *parameters))


def test_a_number_added_to_all_scores_changes_no_weight(course):
    softmax = solution(course, HW4).softmax
    change = softmax([0.2 + 2.5, 1.4 + 2.5]).max() - softmax([0.2, 1.4]).max()
    assert change == pytest.approx(number(course, HW4, "common_shift"))
    assert number(course, HW4, "score_count") == (np.ones((4, 7)).T @ np.ones((4, 7))).size


def test_what_is_counted_in_hw6_is_what_torch_counts(course):
    import torch

    block = solution(course, HW6).SimpleEncoderBlock(embed_dim=128, num_heads=8, ff_dim=512)
    counted = sum(parameter.numel() for parameter in block.parameters())
    batch = torch.zeros(32, 10, 128)
    _, weights = block.self_attn(batch, batch, batch, average_attn_weights=False)
    assert counted == number(course, HW6, "parameter_count")
    assert weights.numel() == number(course, HW6, "attention_weights")


def test_what_is_counted_in_hw8_is_what_its_shapes_hold(course):
    layers, heads, n_kv_heads, tokens = 32, 32, 8, 8192
    cache = np.broadcast_to(np.float16(), (layers, 2, n_kv_heads, tokens, 4096 // heads))
    assert cache.nbytes / 2**20 == number(course, HW8, "kv_cache")

    weights = [np.zeros((512, columns)) for columns in (512, 2 * 512 // 8, 2 * 512 // 8, 512)]
    attend = solution(course, HW8).grouped_query_attention
    assert attend(np.zeros((1, 3, 512)), *weights, 8, 2).shape == (1, 3, 512)
    assert sum(matrix.size for matrix in weights) == number(course, HW8, "gqa_parameters")


@pytest.mark.parametrize("name", ["stub", "handout.md"])
@pytest.mark.parametrize("homework_id", [HW3, HW4, HW6, HW8])
def test_what_students_receive_asks_everything_and_answers_nothing(course, homework_id, name, texts_of):
    homework = course.homework(homework_id)
    text = texts_of(homework)[name]
    for question in homework.questions:
        assert question.id in text
        for secret in secrets_of(question):
            assert secret not in text


def secrets_of(question):
    if isinstance(question, Choice):
        return list(question.mistakes.values())
    if isinstance(question, Numeric):
        return [question.hint, *(typical.mistake for typical in question.mistakes)]
    return [line.text for line in question.rubric]


@pytest.fixture
def texts_of():
    from autograder.course.stub import stub_text
    from autograder.handouts.text import question_list

    return lambda homework: {"stub": stub_text(homework), "handout.md": question_list(homework, "here")}
