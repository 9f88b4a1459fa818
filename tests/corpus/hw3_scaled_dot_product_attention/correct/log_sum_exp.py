import numpy as np


def logsumexp(x):
    top = np.amax(x, axis=-1, keepdims=True)
    return top + np.log(np.sum(np.exp(x - top), axis=-1, keepdims=True))


def softmax(x):
    return np.exp(x - logsumexp(x))


def scaled_dot_product_attention(Q, K, V):
    d_k = K.shape[1]
    scores = np.matmul(Q, np.transpose(K))
    attention_weights = softmax(np.divide(scores, np.sqrt(d_k)))
    context_vector = np.matmul(attention_weights, V)
    return attention_weights, context_vector
