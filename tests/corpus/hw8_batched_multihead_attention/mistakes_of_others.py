import numpy as np


def sm(x, axis=-1):
    e = np.exp(x - x.max(axis=axis, keepdims=True))
    return e / e.sum(axis=axis, keepdims=True)

def core(X, W_q, W_k, W_v, W_o, H, mask, scale=None, axis=-1, fill=-np.inf, prep=None):
    B, N, D = X.shape
    q, k, v = (split_heads(X @ W, H) for W in (W_q, W_k, W_v))
    s = q @ k.swapaxes(-1, -2) / (np.sqrt(D // H) if scale is None else scale)
    if mask is not None:
        if prep is not None:
            mask = prep(mask)
        s = np.where(mask, s, fill)
    return merge_heads(sm(s, axis) @ v) @ W_o

def multihead_attention__queries_keys_values_interleaved_qkv_interleaved_heads(X, W_q, W_k, W_v, W_o, n_heads, mask=None):
    """loses: multihead_published, multihead_sizes, multihead_masks, multihead_large, multihead_unchanged"""
    B, N, D = X.shape
    qkv = (X @ np.concatenate([W_q, W_k, W_v], axis=1)).reshape(B, N, n_heads, 3 * D // n_heads).transpose(0, 2, 1, 3)
    q, k, v = np.split(qkv, 3, axis=-1)
    s = q @ k.swapaxes(-1, -2) / np.sqrt(q.shape[-1])
    if mask is not None:
        s = np.where(mask, s, -9e15)
    return (sm(s) @ v).transpose(0, 2, 1, 3).reshape(B, N, D) @ W_o

def multihead_attention__queries_keys_values_interleaved_qkv_columns_mod3(X, W_q, W_k, W_v, W_o, n_heads, mask=None):
    """loses: multihead_published, multihead_sizes, multihead_masks, multihead_large, multihead_unchanged"""
    B, N, D = X.shape
    qkv = (X @ np.concatenate([W_q, W_k, W_v], axis=1)).reshape(B, N, D, 3)
    q, k, v = (split_heads(qkv[..., i], n_heads) for i in range(3))
    return merge_heads(attend(q, k, v, mask)) @ W_o

def multihead_attention__mask_meets_heads_first_mask_hb_order(X, W_q, W_k, W_v, W_o, n_heads, mask=None):
    """loses: multihead_masks"""
    B, N, D = X.shape
    q, k, v = (split_heads(X @ W, n_heads).reshape(-1, N, D // n_heads) for W in (W_q, W_k, W_v))
    s = q @ k.swapaxes(1, 2) / np.sqrt(D // n_heads)
    if mask is not None:
        m = np.broadcast_to(mask, (B, n_heads, N, N)).transpose(1, 0, 2, 3).reshape(-1, N, N)
        s = np.where(m, s, -np.inf)
    return merge_heads((sm(s) @ v).reshape(B, n_heads, N, -1)) @ W_o

def multihead_attention__mask_meets_heads_first_mask_tiled(X, W_q, W_k, W_v, W_o, n_heads, mask=None):
    """loses: multihead_masks"""
    B, N, D = X.shape
    q, k, v = (split_heads(X @ W, n_heads).reshape(-1, N, D // n_heads) for W in (W_q, W_k, W_v))
    s = q @ k.swapaxes(1, 2) / np.sqrt(D // n_heads)
    if mask is not None:
        m = np.tile(np.broadcast_to(mask, (B, n_heads, N, N))[:, 0], (n_heads, 1, 1))
        s = np.where(m, s, -1e9)
    return merge_heads((sm(s) @ v).reshape(B, n_heads, N, -1)) @ W_o

def multihead_attention__hard_coded_scale_scale_half(X, W_q, W_k, W_v, W_o, n_heads, mask=None):
    """loses: multihead_published, multihead_sizes, multihead_masks, multihead_large, multihead_unchanged"""
    return core(X, W_q, W_k, W_v, W_o, n_heads, mask, 2.0)

def multihead_attention__softmax_over_queries_and_keys_softmax_per_matrix(X, W_q, W_k, W_v, W_o, n_heads, mask=None):
    """loses: multihead_published, multihead_sizes, multihead_masks, multihead_large, multihead_unchanged"""
    return core(X, W_q, W_k, W_v, W_o, n_heads, mask, axis=(2, 3))

def multihead_attention__mask_with_more_axes_mask_unsqueeze1(X, W_q, W_k, W_v, W_o, n_heads, mask=None):
    """loses: multihead_published, multihead_masks"""
    return core(X, W_q, W_k, W_v, W_o, n_heads, mask, prep=lambda m: np.expand_dims(m, 1))

def multihead_attention__one_head_meets_all_weights_concat_tokens(X, W_q, W_k, W_v, W_o, n_heads, mask=None):
    """loses: multihead_published, multihead_sizes, multihead_masks, multihead_large, multihead_unchanged"""
    q, k, v = (split_heads(X @ W, n_heads) for W in (W_q, W_k, W_v))
    o = attend(q, k, v, mask)
    return np.concatenate([o[:, h] for h in range(n_heads)], axis=1) @ W_o

def multihead_attention__mask_meets_heads_first_hbnd_heads_first(X, W_q, W_k, W_v, W_o, n_heads, mask=None):
    """loses: multihead_masks"""
    B, N, D = X.shape
    q, k, v = ((X @ W).reshape(B, N, n_heads, D // n_heads).transpose(2, 0, 1, 3) for W in (W_q, W_k, W_v))
    s = q @ k.swapaxes(-1, -2) / np.sqrt(D // n_heads)
    if mask is not None:
        s = np.where(mask, s, -np.inf)
    return (sm(s) @ v).transpose(1, 2, 0, 3).reshape(B, N, D) @ W_o

def grouped_query_attention__group_of_two_repeat2(X, W_q, W_k, W_v, W_o, n_heads, n_kv_heads, mask=None):
    """loses: grouped_query_sizes, grouped_query_masks, grouped_query_large, grouped_query_unchanged"""
    q, k, v = split_heads(X @ W_q, n_heads), split_heads(X @ W_k, n_kv_heads), split_heads(X @ W_v, n_kv_heads)
    return merge_heads(attend(q, k.repeat(2, 1), v.repeat(2, 1), mask)) @ W_o

def grouped_query_attention__group_of_two_index_div_2(X, W_q, W_k, W_v, W_o, n_heads, n_kv_heads, mask=None):
    """loses: grouped_query_sizes, grouped_query_masks, grouped_query_large, grouped_query_unchanged"""
    q, k, v = split_heads(X @ W_q, n_heads), split_heads(X @ W_k, n_kv_heads), split_heads(X @ W_v, n_kv_heads)
    i = np.arange(n_heads) // 2
    return merge_heads(attend(q, k[:, i], v[:, i], mask)) @ W_o

def grouped_query_attention__keys_repeated_along_tokens_repeat_axis0(X, W_q, W_k, W_v, W_o, n_heads, n_kv_heads, mask=None):
    """loses: grouped_query_published, grouped_query_sizes, grouped_query_masks, grouped_query_large, grouped_query_unchanged"""
    q, k, v = split_heads(X @ W_q, n_heads), split_heads(X @ W_k, n_kv_heads), split_heads(X @ W_v, n_kv_heads)
    g = n_heads // n_kv_heads
    return merge_heads(attend(q, k.repeat(g, 0), v.repeat(g, 0), mask)) @ W_o

def merge_heads__tokens_taken_for_heads_dims_named_wrong(X):
    """loses: merge_heads_published, merge_heads_sizes, multihead_published, multihead_sizes, multihead_masks, multihead_large, multihead_unchanged, grouped_query_published, grouped_query_sizes, grouped_query_masks, grouped_query_large, grouped_query_unchanged"""
    B, N, H, d = X.shape
    return X.reshape(B, N, H * d)
