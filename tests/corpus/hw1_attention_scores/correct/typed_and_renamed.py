from __future__ import annotations

import numpy as np
import numpy.typing as npt

Matrix = npt.NDArray[np.floating]


def qk_scores(queries: Matrix, keys: Matrix) -> Matrix:
    return queries @ keys.transpose()


def scale_scores(raw: Matrix, key_dimension: int) -> Matrix:
    return raw / np.sqrt(key_dimension)


def softmax(logits: Matrix, axis: int = -1) -> Matrix:
    shifted = logits - np.amax(logits, axis=axis, keepdims=True)
    e: Matrix = np.exp(shifted)
    return e / np.sum(e, axis=axis, keepdims=True)


def attention_output(probabilities: Matrix, values: Matrix) -> Matrix:
    return probabilities @ values


def attention_flow(queries: Matrix, keys: Matrix, values: Matrix) -> tuple[Matrix, ...]:
    raw = qk_scores(queries, keys)
    scaled = scale_scores(raw, keys.shape[-1])
    probabilities = softmax(scaled)
    return raw, scaled, probabilities, attention_output(probabilities, values)


if __name__ == "__main__":
    print(attention_flow(*load_tokens("me against the")))
