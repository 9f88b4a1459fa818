"""The worked example of hw10: its published cases, and what a trained model expects after each beginning."""

import numpy as np

from autograder.authoring import Matrix, whole_numbers
from autograder.course import FunctionCall

ALPHABET = ".abcdefghijklmnopqrstuvwxyz"
MATRICES = ("W_q", "W_k", "W_v", "W_1", "W_2")
RATE = 0.5
NAME = "selina"
SHOWN = ".aeilmnors"
BEGINNINGS = ("(begin)", "s", "se", "sel", "seli", "selin", "selina")


def example(reference):
    inputs, targets = reference.published("encode_names/two-names")
    yield whole_numbers("inputs", inputs, "inputs", ("ada", "bo"))
    yield whole_numbers("targets", targets, "targets", ("ada", "bo"))

    loss, gradient = reference.published("cross_entropy/odds")
    yield Matrix("loss", [[loss]], decimals=3)
    yield Matrix("gradient", gradient[0], "gradient", decimals=4)

    case = reference.case("softmax_backward/two-rows")
    weights, grad_weights = case.call.args
    yield Matrix("w", weights, "weights", decimals=2)
    yield whole_numbers("g", grad_weights, "grad_weights")
    backward = reference.published("softmax_backward/two-rows")
    yield Matrix("backward", backward, "gradient of the scores", decimals=2)

    yield from _block(reference)

    chosen = reference.published("sample/squares")
    yield whole_numbers("chosen", chosen[None], "ids")
    expected_next = _expected_next(reference)
    yield Matrix("next", expected_next, rows=BEGINNINGS, columns=SHOWN)


def _block(reference):
    case = reference.case("causal_block/three-characters")
    X, *matrices = case.call.args
    yield whole_numbers("X", X[0], "X")
    for name, matrix in zip(MATRICES, matrices, strict=True):
        yield whole_numbers(name, matrix, name)
    weights, attended, output = reference.published("causal_block/three-characters")
    yield Matrix("attention", weights[0], "attention weights", decimals=3)
    yield Matrix("attended", attended[0], "attended", decimals=2)
    yield Matrix("output", output[0], "output", decimals=2)


def _expected_next(reference):
    """Train a model as the notebook does, and return its probabilities after each beginning of a name."""

    def call(function, *arguments):
        return reference(FunctionCall(function, arguments))

    names = call("known_names")
    inputs, targets = call("encode_names", names, ALPHABET)
    number_of_places = inputs.shape[1]
    number_of_ids = len(ALPHABET)
    number_of_names = len(names)
    start = call("new_parameters", number_of_ids, number_of_places)
    batches = call("draw_batches", number_of_names)
    learned = call("train", start, inputs, targets, batches, RATE)

    ids, _ = call("encode_names", [NAME], ALPHABET)
    (logits,) = call("predict", learned, ids)
    highest = logits.max(axis=-1, keepdims=True)
    powers = np.exp(logits - highest)
    sums = powers.sum(axis=-1, keepdims=True)
    probabilities = powers / sums
    columns = [ALPHABET.index(character) for character in SHOWN]
    return probabilities[:, columns]
