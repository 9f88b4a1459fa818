def softmax(x):
    from math import exp
    result = []
    for row in x.tolist():
        top = max(row)
        e = [exp(v - top) for v in row]
        result.append([v / sum(e) for v in e])
    return result


def scaled_dot_product_attention(Q, K, V):
    scale = len(K[0]) ** -0.5
    weights = softmax((Q @ K.T) * scale)
    context = [[sum(w * v for w, v in zip(row, column)) for column in V.T] for row in weights]
    return [weights, context]
