"""Right answers in other styles, each of which must earn all points."""

import math

import numpy as np
import torch
import torch.nn.functional as F


def encode_names__list_of_lists(names, alphabet):
    longest = max(map(len, names))
    inputs, targets = [], []
    for name in names:
        ids = [alphabet.find(letter) for letter in name]
        rest = longest - len(name)
        inputs.append([0] + ids + [0] * rest)
        targets.append(ids + [0] + [-1] * rest)
    return inputs, targets


def encode_names__dictionary_and_padding(names, alphabet):
    number = dict(zip(alphabet, range(len(alphabet))))
    n = 1 + max(len(name) for name in names)
    texts = [[number[c] for c in name] for name in names]
    inputs = np.array([np.pad(ids, (1, n - 1 - len(ids))) for ids in texts])
    targets = np.array([np.pad(ids + [0], (0, n - 1 - len(ids)), constant_values=-1) for ids in texts])
    return inputs, targets


def encode_names__targets_from_inputs(names, alphabet):
    n = max(len(name) for name in names) + 1
    first = alphabet[0]
    filled = [first + name.ljust(n, first) for name in names]
    ids = np.array([[alphabet.index(c) for c in text] for text in filled])
    lengths = np.array([len(name) for name in names])
    targets = np.where(np.arange(n) <= lengths[:, None], ids[:, 1:], -1)
    return ids[:, :-1], targets


def cross_entropy__chosen_by_index(logits, targets):
    batch, place = np.nonzero(targets != -1)
    chosen = targets[batch, place]
    largest = logits.max(-1, keepdims=True)
    p = np.exp(logits - largest)
    total = p.sum(-1, keepdims=True)
    log_p = logits - largest - np.log(total)
    loss = -np.mean(log_p[batch, place, chosen])
    gradient = np.zeros_like(logits)
    gradient[batch, place] = (p / total)[batch, place]
    gradient[batch, place, chosen] -= 1
    return loss, gradient / len(chosen)


def cross_entropy__log_add_exp(logits, targets):
    log_p = logits - np.logaddexp.reduce(logits, axis=2, keepdims=True)
    flat, goals = log_p.reshape(-1, logits.shape[2]), targets.ravel()
    rows = np.flatnonzero(goals >= 0)
    loss = -flat[rows, goals[rows]].sum() / rows.size
    gradient = np.zeros(flat.shape)
    gradient[rows] = np.exp(flat[rows]) - np.eye(logits.shape[2])[goals[rows]]
    return loss, (gradient / rows.size).reshape(logits.shape)


def cross_entropy__loops(logits, targets):
    B, N, V = logits.shape
    gradient = [[[0.0] * V for _ in range(N)] for _ in range(B)]
    count, loss = 0, 0.0
    for b in range(B):
        for n in range(N):
            if targets[b, n] != -1:
                count += 1
    for b in range(B):
        for n in range(N):
            t = int(targets[b, n])
            if t < 0:
                continue
            m = max(logits[b, n])
            s = sum(math.exp(x - m) for x in logits[b, n])
            loss += m + math.log(s) - logits[b, n, t]
            for v in range(V):
                gradient[b][n][v] = (math.exp(logits[b, n, v] - m) / s - (v == t)) / count
    return loss / count, gradient


def cross_entropy__with_torch(logits, targets):
    x = torch.tensor(logits, requires_grad=True)
    loss = F.cross_entropy(x.flatten(0, 1), torch.tensor(targets).flatten().long(), ignore_index=-1)
    loss.backward()
    return loss.item(), x.grad


def softmax_backward__jacobian(weights, grad_weights):
    identity = np.eye(weights.shape[-1])
    jacobian = weights[..., :, None] * (identity - weights[..., None, :])
    return np.einsum("...ij,...i->...j", jacobian, grad_weights)


def softmax_backward__two_terms(weights, grad_weights):
    product = weights * grad_weights
    return product - weights * np.sum(product, -1)[..., np.newaxis]


def softmax_backward__row_by_row(weights, grad_weights):
    n = weights.shape[-1]
    rows = []
    for w, g in zip(weights.reshape(-1, n), grad_weights.reshape(-1, n)):
        rows.append((np.diag(w) - np.outer(w, w)) @ g)
    return np.reshape(rows, weights.shape)


def softmax_backward__with_torch(weights, grad_weights):
    scores = torch.log(torch.tensor(weights)).requires_grad_()
    torch.softmax(scores, dim=-1).backward(torch.tensor(grad_weights))
    return scores.grad.numpy()


def causal_block__minus_infinity_added(X, W_q, W_k, W_v, W_1, W_2):
    n = X.shape[1]
    mask = np.triu(np.full((n, n), -np.inf), k=1)
    s = np.matmul(X @ W_q, np.transpose(X @ W_k, (0, 2, 1))) / W_q.shape[1] ** 0.5 + mask
    e = np.exp(s - s.max(axis=2, keepdims=True))
    a = e / e.sum(axis=2, keepdims=True)
    y = X + a @ X @ W_v
    h = y @ W_1
    return a, y, y + (h * (h > 0)) @ W_2


def causal_block__character_by_character(X, W_q, W_k, W_v, W_1, W_2):
    batch, n, _ = X.shape
    weights, attended = np.zeros((batch, n, n)), X.copy()
    for b in range(batch):
        for t in range(n):
            seen = X[b, : t + 1]
            weights[b, t, : t + 1] = softmax(seen @ W_k @ (X[b, t] @ W_q) / np.sqrt(W_k.shape[1]))
            attended[b, t] += weights[b, t, : t + 1] @ (seen @ W_v)
    return weights, attended, attended + np.clip(attended @ W_1, 0, None) @ W_2


def causal_block__einsum(X, W_q, W_k, W_v, W_1, W_2):
    scores = np.einsum("bnk,bmk->bnm", X @ W_q, X @ W_k)
    scores[:, ~np.tri(X.shape[1], dtype=bool)] = -1e30
    weights = softmax(scores / math.sqrt(W_q.shape[-1]))
    attended = np.einsum("bnm,bmd->bnd", weights, X @ W_v) + X
    hidden = np.where(attended @ W_1 > 0, attended @ W_1, 0.0)
    return [weights, attended, np.einsum("bnh,hd->bnd", hidden, W_2) + attended]


def causal_block__with_torch(X, W_q, W_k, W_v, W_1, W_2):
    X, W_q, W_k, W_v, W_1, W_2 = (torch.tensor(a) for a in (X, W_q, W_k, W_v, W_1, W_2))
    scores = (X @ W_q) @ (X @ W_k).mT / W_q.shape[1] ** 0.5
    hidden = torch.ones_like(scores, dtype=torch.bool).triu(1)
    weights = scores.masked_fill(hidden, -math.inf).softmax(-1)
    attended = X + weights @ (X @ W_v)
    output = attended + torch.relu(attended @ W_1) @ W_2
    return weights.numpy(), attended.numpy(), output.numpy()


def train__copies_changed_in_place(parameters, inputs, targets, batches, rate):
    learned = [p.copy() for p in parameters]
    for i in range(len(batches)):
        g = gradients(learned, inputs[batches[i]], targets[batches[i]])
        for k in range(8):
            learned[k] -= rate * g[k]
    return learned


def train__one_comprehension(parameters, inputs, targets, batches, rate):
    for batch in batches:
        parameters = [p - rate * g for p, g in zip(parameters, gradients(parameters, inputs[batch], targets[batch]))]
    return parameters


def train__recursive(parameters, inputs, targets, batches, rate):
    if len(batches) == 0:
        return parameters
    g = gradients(parameters, np.take(inputs, batches[0], 0), np.take(targets, batches[0], 0))
    lower = tuple(map(lambda pair: pair[0] - rate * pair[1], zip(parameters, g)))
    return train(lower, inputs, targets, batches[1:], rate)


def sample__first_sum_above(logits, temperature, draws, top_k=None):
    logits = logits / temperature
    if top_k:
        order = np.argsort(logits, axis=1)[:, :-top_k]
        np.put_along_axis(logits, order, -np.inf, axis=1)
    return np.argmax(np.cumsum(softmax(logits), axis=1) > draws[:, None], axis=1)


def sample__search_sorted(logits, temperature, draws, top_k=None):
    ids = []
    for row, draw in zip(logits, draws):
        if top_k is not None:
            row = np.where(row >= sorted(row)[-top_k], row, -np.inf)
        sums = np.cumsum(softmax(row / temperature))
        ids.append(np.searchsorted(sums, draw, side="right"))
    return np.array(ids)


def sample__loops(logits, temperature, draws, top_k=None):
    ids = []
    for row, draw in zip(logits.tolist(), draws.tolist()):
        kept = sorted(range(len(row)), key=lambda i: -row[i])[: top_k or len(row)]
        top = row[kept[0]]
        powers = [math.exp((x - top) / temperature) if i in kept else 0.0 for i, x in enumerate(row)]
        left = draw * sum(powers)
        for i, power in enumerate(powers):
            left -= power
            if left < 0:
                break
        ids.append(i)
    return ids


def sample__with_torch(logits, temperature, draws, top_k=None):
    x = torch.tensor(logits) / temperature
    if top_k is not None:
        x[x < x.topk(top_k).values[:, -1:]] = -math.inf
    above = x.softmax(-1).cumsum(-1) > torch.tensor(draws)[:, None]
    return above.int().argmax(-1)


class submission__renamed_and_shared:
    def log_softmax(z):
        z = z - np.max(z, axis=-1, keepdims=True)
        return z - np.log(np.sum(np.exp(z), axis=-1, keepdims=True))

    def cross_entropy(predicted, wanted):
        log_p = log_softmax(predicted)
        real = wanted != -1
        safe = np.where(real, wanted, 0)
        picked = np.take_along_axis(log_p, safe[..., None], axis=-1)[..., 0]
        one_hot = np.eye(predicted.shape[-1])[safe]
        return -np.mean(picked[real]), (np.exp(log_p) - one_hot) * real[..., None] / real.sum()

    def softmax_backward(a, da):
        return a * (da - np.einsum("...k,...k->...", a, da)[..., None])

    def causal_block(x, wq, wk, wv, w1, w2):
        n = x.shape[1]
        i = np.arange(n)
        z = (x @ wq) @ (x @ wk).transpose(0, 2, 1) / np.sqrt(wq.shape[1])
        a = np.exp(log_softmax(np.where(i[:, None] >= i[None, :], z, -1e9)))
        y = x + a @ (x @ wv)
        return a, y, y + np.maximum(0, y @ w1) @ w2

    def sample(z, T, u, k=None):
        p = np.exp(log_softmax(z / T))
        if k is not None:
            p = p * (p >= -np.partition(-p, k - 1, axis=1)[:, k - 1 : k])
            p = p / p.sum(axis=1, keepdims=True)
        return np.array([int(np.argmax(np.cumsum(row) > draw)) for row, draw in zip(p, u)])


class submission__single_precision:
    def softmax_backward(weights, grad_weights):
        w, g = np.float32(weights), np.float32(grad_weights)
        return w * (g - np.sum(w * g, axis=-1, keepdims=True))

    def causal_block(X, W_q, W_k, W_v, W_1, W_2):
        X, W_q, W_k, W_v, W_1, W_2 = (a.astype(np.float32) for a in (X, W_q, W_k, W_v, W_1, W_2))
        scores = (X @ W_q) @ (X @ W_k).swapaxes(1, 2) / np.sqrt(np.float32(W_q.shape[1]))
        weights = softmax(np.where(np.tri(X.shape[1]) == 1, scores, np.float32(-1e9)))
        attended = X + weights @ (X @ W_v)
        return weights, attended, attended + np.maximum(attended @ W_1, 0) @ W_2
