import numpy as np

def blockwise_attention__whole_score_matrix(Q, K, V, block_size):
    """loses: blockwise_attention_memory"""
    scores = Q @ K.T / np.sqrt(K.shape[-1])
    weights = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return weights @ V / weights.sum(axis=-1, keepdims=True)

def apply_rope__base_ignored(x, positions, base=10000.0):
    """loses: apply_rope_base"""
    turns = np.exp(1j * positions[:, None] / 10000 ** (np.arange(0, x.shape[1], 2) / x.shape[1]))
    return ((x[:, 0::2] + 1j * x[:, 1::2]) * turns).view(float)
