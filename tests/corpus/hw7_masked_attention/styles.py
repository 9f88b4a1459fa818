"""Right answers to hw7 in other styles."""

import math

import numpy as np
import torch
import torch.nn.functional as F


def causal_mask__tril(n):
    return np.tril(np.ones((n, n), dtype=bool))


def causal_mask__not_triu(n):
    return ~np.triu(np.ones((n, n)), k=1).astype(bool)


def causal_mask__boolean_lists(n):
    return [[j <= i for j in range(n)] for i in range(n)]


def causal_mask__with_torch(n):
    return torch.ones(n, n).tril().bool()


def causal_mask__from_function(n):
    return np.fromfunction(lambda i, j: i >= j, (n, n))


def causal_mask__running_or(n):
    return np.logical_or.accumulate(np.eye(n, dtype=bool), axis=0)


def causal_mask__sliding_window(n):
    row = np.r_[np.full(n, True), np.full(n - 1, False)]
    return np.lib.stride_tricks.sliding_window_view(row, n)[::-1]


def padding_mask__loops(lengths, n):
    mask = np.zeros((len(lengths), 1, n), dtype=bool)
    for b, length in enumerate(lengths):
        mask[b, 0, :length] = True
    return mask


def padding_mask__nested_tuples(lengths, n):
    return tuple((tuple(j < int(m) for j in range(n)),) for m in lengths)


def padding_mask__with_torch(lengths, n):
    return (torch.arange(n) < torch.as_tensor(lengths)[:, None]).unsqueeze(1)


def padding_mask__rows_of_a_triangle(lengths, n):
    return np.tri(n + 1, n, k=-1, dtype=bool)[np.array(lengths)][:, np.newaxis, :]


def padding_mask__stacked(lengths, n):
    return np.stack([[np.r_[np.full(m, True), np.full(n - m, False)]] for m in lengths])


def masked_softmax__minus_infinity_added(scores, mask):
    with np.errstate(all="ignore"):
        x = scores + np.where(mask, 0.0, -np.inf)
        e = np.exp(x - x.max(axis=-1, keepdims=True))
        return np.nan_to_num(e / e.sum(axis=-1, keepdims=True))


def masked_softmax__finite_minimum_then_cleared(scores, mask):
    mask = np.broadcast_to(mask, scores.shape)
    x = np.where(mask, scores, -1e9)
    e = np.exp(x - x.max(-1, keepdims=True))
    weights = e / e.sum(-1, keepdims=True)
    return np.where(mask.any(-1, keepdims=True), weights, 0.0)


def masked_softmax__masked_array(scores, mask):
    x = np.ma.masked_array(scores, ~np.broadcast_to(mask, scores.shape))
    e = np.ma.exp(x - x.max(axis=-1, keepdims=True))
    return (e / e.sum(axis=-1, keepdims=True)).filled(0.0)


def masked_softmax__ufunc_where(scores, mask):
    mask = np.broadcast_to(mask, scores.shape)
    top = scores.max(axis=-1, keepdims=True, where=mask, initial=-1e300)
    e = np.exp(scores - top, out=np.zeros(scores.shape), where=mask)
    total = e.sum(axis=-1, keepdims=True)
    return np.divide(e, total, out=np.zeros_like(e), where=total > 0)


def masked_softmax__plain_loops(scores, mask):
    mask, weights = np.broadcast_to(mask, scores.shape), np.zeros(scores.shape)
    for row in np.ndindex(scores.shape[:-1]):
        seen = [j for j in range(scores.shape[-1]) if mask[row][j]]
        top = max((scores[row][j] for j in seen), default=0.0)
        total = math.fsum(math.exp(scores[row][j] - top) for j in seen)
        for j in seen:
            weights[row][j] = math.exp(scores[row][j] - top) / total
    return weights


def masked_softmax__boolean_indices(scores, mask):
    flat = np.broadcast_to(mask, scores.shape).reshape(-1, scores.shape[-1])
    weights = np.zeros(flat.shape)
    for row, allowed, out in zip(scores.reshape(flat.shape), flat, weights):
        if allowed.any():
            e = np.exp(row[allowed] - row[allowed].max())
            out[allowed] = e / e.sum()
    return weights.reshape(scores.shape).tolist()


def masked_softmax__log_sum_exp(scores, mask):
    x = np.where(mask, scores, -np.inf)
    total = np.logaddexp.reduce(x, axis=-1, keepdims=True)
    return np.exp(x - np.where(np.isinf(total), 0, total))


def masked_softmax__float32(scores, mask):
    x = np.where(mask, scores, -np.inf).astype(np.float32)
    top = np.nan_to_num(x.max(-1, keepdims=True), neginf=0)
    e = np.exp(x - top)
    return e / np.maximum(e.sum(-1, keepdims=True), np.finfo(np.float32).tiny)


def masked_softmax__with_torch(scores, mask):
    x = torch.tensor(scores).masked_fill(~torch.tensor(mask), -torch.inf)
    return x.softmax(-1).nan_to_num().numpy()


def masked_softmax__logarithm_of_the_mask(scores, mask):
    with np.errstate(divide="ignore"):
        x = scores + np.log(np.asarray(mask, float))
    e = np.exp(x - x.max(axis=-1, keepdims=True).clip(min=-1e300))
    return e / (e.sum(axis=-1, keepdims=True) + (e.sum(axis=-1, keepdims=True) == 0))


def masked_attention__einsum(Q, K, V, mask):
    weights = masked_softmax(np.einsum("...id,...jd->...ij", Q, K) * K.shape[-1] ** -0.5, mask)
    return weights, np.einsum("...ij,...jd->...id", weights, V)


def masked_attention__one_sentence_at_a_time(Q, K, V, mask):
    if Q.ndim == 2:
        weights = masked_softmax(Q.dot(K.T) / math.sqrt(K.shape[1]), np.asarray(mask))
        return weights, weights.dot(V)
    mask = np.broadcast_to(mask, (*Q.shape[:-1], K.shape[-2]))
    return tuple(zip(*map(masked_attention, Q, K, V, mask)))


def masked_attention__always_four_axes(Q, K, V, mask):
    lead = Q.shape[:-2]
    wide = [x.reshape((1,) * (4 - x.ndim) + x.shape) for x in (Q, K, V)]
    mask = np.broadcast_to(mask, (*lead, Q.shape[-2], K.shape[-2]))
    scores = wide[0] @ wide[1].transpose(0, 1, 3, 2) / np.sqrt(Q.shape[-1])
    weights = masked_softmax(scores, mask.reshape(scores.shape))
    output = weights @ wide[2]
    return weights.reshape(*lead, *weights.shape[2:]), output.reshape(*lead, *output.shape[2:])


def masked_attention__with_torch(Q, K, V, mask):
    Q, K, V, mask = (torch.from_numpy(np.array(x)) for x in (Q, K, V, mask))
    eye = torch.eye(K.shape[-2], dtype=Q.dtype).expand(*K.shape[:-1], K.shape[-2])
    return [F.scaled_dot_product_attention(Q, K, x, attn_mask=mask) for x in (eye, V)]


def masked_attention__queries_scaled_first(Q, K, V, mask):
    weights = masked_softmax(np.matmul(Q / np.sqrt(Q.shape[-1]), np.moveaxis(K, -1, -2)), mask)
    return np.array(weights), np.ascontiguousarray(weights @ V)


def masked_attention__masked_arrays(Q, K, V, mask):
    scores = np.ma.masked_array(Q @ K.swapaxes(-1, -2) / np.sqrt(K.shape[-1]))
    scores[~np.broadcast_to(mask, scores.shape)] = np.ma.masked
    e = np.ma.exp(scores - scores.max(axis=-1, keepdims=True))
    weights = (e / e.sum(axis=-1, keepdims=True)).filled(0)
    return np.ma.masked_array(weights), np.ma.masked_array(weights @ V)


def cross_attention__one_query_at_a_time(X_q, X_kv, W_q, W_k, W_v, mask):
    rows = [masked_attention((x @ W_q)[None], X_kv @ W_k, X_kv @ W_v, m[None])[1] for x, m in zip(X_q, mask)]
    return np.concatenate(rows)


def cross_attention__values_last(X_q, X_kv, W_q, W_k, W_v, mask):
    scores = np.linalg.multi_dot([X_q, W_q, W_k.T, X_kv.T]) / np.sqrt(W_k.shape[1])
    return masked_softmax(scores, mask) @ X_kv @ W_v


def cross_attention__single_precision(X_q, X_kv, W_q, W_k, W_v, mask):
    X_q, X_kv, W_q, W_k, W_v = (np.float32(x) for x in (X_q, X_kv, W_q, W_k, W_v))
    return masked_attention(X_q @ W_q, X_kv @ W_k, X_kv @ W_v, mask)[1]


def cross_attention__only_allowed_keys(X_q, X_kv, W_q, W_k, W_v, mask):
    output = []
    for x, allowed in zip(X_q, mask):
        read = X_kv[allowed]
        e = np.exp((read @ W_k) @ (x @ W_q) / W_k.shape[1] ** 0.5)
        output.append(list(e / sum(e) @ (read @ W_v)))
    return output
