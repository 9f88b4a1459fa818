from __future__ import annotations

import math

import numpy as np
import torch
from numpy.typing import NDArray

FloatArray = NDArray[np.float64]


def project_qkv(
    embeddings: FloatArray, query_w: FloatArray, key_w: FloatArray, value_w: FloatArray
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Project the embeddings three times."""
    queries, keys, values = (embeddings @ w for w in (query_w, key_w, value_w))
    return queries, keys, values


def _row_softmax(logits: FloatArray, axis: int = -1) -> FloatArray:
    shifted = logits - logits.max(axis=axis, keepdims=True)
    np.exp(shifted, out=shifted)
    shifted /= shifted.sum(axis=axis, keepdims=True)
    return shifted


def self_attention_numpy(
    embeddings: FloatArray, query_w: FloatArray, key_w: FloatArray, value_w: FloatArray
) -> tuple[FloatArray, FloatArray]:
    queries, keys, values = project_qkv(embeddings, query_w, key_w, value_w)
    probabilities = _row_softmax(queries @ keys.swapaxes(-1, -2) / math.sqrt(queries.shape[-1]))
    return probabilities, probabilities @ values


def self_attention_torch(
    embeddings: torch.Tensor, query_w: torch.Tensor, key_w: torch.Tensor, value_w: torch.Tensor
) -> torch.Tensor:
    queries, keys, values = embeddings @ query_w, embeddings @ key_w, embeddings @ value_w
    logits = queries.mm(keys.mT).mul(1 / math.sqrt(keys.shape[-1]))
    return torch.nn.functional.softmax(logits, dim=-1).mm(values)


if __name__ == "__main__":
    data = np.load("my_embeddings.npy")
    print(self_attention_numpy(data, *weights))
