"""loses: multihead_published, multihead_sizes, multihead_unchanged"""
import math
import numpy as np

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

def multihead_scaled_self_attention(X, omega_q1, omega_k1, omega_v1, beta_q1, beta_k1, beta_v1,
                                    omega_q2, omega_k2, omega_v2, beta_q2, beta_k2, beta_v2, omega_c):
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
