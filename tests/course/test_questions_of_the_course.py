"""The real questions: right numbers follow from the code; what is said of wrong ones keeps the right one."""

import numpy as np
import pytest

from autograder.course.cases import load_module
from autograder.course.homework import ANSWERS
from autograder.course.questions import Choice, Numeric, Written
from autograder.sandbox.report import Answer
from autograder.verdict.theory import judge_theory

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
