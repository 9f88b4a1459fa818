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


def blockwise_attention__block_not_transposed_dot(Q, K, V, block_size):
    """loses: blockwise_attention_published, blockwise_attention_sizes, blockwise_attention_large,
    blockwise_attention_memory
    """
    blocks = [np.dot(Q, K[i : i + block_size]) for i in range(0, len(K), block_size)]
    scores = np.hstack(blocks) / np.sqrt(Q.shape[1])
    e = np.exp(scores - scores.max(axis=1, keepdims=True))
    return e / e.sum(axis=1, keepdims=True) @ V
