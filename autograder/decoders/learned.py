"""What a trained decoder itself has learned, asked in a process that has seen nothing of its training."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import NamedTuple

import numpy as np

from autograder.decoders.logits import likeliest_tokens
from autograder.decoders.trained_models import TrainedModel, share_of_equal
from autograder.verdict.fixtures import SubmissionProxy
from autograder.worker.wire import Array

FIRST_ALONE = (
    "Its second tokens are the likeliest after the first one alone, without the prompt: give the model all tokens "
    "so far, or the newest one with the cache."
)
FIRST_AGAIN = (
    "Its third tokens are the likeliest after the prompt and twice the first token: the second one should go in "
    "where the first one goes in again."
)
PROMPT_AGAIN = (
    "Its second tokens are the likeliest after the prompt, the same prompt again and the first token: what is in "
    "the cache already goes in a second time. With a cache, give the model the newest token alone."
)


class Exercise(NamedTuple):
    """What a model learns from, and what it is asked.

    Attributes:
        sequences: rows of a question, a separator and the answer.
        prompts: other questions, each with its separator.
        right: their right answers.
        enough: the share of tokens that have to be right.
    """

    sequences: Array
    prompts: Array
    right: Array
    enough: float

    @property
    def n_prompt(self) -> int:
        """How many tokens a prompt has."""
        return int(self.prompts.shape[1])

    @property
    def separators(self) -> Array:
        """The last token of each prompt."""
        return self.prompts[:, -1:]


class Learned(NamedTuple):
    """What a trained model itself says.

    Attributes:
        answers: its answers to the prompts, one likeliest token after another, always with all tokens so far.
        share_taught: how many tokens of new answers it foretells, given the right ones before them.
        share_of_pairs: the same for pairs that it could learn from.
        of_prompts: the likeliest token at each place of the prompts with their right answers.
        after_wrong_input: for sentences about what goes into the model after the first token, the token that would
            come out then.
        n_prompt: how many tokens a prompt has.
    """

    answers: Array
    share_taught: float
    share_of_pairs: float
    of_prompts: Array
    after_wrong_input: Mapping[str, Array]
    n_prompt: int


class Questioner(NamedTuple):
    """Asks a trained model for the likeliest tokens.

    Attributes:
        submission: makes the calls.
        model: the model.
        key: tells its answers apart from those of other models.
    """

    submission: SubmissionProxy
    model: TrainedModel
    key: str

    def likeliest(self, *batches: Array) -> list[Array] | None:
        """Return the likeliest token after each token of these batches, all in one run; None where it fails."""
        calls = [self.model.call(tokens) for tokens in batches]
        key = f"{self.key}, {[tokens.tobytes() for tokens in batches]}"
        answers = self.submission.calls_once(key, calls)
        likeliest_of_batches = []
        for tokens, answer in zip(batches, answers, strict=True):
            if not answer.is_usable:
                return None
            likeliest = likeliest_tokens(answer.value, tokens)
            if likeliest is None:
                return None
            likeliest_of_batches.append(likeliest)
        return likeliest_of_batches

    def answers(self, exercise: Exercise) -> Array | None:
        """Let the model answer the prompts, always with all tokens so far."""
        tokens = exercise.prompts
        for _ in range(exercise.right.shape[1]):
            likeliest = self.likeliest(tokens)
            if likeliest is None:
                return None
            [of_tokens] = likeliest
            tokens = np.concatenate([tokens, of_tokens[:, -1:]], axis=1)
        return tokens[:, exercise.n_prompt :]

    def after_wrong_inputs(
        self, exercise: Exercise, answers: Array
    ) -> dict[str, Array]:
        """Return the token that comes of each wrong input, by the sentence that says so."""
        tokens_of_sentences = {}
        for sentence, tokens in _wrong_inputs(exercise, answers):
            likeliest = self.likeliest(tokens)
            if likeliest is not None:
                [of_tokens] = likeliest
                tokens_of_sentences[sentence] = of_tokens[:, -1]
        return tokens_of_sentences


def ask_learned(
    questioner: Questioner, exercise: Exercise, answers: Array
) -> Learned | None:
    """Ask a trained model itself; None where there is none that works in a new process.

    Args:
        questioner: asks it.
        exercise: what it was trained for.
        answers: those that were returned after the training.
    """
    prompts = exercise.prompts
    right = exercise.right
    n_prompt = exercise.n_prompt

    # How well does it foretell each token, given the right ones before it?
    prompts_with_answers = np.concatenate([prompts, right[:, :-1]], axis=1)
    pairs = exercise.sequences[: len(prompts)]
    likeliest = questioner.likeliest(prompts_with_answers, pairs[:, :-1])
    if likeliest is None:
        return None
    of_prompts, of_pairs = likeliest
    taught_answers = of_prompts[:, n_prompt - 1 :]
    share_taught = share_of_equal(taught_answers, right)
    share_of_pairs = share_of_equal(of_pairs[:, n_prompt - 1 :], pairs[:, n_prompt:])
    learned = Learned(
        taught_answers, share_taught, share_of_pairs, of_prompts, {}, n_prompt
    )

    # Only if it does that well it may answer well by itself, too.
    if share_taught < exercise.enough:
        return learned
    own_answers = questioner.answers(exercise)
    if own_answers is None:
        return None
    after_wrong_input = questioner.after_wrong_inputs(exercise, answers)
    return learned._replace(answers=own_answers, after_wrong_input=after_wrong_input)


def _wrong_inputs(exercise: Exercise, answers: Array) -> Iterator[tuple[str, Array]]:
    """Yield what may go into a model in place of all tokens so far, and the sentence if its answers come of that.

    The token that comes of it is the second one of the answers; where an input ends with the same token twice, it
    is the third.
    """
    if answers.shape[1] < 3:
        return
    first_token = answers[:, :1].astype(np.int64)
    largest = exercise.sequences.max()
    is_symbol = (first_token >= 0) & (first_token <= largest)
    if not is_symbol.all():
        return
    prompts = exercise.prompts
    yield FIRST_ALONE, first_token
    yield FIRST_AGAIN, np.concatenate([prompts, first_token, first_token], axis=1)
    yield PROMPT_AGAIN, np.concatenate([prompts, prompts, first_token], axis=1)
