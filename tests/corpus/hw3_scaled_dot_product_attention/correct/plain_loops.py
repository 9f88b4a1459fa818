import math
import numpy as np


def softmax(x):
    out = []
    for row in x:
        m = max(row)
        exps = [math.exp(v - m) for v in row]
        s = sum(exps)
        out.append([v / s for v in exps])
    return np.array(out)


def scaled_dot_product_attention(Q, K, V):
    n_q, n_k = len(Q), len(K)
    d_k, d_v = len(K[0]), len(V[0])
    scores = np.zeros((n_q, n_k))
    for i in range(n_q):
        for j in range(n_k):
            for t in range(d_k):
                scores[i][j] += Q[i][t] * K[j][t]
            scores[i][j] = scores[i][j] / math.sqrt(d_k)
    weights = softmax(scores)
    context = np.zeros((n_q, d_v))
    for i in range(n_q):
        for j in range(n_k):
            for t in range(d_v):
                context[i][t] += weights[i][j] * V[j][t]
    return weights, context
