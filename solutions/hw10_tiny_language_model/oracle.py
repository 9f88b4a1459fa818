"""A second, independent way to the same numbers: torch's operators and gradients, and an imaginary step."""

import numpy as np
import torch
import torch.nn.functional as F

STEP = 1e-30


def encode_names(names, alphabet):
    """Look ids up in a dictionary, then let torch fill the rows up."""
    numbers = range(len(alphabet))
    id_of = dict(zip(alphabet, numbers, strict=True))
    begins = []
    ends = []
    for name in names:
        ids = [id_of[character] for character in name]
        begins.append(torch.tensor([0, *ids]))
        ends.append(torch.tensor([*ids, 0]))
    pad = torch.nn.utils.rnn.pad_sequence
    inputs = pad(begins, batch_first=True)
    targets = pad(ends, batch_first=True, padding_value=-1)
    return inputs, targets


def cross_entropy(logits, targets):
    """Let torch compute the mean over all places that count, and its gradient."""
    logits = _double(logits)
    logits.requires_grad_()
    loss = _loss(logits, targets)
    loss.backward()
    return loss.detach(), logits.grad


def softmax_backward(weights, grad_weights):
    """Move one score after the other by a tiny imaginary step: a difference quotient without cancellation.

    The logarithms of the weights are scores that lead to them.
    """
    scores = np.log(weights)
    gradient = np.empty(scores.shape)
    number_of_columns = scores.shape[-1]
    for column in range(number_of_columns):
        moved = scores.astype(complex)
        moved[..., column] += 1j * STEP
        powers = np.exp(moved)
        sums = powers.sum(axis=-1, keepdims=True)
        shares = powers / sums
        loss = (shares * grad_weights).sum(axis=-1)
        gradient[..., column] = loss.imag / STEP
    return gradient


def causal_block(*arguments):
    """Attend with torch, once to an identity matrix, which gives the weights, and once to the values."""
    X, W_q, W_k, W_v, W_1, W_2 = map(_double, arguments)
    batch, n, _ = X.shape
    identity = torch.eye(n, dtype=torch.float64)
    identity = identity.expand(batch, n, n)
    weights = _attention(X, W_q, W_k, identity)
    values = X @ W_v
    attended = X + _attention(X, W_q, W_k, values)
    output = _network(attended, W_1, W_2)
    return weights, attended, output


def train(parameters, inputs, targets, batches, rate):
    """Let torch differentiate the whole model, and its optimizer descend."""
    learned = []
    for parameter in parameters:
        parameter = _double(parameter)
        learned.append(parameter.requires_grad_())
    optimizer = torch.optim.SGD(learned, lr=rate)
    for rows in batches:
        logits = _model(learned, inputs[rows])
        loss = _loss(logits, targets[rows])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    return tuple(parameter.detach() for parameter in learned)


def sample(logits, temperature, draws, top_k=None):
    """Let only the k largest through, and search the draw among the sums."""
    scaled = _double(logits) / temperature
    if top_k is None:
        top_k = scaled.shape[1]
    values, ids = scaled.topk(top_k)
    nothing = torch.full_like(scaled, -torch.inf)
    largest = nothing.scatter(1, ids, values)
    weights = largest.softmax(dim=-1)
    sums = weights.cumsum(dim=-1)
    draws = _double(draws)[:, None]
    places = torch.searchsorted(sums, draws, right=True)
    return places[:, 0]


def _model(parameters, ids):
    """Return the logits of the next characters."""
    E, P, W_q, W_k, W_v, W_1, W_2, U = parameters
    ids = torch.as_tensor(ids)
    number_of_places = ids.shape[1]
    X = F.embedding(ids, E) + P[:number_of_places]
    values = X @ W_v
    attended = X + _attention(X, W_q, W_k, values)
    features = _network(attended, W_1, W_2)
    return features @ U


def _attention(X, W_q, W_k, values):
    Q = X @ W_q
    K = X @ W_k
    return F.scaled_dot_product_attention(Q, K, values, is_causal=True)


def _network(attended, W_1, W_2):
    hidden = F.relu(attended @ W_1)
    return attended + hidden @ W_2


def _loss(logits, targets):
    targets = torch.as_tensor(targets).flatten()
    rows = logits.flatten(0, 1)
    return F.cross_entropy(rows, targets, ignore_index=-1)


def _double(array):
    """Return a copy as a tensor of float64."""
    return torch.tensor(np.asarray(array), dtype=torch.float64)
