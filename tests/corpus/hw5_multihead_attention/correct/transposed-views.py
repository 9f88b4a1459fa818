import numpy as np


def softmax_rows(s):
    e = np.exp(s - s.max(axis=1)[:, None])
    return e / e.sum(axis=1)[:, None]


def softmax_cols(data_in):
    return softmax_rows(data_in.T).T


# everything with tokens in rows; (A B)^T = B^T A^T does the rest
def multihead_scaled_self_attention(
    X, wv1, wq1, wk1, bv1, bq1, bk1, wv2, wq2, wk2, bv2, bq2, bk2, wc
):
    tokens = X.T
    outs = []
    for wv, wq, wk, bv, bq, bk in ((wv1, wq1, wk1, bv1, bq1, bk1), (wv2, wq2, wk2, bv2, bq2, bk2)):
        q, k, v = tokens @ wq.T + bq.T, tokens @ wk.T + bk.T, tokens @ wv.T + bv.T
        outs.append(softmax_rows(q @ k.T / np.sqrt(q.shape[1])) @ v)
    return (np.hstack(outs) @ wc.T).T
