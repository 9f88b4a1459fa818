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


def attend__axes_reversed_matmul(Q, K, V, mask=None):
    """loses: multihead_published, multihead_sizes, multihead_masks, multihead_large, multihead_unchanged,
    grouped_query_published, grouped_query_sizes, grouped_query_masks, grouped_query_large, grouped_query_unchanged
    """
    scores = np.matmul(Q, K.T) / Q.shape[-1] ** 0.5
    return rows_to_weights(scores if mask is None else np.where(mask, scores, -1e9)) @ V


def merge_heads__merge_batch_behind_tokens_moveaxis(X):
    """loses: merge_heads_published, merge_heads_sizes, multihead_published, multihead_sizes,
    multihead_masks, multihead_large, multihead_unchanged, grouped_query_published, grouped_query_sizes,
    grouped_query_masks, grouped_query_large, grouped_query_unchanged
    """
    batch, n_heads, n_tokens, d_head = X.shape
    return np.moveaxis(X, 2, 0).reshape(batch, n_tokens, n_heads * d_head)


def grouped_query_attention__queries_cut_into_groups_einsum(X, W_q, W_k, W_v, W_o, n_heads, n_kv_heads, mask=None):
    """loses: grouped_query_published, grouped_query_sizes, grouped_query_masks, grouped_query_large,
    grouped_query_unchanged
    """
    group = n_heads // n_kv_heads
    Q = split_heads(X @ W_q, n_kv_heads)
    K = split_heads(X @ W_k, n_kv_heads).repeat(group, axis=3)
    V = split_heads(X @ W_v, n_kv_heads).repeat(group, axis=3)
    scores = np.einsum("bhid,bhjd->bhij", Q, K) / np.sqrt(Q.shape[3])
    if mask is not None:
        B, H, N, _ = scores.shape
        whole = np.broadcast_to(mask, (B, n_heads, N, N))
        scores = np.where(whole[:, ::group], scores, -np.inf)
    e = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return merge_heads(e / e.sum(axis=-1, keepdims=True) @ V) @ W_o


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


def attend__maximum_of_forbidden_times_mask(Q, K, V, mask=None):
    """loses: multihead_large"""
    scores = Q @ K.swapaxes(-1, -2) * Q.shape[-1] ** -0.5
    numerators = np.exp(scores - scores.max(axis=-1, keepdims=True))
    if mask is not None:
        numerators = numerators * mask
    return (numerators / numerators.sum(axis=-1, keepdims=True)) @ V


def grouped_query_attention__mask_ignored_with_as_many_groups(X, W_q, W_k, W_v, W_o, n_heads, n_kv_heads, mask=None):
    """loses: grouped_query_masks"""
    if n_heads == n_kv_heads:
        return multihead_attention(X, W_q, W_k, W_v, W_o, n_heads)
    K, V = (np.repeat(split_heads(X @ W, n_kv_heads), n_heads // n_kv_heads, axis=1) for W in (W_k, W_v))
    return merge_heads(attend(split_heads(X @ W_q, n_heads), K, V, mask)) @ W_o
