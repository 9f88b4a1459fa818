"""Right answers to hw5 in other styles."""

import math
from functools import reduce

import numpy as np
import torch
import torch.nn.functional as F
from numpy.typing import NDArray


class submission__einsum_stacked_heads:
    def softmax_cols(data_in):
        z = np.exp(data_in - data_in.max(axis=-2, keepdims=True))
        return z / z.sum(axis=-2, keepdims=True)

    def multihead_scaled_self_attention(X, *rest):
        """Both heads at once, along a new first axis."""
        W = np.stack([np.stack(rest[0:3]), np.stack(rest[6:9])])  # (head, vqk, H_D, D)
        b = np.stack([np.stack(rest[3:6]), np.stack(rest[9:12])])  # (head, vqk, H_D, 1)
        v, q, k = np.moveaxis(np.einsum("hped,dn->hpen", W, X) + b, 1, 0)
        a = softmax_cols(np.einsum("hem,hen->hmn", k, q) * q.shape[1] ** -0.5)
        y = np.einsum("hem,hmn->hen", v, a)
        return np.einsum("ij,jn->in", rest[12], y.reshape(X.shape))


class submission__float32_inside:
    def softmax_cols(data_in):
        data = np.asarray(data_in, dtype=np.float32)
        e = np.exp(data - data.max(0))
        return e / e.sum(0)

    def _head(X, *parameters):
        X = X.astype("float32")
        ov, oq, ok, bv, bq, bk = [p.astype("float32") for p in parameters]
        s = (ok @ X + bk).T @ (oq @ X + bq)
        return (ov @ X + bv) @ softmax_cols(s / np.sqrt(np.float32(oq.shape[0])))

    def multihead_scaled_self_attention(
        X,
        omega_v1, omega_q1, omega_k1, beta_v1, beta_q1, beta_k1,
        omega_v2, omega_q2, omega_k2, beta_v2, beta_q2, beta_k2,
        omega_c,
    ):
        one = _head(X, omega_v1, omega_q1, omega_k1, beta_v1, beta_q1, beta_k1)
        two = _head(X, omega_v2, omega_q2, omega_k2, beta_v2, beta_q2, beta_k2)
        return np.float32(omega_c) @ np.r_[one, two]


class submission__helper_class:
    class Head:
        def __init__(self, omega_v, omega_q, omega_k, beta_v, beta_q, beta_k):
            self.omega = {"v": omega_v, "q": omega_q, "k": omega_k}
            self.beta = {"v": beta_v, "q": beta_q, "k": beta_k}

        def project(self, which, X):
            return self.omega[which] @ X + self.beta[which]

        def forward(self, X):
            scores = self.project("k", X).T @ self.project("q", X)
            scores = scores / np.sqrt(self.omega["q"].shape[0])
            return self.project("v", X) @ softmax_cols(scores)

    class MultiHead:
        def __init__(self, heads, omega_c):
            self.heads = heads
            self.omega_c = omega_c

        def forward(self, X):
            return self.omega_c @ np.vstack([head.forward(X) for head in self.heads])

    def softmax_cols(data_in):
        result = np.empty(data_in.shape)
        for j, column in enumerate(data_in.T):
            e = np.exp(column - column.max())
            result[:, j] = e / e.sum()
        return result

    def multihead_scaled_self_attention(X, *parameters):
        heads = [Head(*parameters[:6]), Head(*parameters[6:12])]
        return MultiHead(heads, parameters[12]).forward(X)


class submission__inline_heads:
    def softmax_cols(data_in):
        shifted = data_in - np.max(data_in, axis=0)
        e = np.exp(shifted)
        return e / np.sum(e, axis=0)

    def multihead_scaled_self_attention(
        X,
        omega_v1, omega_q1, omega_k1, beta_v1, beta_q1, beta_k1,
        omega_v2, omega_q2, omega_k2, beta_v2, beta_q2, beta_k2,
        omega_c,
    ):
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
        return X_prime


class submission__log_sum_exp:
    def softmax_cols(data_in):
        top = data_in.max(axis=0)
        log_total = top + np.log(np.exp(data_in - top).sum(axis=0))
        return np.exp(data_in - log_total)

    def head(X, omega_v, omega_q, omega_k, beta_v, beta_q, beta_k):
        Q = omega_q @ X + beta_q
        K = omega_k @ X + beta_k
        V = omega_v @ X + beta_v
        return V @ softmax_cols(K.T @ Q / np.sqrt(K.shape[0]))

    def multihead_scaled_self_attention(
        X,
        omega_v1, omega_q1, omega_k1, beta_v1, beta_q1, beta_k1,
        omega_v2, omega_q2, omega_k2, beta_v2, beta_q2, beta_k2,
        omega_c,
    ):
        left, right = np.split(omega_c, 2, axis=1)
        upper = left @ head(X, omega_v1, omega_q1, omega_k1, beta_v1, beta_q1, beta_k1)
        lower = right @ head(X, omega_v2, omega_q2, omega_k2, beta_v2, beta_q2, beta_k2)
        return upper + lower


class submission__no_key_bias:
    def softmax_cols(data_in):
        e = np.exp(data_in - data_in.max(axis=0))
        return e / e.sum(axis=0)

    def attention_head(X, omega_v, omega_q, omega_k, beta_v, beta_q, beta_k):
        # beta_k adds the same number to a whole column of scores; softmax_cols takes it away again
        scores = (omega_k @ X).T @ (omega_q @ X + beta_q)
        return (omega_v @ X + beta_v) @ softmax_cols(scores / np.sqrt(omega_k.shape[0]))

    def multihead_scaled_self_attention(X, ov1, oq1, ok1, bv1, bq1, bk1, ov2, oq2, ok2, bv2, bq2, bk2, omega_c):
        head_1 = attention_head(X, ov1, oq1, ok1, bv1, bq1, bk1)
        head_2 = attention_head(X, ov2, oq2, ok2, bv2, bq2, bk2)
        return omega_c @ np.append(head_1, head_2, axis=0)


class submission__plain_python_loops:
    def softmax_cols(data_in):
        rows = data_in.shape[0]
        cols = data_in.shape[1]
        out = np.zeros((rows, cols))
        for j in range(cols):
            m = max(data_in[:, j])
            total = 0
            for i in range(rows):
                out[i, j] = math.exp(data_in[i, j] - m)
                total = total + out[i, j]
            for i in range(rows):
                out[i, j] = out[i, j] / total
        return out

    def multihead_scaled_self_attention(X, omega_v1, omega_q1, omega_k1, beta_v1, beta_q1, beta_k1,
                                        omega_v2, omega_q2, omega_k2, beta_v2, beta_q2, beta_k2, omega_c):
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
        return omega_c.dot(heads)


class submission__queries_in_rows:
    def softmax_cols(data_in):
        # keepdims so that the shapes fit
        biggest = data_in.max(axis=0, keepdims=True)
        powers = np.exp(data_in - biggest)
        return powers / powers.sum(axis=0, keepdims=True)

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
        return np.dot(omega_c, stacked)


class submission__renamed_parameters:
    def softmax_cols(scores: np.ndarray, verbose: bool = False) -> np.ndarray:
        if verbose:
            print(scores.shape)
        numerator = np.exp(scores - np.max(scores, axis=0, keepdims=True))
        return numerator / np.sum(numerator, axis=0, keepdims=True)

    def multihead_scaled_self_attention(
        inputs, Wv_a, Wq_a, Wk_a, bv_a, bq_a, bk_a, Wv_b, Wq_b, Wk_b, bv_b, bq_b, bk_b, W_out, heads=2
    ):
        size = inputs.shape[0] // heads

        def look(Wv, Wq, Wk, bv, bq, bk):
            # the scaling can be done to the queries as well
            asking = (Wq @ inputs + bq) / size ** 0.5
            return (Wv @ inputs + bv) @ softmax_cols((Wk @ inputs + bk).T @ asking)

        result = np.zeros(inputs.shape)
        result[:size] = look(Wv_a, Wq_a, Wk_a, bv_a, bq_a, bk_a)
        result[size:] = look(Wv_b, Wq_b, Wk_b, bv_b, bq_b, bk_b)
        return W_out @ result


class submission__stacked_projections:
    def softmax_cols(data_in):
        e = np.exp(data_in - np.maximum.reduce(data_in))
        return e / reduce(np.add, e)

    def multihead_scaled_self_attention(
        X,
        omega_v1, omega_q1, omega_k1, beta_v1, beta_q1, beta_k1,
        omega_v2, omega_q2, omega_k2, beta_v2, beta_q2, beta_k2,
        omega_c,
    ):
        # project once for all heads, then cut into pieces
        all_omega = np.vstack((omega_q1, omega_q2, omega_k1, omega_k2, omega_v1, omega_v2))
        all_beta = np.vstack((beta_q1, beta_q2, beta_k1, beta_k2, beta_v1, beta_v2))
        q1, q2, k1, k2, v1, v2 = np.split(all_omega @ X + all_beta, 6)
        root = np.sqrt(len(q1))
        weighted = [v @ softmax_cols(k.T @ (q / root)) for q, k, v in ((q1, k1, v1), (q2, k2, v2))]
        return omega_c @ np.concatenate(weighted)


class submission__torch_inside:
    def softmax_cols(data_in):
        return torch.softmax(torch.tensor(data_in, dtype=torch.float64), dim=0).numpy()

    def multihead_scaled_self_attention(X, *arrays):
        X, *arrays = [torch.tensor(a, dtype=torch.float64) for a in (X, *arrays)]
        heads = []
        for h in (0, 6):
            wv, wq, wk, bv, bq, bk = arrays[h:h + 6]
            v, q, k = (w @ X + b for w, b in ((wv, bv), (wq, bq), (wk, bk)))
            heads.append(F.scaled_dot_product_attention(q.T[None], k.T[None], v.T[None])[0].T)
        return arrays[-1] @ torch.cat(heads)


class submission__transposed_views:
    def softmax_rows(s):
        e = np.exp(s - s.max(axis=1)[:, None])
        return e / e.sum(axis=1)[:, None]

    def softmax_cols(data_in):
        return softmax_rows(data_in.T).T

    def multihead_scaled_self_attention(
        X, wv1, wq1, wk1, bv1, bq1, bk1, wv2, wq2, wk2, bv2, bq2, bk2, wc
    ):
        tokens = X.T
        outs = []
        for wv, wq, wk, bv, bq, bk in ((wv1, wq1, wk1, bv1, bq1, bk1), (wv2, wq2, wk2, bv2, bq2, bk2)):
            q, k, v = tokens @ wq.T + bq.T, tokens @ wk.T + bk.T, tokens @ wv.T + bv.T
            outs.append(softmax_rows(q @ k.T / np.sqrt(q.shape[1])) @ v)
        return (np.hstack(outs) @ wc.T).T


class submission__typed_helpers:
    def softmax_cols(data_in: NDArray) -> NDArray:
        """Column-wise softmax."""
        exponentials = np.exp(data_in - data_in.max(axis=0))
        return exponentials / exponentials.sum(axis=0)

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
        return np.matmul(value, softmax_cols(scores))

    def multihead_scaled_self_attention(X: NDArray, *parameters: NDArray) -> NDArray:
        """Two heads, stacked and recombined."""
        omega_c = parameters[-1]
        first_head = head(X, parameters[0:6])
        second_head = head(X, parameters[6:12])
        return np.matmul(omega_c, np.vstack([first_head, second_head]))
