"""starving: let torch take 64 GB

score: 0
status: memory_limit
homework: hw2_self_attention
"""

import torch


def self_attention_torch(X, W_q, W_k, W_v):
    return torch.empty(1 << 33).fill_(1.0)
