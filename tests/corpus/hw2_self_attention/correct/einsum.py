import numpy as np
import torch
from numpy import einsum


def project_qkv(X, W_q, W_k, W_v):
    return tuple(einsum("nm,md->nd", X, W) for W in [W_q, W_k, W_v])


def self_attention_numpy(X, W_q, W_k, W_v):
    q, k, v = project_qkv(X, W_q, W_k, W_v)
    s = einsum("id,jd->ij", q, k) * k.shape[1] ** -0.5
    s = s - s.max(1)[:, None]
    p = np.exp(s)
    p = einsum("ij,i->ij", p, 1 / p.sum(1))
    return p, einsum("ij,jd->id", p, v)


def self_attention_torch(X, W_q, W_k, W_v):
    q = torch.einsum("nm,md->nd", X, W_q)
    k = torch.einsum("nm,md->nd", X, W_k)
    v = torch.einsum("nm,md->nd", X, W_v)
    p = (torch.einsum("id,jd->ij", q, k) * k.shape[1] ** -0.5).softmax(1)
    return torch.einsum("ij,jd->id", p, v)
