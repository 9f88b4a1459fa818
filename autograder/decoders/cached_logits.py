"""Logits made with a cache, a few tokens at a time, and why they are others than those of the whole sequence."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any

import numpy as np

from autograder.course.calls import ModuleCall
from autograder.decoders.batches import TestedRow, leaking_tokens, rows_differ
from autograder.decoders.caches import (
    arrays_in,
    arrays_of_pairs,
    grows_with_tokens,
    is_pair,
    numbers_due,
    numbers_in,
    old_part_has_changed,
    places_in,
    why_in_another_place,
)
from autograder.decoders.faults import ModelFault
from autograder.decoders.logits import (
    LIMIT_OF_SMALL_CALL,
    SAME,
    VISIBLE,
    differ,
    finite_logits,
    first_part,
    logits_or_none,
)
from autograder.decoders.memory import FROM_CALL_TO_CALL, REMEMBERS_ITSELF
from autograder.decoders.replies import MOST_NUMBERS
from autograder.decoders.sizes import Sizes, meanings_of_sizes
from autograder.decoders.words import listed
from autograder.sandbox.report import Answer
from autograder.verdict.arrays import as_array
from autograder.verdict.failure import fail
from autograder.verdict.fixtures import SubmissionProxy
from autograder.worker.wire import Array, Tensor

WHAT_TO_LOOK_AT = (
    "do positions go on after the cache, does a new token see all that the cache holds, and does each layer get "
    "its own part of the cache?"
)
UP_TO_THE_NUMBER = (
    ", depending on how many tokens come at once. Look at what it makes of them: scores, scale, "
    "mask and softmax."
)


@dataclass(frozen=True, eq=False)
class BothWays:
    """What a model returned for whole sequences, and for the same ones in pieces.

    Attributes:
        call: the call, with the number of tokens in each piece.
        sizes: those of the model.
        value_at_once: what was returned for the whole sequences.
        at_once: the logits in it.
        joined: the logits of all pieces, one after the other.
        caches: those that were returned, one for each piece.
    """

    call: ModuleCall
    sizes: Sizes
    value_at_once: Any
    at_once: Array
    joined: Array
    caches: Sequence[Any]

    @property
    def largest(self) -> float:
        """The largest logit of the whole sequences."""
        return float(np.abs(self.at_once).max())

    def differ(self, logits: Array, others: Array) -> Array:
        """Return for each token whether its logits are others."""
        return differ(logits, others, self.largest)

    def wrong_tokens(self) -> Array:
        """Return the indices of the tokens that get other logits with the cache."""
        is_wrong = self.differ(self.joined, self.at_once)  # (rows, tokens)
        return np.flatnonzero(is_wrong.any(axis=0))

    def changed_tokens(self, logits: Array, row: TestedRow) -> Array:
        """Return for each token whether its logits change with what differs in a row."""
        return self.differ(logits[TestedRow.BASE], logits[row])


def read_both_ways(
    call: ModuleCall, sizes: Sizes, value: Any, at_once: Array
) -> BothWays:
    """Read the logits and the caches that a model returned for its pieces.

    Args:
        call: the call, with the number of tokens in each piece.
        sizes: those of the model.
        value: a list of what was returned for the whole sequences, and then for each piece.
        at_once: the logits of the whole sequences.

    Raises:
        CheckFailed: logits or caches are missing, or logits are not as they should be.
    """
    returned: list[Any] = []
    if isinstance(value, list):
        returned = value[1:]
    if len(returned) != len(call.pieces) or not all(map(is_pair, returned)):
        text = "`forward` should return a pair: the logits, and the cache for the tokens that come next."
        fail(text, "no-cache")
    rows = len(at_once)
    logits_of_pieces = []
    caches = []
    for pair, n_tokens in zip(returned, call.pieces, strict=True):
        _, cache = pair
        shape = (rows, n_tokens, sizes.vocab_size)
        logits_of_pieces.append(finite_logits(pair, shape))
        caches.append(cache)
    joined = np.concatenate(logits_of_pieces, axis=1)
    return BothWays(call, sizes, value[0], at_once, joined, caches)


def shows_no_fault(call: ModuleCall, vocab_size: int, answer: Answer) -> bool:
    """Whether an answer alone shows logits that are causal and use what came before, and are the same in pieces."""
    rows, tokens = call.input.array.shape
    value = answer.value
    if call.pieces:
        if not isinstance(value, list) or len(value) != len(call.pieces) + 1:
            return False
        value, *returned = value

    logits = logits_or_none(first_part(value), (rows, tokens, vocab_size))
    if logits is None or not np.isfinite(logits).all():
        return False
    if len(leaking_tokens(call.input.array, logits)):
        return False
    if rows_differ(logits, TestedRow.AGAIN).any():
        return False
    changed_by_first = rows_differ(logits, TestedRow.FIRST, VISIBLE)
    if not changed_by_first[-1]:
        return False
    if not call.pieces:
        return True

    pieces = []
    for pair, n_tokens in zip(returned, call.pieces, strict=True):
        piece = logits_or_none(first_part(pair), (rows, n_tokens, vocab_size))
        if piece is None:
            return False
        pieces.append(piece)
    joined = np.concatenate(pieces, axis=1)
    largest = float(np.abs(logits).max())
    return not differ(joined, logits, largest, LIMIT_OF_SMALL_CALL).any()


def why_incomplete(ways: BothWays) -> ModelFault | None:
    """Say that the last cache lacks keys and values of tokens, heads or layers; None where it holds all."""
    pieces = ways.call.pieces
    held = numbers_in(ways.caches[-1])
    due = numbers_due(ways.sizes, len(ways.at_once), sum(pieces))
    if held >= due:
        return None
    text = f"The cache holds {held} numbers in the end; "
    text += f"keys and values of all tokens, heads and layers are {due}: "
    if len(ways.wrong_tokens()) and not grows_with_tokens(ways.caches, pieces):
        text += "append those of each new token, in every layer."
        return ModelFault(text, "cache-not-appended")
    text += "the cache should hold a pair (K, V) for each layer, "
    text += "both of shape (batch, n_heads, tokens so far, d_model / n_heads)."
    return ModelFault(text, "cache-incomplete")


# Why they differ


def why_different(
    ways: BothWays, submission: SubmissionProxy, remembers_itself: Callable[[], bool]
) -> ModelFault:
    """Say of logits that change with the cache what the rows of the batch, or the caches returned, prove.

    Args:
        ways: the logits of whole sequences and of pieces.
        submission: makes further calls.
        remembers_itself: whether a second call of the same model has other logits even without a cache.

    Returns:
        the sentences, and the label of the mistake, blank where none is proved.
    """
    first_differ = ways.differ(ways.joined[:, 0], ways.at_once[:, 0])
    begins_well = not first_differ.any()
    if (
        begins_well
        and _is_level(ways, ways.joined)
        and not _is_level(ways, ways.at_once)
    ):
        why = "equal tokens get equal logits at every step. New tokens go on at the position after the cache."
        return ModelFault(why, "positions-restart")
    if _leaks(ways, ways.joined) and not _leaks(ways, ways.at_once):
        why = "new tokens that come together see those after them. The mask hides these with a cache, too."
        return ModelFault(why, "mask-leaks")
    if not begins_well:
        if remembers_itself():
            return ModelFault(REMEMBERS_ITSELF, FROM_CALL_TO_CALL)
        return ModelFault(_why_without_a_cache(ways, submission))
    if _is_blind(ways, ways.joined) and not _is_blind(ways, ways.at_once):
        return _why_blind(ways)
    return _why_by_caches(ways)


def _is_level(ways: BothWays, logits: Array) -> bool:
    """Whether equal tokens get equal logits, wherever they stand."""
    constant = logits[TestedRow.CONSTANT]
    is_other = ways.differ(constant[1:], constant[:1])
    return not is_other.any()


def _leaks(ways: BothWays, logits: Array) -> bool:
    """Whether another last token changes logits before it."""
    changed_by_last = ways.changed_tokens(logits, TestedRow.LAST)
    return bool(changed_by_last[:-1].any())


def _is_blind(ways: BothWays, logits: Array) -> bool:
    """Whether the last token sees none of those between it and the first one."""
    changed_by_middle = ways.changed_tokens(logits, TestedRow.MIDDLE)
    return not changed_by_middle[-1]


def _why_blind(ways: BothWays) -> ModelFault:
    """Say of a last token that sees nothing in between whether it sees the first one."""
    changed_by_first = ways.changed_tokens(ways.joined, TestedRow.FIRST)
    if not changed_by_first[-1]:
        why = "the last one sees nothing before itself. Are its scores made with the keys of the cache, too, "
        why += "and does the mask allow them?"
        return ModelFault(why, "cache-unused")
    why = "the last one sees nothing in between. Which row of the mask belongs to a new token?"
    return ModelFault(why, "mask-of-first-row")


def _why_without_a_cache(ways: BothWays, submission: SubmissionProxy) -> str:
    """Say of the first tokens, for which there is no cache yet, on what else their logits depend."""
    n_first = ways.call.pieces[0]
    tokens = "this token alone"
    if n_first > 1:
        tokens = f"the first {n_first} tokens alone"
    text = f"it comes from the first call, which has no cache yet. With {tokens}, a call gives it other logits "
    text += "than with all tokens. "
    if _depends_on_batch(ways.call, submission):
        text += "Also, a sequence alone gets other logits than in a batch: something is computed over all "
        return text + "its sequences, as by a `BatchNorm`."
    text += "Does anything in it depend on the tokens after it, if only a little, or on their number? Where a "
    text += "token must not look, a number that is not minus infinity lets a little through."
    return text


def _depends_on_batch(call: ModuleCall, submission: SubmissionProxy) -> bool:
    """Whether a sequence alone gets other logits than in its batch."""
    alone = Tensor(call.input.array[: TestedRow.BASE + 1])
    call_with_one_row = replace(call, input=alone, pieces=(), probed=False)
    call_with_batch = replace(call, pieces=(), probed=False)
    answers = submission.calls_once(
        "a sequence alone", [call_with_one_row, call_with_batch]
    )
    logits_of_answers = []
    for answer in answers:
        logits = as_array(first_part(answer.value), MOST_NUMBERS)
        if logits is None or logits.ndim != 3:
            return False
        logits_of_answers.append(logits)
    alone_logits, batch_logits = [
        logits[TestedRow.BASE] for logits in logits_of_answers
    ]
    if alone_logits.shape != batch_logits.shape:
        return False
    largest = float(np.abs(batch_logits).max())
    return bool(differ(alone_logits, batch_logits, largest).any())


# What the caches prove


def _why_by_caches(ways: BothWays) -> ModelFault:
    """Say what the keys and values in the caches prove, or where to look where they prove nothing."""
    rows = len(ways.call.input.array)
    arrays = arrays_of_pairs(ways.caches, ways.call.pieces, ways.sizes, rows)
    if arrays is not None:
        why = why_in_another_place(arrays)
        if why:
            return ModelFault(why)
    for cache, next_cache in pairwise(ways.caches):
        if old_part_has_changed(cache, next_cache):
            why = "keys or values that lie in the cache come out of the next call as other numbers. Is something "
            why += "done to them again at each call (such as rotating, projecting, a norm)? Do that to new tokens "
            why += "alone."
            return ModelFault(why, "cache-changed-again")
    why = ""
    if arrays is not None:
        why = _why_by_contents(ways, arrays[-1])
    return ModelFault(why or WHAT_TO_LOOK_AT)


def _why_by_contents(ways: BothWays, cache: Sequence[Array]) -> str:
    """Compare the cache after all pieces with that of the whole sequences; nothing where that has another form."""
    if not is_pair(ways.value_at_once):
        return ""
    _, value_of_cache = ways.value_at_once
    cache_at_once = arrays_in(value_of_cache)
    shapes_at_once = [array.shape for array in cache_at_once]
    if shapes_at_once != [array.shape for array in cache]:
        return ""
    return (
        _why_by_positions(ways, cache[0], cache_at_once[0])
        or _why_by_order(cache, cache_at_once)
        or _why_by_layers(cache, cache_at_once)
    )


def _why_by_positions(ways: BothWays, keys: Array, keys_at_once: Array) -> str:
    """Say at which positions the tokens of a constant sequence stand, if that is at wrong ones."""
    # Equal tokens differ by their positions alone.
    positions = places_in(keys[TestedRow.CONSTANT], keys_at_once[TestedRow.CONSTANT])
    n_tokens = keys.shape[2]
    if positions is None or sorted(positions) == list(range(n_tokens)):
        return ""
    text = f"the tokens 1 to {n_tokens} stand at the positions {_numbered(positions)} (by the keys of layer 1, "
    text += "which are those of these positions in the whole sequence)."
    return text + _meaning_of_position(ways, positions)


def _meaning_of_position(ways: BothWays, positions: Sequence[int]) -> str:
    """Say which size the position of each new token is, if it is always the same."""
    n_first = ways.call.pieces[0]
    position, *other_positions = set(positions[n_first:])
    if other_positions:
        return ""
    rows = len(ways.call.input.array)
    names = []
    for size, name in meanings_of_sizes(ways.sizes, rows):
        if size == position:
            names.append(name)
    if not names:
        return ""
    meanings = ", or ".join(names)
    text = f" Counted from 0, new tokens are at {position}, which is {meanings}: is the number of "
    return text + "tokens so far read from K itself, along the right axis?"


def _why_by_order(cache: Sequence[Array], cache_at_once: Sequence[Array]) -> str:
    """Say that keys and values lie in different orders of the tokens."""
    keys, values, *_ = cache
    keys_at_once, values_at_once, *_ = cache_at_once
    places_of_keys = places_in(keys[TestedRow.BASE], keys_at_once[TestedRow.BASE])
    places_of_values = places_in(values[TestedRow.BASE], values_at_once[TestedRow.BASE])
    if places_of_keys is None or places_of_values is None:
        return ""
    all_places = list(range(keys.shape[2]))
    are_complete = sorted(places_of_keys) == sorted(places_of_values) == all_places
    if not are_complete or places_of_keys == places_of_values:
        return ""
    return (
        f"in layer 1 the cache holds the keys of the tokens {_numbered(places_of_keys)}, and the values of "
        f"{_numbered(places_of_values)}. Append both on the same side."
    )


def _why_by_layers(cache: Sequence[Array], cache_at_once: Sequence[Array]) -> str:
    """Say in which layer keys and values begin to be others than those of the whole sequences."""
    for index, array in enumerate(cache):
        array_at_once = cache_at_once[index]
        if np.allclose(array, array_at_once, atol=SAME):
            continue
        layer = index // 2 + 1
        if layer > 1:
            return (
                f"keys and values in layer {layer - 1} of the cache are those of the whole sequence, so positions "
                f"and appending are right there; those of layer {layer} are not. So layer {layer - 1} makes "
                f"something else of the same keys and values{UP_TO_THE_NUMBER}"
            )
        part = ["keys", "values"][index % 2]
        is_other = ~np.isclose(array, array_at_once, atol=SAME)
        [tokens] = np.nonzero(is_other.any(axis=(0, 1, 3)))
        return (
            f"the {part} in layer 1 of the cache are already others than those of the whole sequence, from "
            f"token {tokens[0] + 1} on. They should come from each token and its position alone: which "
            "positions do new tokens get?"
        )
    return (
        "keys and values in the cache are those of the whole sequence, so positions and appending are right. So "
        f"the last layer makes something else of the same keys and values{UP_TO_THE_NUMBER}"
    )


def _numbered(places: Sequence[int]) -> str:
    """Write places counted from 1."""
    numbers = [place + 1 for place in places]
    return listed(numbers)
