"""Wrong answers to hw4 in styles that differ from the edits in misconceptions.toml."""

import numpy as np


def self_attention_per_token__elementwise_projection_lists(
    all_x, omega_v, omega_q, omega_k, beta_v, beta_q, beta_k
):
    """loses: per_token_published, per_token_sizes, per_token_unchanged"""
    queries = []
    keys = []
    values = []
    for x in all_x:
        queries.append(omega_q * x + beta_q)
        keys.append(omega_k * x + beta_k)
        values.append(omega_v * x + beta_v)
    out = []
    for q in queries:
        scores = [np.sum(k * q) for k in keys]
        att = softmax(scores)
        out.append(sum(a * v for a, v in zip(att, values)))
    return out


def self_attention_per_token__bias_broadcast_flat_tokens(
    all_x, omega_v, omega_q, omega_k, beta_v, beta_q, beta_k
):
    """loses: per_token_published, per_token_sizes, per_token_unchanged"""
    xs = [x.flatten() for x in all_x]
    queries = [omega_q @ x + beta_q for x in xs]
    keys = [omega_k @ x + beta_k for x in xs]
    values = [omega_v @ x + beta_v for x in xs]
    out = []
    for q in queries:
        scores = [np.sum(k * q) for k in keys]
        att = softmax(scores)
        out.append(sum(a * v for a, v in zip(att, values)))
    return out


def self_attention_per_token__bias_broadcast_flat_biases(
    all_x, omega_v, omega_q, omega_k, beta_v, beta_q, beta_k
):
    """loses: per_token_published, per_token_sizes, per_token_unchanged"""
    queries = []
    keys = []
    values = []
    for x in all_x:
        queries.append(omega_q @ x + beta_q.flatten())
        keys.append(omega_k @ x + beta_k.flatten())
        values.append(omega_v @ x + beta_v.flatten())
    out = []
    for q in queries:
        scores = [np.sum(k * q) for k in keys]
        att = softmax(scores)
        out.append(sum(a * v for a, v in zip(att, values)))
    return out


def self_attention_per_token__scores_not_reset_lists(
    all_x, omega_v, omega_q, omega_k, beta_v, beta_q, beta_k
):
    """loses: per_token_published, per_token_sizes, per_token_unchanged"""
    N = len(all_x)
    queries = [omega_q @ x + beta_q for x in all_x]
    keys = [omega_k @ x + beta_k for x in all_x]
    values = [omega_v @ x + beta_v for x in all_x]
    out = []
    scores = []
    for n in range(N):
        for m in range(N):
            scores.append((keys[m].T @ queries[n]).item())
        att = softmax(scores)
        out.append(sum(att[m] * values[m] for m in range(N)))
    return out


def self_attention_per_token__scores_appended_twice_lists(
    all_x, omega_v, omega_q, omega_k, beta_v, beta_q, beta_k
):
    """loses: per_token_published, per_token_sizes, per_token_unchanged"""
    N = len(all_x)
    queries = [omega_q @ x + beta_q for x in all_x]
    keys = [omega_k @ x + beta_k for x in all_x]
    values = [omega_v @ x + beta_v for x in all_x]
    out = []
    for n in range(N):
        scores = []
        for m in range(N):
            s = (keys[m].T @ queries[n]).item()
            scores.append(s)
            scores.append(s)
        att = softmax(scores)
        out.append(sum(att[m] * values[m] for m in range(N)))
    return out


def self_attention_per_token__only_last_term_lists(all_x, omega_v, omega_q, omega_k, beta_v, beta_q, beta_k):
    """loses: per_token_published, per_token_sizes, per_token_unchanged"""
    N = len(all_x)
    queries = [omega_q @ x + beta_q for x in all_x]
    keys = [omega_k @ x + beta_k for x in all_x]
    values = [omega_v @ x + beta_v for x in all_x]
    out = []
    for n in range(N):
        scores = [(keys[m].T @ queries[n]).item() for m in range(N)]
        attention = softmax(scores)
        for m in range(N):
            x_prime = attention[m] * values[m]
        out.append(x_prime)
    return out


def self_attention_per_token__loop_indices_mixed_weight(
    all_x, omega_v, omega_q, omega_k, beta_v, beta_q, beta_k
):
    """loses: per_token_published, per_token_sizes, per_token_unchanged"""
    N = len(all_x)
    queries = [omega_q @ x + beta_q for x in all_x]
    keys = [omega_k @ x + beta_k for x in all_x]
    values = [omega_v @ x + beta_v for x in all_x]
    out = []
    for n in range(N):
        scores = [(keys[m].T @ queries[n]).item() for m in range(N)]
        attention = softmax(scores)
        x_prime = np.zeros(values[0].shape)
        for m in range(N):
            x_prime += attention[n] * values[m]
        out.append(x_prime)
    return out


def self_attention_per_token__loop_indices_mixed_value(
    all_x, omega_v, omega_q, omega_k, beta_v, beta_q, beta_k
):
    """loses: per_token_published, per_token_sizes, per_token_unchanged"""
    N = len(all_x)
    queries = [omega_q @ x + beta_q for x in all_x]
    keys = [omega_k @ x + beta_k for x in all_x]
    values = [omega_v @ x + beta_v for x in all_x]
    out = []
    for n in range(N):
        scores = [(keys[m].T @ queries[n]).item() for m in range(N)]
        attention = softmax(scores)
        x_prime = np.zeros(values[0].shape)
        for m in range(N):
            x_prime += attention[m] * values[n]
        out.append(x_prime)
    return out


def self_attention_per_token__loop_indices_mixed_value_of_own_token(
    all_x, omega_v, omega_q, omega_k, beta_v, beta_q, beta_k
):
    """loses: per_token_published, per_token_sizes, per_token_unchanged"""
    out = []
    for x in all_x:
        q = omega_q @ x + beta_q
        att = softmax([((omega_k @ y + beta_k).T @ q).item() for y in all_x])
        v = omega_v @ x + beta_v
        out.append(sum(a * v for a in att))
    return out


def self_attention_per_token__no_softmax_lists(all_x, omega_v, omega_q, omega_k, beta_v, beta_q, beta_k):
    """loses: per_token_published, per_token_sizes, per_token_unchanged"""
    N = len(all_x)
    queries = [omega_q @ x + beta_q for x in all_x]
    keys = [omega_k @ x + beta_k for x in all_x]
    values = [omega_v @ x + beta_v for x in all_x]
    out = []
    for n in range(N):
        scores = [(keys[m].T @ queries[n]).item() for m in range(N)]
        out.append(sum(scores[m] * values[m] for m in range(N)))
    return out


def self_attention_per_token__feature_attention_outer_products(
    all_x, omega_v, omega_q, omega_k, beta_v, beta_q, beta_k
):
    """loses: per_token_published, per_token_sizes, per_token_unchanged"""
    N = len(all_x)
    queries = [omega_q @ x + beta_q for x in all_x]
    keys = [omega_k @ x + beta_k for x in all_x]
    values = [omega_v @ x + beta_v for x in all_x]
    out = []
    for n in range(N):
        scores = [keys[m] @ queries[n].T for m in range(N)]
        attention = softmax(scores)
        out.append(sum(attention[m] * values[m] for m in range(N)))
    return out


def self_attention_per_token__scores_elementwise_lists(
    all_x, omega_v, omega_q, omega_k, beta_v, beta_q, beta_k
):
    """loses: per_token_published, per_token_sizes, per_token_unchanged"""
    N = len(all_x)
    queries = [omega_q @ x + beta_q for x in all_x]
    keys = [omega_k @ x + beta_k for x in all_x]
    values = [omega_v @ x + beta_v for x in all_x]
    out = []
    for n in range(N):
        scores = [keys[m] * queries[n] for m in range(N)]
        attention = softmax(scores)
        out.append(sum(attention[m] * values[m] for m in range(N)))
    return out


def self_attention_per_token__weights_equal_same_key(
    all_x, omega_v, omega_q, omega_k, beta_v, beta_q, beta_k
):
    """loses: per_token_published, per_token_sizes, per_token_unchanged"""
    out = []
    for x in all_x:
        q = omega_q @ x + beta_q
        scores = []
        for y in all_x:
            k = omega_k @ x + beta_k
            scores.append((k.T @ q).item())
        att = softmax(scores)
        out.append(sum(a * (omega_v @ y + beta_v) for a, y in zip(att, all_x)))
    return out


def self_attention_per_token__bias_before_projection_lists(
    all_x, omega_v, omega_q, omega_k, beta_v, beta_q, beta_k
):
    """loses: per_token_published, per_token_sizes, per_token_unchanged"""
    queries = [omega_q @ (x + beta_q) for x in all_x]
    keys = [omega_k @ (x + beta_k) for x in all_x]
    values = [omega_v @ (x + beta_v) for x in all_x]
    out = []
    for q in queries:
        att = softmax([(k.T @ q).item() for k in keys])
        out.append(sum(a * v for a, v in zip(att, values)))
    return out


def self_attention_per_token__output_summed_without_axis(
    all_x, omega_v, omega_q, omega_k, beta_v, beta_q, beta_k
):
    """loses: per_token_published, per_token_sizes, per_token_unchanged"""
    queries = [omega_q @ x + beta_q for x in all_x]
    keys = [omega_k @ x + beta_k for x in all_x]
    values = [omega_v @ x + beta_v for x in all_x]
    out = []
    for q in queries:
        att = softmax([(k.T @ q).item() for k in keys])
        out.append(np.sum([a * v for a, v in zip(att, values)]))
    return out


def self_attention_per_token__output_summed_over_entries(
    all_x, omega_v, omega_q, omega_k, beta_v, beta_q, beta_k
):
    """loses: per_token_published, per_token_sizes, per_token_unchanged"""
    all_queries, all_keys, all_values = [], [], []
    for x in all_x:
        all_queries.append(omega_q @ x + beta_q)
        all_keys.append(omega_k @ x + beta_k)
        all_values.append(omega_v @ x + beta_v)
    out = []
    for n in range(len(all_x)):
        all_km_qn = []
        for key in all_keys:
            all_km_qn.append(np.dot(all_queries[n].T, key).item())
        attention = softmax(all_km_qn)
        out.append(np.sum([attention[i] * all_values[i] for i in range(len(all_x))], axis=1))
    return out


def self_attention_per_token__stale_query_one_number(
    all_x, omega_v, omega_q, omega_k, beta_v, beta_q, beta_k
):
    """loses: per_token_published, per_token_sizes, per_token_unchanged"""
    keys = []
    values = []
    for x in all_x:
        query = omega_q @ x + beta_q
        keys.append(omega_k @ x + beta_k)
        values.append(omega_v @ x + beta_v)
    out = []
    for n in range(len(all_x)):
        scores = [np.sum(key * query[n]) for key in keys]
        att = softmax(scores)
        out.append(sum(a * v for a, v in zip(att, values)))
    return out


def self_attention_per_token__one_row_alone_overwritten(
    all_x, omega_v, omega_q, omega_k, beta_v, beta_q, beta_k
):
    """loses: per_token_published, per_token_sizes, per_token_unchanged"""
    queries = [omega_q @ x + beta_q for x in all_x]
    keys = [omega_k @ x + beta_k for x in all_x]
    values = [omega_v @ x + beta_v for x in all_x]
    out = np.zeros((len(all_x[0]), 1))
    for q in queries:
        att = softmax([(k.T @ q).item() for k in keys])
        out = sum(a * v for a, v in zip(att, values))
    return out


def self_attention__torch_on_numpy_transpose(X, omega_v, omega_q, omega_k, beta_v, beta_q, beta_k):
    """loses: matrix_published, matrix_sizes, matrix_unchanged"""
    V, Q, K = omega_v @ X + beta_v, omega_q @ X + beta_q, omega_k @ X + beta_k
    w = np.apply_along_axis(softmax, 0, K.transpose(-2, -1) @ Q)
    return V @ w


def self_attention__returns_ones_stub(X, omega_v, omega_q, omega_k, beta_v, beta_q, beta_k):
    """loses: matrix_published, matrix_sizes, matrix_unchanged"""
    X_prime = np.ones_like(X)
    return X_prime


def self_attention__tokens_as_rows_square_softmax(X, omega_v, omega_q, omega_k, beta_v, beta_q, beta_k):
    """loses: matrix_published, matrix_sizes, matrix_unchanged"""
    V = X @ omega_v + beta_v
    Q = X @ omega_q + beta_q
    K = X @ omega_k + beta_k
    return softmax(Q @ K.T) @ V


def self_attention__weights_before_values_at(X, omega_v, omega_q, omega_k, beta_v, beta_q, beta_k):
    """loses: matrix_published, matrix_sizes, matrix_unchanged"""
    V, Q, K = omega_v @ X + beta_v, omega_q @ X + beta_q, omega_k @ X + beta_k
    w = np.apply_along_axis(softmax, 0, K.T @ Q)
    return w @ V


def self_attention__scores_not_transposed_at(X, omega_v, omega_q, omega_k, beta_v, beta_q, beta_k):
    """loses: matrix_published, matrix_sizes, matrix_unchanged"""
    V, Q, K = omega_v @ X + beta_v, omega_q @ X + beta_q, omega_k @ X + beta_k
    w = np.apply_along_axis(softmax, 0, Q @ K)
    return V @ w


def self_attention_per_token__tokens_as_rows_lists(all_x, omega_v, omega_q, omega_k, beta_v, beta_q, beta_k):
    """loses: per_token_published, per_token_sizes, per_token_unchanged"""
    queries = [x @ omega_q + beta_q for x in all_x]
    keys = [x @ omega_k + beta_k for x in all_x]
    values = [x @ omega_v + beta_v for x in all_x]
    out = []
    for q in queries:
        att = softmax([(k.T @ q).item() for k in keys])
        out.append(sum(a * v for a, v in zip(att, values)))
    return out


def self_attention_per_token__weights_broadcast_lists(
    all_x, omega_v, omega_q, omega_k, beta_v, beta_q, beta_k
):
    """loses: per_token_published, per_token_sizes, per_token_unchanged"""
    N = len(all_x)
    queries = [omega_q @ x + beta_q for x in all_x]
    keys = [omega_k @ x + beta_k for x in all_x]
    values = [omega_v @ x + beta_v for x in all_x]
    out = []
    for n in range(N):
        scores = [(keys[m].T @ queries[n]).item() for m in range(N)]
        attention = softmax(scores)
        out.append(np.sum(attention[:, None] * values, axis=0))
    return out


def self_attention_per_token__scores_not_transposed_lists(
    all_x, omega_v, omega_q, omega_k, beta_v, beta_q, beta_k
):
    """loses: per_token_published, per_token_sizes, per_token_unchanged"""
    queries = [omega_q @ x + beta_q for x in all_x]
    keys = [omega_k @ x + beta_k for x in all_x]
    values = [omega_v @ x + beta_v for x in all_x]
    out = []
    for q in queries:
        att = softmax([(k @ q).item() for k in keys])
        out.append(sum(a * v for a, v in zip(att, values)))
    return out
