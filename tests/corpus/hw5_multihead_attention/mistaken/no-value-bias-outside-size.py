"""loses: multihead_published, multihead_sizes, multihead_unchanged"""
import numpy as np

X = np.random.RandomState(3).normal(size=(8, 6))
D, N = X.shape
H = 2
H_D = D // H


def softmax_cols(data_in):
    shifted = np.exp(data_in - data_in.max(0))
    return shifted * (1 / shifted.sum(0))


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
