"""Right answers to hw4 in other styles."""

import math
from math import exp, sqrt

import numpy as np
import torch


class submission__einsum:
    def softmax(items):
        z = np.exp(np.subtract(items, np.max(items)))
        return np.divide(z, np.sum(z))

    def _outputs(tokens, weights, biases, divisor):
        """tokens (D, N); weights and biases in the order value, query, key."""
        v, q, k = (np.einsum("ed,dn->en", w, tokens) + b for w, b in zip(weights, biases))
        scores = np.einsum("dm,dn->mn", k, q) / divisor
        attention = np.empty_like(scores)
        for n in range(scores.shape[1]):
            attention[:, n] = softmax(scores[:, n])
        return np.einsum("dm,mn->dn", v, attention)

    def self_attention(X, omega_v, omega_q, omega_k, beta_v, beta_q, beta_k):
        return _outputs(X, (omega_v, omega_q, omega_k), (beta_v, beta_q, beta_k), 1)

    def scaled_dot_product_self_attention(X, omega_v, omega_q, omega_k, beta_v, beta_q, beta_k):
        return _outputs(X, (omega_v, omega_q, omega_k), (beta_v, beta_q, beta_k), len(X) ** 0.5)

    def self_attention_per_token(all_x, omega_v, omega_q, omega_k, beta_v, beta_q, beta_k):
        out = []
        for x in all_x:
            q = np.einsum("ed,dn->en", omega_q, x) + beta_q
            scores = [np.einsum("dn,dn->", omega_k @ y + beta_k, q) for y in all_x]
            a = softmax(scores)
            out.append(np.einsum("m,mdn->dn", a, np.stack([omega_v @ y + beta_v for y in all_x])))
        return out


class submission__float32_inside:
    def softmax(items):
        items = np.asarray(items).astype(np.float32)
        items = items - items.max()
        return np.exp(items) / np.exp(items).sum()

    def _single(*arrays):
        return [np.asarray(a, dtype=np.float32) for a in arrays]

    def self_attention_per_token(all_x, omega_v, omega_q, omega_k, beta_v, beta_q, beta_k):
        wv, wq, wk, bv, bq, bk = _single(omega_v, omega_q, omega_k, beta_v, beta_q, beta_k)
        xs = _single(*all_x)
        ks, vs = [wk @ x + bk for x in xs], [wv @ x + bv for x in xs]
        outputs = []
        for x in xs:
            q = wq @ x + bq
            a = softmax(np.concatenate([(k * q).sum(keepdims=True).ravel() for k in ks]))
            outputs.append(sum(a_m * v for a_m, v in zip(a, vs)))
        return outputs

    def self_attention(X, omega_v, omega_q, omega_k, beta_v, beta_q, beta_k):
        X, wv, wq, wk, bv, bq, bk = _single(X, omega_v, omega_q, omega_k, beta_v, beta_q, beta_k)
        scores = (wk @ X + bk).T @ (wq @ X + bq)
        return (wv @ X + bv) @ np.apply_along_axis(softmax, 0, scores)

    def scaled_dot_product_self_attention(X, omega_v, omega_q, omega_k, beta_v, beta_q, beta_k):
        X, wv, wq, wk, bv, bq, bk = _single(X, omega_v, omega_q, omega_k, beta_v, beta_q, beta_k)
        scores = (wk @ X + bk).T @ (wq @ X + bq) / np.float32(np.sqrt(X.shape[0]))
        return (wv @ X + bv) @ np.apply_along_axis(softmax, 0, scores)


class submission__helper_class:
    class Attention:
        """Holds one layer's parameters."""

        def __init__(self, value, query, key):
            self.value, self.query, self.key = value, query, key

        @staticmethod
        def linear(parameters, x):
            omega, beta = parameters
            return omega @ x + beta

        def weights(self, queries, keys, scaled):
            scores = keys.T @ queries
            if scaled:
                scores = scores / np.sqrt(keys.shape[0])
            return np.column_stack([softmax(column) for column in scores.T])

        def __call__(self, x, scaled=False):
            q, k, v = (self.linear(p, x) for p in (self.query, self.key, self.value))
            return v @ self.weights(q, k, scaled)

        def one(self, x, everything):
            q = self.linear(self.query, x)
            k = np.hstack([self.linear(self.key, y) for y in everything])
            v = np.hstack([self.linear(self.value, y) for y in everything])
            return v @ self.weights(q, k, scaled=False)

    def softmax(items):
        items = np.asarray(items, dtype=float)
        powers = np.exp(items - items.max())
        return powers / powers.sum()

    def _layer(omega_v, omega_q, omega_k, beta_v, beta_q, beta_k):
        return Attention((omega_v, beta_v), (omega_q, beta_q), (omega_k, beta_k))

    def self_attention_per_token(all_x, *parameters):
        layer = _layer(*parameters)
        return [layer.one(x, all_x) for x in all_x]

    def self_attention(X, *parameters):
        return _layer(*parameters)(X)

    def scaled_dot_product_self_attention(X, *parameters):
        return _layer(*parameters)(X, scaled=True)


class submission__log_sum_exp:
    def log_softmax(scores, axis):
        biggest = scores.max(axis=axis, keepdims=True)
        return scores - biggest - np.log(np.exp(scores - biggest).sum(axis=axis, keepdims=True))

    def softmax(items):
        return np.exp(log_softmax(np.asarray(items, dtype=float), axis=0))

    def self_attention_per_token(all_x, omega_v, omega_q, omega_k, beta_v, beta_q, beta_k):
        K = np.hstack([omega_k @ x + beta_k for x in all_x])
        V = np.hstack([omega_v @ x + beta_v for x in all_x])
        return [V @ np.exp(log_softmax(K.T @ (omega_q @ x + beta_q), axis=0)) for x in all_x]

    def self_attention(X, omega_v, omega_q, omega_k, beta_v, beta_q, beta_k, temperature=1.0):
        Q, K, V = omega_q @ X + beta_q, omega_k @ X + beta_k, omega_v @ X + beta_v
        return V @ np.exp(log_softmax(K.T @ Q / temperature, axis=0))

    def scaled_dot_product_self_attention(X, omega_v, omega_q, omega_k, beta_v, beta_q, beta_k):
        return self_attention(
            X, omega_v, omega_q, omega_k, beta_v, beta_q, beta_k, temperature=np.sqrt(omega_q.shape[0])
        )


class submission__no_key_bias:
    def softmax(items):
        e = np.exp(np.array(items, dtype=float) - np.max(items))
        return e / e.sum()

    def self_attention_per_token(all_x, omega_v, omega_q, omega_k, beta_v, beta_q, beta_k):
        X = np.hstack(all_x)
        return [
            (omega_v @ X + beta_v) @ softmax(((omega_k @ X).T @ (omega_q @ x + beta_q))[:, 0])[:, None]
            for x in all_x
        ]

    def self_attention(X, omega_v, omega_q, omega_k, beta_v, beta_q, beta_k):
        scores = (omega_k @ X).T @ (omega_q @ X + beta_q)
        return (omega_v @ X + beta_v) @ np.apply_along_axis(softmax, 0, scores)

    def scaled_dot_product_self_attention(X, omega_v, omega_q, omega_k, beta_v, beta_q, beta_k):
        scores = (omega_k @ X).T @ (omega_q @ X + beta_q) / np.sqrt(len(X))
        return (omega_v @ X + beta_v) @ np.apply_along_axis(softmax, 0, scores)


class submission__plain_python_loops:
    def softmax(items):
        biggest = max(items)
        exps = []
        for item in items:
            exps.append(math.exp(item - biggest))
        total = 0
        for e in exps:
            total = total + e
        weights = np.zeros(len(items))
        for i in range(len(items)):
            weights[i] = exps[i] / total
        return weights

    def dot(a, b):
        total = 0
        for i in range(len(a)):
            total = total + a[i] * b[i]
        return total

    def self_attention_per_token(all_x, omega_v, omega_q, omega_k, beta_v, beta_q, beta_k):
        N = len(all_x)
        q_list = []
        k_list = []
        v_list = []
        for n in range(N):
            q = omega_q.dot(all_x[n]) + beta_q
            k = omega_k.dot(all_x[n]) + beta_k
            v = omega_v.dot(all_x[n]) + beta_v
            q_list.append(q)
            k_list.append(k)
            v_list.append(v)
        all_x_prime = []
        for n in range(N):
            scores = []
            for m in range(N):
                scores.append(dot(k_list[m][:, 0], q_list[n][:, 0]))
            attention = softmax(scores)
            out = 0
            for m in range(N):
                out = out + attention[m] * v_list[m]
            all_x_prime.append(out)
        return all_x_prime

    def self_attention(X, omega_v, omega_q, omega_k, beta_v, beta_q, beta_k):
        D = X.shape[0]
        N = X.shape[1]
        Q = omega_q.dot(X) + beta_q
        K = omega_k.dot(X) + beta_k
        V = omega_v.dot(X) + beta_v
        X_prime = np.zeros((D, N))
        for n in range(N):
            scores = []
            for m in range(N):
                scores.append(dot(K[:, m], Q[:, n]))
            attention = softmax(scores)
            for m in range(N):
                X_prime[:, n] = X_prime[:, n] + attention[m] * V[:, m]
        return X_prime

    def scaled_dot_product_self_attention(X, omega_v, omega_q, omega_k, beta_v, beta_q, beta_k):
        D = X.shape[0]
        N = X.shape[1]
        Q = omega_q.dot(X) + beta_q
        K = omega_k.dot(X) + beta_k
        V = omega_v.dot(X) + beta_v
        out = np.zeros((D, N))
        for n in range(N):
            scores = []
            for m in range(N):
                scores.append(dot(K[:, m], Q[:, n]) / math.sqrt(D))
            attention = softmax(scores)
            for m in range(N):
                out[:, n] = out[:, n] + attention[m] * V[:, m]
        return out


class submission__queries_in_rows:
    def softmax(items):
        # shift first, exp() must not overflow
        shifted = np.asarray(items) - np.max(items)
        expItems = np.exp(shifted)
        return expItems / expItems.sum()

    def rowSoftmax(scores):
        # one query per row
        return np.array([softmax(row) for row in scores])

    def self_attention_per_token(all_x, omega_v, omega_q, omega_k, beta_v, beta_q, beta_k):
        allQ = [np.dot(omega_q, x) + beta_q for x in all_x]
        allK = [np.dot(omega_k, x) + beta_k for x in all_x]
        allV = [np.dot(omega_v, x) + beta_v for x in all_x]

        result = []
        for n in range(len(all_x)):
            dots = [np.vdot(allK[m], allQ[n]) for m in range(len(all_x))]
            w = softmax(dots)
            result.append(sum(w[m] * allV[m] for m in range(len(all_x))))
        return result

    def self_attention(X, omega_v, omega_q, omega_k, beta_v, beta_q, beta_k):
        # queries, keys and values stand in the columns
        queries = np.dot(omega_q, X) + beta_q
        keys = np.dot(omega_k, X) + beta_k
        values = np.dot(omega_v, X) + beta_v
        # (N, N), row = query
        dotProducts = np.dot(queries.T, keys)
        weights = rowSoftmax(dotProducts)
        # transpose, because row n belongs to query n
        return np.dot(values, weights.T)

    def scaled_dot_product_self_attention(X, omega_v, omega_q, omega_k, beta_v, beta_q, beta_k):
        queries = np.dot(omega_q, X) + beta_q
        keys = np.dot(omega_k, X) + beta_k
        values = np.dot(omega_v, X) + beta_v
        # divide by the root of the dimension
        dotProducts = np.dot(queries.T, keys) / np.sqrt(len(queries))
        weights = rowSoftmax(dotProducts)
        return np.dot(values, weights.T)


class submission__renamed_parameters:
    def softmax(x):
        y = np.exp(np.array(x) - max(x))
        return y / sum(y)

    def self_attention_per_token(inputs, W_value, W_query, W_key, b_value, b_query, b_key):
        ks = [W_key @ token + b_key for token in inputs]
        vs = [W_value @ token + b_value for token in inputs]
        results = []
        for token in inputs:
            q = W_query @ token + b_query
            mix = softmax([np.dot(k.ravel(), q.ravel()) for k in ks])
            results.append(np.tensordot(mix, np.array(vs), axes=1))
        return results

    def self_attention(inputs, W_value, W_query, W_key, b_value, b_query, b_key):
        key_side, query_side = W_key @ inputs + b_key, W_query @ inputs + b_query
        mix = np.apply_along_axis(softmax, axis=0, arr=key_side.T @ query_side)
        return (W_value @ inputs + b_value) @ mix

    def scaled_dot_product_self_attention(inputs, W_value, W_query, W_key, b_value, b_query, b_key):
        # scaling the queries scales the scores
        root = np.sqrt(inputs.shape[0])
        return self_attention(inputs, W_value, W_query / root, W_key, b_value, b_query / root, b_key)


class submission__scores_filled_in_place:
    def softmax(items):
        top = max(float(one) for one in items)
        powers = np.empty(len(items))
        for i, one in enumerate(items):
            powers[i] = exp(np.array([one - top]))
        return powers / math.fsum(powers)

    def weigh(queries, keys, root):
        N = keys.shape[1]
        table = np.zeros((N, N))
        for n in range(N):
            for i in range(N):
                k, q = keys[:, [i]], queries[:, [n]]
                table[i, n] = k.T @ q
                table[i, n] *= 1 / sqrt(np.atleast_2d(root))
        return np.column_stack([softmax(table[:, n]) for n in range(N)])

    def self_attention_per_token(all_x, omega_v, omega_q, omega_k, beta_v, beta_q, beta_k):
        outputs = []
        for x in all_x:
            q = np.dot(omega_q, x) + beta_q
            raw = list(map(float, [(np.dot(omega_k, y) + beta_k).T @ q for y in all_x]))
            output = np.zeros(x.size)
            for weight, y in zip(softmax(raw), all_x):
                value = np.dot(omega_v, y) + beta_v
                for d in range(x.size):
                    output[d] += weight * value[d]
            outputs.append(output.reshape(-1, 1))
        return outputs

    def self_attention(X, omega_v, omega_q, omega_k, beta_v, beta_q, beta_k, root=1):
        return (omega_v @ X + beta_v) @ weigh(omega_q @ X + beta_q, omega_k @ X + beta_k, root)

    def scaled_dot_product_self_attention(X, *parameters):
        return self_attention(X, *parameters, root=X.shape[0])


class submission__torch_inside:
    def softmax(items):
        return torch.softmax(torch.as_tensor(np.asarray(items), dtype=torch.float64), dim=0).numpy()

    def _attend(X, omega_v, omega_q, omega_k, beta_v, beta_q, beta_k, root):
        X, wv, wq, wk, bv, bq, bk = (
            torch.as_tensor(a, dtype=torch.float64) for a in (X, omega_v, omega_q, omega_k, beta_v, beta_q, beta_k)
        )
        scores = (wq @ X + bq).mT @ (wk @ X + bk) / root
        return ((wv @ X + bv) @ scores.softmax(dim=1).mT).numpy()

    def self_attention(X, *parameters):
        return _attend(X, *parameters, 1.0)

    def scaled_dot_product_self_attention(X, *parameters):
        return _attend(X, *parameters, X.shape[0] ** 0.5)

    def self_attention_per_token(all_x, *parameters):
        together = torch.from_numpy(_attend(np.concatenate(all_x, axis=1), *parameters, 1.0))
        return [column.unsqueeze(1) for column in together.unbind(dim=1)]


class submission__transposed_views:
    def softmax(items, axis=-1):
        items = np.asarray(items, dtype=float)
        powers = np.exp(items - items.max(axis=axis, keepdims=True))
        return powers / powers.sum(axis=axis, keepdims=True)

    def _rows(X, omega_v, omega_q, omega_k, beta_v, beta_q, beta_k, scaled):
        T = X.T
        q = T @ omega_q.T + beta_q.T
        k = T @ omega_k.T + beta_k.T
        v = T @ omega_v.T + beta_v.T
        s = q @ k.T
        if scaled:
            s = s / np.sqrt(q.shape[1])
        return softmax(s) @ v

    def self_attention(X, omega_v, omega_q, omega_k, beta_v, beta_q, beta_k):
        return _rows(X, omega_v, omega_q, omega_k, beta_v, beta_q, beta_k, False).T

    def scaled_dot_product_self_attention(X, omega_v, omega_q, omega_k, beta_v, beta_q, beta_k):
        return _rows(X, omega_v, omega_q, omega_k, beta_v, beta_q, beta_k, True).T

    def self_attention_per_token(all_x, omega_v, omega_q, omega_k, beta_v, beta_q, beta_k):
        both = np.repeat(_rows(np.hstack(all_x), omega_v, omega_q, omega_k, beta_v, beta_q, beta_k, False), 2, axis=0)
        return [row[::1, None] for row in both[::2]]


class submission__typed_helpers:
    Array = np.ndarray

    def softmax(items: list[float] | Array) -> Array:
        """Weights of one query."""
        scores = np.asarray(items, dtype=np.float64)
        exponentials = np.exp(scores - scores.max())
        return exponentials / exponentials.sum()

    def project(omega: Array, X: Array, beta: Array) -> Array:
        """Linear layer, tokens in columns."""
        return np.matmul(omega, X) + beta

    def attend(Q: Array, K: Array, V: Array, scale: float = 1.0) -> Array:
        """Mix the values; query n is column n."""
        scores = np.matmul(np.transpose(K), Q) / scale
        weights = np.stack([softmax(column) for column in scores.T], axis=1)
        return np.matmul(V, weights)

    def self_attention_per_token(
        all_x: list[Array], omega_v: Array, omega_q: Array, omega_k: Array, beta_v: Array, beta_q: Array, beta_k: Array
    ) -> list[Array]:
        """One token after the other."""
        keys = [project(omega_k, x, beta_k) for x in all_x]
        values = [project(omega_v, x, beta_v) for x in all_x]

        def output(x: Array) -> Array:
            query = project(omega_q, x, beta_q)
            weights = softmax([float(np.sum(key * query)) for key in keys])
            return np.sum([w * value for w, value in zip(weights, values)], axis=0)

        return [output(x) for x in all_x]

    def self_attention(
        X: Array, omega_v: Array, omega_q: Array, omega_k: Array, beta_v: Array, beta_q: Array, beta_k: Array
    ) -> Array:
        """Matrix form."""
        Q = project(omega_q, X, beta_q)
        K = project(omega_k, X, beta_k)
        V = project(omega_v, X, beta_v)
        return attend(Q, K, V)

    def scaled_dot_product_self_attention(
        X: Array, omega_v: Array, omega_q: Array, omega_k: Array, beta_v: Array, beta_q: Array, beta_k: Array
    ) -> Array:
        """Matrix form with scaling."""
        Q = project(omega_q, X, beta_q)
        K = project(omega_k, X, beta_k)
        V = project(omega_v, X, beta_v)
        return attend(Q, K, V, scale=np.sqrt(Q.shape[0]))


class submission__value_bias_added_last:
    def softmax(items):
        """Works on vectors and, column by column, on matrices."""
        items = np.array(items, dtype=float)
        items -= items.max(axis=0)
        np.exp(items, out=items)
        items /= items.sum(axis=0)
        return items

    def self_attention(X, omega_v, omega_q, omega_k, beta_v, beta_q, beta_k):
        scores = (omega_k @ X + beta_k).T @ (omega_q @ X + beta_q)
        return omega_v @ (X @ softmax(scores)) + beta_v

    def scaled_dot_product_self_attention(X, omega_v, omega_q, omega_k, beta_v, beta_q, beta_k):
        scores = (omega_k @ X + beta_k).T @ (omega_q @ X + beta_q)
        return omega_v @ (X @ softmax(scores / sqrt(omega_k.shape[0]))) + beta_v

    def self_attention_per_token(all_x, omega_v, omega_q, omega_k, beta_v, beta_q, beta_k):
        whole = self_attention(np.hstack(all_x), omega_v, omega_q, omega_k, beta_v, beta_q, beta_k)
        return np.hsplit(whole, len(all_x))
