import copy

import torch
from torch import nn


def clones(layer, count):
    return nn.ModuleList(copy.deepcopy(layer) for _ in range(count))


class MHA(nn.Module):
    def __init__(self, size, heads):
        super().__init__()
        self.heads = heads
        self.maps = clones(nn.Linear(size, size), 4)

    def forward(self, query, key, value):
        batch, size = query.size(0), query.size(-1)
        query, key, value = (
            layer(t).view(batch, -1, self.heads, size // self.heads)
            for layer, t in zip(self.maps, (query, key, value))
        )
        scores = torch.einsum("bqhc,bkhc->bhqk", query, key) / (size / self.heads) ** 0.5
        out = torch.einsum("bhqk,bkhc->bqhc", scores.softmax(-1), value)
        return self.maps[-1](out.flatten(2))




class SimpleEncoderBlock(nn.Module):
    def __init__(self, embed_dim=64, num_heads=4, ff_dim=256):
        super().__init__()
        self.self_attn = MHA(embed_dim, num_heads)
        self.ff = nn.Sequential()
        self.ff.add_module("expand", nn.Linear(embed_dim, ff_dim))
        self.ff.add_module("relu", nn.ReLU())
        self.ff.add_module("shrink", nn.Linear(ff_dim, embed_dim))
        self.norm1 = nn.LayerNorm(embed_dim)
        self.norm2 = nn.LayerNorm(embed_dim)

    def forward(self, x):
        x = self.norm1(x + self.self_attn(x, x, x))
        return self.norm2(x + self.ff(x))
