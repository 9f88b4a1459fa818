"""All steps in a class; the functions of the assignment call it."""
import numpy as np


class Steps:
    eps = 0.0

    def scores(self, Q, K):
        rows = [K.dot(q) for q in Q]
        return np.array(rows)

    def scale(self, scores, dim):
        return scores / dim ** 0.5

    def weights(self, scaled):
        out = np.empty(scaled.shape)
        for i, row in enumerate(scaled):
            powers = np.exp(row - np.max(row))
            out[i] = powers / (np.sum(powers) + self.eps)
        return out

    def mix(self, weights, V):
        return np.vstack([np.sum(row[:, None] * V, axis=0) for row in weights])


steps = Steps()


def qk_scores(Q, K):
    return steps.scores(Q, K)


def scale_scores(scores, d_k):
    return steps.scale(scores, d_k)


def softmax(x):
    return steps.weights(x)


def attention_output(attention_weights, V):
    return steps.mix(attention_weights, V)


def attention_flow(Q, K, V):
    s = steps.scores(Q, K)
    z = steps.scale(s, K.shape[1])
    a = steps.weights(z)
    return s, z, a, steps.mix(a, V)
