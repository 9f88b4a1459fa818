"""loses: scaled_dot_product_attention_published, scaled_dot_product_attention_weights"""
import numpy as np


def softmax(x):
    z = x - x.max(axis=1, keepdims=True)
    return np.exp(z) / np.exp(z).sum(axis=1, keepdims=True)


def attention_weights(Q, K):
    return softmax(Q @ K.T / np.sqrt(K.shape[1]))


def scaled_dot_product_attention(Q, K, V):
    weights = attention_weights(Q, K)
    weights = softmax(weights)
    return weights, weights @ V
