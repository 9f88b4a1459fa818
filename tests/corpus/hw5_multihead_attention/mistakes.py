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
