import numpy as np


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
