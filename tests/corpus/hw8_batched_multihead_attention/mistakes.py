import numpy as np


def rows_to_weights(scores):
    e = np.exp(scores - scores.max(-1, keepdims=True))
    return e / e.sum(-1, keepdims=True)


def split_heads__split_without_transpose_view(X, n_heads):
    return np.array([one.reshape(n_heads, -1, len(one[0]) // n_heads) for one in X])


def merge_heads__merge_interleaved_einsum(X):
    B, H, N, d = X.shape
    return np.einsum("bhnd->bndh", X).reshape(B, N, H * d)


def merge_heads__heads_averaged_loop(X):
    total = np.zeros_like(X[:, 0])
    for h in range(X.shape[1]):
        total = total + X[:, h] / X.shape[1]
    return total


def multihead_attention__scale_by_d_model_loops(X, W_q, W_k, W_v, W_o, n_heads, mask=None):
    D = X.shape[-1]
    done = []
    for q, k, v in zip(*(np.split(X @ W, n_heads, -1) for W in (W_q, W_k, W_v))):
        scores = q @ k.transpose(0, 2, 1) / np.sqrt(D)
        done.append(scores)
    scores = np.stack(done, 1) if mask is None else np.where(mask, np.stack(done, 1), -1e9)
    return merge_heads(rows_to_weights(scores) @ split_heads(X @ W_v, n_heads)) @ W_o


def multihead_attention__mask_inverted_additive(X, W_q, W_k, W_v, W_o, n_heads, mask=None):
    q, k, v = (split_heads(X @ W, n_heads) for W in (W_q, W_k, W_v))
    scores = np.einsum("bhid,bhjd->bhij", q, k) / np.sqrt(q.shape[-1])
    return merge_heads(rows_to_weights(scores if mask is None else scores + mask * -1e9) @ v) @ W_o


def multihead_attention__mask_ignored_fused(X, W_q, W_k, W_v, W_o, n_heads, mask=None):
    q, k, v = (split_heads(one, n_heads) for one in np.split(X @ np.hstack([W_q, W_k, W_v]), 3, -1))
    return merge_heads(attend(q, k, v)) @ W_o


def grouped_query_attention__wrong_group_order_modulo(X, W_q, W_k, W_v, W_o, n_heads, n_kv_heads, mask=None):
    use = [h % n_kv_heads for h in range(n_heads)]
    k, v = (split_heads(X @ W, n_kv_heads)[:, use] for W in (W_k, W_v))
    return merge_heads(attend(split_heads(X @ W_q, n_heads), k, v, mask)) @ W_o


def grouped_query_attention__no_output_projection_five_axes(
    X, W_q, W_k, W_v, W_o, n_heads, n_kv_heads, mask=None
):
    B, N, D = X.shape
    q = (X @ W_q).reshape(B, N, n_kv_heads, -1, D // n_heads)
    k, v = ((X @ W).reshape(B, N, n_kv_heads, -1) for W in (W_k, W_v))
    scores = np.einsum("bqghd,bkgd->bghqk", q, k) / np.sqrt(D // n_heads)
    if mask is not None:
        scores = np.where(np.broadcast_to(mask, (B, n_heads, N, N)).reshape(scores.shape), scores, -1e9)
    return np.einsum("bghqk,bkgd->bqghd", rows_to_weights(scores), v).reshape(B, N, D)


def attend__axes_reversed_matmul(Q, K, V, mask=None):
    """loses: multihead_published, multihead_sizes, multihead_masks, multihead_large, multihead_unchanged,
    grouped_query_published, grouped_query_sizes, grouped_query_masks, grouped_query_unchanged
    """
    scores = np.matmul(Q, K.T) / Q.shape[-1] ** 0.5
    return rows_to_weights(scores if mask is None else np.where(mask, scores, -1e9)) @ V
