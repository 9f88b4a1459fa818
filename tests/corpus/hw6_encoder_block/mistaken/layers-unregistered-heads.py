"""loses: encoder_block_parameters"""

import torch
import torch.nn as nn


class Head(nn.Module):
    def __init__(self, size, columns):
        super().__init__()
        self.q, self.k, self.v = (nn.Linear(size, columns) for _ in range(3))

    def forward(self, x):
        return nn.functional.scaled_dot_product_attention(self.q(x), self.k(x), self.v(x))


class Heads(nn.Module):
    def __init__(self, size, count):
        super().__init__()
        self.heads = [Head(size, size // count) for _ in range(count)]
        self.out = nn.Linear(size, size)

    def forward(self, x):
        return self.out(torch.cat([head(x) for head in self.heads], dim=-1))


class SimpleEncoderBlock(nn.Module):
    def __init__(self, embed_dim=64, num_heads=4, ff_dim=256):
        super().__init__()
        self.self_attn = Heads(embed_dim, num_heads)
        self.ff = nn.Sequential(nn.Linear(embed_dim, ff_dim), nn.ReLU(), nn.Linear(ff_dim, embed_dim))
        self.norm1 = nn.LayerNorm(embed_dim)
        self.norm2 = nn.LayerNorm(embed_dim)

    def forward(self, x):
        x = self.norm1(x + self.self_attn(x))
        return self.norm2(x + self.ff(x))
