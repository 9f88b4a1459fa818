"""A second, independent way to the same numbers: torch's operators and gradients, and an imaginary step."""

import numpy as np
import torch
import torch.nn.functional as F

STEP = 1e-30


def encode_names(names, alphabet):
    """Look ids up in a dictionary, then let torch fill the rows up."""
    ids = {character: number for number, character in enumerate(alphabet)}
    begins = []
    ends = []
    for name in names:
        characters = [ids[character] for character in name]
        begins.append(torch.tensor([0, *characters]))
        ends.append(torch.tensor([*characters, 0]))
    inputs = torch.nn.utils.rnn.pad_sequence(begins, batch_first=True)
    targets = torch.nn.utils.rnn.pad_sequence(ends, batch_first=True, padding_value=-1)
    return inputs, targets


def cross_entropy(logits, targets):
    logits = _double(logits).requires_grad_()
    loss = _loss(logits, torch.as_tensor(targets))
    loss.backward()
    return loss.detach(), logits.grad


def softmax_backward(weights, grad_weights):
    """Move one score after the other by a tiny imaginary step: a difference quotient without cancellation.

    The logarithms of the weights are scores that lead to them.
    """
    scores = np.log(weights)
    gradient = np.empty(scores.shape)
    for column in range(scores.shape[-1]):
        moved = scores.astype(complex)
        moved[..., column] += 1j * STEP
        powers = np.exp(moved)
        shares = powers / powers.sum(axis=-1, keepdims=True)
        loss = (shares * grad_weights).sum(axis=-1)
        gradient[..., column] = loss.imag / STEP
    return gradient


def causal_block(X, W_q, W_k, W_v, W_1, W_2):
    X, W_q, W_k, W_v, W_1, W_2 = map(_double, (X, W_q, W_k, W_v, W_1, W_2))
    identity = torch.eye(X.shape[1], dtype=torch.float64).expand(len(X), -1, -1)
    weights = _attention(X, W_q, W_k, identity)
    attended = X + _attention(X, W_q, W_k, X @ W_v)
    return weights, attended, _network(attended, W_1, W_2)


def train(parameters, inputs, targets, batches, rate):
    """Let torch differentiate the whole model, and its optimizer descend."""
    learned = [_double(parameter).clone().requires_grad_() for parameter in parameters]
    E, P, W_q, W_k, W_v, W_1, W_2, U = learned
    optimizer = torch.optim.SGD(learned, lr=rate)
    for rows in batches:
        ids = torch.as_tensor(inputs[rows])
        X = F.embedding(ids, E) + P[: ids.shape[1]]
        attended = X + _attention(X, W_q, W_k, X @ W_v)
        loss = _loss(_network(attended, W_1, W_2) @ U, torch.as_tensor(targets[rows]))
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    return tuple(parameter.detach() for parameter in learned)


def sample(logits, temperature, draws, top_k=None):
    """Let only the k largest through, and search the draw among the sums."""
    scaled = _double(logits) / temperature
    values, ids = scaled.topk(top_k or scaled.shape[1])
    kept = torch.full_like(scaled, -torch.inf).scatter(1, ids, values)
    sums = kept.softmax(dim=-1).cumsum(dim=-1)
    return torch.searchsorted(sums, _double(draws)[:, None], right=True)[:, 0]


def _attention(X, W_q, W_k, values):
    return F.scaled_dot_product_attention(X @ W_q, X @ W_k, values, is_causal=True)


def _network(attended, W_1, W_2):
    return attended + F.relu(attended @ W_1) @ W_2


def _loss(logits, targets):
    return F.cross_entropy(logits.flatten(0, 1), targets.flatten(), ignore_index=-1)


def _double(array):
    return torch.tensor(np.asarray(array), dtype=torch.float64)
