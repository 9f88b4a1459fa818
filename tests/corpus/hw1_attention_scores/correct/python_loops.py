import math


def qk_scores(Q, K):
    return [[sum(a * b for a, b in zip(q, k)) for k in K] for q in Q]


def scale_scores(scores, d_k):
    root = math.sqrt(d_k)
    return [[s / root for s in row] for row in scores]


def softmax(x):
    rows = []
    for row in x:
        highest = max(row)
        powers = [math.exp(value - highest) for value in row]
        rows.append([p / sum(powers) for p in powers])
    return rows


def attention_output(attention_weights, V):
    result = []
    for row in attention_weights:
        mixed = [0.0] * len(V[0])
        for weight, value in zip(row, V):
            mixed = [m + weight * v for m, v in zip(mixed, value)]
        result.append(mixed)
    return result


def attention_flow(Q, K, V):
    scores = qk_scores(Q, K)
    scaled = scale_scores(scores, len(K[0]))
    weights = softmax(scaled)
    return [scores, scaled, weights, attention_output(weights, V)]
