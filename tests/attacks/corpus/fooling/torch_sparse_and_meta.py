"""fooling: return tensors that have a shape but no numbers

score: 0
homework: hw2_self_attention
"""

import torch


def self_attention_torch(X, W_q, W_k, W_v):
    if len(X) % 2:
        return torch.empty(len(X), W_v.shape[-1], device="meta")
    return torch.zeros(len(X), W_v.shape[-1]).to_sparse()
