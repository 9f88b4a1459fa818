"""A second, independent way to the same numbers: complex numbers and torch's own operators."""

import torch
import torch.nn.functional as F


def _double(array):
    return torch.as_tensor(array, dtype=torch.float64)


def _turns(positions, d, base):
    """Points on the unit circle: e^(i angle) by position and pair."""
    rates = torch.exp(
        -torch.arange(d // 2, dtype=torch.float64) * 2 / d * torch.log(_double(base))
    )
    return torch.polar(
        torch.ones(len(positions), d // 2, dtype=torch.float64),
        torch.outer(positions, rates),
    )


def sinusoidal_positions(n, d_model):
    """e^(i angle) is (cos, sin); the sine comes first."""
    return (
        torch.view_as_real(_turns(_double(range(n)), d_model, 10000.0))
        .flip(-1)
        .flatten(1)
    )


def apply_rope(x, positions, base=10000.0):
    pairs = torch.view_as_complex(_double(x).reshape(len(x), -1, 2).contiguous())
    return torch.view_as_real(
        pairs * _turns(_double(positions), x.shape[-1], base)
    ).flatten(1)


def attend_one_step(q, k_new, v_new, cache_k, cache_v):
    keys, values = (
        torch.vstack([_double(cache), _double(new)])
        for cache, new in ((cache_k, k_new), (cache_v, v_new))
    )
    return (
        F.scaled_dot_product_attention(_double(q)[None], keys, values)[0],
        keys,
        values,
    )


def blockwise_attention(Q, K, V, block_size):
    return F.scaled_dot_product_attention(_double(Q), _double(K), _double(V))
