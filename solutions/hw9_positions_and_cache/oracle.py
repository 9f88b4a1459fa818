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
    turned = torch.view_as_complex(pairs) * _turns(positions, d, base)
    return torch.view_as_real(turned).flatten(1)


def attend_one_step(q, k_new, v_new, cache_k, cache_v):
    keys = torch.vstack([_double(cache_k), _double(k_new)])
    values = torch.vstack([_double(cache_v), _double(v_new)])
    queries = _double(q)[None]
    outputs = F.scaled_dot_product_attention(queries, keys, values)
    return outputs[0], keys, values


def blockwise_attention(Q, K, V, block_size):
    return F.scaled_dot_product_attention(_double(Q), _double(K), _double(V))


def _turns(positions, d, base):
    """Return e^(i angle), a point on the unit circle for each position and pair of features."""
    pairs = torch.arange(d // 2, dtype=torch.float64)
    logarithm = torch.log(_double(base))
    rates = torch.exp(-pairs * 2 / d * logarithm)
    angles = torch.outer(_double(positions), rates)
    radius = torch.ones_like(angles)
    return torch.polar(radius, angles)


def _double(array):
    return torch.as_tensor(array, dtype=torch.float64)
