"""The encoder block with the mistakes that students make, each behind a switch.

With all switches off the block is right. Each step of it has a table of its mistakes; a step takes its
first mistake that is switched on, so that mistakes at different steps combine.
"""

import math

import torch
from torch import nn
from torch.nn.functional import linear

ON = frozenset()
DEFAULTS = (64, 4, 256)


def switch(*ids):
    """Turn these mistakes on, and all others off."""
    global ON
    ON = frozenset(ids)


def _step(mistakes, right):
    return next((mistakes[name] for name in mistakes if name in ON), right)


class SimpleEncoderBlock(nn.Module):
    def __init__(self, embed_dim=64, num_heads=4, ff_dim=256):
        super().__init__()
        sizes = {"hard-coded-dims": DEFAULTS}
        embed_dim, num_heads, ff_dim = _step(sizes, (embed_dim, num_heads, ff_dim))
        heads = {"ignores-heads": 1, "hard-coded-heads": DEFAULTS[1]}
        width = _step({"wrong-ffn-width": 4 * embed_dim}, ff_dim)
        activation = _step({"no-activation": nn.Identity, "gelu-for-relu": nn.GELU}, nn.ReLU)
        self.self_attn = nn.MultiheadAttention(embed_dim, _step(heads, num_heads))
        self.ff = nn.Sequential(nn.Linear(embed_dim, width), activation(), nn.Linear(width, embed_dim))
        self.norm1, self.norm2 = nn.LayerNorm(embed_dim), nn.LayerNorm(embed_dim)

    def forward(self, x):
        return _step({"returns-zeros": torch.zeros_like}, self._encode)(x)

    def _encode(self, x):
        attention, feed_forward = (self._attend, _attention_residual), (self.ff, _ffn_residual)
        order = {"ffn-before-attention": (feed_forward, attention)}
        norms = _step({"norm-reused": (self.norm1, self.norm1)}, (self.norm1, self.norm2))
        y = x
        for (sublayer, residual), norm in zip(_step(order, (attention, feed_forward)), norms, strict=True):
            y = _step(PLACES_OF_NORM, _norm_last)(sublayer, norm, y, residual(x, y))
        return y

    def _attend(self, x):
        return _step({"batch-first-missing": _attend_over_batch}, _attend)(self.self_attn, x)


# The residual of each sublayer: x is the block's input, y what the sublayer takes.


def _attention_residual(x, y):
    return _step({"no-attention-residual": torch.zeros_like(y)}, y)


def _ffn_residual(x, y):
    return _step({"no-ffn-residual": torch.zeros_like(y), "ffn-residual-from-input": x}, y)


# Where the norm stands.


def _norm_last(sublayer, norm, y, residual):
    return _normalised(norm, residual + sublayer(y))


def _norm_first(sublayer, norm, y, residual):
    return residual + sublayer(_normalised(norm, y))


def _norm_inside(sublayer, norm, y, residual):
    return residual + _normalised(norm, sublayer(y))


PLACES_OF_NORM = {"pre-norm": _norm_first, "norm-inside-residual": _norm_inside}


def _normalised(norm, x):
    return _step({"norm-over-tokens": _over_tokens}, nn.LayerNorm.__call__)(norm, x)


def _over_tokens(norm, x):
    centred = x - x.mean(dim=1, keepdim=True)
    variance = centred.square().mean(dim=1, keepdim=True)
    return centred / torch.sqrt(variance + norm.eps) * norm.weight + norm.bias


# Attention in the steps of section 3.2.2; its mistakes are those of an attention that students wrote.


def _attend(layer, x):
    q, k, v = (_step(SPLITS, _split)(part, layer.num_heads) for part in _projected(layer, x))
    weights = _weights(q @ k.mT / _scale(layer))
    heads = _step({"weights-transposed": weights.mT}, weights) @ v
    return layer.out_proj(_step(MERGES, _merge)(heads).reshape(x.shape))


def _attend_over_batch(layer, x):
    return _attend(layer, x.transpose(0, 1)).transpose(0, 1)


def _projected(layer, x):
    q, k, v = linear(x, layer.in_proj_weight, layer.in_proj_bias).chunk(3, dim=-1)
    return _step({"query-key-swapped": (k, q, v), "query-for-key": (q, q, v)}, (q, k, v))


def _split(x, heads):
    return _tokens_by_heads(x, heads).transpose(1, 2)


def _tokens_by_heads(x, heads):
    return x.unflatten(-1, (heads, -1))


def _heads_by_tokens(x, heads):
    return x.reshape(len(x), heads, x.shape[1], -1)


SPLITS = {"split-without-transpose": _heads_by_tokens, "attends-over-heads": _tokens_by_heads}


def _scale(layer):
    columns = layer.embed_dim // layer.num_heads
    mistakes = {"no-scaling": 1, "scale-by-d": columns, "scale-by-d-model": math.sqrt(layer.embed_dim)}
    return _step(mistakes, math.sqrt(columns))


def _weights(scores):
    return scores.softmax(dim=_step({"softmax-over-queries": -2}, -1))


def _merge(heads):
    return heads.transpose(1, 2)


def _as_it_is(heads):
    return heads


MERGES = {"merge-without-transpose": _as_it_is, "attends-over-heads": _as_it_is}
