"""What the loss of a model of next tokens compares: the logits at which tokens, with which tokens.

Read from one noted batch (``training.Course.comparison``). A row of the loss's input is found among the logits that
the model returned, by all its numbers, so nothing is guessed; where rows are not found, nothing is said.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from autograder.verdict.training import Course
from autograder.worker.wire import Array

NEARLY_ALL = 0.95
CLOSE = 1e-5
"""Probabilities are the same up to this."""


@dataclass(frozen=True)
class Fault:
    """What is wrong with a comparison, and its label where there is one."""

    says: str
    label: str = ""


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
    course: Course, sequences: Array, n_prompt: int
) -> Fault | None:
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


def _fault_of_rows(tokens: Array, sequences: Array, n_prompt: int) -> Fault | None:
    """Say that the model is not given rows as they are."""
    if tokens.ndim != 2 or tokens.dtype.kind not in "iu":
        return None
    length = tokens.shape[1]
    if length < n_prompt or length > sequences.shape[1]:
        return None
    begins = set(map(bytes, np.ascontiguousarray(sequences[:, :length], np.int64)))
    known = [bytes(row) in begins for row in np.ascontiguousarray(tokens, np.int64)]
    if all(known):
        if length == n_prompt:
            return Fault(
                "in training the model is given the questions alone. Their answers go in as well, so that each "
                "token of an answer is foretold from those before it, as when the model answers."
            )
        return None
    questions = set(map(bytes, np.ascontiguousarray(sequences[:, :n_prompt], np.int64)))
    asked = np.ascontiguousarray(tokens[:, :n_prompt], np.int64)
    have_questions = all(bytes(question) in questions for question in asked)
    if have_questions and known.count(False) > len(known) / 2:
        return Fault(
            f"in the last batch, {known.count(False)} of {len(known)} questions are followed by something else "
            "than their answers. Questions and answers of one row belong together: draw both by the same indices."
        )
    return None


def _fault_of_numbers(comparison: Mapping[str, Array]) -> Fault | None:
    """Say that the loss gets probabilities, or numbers that no longer belong to a token."""
    output = comparison["output"]
    compared = _as_rows(comparison["input"])
    if output.ndim != 3 or compared is None or compared.shape[1] != output.shape[2]:
        return None
    sums = compared.sum(axis=1)
    output_sums = output.sum(axis=2)
    is_share = (compared >= 0).all() and np.allclose(sums, 1, atol=1e-4)
    if is_share and not np.allclose(output_sums, 1, atol=1e-4):
        return Fault(
            "the loss gets probabilities, each row of them sums to 1. `cross_entropy` makes these itself: give it "
            "the logits."
        )
    rows = set(map(bytes, output.reshape(-1, output.shape[2])))
    found = sum(bytes(row) in rows for row in compared)
    if found:
        return None
    of_output = Counter(output.ravel().tolist())
    of_compared = Counter(compared.ravel().tolist())
    if not of_compared - of_output:
        return Fault(
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
    return compared if compared.ndim == 2 else None


def _read_batch(course: Course, sequences: Array, n_prompt: int) -> _Batch | None:
    comparison = course.comparison
    tokens, output = comparison["tokens"], comparison["output"]
    targets = comparison["target"].ravel()
    compared = _as_rows(comparison["input"])
    if tokens.ndim != 2 or output.ndim != 3 or compared is None:
        return None
    if output.shape[:2] != tokens.shape or compared.shape[1:] != output.shape[2:]:
        return None
    if len(compared) != len(targets) or targets.dtype.kind not in "iu":
        return None

    of_question = {}
    for row in np.ascontiguousarray(sequences, np.int64):
        of_question[bytes(row[:n_prompt])] = row
    rows = []
    for row in np.ascontiguousarray(tokens, np.int64):
        whole = of_question.get(bytes(row[:n_prompt]))
        if whole is None:
            return None
        rows.append(whole)

    places: dict[bytes, list[tuple[int, int]]] = {}
    for index, logits_of_row in enumerate(output):
        for place, logits in enumerate(logits_of_row):
            places.setdefault(bytes(logits), []).append((index, place))
    places_of_compared = []
    for logits in np.ascontiguousarray(compared):
        found = places.get(bytes(logits))
        if found is None:
            return None
        places_of_compared.append(found)
    counts = targets != course.ignored
    if not counts.any():
        return None
    counted_places = [
        found
        for found, is_counted in zip(places_of_compared, counts, strict=True)
        if is_counted
    ]
    return _Batch(np.array(rows), counted_places, targets[counts])


def _fault_of_targets(batch: _Batch) -> Fault | None:
    """Say which tokens the logits are compared with, where these are not the next ones."""
    if _share_compared(batch, 1) >= NEARLY_ALL:
        return None
    if _share_compared(batch, 0) >= NEARLY_ALL:
        return Fault(
            "the loss compares the logits at each token with this token itself. Compare them with the next one.",
            "targets-not-shifted",
        )
    for distance in (2, -1, 3):
        if _share_compared(batch, distance) >= NEARLY_ALL:
            where = f"the token {distance} places after it"
            if distance < 0:
                where = "the token before it"
            return Fault(
                f"the loss compares the logits at each token with {where}. Compare them with the next one."
            )
    wrong = 1 - _share_compared(batch, 1)
    return Fault(
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


def _fault_of_places(batch: _Batch, n_prompt: int) -> Fault | None:
    """Say which tokens of the answers are in no comparison."""
    n_tokens = batch.rows.shape[1]
    compared = set()
    for places in batch.places:
        if len({place for _, place in places}) == 1:
            compared.add(places[0][1] + 1)
        else:
            compared.update(place + 1 for _, place in places)
    places_of_answer = range(n_prompt, n_tokens)
    missing = [
        place - n_prompt + 1 for place in places_of_answer if place not in compared
    ]
    if not missing:
        return None
    if len(missing) == len(places_of_answer):
        return Fault(
            "the loss compares tokens of the questions alone, and none of the answers."
        )
    text = f"the loss leaves out {_in_words(missing)} of the {len(places_of_answer)} tokens of each answer."
    if 1 in missing:
        text += " The first one is foretold by the logits at the separator."
    return Fault(text)


def _in_words(numbers: Sequence[int]) -> str:
    names = list(map(str, numbers))
    if len(names) == 1:
        return f"number {names[0]}"
    return f"numbers {', '.join(names[:-1])} and {names[-1]}"
