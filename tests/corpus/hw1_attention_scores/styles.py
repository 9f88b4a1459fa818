"""Right answers to hw1 in other styles."""

import math

import numpy as np
import numpy.typing as npt
import torch
from matplotlib import pyplot as plt


class submission__einsum:
    def qk_scores(Q, K):
        return np.einsum("ik,jk->ij", Q, K)

    def scale_scores(scores, d_k):
        return np.einsum("ij,->ij", scores, d_k ** -0.5)

    def softmax(x):
        e = np.exp(x - np.max(x, -1, keepdims=True))
        return np.einsum("ij,i->ij", e, 1 / e.sum(-1))

    def attention_output(attention_weights, V):
        return np.einsum("ij,jv->iv", attention_weights, V)

    def attention_flow(Q, K, V):
        s = qk_scores(Q, K)
        z = scale_scores(s, K.shape[1])
        a = softmax(z)
        return s, z, a, attention_output(a, V)


class submission__log_sum_exp:
    def qk_scores(Q, K):
        return np.inner(Q, K)

    def scale_scores(scores, d_k):
        return np.multiply(scores, 1.0 / np.sqrt(d_k))

    def softmax(x):
        top = x.max(axis=1).reshape(len(x), 1)
        log_total = top + np.log(np.exp(x - top).sum(axis=1, keepdims=True))
        return np.exp(x - log_total)

    def attention_output(attention_weights, V):
        return np.tensordot(attention_weights, V, axes=1)

    def attention_flow(Q, K, V):
        steps = [qk_scores(Q, K)]
        steps.append(scale_scores(steps[-1], np.shape(K)[1]))
        steps.append(softmax(steps[-1]))
        steps.append(attention_output(steps[-1], V))
        return tuple(steps)


class submission__prints_everything:
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


class submission__python_loops:
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


class submission__single_precision:
    def f(a):
        return np.array(a, dtype=np.float32)

    def qk_scores(Q, K):
        return f(Q) @ f(K).T

    def scale_scores(scores, d_k):
        return f(scores) / np.float32(d_k) ** np.float32(0.5)

    def softmax(x):
        x = f(x)
        x -= x.max(axis=-1, keepdims=True)
        np.exp(x, out=x)
        x /= x.sum(axis=-1, keepdims=True)
        return x

    def attention_output(attention_weights, V):
        return f(attention_weights) @ f(V)

    def attention_flow(Q, K, V):
        scores = qk_scores(Q, K)
        scaled = scale_scores(scores, K.shape[1])
        weights = softmax(scaled)
        return scores, scaled, weights, attention_output(weights, V)


class submission__step_class:
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


class submission__transposed_views:
    def qk_scores(Q, K):
        return (K @ Q.T).T

    def scale_scores(scores, d_k):
        return (scores.T / np.sqrt(d_k)).T

    def softmax(x):
        columns = x.T - x.T.max(axis=0)
        columns = np.exp(columns)
        return (columns / columns.sum(axis=0)).T

    def attention_output(attention_weights, V):
        return np.asfortranarray(attention_weights @ V)

    def attention_flow(Q, K, V):
        scores = qk_scores(Q, K)
        scaled_scores = scale_scores(scores, K.shape[-1])
        attention_weights = softmax(scaled_scores)
        return scores, scaled_scores, attention_weights, (V.T @ attention_weights.T).T


class submission__typed_and_renamed:
    Matrix = npt.NDArray[np.floating]

    def qk_scores(queries: Matrix, keys: Matrix) -> Matrix:
        return queries @ keys.transpose()

    def scale_scores(raw: Matrix, key_dimension: int) -> Matrix:
        return raw / np.sqrt(key_dimension)

    def softmax(logits: Matrix, axis: int = -1) -> Matrix:
        shifted = logits - np.amax(logits, axis=axis, keepdims=True)
        e: Matrix = np.exp(shifted)
        return e / np.sum(e, axis=axis, keepdims=True)

    def attention_output(probabilities: Matrix, values: Matrix) -> Matrix:
        return probabilities @ values

    def attention_flow(queries: Matrix, keys: Matrix, values: Matrix) -> tuple[Matrix, ...]:
        raw = qk_scores(queries, keys)
        scaled = scale_scores(raw, keys.shape[-1])
        probabilities = softmax(scaled)
        return raw, scaled, probabilities, attention_output(probabilities, values)


class submission__with_torch:
    T = lambda a: torch.tensor(np.asarray(a), dtype=torch.float64)

    def qk_scores(Q, K):
        return torch.matmul(T(Q), T(K).t())

    def scale_scores(scores, d_k):
        return T(scores) / d_k ** 0.5

    def softmax(x):
        return torch.nn.functional.softmax(T(x), dim=-1)

    def attention_output(attention_weights, V):
        return (T(attention_weights) @ T(V)).numpy()

    def attention_flow(Q, K, V):
        a = qk_scores(Q, K)
        b = scale_scores(a, Q.shape[1])
        c = softmax(b)
        return a.numpy(), b.numpy(), c.numpy(), attention_output(c, V)


class submission__type_of_both_arguments:
    def qk_scores(Q, K):
        scores = np.zeros((len(Q), len(K)), dtype=np.result_type(Q, K))
        for i, query in enumerate(Q):
            for j, key in enumerate(K):
                scores[i, j] = query @ key
        return scores

    def scale_scores(scores, d_k):
        scaled = scores.astype(float)
        scaled /= np.sqrt(d_k)
        return scaled

    def softmax(x):
        weights = np.zeros_like(x, dtype=float)
        for i, row in enumerate(x):
            weights[i] = np.exp(row - row.max())
            weights[i] /= weights[i].sum()
        return weights

    def attention_output(attention_weights, V):
        output = np.zeros_like(V, shape=(len(attention_weights), V.shape[1]), dtype=attention_weights.dtype)
        for i, row in enumerate(attention_weights):
            output[i] += row @ V
        return output

    def attention_flow(Q, K, V):
        scores = qk_scores(Q, K)
        scaled = scale_scores(scores, K.shape[1])
        weights = softmax(scaled)
        return scores, scaled, weights, attention_output(weights, V)
