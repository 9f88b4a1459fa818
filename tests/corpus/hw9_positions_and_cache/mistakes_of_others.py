import math

import numpy as np

STATE = {'k': [], 'v': []}

def sm(x, axis=-1):
    e = np.exp(x - x.max(axis=axis, keepdims=True))
    return e / e.sum(axis=axis, keepdims=True)

def table(a):
    return np.stack([np.sin(a), np.cos(a)], axis=-1).reshape(len(a), -1)

def rot(x, a):
    out = np.empty(x.shape)
    out[:, 0::2] = x[:, 0::2] * np.cos(a) - x[:, 1::2] * np.sin(a)
    out[:, 1::2] = x[:, 0::2] * np.sin(a) + x[:, 1::2] * np.cos(a)
    return out

def fr(x, base):
    return base ** (-np.arange(0, x.shape[1], 2) / x.shape[1])

def blocks(Q, K, V, b, scale=None, exp=np.exp, red=True, out=True):
    scale = np.sqrt(Q.shape[1]) if scale is None else scale
    m = np.full((len(Q), 1), -np.inf); l = np.zeros((len(Q), 1)); o = np.zeros((len(Q), V.shape[1]))
    for s in range(0, len(K), b):
        x = Q @ K[s:s + b].T / scale
        g = np.maximum(m, x.max(1, keepdims=True))
        c = exp(m - g)
        p = exp(x - g)
        l = l * (c if red else 1) + p.sum(1, keepdims=True)
        o = o * (c if out else 1) + p @ V[s:s + b]
        m = g
    return o / l

def sinusoidal_positions__base_1000_base_1e6(n, d_model):
    """loses: sinusoidal_positions_published, sinusoidal_positions_sizes"""
    return table(np.arange(n)[:, None] / 1e6 ** (np.arange(0, d_model, 2) / d_model))

def sinusoidal_positions__base_1000_base_e(n, d_model):
    """loses: sinusoidal_positions_published, sinusoidal_positions_sizes"""
    return table(np.arange(n)[:, None] / np.exp(np.arange(0, d_model, 2) / d_model))

def sinusoidal_positions__exponent_cut_floor_scale(n, d_model):
    """loses: sinusoidal_positions_published, sinusoidal_positions_sizes"""
    return table(np.arange(n)[:, None] * np.exp(np.arange(0, d_model, 2) * (-math.log(10000.0) / d_model // 2)))

def sinusoidal_positions__exponent_cut_int_logs(n, d_model):
    """loses: sinusoidal_positions_published, sinusoidal_positions_sizes"""
    return table(np.arange(n)[:, None] * np.exp((np.arange(0, d_model, 2) * -(math.log(10000.0) / d_model)).astype(int).astype(float)))

def sinusoidal_positions__angles_in_degrees_degrees(n, d_model):
    """loses: sinusoidal_positions_published, sinusoidal_positions_sizes"""
    return table(np.deg2rad(np.arange(n)[:, None] / 10000.0 ** (np.arange(0, d_model, 2) / d_model)))

def sinusoidal_positions__angles_times_pi_times_2pi(n, d_model):
    """loses: sinusoidal_positions_published, sinusoidal_positions_sizes"""
    return table(2 * np.pi * np.arange(n)[:, None] / 10000.0 ** (np.arange(0, d_model, 2) / d_model))

def sinusoidal_positions__positions_divided_rel_position(n, d_model):
    """loses: sinusoidal_positions_published, sinusoidal_positions_sizes"""
    return table((np.arange(n) / n)[:, None] / 10000.0 ** (np.arange(0, d_model, 2) / d_model))

def sinusoidal_positions__exponent_by_one_less_dm1(n, d_model):
    """loses: sinusoidal_positions_published, sinusoidal_positions_sizes"""
    return table(np.arange(n)[:, None] / 10000.0 ** ((np.arange(0, d_model, 2)) / (d_model - 1)))

def apply_rope__base_ignored_base_1000(x, positions, base=10000.0):
    """loses: apply_rope_published, apply_rope_positions, apply_rope_base"""
    return rot(x, positions[:, None] * fr(x, 1000.0))

def apply_rope__one_speed_floor(x, positions, base=10000.0):
    """loses: apply_rope_published, apply_rope_positions, apply_rope_base"""
    return rot(x, positions[:, None] / base ** (np.arange(0, x.shape[1], 2) // x.shape[1]))

def apply_rope__too_few_angles_quarter_angles_halves(x, positions, base=10000.0):
    """loses: apply_rope_published, apply_rope_positions, apply_rope_base"""
    d = x.shape[1]
    f = base ** (-np.arange(0, d // 2, 2) / (d // 2))
    a = np.repeat(positions[:, None] * f, 2, axis=1)[:, : d // 2]
    u, v = x[:, : d // 2], x[:, d // 2:]
    return np.concatenate([u * np.cos(a) - v * np.sin(a), u * np.sin(a) + v * np.cos(a)], axis=1)

def apply_rope__rope_exponent_doubled_doubled(x, positions, base=10000.0):
    """loses: apply_rope_published, apply_rope_positions, apply_rope_base"""
    d = x.shape[1]
    return rot(x, positions[:, None] * base ** (-2 * np.arange(0, d, 2) / d))

def apply_rope__table_multiplied_multiplied_table(x, positions, base=10000.0):
    """loses: apply_rope_published, apply_rope_positions, apply_rope_base"""
    a = positions[:, None] * fr(x, base)
    return x * np.stack([np.cos(a), np.sin(a)], -1).reshape(x.shape)

def attend_one_step__differs_from_call_to_call_globals_lists(q, k_new, v_new, cache_k, cache_v):
    """loses: attend_one_step_published, attend_one_step_sizes, attend_one_step_empty, attend_one_step_large, attend_one_step_unchanged"""
    STATE['k'].append(k_new)
    STATE['v'].append(v_new)
    K, V = np.array(STATE['k']), np.array(STATE['v'])
    return sm(K @ q / np.sqrt(len(q))) @ V, K, V

def attend_one_step__newest_overwritten_overwrite_last(q, k_new, v_new, cache_k, cache_v):
    """loses: attend_one_step_published, attend_one_step_sizes, attend_one_step_large, attend_one_step_unchanged"""
    K, V = cache_k.copy(), cache_v.copy()
    if len(K):
        K[-1], V[-1] = k_new, v_new
    else:
        K, V = k_new[None], v_new[None]
    return sm(K @ q / np.sqrt(len(q))) @ V, K, V

def attend_one_step__output_as_long_as_queries_dk_range(q, k_new, v_new, cache_k, cache_v):
    """loses: attend_one_step_published, attend_one_step_sizes, attend_one_step_empty, attend_one_step_large, attend_one_step_unchanged"""
    K, V = list(cache_k) + [k_new], list(cache_v) + [v_new]
    s = np.array([np.dot(q, k) / len(q) ** .5 for k in K])
    w = sm(s)
    out = [sum(w[t] * V[t][j] for t in range(len(V))) for j in range(len(q))]
    return np.array(out), np.array(K), np.array(V)

def attend_one_step__step_scaled_by_a_constant_scale_8(q, k_new, v_new, cache_k, cache_v):
    """loses: attend_one_step_published, attend_one_step_sizes, attend_one_step_large, attend_one_step_unchanged"""
    K, V = np.vstack([cache_k, k_new]), np.vstack([cache_v, v_new])
    return sm(K @ q / 8) @ V, K, V

def blockwise_attention__blockwise_powers_of_two_base2(Q, K, V, block_size):
    """loses: blockwise_attention_published, blockwise_attention_sizes, blockwise_attention_large, blockwise_attention_memory"""
    return blocks(Q, K, V, block_size, exp=np.exp2)

def blockwise_attention__one_key_of_each_block_first_key(Q, K, V, block_size):
    """loses: blockwise_attention_published, blockwise_attention_sizes, blockwise_attention_large, blockwise_attention_memory"""
    return blocks(Q, K[::block_size], V[::block_size], 1)

def blockwise_attention__block_for_block_local(Q, K, V, block_size):
    """loses: blockwise_attention_published, blockwise_attention_sizes, blockwise_attention_large, blockwise_attention_memory"""
    out = np.zeros((len(Q), V.shape[1]))
    for s in range(0, len(Q), block_size):
        k = K[s:s + block_size]
        if len(k) == 0:
            k, v = K[-1:], V[-1:]
        else:
            v = V[s:s + block_size]
        out[s:s + block_size] = sm(Q[s:s + block_size] @ k.T / np.sqrt(Q.shape[1])) @ v
    return out

def blockwise_attention__output_as_wide_as_keys_width_dk_and_nq(Q, K, V, block_size):
    """loses: blockwise_attention_published, blockwise_attention_sizes, blockwise_attention_large, blockwise_attention_memory"""
    n, d = Q.shape
    O = np.zeros((n, d)); l = np.zeros(n); m = np.full(n, -np.inf)
    for i in range(0, n, block_size):
        for s in range(0, n, block_size):
            x = Q[i:i + block_size] @ K[s:s + block_size].T / np.sqrt(d)
            g = np.maximum(m[i:i + block_size], x.max(1)); p = np.exp(x - g[:, None]); c = np.exp(m[i:i + block_size] - g)
            O[i:i + block_size] = O[i:i + block_size] * c[:, None] + p @ V[s:s + block_size]
            l[i:i + block_size] = l[i:i + block_size] * c + p.sum(1); m[i:i + block_size] = g
    return O / l[:, None]

def blockwise_attention__blocks_averaged_avg_weighted_sizes(Q, K, V, block_size):
    """loses: blockwise_attention_published, blockwise_attention_sizes, blockwise_attention_large, blockwise_attention_memory"""
    o = 0
    for s in range(0, len(K), block_size):
        x = Q @ K[s:s + block_size].T / np.sqrt(Q.shape[1])
        o = o + sm(x) @ V[s:s + block_size] * len(K[s:s + block_size])
    return o / len(K)

def blockwise_attention__block_not_rescaled_p_not_rescaled(Q, K, V, block_size):
    """loses: blockwise_attention_published, blockwise_attention_sizes, blockwise_attention_large, blockwise_attention_memory"""
    scale = np.sqrt(Q.shape[1])
    m = np.full((len(Q), 1), -np.inf); l = np.zeros((len(Q), 1)); o = np.zeros((len(Q), V.shape[1]))
    for s in range(0, len(K), block_size):
        x = Q @ K[s:s + block_size].T / scale
        b = x.max(1, keepdims=True)
        g = np.maximum(m, b)
        p = np.exp(x - b)
        l = l * np.exp(m - g) + p.sum(1, keepdims=True); o = o * np.exp(m - g) + p @ V[s:s + block_size]; m = g
    return o / l
