"""Wrong answers in a student's style, beside those of misconceptions.toml."""

import math

import numpy as np


def softmax_backward__backward_each_alone_sigmoid(weights, grad_weights):
    """loses: softmax_backward_published, softmax_backward_sizes, softmax_backward_unchanged"""
    diagonal = weights - weights**2
    return diagonal * grad_weights


def softmax_backward__backward_without_average_chain_rule(weights, grad_weights):
    """loses: softmax_backward_published, softmax_backward_sizes, softmax_backward_unchanged"""
    out = np.zeros(weights.shape)
    out += grad_weights
    out *= weights
    return out


def train__gradients_of_the_start_hoisted(parameters, inputs, targets, batches, rate):
    """loses: train_published, train_sizes, train_unchanged"""
    all_steps = [gradients(parameters, inputs[b], targets[b]) for b in batches]
    for g in all_steps:
        parameters = [p - rate * d for p, d in zip(parameters, g)]
    return parameters


def train__changed_in_place(parameters, inputs, targets, batches, rate):
    """loses: train_unchanged"""
    for b in batches:
        for p, g in zip(parameters, gradients(parameters, inputs[b], targets[b])):
            p -= rate * g
    return parameters


def sample__draws_ignored_greedy(logits, temperature, draws, top_k=None):
    """loses: sample_published, sample_sizes, sample_top"""
    return np.argmax(softmax(logits / temperature), axis=1)


def sample__sums_missing_loop(logits, temperature, draws, top_k=None):
    """loses: sample_published, sample_sizes, sample_top"""
    ids = []
    for row, u in zip(logits, draws):
        row = row / temperature
        if top_k is not None:
            row = np.where(row >= np.sort(row)[-top_k], row, -np.inf)
        p = softmax(row)
        chosen = 0
        for i in range(len(p)):
            if p[i] > u:
                chosen = i
                break
        ids.append(chosen)
    return np.array(ids)


def cross_entropy__minus_1_as_last_id_indexed(logits, targets):
    """loses: cross_entropy_published, cross_entropy_filled"""
    n = targets.size
    z = logits - logits.max(-1, keepdims=True)
    log_p = z - np.log(np.exp(z).sum(-1, keepdims=True))
    b, t = np.indices(targets.shape)
    loss = -log_p[b, t, targets].mean()
    gradient = np.exp(log_p)
    gradient[b, t, targets] -= 1
    return loss, gradient / n


def cross_entropy__logarithm_of_0_from_the_softmax(logits, targets):
    """loses: cross_entropy_large"""
    p = softmax(logits)
    real = targets >= 0
    one_hot = np.arange(p.shape[-1]) == targets[..., None]
    loss = -np.log(p[one_hot]).sum() / real.sum()
    return loss, (p - one_hot) * real[..., None] / real.sum()


def encode_names__targets_filled_with_0_zeros(names, alphabet):
    """loses: encode_names_published, encode_names_sizes"""
    n = max(len(name) for name in names) + 2
    ids = np.zeros((len(names), n), int)
    for i, name in enumerate(names):
        for j, c in enumerate(name, 1):
            ids[i, j] = alphabet.index(c)
    return ids[:, :-1], ids[:, 1:]


def causal_block__mask_with_0_multiplied(X, W_q, W_k, W_v, W_1, W_2):
    """loses: causal_block_published, causal_block_sizes, causal_block_large, causal_block_unchanged"""
    scores = (X @ W_q) @ (X @ W_k).transpose(0, 2, 1) / math.sqrt(W_q.shape[1])
    weights = softmax(scores * np.tri(X.shape[1]))
    attended = X + weights @ (X @ W_v)
    return weights, attended, attended + np.maximum(attended @ W_1, 0) @ W_2


def cross_entropy__mean_of_means_loop(logits, targets):
    """loses: cross_entropy_filled"""
    p = softmax(logits)
    z = logits - logits.max(axis=-1, keepdims=True)
    logp = z - np.log(np.exp(z).sum(axis=-1, keepdims=True))
    gradient = np.zeros(logits.shape)
    names = []
    for b in range(len(targets)):
        places = [n for n in range(targets.shape[1]) if targets[b, n] >= 0]
        names.append(-np.mean([logp[b, n, targets[b, n]] for n in places]))
        for n in places:
            gradient[b, n] = p[b, n]
            gradient[b, n, targets[b, n]] -= 1
    return np.mean(names), gradient / np.sum(targets >= 0)


def sample__sum_reaches_the_draw_searchsorted(logits, temperature, draws, top_k=None):
    """loses: sample_top"""
    z = logits / temperature
    if top_k is not None:
        smallest = np.sort(z, axis=1)[:, [-top_k]]
        z = np.where(z < smallest, -np.inf, z)
    return np.array([np.searchsorted(np.cumsum(row), u) for row, u in zip(softmax(z), draws)])


def softmax_backward__average_not_weighted_mean(weights, grad_weights):
    """loses: softmax_backward_published, softmax_backward_sizes, softmax_backward_unchanged"""
    return weights * grad_weights - weights * np.mean(weights * grad_weights, axis=-1, keepdims=True)


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


def sample__top_k_not_shared_out_argmax(logits, temperature, draws, top_k=None):
    """loses: sample_top"""
    z = logits / temperature
    p = softmax(z)
    if top_k is not None:
        order = np.argsort(-z, axis=-1)
        keep = np.zeros(z.shape, dtype=bool)
        np.put_along_axis(keep, order[:, :top_k], True, axis=-1)
        p = np.where(keep, p, 0.0)
    return np.argmax(np.cumsum(p, axis=-1) > draws[:, None], axis=-1)


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


def causal_block__mask_after_softmax_shared_out_loops(X, W_q, W_k, W_v, W_1, W_2):
    """loses: causal_block_large"""
    Q, K, V = X @ W_q, X @ W_k, X @ W_v
    weights = softmax(Q @ K.transpose(0, 2, 1) / math.sqrt(K.shape[-1]))
    for i in range(X.shape[1]):
        weights[:, i, i + 1 :] = 0
        weights[:, i] /= weights[:, i].sum(axis=-1, keepdims=True)
    attended = X + weights @ V
    return weights, attended, attended + np.maximum(attended @ W_1, 0) @ W_2


def sample__temperature_with_a_floor(logits, temperature, draws, top_k=None):
    """loses: sample_sizes, sample_top"""
    z = logits / max(temperature, 0.1)
    if top_k is not None:
        z = np.where(z < np.sort(z, axis=1)[:, [-top_k]], -np.inf, z)
    return np.argmax(np.cumsum(softmax(z), axis=1) > draws[:, None], axis=1)
