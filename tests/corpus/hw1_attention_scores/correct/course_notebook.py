import numpy as np


def qk_scores(Q, K):
    K_transpose = K.T
    return np.dot(Q, K_transpose)


def scale_scores(scores, d_k):
    return scores / np.sqrt(d_k)


def softmax(x):
    exp_scores = np.exp(x - np.max(x, axis=1, keepdims=True))
    return exp_scores / np.sum(exp_scores, axis=1, keepdims=True)


def attention_output(attention_weights, V):
    return np.matmul(attention_weights, V)


def attention_flow(Q, K, V):
    scores = qk_scores(Q, K)
    scaled = scale_scores(scores, Q.shape[1])
    weights = softmax(scaled)
    output = attention_output(weights, V)
    print("Scores shape:", scores.shape)
    print("weights", weights.round(3))
    return scores, scaled, weights, output


Q = np.array([[1, 2, 3], [1, 2, 1]])
K = np.array([[1, 2, 1], [2, 1, 3]])
print("QK^T =\n", qk_scores(Q, K))
np.random.seed(42)
V = np.random.randn(3, 64)
W = np.array([[0.7, 0.2, 0.1], [0.3, 0.5, 0.2], [0.1, 0.3, 0.6]])
print(attention_output(W, V)[:, :10].round(2))
