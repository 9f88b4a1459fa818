"""Wrong answers to hw5 in styles that differ from the edits in misconceptions.toml."""

import math

import numpy as np
from numpy.typing import NDArray


def softmax_cols__softmax_no_keepdims_copied(data_in):
    """loses: softmax_cols_published, softmax_cols_sizes, softmax_cols_large, softmax_cols_unchanged,
    multihead_published
    """
    e = np.exp(data_in - np.max(data_in))
    return e / e.sum(axis=1)


def softmax_cols__softmax_no_keepdims_both(data_in):
    """loses: softmax_cols_published, softmax_cols_sizes, softmax_cols_large, softmax_cols_unchanged,
    multihead_published
    """
    e = np.exp(data_in - data_in.max(axis=1))
    return e / e.sum(axis=1)


def softmax_cols__torch_on_numpy_dim(data_in):
    """loses: softmax_cols_published, softmax_cols_sizes, softmax_cols_large, softmax_cols_unchanged,
    multihead_published, multihead_sizes, multihead_unchanged
    """
    e = np.exp(data_in)
    return e / e.sum(dim=0)


def softmax_cols__returns_ones_stub(data_in):
    """loses: softmax_cols_published, softmax_cols_sizes, softmax_cols_large, softmax_cols_unchanged,
    multihead_published, multihead_sizes, multihead_unchanged
    """
    return np.ones_like(data_in)


def attention_head__tokens_as_rows_turned_round(X, omega_v, omega_q, omega_k, beta_v, beta_q, beta_k):
    """loses: multihead_published, multihead_sizes, multihead_unchanged"""
    V = X.T @ omega_v + beta_v
    Q = X.T @ omega_q + beta_q
    K = X.T @ omega_k + beta_k
    return softmax_cols(Q @ K.T / np.sqrt(Q.shape[1])) @ V


def attention_head__elementwise_projection_heads(X, omega_v, omega_q, omega_k, beta_v, beta_q, beta_k):
    """loses: multihead_published, multihead_sizes, multihead_unchanged"""
    V, Q, K = omega_v * X + beta_v, omega_q * X + beta_q, omega_k * X + beta_k
    return V @ softmax_cols(K.T @ Q / np.sqrt(Q.shape[0]))


def multihead_scaled_self_attention__heads_not_stacked_stack(
    X,
    omega_v1,
    omega_q1,
    omega_k1,
    beta_v1,
    beta_q1,
    beta_k1,
    omega_v2,
    omega_q2,
    omega_k2,
    beta_v2,
    beta_q2,
    beta_k2,
    omega_c,
):
    """loses: multihead_published, multihead_sizes, multihead_unchanged"""
    a = attention_head(X, omega_v1, omega_q1, omega_k1, beta_v1, beta_q1, beta_k1)
    b = attention_head(X, omega_v2, omega_q2, omega_k2, beta_v2, beta_q2, beta_k2)
    return omega_c @ np.stack((a, b))


def multihead_scaled_self_attention__output_projection_right_at(
    X,
    omega_v1,
    omega_q1,
    omega_k1,
    beta_v1,
    beta_q1,
    beta_k1,
    omega_v2,
    omega_q2,
    omega_k2,
    beta_v2,
    beta_q2,
    beta_k2,
    omega_c,
):
    """loses: multihead_published, multihead_sizes, multihead_unchanged"""
    a = attention_head(X, omega_v1, omega_q1, omega_k1, beta_v1, beta_q1, beta_k1)
    b = attention_head(X, omega_v2, omega_q2, omega_k2, beta_v2, beta_q2, beta_k2)
    return np.vstack((a, b)) @ omega_c


def multihead_scaled_self_attention__input_split_halves(
    X,
    omega_v1,
    omega_q1,
    omega_k1,
    beta_v1,
    beta_q1,
    beta_k1,
    omega_v2,
    omega_q2,
    omega_k2,
    beta_v2,
    beta_q2,
    beta_k2,
    omega_c,
):
    """loses: multihead_published, multihead_sizes, multihead_unchanged"""
    h = X.shape[0] // 2
    a = attention_head(X[:h], omega_v1, omega_q1, omega_k1, beta_v1, beta_q1, beta_k1)
    b = attention_head(X[h:], omega_v2, omega_q2, omega_k2, beta_v2, beta_q2, beta_k2)
    return omega_c @ np.vstack((a, b))


class submission__batch_only:
    """loses: multihead_published, multihead_sizes, multihead_unchanged"""

    def attend(Q, K, V):
        scores = np.einsum("bdn,bdm->bnm", K, Q) / np.sqrt(Q.shape[1])
        e = np.exp(scores - scores.max(axis=1, keepdims=True))
        return V @ (e / e.sum(axis=1, keepdims=True))

    def multihead_scaled_self_attention(X, omega_v1, omega_q1, omega_k1, beta_v1, beta_q1, beta_k1,
                                        omega_v2, omega_q2, omega_k2, beta_v2, beta_q2, beta_k2, omega_c):
        head_1 = attend(omega_q1 @ X + beta_q1, omega_k1 @ X + beta_k1, omega_v1 @ X + beta_v1)
        head_2 = attend(omega_q2 @ X + beta_q2, omega_k2 @ X + beta_k2, omega_v2 @ X + beta_v2)
        return omega_c @ np.concatenate((head_1, head_2), axis=1)


class submission__depends_on_global:
    """loses: multihead_sizes, multihead_unchanged"""

    D = 8
    H = 2
    H_D = int(D / H)

    def multihead_scaled_self_attention(X, omega_v1, omega_q1, omega_k1, beta_v1, beta_q1, beta_k1, omega_v2, omega_q2, omega_k2, beta_v2, beta_q2, beta_k2, omega_c):
        q1, q2 = omega_q1 @ X + beta_q1, omega_q2 @ X + beta_q2
        k1, k2 = omega_k1 @ X + beta_k1, omega_k2 @ X + beta_k2
        v1, v2 = omega_v1 @ X + beta_v1, omega_v2 @ X + beta_v2
        a1 = softmax_cols((k1.T @ q1) / np.sqrt(H_D))
        a2 = softmax_cols((k2.T @ q2) / np.sqrt(H_D))
        sa1 = v1 @ a1
        sa2 = v2 @ a2
        together = np.concatenate((sa1, sa2))
        out = omega_c @ together
        return out


def multihead_scaled_self_attention__heads_swapped_in_rows(X, *p):
    """loses: multihead_published, multihead_sizes, multihead_unchanged"""
    heads = []
    for first in (6, 0):
        V, Q, K = (p[first + i] @ X + p[first + 3 + i] for i in range(3))
        heads.append((V @ softmax_cols(K.T @ Q / np.sqrt(Q.shape[0]))).T)
    return np.concatenate(heads, axis=1) @ p[12].T


class submission__modifies_input:
    """loses: softmax_cols_unchanged, multihead_unchanged"""

    def softmax_cols(data_in):
        # keepdims so that the shapes fit
        data_in -= data_in.max(axis=0, keepdims=True)
        powers = np.exp(data_in)
        return powers / powers.sum(axis=0, keepdims=True)

    def oneHead(X, omegaV, omegaQ, omegaK, betaV, betaQ, betaK):
        omegaQ /= np.sqrt(len(omegaQ))
        betaQ /= np.sqrt(len(omegaQ))
        values = np.dot(omegaV, X) + betaV
        queries = np.dot(omegaQ, X) + betaQ
        keys = np.dot(omegaK, X) + betaK
        # one query per row here, so transpose for softmax_cols and back
        dotProducts = np.dot(queries.T, keys)
        weights = softmax_cols(dotProducts.T).T
        return np.dot(values, weights.T)

    def multihead_scaled_self_attention(X, omega_v1, omega_q1, omega_k1, beta_v1, beta_q1, beta_k1, omega_v2, omega_q2, omega_k2, beta_v2, beta_q2, beta_k2, omega_c):
        first = oneHead(X, omega_v1, omega_q1, omega_k1, beta_v1, beta_q1, beta_k1)
        second = oneHead(X, omega_v2, omega_q2, omega_k2, beta_v2, beta_q2, beta_k2)
        stacked = np.concatenate([first, second], axis=0)
        return np.dot(omega_c, stacked)


class submission__no_value_bias_outside_size:
    """loses: multihead_published, multihead_sizes, multihead_unchanged"""

    X = np.random.RandomState(3).normal(size=(8, 6))
    D, N = X.shape
    H = 2
    H_D = D // H

    def head(X, params):
        V, Q, K = [w.dot(X) for w in params[:3]]
        beta_v, beta_q, beta_k = params[3:]
        S = (K + beta_k).T.dot(Q + beta_q) * H_D ** -0.5
        out = np.zeros((H_D, X.shape[1]))
        for n, a in enumerate(softmax_cols(S).T):
            out[:, n] = (V * a).sum(axis=1)
        return out

    def multihead_scaled_self_attention(X, *params):
        return params[12] @ np.r_[head(X, params[:6]), head(X, params[6:12])]


def multihead_scaled_self_attention__projection_transposed(X, omega_v1, omega_q1, omega_k1, beta_v1, beta_q1, beta_k1, omega_v2, omega_q2, omega_k2, beta_v2, beta_q2, beta_k2, omega_c):
    """loses: multihead_published, multihead_sizes, multihead_unchanged"""
    dim, num_tokens = X.shape
    head_dim = dim // 2
    q1, q2 = X.T @ omega_q1 + beta_q1, X.T @ omega_q2 + beta_q2
    k1, k2 = X.T @ omega_k1 + beta_k1, X.T @ omega_k2 + beta_k2
    v1, v2 = X.T @ omega_v1 + beta_v1, X.T @ omega_v2 + beta_v2
    a1 = softmax_cols((k1.T @ q1) / np.sqrt(head_dim))
    a2 = softmax_cols((k2.T @ q2) / np.sqrt(head_dim))
    sa1 = v1 @ a1
    sa2 = v2 @ a2
    together = np.concatenate((sa1, sa2))
    out = omega_c @ together
    return out


def multihead_scaled_self_attention__returns_argument(X, omega_v1, omega_q1, omega_k1, beta_v1, beta_q1, beta_k1,
                                    omega_v2, omega_q2, omega_k2, beta_v2, beta_q2, beta_k2, omega_c):
    """loses: multihead_published, multihead_sizes, multihead_unchanged"""
    X_prime = X.copy()
    for n in range(X.shape[1]):
        q = omega_q1 @ X[:, n]
        k = omega_k1 @ X[:, n]
    return X_prime


class submission__returns_global:
    """loses: multihead_published, multihead_sizes, multihead_unchanged"""

    data = np.random.normal(size=(8, 6))
    answer = np.round(data, 1)

    def multihead_scaled_self_attention(X, omega_v1, omega_q1, omega_k1, beta_v1, beta_q1, beta_k1,
                                        omega_v2, omega_q2, omega_k2, beta_v2, beta_q2, beta_k2, omega_c):
        global answer
        for column in range(6):
            answer = answer + 0
        return answer


def multihead_scaled_self_attention__returns_nothing(X, omega_v1, omega_q1, omega_k1, beta_v1, beta_q1, beta_k1,
                                    omega_v2, omega_q2, omega_k2, beta_v2, beta_q2, beta_k2, omega_c):
    """loses: multihead_published, multihead_sizes, multihead_unchanged"""
    D = X.shape[0]
    N = X.shape[1]
    half = D // 2
    heads = np.zeros((D, N))
    params = [(omega_v1, omega_q1, omega_k1, beta_v1, beta_q1, beta_k1),
              (omega_v2, omega_q2, omega_k2, beta_v2, beta_q2, beta_k2)]
    for h in range(2):
        ov, oq, ok, bv, bq, bk = params[h]
        V = ov.dot(X) + bv
        Q = oq.dot(X) + bq
        K = ok.dot(X) + bk
        scores = np.zeros((N, N))
        for m in range(N):
            for n in range(N):
                # row m is the key, column n is the query
                scores[m, n] = K[:, m].dot(Q[:, n]) / math.sqrt(half)
        weights = softmax_cols(scores)
        for n in range(N):
            for m in range(N):
                heads[h * half:(h + 1) * half, n] += weights[m, n] * V[:, m]
    result = omega_c.dot(heads)
    print(result)


def multihead_scaled_self_attention__returns_transposed(X, omega_v1, omega_q1, omega_k1, beta_v1, beta_q1, beta_k1, omega_v2, omega_q2, omega_k2, beta_v2, beta_q2, beta_k2, omega_c):
    """loses: multihead_published"""
    dim, num_tokens = X.shape
    head_dim = dim // 2
    q1, q2 = omega_q1 @ X + beta_q1, omega_q2 @ X + beta_q2
    k1, k2 = omega_k1 @ X + beta_k1, omega_k2 @ X + beta_k2
    v1, v2 = omega_v1 @ X + beta_v1, omega_v2 @ X + beta_v2
    a1 = softmax_cols((k1.T @ q1) / np.sqrt(head_dim))
    a2 = softmax_cols((k2.T @ q2) / np.sqrt(head_dim))
    sa1 = v1 @ a1
    sa2 = v2 @ a2
    together = np.concatenate((sa1, sa2))
    out = together.T @ omega_c.T
    return out


class submission__returns_tuple:
    """loses: multihead_published"""

    def oneHead(X, omegaV, omegaQ, omegaK, betaV, betaQ, betaK):
        values = np.dot(omegaV, X) + betaV
        queries = np.dot(omegaQ, X) + betaQ
        keys = np.dot(omegaK, X) + betaK
        # one query per row here, so transpose for softmax_cols and back
        dotProducts = np.dot(queries.T, keys) / np.sqrt(len(queries))
        weights = softmax_cols(dotProducts.T).T
        return np.dot(values, weights.T)

    def multihead_scaled_self_attention(X, omega_v1, omega_q1, omega_k1, beta_v1, beta_q1, beta_k1, omega_v2, omega_q2, omega_k2, beta_v2, beta_q2, beta_k2, omega_c):
        first = oneHead(X, omega_v1, omega_q1, omega_k1, beta_v1, beta_q1, beta_k1)
        second = oneHead(X, omega_v2, omega_q2, omega_k2, beta_v2, beta_q2, beta_k2)
        stacked = np.concatenate([first, second], axis=0)
        X_prime = np.dot(omega_c, stacked),
        return X_prime


def multihead_scaled_self_attention__rounds_result(X, omega_v1, omega_q1, omega_k1, beta_v1, beta_q1, beta_k1,
                                    omega_v2, omega_q2, omega_k2, beta_v2, beta_q2, beta_k2, omega_c):
    """loses: multihead_sizes, multihead_unchanged"""
    heads = [
        (wv @ X + bv) @ softmax_cols((wk @ X + bk).T @ (wq @ X + bq) / np.sqrt(len(bq)))
        for wv, wq, wk, bv, bq, bk in (
            (omega_v1, omega_q1, omega_k1, beta_v1, beta_q1, beta_k1),
            (omega_v2, omega_q2, omega_k2, beta_v2, beta_q2, beta_k2),
        )
    ]
    out = omega_c @ np.vstack(heads)
    return np.floor(out * 1000 + 0.5) / 1000


class submission__scores_clipped:
    """loses: multihead_published, multihead_unchanged"""

    def linear(omega: NDArray, X: NDArray, beta: NDArray) -> NDArray:
        """Apply one projection to tokens in columns."""
        return np.matmul(omega, X) + beta

    def head(X: NDArray, parameters: tuple[NDArray, ...]) -> NDArray:
        """Output of one head, shape (D / 2, N)."""
        omega_v, omega_q, omega_k, beta_v, beta_q, beta_k = parameters
        query = linear(omega_q, X, beta_q)
        key = linear(omega_k, X, beta_k)
        value = linear(omega_v, X, beta_v)
        scores = np.matmul(key.transpose(), query) / np.sqrt(query.shape[0])
        scores = np.clip(scores, -15, 15)  # keeps exp small
        return np.matmul(value, softmax_cols(scores))

    def multihead_scaled_self_attention(X: NDArray, *parameters: NDArray) -> NDArray:
        """Two heads, stacked and recombined."""
        omega_c = parameters[-1]
        first_head = head(X, parameters[0:6])
        second_head = head(X, parameters[6:12])
        return np.matmul(omega_c, np.vstack([first_head, second_head]))


def multihead_scaled_self_attention__softmax_over_queries_transposed(X, omega_v1, omega_q1, omega_k1, beta_v1, beta_q1, beta_k1,
                                    omega_v2, omega_q2, omega_k2, beta_v2, beta_q2, beta_k2, omega_c):
    """loses: multihead_published, multihead_sizes, multihead_unchanged"""
    out = []
    for wv, wq, wk, bv, bq, bk in [
        (omega_v1, omega_q1, omega_k1, beta_v1, beta_q1, beta_k1),
        (omega_v2, omega_q2, omega_k2, beta_v2, beta_q2, beta_k2),
    ]:
        Q, K, V = wq @ X + bq, wk @ X + bk, wv @ X + bv
        weights = softmax_cols(Q.T @ K / np.sqrt(Q.shape[0]))
        out.append(V @ weights.T)
    return omega_c @ np.vstack(out)


def softmax_cols__softmax_rows(data_in):
    """loses: softmax_cols_published, softmax_cols_sizes, softmax_cols_large, softmax_cols_unchanged,
    multihead_published
    """
    shifted = data_in - np.max(data_in, axis=1, keepdims=True)
    e = np.exp(shifted)
    return e / np.sum(e, axis=1, keepdims=True)


class submission__weights_transposed:
    """loses: softmax_cols_large, multihead_published, multihead_sizes, multihead_unchanged"""

    def softmax_cols(data_in):
        powers = np.exp(data_in)
        return powers / powers.sum(axis=0, keepdims=True)

    def oneHead(X, omegaV, omegaQ, omegaK, betaV, betaQ, betaK):
        values = np.dot(omegaV, X) + betaV
        queries = np.dot(omegaQ, X) + betaQ
        keys = np.dot(omegaK, X) + betaK
        # one query per row here, so transpose for softmax_cols and back
        dotProducts = np.dot(queries.T, keys) / np.sqrt(len(queries))
        weights = softmax_cols(dotProducts.T).T
        return np.dot(values, weights)

    def multihead_scaled_self_attention(X, omega_v1, omega_q1, omega_k1, beta_v1, beta_q1, beta_k1, omega_v2, omega_q2, omega_k2, beta_v2, beta_q2, beta_k2, omega_c):
        first = oneHead(X, omega_v1, omega_q1, omega_k1, beta_v1, beta_q1, beta_k1)
        second = oneHead(X, omega_v2, omega_q2, omega_k2, beta_v2, beta_q2, beta_k2)
        stacked = np.concatenate([first, second], axis=0)
        return np.dot(omega_c, stacked)


def attention_head__softmax_unstable_within(X, omega_v, omega_q, omega_k, beta_v, beta_q, beta_k):
    """loses: multihead_unchanged"""
    V = omega_v @ X + beta_v
    Q = omega_q @ X + beta_q
    K = omega_k @ X + beta_k
    powers = np.exp(K.T @ Q / np.sqrt(len(Q)))
    return V @ (powers / powers.sum(axis=0))


def attention_head__whole_numbers_kept_zeros_like(X, omega_v, omega_q, omega_k, beta_v, beta_q, beta_k):
    """loses: multihead_unchanged"""
    V = omega_v @ X + beta_v
    Q = omega_q @ X + beta_q
    K = omega_k @ X + beta_k
    weights = softmax_cols(K.T @ Q / np.sqrt(len(Q)))
    output = np.zeros_like(X[: len(V)])
    for n in range(X.shape[1]):
        output[:, n] = V @ weights[:, n]
    return output
