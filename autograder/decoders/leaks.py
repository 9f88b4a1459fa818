"""Leaks: which tokens the logits at a token depend on, and the words for it."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from autograder.course.calls import ModuleCall
from autograder.decoders.batches import TestedRow
from autograder.decoders.logits import SAME, SMALLEST_LARGEST, VISIBLE, first_part
from autograder.decoders.replies import MOST_NUMBERS
from autograder.decoders.sizes import Sizes
from autograder.sandbox.report import Answer
from autograder.verdict.arrays import as_array
from autograder.verdict.fixtures import SubmissionProxy
from autograder.worker.wire import Array, Tensor

MUCH_LESS = 0.1
"""What depends on later tokens by less than this share of what it depends on earlier ones is nearly hidden."""

WHERE_TOKENS_MEET = (
    "Tokens meet wherever something is computed over their axis. For example, is the mask applied to the scores, "
    "before the softmax, with minus infinity where a token must not look? Does each softmax run over the keys "
    "(dim=-1)? Does any mean, norm, flip or reshape run over the tokens?"
)
WHERE_HEADS_MIX_TOKENS = (
    "With one head instead of several, no token depends on later ones: is it that heads are split from "
    "the features, or merged, by a reshape alone, which mixes tokens? Exchange the axes of heads and "
    "tokens."
)


class Influences(NamedTuple):
    """How far the logits at a token (row) change with a token (column), relative to the largest.

    Attributes:
        of_heads: of a model with several heads; None where it is not known.
        of_one_head: of the same model with a single head.
    """

    of_heads: Array | None
    of_one_head: Array | None

    def come_from_heads(self) -> bool:
        """Whether tokens depend on later ones with several heads, and on none with one."""
        if self.of_heads is None or self.of_one_head is None:
            return False
        return _leaks(self.of_heads) and not _leaks(self.of_one_head)


def ask_influences(
    submission: SubmissionProxy, call: ModuleCall, sizes: Sizes
) -> Influences:
    """Change each token of a sequence by itself, and see which logits change.

    Args:
        submission: makes the calls.
        call: a call of the model with a batch, whose first sequence is taken.
        sizes: those of the model.
    """
    sizes_with_one_head = sizes._replace(n_heads=1)
    calls = [
        _call_with_each_token_changed(call, sizes),
        _call_with_each_token_changed(call, sizes_with_one_head),
    ]
    of_heads, of_one_head = submission.calls_once("which tokens depend on which", calls)
    return Influences(
        _influences(of_heads, sizes.vocab_size),
        _influences(of_one_head, sizes.vocab_size),
    )


def _call_with_each_token_changed(call: ModuleCall, sizes: Sizes) -> ModuleCall:
    """Return the call with one sequence, and below it the same with one token changed, for each of its tokens."""
    row = call.input.array[TestedRow.BASE]
    rows = np.tile(row, (len(row) + 1, 1))
    for place, token in enumerate(row):
        rows[place + 1, place] = (token + 1) % sizes.vocab_size
    return ModuleCall(call.name, tuple(sizes), Tensor(rows), noise=call.noise)


def _influences(answer: Answer, vocab_size: int) -> Array | None:
    if not answer.is_usable:
        return None
    logits = as_array(first_part(answer.value), MOST_NUMBERS)
    if logits is None or logits.ndim != 3 or logits.shape[2] != vocab_size:
        return None
    if logits.shape[0] != logits.shape[1] + 1 or not np.isfinite(logits).all():
        return None
    change = np.abs(logits[1:] - logits[:1]).max(axis=-1)  # (changed token, token)
    largest = max(float(np.abs(logits).max()), SMALLEST_LARGEST)
    return np.asarray(change.T / largest)


def _leaks(influences: Array) -> bool:
    of_later_tokens = np.triu(influences, 1)
    return bool((of_later_tokens > SAME).any())


def leaks_in_words(influences: Array | None) -> str:
    """Say which tokens depend on which later ones; nothing where it is not all or the next one alone."""
    if influences is None:
        return ""
    n_tokens = len(influences)
    later = np.triu_indices(n_tokens, 1)
    after_next = np.triu_indices(n_tokens, 2)
    earlier = np.tril_indices(n_tokens, -1)
    following = (np.arange(n_tokens - 1), np.arange(1, n_tokens))

    depends = influences > SAME
    depends_visibly = influences > VISIBLE
    on_all_later = depends[later].all()
    if depends[following].all() and not depends[after_next].any():
        return (
            "With one layer, a token depends on the one right after it, and on none further on, as where the "
            "diagonal of the mask is one too far."
        )
    if on_all_later and not depends_visibly[earlier].any():
        return (
            "With one layer, a token depends on all tokens after it and on none before it, as where the mask is "
            "the wrong way round."
        )
    if not on_all_later or not depends_visibly[earlier].all():
        return ""
    typical_later = float(np.median(influences[later]))
    typical_earlier = float(np.median(influences[earlier]))
    if typical_later < MUCH_LESS * typical_earlier:
        times_less = typical_earlier / typical_later
        return (
            f"With one layer, a token depends on all tokens after it, about {times_less:.0f} times less than "
            "on those before it: something hides them, but not fully."
        )
    return "With one layer, a token depends on all tokens after it."


def why_leaks(influences: Influences, change: str) -> str:
    """Say which later tokens a token depends on, and where that may come from.

    Args:
        influences: of which tokens on which.
        change: the one change after which all is right, in words; blank where none is known.
    """
    remarks = [leaks_in_words(influences.of_heads)]
    if change:
        remarks.append(change)
    elif influences.come_from_heads():
        remarks.append(WHERE_HEADS_MIX_TOKENS)
    else:
        remarks.append(WHERE_TOKENS_MEET)
    return " ".join(filter(None, remarks))
