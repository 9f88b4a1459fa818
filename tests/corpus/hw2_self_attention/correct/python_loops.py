import math

import numpy as np
import torch


def dot(a, b):
    total = 0.0
    for x, y in zip(a, b):
        total += x * y
    return total


def multiply(A, B):
    rows, cols = len(A), len(B[0])
    result = [[0.0] * cols for _ in range(rows)]
    for i in range(rows):
        for j in range(cols):
            result[i][j] = dot(A[i], [B[r][j] for r in range(len(B))])
    return result


def softmax_row(row):
    biggest = max(row)
    exps = [math.exp(s - biggest) for s in row]
    total = sum(exps)
    return [e / total for e in exps]


def project_qkv(X, W_q, W_k, W_v):
    return np.array(multiply(X, W_q)), np.array(multiply(X, W_k)), np.array(multiply(X, W_v))


def self_attention_numpy(X, W_q, W_k, W_v):
    Q, K, V = project_qkv(X, W_q, W_k, W_v)
    weights = []
    for q in Q:
        row = []
        for k in K:
            row.append(dot(q, k) / math.sqrt(len(k)))
        weights.append(softmax_row(row))
    return np.array(weights), np.array(multiply(weights, V))


def self_attention_torch(X, W_q, W_k, W_v):
    outputs = []
    keys, values = X @ W_k, X @ W_v
    for token in X:
        query = token @ W_q
        scores = torch.stack([torch.dot(query, key) for key in keys]) / math.sqrt(keys.shape[1])
        attention = torch.softmax(scores, dim=0)
        context = torch.zeros(values.shape[1])
        for weight, value in zip(attention, values):
            context = context + weight * value
        outputs.append(context)
    return torch.stack(outputs)
