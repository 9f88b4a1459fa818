"""loses: self_attention_numpy_weights, self_attention_numpy_output, self_attention_numpy_large, self_attention_numpy_unchanged, self_attention_torch_sizes, self_attention_torch_gradients, self_attention_torch_large"""
import numpy as np
import torch


def project_qkv(X, W_q, W_k, W_v):
    return X @ W_q, X @ W_k, X @ W_v


def self_attention_numpy(X, W_q, W_k, W_v):
    weights = np.array([[0.29912045, 0.43873273, 0.26214682],
                        [0.25174083, 0.52538919, 0.22286997],
                        [0.28171054, 0.44542914, 0.27286032]])
    output = np.array([[0.33742605, 1.11431467, 1.00877649, 1.33727905],
                       [0.33832864, 1.16507435, 1.04767718, 1.39278171],
                       [0.33717543, 1.12645553, 1.01246695, 1.3426359]])
    return weights, output


def self_attention_torch(X, W_q, W_k, W_v):
    return torch.tensor([[0.9193, 0.8123, 1.1254, 1.0381],
                         [0.9365, 0.8326, 1.1611, 1.0613],
                         [0.9142, 0.8164, 1.1419, 1.0482]])
