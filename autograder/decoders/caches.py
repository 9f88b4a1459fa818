"""What a decoder's cache holds: how many numbers, in which form, and whether later calls change them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import islice, pairwise
from typing import Any

import numpy as np

from autograder.course.calls import ModuleCall
from autograder.decoders.faults import ModelFault
from autograder.decoders.logits import SAME, have_moved, logits_or_none
from autograder.decoders.replies import as_list, as_mapping
from autograder.decoders.sizes import Sizes
from autograder.verdict.arrays import as_array
from autograder.worker.wire import Array, Shape, Tensor

# How much of a cache is looked at: a submission may have made it endless.
MOST_DEPTH = 4
MOST_ARRAYS = 100

PARTS_OF_PAIR = ("the keys (the first of the pair)", "the values (the second)")


# Numbers


def is_pair(value: Any) -> bool:
    """Whether a value is a tuple or list of two."""
    return isinstance(value, tuple | list) and len(value) == 2


def numbers_due(sizes: Sizes, rows: int, tokens: int) -> int:
    """Count the numbers of all keys and values of so many rows and tokens."""
    return 2 * sizes.n_layers * rows * tokens * sizes.d_model


def numbers_in(cache: Any) -> int:
    """Count the numbers in a cache of any form."""
    total = 0
    for array in arrays_in(cache):
        total += array.size
    return total


def arrays_in(cache: Any) -> list[Array]:
    """Return the arrays in a cache of any form."""
    return list(islice(_arrays_within(cache), MOST_ARRAYS))


def _arrays_within(value: Any, depth: int = 0) -> Iterator[Array]:
    """Yield the arrays within lists and dictionaries."""
    if isinstance(value, np.ndarray | Tensor):
        array = as_array(value)
        if array is not None:
            yield array
            return
    if isinstance(value, tuple | list | dict) and depth < MOST_DEPTH:
        items: Iterable[Any] = value
        if isinstance(value, dict):
            items = value.values()
        for item in islice(items, MOST_ARRAYS):
            yield from _arrays_within(item, depth + 1)


def hold_the_same(cache: Any, other_cache: Any) -> bool:
    """Whether two caches hold the same numbers in the same order."""
    arrays = arrays_in(cache)
    other_arrays = arrays_in(other_cache)
    if len(arrays) != len(other_arrays):
        return False
    return all(map(np.array_equal, arrays, other_arrays))


def grows_with_tokens(caches: Sequence[Any], pieces: Sequence[int]) -> bool:
    """Whether the last cache holds as many numbers for each token as the first one.

    Args:
        caches: those that were returned, one for each piece.
        pieces: how many tokens each piece has.
    """
    first_cache = caches[0]
    last_cache = caches[-1]
    # A cache that is written to in place holds all tokens under each name that it has.
    if hold_the_same(first_cache, last_cache):
        return True
    held_first = numbers_in(first_cache)
    held_last = numbers_in(last_cache)
    return held_last * pieces[0] >= held_first * sum(pieces)


def why_cache_unused(call: ModuleCall, sizes: Sizes, probes: Any) -> ModelFault | None:
    """Say that too few numbers in the cache change the next logits; None where enough of them do.

    Args:
        call: the call, with the number of tokens in each piece.
        sizes: those of the model.
        probes: the worker's reply, which moved the parts of the cache after half of the pieces.
    """
    rows = len(call.input.array)
    half = len(call.pieces) // 2
    known_tokens = sum(call.pieces[:half])
    shape = (rows, call.pieces[half], sizes.vocab_size)
    used = _used_numbers(probes, shape)

    # Where one layer's are used and the others' are not, the layers are idle: that has a check of its own.
    due = numbers_due(sizes, rows, known_tokens)
    if used >= due // sizes.n_layers:
        return None
    text = f"Keys and values of {known_tokens} tokens in the cache are {due} numbers, and the next logits "
    text += f"change with {used} of them: let new tokens attend to the cached ones."
    return ModelFault(text, "cache-unused")


def _used_numbers(probes: Any, shape: Shape) -> int:
    """Count the numbers in a cache with which the next logits change."""
    probes = as_mapping(probes)
    logits_before = logits_or_none(probes.get("before"), shape)
    used = 0
    for pair in as_list(probes.get("moved")):
        if not isinstance(pair, list) or len(pair) != 2:
            continue
        size, value = pair
        if type(size) is not int or size < 0:
            continue
        logits_after = logits_or_none(value, shape)
        # A model that stops on another cache has looked at it.
        if value is None or have_moved(logits_before, logits_after):
            used += size
    return used


# Keys and values


def arrays_of_pairs(
    caches: Sequence[Any], pieces: Sequence[int], sizes: Sizes, rows: int
) -> list[list[Array]] | None:
    """Return the keys and values of each layer in turn, for each call; None where a cache has another form.

    Caches that were written to later have another form as well: they no longer are what was returned.

    Args:
        caches: those that were returned, one for each piece.
        pieces: how many tokens each piece has.
        sizes: those of the model.
        rows: how many sequences the batch has.
    """
    tokens = 0
    arrays_of_caches = []
    for cache, new_tokens in zip(caches, pieces, strict=True):
        tokens += new_tokens
        arrays = arrays_in(cache)
        if len(arrays) != 2 * sizes.n_layers:
            return None
        shape = (rows, sizes.n_heads, tokens, sizes.width_of_head)
        if any(array.shape != shape for array in arrays):
            return None
        arrays_of_caches.append(arrays)
    return arrays_of_caches


def why_in_another_place(caches: Sequence[Sequence[Array]]) -> str:
    """Say that the keys or values of one place of the cache lie at another one after the next call."""
    for cache, next_cache in pairwise(caches):
        for place, array in enumerate(next_cache):
            old_places = _places_of_old_part(cache, array)
            if not old_places or place in old_places:
                continue
            old_place = old_places[0]
            layer = place // 2 + 1
            old_layer = old_place // 2 + 1
            if layer == old_layer:
                return (
                    f"in layer {layer}, what were {PARTS_OF_PAIR[old_place % 2]} lies where "
                    f"{PARTS_OF_PAIR[place % 2]} are after the next call. Is the pair taken apart, or returned, in "
                    "the other order?"
                )
            return (
                f"after the next call, what was the part of layer {old_layer} lies in the part of "
                f"layer {layer} of the cache. Each layer goes on with its own part, in the same order."
            )
    return ""


def _places_of_old_part(cache: Sequence[Array], array: Array) -> list[int]:
    """Return the places of a cache whose numbers are the first or last tokens of an array."""
    places = []
    for old_place, old_array in enumerate(cache):
        tokens = old_array.shape[2]
        for old_part in (array[:, :, :tokens], array[:, :, -tokens:]):
            if np.allclose(old_part, old_array, atol=SAME):
                places.append(old_place)
    return places


def old_part_has_changed(cache: Any, next_cache: Any) -> bool:
    """Whether an array of a cache has grown along one axis, and holds other numbers where the old ones were."""
    arrays = arrays_in(cache)
    next_arrays = arrays_in(next_cache)
    if len(arrays) != len(next_arrays):
        return False
    for array, next_array in zip(arrays, next_arrays, strict=True):
        axis = _grown_axis(array, next_array)
        if axis is None:
            return False
        size = array.shape[axis]
        first_part = next_array.take(range(size), axis)
        last_part = next_array.take(range(-size, 0), axis)
        # In whatever order keys are appended, the old ones should be there.
        is_first = np.allclose(first_part, array, atol=SAME)
        if not is_first and not np.allclose(last_part, array, atol=SAME):
            return True
    return False


def _grown_axis(array: Array, next_array: Array) -> int | None:
    """Return the axis along which the next array is larger; None where it differs in another way."""
    if array.ndim != next_array.ndim:
        return None
    sizes = np.array(array.shape)
    next_sizes = np.array(next_array.shape)
    other_axes = np.flatnonzero(next_sizes != sizes)
    if len(other_axes) != 1:
        return None
    axis = int(other_axes[0])
    if next_sizes[axis] < sizes[axis]:
        return None
    return axis


def places_in(part: Array, whole: Array) -> list[int] | None:
    """Return for each token the one whose numbers it has in another array, both (heads, tokens, features).

    None where a token's numbers are nowhere there, or at several places.
    """
    places = []
    for token in range(part.shape[1]):
        equal_places = []
        for place in range(whole.shape[1]):
            if np.allclose(part[:, token], whole[:, place], atol=SAME):
                equal_places.append(place)
        if len(equal_places) != 1:
            return None
        places += equal_places
    return places
