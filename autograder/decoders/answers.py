"""What wrong answers of a trained decoder have in common, and what the trained model itself says to that."""

from __future__ import annotations

from typing import Any, NamedTuple, NoReturn

import numpy as np

from autograder.decoders.faults import ModelFault
from autograder.decoders.learned import (
    FIRST_AGAIN,
    FIRST_ALONE,
    Exercise,
    Learned,
)
from autograder.decoders.trained_models import share_of_equal
from autograder.decoders.trainings import LOW_LOSS, TrainingCourse
from autograder.verdict.arrays import as_array
from autograder.verdict.failure import fail
from autograder.worker.wire import Array

# Shares of tokens.
MOSTLY = 0.9
"""Tokens are mostly equal, or right, if more of them are."""
FEW = 0.5
MOST = 0.75
BY_HEART = 0.9
"""The share of the tokens of pairs that a model knows which has learned them by heart."""
BETTER_BY_HEART = 0.1
"""By so much it knows fewer tokens of new answers."""


class SharesRight(NamedTuple):
    """How many of the first tokens of answers are right, and of those after them."""

    first: float
    later: float

    def __str__(self) -> str:
        return (
            f"{self.first:.0%} of the first ones, and {self.later:.0%} of those after "
            "them"
        )


def shares_right(answers: Array, right: Array) -> SharesRight:
    """Return the shares of right tokens, by their place in the answer."""
    is_right = answers == right
    first = is_right[:, :1].mean()
    later = is_right[:, 1:].mean()
    return SharesRight(float(first), float(later))


def mostly_equal(answers: Array, others: Array) -> bool:
    """Whether nearly all tokens are equal."""
    return share_of_equal(answers, others) > MOSTLY


def all_answers_equal(answers: Array) -> bool:
    """Whether every question gets the same answer."""
    return bool((answers == answers[0]).all())


def read_answers(function: str, value: Any, exercise: Exercise) -> Array:
    """Return answers to prompts, one row of whole numbers for each.

    Args:
        function: the name of the function that returned them.
        value: what it returned.
        exercise: what it was given.

    Raises:
        CheckFailed: there are none, or not of the right shape.
    """
    sequences = exercise.sequences
    shape = exercise.right.shape
    answers = as_array(value, sequences.size)
    if answers is None:
        fail(f"`{function}` should return the answers: one tensor of whole numbers.")
    if answers.shape == (shape[0], sequences.shape[1]):
        text = f"`{function}` returns the prompts with their answers; leave the prompts out."
        fail(text, "returns-prompts")
    if answers.shape != shape:
        _fail_other_shape(function, answers, exercise)
    if not np.array_equal(answers, np.round(answers)):
        text = f"`{function}` should return whole numbers, the tokens themselves and not their logits."
        fail(text)
    return answers


def _fail_other_shape(function: str, answers: Array, exercise: Exercise) -> NoReturn:
    """Say which shape answers should have; of one token too many or too few, which it is."""
    n_prompts, due = exercise.right.shape
    is_table = answers.ndim == 2 and len(answers) == n_prompts
    if is_table and abs(answers.shape[1] - due) == 1:
        text = (
            f"`{function}` returns answers of {answers.shape[1]} tokens. An answer has "
        )
        text += f"`sequences.shape[1] - prompts.shape[1]` = {due} tokens; the separator is the last token "
        text += "of the prompt."
        fail(f"{text}{_which_token_is_too_many(exercise, answers)}")
    text = f"`{function}` returns shape {answers.shape}; answers to these prompts have shape {(n_prompts, due)}"
    text += ": the length of a sequence less that of a prompt, to which the separator belongs."
    fail(text)


def _which_token_is_too_many(exercise: Exercise, answers: Array) -> str:
    """Say of answers that are one token too long or too short which one it is, if the others are right."""
    right = exercise.right
    due = right.shape[1]
    if answers.shape[1] > due:
        if mostly_equal(answers[:, 0], exercise.prompts[:, -1]):
            return " The first token of yours is the separator: leave it out."
        if mostly_equal(answers[:, :-1], right):
            return (
                f" The first {due} of yours are right, and one more comes after them."
            )
        if mostly_equal(answers[:, 1:], right):
            return f" The last {due} of yours are right, and one comes before them."
        return ""
    if mostly_equal(answers, right[:, 1:]):
        return " Yours are right, and the first token is missing."
    if mostly_equal(answers, right[:, :-1]):
        return " Yours are right, and the last token is missing."
    return ""


def why_shifted(exercise: Exercise, answers: Array) -> ModelFault | None:
    """Say that answers begin one token too early or too late; None where they do not."""
    right = exercise.right
    if mostly_equal(answers[:, 1:], right[:, :-1]):
        why = "the answers begin one token too early, and lack the last one."
        return ModelFault(why, "answers-one-late")
    if mostly_equal(answers[:, :1], exercise.separators):
        why = "answers begin with the separator again. In training too, logits are for the token after."
        return ModelFault(why, "targets-not-shifted")
    if mostly_equal(answers[:, :-1], right[:, 1:]):
        return ModelFault("the answers lack their first token.", "answers-one-early")
    return None


# The model has learned enough


def why_answered_wrongly(
    function: str, learned: Learned, exercise: Exercise, answers: Array, shares: str
) -> ModelFault:
    """Say that the model has learned enough and is asked wrongly.

    Args:
        function: the name of the function that lets the model answer.
        learned: what the model says by itself.
        exercise: what it was trained for.
        answers: those that the function returned.
        shares: how many of them are right, in words; blank where that is said already.
    """
    right = exercise.right
    share = share_of_equal(learned.answers, right)
    begin = f"the trained model itself gets {share:.0%} right, asked for one token after another, each time with "
    begin += "all tokens so far and without a cache. So it has learned enough; what is wrong is how "
    begin += f"`{function}` lets it answer. "

    first_is_right, later_is_right = _which_are_right(answers, right)
    if first_is_right and not later_is_right:
        fault = _why_wrong_after_first(learned, right, answers, shares)
        return ModelFault(f"{begin}{fault.says}", fault.label)
    place = None
    if not first_is_right:
        place = _place_of_first_answers(learned, answers)
    if place is not None:
        why = f"Its first answers are the likeliest by the logits at token {place + 1} of the prompt; the "
        why += f"last token of a prompt is number {learned.n_prompt}."
    elif not first_is_right and later_is_right:
        why = "The first tokens of the answers are wrong, and those after them right: is the first one the "
        why += "likeliest by the logits of the prompt's last token?"
    else:
        why = "Is each new token the likeliest by the last logits, and not drawn at random; is it appended to the "
        why += "tokens of its own row; and is dropout off, by `eval()`?"
    return ModelFault(f"{begin}{why}")


def _which_are_right(answers: Array, right: Array) -> tuple[bool, bool]:
    """Return whether the first tokens are mostly right, and those after them."""
    is_right = answers == right
    first = is_right[:, 0].mean() > MOSTLY
    later = is_right[:, 1:].mean() > MOSTLY
    return bool(first), bool(later)


def _why_wrong_after_first(
    learned: Learned, right: Array, answers: Array, shares: str
) -> ModelFault:
    """Say what goes into the model after the first token, which alone is right."""
    if (answers == answers[:, :1]).all():
        return ModelFault(
            "All tokens of an answer are its first one: in each round, take the new token from the new "
            "logits."
        )
    for sentence, token in learned.after_wrong_input.items():
        place = 1
        if sentence == FIRST_AGAIN:
            place = 2
        if not mostly_equal(answers[:, place], token):
            continue
        if mostly_equal(token, right[:, place]):
            continue
        if sentence == FIRST_ALONE:
            return ModelFault(sentence, "only-first-token")
        return ModelFault(sentence)
    why = ""
    if shares:
        why = f"Right are {shares}. "
    why += "Is what goes in after the first one all tokens so far, or the newest with the cache of the last "
    why += "call? And is the likeliest token taken, not one drawn?"
    return ModelFault(why)


def _place_of_first_answers(learned: Learned, answers: Array) -> int | None:
    """Return the place of a prompt whose logits give the first tokens of the answers, other than its last one."""
    last_place = learned.n_prompt - 1
    for place in range(learned.of_prompts.shape[1]):
        if place == last_place:
            continue
        if mostly_equal(answers[:, 0], learned.of_prompts[:, place]):
            return place
    return None


# The model has learned too little


def why_learned_too_little(
    exercise: Exercise,
    answers: Array,
    learned: Learned | None,
    course: TrainingCourse | None,
    losses: str,
) -> ModelFault:
    """Say why a model has learned too little, whose loss compares what it should.

    Args:
        exercise: what it was trained for.
        answers: those that were returned after the training.
        learned: what the model says by itself, where that is known.
        course: of the training, where that is known.
        losses: how the losses went, in words; blank where that is not known.
    """
    if learned is not None:
        why = _why_by_heart(learned)
        if why:
            return ModelFault(why)

    why = losses
    n_pairs = len(exercise.sequences)
    if course is not None and course.end < LOW_LOSS:
        if course.different_rows < n_pairs / 2:
            why += f" The batches held {course.different_rows} of the {n_pairs} pairs; use all of them."
    if all_answers_equal(answers):
        same = "every question gets the same answer"
        if why:
            return ModelFault(f"{same}; {why}", "answers-all-equal")
        same += ". For example, does the model see the prompt, and are the gradients cleared (`zero_grad()`) "
        same += "before each `backward()`?"
        return ModelFault(same, "answers-all-equal")
    if why:
        return ModelFault(f"the model that was trained has learned too little; {why}")
    return _why_by_shares(shares_right(answers, exercise.right))


def _why_by_heart(learned: Learned) -> str:
    """Say that a model knows what it has learned from, and not new answers."""
    taught_less = learned.share_of_pairs - learned.share_taught
    if learned.share_of_pairs < BY_HEART or taught_less <= BETTER_BY_HEART:
        return ""
    return (
        f"the model knows {learned.share_of_pairs:.0%} of the tokens of pairs that it could learn from, "
        f"and {learned.share_taught:.0%} of those of new answers: it has learned pairs by heart."
    )


def _why_by_shares(shares: SharesRight) -> ModelFault:
    """Say what the shares of right tokens suggest, where nothing else is known."""
    if shares.first > MOSTLY and shares.later < FEW:
        why = f"{shares}. What goes into the model after the first one? If that is all tokens so far, the model "
        why += "has learned too little: how many of your batches lower the loss, and how low is it at the end?"
        return ModelFault(why, "only-first-token")
    if shares.first < FEW and shares.later > MOST:
        why = f"{shares}. Is the first one the likeliest by the logits of the prompt's last token, and does the "
        why += "loss in training contain these logits?"
        return ModelFault(why)
    why = "does the loss come close to 0 in training? If it does not, are steps large enough, are there enough of "
    why += "them, and do logits and targets belong together?"
    return ModelFault(why)
