"""The worked example of hw10: its published cases, and what a trained model expects after each beginning."""

import numpy as np

from autograder.authoring import Matrix
from autograder.course import FunctionCall

ALPHABET = ".abcdefghijklmnopqrstuvwxyz"
NAME = "selina"
SHOWN = ".aeilmnors"
BEGINNINGS = ("(begin)", "s", "se", "sel", "seli", "selin", "selina")


def example(reference):
    inputs, targets = reference.published("encode_names/two-names")
    yield Matrix("inputs", inputs, "inputs", ("ada", "bo"), decimals=0)
    yield Matrix("targets", targets, "targets", ("ada", "bo"), decimals=0)

    loss, gradient = reference.published("cross_entropy/odds")
    yield Matrix("loss", np.reshape(loss, (1, 1)), decimals=3)
    yield Matrix("gradient", gradient[0], "gradient", decimals=4)

    case = reference.case("softmax_backward/two-rows")
    weights, grad_weights = case.call.args
    yield Matrix("w", weights, "weights", decimals=2)
    yield Matrix("g", grad_weights, "grad_weights", decimals=0)
    backward = reference.published("softmax_backward/two-rows")
    yield Matrix("backward", backward, "gradient of the scores", decimals=2)

    case = reference.case("causal_block/three-characters")
    X, W_q, W_k, W_v, W_1, W_2 = case.call.args
    weights, attended, output = reference.published("causal_block/three-characters")
    yield Matrix("X", X[0], "X", decimals=0)
    yield Matrix("W_q", W_q, "W_q", decimals=0)
    yield Matrix("W_k", W_k, "W_k", decimals=0)
    yield Matrix("W_v", W_v, "W_v", decimals=0)
    yield Matrix("W_1", W_1, "W_1", decimals=0)
    yield Matrix("W_2", W_2, "W_2", decimals=0)
    yield Matrix("attention", weights[0], "attention weights", decimals=3)
    yield Matrix("attended", attended[0], "attended", decimals=2)
    yield Matrix("output", output[0], "output", decimals=2)

    chosen = reference.published("sample/squares")
    yield Matrix("chosen", np.reshape(chosen, (1, 4)), "ids", decimals=0)
    yield Matrix("next", _expected_next(reference), rows=BEGINNINGS, columns=SHOWN)


def _expected_next(reference):
    """Train a model as the notebook does, and return its probabilities after each beginning of a name."""
    names = reference(FunctionCall("known_names", ()))
    inputs, targets = reference(FunctionCall("encode_names", (names, ALPHABET)))
    start = reference(FunctionCall("new_parameters", (len(ALPHABET), inputs.shape[1])))
    batches = reference(FunctionCall("draw_batches", (len(names),)))
    learned = reference(FunctionCall("train", (start, inputs, targets, batches, 0.5)))
    ids, _ = reference(FunctionCall("encode_names", ([NAME], ALPHABET)))
    logits = reference(FunctionCall("predict", (learned, ids)))
    powers = np.exp(logits[0] - logits[0].max(axis=-1, keepdims=True))
    probabilities = powers / powers.sum(axis=-1, keepdims=True)
    columns = [ALPHABET.index(character) for character in SHOWN]
    return probabilities[:, columns]
