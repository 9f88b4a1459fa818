import numpy as np


def softmax(x):
    """row-wise softmax"""
    shifted = x - np.max(x, axis=-1, keepdims=True)
    numerator = np.exp(shifted)
    return numerator / np.sum(numerator, axis=-1, keepdims=True)


def scaled_dot_product_attention(Q, K, V):
    """
    Q, K, V: arrays (seq_len, d_k)
    gives attention weights (seq_len, seq_len) and context (seq_len, d_k)
    """
    d_k = Q.shape[-1]
    raw = np.dot(Q, K.T)
    scaled = raw / np.sqrt(d_k)
    attention_weights = softmax(scaled)
    context_vector = np.dot(attention_weights, V)
    return attention_weights, context_vector


# try it
if __name__ == "__main__":
    Q, K, V = (np.random.rand(4, 8) for _ in range(3))
    w, c = scaled_dot_product_attention(Q, K, V)
    print("weights:\n", w)
    print("context:\n", c)
