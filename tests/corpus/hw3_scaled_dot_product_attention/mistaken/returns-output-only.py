"""loses: scaled_dot_product_attention_published"""
import numpy as np


def softmax(x):
    z = x - x.max(1, keepdims=True)
    e = np.exp(z)
    return e / e.sum(1, keepdims=True)


class Attention:
    def __init__(self, K, V):
        self.K, self.V = K, V

    def __call__(self, Q):
        self.weights = softmax(Q.dot(self.K.T) / np.sqrt(self.K.shape[1]))
        return self.weights.dot(self.V)


def scaled_dot_product_attention(Q, K, V):
    return Attention(K, V)(Q)
