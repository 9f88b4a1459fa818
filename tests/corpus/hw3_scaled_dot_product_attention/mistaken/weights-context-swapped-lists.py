"""loses: scaled_dot_product_attention_published, scaled_dot_product_attention_context, scaled_dot_product_attention_unchanged"""
import math

import numpy as np


def softmax(x):
    table = []
    for row in np.asarray(x).tolist():
        top = max(row)
        powers = [math.exp(entry - top) for entry in row]
        table.append([one / sum(powers) for one in powers])
    return np.array(table)


def scaled_dot_product_attention(Q, K, V):
    # exchanged, and a context that leaves the last key out: the second fault costs as it always does
    scores = [[sum(a * b for a, b in zip(q, k)) / math.sqrt(len(k)) for k in K] for q in Q]
    weights = softmax(scores)
    context = [[sum(w * v[j] for w, v in zip(row[:-1], V)) for j in range(V.shape[1])] for row in weights]
    return [context, weights.tolist()]
