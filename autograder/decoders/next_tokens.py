"""What the loss of a model of next tokens compares: the logits at which tokens, with which tokens.

Read from one noted batch (``trainings.TrainingCourse.comparison``). A row of the loss's input is found among
the logits that the model returned, by all its numbers, so nothing is guessed; where rows are not found, nothing
is said.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from autograder.decoders.faults import ModelFault
from autograder.decoders.logits import SUM_OF_FLOAT32, are_probabilities
from autograder.decoders.trainings import TrainingCourse
from autograder.decoders.words import listed
from autograder.worker.wire import Array

NEARLY_ALL = 0.95


@dataclass(frozen=True, eq=False)
class _Batch:
    """One noted batch, with the whole rows that it was cut from.

    Attributes:
        rows: the whole row of each sequence of the batch.
        places: for each number that was compared, the sequence and the place of the token whose logits these are;
            of equal logits there are several.
        targets: the token that each of them was compared with.
    """

    rows: Array
    places: Sequence[Sequence[tuple[int, int]]]
    targets: Array


def fault_of_comparison(
    course: TrainingCourse, sequences: Array, n_prompt: int
) -> ModelFault | None:
    """Say what the loss compares wrongly; None where it is right or where that is not known.

    Args:
        course: of the training.
        sequences: the whole rows, all with another question.
        n_prompt: how many tokens a question takes, with its separator.
    """
    if not course.comparison:
        return None
    fault = _fault_of_rows(course.comparison["tokens"], sequences, n_prompt)
    if fault is not None:
        return fault
    fault = _fault_of_numbers(course.comparison)
    if fault is not None:
        return fault
    batch = _read_batch(course, sequences, n_prompt)
    if batch is None:
        return None
    return _fault_of_targets(batch) or _fault_of_places(batch, n_prompt)


def _fault_of_rows(tokens: Array, sequences: Array, n_prompt: int) -> ModelFault | None:
    """Say that the model is not given rows as they are."""
    if tokens.ndim != 2 or tokens.dtype.kind not in "iu":
        return None
    length = tokens.shape[1]
    if length < n_prompt or length > sequences.shape[1]:
        return None
    known_rows = _distinct_rows(sequences[:, :length])
    n_unknown = 0
    for row in np.ascontiguousarray(tokens, np.int64):
        if bytes(row) not in known_rows:
            n_unknown += 1
    if n_unknown == 0:
        if length == n_prompt:
            return ModelFault(
                "in training the model is given the questions alone. Their answers go in as well, so that each "
                "token of an answer is foretold from those before it, as when the model answers."
            )
        return None
    known_questions = _distinct_rows(sequences[:, :n_prompt])
    questions = _distinct_rows(tokens[:, :n_prompt])
    if questions <= known_questions and n_unknown > len(tokens) / 2:
        return ModelFault(
            f"in the last batch, {n_unknown} of {len(tokens)} questions are followed by something else "
            "than their answers. Questions and answers of one row belong together: draw both by the same indices."
        )
    return None


def _distinct_rows(tokens: Array) -> set[bytes]:
    """Return the different rows of tokens."""
    return set(map(bytes, np.ascontiguousarray(tokens, np.int64)))


def _fault_of_numbers(comparison: Mapping[str, Array]) -> ModelFault | None:
    """Say that the loss gets probabilities, or numbers that no longer belong to a token."""
    output = comparison["output"]
    compared = _as_rows(comparison["input"])
    if output.ndim != 3 or compared is None or compared.shape[1] != output.shape[2]:
        return None
    output_sums = output.sum(axis=2)
    output_sums_to_one = np.allclose(output_sums, 1, atol=SUM_OF_FLOAT32)
    if are_probabilities(compared) and not output_sums_to_one:
        return ModelFault(
            "the loss gets probabilities, each row of them sums to 1. `cross_entropy` makes these itself: give it "
            "the logits."
        )
    rows = set(map(bytes, output.reshape(-1, output.shape[2])))
    compared_rows = set(map(bytes, compared))
    if rows & compared_rows:
        return None
    of_output = Counter(output.ravel().tolist())
    of_compared = Counter(compared.ravel().tolist())
    if not of_compared - of_output:
        return ModelFault(
            "the rows of logits that the loss gets are not those that the model returned: their numbers come from "
            "several tokens. `reshape` and `view` do not exchange axes, as `transpose` does; the last axis, the "
            "symbols, should stay as it is."
        )
    return None


def _as_rows(compared: Array) -> Array | None:
    """Return what a loss compares as one row of symbols for each target."""
    if compared.ndim == 3:
        compared = np.moveaxis(compared, 1, -1)
        return np.ascontiguousarray(compared).reshape(-1, compared.shape[-1])
    if compared.ndim == 2:
        return compared
    return None


def _read_batch(
    course: TrainingCourse, sequences: Array, n_prompt: int
) -> _Batch | None:
    """Find the rows and places of what was compared; None where they are not known."""
    tokens = course.comparison["tokens"]
    output = course.comparison["output"]
    targets = course.comparison["target"].ravel()
    compared = _as_rows(course.comparison["input"])
    if tokens.ndim != 2 or output.ndim != 3 or compared is None:
        return None
    if output.shape[:2] != tokens.shape or compared.shape[1:] != output.shape[2:]:
        return None
    if len(compared) != len(targets) or targets.dtype.kind not in "iu":
        return None

    rows = _whole_rows(tokens, sequences, n_prompt)
    places = _places_of_logits(compared, output)
    if rows is None or places is None:
        return None
    counts = targets != course.ignored
    if not counts.any():
        return None
    counted_places = [places[index] for index in np.flatnonzero(counts)]
    return _Batch(rows, counted_places, targets[counts])


def _whole_rows(tokens: Array, sequences: Array, n_prompt: int) -> Array | None:
    """Return for each row of tokens the sequence with its question; None where there is none."""
    sequence_of_question = {}
    for sequence in np.ascontiguousarray(sequences, np.int64):
        sequence_of_question[bytes(sequence[:n_prompt])] = sequence
    rows = []
    for row in np.ascontiguousarray(tokens, np.int64):
        sequence = sequence_of_question.get(bytes(row[:n_prompt]))
        if sequence is None:
            return None
        rows.append(sequence)
    return np.array(rows)


def _places_of_logits(
    compared: Array, output: Array
) -> list[list[tuple[int, int]]] | None:
    """Return for each row of logits the sequences and tokens that have them; None where one is nowhere."""
    places_of_logits: dict[bytes, list[tuple[int, int]]] = {}
    for index, logits_of_row in enumerate(output):
        for place, logits in enumerate(logits_of_row):
            places_of_logits.setdefault(bytes(logits), []).append((index, place))
    places_of_compared = []
    for logits in np.ascontiguousarray(compared):
        places = places_of_logits.get(bytes(logits))
        if places is None:
            return None
        places_of_compared.append(places)
    return places_of_compared


def _fault_of_targets(batch: _Batch) -> ModelFault | None:
    """Say which tokens the logits are compared with, where these are not the next ones."""
    if _share_compared(batch, 1) >= NEARLY_ALL:
        return None
    if _share_compared(batch, 0) >= NEARLY_ALL:
        return ModelFault(
            "the loss compares the logits at each token with this token itself. Compare them with the next one.",
            "targets-not-shifted",
        )
    for distance in (2, -1, 3):
        if _share_compared(batch, distance) >= NEARLY_ALL:
            where = f"the token {distance} places after it"
            if distance < 0:
                where = "the token before it"
            return ModelFault(
                f"the loss compares the logits at each token with {where}. Compare them with the next one."
            )
    wrong = 1 - _share_compared(batch, 1)
    return ModelFault(
        f"in the last batch, {wrong:.0%} of the logits that the loss gets are compared with something else than "
        "the token that follows in the same row: logits and targets should be in the same order."
    )


def _share_compared(batch: _Batch, distance: int) -> float:
    """Return the share of logits that are compared with the token so many places further on."""
    n_tokens = batch.rows.shape[1]
    right = 0
    for places, target in zip(batch.places, batch.targets, strict=True):
        for row, place in places:
            other = place + distance
            if 0 <= other < n_tokens and batch.rows[row, other] == target:
                right += 1
                break
    return right / len(batch.targets)


def _fault_of_places(batch: _Batch, n_prompt: int) -> ModelFault | None:
    """Say which tokens of the answers are in no comparison."""
    compared = set()
    for places in batch.places:
        # Equal logits of several sequences are all compared, as far as one can see.
        for _, place in places:
            compared.add(place + 1)
    places_of_answer = range(n_prompt, batch.rows.shape[1])
    missing = []
    for place in places_of_answer:
        if place not in compared:
            missing.append(place - n_prompt + 1)
    if not missing:
        return None
    if len(missing) == len(places_of_answer):
        return ModelFault(
            "the loss compares tokens of the questions alone, and none of the answers."
        )
    names = f"numbers {listed(missing)}"
    if len(missing) == 1:
        names = f"number {missing[0]}"
    text = f"the loss leaves out {names} of the {len(places_of_answer)} tokens of each answer."
    if 1 in missing:
        text += " The first one is foretold by the logits at the separator."
    return ModelFault(text)
