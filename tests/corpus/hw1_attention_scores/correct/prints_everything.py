import numpy as np
from matplotlib import pyplot as plt


def show(name, value):
    print("=" * 30)
    print(name, value.shape)
    print(value)
    return value


def qk_scores(Q, K):
    show("Q", Q)
    show("K", K)
    return show("scores", Q @ K.T)


def scale_scores(scores, d_k):
    return show("scaled", scores / (d_k ** 0.5))


def softmax(x):
    e = np.exp(x - x.max(axis=-1, keepdims=True))
    w = e / e.sum(axis=-1, keepdims=True)
    plt.figure(figsize=(4, 4)); plt.matshow(w); plt.show()
    return show("weights", w)


def attention_output(attention_weights, V):
    return show("output", attention_weights @ V)


def attention_flow(Q, K, V):
    scores = qk_scores(Q, K)
    scaled = scale_scores(scores, K.shape[1])
    weights = softmax(scaled)
    return scores, scaled, weights, attention_output(weights, V)
