"""escaping: let torch compile and load a program of one's own

score: 7
homework: hw2_self_attention
"""

import math

import torch
import torch.utils.cpp_extension

for step in (
    lambda: torch.utils.cpp_extension.load_inline("evil", "int evil() { return 1; }", functions=["evil"]),
    lambda: torch.hub.load("pytorch/vision", "resnet18"),
    lambda: torch.save(torch.ones(3), "@writable@/@left@"),
    lambda: torch.distributed.init_process_group(
        "gloo", init_method="tcp://127.0.0.1:@port@", rank=0, world_size=1
    ),
):
    try:
        print("GOT", step())
    except (OSError, RuntimeError, ValueError, TypeError, ImportError) as error:
        print(type(error), error)


def self_attention_torch(X, W_q, W_k, W_v):
    Q, K, V = X @ W_q, X @ W_k, X @ W_v
    return torch.softmax(Q @ K.T / math.sqrt(K.shape[-1]), dim=-1) @ V
