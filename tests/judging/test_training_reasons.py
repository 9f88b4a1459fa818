"""What the course of a training, and the last comparison of its loss, prove."""

import numpy as np
import pytest

from autograder.decoders.next_tokens import fault_of_comparison
from autograder.decoders.trainings import (
    TrainingCourse,
    course_in_words,
    read_course,
    why_not_a_number,
    why_unchanged,
)

FALLING = np.linspace(2, 0.5, 200)


def course(losses=FALLING, rates=None, **more):
    losses = np.asarray(losses, float)
    rates = np.full(len(losses), 0.01) if rates is None else np.asarray(rates)
    counts = {"steps": len(losses), "backwards": len(losses), "in_optimizer": 9, "in_module": 9}
    return TrainingCourse(**{**counts, "losses": losses, "rates": rates, **more})


@pytest.mark.parametrize(
    ("noted", "says"),
    [
        (course(), "in 200 batches the loss goes from 1.97 to 0.53, with a learning rate of 0.01 "),
        (course(), "(one that has learned nothing has about ln 8 = 2.08). It is still falling:"),
        (course(np.full(200, 2.0)), "It hardly falls: is the learning rate too small?"),
        (
            course([*FALLING[:100], *np.full(100, 1.0)]),
            "In the end it hardly falls: try another learning rate",
        ),
        (course([9, *FALLING]), "On the way it was 9.0: the steps are too large."),
        (course(FALLING[::-1] + 1), "It grows: are the steps too large?"),
        (course(uncleared=199), "clear them (`zero_grad()`)."),
        (course(uncleared=100), "It is still falling: train for longer"),
        (course(in_optimizer=3), "The optimizer has 3 of the 9 numbers of the model"),
        (course(rates=0.8 ** np.arange(200)), "From step 22 on, the learning rate is less than 1/100"),
        (course(rates=np.linspace(0.01, 0, 200)), "It is still falling: train for longer"),
        (course(FALLING[:5]), "Train with more batches."),
        (course(backwards=400, models=2), "That is the last of 2 models"),
        (course([]), ""),
        (course([2, np.nan]), ""),
    ],
)
def test_losses_are_put_into_words(noted, says):
    text = course_in_words(noted, 8)
    assert says in text
    assert bool(text) is bool(says)


@pytest.mark.parametrize(
    ("counts", "says"),
    [
        ({"steps": 0, "backwards": 0}, "neither `backward()` nor the `step()`"),
        ({"backwards": 0}, "`backward()` of a loss is never called"),
        ({"steps": 0}, "the `step()` of an optimizer of torch never"),
        ({"in_optimizer": 0}, "none of the parameters of the model that answers"),
        ({"in_optimizer": 4}, "4 of the 9 numbers"),
        ({"idle_steps": 200}, "at each of the 200 steps all gradients were missing or 0"),
        ({"rates": np.zeros(200)}, "the learning rate is 0 at each step"),
        ({}, ""),
    ],
)
def test_a_model_that_no_step_has_changed_is_explained(counts, says):
    text = why_unchanged(course(**counts))
    assert says in text
    assert bool(text) is bool(says)


def test_the_first_loss_that_is_no_number_is_named_and_empty_batches_are_counted():
    losses = [2, 1, np.nan, np.nan]
    assert why_not_a_number(course(losses)).startswith("the loss of batch 3 is not a number")
    text = why_not_a_number(course(losses, sizes_of_batches=np.array([32, 32, 0, 0])))
    assert "This batch has no rows; 2 of the 4 batches have none." in text
    assert why_not_a_number(course()) == ""


@pytest.mark.parametrize(
    "trained",
    [None, {}, {"course": 3}, {"course": {"steps": -1}}, {"course": {"steps": 1, "losses": "many"}}],
)
def test_a_forged_course_is_none(trained):
    assert read_course(trained) is None


N_PROMPT = 3
ROWS = np.array([[0, 1, 4, 2, 3], [1, 0, 4, 3, 2], [2, 3, 4, 0, 1], [3, 1, 4, 0, 2]])
SEEN = ROWS[:, :-1]
LOGITS = np.random.default_rng(5).normal(size=(4, 4, 5)).astype(np.float32)
LATER = LOGITS[:, N_PROMPT - 1 :]
NEXT = ROWS[:, N_PROMPT:]


def fault(compared, targets, tokens=SEEN, output=LOGITS, ignored=-100):
    comparison = {"tokens": tokens, "output": output, "input": compared, "target": targets}
    found = fault_of_comparison(TrainingCourse(comparison=comparison, ignored=ignored), ROWS, N_PROMPT)
    return found.says if found else ""


def flat(logits):
    return logits.reshape(-1, 5)


@pytest.mark.parametrize(
    ("compared", "targets", "more"),
    [
        (flat(LATER), NEXT.ravel(), {}),
        (np.moveaxis(LATER, -1, 1), NEXT, {}),
        (flat(LOGITS), ROWS[:, 1:].ravel(), {}),
        (flat(LOGITS), np.where(np.arange(4) < 2, -100, ROWS[:, 1:]).ravel(), {}),
        (flat(2 * LATER), NEXT.ravel(), {}),
        (flat(LATER)[::-1], NEXT.ravel()[::-1], {}),
        (flat(LATER), NEXT.ravel(), {"tokens": SEEN.astype(float)}),
    ],
    ids=["answers", "axes exchanged", "questions too", "ignored", "scaled", "in another order", "no tokens"],
)
def test_a_right_comparison_or_one_that_is_not_known_has_no_fault(compared, targets, more):
    assert fault(compared, targets, **more) == ""


@pytest.mark.parametrize(
    ("compared", "targets", "more", "says"),
    [
        (flat(LATER), SEEN[:, 2:].ravel(), {}, "with this token itself"),
        (flat(LOGITS[:, 2:]), SEEN[:, 1:3].ravel(), {}, "with the token before it"),
        (flat(LATER), NEXT[::-1].ravel(), {}, "compared with something else than the token that follows"),
        (flat(LATER.transpose(0, 2, 1)), NEXT.ravel(), {}, "their numbers come from several tokens"),
        (flat(LOGITS[:, :2]), ROWS[:, 1:3].ravel(), {}, "tokens of the questions alone"),
        (LOGITS[:, 2], ROWS[:, 3], {}, "leaves out number 2 of the 2 tokens"),
        (
            LOGITS[:, 3],
            ROWS[:, 4],
            {},
            "leaves out number 1 of the 2 tokens of each answer. The first one is",
        ),
        (
            flat(LATER),
            NEXT.ravel(),
            {"tokens": np.append(SEEN[:, :3], 4 - SEEN[:, 3:], 1)},
            "of 4 questions are followed",
        ),
        (
            flat(LOGITS[:, 1:3]),
            NEXT.ravel(),
            {"tokens": SEEN[:, :3], "output": LOGITS[:, :3]},
            "the model is given the questions alone",
        ),
    ],
)
def test_what_a_loss_compares_wrongly_is_said(compared, targets, more, says):
    assert says in fault(compared, targets, **more)


def test_probabilities_in_place_of_logits_are_said():
    shares = np.exp(LATER) / np.exp(LATER).sum(-1, keepdims=True)
    assert "the loss gets probabilities" in fault(flat(shares), NEXT.ravel())
