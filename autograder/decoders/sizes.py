"""The sizes of a decoder, and which of them are easily taken for the number of tokens so far."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple, TypeAlias

from autograder.verdict.for_checks.modules import module_call
from autograder.verdict.known import KnownCase

Meaning: TypeAlias = tuple[int, str]
"""A number, and what it counts."""
LENGTH_OF_PAIR = 2
"""How many arrays a cache holds for each layer."""


class Sizes(NamedTuple):
    """The sizes of a decoder, in the order in which its class takes them."""

    vocab_size: int
    max_length: int
    d_model: int
    n_heads: int
    n_layers: int

    @property
    def layer(self) -> int:
        """How many numbers the matrices of one layer hold."""
        return 12 * self.d_model**2

    @property
    def embedding(self) -> int:
        """How many numbers the embedding of the tokens holds."""
        return self.vocab_size * self.d_model

    @property
    def width_of_head(self) -> int:
        """How many features one head has."""
        return self.d_model // self.n_heads


def sizes_of(known: KnownCase) -> Sizes:
    """Return the sizes of the model that a case calls."""
    return Sizes(*module_call(known).args)


def meanings_of_sizes(sizes: Sizes, n_sequences: int) -> Sequence[Meaning]:
    """Return the sizes in a call that are easily taken for the number of tokens so far.

    Args:
        sizes: those of the model.
        n_sequences: how many sequences its batch has.
    """
    return (
        (n_sequences, "the number of sequences in the batch"),
        (sizes.d_model, "d_model"),
        (sizes.width_of_head, "d_model / n_heads"),
        (sizes.n_heads, "n_heads"),
        (sizes.n_layers, "n_layers"),
        (LENGTH_OF_PAIR, "the length of a pair (K, V)"),
    )
