"""An index that a table of positions or symbols has no row for, and which size it equals."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from autograder.decoders.sizes import Meaning, Sizes, meanings_of_sizes
from autograder.sandbox.report import StudentError
from autograder.worker.wire import Array


class MissingRow(NamedTuple):
    """An array of indices, and the table that has no row for the largest of them.

    Attributes:
        name: of the array.
        is_batch: whether it has two axes, as tokens of a batch have.
        width: the size of its last axis.
        largest: the largest number in it.
        n_rows: how many rows the table has.
    """

    name: str
    is_batch: bool
    width: int
    largest: int
    n_rows: int


def read_missing_row(error: StudentError | None) -> MissingRow | None:
    """Return what an exception of `nn.Embedding` says; None where it is another one."""
    if error is None:
        return None
    out = error.out_of_table
    if out is None or out.which != "max" or not out.table:
        return None
    shape = error.shapes.get(out.array)
    if not isinstance(shape, tuple) or not shape or not out.array.isidentifier():
        return None
    is_batch = len(shape) == 2
    return MissingRow(out.array, is_batch, shape[-1], out.index, out.table[0])


def why_no_row_in_model(
    missing: MissingRow, sizes: Sizes, n_sequences: int, is_published: bool
) -> str:
    """Say what an index means that a table of a model has no row for; nothing where it is not known.

    Args:
        missing: the index and the table.
        sizes: those of the model.
        n_sequences: how many sequences its batch has.
        is_published: whether the student knows the case.
    """
    index = missing.largest
    if is_published and index == missing.n_rows == sizes.max_length:
        return (
            f"The largest number in `{missing.name}` is {index}, but the positions of {missing.n_rows} tokens are "
            f"0 to {index - 1}: does the count begin one too late?"
        )
    return _size_taken_for_tokens(missing, meanings_of_sizes(sizes, n_sequences))


def why_no_row_in_training(
    missing: MissingRow, sequences: Array, n_prompts: int
) -> str:
    """Say what an index means where a program makes and trains the model; nothing where it is not known.

    Args:
        missing: the index and the table.
        sequences: what the model learns from; the largest symbol is the separator.
        n_prompts: how many prompts it answers.
    """
    name, is_batch, _, index, n_rows = missing
    largest_token = int(sequences.max())
    length = sequences.shape[1]
    if index == n_rows == largest_token and is_batch:
        return (
            f"The largest token is {largest_token}, the separator. Symbols are counted from 0, so that with it "
            f"there are {largest_token + 1}, and the table has {n_rows} rows."
        )
    if n_rows == largest_token + 1 and n_rows <= index < length:
        return (
            f"The largest number in `{name}` is {index}, as large as positions of these sequences are, and the "
            f"table has {n_rows} rows, as many as there are symbols: a table of positions has `max_length` rows."
        )
    if n_rows == largest_token + 1 and length < index < n_prompts:
        return (
            f"The largest number in `{name}` is {index}, and there are {n_rows} symbols. It may count prompts, of "
            f"which there are {n_prompts}: does each `argmax` run over the symbols (dim=-1)?"
        )
    meanings = (
        (n_prompts, "the number of prompts"),
        (len(sequences), "the number of sequences"),
    )
    return _size_taken_for_tokens(missing, meanings)


def _size_taken_for_tokens(missing: MissingRow, meanings: Sequence[Meaning]) -> str:
    """Say which size equals the index, or the first of the new positions; nothing where none does."""
    # Positions of several new tokens begin with the number of tokens so far.
    begin = missing.largest - (missing.width - 1)
    names_of_sizes: dict[int, list[str]] = {}
    for size, name in meanings:
        if size in (missing.largest, begin):
            names_of_sizes.setdefault(size, []).append(name)
    if not names_of_sizes:
        return ""
    size, *_ = names_of_sizes
    names = ", and also ".join(names_of_sizes[size])
    return (
        f"The largest number in `{missing.name}` is {missing.largest}, and the table of positions or symbols has "
        f"{missing.n_rows} rows. {size} is {names}: which axis of K counts the tokens so far?"
    )
