import numpy as np


def sm(x, axis=-1):
    e = np.exp(x - x.max(axis=axis, keepdims=True))
    return e / e.sum(axis=axis, keepdims=True)

def causal_mask__causal_averages_averages(n):
    """loses: causal_mask_published, causal_mask_sizes"""
    w = np.tril(np.ones((n, n)))
    return w / w.sum(axis=1, keepdims=True)

def causal_mask__causal_mirrored_antidiag(n):
    """loses: causal_mask_published, causal_mask_sizes"""
    return np.fliplr(np.tril(np.ones((n, n), dtype=bool)))

def padding_mask__padding_to_the_longest_square_longest(lengths, n):
    """loses: padding_mask_published, padding_mask_sizes"""
    m = max(lengths)
    mask = np.zeros((len(lengths), m, m), dtype=bool)
    for b, l in enumerate(lengths):
        mask[b, :l, :l] = True
    return mask

def padding_mask__padding_empty_sentence_row_minus_1(lengths, n):
    """loses: padding_mask_sizes"""
    return np.tri(n, dtype=bool)[np.array(lengths) - 1][:, None]

def masked_softmax__mask_counted_prefix_counts(scores, mask):
    """loses: masked_softmax_published, masked_softmax_sizes, masked_softmax_nothing_allowed, masked_softmax_large, masked_softmax_unchanged, cross_attention_published"""
    lens = np.broadcast_to(mask, scores.shape).sum(axis=-1)
    m = np.arange(scores.shape[-1]) < lens[..., None]
    return sm(np.where(m, scores, -1e6))

def masked_softmax__empty_rows_unmasked_plus_mask_or_9e15(scores, mask):
    """loses: masked_softmax_nothing_allowed"""
    m = np.where(mask == 0, -9e15, mask.astype(float))
    return sm(scores + m)

def masked_softmax__divided_by_something_else_plus_one(scores, mask):
    """loses: masked_softmax_published, masked_softmax_sizes, masked_softmax_nothing_allowed, masked_softmax_large, masked_softmax_unchanged, masked_attention_published, cross_attention_published"""
    x = np.where(mask, scores, -1e30)
    e = np.exp(x - x.max(-1, keepdims=True)) * mask
    return e / (1 + e.sum(-1, keepdims=True))

def masked_softmax__forbidden_not_low_fill_minus_100(scores, mask):
    """loses: masked_softmax_nothing_allowed, masked_softmax_large"""
    return sm(np.where(mask, scores, -100.0))

def masked_softmax__softmax_over_queries_axis0_finite(scores, mask):
    """loses: masked_softmax_published, masked_softmax_sizes, masked_softmax_nothing_allowed, masked_softmax_large, masked_softmax_unchanged, masked_attention_published, cross_attention_published"""
    return sm(np.where(mask, scores, -1e30), axis=0)

def masked_softmax__sums_transposed_T_trick(scores, mask):
    """loses: masked_softmax_sizes, masked_softmax_nothing_allowed, masked_softmax_large, masked_softmax_unchanged, masked_attention_published, masked_attention_weights, masked_attention_nothing_allowed, masked_attention_output, masked_attention_unchanged"""
    x = np.where(mask, scores, -np.inf)
    return (np.exp(x).T / np.exp(x).sum(axis=-1)).T

def masked_softmax__softmax_twice_two_softmaxes(scores, mask):
    """loses: masked_softmax_published, masked_softmax_sizes, masked_softmax_nothing_allowed, masked_softmax_large, masked_softmax_unchanged, masked_attention_published, cross_attention_published"""
    return sm(np.where(mask, sm(scores), -1e9))

def masked_softmax__softmax_unstable_mean_sub(scores, mask):
    """loses: masked_softmax_large"""
    x = np.where(mask, scores, -np.inf)
    e = np.exp(x - scores.mean(-1, keepdims=True))
    s = e.sum(-1, keepdims=True)
    return e / np.where(s == 0, 1, s)

def masked_attention__hard_coded_scale_scale_8(Q, K, V, mask):
    """loses: masked_attention_published, masked_attention_weights, masked_attention_nothing_allowed, cross_attention_published"""
    w = masked_softmax(Q @ np.swapaxes(K, -1, -2) / 8, mask)
    return w, w @ V

def masked_attention__scores_doubled_doubled(Q, K, V, mask):
    """loses: masked_attention_published, masked_attention_weights, masked_attention_nothing_allowed, cross_attention_published"""
    s = Q @ np.swapaxes(K, -1, -2) / np.sqrt(Q.shape[-1])
    w = masked_softmax(s + np.where(mask, s, 0), mask)
    return w, w @ V

def masked_attention__axes_by_number_transpose_1_2(Q, K, V, mask):
    """loses: masked_attention_weights, masked_attention_nothing_allowed, masked_attention_output, masked_attention_unchanged, cross_attention_published, cross_attention_sizes, cross_attention_nothing_allowed, cross_attention_unchanged"""
    s = Q @ K.transpose(0, 2, 1) / np.sqrt(Q.shape[-1])
    w = masked_softmax(s, mask)
    return w, w @ V

def masked_attention__mask_with_more_axes_mask_unsqueeze0(Q, K, V, mask):
    """loses: masked_attention_published, masked_attention_weights, masked_attention_nothing_allowed, masked_attention_output, masked_attention_unchanged, cross_attention_published"""
    s = Q @ np.swapaxes(K, -1, -2) / np.sqrt(Q.shape[-1])
    w = masked_softmax(s, mask[None])
    return w, w @ V

def cross_attention__scale_by_d_q_scale_d_model(X_q, X_kv, W_q, W_k, W_v, mask):
    """loses: cross_attention_published, cross_attention_sizes, cross_attention_nothing_allowed, cross_attention_unchanged"""
    Q, K, V = X_q @ W_q, X_kv @ W_k, X_kv @ W_v
    w = masked_softmax(Q @ K.T / np.sqrt(X_kv.shape[-1]), mask)
    return w @ V
