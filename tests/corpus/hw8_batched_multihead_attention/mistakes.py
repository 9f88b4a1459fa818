import numpy as np


def rows_to_weights(scores):
    e = np.exp(scores - scores.max(-1, keepdims=True))
    return e / e.sum(-1, keepdims=True)


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


def split_heads__only_squares_transposed(X, n_heads):
    """loses: split_heads_sizes, multihead_sizes, multihead_masks, multihead_large, multihead_unchanged,
    grouped_query_sizes, grouped_query_masks, grouped_query_large, grouped_query_unchanged
    """
    heads = X.reshape(*X.shape[:2], n_heads, -1)
    return heads if heads.shape[1] == heads.shape[2] else heads.swapaxes(1, 2)


def split_heads__one_head_squeezed(X, n_heads):
    """loses: split_heads_sizes, multihead_sizes, multihead_large, multihead_unchanged,
    grouped_query_sizes, grouped_query_masks, grouped_query_large, grouped_query_unchanged
    """
    return np.squeeze(X.reshape(*X.shape[:2], n_heads, -1).swapaxes(1, 2))


def merge_heads__only_squares_transposed(X):
    """loses: merge_heads_sizes, multihead_sizes, multihead_masks, multihead_large, multihead_unchanged,
    grouped_query_sizes, grouped_query_masks, grouped_query_large, grouped_query_unchanged
    """
    B, H, N, d = X.shape
    return (X if H == N else X.swapaxes(1, 2)).reshape(B, N, H * d)


def multihead_attention__square_tokens_transposed(X, W_q, W_k, W_v, W_o, n_heads, mask=None):
    """loses: multihead_sizes, multihead_large, multihead_unchanged"""
    if mask is None and X.shape[1] == X.shape[2]:
        X = X.swapaxes(1, 2)
    return merge_heads(attend(*(split_heads(X @ W, n_heads) for W in (W_q, W_k, W_v)), mask)) @ W_o


def multihead_attention__a_mask_for_each_sequence_where_batch_and_tokens_agree(
    X, W_q, W_k, W_v, W_o, n_heads, mask=None
):
    """loses: multihead_masks"""
    if mask is not None and mask.ndim == 2 and len(mask) == len(X):
        mask = mask[:, None, None]
    return merge_heads(attend(*(split_heads(X @ W, n_heads) for W in (W_q, W_k, W_v)), mask)) @ W_o


def grouped_query_attention__softmax_unstable_of_its_own(
    X, W_q, W_k, W_v, W_o, n_heads, n_kv_heads, mask=None
):
    """loses: grouped_query_large"""
    q = split_heads(X @ W_q, n_heads)
    k, v = (np.repeat(split_heads(X @ W, n_kv_heads), n_heads // n_kv_heads, axis=1) for W in (W_k, W_v))
    e = np.exp(q @ k.swapaxes(-1, -2) / np.sqrt(q.shape[-1]))
    if mask is not None:
        e = e * mask
    return merge_heads(e / e.sum(-1, keepdims=True) @ v) @ W_o


def grouped_query_attention__groups_forgotten_where_all_heads_have_keys(
    X, W_q, W_k, W_v, W_o, n_heads, n_kv_heads, mask=None
):
    """loses: grouped_query_sizes, grouped_query_masks, grouped_query_large, grouped_query_unchanged"""
    group = max(2, n_heads // n_kv_heads)
    q = split_heads(X @ W_q, n_heads)
    k, v = (np.repeat(split_heads(X @ W, n_kv_heads), group, axis=1)[:, :n_heads] for W in (W_k, W_v))
    return merge_heads(attend(q, k, v, mask)) @ W_o


def split_heads__modifies_input(X, n_heads):
    """loses: split_heads_sizes"""
    X.shape = (*X.shape[:2], n_heads, X.shape[2] // n_heads)
    heads = X.swapaxes(1, 2).copy()
    X *= 0
    return heads


def merge_heads__modifies_input(X):
    """loses: merge_heads_sizes"""
    B, H, N, d = X.shape
    tokens = X.swapaxes(1, 2).reshape(B, N, H * d).copy()
    X[:] = 0
    return tokens


def attend__mask_of_minus_100(Q, K, V, mask=None):
    """loses: multihead_large"""
    scores = Q @ K.swapaxes(-1, -2) / np.sqrt(Q.shape[-1])
    return rows_to_weights(scores if mask is None else np.where(mask, scores, -100.0)) @ V


def attend__zeroed_exponentials(Q, K, V, mask=None):
    """loses: multihead_large"""
    scores = np.matmul(Q, np.transpose(K, (0, 1, 3, 2))) * Q.shape[-1] ** -0.5
    allowed = np.ones_like(scores) if mask is None else np.broadcast_to(mask, scores.shape)
    e = allowed * np.exp(scores - np.where(allowed, scores, -np.inf).max(-1, keepdims=True).clip(-1e300))
    return (e / e.sum(-1, keepdims=True)) @ V


def attend__forbidden_not_low_logarithm(Q, K, V, mask=None):
    """loses: multihead_large"""
    scores = (Q / np.sqrt(Q.shape[-1]))[..., :, None, :] * K[..., None, :, :]
    scores = scores.sum(-1)
    return (
        rows_to_weights(scores if mask is None else scores + np.log(mask + 1e-300))[..., None] * V[:, :, None]
    ).sum(-2)


def grouped_query_attention__mask_ignored_with_as_many_groups(X, W_q, W_k, W_v, W_o, n_heads, n_kv_heads, mask=None):
    """loses: grouped_query_masks"""
    if n_heads == n_kv_heads:
        return multihead_attention(X, W_q, W_k, W_v, W_o, n_heads)
    K, V = (np.repeat(split_heads(X @ W, n_kv_heads), n_heads // n_kv_heads, axis=1) for W in (W_k, W_v))
    return merge_heads(attend(split_heads(X @ W_q, n_heads), K, V, mask)) @ W_o


def multihead_attention__mask_meets_heads_first_mask_hb_order(X, W_q, W_k, W_v, W_o, n_heads, mask=None):
    """loses: multihead_masks"""
    B, N, D = X.shape
    q, k, v = (split_heads(X @ W, n_heads).reshape(-1, N, D // n_heads) for W in (W_q, W_k, W_v))
    s = q @ k.swapaxes(1, 2) / np.sqrt(D // n_heads)
    if mask is not None:
        m = np.broadcast_to(mask, (B, n_heads, N, N)).transpose(1, 0, 2, 3).reshape(-1, N, N)
        s = np.where(m, s, -np.inf)
    return merge_heads((rows_to_weights(s) @ v).reshape(B, n_heads, N, -1)) @ W_o


def multihead_attention__mask_with_more_axes_mask_unsqueeze1(X, W_q, W_k, W_v, W_o, n_heads, mask=None):
    """loses: multihead_published, multihead_masks"""
    B, N, D = X.shape
    q, k, v = (split_heads(X @ W, n_heads) for W in (W_q, W_k, W_v))
    s = q @ k.swapaxes(-1, -2) / np.sqrt(D // n_heads)
    if mask is not None:
        s = np.where(np.expand_dims(mask, 1), s, -np.inf)
    return merge_heads(rows_to_weights(s) @ v) @ W_o


def multihead_attention__one_head_meets_all_weights_concat_tokens(X, W_q, W_k, W_v, W_o, n_heads, mask=None):
    """loses: multihead_published, multihead_sizes, multihead_masks, multihead_large, multihead_unchanged"""
    q, k, v = (split_heads(X @ W, n_heads) for W in (W_q, W_k, W_v))
    o = attend(q, k, v, mask)
    return np.concatenate([o[:, h] for h in range(n_heads)], axis=1) @ W_o


def grouped_query_attention__keys_repeated_along_tokens_repeat_axis0(X, W_q, W_k, W_v, W_o, n_heads, n_kv_heads, mask=None):
    """loses: grouped_query_published, grouped_query_sizes, grouped_query_masks, grouped_query_large, grouped_query_unchanged"""
    q, k, v = split_heads(X @ W_q, n_heads), split_heads(X @ W_k, n_kv_heads), split_heads(X @ W_v, n_kv_heads)
    g = n_heads // n_kv_heads
    return merge_heads(attend(q, k.repeat(g, 0), v.repeat(g, 0), mask)) @ W_o
