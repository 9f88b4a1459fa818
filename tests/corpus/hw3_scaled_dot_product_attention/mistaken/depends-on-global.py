"""loses: scaled_dot_product_attention_weights"""
import numpy as np

Q = np.array([[2.0, 0, 0, 0], [0, 2.0, 0, 0]])
K = np.log([[1, 4, 1, 1], [3, 1, 1, 1], [4, 5, 1, 1]])
V = np.array([[8, 10], [16, 0], [0, 20]])
d_k = Q.shape[1]


def softmax(x):
    exps = np.exp(x - np.max(x, axis=-1, keepdims=True))
    return exps / np.sum(exps, axis=-1, keepdims=True)


def scaled_dot_product_attention(Q, K, V):
    attention_weights = softmax(Q @ K.T / np.sqrt(d_k))
    return attention_weights, attention_weights @ V


print(scaled_dot_product_attention(Q, K, V))
