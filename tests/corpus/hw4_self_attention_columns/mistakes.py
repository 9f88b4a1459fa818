"""Wrong answers to hw4 in styles that differ from the edits in misconceptions.toml."""

from math import exp

import numpy as np


def self_attention_per_token__loop_indices_mixed_weight(
    all_x, omega_v, omega_q, omega_k, beta_v, beta_q, beta_k
):
    """loses: per_token_published, per_token_sizes, per_token_unchanged"""
    N = len(all_x)
    queries = [omega_q @ x + beta_q for x in all_x]
    keys = [omega_k @ x + beta_k for x in all_x]
    values = [omega_v @ x + beta_v for x in all_x]
    out = []
    for n in range(N):
        scores = [(keys[m].T @ queries[n]).item() for m in range(N)]
        attention = softmax(scores)
        x_prime = np.zeros(values[0].shape)
        for m in range(N):
            x_prime += attention[n] * values[m]
        out.append(x_prime)
    return out


def self_attention_per_token__weights_equal_same_key(
    all_x, omega_v, omega_q, omega_k, beta_v, beta_q, beta_k
):
    """loses: per_token_published, per_token_sizes, per_token_unchanged"""
    out = []
    for x in all_x:
        q = omega_q @ x + beta_q
        scores = []
        for y in all_x:
            k = omega_k @ x + beta_k
            scores.append((k.T @ q).item())
        att = softmax(scores)
        out.append(sum(a * (omega_v @ y + beta_v) for a, y in zip(att, all_x)))
    return out


def self_attention__torch_on_numpy_transpose(X, omega_v, omega_q, omega_k, beta_v, beta_q, beta_k):
    """loses: matrix_published, matrix_sizes, matrix_unchanged"""
    V, Q, K = omega_v @ X + beta_v, omega_q @ X + beta_q, omega_k @ X + beta_k
    w = np.apply_along_axis(softmax, 0, K.transpose(-2, -1) @ Q)
    return V @ w


def self_attention__tokens_as_rows_square_softmax(X, omega_v, omega_q, omega_k, beta_v, beta_q, beta_k):
    """loses: matrix_published, matrix_sizes, matrix_unchanged"""
    V = X @ omega_v + beta_v
    Q = X @ omega_q + beta_q
    K = X @ omega_k + beta_k
    return softmax(Q @ K.T) @ V


def self_attention_per_token__scores_not_transposed_lists(
    all_x, omega_v, omega_q, omega_k, beta_v, beta_q, beta_k
):
    """loses: per_token_published, per_token_sizes, per_token_unchanged"""
    queries = [omega_q @ x + beta_q for x in all_x]
    keys = [omega_k @ x + beta_k for x in all_x]
    values = [omega_v @ x + beta_v for x in all_x]
    out = []
    for q in queries:
        att = softmax([(k @ q).item() for k in keys])
        out.append(sum(a * v for a, v in zip(att, values)))
    return out


class submission__batch_only:
    """loses: matrix_published, matrix_sizes, matrix_unchanged, scaled_published, scaled_sizes,
    scaled_unchanged
    """

    def self_attention(X, omega_v, omega_q, omega_k, beta_v, beta_q, beta_k):
        V, Q, K = omega_v @ X + beta_v, omega_q @ X + beta_q, omega_k @ X + beta_k
        scores = np.matmul(K.transpose(0, 2, 1), Q)
        e = np.exp(scores - scores.max(axis=1, keepdims=True))
        return np.matmul(V, e / e.sum(axis=1, keepdims=True))

    def scaled_dot_product_self_attention(X, omega_v, omega_q, omega_k, beta_v, beta_q, beta_k):
        B, D, N = X.shape
        return self_attention(X, omega_v, omega_q / D ** 0.5, omega_k, beta_v, beta_q / D ** 0.5, beta_k)


class submission__depends_on_global:
    """loses: per_token_sizes, per_token_unchanged, scaled_sizes, scaled_unchanged"""

    N = 3
    D = 4

    def self_attention_per_token(all_x, omega_v, omega_q, omega_k, beta_v, beta_q, beta_k):
        qs = [omega_q @ x + beta_q for x in all_x]
        ks = [omega_k @ x + beta_k for x in all_x]
        vs = [omega_v @ x + beta_v for x in all_x]
        outputs = []
        for n in range(N):
            km_qn = np.array([np.squeeze(k.T @ qs[n]) for k in ks])
            att = softmax(km_qn)
            outputs.append(sum(att[m] * vs[m] for m in range(N)))
        return outputs

    def scaled_dot_product_self_attention(X, omega_v, omega_q, omega_k, beta_v, beta_q, beta_k):
        q_all = omega_q @ X + beta_q
        k_all = omega_k @ X + beta_k
        v_all = omega_v @ X + beta_v
        dp = (q_all.T @ k_all) / np.sqrt(D)
        att = np.apply_along_axis(softmax, 1, dp)
        out = (att @ v_all.T).T
        return out


class submission__hard_coded_size_three_tokens:
    """loses: softmax_sizes, softmax_large, softmax_unchanged, per_token_sizes, per_token_unchanged,
    matrix_sizes, matrix_unchanged, scaled_sizes, scaled_unchanged
    """

    def softmax(items):
        scores = np.array(items[:3], dtype=float)
        e = np.exp(scores - scores.max())
        return e / e.sum()

    def self_attention_per_token(all_x, omega_v, omega_q, omega_k, beta_v, beta_q, beta_k):
        qs = [omega_q @ x + beta_q for x in all_x]
        ks = [omega_k @ x + beta_k for x in all_x]
        vs = [omega_v @ x + beta_v for x in all_x]
        out = []
        for q in qs[:3]:
            a = softmax([(k.T @ q).item() for k in ks[:3]])
            out.append(a[0] * vs[0] + a[1] * vs[1] + a[2] * vs[2])
        return out


class submission__list_not_accepted:
    """loses: softmax_published"""

    Array = np.ndarray

    def softmax(items: list[float] | Array) -> Array:
        """Weights of one query."""
        exponentials = np.exp(items - items.max())
        return exponentials / exponentials.sum()

    def project(omega: Array, X: Array, beta: Array) -> Array:
        """Linear layer, tokens in columns."""
        return np.matmul(omega, X) + beta

    def self_attention_per_token(
        all_x: list[Array], omega_v: Array, omega_q: Array, omega_k: Array, beta_v: Array, beta_q: Array, beta_k: Array
    ) -> list[Array]:
        """One token after the other."""
        keys = [project(omega_k, x, beta_k) for x in all_x]
        values = [project(omega_v, x, beta_v) for x in all_x]

        def output(x: Array) -> Array:
            query = project(omega_q, x, beta_q)
            weights = softmax(np.array([float(np.sum(key * query)) for key in keys]))
            return np.sum([w * value for w, value in zip(weights, values)], axis=0)

        return [output(x) for x in all_x]


class submission__modifies_input:
    """loses: softmax_unchanged, per_token_unchanged, matrix_unchanged, scaled_unchanged"""

    def softmax(items):
        items = np.asarray(items, dtype=float)
        items -= items.max()
        e = np.exp(items)
        return e / np.sum(e)

    def self_attention_per_token(all_x, omega_v, omega_q, omega_k, beta_v, beta_q, beta_k):
        queries, keys, values = [], [], []
        for x in all_x:
            queries.append(omega_q @ x + beta_q)
            keys.append(omega_k @ x + beta_k)
            values.append(omega_v @ x + beta_v)

        all_x_prime = []
        for n, query in enumerate(queries):
            scores = [(key.T @ query).item() for key in keys]
            attention = softmax(scores)
            x_prime = np.zeros(values[0].shape)
            for a, value in zip(attention, values):
                x_prime += a * value
            all_x_prime.append(x_prime)
        for n in range(len(all_x)):
            all_x[n] = all_x_prime[n]
        return all_x

    def self_attention(X, omega_v, omega_q, omega_k, beta_v, beta_q, beta_k):
        V = omega_v @ X + beta_v
        Q = omega_q @ X + beta_q
        K = omega_k @ X + beta_k

        scores = K.T @ Q
        attention = np.apply_along_axis(softmax, 0, scores)
        X[:] = V @ attention
        return X

    def scaled_dot_product_self_attention(X, omega_v, omega_q, omega_k, beta_v, beta_q, beta_k):
        root = np.sqrt(X.shape[0])
        omega_q /= root
        beta_q /= root
        V = omega_v @ X + beta_v
        Q = omega_q @ X + beta_q
        K = omega_k @ X + beta_k

        scores = K.T @ Q
        attention = np.apply_along_axis(softmax, 0, scores)
        X_prime = V @ attention
        return X_prime


def self_attention__no_value_bias_in_rows(X, omega_v, omega_q, omega_k, beta_v, beta_q, beta_k):
    """loses: matrix_published, matrix_sizes, matrix_unchanged"""
    tokens = X.T
    Q, K = tokens @ omega_q.T + beta_q.T, tokens @ omega_k.T + beta_k.T
    A = np.array([softmax(row) for row in Q @ K.T])
    return A @ (tokens @ omega_v.T)


def self_attention_per_token__numpy_float_of_array(all_x, omega_v, omega_q, omega_k, beta_v, beta_q, beta_k):
    """loses: per_token_published, per_token_sizes, per_token_unchanged"""
    num = len(all_x)
    qs = [omega_q @ x + beta_q for x in all_x]
    ks = [omega_k @ x + beta_k for x in all_x]
    vs = [omega_v @ x + beta_v for x in all_x]
    outputs = []
    for n in range(num):
        km_qn = []
        for k in ks:
            print("score %.3f" % (k.T @ qs[n]))
            km_qn.append(np.vdot(k, qs[n]))
        att = softmax(km_qn)
        outputs.append(sum(att[m] * vs[m] for m in range(num)))
    return outputs


class submission__per_token_flat_lists:
    """loses: per_token_published"""

    def mixed(all_x, omega_v, omega_q, omega_k, beta_v, beta_q, beta_k, root=False):
        V = [omega_v @ x + beta_v for x in all_x]
        K = [omega_k @ x + beta_k for x in all_x]
        for x in all_x:
            q = omega_q @ x + beta_q
            dots = np.array([np.sum(k * q) for k in K]) / (np.sqrt(q.size) if root else 1)
            powers = np.exp(dots - dots.max())
            yield sum(p * v for p, v in zip(powers / powers.sum(), V))

    def self_attention_per_token(all_x, omega_v, omega_q, omega_k, beta_v, beta_q, beta_k):
        return [[float(n) for n in column.ravel()] for column in mixed(all_x, omega_v, omega_q, omega_k, beta_v, beta_q, beta_k)]


class submission__returns_argument:
    """loses: per_token_published, per_token_sizes, per_token_unchanged, matrix_published, matrix_sizes,
    matrix_unchanged, scaled_published, scaled_sizes, scaled_unchanged
    """

    def self_attention(X, omega_v, omega_q, omega_k, beta_v, beta_q, beta_k):
        X_prime = X
        V, Q, K = omega_v @ X + beta_v, omega_q @ X + beta_q, omega_k @ X + beta_k
        for n in range(X.shape[1]):
            x_prime = V @ softmax(K.T @ Q[:, n])
        return X_prime

    def scaled_dot_product_self_attention(X, *p):
        return 1.0 * X

    def self_attention_per_token(all_x, *parameters):
        all_x_prime = list(all_x)
        return all_x_prime


class submission__returns_extra:
    """loses: matrix_published, scaled_published"""

    def self_attention(X, omega_v, omega_q, omega_k, beta_v, beta_q, beta_k):
        q_all = omega_q @ X + beta_q
        k_all = omega_k @ X + beta_k
        v_all = omega_v @ X + beta_v
        dp = q_all.T @ k_all
        att = np.apply_along_axis(softmax, 1, dp)
        out = (att @ v_all.T).T
        return out, att

    def scaled_dot_product_self_attention(X, omega_v, omega_q, omega_k, beta_v, beta_q, beta_k):
        dim = X.shape[0]
        q_all = omega_q @ X + beta_q
        k_all = omega_k @ X + beta_k
        v_all = omega_v @ X + beta_v
        dp = (q_all.T @ k_all) / np.sqrt(dim)
        att = np.apply_along_axis(softmax, 1, dp)
        out = (att @ v_all.T).T
        return out, att


class submission__returns_global:
    """loses: per_token_published, per_token_sizes, per_token_unchanged, matrix_published, matrix_sizes,
    matrix_unchanged
    """

    X = np.random.normal(size=(4, 3))
    all_x_prime = [X[:, [n]] * 2 for n in range(3)]
    X_prime = np.hstack(all_x_prime)

    def self_attention_per_token(all_x, omega_v, omega_q, omega_k, beta_v, beta_q, beta_k):
        return all_x_prime

    def self_attention(x, omega_v, omega_q, omega_k, beta_v, beta_q, beta_k):
        for n in range(x.shape[1]):
            X_new = omega_v @ x
        return X_prime


class submission__returns_transposed:
    """loses: matrix_published, scaled_published"""

    def rowSoftmax(scores):
        # one query per row
        return np.array([softmax(row) for row in scores])

    def self_attention(X, omega_v, omega_q, omega_k, beta_v, beta_q, beta_k):
        # queries, keys and values stand in the columns
        queries = np.dot(omega_q, X) + beta_q
        keys = np.dot(omega_k, X) + beta_k
        values = np.dot(omega_v, X) + beta_v
        # (N, N), row = query
        dotProducts = np.dot(queries.T, keys)
        weights = rowSoftmax(dotProducts)
        return np.dot(weights, values.T)

    def scaled_dot_product_self_attention(X, omega_v, omega_q, omega_k, beta_v, beta_q, beta_k):
        queries = np.dot(omega_q, X) + beta_q
        keys = np.dot(omega_k, X) + beta_k
        values = np.dot(omega_v, X) + beta_v
        # divide by the root of the dimension
        dotProducts = np.dot(queries.T, keys) / np.sqrt(len(queries))
        weights = rowSoftmax(dotProducts)
        return np.dot(weights, values.T)


class submission__returns_transposed_per_token:
    """loses: per_token_published"""

    def mixed(all_x, omega_v, omega_q, omega_k, beta_v, beta_q, beta_k, root=False):
        V = [omega_v @ x + beta_v for x in all_x]
        K = [omega_k @ x + beta_k for x in all_x]
        for x in all_x:
            q = omega_q @ x + beta_q
            dots = np.array([np.sum(k * q) for k in K]) / (np.sqrt(q.size) if root else 1)
            powers = np.exp(dots - dots.max())
            yield sum(p * v for p, v in zip(powers / powers.sum(), V))

    def self_attention_per_token(all_x, omega_v, omega_q, omega_k, beta_v, beta_q, beta_k):
        # one array with a token per column, not a list of columns
        return np.hstack(list(mixed(all_x, omega_v, omega_q, omega_k, beta_v, beta_q, beta_k)))


class submission__returns_tuple_rows:
    """loses: softmax_published, per_token_published, matrix_published"""

    def softmax(items):
        scores = np.array(items, dtype=float)
        scores = scores - scores.max()
        powers = np.exp(scores)
        return powers / powers.sum().reshape(1, -1)

    def mixed(all_x, omega_v, omega_q, omega_k, beta_v, beta_q, beta_k, root=False):
        V = [omega_v @ x + beta_v for x in all_x]
        K = [omega_k @ x + beta_k for x in all_x]
        for x in all_x:
            q = omega_q @ x + beta_q
            dots = np.array([np.sum(k * q) for k in K]) / (np.sqrt(q.size) if root else 1)
            powers = np.exp(dots - dots.max())
            yield sum(p * v for p, v in zip(powers / powers.sum(), V))

    def self_attention_per_token(all_x, omega_v, omega_q, omega_k, beta_v, beta_q, beta_k):
        return [[column] for column in mixed(all_x, omega_v, omega_q, omega_k, beta_v, beta_q, beta_k)]

    def scaled_dot_product_self_attention(X, *parameters):
        return np.hstack([*mixed(np.split(X, X.shape[1], axis=1), *parameters, root=True)])


class submission__rounds_result:
    """loses: per_token_published, per_token_sizes, per_token_unchanged, matrix_published, matrix_sizes,
    matrix_unchanged, scaled_published, scaled_sizes, scaled_unchanged
    """

    def self_attention(X, omega_v, omega_q, omega_k, beta_v, beta_q, beta_k):
        V, Q, K = omega_v @ X + beta_v, omega_q @ X + beta_q, omega_k @ X + beta_k
        out = V @ np.apply_along_axis(softmax, 0, K.T @ Q)
        return out.round(2)

    def scaled_dot_product_self_attention(X, omega_v, omega_q, omega_k, beta_v, beta_q, beta_k):
        V, Q, K = omega_v @ X + beta_v, omega_q @ X + beta_q, omega_k @ X + beta_k
        out = V @ np.apply_along_axis(softmax, 0, K.T @ Q / np.sqrt(Q.shape[0]))
        return np.array([["%.3f" % number for number in row] for row in out], dtype=float)

    def self_attention_per_token(all_x, wv, wq, wk, bv, bq, bk):
        values = np.hstack([wv @ x + bv for x in all_x])
        keys = np.hstack([wk @ x + bk for x in all_x])
        return [np.round(values @ softmax((keys.T @ (wq @ x + bq)).ravel())[:, None], 3) for x in all_x]


def softmax__softmax_unstable_math(items):
    """loses: softmax_large"""
    powers = [exp(item) for item in items]
    total = 0.0
    for power in powers:
        total += power
    return np.array([power / total for power in powers])


class submission__tokens_as_rows_doubled:
    """loses: matrix_published, matrix_sizes, matrix_unchanged, scaled_published, scaled_sizes,
    scaled_unchanged
    """

    def project(tokens, omega, beta):
        return np.dot(tokens, omega) + 2 * beta

    def self_attention(X, omega_v, omega_q, omega_k, beta_v, beta_q, beta_k, scale=1):
        q, k, v = (project(X, *pair) for pair in ((omega_q, beta_q), (omega_k, beta_k), (omega_v, beta_v)))
        return np.stack([softmax(row) for row in q @ k.T / scale]) @ v + X

    def scaled_dot_product_self_attention(X, wv, wq, wk, bv, bq, bk):
        return self_attention(X, wv, wq, wk, bv, bq, bk, np.sqrt(len(X)))


def self_attention_per_token__weights_broadcast_list(
    all_x, omega_v, omega_q, omega_k, beta_v, beta_q, beta_k
):
    """loses: per_token_published, per_token_sizes, per_token_unchanged"""
    keys = [omega_k @ x + beta_k for x in all_x]
    values = [omega_v @ x + beta_v for x in all_x]
    outputs = []
    for x in all_x:
        query = omega_q @ x + beta_q
        weights = softmax([(key.T @ query).item() for key in keys])
        outputs.append(sum(weights * values))
    return outputs


def self_attention__axis_squeezed_columns(X, omega_v, omega_q, omega_k, beta_v, beta_q, beta_k):
    """loses: matrix_sizes, matrix_unchanged"""
    V, Q, K = omega_v @ X + beta_v, omega_q @ X + beta_q, omega_k @ X + beta_k
    outputs = [V @ softmax(K.T @ q)[:, None] for q in Q.T]
    return np.stack(outputs, axis=1).squeeze()


def softmax__equal_scores_merged_dictionary(items):
    """loses: softmax_sizes, softmax_large, softmax_unchanged"""
    highest = max(items)
    powers = {score: exp(score - highest) for score in items}
    total = sum(powers.values())
    return np.array([powers[score] / total for score in items])


def self_attention__softmax_unstable_within(X, omega_v, omega_q, omega_k, beta_v, beta_q, beta_k):
    """loses: matrix_unchanged"""
    V = omega_v @ X + beta_v
    Q = omega_q @ X + beta_q
    K = omega_k @ X + beta_k
    powers = np.exp(K.T @ Q)
    return V @ (powers / powers.sum(axis=0))


def self_attention_per_token__whole_numbers_kept_zeros_like(
    all_x, omega_v, omega_q, omega_k, beta_v, beta_q, beta_k
):
    """loses: per_token_unchanged"""
    outputs = []
    for x in all_x:
        query = omega_q @ x + beta_q
        weights = softmax([((omega_k @ key + beta_k).T @ query).item() for key in all_x])
        output = np.zeros_like(x)
        for n, token in enumerate(all_x):
            value = omega_v @ token + beta_v
            for d in range(len(x)):
                output[d] = output[d] + weights[n] * value[d]
        outputs.append(output)
    return outputs
