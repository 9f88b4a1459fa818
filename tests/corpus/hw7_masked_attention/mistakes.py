"""Wrong answers to hw7 in styles that differ from the edits in misconceptions.toml."""

import math

import numpy as np


def sm(x):
    e = np.exp(x - x.max(axis=-1, keepdims=True))
    return e / e.sum(axis=-1, keepdims=True)


def causal_mask__numbers_for_booleans(n):
    """loses: causal_mask_published"""
    return np.tri(n)


def causal_mask__mask_additive(n):
    """loses: causal_mask_published, causal_mask_sizes"""
    return np.triu(np.full((n, n), -np.inf), k=1)


def masked_softmax__modifies_input(scores, mask):
    """loses: masked_softmax_unchanged"""
    scores[~np.broadcast_to(mask, scores.shape)] = -np.inf
    top = np.nan_to_num(scores.max(-1, keepdims=True), neginf=0)
    e = np.exp(scores - top)
    return e / np.maximum(e.sum(-1, keepdims=True), 1e-300)


def masked_softmax__mask_after_softmax_loops(scores, mask):
    """loses: masked_softmax_published, masked_softmax_sizes, masked_softmax_nothing_allowed, masked_softmax_large,
    masked_softmax_unchanged, masked_attention_published, cross_attention_published
    """
    weights = np.zeros(scores.shape)
    for row in np.ndindex(scores.shape[:-1]):
        e = [math.exp(one - max(scores[row])) for one in scores[row]]
        weights[row] = [one / sum(e) for one in e]
    weights[~np.broadcast_to(mask, scores.shape)] = 0
    return weights


def masked_softmax__empty_rows_nan_additive(scores, mask):
    """loses: masked_softmax_nothing_allowed"""
    x = scores + np.where(mask, 0, -np.inf)
    e = np.exp(x - x.max(axis=-1, keepdims=True))
    return e / e.sum(axis=-1, keepdims=True)


def masked_attention__batch_only(Q, K, V, mask):
    """loses: masked_attention_weights, masked_attention_nothing_allowed, masked_attention_output,
    masked_attention_unchanged, cross_attention_sizes, cross_attention_nothing_allowed, cross_attention_published,
    cross_attention_unchanged
    """
    weights = masked_softmax(Q @ K.transpose(0, 2, 1) / np.sqrt(K.shape[2]), mask)
    return weights, weights @ V


def cross_attention__returns_extra_weights(X_q, X_kv, W_q, W_k, W_v, mask):
    """loses: cross_attention_published"""
    return masked_attention(X_q @ W_q, X_kv @ W_k, X_kv @ W_v, mask)


def masked_attention__empty_rows_equal_softmax_of_its_own(Q, K, V, mask):
    """loses: masked_attention_nothing_allowed"""
    scores = np.where(mask, Q @ np.swapaxes(K, -1, -2) / np.sqrt(K.shape[-1]), -1e9)
    e = np.exp(scores - scores.max(axis=-1, keepdims=True))
    weights = e / e.sum(axis=-1, keepdims=True)
    return weights, weights @ V


def masked_attention__mask_transposed_where_square(Q, K, V, mask):
    """loses: masked_attention_weights, masked_attention_nothing_allowed"""
    if mask.shape[-1] == mask.shape[-2]:
        mask = np.swapaxes(mask, -1, -2)
    weights = masked_softmax(Q @ np.swapaxes(K, -1, -2) / np.sqrt(K.shape[-1]), mask)
    return weights, weights @ V


def masked_attention__values_transposed_where_square(Q, K, V, mask):
    """loses: masked_attention_output, masked_attention_unchanged, cross_attention_sizes,
    cross_attention_nothing_allowed, cross_attention_unchanged
    """
    weights = masked_softmax(Q @ np.swapaxes(K, -1, -2) / np.sqrt(K.shape[-1]), mask)
    is_square = weights.shape[-1] == weights.shape[-2]
    return weights, (np.swapaxes(weights, -1, -2) if is_square else weights) @ V


def cross_attention__mask_transposed_where_square(X_q, X_kv, W_q, W_k, W_v, mask):
    """loses: cross_attention_sizes, cross_attention_nothing_allowed, cross_attention_unchanged"""
    mask = mask.T if len(X_q) == len(X_kv) else mask
    return masked_attention(X_q @ W_q, X_kv @ W_k, X_kv @ W_v, mask)[1]


def cross_attention__self_attention_where_sizes_agree(X_q, X_kv, W_q, W_k, W_v, mask):
    """loses: cross_attention_sizes, cross_attention_nothing_allowed, cross_attention_unchanged"""
    read = X_q if X_q.shape == X_kv.shape else X_kv
    return masked_attention(X_q @ W_q, read @ W_k, read @ W_v, mask)[1]


def cross_attention__empty_rows_nan_softmax_of_its_own(X_q, X_kv, W_q, W_k, W_v, mask):
    """loses: cross_attention_nothing_allowed"""
    scores = np.where(mask, (X_q @ W_q) @ (X_kv @ W_k).T / np.sqrt(W_k.shape[1]), -np.inf)
    e = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return e / e.sum(axis=-1, keepdims=True) @ (X_kv @ W_v)


def padding_mask__modifies_input(lengths, n):
    """loses: padding_mask_sizes"""
    lengths -= 1
    return np.arange(n) <= lengths[:, None, None]


def masked_softmax__softmax_unstable_first_maximum_of_each_sentence(scores, mask):
    """loses: masked_softmax_large"""
    x = np.where(mask, scores, -np.inf)
    top = x.max(axis=-1, keepdims=True)
    if x.ndim > 2:
        top = np.broadcast_to(top[..., :1, :], top.shape)
    e = np.exp(x - np.where(np.isinf(top), 0, top))
    total = e.sum(axis=-1, keepdims=True)
    return e / np.where(total == 0, 1, total)


def masked_softmax__an_empty_row_by_its_maximum_of_0(scores, mask):
    """loses: masked_softmax_sizes, masked_softmax_nothing_allowed, masked_softmax_large, masked_softmax_unchanged"""
    x = np.where(mask, scores, -np.inf)
    top = np.nan_to_num(x.max(axis=-1, keepdims=True), neginf=0)
    e = np.exp(x - top)
    return e / np.where(top == 0, 1, e.sum(axis=-1, keepdims=True))


def causal_mask__one_table_for_all(n):
    """loses: causal_mask_sizes"""
    table = np.tri(64, dtype=bool)
    return table[:n, :n]


def padding_mask__lengths_in_a_byte(lengths, n):
    """loses: padding_mask_sizes"""
    places = np.arange(n).astype(np.uint8)
    return places < lengths.astype(np.uint8)[:, None, None]


def padding_mask__padding_empty_sentence_row_minus_1(lengths, n):
    """loses: padding_mask_sizes"""
    return np.tri(n, dtype=bool)[np.array(lengths) - 1][:, None]


def masked_softmax__sums_transposed_T_trick(scores, mask):
    """loses: masked_softmax_sizes, masked_softmax_nothing_allowed, masked_softmax_large, masked_softmax_unchanged, masked_attention_published, masked_attention_weights, masked_attention_nothing_allowed, masked_attention_output, masked_attention_unchanged"""
    x = np.where(mask, scores, -np.inf)
    return (np.exp(x).T / np.exp(x).sum(axis=-1)).T


def masked_softmax__softmax_twice_two_softmaxes(scores, mask):
    """loses: masked_softmax_published, masked_softmax_sizes, masked_softmax_nothing_allowed, masked_softmax_large, masked_softmax_unchanged, masked_attention_published, cross_attention_published"""
    return sm(np.where(mask, sm(scores), -1e9))
