"""Self attention as a small class, used by all three functions."""
from dataclasses import dataclass

import numpy as np
import torch
from torch import nn


@dataclass
class SelfAttention:
    Wq: object
    Wk: object
    Wv: object

    @property
    def key_dim(self):
        return self.Wk.shape[-1]

    def project(self, X):
        return X @ self.Wq, X @ self.Wk, X @ self.Wv

    def scores(self, X):
        Q, K, _ = self.project(X)
        return Q @ K.T / float(np.sqrt(self.key_dim))


def project_qkv(X, W_q, W_k, W_v):
    return SelfAttention(W_q, W_k, W_v).project(X)


def self_attention_numpy(X, W_q, W_k, W_v):
    layer = SelfAttention(W_q, W_k, W_v)
    s = layer.scores(X)
    s -= s.max(axis=1).reshape(-1, 1)
    weights = np.exp(s) / np.exp(s).sum(axis=1).reshape(-1, 1)
    return weights, weights @ layer.project(X)[2]


def self_attention_torch(X, W_q, W_k, W_v):
    layer = SelfAttention(W_q, W_k, W_v)
    return nn.Softmax(dim=-1)(layer.scores(X)) @ layer.project(X)[2]
