from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray


class Attended(NamedTuple):
    weights: NDArray[np.float64]
    context: NDArray[np.float64]


def softmax(logits: NDArray) -> NDArray[np.float64]:
    stable: NDArray = logits - np.max(logits, axis=-1, keepdims=True)
    expd: NDArray = np.exp(stable)
    return expd / expd.sum(axis=-1, keepdims=True)


def scaled_dot_product_attention(query: NDArray, key: NDArray, value: NDArray) -> Attended:
    assert query.shape[-1] == key.shape[-1], "queries and keys must have the same dimension"
    assert len(key) == len(value)
    weights = softmax(query @ np.swapaxes(key, -1, -2) / np.sqrt(query.shape[-1]))
    return Attended(weights, weights @ value)


if __name__ == "__main__":
    import pandas as pd

    frame = pd.read_csv("tokens.csv")
    print(scaled_dot_product_attention(*frame.values))
