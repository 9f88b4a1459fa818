import torch
from torch import nn
from torch.nn.functional import scaled_dot_product_attention


class Head(nn.Module):
    def __init__(self, size, columns):
        super().__init__()
        self.key = nn.Linear(size, columns)
        self.query = nn.Linear(size, columns)
        self.value = nn.Linear(size, columns)

    def forward(self, x):
        return scaled_dot_product_attention(self.query(x), self.key(x), self.value(x))


class Heads(nn.Module):
    def __init__(self, size, count):
        super().__init__()
        self.heads = nn.ModuleList([Head(size, size // count) for _ in range(count)])
        self.projection = nn.Linear(size, size)

    def forward(self, x):
        return self.projection(torch.cat([head(x) for head in self.heads], dim=-1))


class SimpleEncoderBlock(nn.Module):
    def __init__(self, embed_dim=64, num_heads=4, ff_dim=256):
        super().__init__()
        self.self_attn = Heads(embed_dim, num_heads)
        self.ff = nn.Sequential(nn.Linear(embed_dim, ff_dim), nn.ReLU(), nn.Linear(ff_dim, embed_dim))
        self.norm1 = nn.LayerNorm(embed_dim)
        self.norm2 = nn.LayerNorm(embed_dim)

    def forward(self, x):
        y = self.norm1(x + self.self_attn(x))
        return self.norm2(y + self.ff(y))
