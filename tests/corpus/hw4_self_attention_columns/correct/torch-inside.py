import numpy as np
import torch


def softmax(items):
    return torch.softmax(torch.as_tensor(np.asarray(items), dtype=torch.float64), dim=0).numpy()


def _attend(X, omega_v, omega_q, omega_k, beta_v, beta_q, beta_k, root):
    X, wv, wq, wk, bv, bq, bk = (
        torch.from_numpy(a) for a in (X, omega_v, omega_q, omega_k, beta_v, beta_q, beta_k)
    )
    scores = (wq @ X + bq).mT @ (wk @ X + bk) / root
    return ((wv @ X + bv) @ scores.softmax(dim=1).mT).numpy()


def self_attention(X, *parameters):
    return _attend(X, *parameters, 1.0)


def scaled_dot_product_self_attention(X, *parameters):
    return _attend(X, *parameters, X.shape[0] ** 0.5)


def self_attention_per_token(all_x, *parameters):
    together = torch.from_numpy(_attend(np.concatenate(all_x, axis=1), *parameters, 1.0))
    return [column.unsqueeze(1) for column in together.unbind(dim=1)]
