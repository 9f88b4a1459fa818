import numpy as np
import torch
import torch.nn.functional as F

# three words with embeddings of length 4
X = np.array([[0.2, 0.8, 0.5, 0.1], [0.9, 0.4, 0.7, 0.3], [0.5, 0.1, 0.2, 0.9]])
dim = X.shape[1]


def project_qkv(X, W_q, W_k, W_v):
    Q = np.dot(X, W_q)
    K = np.dot(X, W_k)
    V = np.dot(X, W_v)
    return Q, K, V


def softmax(x):
    e = np.exp(x - np.max(x, axis=-1, keepdims=True))
    return e / np.sum(e, axis=-1, keepdims=True)


def self_attention_numpy(X, W_q, W_k, W_v):
    Q, K, V = project_qkv(X, W_q, W_k, W_v)
    attention_scores = np.dot(Q, K.T)
    attention_scores /= np.sqrt(W_k.shape[1])
    attention_weights = softmax(attention_scores)
    return attention_weights, np.dot(attention_weights, V)


def self_attention_torch(X, W_q, W_k, W_v):
    Q = X @ W_q
    K = X @ W_k
    V = X @ W_v
    d_k = W_k.shape[1]
    scores = (Q @ K.T) / torch.sqrt(torch.tensor(d_k, dtype=torch.float32))
    return F.softmax(scores, dim=-1) @ V


W_q, W_k, W_v = np.random.rand(dim, dim), np.random.rand(dim, dim), np.random.rand(dim, dim)
weights, output = self_attention_numpy(X, W_q, W_k, W_v)
print("Attention Weights:\n", weights)
print("Final Attention Output:\n", output)
