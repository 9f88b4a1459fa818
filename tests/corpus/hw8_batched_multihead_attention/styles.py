import math
from itertools import product

import numpy as np
import torch
import torch.nn.functional as F


def rows_to_weights(scores):
    e = np.exp(scores - np.max(scores, -1, keepdims=True))
    return e / np.sum(e, -1, keepdims=True)


def split_heads__einsum_name_axes(X, n_heads):
    return np.einsum("bnhd->bhnd", X.reshape(*X.shape[:2], n_heads, -1))


def split_heads__split_and_stack(X, n_heads):
    return np.stack(np.split(X, n_heads, axis=-1), axis=1)


def split_heads__moveaxis(X, n_heads):
    return np.moveaxis(X.reshape(X.shape[0], X.shape[1], n_heads, -1), 2, 1)


def split_heads__loops(X, n_heads):
    d = X.shape[2] // n_heads
    out = np.zeros((len(X), n_heads, X.shape[1], d))
    for b, h, n in product(range(len(X)), range(n_heads), range(X.shape[1])):
        out[b, h, n] = X[b, n, h * d : (h + 1) * d]
    return out


def split_heads__torch(X, n_heads):
    X = torch.as_tensor(X)
    return X.view(X.shape[0], X.shape[1], n_heads, -1).permute(0, 2, 1, 3).numpy()


def split_heads__transposes_around(X, n_heads):
    B, N, D = X.shape
    return X.transpose(0, 2, 1).reshape(B, n_heads, D // n_heads, N).transpose(0, 1, 3, 2)


def merge_heads__concatenate(X):
    return np.concatenate([X[:, h] for h in range(X.shape[1])], axis=-1)


def merge_heads__einsum(X):
    B, H, N, d = X.shape
    return np.einsum("bhnd->bnhd", X).reshape(B, N, -1)


def merge_heads__stacks(X):
    return np.dstack([np.hstack(list(one)) for one in X]).transpose(2, 0, 1)


def merge_heads__torch(X):
    return torch.from_numpy(X).transpose(1, 2).flatten(2)


def merge_heads__filled(X):
    B, H, N, d = X.shape
    out = np.empty((B, N, H * d), np.float32)
    for h in range(H):
        out[..., h * d : (h + 1) * d] = X[:, h]
    return out


def attend__additive_mask(Q, K, V, mask=None):
    bias = 0.0 if mask is None else (1.0 - mask) * -1e9
    return rows_to_weights(np.einsum("bhqd,bhkd->bhqk", Q, K) / math.sqrt(K.shape[3]) + bias) @ V


def attend__assigned_in_place(Q, K, V, mask=None):
    scores = Q @ K.swapaxes(2, 3) / np.sqrt(Q.shape[3])
    if mask is not None:
        scores[~np.broadcast_to(mask, scores.shape)] = np.finfo(scores.dtype).min
    return rows_to_weights(scores) @ V


def attend__float32(Q, K, V, mask=None):
    Q, K, V = (one.astype(np.float32) for one in (Q, K, V))
    scores = Q @ K.swapaxes(-2, -1) / np.float32(np.sqrt(Q.shape[-1]))
    return rows_to_weights(scores if mask is None else np.where(mask, scores, np.float32(-1e30))) @ V


def attend__torch_log_softmax(Q, K, V, mask=None):
    scores = torch.tensor(Q) @ torch.tensor(K).mT / Q.shape[-1] ** 0.5
    if mask is not None:
        scores = scores.masked_fill(~torch.tensor(mask), float("-inf"))
    return (scores.log_softmax(-1).exp() @ torch.tensor(V)).numpy()


def multihead_attention__loops(X, W_q, W_k, W_v, W_o, n_heads, mask=None):
    B, N, D = X.shape
    d = D // n_heads
    allowed = np.ones((B, n_heads, N, N), bool) & (True if mask is None else mask)
    out = np.zeros((B, N, D))
    for b in range(B):
        for h in range(n_heads):
            own = slice(h * d, (h + 1) * d)
            q, k, v = X[b] @ W_q[:, own], X[b] @ W_k[:, own], X[b] @ W_v[:, own]
            for i in range(N):
                keys = np.flatnonzero(allowed[b, h, i])
                out[b, i, own] = rows_to_weights(q[i] @ k[keys].T / np.sqrt(d)) @ v[keys]
    return out @ W_o


def multihead_attention__einsum(X, W_q, W_k, W_v, W_o, n_heads, mask=None):
    D = X.shape[-1]
    q, k, v = (np.einsum("bnd,dhe->bhne", X, W.reshape(D, n_heads, -1)) for W in (W_q, W_k, W_v))
    scores = np.einsum("bhqe,bhke->bhqk", q, k) / np.sqrt(D / n_heads)
    if mask is not None:
        scores = np.where(mask, scores, -1e12)
    return np.einsum("bhqk,bhke,hed->bqd", rows_to_weights(scores), v, W_o.reshape(n_heads, -1, D))


def multihead_attention__torch_layer(X, W_q, W_k, W_v, W_o, n_heads, mask=None):
    X = torch.as_tensor(X)
    B, N, D = X.shape
    layer = torch.nn.MultiheadAttention(D, n_heads, bias=False, batch_first=True).double()
    layer.in_proj_weight.data = torch.tensor(np.concatenate([W_q.T, W_k.T, W_v.T]))
    layer.out_proj.weight.data = torch.tensor(W_o.T.copy())
    if mask is not None:
        mask = ~torch.tensor(mask).expand(B, n_heads, N, N).flatten(0, 1)
    return layer(X, X, X, attn_mask=mask)[0].detach()


def multihead_attention__torch_function(X, W_q, W_k, W_v, W_o, n_heads, mask=None):
    q, k, v = (torch.tensor(split_heads(X @ W, n_heads)) for W in (W_q, W_k, W_v))
    heads = F.scaled_dot_product_attention(q, k, v, attn_mask=None if mask is None else torch.tensor(mask))
    return merge_heads(heads.numpy()) @ W_o


def multihead_attention__fused_projection(X, W_q, W_k, W_v, W_o, n_heads, mask=None):
    qkv = X @ np.concatenate((W_q, W_k, W_v), axis=1)
    return merge_heads(attend(*(split_heads(one, n_heads) for one in np.split(qkv, 3, axis=-1)), mask)) @ W_o


def multihead_attention__sum_of_heads(X, W_q, W_k, W_v, W_o, n_heads, mask=None):
    total = 0
    parts = [np.hsplit(W, n_heads) for W in (W_q, W_k, W_v)] + [np.vsplit(W_o, n_heads)]
    for h, (q, k, v, o) in enumerate(zip(*parts)):
        one = mask if mask is None or mask.ndim < 4 or mask.shape[1] == 1 else mask[:, h : h + 1]
        total = total + attend((X @ q)[:, None], (X @ k)[:, None], (X @ v)[:, None], one)[:, 0] @ o
    return total


def multihead_attention__heads_in_the_batch(X, W_q, W_k, W_v, W_o, n_heads, mask=None):
    B, N, D = X.shape
    q, k, v = (split_heads(X @ W, n_heads).reshape(B * n_heads, 1, N, -1) for W in (W_q, W_k, W_v))
    if mask is not None:
        mask = np.broadcast_to(mask, (B, n_heads, N, N)).reshape(-1, 1, N, N)
    return merge_heads(attend(q, k, v, mask).reshape(B, n_heads, N, -1)) @ W_o


def multihead_attention__grouped_with_as_many(X, W_q, W_k, W_v, W_o, n_heads, mask=None):
    return grouped_query_attention(X, W_q, W_k, W_v, W_o, n_heads, n_heads, mask)


def multihead_attention__named_mask(X, W_q, W_k, W_v, W_o, n_heads, mask=None, *, verbose=True):
    allowed = True if mask is None else np.asarray(mask, dtype=bool)
    if verbose:
        print("heads:", n_heads)
    return merge_heads(attend(*[split_heads(X.dot(W), n_heads) for W in (W_q, W_k, W_v)], allowed)).dot(W_o)


def grouped_query_attention__fancy_index(X, W_q, W_k, W_v, W_o, n_heads, n_kv_heads, mask=None):
    use = [h // (n_heads // n_kv_heads) for h in range(n_heads)]
    k, v = (split_heads(X @ W, n_kv_heads)[:, use] for W in (W_k, W_v))
    return merge_heads(attend(split_heads(X @ W_q, n_heads), k, v, mask)) @ W_o


def grouped_query_attention__five_axes(X, W_q, W_k, W_v, W_o, n_heads, n_kv_heads, mask=None):
    B, N, D = X.shape
    d = D // n_heads
    q = (X @ W_q).reshape(B, N, n_kv_heads, -1, d)
    k, v = ((X @ W).reshape(B, N, n_kv_heads, d) for W in (W_k, W_v))
    scores = np.einsum("bqghd,bkgd->bghqk", q, k) / d**0.5
    if mask is not None:
        scores = np.where(np.broadcast_to(mask, (B, n_heads, N, N)).reshape(scores.shape), scores, -np.inf)
    return np.einsum("bghqk,bkgd->bqghd", rows_to_weights(scores), v).reshape(B, N, D) @ W_o


def grouped_query_attention__wider_weights(X, W_q, W_k, W_v, W_o, n_heads, n_kv_heads, mask=None):
    def widened(W):
        heads = np.split(W, n_kv_heads, axis=1)
        return np.hstack([heads[int(h / (n_heads / n_kv_heads))] for h in range(n_heads)])

    return multihead_attention(X, W_q, widened(W_k), widened(W_v), W_o, n_heads, mask)


def grouped_query_attention__torch_gqa(X, W_q, W_k, W_v, W_o, n_heads, n_kv_heads, mask=None):
    X, *weights = (torch.tensor(one) for one in (X, W_q, W_k, W_v))
    counts = (n_heads, n_kv_heads, n_kv_heads)
    q, k, v = ((X @ W).unflatten(-1, (n, -1)).transpose(1, 2) for W, n in zip(weights, counts))
    mask = None if mask is None else torch.tensor(mask)
    heads = F.scaled_dot_product_attention(q, k, v, attn_mask=mask, enable_gqa=True)
    return heads.transpose(1, 2).flatten(2).numpy() @ W_o


def grouped_query_attention__broadcast_groups(X, W_q, W_k, W_v, W_o, n_heads, n_kv_heads, mask=None):
    def shared(W):
        heads = split_heads(X @ W, n_kv_heads)[:, :, None]
        wide = np.broadcast_to(heads, (len(X), n_kv_heads, n_heads // n_kv_heads, *heads.shape[3:]))
        return wide.reshape(len(X), n_heads, *heads.shape[3:])

    return merge_heads(attend(split_heads(X @ W_q, n_heads), shared(W_k), shared(W_v), mask)) @ W_o


def grouped_query_attention__one_group_at_a_time(X, W_q, W_k, W_v, W_o, n_heads, n_kv_heads, mask=None):
    Q, K, V = (
        split_heads(X @ W_q, n_heads),
        split_heads(X @ W_k, n_kv_heads),
        split_heads(X @ W_v, n_kv_heads),
    )
    group, done = n_heads // n_kv_heads, []
    for g in range(n_kv_heads):
        own = slice(g * group, (g + 1) * group)
        per_head = mask is not None and mask.ndim == 4 and mask.shape[1] > 1
        done.append(
            attend(Q[:, own], K[:, [g] * group], V[:, [g] * group], mask[:, own] if per_head else mask)
        )
    return merge_heads(np.concatenate(done, axis=1)) @ W_o
