"""A second, independent way to the same numbers: complex numbers and torch's own operators.

A pair of features (a, b) is the number a + ib, and a rotation is the product with e^(i angle).
"""

import torch
import torch.nn.functional as F


def sinusoidal_positions(n, d_model):
    """Read sines and cosines off e^(i angle), which is (cos, sin); the sine comes first."""
    turns = _turns(range(n), d_model, 10000.0)
    cosines_and_sines = torch.view_as_real(turns)
    return cosines_and_sines.flip(-1).flatten(1)


def apply_rope(x, positions, base=10000.0):
    x = _double(x)
    n, d = x.shape
    pairs = x.reshape(n, d // 2, 2).contiguous()
    complex_numbers = torch.view_as_complex(pairs)
    turned = complex_numbers * _turns(positions, d, base)
    pairs_of_turned = torch.view_as_real(turned)
    return pairs_of_turned.flatten(1)


def attend_one_step(q, k_new, v_new, cache_k, cache_v):
    arguments = (q, k_new, v_new, cache_k, cache_v)
    q, k_new, v_new, cache_k, cache_v = map(_double, arguments)
    keys = torch.vstack([cache_k, k_new])
    values = torch.vstack([cache_v, v_new])
    queries = q[None]
    outputs = F.scaled_dot_product_attention(queries, keys, values)
    return outputs[0], keys, values


def blockwise_attention(Q, K, V, block_size):
    Q, K, V = map(_double, (Q, K, V))
    return F.scaled_dot_product_attention(Q, K, V)


def _turns(positions, d, base):
    """Return e^(i angle), a point on the unit circle for each position and pair of features."""
    pairs = torch.arange(d // 2, dtype=torch.float64)
    logarithm = torch.log(_double(base))
    exponents = -2 * pairs / d
    rates = torch.exp(exponents * logarithm)
    positions = _double(positions)
    angles = torch.outer(positions, rates)
    radius = torch.ones_like(angles)
    return torch.polar(radius, angles)


def _double(array):
    return torch.as_tensor(array, dtype=torch.float64)
