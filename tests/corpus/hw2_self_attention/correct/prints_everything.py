import numpy as np
import torch
import torch.nn.functional as F
import matplotlib.pyplot as plt

print("numpy", np.__version__, "torch", torch.__version__)


def project_qkv(X, W_q, W_k, W_v):
    print("X", X.shape)
    Q = X @ W_q; print("Q =", Q)
    K = X @ W_k; print("K =", K)
    V = X @ W_v; print("V =", V)
    return Q, K, V


def self_attention_numpy(X, W_q, W_k, W_v):
    Q, K, V = project_qkv(X, W_q, W_k, W_v)
    scores = np.matmul(Q, K.T) / np.sqrt(Q.shape[1])
    print("scores", scores)
    scores_stable = scores - np.max(scores, axis=1, keepdims=True)
    weights = np.exp(scores_stable) / np.sum(np.exp(scores_stable), axis=1, keepdims=True)
    print("weights", weights, "sums", weights.sum(axis=1))
    assert np.allclose(weights.sum(axis=1), 1)
    plt.imshow(weights, cmap="viridis")
    plt.colorbar()
    plt.show()
    out = np.matmul(weights, V)
    print("output", out)
    return weights, out


def self_attention_torch(X, W_q, W_k, W_v):
    Q, K, V = project_qkv(X, W_q, W_k, W_v)
    weights = F.softmax(Q @ K.transpose(-2, -1) / np.sqrt(Q.shape[1]), dim=-1)
    print(weights)
    return weights @ V
