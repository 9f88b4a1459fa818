"""Wrong answers to hw5 in styles that differ from the edits in misconceptions.toml."""

import math

import numpy as np
from numpy.typing import NDArray


def softmax_cols__softmax_over_queries_copied(data_in):
    """loses: softmax_cols_published, softmax_cols_sizes, softmax_cols_large, softmax_cols_unchanged,
    multihead_published
    """
    e = np.exp(data_in - np.max(data_in))
    return e / e.sum(axis=1, keepdims=True)


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


def softmax_cols__softmax_max_over_queries_keepdims(data_in):
    """loses: softmax_cols_published, softmax_cols_sizes, softmax_cols_large, softmax_cols_unchanged,
    multihead_published
    """
    e = np.exp(data_in - data_in.max(axis=1, keepdims=True))
    return e / e.sum(axis=0, keepdims=True)


def softmax_cols__total_not_reset_loops(data_in):
    """loses: softmax_cols_published, softmax_cols_sizes, softmax_cols_large, softmax_cols_unchanged,
    multihead_published
    """
    out = np.zeros(data_in.shape)
    t = 0
    for j in range(data_in.shape[1]):
        for i in range(data_in.shape[0]):
            t += np.exp(data_in[i, j])
        out[:, j] = np.exp(data_in[:, j]) / t
    return out


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


def attention_head__no_softmax_at_all(X, omega_v, omega_q, omega_k, beta_v, beta_q, beta_k):
    """loses: multihead_published, multihead_sizes, multihead_unchanged"""
    V, Q, K = omega_v @ X + beta_v, omega_q @ X + beta_q, omega_k @ X + beta_k
    return V @ (K.T @ Q / np.sqrt(Q.shape[0]))


def attention_head__torch_on_numpy_transpose(X, omega_v, omega_q, omega_k, beta_v, beta_q, beta_k):
    """loses: multihead_published, multihead_sizes, multihead_unchanged"""
    V, Q, K = omega_v @ X + beta_v, omega_q @ X + beta_q, omega_k @ X + beta_k
    return V @ softmax_cols(K.transpose(-2, -1) @ Q / np.sqrt(Q.shape[0]))


def attention_head__tokens_as_rows_at(X, omega_v, omega_q, omega_k, beta_v, beta_q, beta_k):
    """loses: multihead_published, multihead_sizes, multihead_unchanged"""
    V = X @ omega_v + beta_v
    Q = X @ omega_q + beta_q
    K = X @ omega_k + beta_k
    s = Q @ K.T / np.sqrt(Q.shape[1])
    return softmax_cols(s) @ V


def attention_head__tokens_as_rows_turned_round(X, omega_v, omega_q, omega_k, beta_v, beta_q, beta_k):
    """loses: multihead_published, multihead_sizes, multihead_unchanged"""
    V = X.T @ omega_v + beta_v
    Q = X.T @ omega_q + beta_q
    K = X.T @ omega_k + beta_k
    return softmax_cols(Q @ K.T / np.sqrt(Q.shape[1])) @ V


def attention_head__projection_transposed_at(X, omega_v, omega_q, omega_k, beta_v, beta_q, beta_k):
    """loses: multihead_published, multihead_sizes, multihead_unchanged"""
    V, Q, K = omega_v.T @ X + beta_v, omega_q.T @ X + beta_q, omega_k.T @ X + beta_k
    return V @ softmax_cols(K.T @ Q / np.sqrt(Q.shape[0]))


def attention_head__elementwise_projection_heads(X, omega_v, omega_q, omega_k, beta_v, beta_q, beta_k):
    """loses: multihead_published, multihead_sizes, multihead_unchanged"""
    V, Q, K = omega_v * X + beta_v, omega_q * X + beta_q, omega_k * X + beta_k
    return V @ softmax_cols(K.T @ Q / np.sqrt(Q.shape[0]))


def attention_head__scores_not_transposed_at(X, omega_v, omega_q, omega_k, beta_v, beta_q, beta_k):
    """loses: multihead_published, multihead_sizes, multihead_unchanged"""
    V, Q, K = omega_v @ X + beta_v, omega_q @ X + beta_q, omega_k @ X + beta_k
    return V @ softmax_cols(Q @ K / np.sqrt(Q.shape[0]))


def attention_head__weights_before_values_at(X, omega_v, omega_q, omega_k, beta_v, beta_q, beta_k):
    """loses: multihead_published, multihead_sizes, multihead_unchanged"""
    V, Q, K = omega_v @ X + beta_v, omega_q @ X + beta_q, omega_k @ X + beta_k
    return softmax_cols(K.T @ Q / np.sqrt(Q.shape[0])) @ V


def multihead_scaled_self_attention__heads_not_stacked_hstack(
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
    return omega_c @ np.hstack((a, b))


def multihead_scaled_self_attention__heads_not_stacked_added(
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
    return omega_c @ (a + b)


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


def multihead_scaled_self_attention__causal_mask(X, omega_v1, omega_q1, omega_k1, beta_v1, beta_q1, beta_k1,
                                    omega_v2, omega_q2, omega_k2, beta_v2, beta_q2, beta_k2, omega_c):
    """loses: multihead_published, multihead_sizes, multihead_unchanged"""
    def one_head(wv, wq, wk, bv, bq, bk):
        q, k = wq @ X + bq, wk @ X + bk
        scores = k.T @ q / np.sqrt(q.shape[0])
        rows, columns = np.indices(scores.shape)
        scores[rows > columns] = -np.inf
        return (wv @ X + bv) @ softmax_cols(scores)

    top = one_head(omega_v1, omega_q1, omega_k1, beta_v1, beta_q1, beta_k1)
    low = one_head(omega_v2, omega_q2, omega_k2, beta_v2, beta_q2, beta_k2)
    return omega_c @ np.r_[top, low]


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


def multihead_scaled_self_attention__double_softmax(
    X,
    omega_v1, omega_q1, omega_k1, beta_v1, beta_q1, beta_k1,
    omega_v2, omega_q2, omega_k2, beta_v2, beta_q2, beta_k2,
    omega_c,
):
    """loses: multihead_published, multihead_sizes, multihead_unchanged"""
    H_D = omega_q1.shape[0]

    # head 1
    Q1 = omega_q1 @ X + beta_q1
    K1 = omega_k1 @ X + beta_k1
    V1 = omega_v1 @ X + beta_v1
    attention1 = softmax_cols(softmax_cols(K1.T @ Q1 / np.sqrt(H_D)))
    head1 = V1 @ attention1

    # head 2
    Q2 = omega_q2 @ X + beta_q2
    K2 = omega_k2 @ X + beta_k2
    V2 = omega_v2 @ X + beta_v2
    attention2 = softmax_cols(softmax_cols(K2.T @ Q2 / np.sqrt(H_D)))
    head2 = V2 @ attention2

    heads = np.vstack((head1, head2))
    X_prime = omega_c @ heads
    return X_prime


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


def multihead_scaled_self_attention__returns_extra(
    X,
    omega_v1, omega_q1, omega_k1, beta_v1, beta_q1, beta_k1,
    omega_v2, omega_q2, omega_k2, beta_v2, beta_q2, beta_k2,
    omega_c,
):
    """loses: multihead_published"""
    H_D = omega_q1.shape[0]

    # head 1
    Q1 = omega_q1 @ X + beta_q1
    K1 = omega_k1 @ X + beta_k1
    V1 = omega_v1 @ X + beta_v1
    attention1 = softmax_cols(K1.T @ Q1 / np.sqrt(H_D))
    head1 = V1 @ attention1

    # head 2
    Q2 = omega_q2 @ X + beta_q2
    K2 = omega_k2 @ X + beta_k2
    V2 = omega_v2 @ X + beta_v2
    attention2 = softmax_cols(K2.T @ Q2 / np.sqrt(H_D))
    head2 = V2 @ attention2

    heads = np.vstack((head1, head2))
    X_prime = omega_c @ heads
    return X_prime, attention1, attention2


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


def multihead_scaled_self_attention__returns_zeros(
    X,
    omega_v1, omega_q1, omega_k1, beta_v1, beta_q1, beta_k1,
    omega_v2, omega_q2, omega_k2, beta_v2, beta_q2, beta_k2,
    omega_c,
):
    """loses: multihead_published, multihead_sizes, multihead_unchanged"""
    H_D = omega_q1.shape[0]

    # head 1
    Q1 = omega_q1 @ X + beta_q1
    K1 = omega_k1 @ X + beta_k1
    V1 = omega_v1 @ X + beta_v1
    attention1 = softmax_cols(K1.T @ Q1 / np.sqrt(H_D))
    head1 = V1 @ attention1

    # head 2
    Q2 = omega_q2 @ X + beta_q2
    K2 = omega_k2 @ X + beta_k2
    V2 = omega_v2 @ X + beta_v2
    attention2 = softmax_cols(K2.T @ Q2 / np.sqrt(H_D))
    head2 = V2 @ attention2

    heads = np.vstack((head1, head2))
    X_prime = omega_c @ heads
    # Replace this line
    X_prime = np.zeros_like(X)
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


def multihead_scaled_self_attention__sigmoid_weights(X, omega_v1, omega_q1, omega_k1, beta_v1, beta_q1, beta_k1, omega_v2, omega_q2, omega_k2, beta_v2, beta_q2, beta_k2, omega_c):
    """loses: multihead_published, multihead_sizes, multihead_unchanged"""
    dim, num_tokens = X.shape
    head_dim = dim // 2
    q1, q2 = omega_q1 @ X + beta_q1, omega_q2 @ X + beta_q2
    k1, k2 = omega_k1 @ X + beta_k1, omega_k2 @ X + beta_k2
    v1, v2 = omega_v1 @ X + beta_v1, omega_v2 @ X + beta_v2
    a1 = 1 / (1 + np.exp(-(k1.T @ q1) / np.sqrt(head_dim)))
    a2 = 1 / (1 + np.exp(-(k2.T @ q2) / np.sqrt(head_dim)))
    sa1 = v1 @ a1
    sa2 = v2 @ a2
    together = np.concatenate((sa1, sa2))
    out = omega_c @ together
    return out


def softmax_cols__softmax_global(data_in):
    """loses: softmax_cols_published, softmax_cols_sizes, softmax_cols_large, softmax_cols_unchanged,
    multihead_published
    """
    num = np.exp(data_in - np.amax(data_in))
    den = np.sum(num)
    return num / den


def multihead_scaled_self_attention__softmax_over_queries(
    X,
    omega_v1, omega_q1, omega_k1, beta_v1, beta_q1, beta_k1,
    omega_v2, omega_q2, omega_k2, beta_v2, beta_q2, beta_k2,
    omega_c,
):
    """loses: multihead_published, multihead_sizes, multihead_unchanged"""
    H_D = omega_q1.shape[0]

    # head 1
    Q1 = omega_q1 @ X + beta_q1
    K1 = omega_k1 @ X + beta_k1
    V1 = omega_v1 @ X + beta_v1
    attention1 = softmax_cols(Q1.T @ K1 / np.sqrt(H_D))
    head1 = V1 @ attention1.T

    # head 2
    Q2 = omega_q2 @ X + beta_q2
    K2 = omega_k2 @ X + beta_k2
    V2 = omega_v2 @ X + beta_v2
    attention2 = softmax_cols(Q2.T @ K2 / np.sqrt(H_D))
    head2 = V2 @ attention2.T

    heads = np.vstack((head1, head2))
    X_prime = omega_c @ heads
    return X_prime


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


def softmax_cols__softmax_unstable_minimum(data_in):
    """loses: softmax_cols_large"""
    least = [min(column) for column in data_in.T]
    raised = np.exp(data_in - np.array(least))
    return np.divide(raised, raised.sum(axis=0))


def multihead_scaled_self_attention__stale_loop_variable_queries(X, omega_v1, omega_q1, omega_k1, beta_v1, beta_q1, beta_k1,
                                    omega_v2, omega_q2, omega_k2, beta_v2, beta_q2, beta_k2, omega_c):
    """loses: multihead_published, multihead_sizes, multihead_unchanged"""
    queries, keys, values = [], [], []
    for number in (1, 2):
        wv, wq, wk = (omega_v1, omega_q1, omega_k1) if number == 1 else (omega_v2, omega_q2, omega_k2)
        bv, bq, bk = (beta_v1, beta_q1, beta_k1) if number == 1 else (beta_v2, beta_q2, beta_k2)
        query = wq.dot(X) + bq
        queries.append(query)
        keys.append(wk.dot(X) + bk)
        values.append(wv.dot(X) + bv)
    stacked = []
    for key, value in zip(keys, values):
        stacked.extend(value @ softmax_cols(key.T @ query / np.sqrt(query.shape[0])))
    return omega_c @ np.array(stacked)


def multihead_scaled_self_attention__tokens_as_rows(X, omega_v1, omega_q1, omega_k1, beta_v1, beta_q1, beta_k1,
                                    omega_v2, omega_q2, omega_k2, beta_v2, beta_q2, beta_k2, omega_c):
    """loses: multihead_published, multihead_sizes, multihead_unchanged"""
    def head(wv, wq, wk, bv, bq, bk):
        v = X @ np.transpose(wv) + bv.ravel()
        q = X @ np.transpose(wq) + bq.ravel()
        k = X @ np.transpose(wk) + bk.ravel()
        a = softmax_cols((q @ k.T / np.sqrt(q.shape[1])).T).T
        return a @ v
    both = np.hstack(
        [
            head(omega_v1, omega_q1, omega_k1, beta_v1, beta_q1, beta_k1),
            head(omega_v2, omega_q2, omega_k2, beta_v2, beta_q2, beta_k2),
        ],
    )
    return np.matmul(both, omega_c.T)


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


def attention_head__root_cut(X, omega_v, omega_q, omega_k, beta_v, beta_q, beta_k):
    """loses: multihead_sizes, multihead_unchanged"""
    V, Q, K = omega_v @ X + beta_v, omega_q @ X + beta_q, omega_k @ X + beta_k
    weights = softmax_cols(K.T @ Q / int(len(Q) ** 0.5))
    return V @ weights


def multihead_scaled_self_attention__parameter_of_the_other_head_slice(
    X, omega_v1, omega_q1, omega_k1, beta_v1, beta_q1, beta_k1, omega_v2, omega_q2, omega_k2, beta_v2, beta_q2, beta_k2, omega_c
):
    """loses: multihead_published, multihead_sizes, multihead_unchanged"""
    omegas = [omega_v1, omega_q1, omega_k1, omega_v2, omega_q2, omega_k2]
    betas = [beta_v1, beta_q1, beta_k1, beta_v2, beta_q2, beta_k2]
    heads = [attention_head(X, *omegas[3 * h : 3 * h + 3], *betas[h : h + 3]) for h in range(2)]
    return omega_c @ np.vstack(heads)


def multihead_scaled_self_attention__weights_shared_by_heads_mean(
    X, omega_v1, omega_q1, omega_k1, beta_v1, beta_q1, beta_k1, omega_v2, omega_q2, omega_k2, beta_v2, beta_q2, beta_k2, omega_c
):
    """loses: multihead_published, multihead_sizes, multihead_unchanged"""

    def weights_of(omega_q, omega_k, beta_q, beta_k):
        Q = omega_q @ X + beta_q
        K = omega_k @ X + beta_k
        return softmax_cols(K.T @ Q / np.sqrt(Q.shape[0]))

    maps = [weights_of(omega_q1, omega_k1, beta_q1, beta_k1), weights_of(omega_q2, omega_k2, beta_q2, beta_k2)]
    A = np.mean(maps, axis=0)
    return omega_c @ np.vstack([(omega_v1 @ X + beta_v1) @ A, (omega_v2 @ X + beta_v2) @ A])


def softmax_cols__axis_squeezed_result(data_in):
    """loses: softmax_cols_sizes, softmax_cols_large, softmax_cols_unchanged, multihead_sizes, multihead_unchanged"""
    powers = np.exp(data_in - np.max(data_in, axis=0, keepdims=True))
    return np.squeeze(powers / np.sum(powers, axis=0, keepdims=True))


def softmax_cols__equal_scores_merged_dictionary(data_in):
    """loses: softmax_cols_published, softmax_cols_sizes, softmax_cols_large, softmax_cols_unchanged"""
    columns = []
    for column in data_in.T:
        highest = max(column)
        powers = {score: math.exp(score - highest) for score in column}
        total = sum(powers.values())
        columns.append([powers[score] / total for score in column])
    return np.array(columns).T


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
