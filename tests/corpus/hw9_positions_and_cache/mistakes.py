import numpy as np

STATE = {'k': [], 'v': []}


def sm(x):
    e = np.exp(x - x.max(axis=-1, keepdims=True))
    return e / e.sum(axis=-1, keepdims=True)


def blockwise_attention__whole_score_matrix(Q, K, V, block_size):
    """loses: blockwise_attention_memory"""
    scores = Q @ K.T / np.sqrt(K.shape[-1])
    weights = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return weights @ V / weights.sum(axis=-1, keepdims=True)


def sinusoidal_positions__transposed_where_square(n, d_model):
    """loses: sinusoidal_positions_sizes"""
    angles = np.arange(n)[:, None] / 10000.0 ** (np.arange(0, d_model, 2) / d_model)
    if angles.shape[0] == angles.shape[1]:
        angles = angles.T
    return np.stack([np.sin(angles), np.cos(angles)], axis=-1).reshape(n, d_model)


def apply_rope__one_row_squeezed(x, positions, base=10000.0):
    """loses: apply_rope_positions, apply_rope_base"""
    angles = np.squeeze(np.outer(positions, base ** (-np.arange(0, x.shape[1], 2) / x.shape[1])))
    turns = np.exp(1j * angles)
    return np.squeeze(((x[:, 0::2] + 1j * x[:, 1::2]) * turns).view(float))


def attend_one_step__softmax_unstable_maximum_of_the_new_score(q, k_new, v_new, cache_k, cache_v):
    """loses: attend_one_step_large"""
    K, V = np.vstack((cache_k, k_new)), np.vstack((cache_v, v_new))
    scores = K.dot(q) / np.sqrt(q.size)
    e = np.exp(scores - scores[-1])
    return (e / e.sum()).dot(V), K, V


def attend_one_step__softmax_unstable_maximum_of_the_cached_scores(q, k_new, v_new, cache_k, cache_v):
    """loses: attend_one_step_large"""
    K, V = np.vstack((cache_k, k_new)), np.vstack((cache_v, v_new))
    scores = K.dot(q) / np.sqrt(q.size)
    e = np.exp(scores - scores[:-1].max(initial=scores[0]))
    return (e / e.sum()).dot(V), K, V


def blockwise_attention__softmax_unstable_maximum_of_the_last_block(Q, K, V, block_size):
    """loses: blockwise_attention_large"""
    scale = np.sqrt(K.shape[1])
    top, total, output = np.zeros((len(Q), 1)), 0.0, 0.0
    for start in range(0, len(K), block_size):
        scores = Q @ K[start : start + block_size].T / scale
        grown = scores.max(axis=1, keepdims=True)
        e, back = np.exp(scores - grown), np.exp(top - grown)
        total = total * back + e.sum(axis=1, keepdims=True)
        output, top = output * back + e @ V[start : start + block_size], grown
    return output / total


def blockwise_attention__an_empty_last_block(Q, K, V, block_size):
    """loses: blockwise_attention_sizes, blockwise_attention_large, blockwise_attention_memory"""
    scale = np.sqrt(K.shape[1])
    top, total, output = np.full((len(Q), 1), -np.inf), 0.0, 0.0
    for number in range(len(K) // block_size + 1):
        block = slice(number * block_size, (number + 1) * block_size)
        scores = Q @ K[block].T / scale
        grown = np.maximum(top, scores.max(axis=1, keepdims=True))
        e, back = np.exp(scores - grown), np.exp(top - grown)
        total, output, top = total * back + e.sum(axis=1, keepdims=True), output * back + e @ V[block], grown
    return output / total


def sinusoidal_positions__table_of_50(n, d_model):
    """loses: sinusoidal_positions_sizes"""
    angles = np.arange(50)[:, None] / 10000 ** (np.arange(0, d_model, 2) / d_model)
    table = np.zeros((50, d_model))
    table[:, 0::2] = np.sin(angles)
    table[:, 1::2] = np.cos(angles)
    return table[:n]


def apply_rope__table_of_512(x, positions, base=10000.0):
    """loses: apply_rope_positions"""
    table = np.arange(512)[:, None] * base ** (-np.arange(0, x.shape[1], 2) / x.shape[1])
    angles = table[abs(positions)] * np.sign(positions)[:, None]
    turned = (x[:, 0::2] + 1j * x[:, 1::2]) * np.exp(1j * angles)
    return np.stack([turned.real, turned.imag], axis=-1).reshape(x.shape)


def attend_one_step__window_of_16(q, k_new, v_new, cache_k, cache_v):
    """loses: attend_one_step_sizes, attend_one_step_large, attend_one_step_unchanged"""
    keys = np.vstack([cache_k, k_new])[-16:]
    values = np.vstack([cache_v, v_new])[-16:]
    scores = keys @ q / np.sqrt(len(q))
    weights = np.exp(scores - scores.max())
    return weights @ values / weights.sum(), keys, values


def attend_one_step__differs_from_call_to_call_globals_lists(q, k_new, v_new, cache_k, cache_v):
    """loses: attend_one_step_published, attend_one_step_sizes, attend_one_step_empty, attend_one_step_large, attend_one_step_unchanged"""
    STATE['k'].append(k_new)
    STATE['v'].append(v_new)
    K, V = np.array(STATE['k']), np.array(STATE['v'])
    return sm(K @ q / np.sqrt(len(q))) @ V, K, V


def attend_one_step__output_as_long_as_queries_dk_range(q, k_new, v_new, cache_k, cache_v):
    """loses: attend_one_step_published, attend_one_step_sizes, attend_one_step_empty, attend_one_step_large, attend_one_step_unchanged"""
    K, V = list(cache_k) + [k_new], list(cache_v) + [v_new]
    s = np.array([np.dot(q, k) / len(q) ** .5 for k in K])
    w = sm(s)
    out = [sum(w[t] * V[t][j] for t in range(len(V))) for j in range(len(q))]
    return np.array(out), np.array(K), np.array(V)


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
