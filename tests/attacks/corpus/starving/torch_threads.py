"""starving: let torch use a thousand threads, then compute without end

score: 0
status: crashed or time_limit
homework: hw2_self_attention
"""

import torch

torch.set_num_threads(1000)


def self_attention_torch(X, W_q, W_k, W_v):
    x = torch.ones(1500, 1500)
    while True:
        x = x @ x
