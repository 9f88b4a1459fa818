import cmath
import math

import numpy as np
import torch
import torch.nn.functional as F


def sinusoidal_positions__loops(n, d_model):
    rows = []
    for t in range(n):
        angles = [t / 10000 ** (2 * (j // 2) / d_model) for j in range(d_model)]
        rows.append([math.cos(a) if j % 2 else math.sin(a) for j, a in enumerate(angles)])
    return rows

def sinusoidal_positions__phase(n, d_model):
    j = np.arange(d_model)
    return np.sin(np.outer(np.arange(n), 10000.0 ** -(2 * (j // 2) / d_model)) + j % 2 * np.pi / 2)

def sinusoidal_positions__stacked(n, d_model):
    angles = np.einsum("t,i->ti", np.arange(n), np.exp(np.arange(0, d_model, 2) * -np.log(1e4) / d_model))
    return np.stack([np.sin(angles), np.cos(angles)], axis=-1).reshape(n, d_model)

def sinusoidal_positions__torch(n, d_model):
    table, rates = (
        torch.zeros(n, d_model),
        torch.exp(torch.arange(0, d_model, 2) * (-math.log(10000.0) / d_model)),
    )
    table[:, 0::2] = torch.sin(torch.arange(n)[:, None] * rates)
    table[:, 1::2] = torch.cos(torch.arange(n)[:, None] * rates)
    return table

def sinusoidal_positions__float32(n, d_model):
    j = np.arange(d_model, dtype=np.float32)
    angles = np.arange(n, dtype=np.float32)[:, None] / np.float32(10000) ** (2 * (j // 2) / d_model)
    return np.where(j % 2 == 0, np.sin(angles), np.cos(angles)).astype(np.float32)

def sinusoidal_positions__complex(n, d_model):
    turns = np.exp(1j * np.arange(n)[:, None] / 1e4 ** (np.arange(0, d_model, 2) / d_model))
    return (1j * turns.conj()).view(float)

def sinusoidal_positions__recurrence(n, d_model):
    step = np.exp(1j / 10000 ** (np.arange(0, d_model, 2) / d_model))
    turns = np.cumprod(np.vstack([np.ones_like(step), *[step] * (n - 1)]), axis=0)
    return np.dstack((turns.imag, turns.real)).reshape(n, -1)

def apply_rope__loops(x, positions, base=10000.0):
    out = np.zeros((len(x), len(x[0])))
    for r, t in enumerate(positions):
        for i in range(0, len(x[0]), 2):
            turned = complex(x[r][i], x[r][i + 1]) * cmath.exp(1j * t * base ** (-i / len(x[0])))
            out[r, i], out[r, i + 1] = turned.real, turned.imag
    return out

def apply_rope__view_as_complex(x, positions, base=10000.0):
    turns = np.exp(1j * np.outer(positions, base ** (-np.arange(0, x.shape[1], 2) / x.shape[1])))
    return (np.ascontiguousarray(x, dtype=float).view(complex) * turns).view(float)

def apply_rope__rotated_copy(x, positions, base=10000.0):
    d = x.shape[-1]
    angles = np.repeat(positions[:, None] / base ** (np.arange(0, d, 2) / d), 2, axis=1)
    return x * np.cos(angles) + np.stack((-x[:, 1::2], x[:, ::2]), axis=-1).reshape(x.shape) * np.sin(angles)

def apply_rope__matrices(x, positions, base=10000.0):
    angles = positions[:, None] * base ** (-2 * np.arange(x.shape[1] // 2) / x.shape[1])
    turns = np.array([[np.cos(angles), -np.sin(angles)], [np.sin(angles), np.cos(angles)]])
    return np.einsum("abni,nib->nia", turns, x.reshape(len(x), -1, 2)).reshape(x.shape)

def apply_rope__torch(x, positions, base=10000.0):
    pairs = torch.as_tensor(x, dtype=torch.float64).unflatten(-1, (-1, 2))
    rates = base ** (-torch.arange(0, x.shape[-1], 2, dtype=torch.float64) / x.shape[-1])
    angles = torch.as_tensor(positions)[:, None] * rates
    a, b, c, s = pairs[..., 0], pairs[..., 1], angles.cos(), angles.sin()
    return torch.stack((a * c - b * s, a * s + b * c), -1).flatten(-2).numpy()

def apply_rope__four_axes(x, positions, base=10000.0):
    pairs = x[None].reshape(1, len(x), -1, 2).astype(np.float64)
    angles = (positions[:, None] / np.power(base, np.linspace(0, 1, pairs.shape[2], endpoint=False)))[None]
    first = pairs[..., 0] * np.cos(angles) - pairs[..., 1] * np.sin(angles)
    second = pairs[..., 1] * np.cos(angles) + pairs[..., 0] * np.sin(angles)
    return np.concatenate((first[..., None], second[..., None]), -1).reshape(x.shape)

def apply_rope__float32(x, positions, base=10000.0):
    out = x.astype(np.float32)
    for i in range(x.shape[1] // 2):
        a, b = x[:, 2 * i], x[:, 2 * i + 1]
        c, s = (f(positions * base ** (-2 * i / x.shape[1])) for f in (np.cos, np.sin))
        out[:, 2 * i], out[:, 2 * i + 1] = a * c - b * s, a * s + b * c
    return out

def apply_rope__one_matrix_each(x, positions, base=10000.0):
    rows = []
    for row, t in zip(x, positions):
        turn = np.zeros((len(row), len(row)))
        for i in range(0, len(row), 2):
            c, s = math.cos(t * base ** (-i / len(row))), math.sin(t / base ** (i / len(row)))
            turn[i : i + 2, i : i + 2] = [[c, -s], [s, c]]
        rows.append(turn @ row)
    return np.array(rows)

def attend_one_step__vstack(q, k_new, v_new, cache_k, cache_v):
    K, V = np.vstack((cache_k, k_new)), np.vstack((cache_v, v_new))
    scores = K.dot(q) / math.sqrt(q.size)
    e = np.exp(scores - np.amax(scores))
    return (e / e.sum()).dot(V), K, V

def attend_one_step__append_einsum(q, k_new, v_new, cache_k, cache_v):
    K, V = np.append(cache_k, [k_new], axis=0), np.append(cache_v, [v_new], axis=0)
    scores = np.einsum("d,nd->n", q, K) * q.shape[0] ** -0.5
    e = np.exp(scores - scores.max())
    return np.einsum("n,nd->d", e / e.sum(), V), K, V

def attend_one_step__torch(q, k_new, v_new, cache_k, cache_v):
    K = torch.cat((torch.tensor(cache_k), torch.tensor(k_new)[None]))
    V = torch.cat((torch.tensor(cache_v), torch.tensor(v_new)[None]))
    return F.scaled_dot_product_attention(torch.tensor(q)[None], K, V).squeeze(0), K, V

def attend_one_step__lists(q, k_new, v_new, cache_k, cache_v):
    K, V = [*cache_k.tolist(), k_new.tolist()], [*cache_v.tolist(), v_new.tolist()]
    scores = [sum(a * b for a, b in zip(q, k)) / len(q) ** 0.5 for k in K]
    e = [math.exp(score - max(scores)) for score in scores]
    return [sum(w * v[j] for w, v in zip(e, V)) / sum(e) for j in range(len(v_new))], K, V

def attend_one_step__filled(q, k_new, v_new, cache_k, cache_v):
    n = cache_k.shape[0]
    K, V = np.zeros((n + 1, k_new.shape[0])), np.zeros((n + 1, v_new.shape[0]))
    K[:n], K[n], V[:n], V[n] = cache_k, k_new, cache_v, v_new
    scores = (K * q).sum(1, keepdims=True) / np.sqrt(K.shape[1])
    weights = np.exp(scores - np.logaddexp.reduce(scores, axis=0))
    return (weights * V).sum(0), K, V

def attend_one_step__through_blocks(q, k_new, v_new, cache_k, cache_v):
    K, V = np.r_[cache_k, k_new[None, :]], np.r_[cache_v, v_new[None, :]]
    return blockwise_attention(q[None], K, V, 1)[0], K, V

def attend_one_step__float32(q, k_new, v_new, cache_k, cache_v):
    K, V = (np.vstack(both).astype("f4") for both in ((cache_k, k_new), (cache_v, v_new)))
    scores = (K @ q.astype("f4")) / np.float32(len(q)) ** 0.5
    e = np.exp2((scores - scores.max()) * np.float32(np.log2(np.e)))
    return e @ V / e.sum(), K, V

def blockwise_attention__each_query(Q, K, V, block_size):
    out = np.zeros((len(Q), V.shape[1]))
    for i, q in enumerate(Q):
        m, s, o = -math.inf, 0.0, 0.0
        for j in range(0, len(K), block_size):
            scores = K[j : j + block_size] @ q / math.sqrt(len(q))
            new = max(m, scores.max())
            e, back = np.exp(scores - new), math.exp(m - new)
            m, s, o = new, s * back + e.sum(), o * back + e @ V[j : j + block_size]
        out[i] = o / s
    return out

def blockwise_attention__two_passes(Q, K, V, block_size):
    blocks = [slice(j, min(j + block_size, len(K))) for j in range(0, len(K), block_size)]
    Q = Q / np.sqrt(K.shape[1])
    m = np.max([(Q @ K[b].T).max(1) for b in blocks], axis=0)[:, None]
    out = sum(np.exp(Q @ K[b].T - m) @ np.c_[V[b], np.ones(len(V[b]))] for b in blocks)
    return out[:, :-1] / out[:, -1:]

def blockwise_attention__logsumexp(Q, K, V, block_size):
    out, lse = np.zeros((len(Q), V.shape[-1])), np.full(len(Q), -np.inf)
    for K_b, V_b in ((K[j : j + block_size], V[j : j + block_size]) for j in range(0, len(K), block_size)):
        scores = np.einsum("qd,kd->qk", Q, K_b) * K.shape[-1] ** -0.5
        top = scores.max(1)
        own = top + np.log(np.exp(scores - top[:, None]).sum(1))
        both = np.logaddexp(lse, own)
        out = out * np.exp(lse - both)[:, None] + np.exp(scores - both[:, None]) @ V_b
        lse = both
    return out

def blockwise_attention__torch(Q, K, V, block_size):
    Q, K, V = (torch.from_numpy(a).double() for a in (Q, K, V))
    m, s, o = torch.full((len(Q), 1), -torch.inf), 0.0, 0.0
    for k, v in zip(K.split(block_size), V.split(block_size)):
        scores = Q @ k.T / k.shape[1] ** 0.5
        new = torch.maximum(m, scores.amax(1, keepdim=True))
        e = (scores - new).exp()
        s, o, m = s * (m - new).exp() + e.sum(1, keepdim=True), o * (m - new).exp() + e @ v, new
    return (o / s).numpy()

def blockwise_attention__array_split(Q, K, V, block_size):
    parts = np.arange(block_size, len(K), block_size)
    m, both = np.full(len(Q), -1e300), np.zeros((len(Q), V.shape[1] + 1))
    for k, v in zip(np.split(K, parts), np.split(V, parts)):
        scores = (Q @ k.T) / np.sqrt(Q.shape[1])
        new = np.fmax(m, np.amax(scores, axis=1))
        np.subtract(scores, new[:, None], out=scores)
        both = both * np.exp(m - new)[:, None] + np.exp(scores, out=scores) @ np.hstack(
            [v, np.ones((len(v), 1))]
        )
        m = new
    return both[:, :-1] / both[:, -1:]

def blockwise_attention__four_axes(Q, K, V, block_size):
    q, m = Q[None, None] / np.sqrt(K.shape[-1]), np.full((1, 1, len(Q), 1), -np.inf)
    s = o = np.zeros((1, 1, 1, 1))
    while len(K):
        k, v, K, V = K[None, None, :block_size], V[None, None, :block_size], K[block_size:], V[block_size:]
        scores = q @ k.swapaxes(-1, -2)
        old, m = m, np.maximum(m, scores.max(-1, keepdims=True))
        e = np.exp(scores - m)
        s, o = s * np.exp(old - m) + e.sum(-1, keepdims=True), o * np.exp(old - m) + e @ v
    return (o / s)[0, 0]

def blockwise_attention__jumps_only(Q, K, V, block_size):
    m, s, o = None, None, None
    for j in range(0, K.shape[0], block_size):
        scores = Q @ K[j : j + block_size].T / np.sqrt(K.shape[1])
        top = scores.max(axis=1)
        if m is None:
            m, s, o = top, np.zeros(len(Q)), np.zeros((len(Q), V.shape[1]))
        jump = np.clip(top - m, 0, None)
        m, s, o = m + jump, s / np.exp(np.minimum(jump, 700)), o / np.exp(np.minimum(jump, 700))[:, None]
        e = np.exp(scores - m[:, None])
        s, o = s + e.sum(axis=1), o + e @ V[j : j + block_size]
    return o / s[:, None]

def blockwise_attention__float32(Q, K, V, block_size):
    Q, K, V = (np.asarray(a, dtype=np.float32) for a in (Q / math.sqrt(Q.shape[1]), K, V))
    state = [(np.full((len(Q), 1), -np.inf, np.float32), np.float32(0), np.float32(0))]
    for j in range(0, len(K), block_size):
        m, s, o = state.pop()
        scores = Q @ K[j : j + block_size].T
        new = np.maximum(m, scores.max(1, keepdims=True))
        e = np.exp(scores - new)
        state.append((new, s * np.exp(m - new) + e.sum(1)[:, None], o * np.exp(m - new) + e @ V[j : j + block_size]))
    return state[0][2] / state[0][1]
