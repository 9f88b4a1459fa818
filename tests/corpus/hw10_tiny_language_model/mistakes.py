"""Wrong answers in a student's style, beside those of misconceptions.toml."""

import numpy as np


def train__changed_in_place(parameters, inputs, targets, batches, rate):
    """loses: train_unchanged"""
    for b in batches:
        for p, g in zip(parameters, gradients(parameters, inputs[b], targets[b])):
            p -= rate * g
    return parameters


def sample__sum_reaches_the_draw_searchsorted(logits, temperature, draws, top_k=None):
    """loses: sample_top"""
    z = logits / temperature
    if top_k is not None:
        smallest = np.sort(z, axis=1)[:, [-top_k]]
        z = np.where(z < smallest, -np.inf, z)
    return np.array([np.searchsorted(np.cumsum(row), u) for row, u in zip(softmax(z), draws)])


def encode_names__floats_for_integers(names, alphabet):
    """loses: encode_names_published"""
    width = max(len(name) for name in names) + 1
    inputs = np.zeros((len(names), width))
    targets = np.ones((len(names), width)) * -1
    for b, name in enumerate(names):
        ids = [alphabet.index(c) for c in name]
        inputs[b, 1 : len(ids) + 1] = ids
        targets[b, : len(ids) + 1] = [*ids, 0]
    return inputs, targets


def causal_block__attended_is_x(X, W_q, W_k, W_v, W_1, W_2):
    """loses: causal_block_unchanged"""
    hidden = np.triu(np.ones((X.shape[1], X.shape[1]), dtype=bool), 1)
    Q, K, V = X @ W_q, X @ W_k, X @ W_v
    scores = Q @ K.transpose(0, 2, 1) / np.sqrt(K.shape[-1])
    scores[:, hidden] = -np.inf
    weights = softmax(scores)
    attended = X
    attended += weights @ V
    return weights, attended, attended + np.maximum(attended @ W_1, 0) @ W_2


def cross_entropy__other_targets_counted_count_nonzero(logits, targets):
    """loses: cross_entropy_sizes, cross_entropy_filled, cross_entropy_large"""
    z = logits - logits.max(axis=-1, keepdims=True)
    log_p = z - np.log(np.exp(z).sum(axis=-1, keepdims=True))
    m = np.count_nonzero(targets)
    gradient = np.zeros(logits.shape)
    loss = 0.0
    B, N = targets.shape
    for b in range(B):
        for n in range(N):
            y = targets[b, n]
            if y >= 0:
                loss -= log_p[b, n, y]
                gradient[b, n] = np.exp(log_p[b, n])
                gradient[b, n, y] -= 1
    return loss / m, gradient / m


def encode_names__list_grows(names, alphabet):
    """loses: encode_names_sizes"""
    names.append("")
    n = max(len(name) for name in names) + 1
    inputs = np.zeros((len(names) - 1, n), dtype=int)
    targets = np.full((len(names) - 1, n), -1)
    for b, name in enumerate(names[:-1]):
        ids = [alphabet.index(c) for c in name]
        inputs[b, 1 : len(ids) + 1] = ids
        targets[b, : len(ids) + 1] = [*ids, 0]
    return inputs, targets


def softmax_backward__divides_by_weights(weights, grad_weights):
    """loses: softmax_backward_sizes, softmax_backward_unchanged, train_published, train_sizes, train_unchanged"""
    product = weights * grad_weights
    return product - weights * np.sum(weights * (product / weights), axis=-1, keepdims=True)


def sample__temperature_with_a_floor(logits, temperature, draws, top_k=None):
    """loses: sample_sizes, sample_top"""
    z = logits / max(temperature, 0.1)
    if top_k is not None:
        z = np.where(z < np.sort(z, axis=1)[:, [-top_k]], -np.inf, z)
    return np.argmax(np.cumsum(softmax(z), axis=1) > draws[:, None], axis=1)
