"""loses: scaled_dot_product_attention_published, scaled_dot_product_attention_weights,
scaled_dot_product_attention_context, scaled_dot_product_attention_unchanged"""
import numpy as np


def softmax(x):
    e = np.exp(x - np.max(x, axis=-1, keepdims=True))
    return e / np.sum(e, axis=-1, keepdims=True)


def scaled_dot_product_attention(Q, K, V):
    batch, n_q, d_k = Q.shape
    scores = np.zeros((batch, n_q, K.shape[1]))
    for b in range(batch):
        scores[b] = Q[b] @ K[b].T
    attention_weights = softmax(scores / np.sqrt(d_k))
    context_vector = np.einsum("bqk,bkv->bqv", attention_weights, V)
    return attention_weights, context_vector
