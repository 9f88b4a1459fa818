"""A second, independent way to the same numbers: torch's operators and gradients, and an imaginary step."""

import numpy as np
import torch
import torch.nn.functional as F

STEP = 1e-30
IMAGINARY_STEP = 1e-30j
DOUBLE = torch.float64


def encode_names(names, alphabet):
    """Look ids up in a dictionary, then let torch fill the rows up."""
    id_of = {}
    for number, character in enumerate(alphabet):
        id_of[character] = number
    begins = []
    ends = []
    for name in names:
        ids = [id_of[character] for character in name]
        begin = torch.tensor([0, *ids])
        end = torch.tensor([*ids, 0])
        begins.append(begin)
        ends.append(end)
    inputs = _padded(begins, 0)
    targets = _padded(ends, -1)
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
        moved[..., column] += IMAGINARY_STEP
        powers = np.exp(moved)
        sums = powers.sum(axis=-1, keepdims=True)
        shares = powers / sums
        losses = shares * grad_weights
        loss = losses.sum(axis=-1)
        gradient[..., column] = loss.imag / STEP
    return gradient


def causal_block(*arguments):
    """Attend with torch, once to an identity matrix, which gives the weights, and once to the values."""
    X, *parameters = map(_double, arguments)
    W_q, W_k, *_ = parameters
    batch, n, _ = X.shape
    identity = torch.eye(n, dtype=DOUBLE)
    identity = identity.expand(batch, n, n)
    weights = _attention(X, W_q, W_k, identity)
    attended, output = _block(X, *parameters)
    return weights, attended, output


def train(parameters, inputs, targets, batches, rate):
    """Let torch differentiate the whole model, and its optimizer descend."""
    learned = []
    for parameter in parameters:
        parameter = _double(parameter)
        learned.append(parameter.requires_grad_())
    optimizer = torch.optim.SGD(learned, lr=rate)
    for rows in batches:
        batch = inputs[rows]
        targets_of_batch = targets[rows]
        logits = _model(learned, batch)
        loss = _loss(logits, targets_of_batch)
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
    no_chance = torch.full_like(scaled, -torch.inf)
    largest = no_chance.scatter(1, ids, values)
    weights = largest.softmax(dim=-1)
    sums = weights.cumsum(dim=-1)
    draws = _double(draws)
    column_of_draws = draws.unsqueeze(1)
    places = torch.searchsorted(sums, column_of_draws, right=True)
    return places.squeeze(1)


def _model(parameters, ids):
    """Return the logits of the next characters."""
    E, P, *parameters_of_block, U = parameters
    ids = torch.as_tensor(ids)
    number_of_places = ids.shape[1]
    embedded = F.embedding(ids, E)
    positions = P[:number_of_places]
    X = embedded + positions
    _, features = _block(X, *parameters_of_block)
    return features @ U


def _block(X, W_q, W_k, W_v, W_1, W_2):
    """Return what attention makes of the vectors, and what the network makes of that."""
    values = X @ W_v
    mixed = _attention(X, W_q, W_k, values)
    attended = X + mixed
    hidden = F.relu(attended @ W_1)
    added = hidden @ W_2
    return attended, attended + added


def _attention(X, W_q, W_k, values):
    Q = X @ W_q
    K = X @ W_k
    return F.scaled_dot_product_attention(Q, K, values, is_causal=True)


def _loss(logits, targets):
    targets = torch.as_tensor(targets).flatten()
    rows = logits.flatten(0, 1)
    return F.cross_entropy(rows, targets, ignore_index=-1)


def _double(array):
    """Return a copy as a tensor of float64."""
    array = np.asarray(array)
    return torch.tensor(array, dtype=DOUBLE)


def _padded(rows, number):
    """Return rows of different lengths as one tensor, filled up with a number."""
    pad = torch.nn.utils.rnn.pad_sequence
    return pad(rows, batch_first=True, padding_value=number)
