"""Wrong answers to hw5 in styles that differ from the edits in misconceptions.toml."""


def softmax_cols__softmax_over_queries_copied(data_in):
    """loses: softmax_cols_published, softmax_cols_sizes, softmax_cols_large, softmax_cols_unchanged,
    multihead_published
    """
    e = np.exp(data_in - np.max(data_in))
    return e / e.sum(axis=1, keepdims=True)


def softmax_cols__softmax_no_keepdims_copied(data_in):
    """loses: softmax_cols_published, softmax_cols_sizes, softmax_cols_large, softmax_cols_unchanged,
    multihead_published
    """
    e = np.exp(data_in - np.max(data_in))
    return e / e.sum(axis=1)


def softmax_cols__softmax_no_keepdims_both(data_in):
    """loses: softmax_cols_published, softmax_cols_sizes, softmax_cols_large, softmax_cols_unchanged,
    multihead_published
    """
    e = np.exp(data_in - data_in.max(axis=1))
    return e / e.sum(axis=1)


def softmax_cols__softmax_max_over_queries_keepdims(data_in):
    """loses: softmax_cols_published, softmax_cols_sizes, softmax_cols_large, softmax_cols_unchanged,
    multihead_published
    """
    e = np.exp(data_in - data_in.max(axis=1, keepdims=True))
    return e / e.sum(axis=0, keepdims=True)


def softmax_cols__total_not_reset_loops(data_in):
    """loses: softmax_cols_published, softmax_cols_sizes, softmax_cols_large, softmax_cols_unchanged,
    multihead_published
    """
    out = np.zeros(data_in.shape)
    t = 0
    for j in range(data_in.shape[1]):
        for i in range(data_in.shape[0]):
            t += np.exp(data_in[i, j])
        out[:, j] = np.exp(data_in[:, j]) / t
    return out


def softmax_cols__torch_on_numpy_dim(data_in):
    """loses: softmax_cols_published, softmax_cols_sizes, softmax_cols_large, softmax_cols_unchanged,
    multihead_published, multihead_sizes, multihead_unchanged
    """
    e = np.exp(data_in)
    return e / e.sum(dim=0)


def softmax_cols__returns_ones_stub(data_in):
    """loses: softmax_cols_published, softmax_cols_sizes, softmax_cols_large, softmax_cols_unchanged,
    multihead_published, multihead_sizes, multihead_unchanged
    """
    return np.ones_like(data_in)


def attention_head__no_softmax_at_all(X, omega_v, omega_q, omega_k, beta_v, beta_q, beta_k):
    """loses: multihead_published, multihead_sizes, multihead_unchanged"""
    V, Q, K = omega_v @ X + beta_v, omega_q @ X + beta_q, omega_k @ X + beta_k
    return V @ (K.T @ Q / np.sqrt(Q.shape[0]))


def attention_head__torch_on_numpy_transpose(X, omega_v, omega_q, omega_k, beta_v, beta_q, beta_k):
    """loses: multihead_published, multihead_sizes, multihead_unchanged"""
    V, Q, K = omega_v @ X + beta_v, omega_q @ X + beta_q, omega_k @ X + beta_k
    return V @ softmax_cols(K.transpose(-2, -1) @ Q / np.sqrt(Q.shape[0]))


def attention_head__tokens_as_rows_at(X, omega_v, omega_q, omega_k, beta_v, beta_q, beta_k):
    """loses: multihead_published, multihead_sizes, multihead_unchanged"""
    V = X @ omega_v + beta_v
    Q = X @ omega_q + beta_q
    K = X @ omega_k + beta_k
    s = Q @ K.T / np.sqrt(Q.shape[1])
    return softmax_cols(s) @ V


def attention_head__tokens_as_rows_turned_round(X, omega_v, omega_q, omega_k, beta_v, beta_q, beta_k):
    """loses: multihead_published, multihead_sizes, multihead_unchanged"""
    V = X.T @ omega_v + beta_v
    Q = X.T @ omega_q + beta_q
    K = X.T @ omega_k + beta_k
    return softmax_cols(Q @ K.T / np.sqrt(Q.shape[1])) @ V


def attention_head__projection_transposed_at(X, omega_v, omega_q, omega_k, beta_v, beta_q, beta_k):
    """loses: multihead_published, multihead_sizes, multihead_unchanged"""
    V, Q, K = omega_v.T @ X + beta_v, omega_q.T @ X + beta_q, omega_k.T @ X + beta_k
    return V @ softmax_cols(K.T @ Q / np.sqrt(Q.shape[0]))


def attention_head__elementwise_projection_heads(X, omega_v, omega_q, omega_k, beta_v, beta_q, beta_k):
    """loses: multihead_published, multihead_sizes, multihead_unchanged"""
    V, Q, K = omega_v * X + beta_v, omega_q * X + beta_q, omega_k * X + beta_k
    return V @ softmax_cols(K.T @ Q / np.sqrt(Q.shape[0]))


def attention_head__scores_not_transposed_at(X, omega_v, omega_q, omega_k, beta_v, beta_q, beta_k):
    """loses: multihead_published, multihead_sizes, multihead_unchanged"""
    V, Q, K = omega_v @ X + beta_v, omega_q @ X + beta_q, omega_k @ X + beta_k
    return V @ softmax_cols(Q @ K / np.sqrt(Q.shape[0]))


def attention_head__weights_before_values_at(X, omega_v, omega_q, omega_k, beta_v, beta_q, beta_k):
    """loses: multihead_published, multihead_sizes, multihead_unchanged"""
    V, Q, K = omega_v @ X + beta_v, omega_q @ X + beta_q, omega_k @ X + beta_k
    return softmax_cols(K.T @ Q / np.sqrt(Q.shape[0])) @ V


def multihead_scaled_self_attention__heads_not_stacked_hstack(
    X,
    omega_v1,
    omega_q1,
    omega_k1,
    beta_v1,
    beta_q1,
    beta_k1,
    omega_v2,
    omega_q2,
    omega_k2,
    beta_v2,
    beta_q2,
    beta_k2,
    omega_c,
):
    """loses: multihead_published, multihead_sizes, multihead_unchanged"""
    a = attention_head(X, omega_v1, omega_q1, omega_k1, beta_v1, beta_q1, beta_k1)
    b = attention_head(X, omega_v2, omega_q2, omega_k2, beta_v2, beta_q2, beta_k2)
    return omega_c @ np.hstack((a, b))


def multihead_scaled_self_attention__heads_not_stacked_added(
    X,
    omega_v1,
    omega_q1,
    omega_k1,
    beta_v1,
    beta_q1,
    beta_k1,
    omega_v2,
    omega_q2,
    omega_k2,
    beta_v2,
    beta_q2,
    beta_k2,
    omega_c,
):
    """loses: multihead_published, multihead_sizes, multihead_unchanged"""
    a = attention_head(X, omega_v1, omega_q1, omega_k1, beta_v1, beta_q1, beta_k1)
    b = attention_head(X, omega_v2, omega_q2, omega_k2, beta_v2, beta_q2, beta_k2)
    return omega_c @ (a + b)


def multihead_scaled_self_attention__heads_not_stacked_stack(
    X,
    omega_v1,
    omega_q1,
    omega_k1,
    beta_v1,
    beta_q1,
    beta_k1,
    omega_v2,
    omega_q2,
    omega_k2,
    beta_v2,
    beta_q2,
    beta_k2,
    omega_c,
):
    """loses: multihead_published, multihead_sizes, multihead_unchanged"""
    a = attention_head(X, omega_v1, omega_q1, omega_k1, beta_v1, beta_q1, beta_k1)
    b = attention_head(X, omega_v2, omega_q2, omega_k2, beta_v2, beta_q2, beta_k2)
    return omega_c @ np.stack((a, b))


def multihead_scaled_self_attention__output_projection_right_at(
    X,
    omega_v1,
    omega_q1,
    omega_k1,
    beta_v1,
    beta_q1,
    beta_k1,
    omega_v2,
    omega_q2,
    omega_k2,
    beta_v2,
    beta_q2,
    beta_k2,
    omega_c,
):
    """loses: multihead_published, multihead_sizes, multihead_unchanged"""
    a = attention_head(X, omega_v1, omega_q1, omega_k1, beta_v1, beta_q1, beta_k1)
    b = attention_head(X, omega_v2, omega_q2, omega_k2, beta_v2, beta_q2, beta_k2)
    return np.vstack((a, b)) @ omega_c


def multihead_scaled_self_attention__input_split_halves(
    X,
    omega_v1,
    omega_q1,
    omega_k1,
    beta_v1,
    beta_q1,
    beta_k1,
    omega_v2,
    omega_q2,
    omega_k2,
    beta_v2,
    beta_q2,
    beta_k2,
    omega_c,
):
    """loses: multihead_published, multihead_sizes, multihead_unchanged"""
    h = X.shape[0] // 2
    a = attention_head(X[:h], omega_v1, omega_q1, omega_k1, beta_v1, beta_q1, beta_k1)
    b = attention_head(X[h:], omega_v2, omega_q2, omega_k2, beta_v2, beta_q2, beta_k2)
    return omega_c @ np.vstack((a, b))
