import torch
from torch import nn


class HeadwiseAttention(nn.Module):
    """Plain lists of tensors, one sequence and one head at a time."""

    def __init__(self, d, heads):
        super().__init__()
        self.queries, self.keys, self.values = (nn.Linear(d, d) for _ in range(3))
        self.heads, self.back = heads, nn.Linear(d, d)

    def forward(self, batch):
        return torch.stack([self.one(sequence) for sequence in batch])

    def one(self, x):
        size = x.shape[1] // self.heads
        parts = [layer(x).split(size, dim=1) for layer in (self.queries, self.keys, self.values)]
        mixed = [torch.softmax(q @ k.T / size**0.5, 1) @ v for q, k, v in zip(*parts)]
        return self.back(torch.hstack(mixed))


class SimpleEncoderBlock(nn.Module):
    def __init__(self, embed_dim=64, num_heads=4, ff_dim=256):
        super().__init__()
        self.self_attn = HeadwiseAttention(embed_dim, num_heads)
        self.ff = nn.Sequential(nn.Linear(embed_dim, ff_dim), nn.ReLU(), nn.Linear(ff_dim, embed_dim))
        self.norm1 = nn.LayerNorm(embed_dim)
        self.norm2 = nn.LayerNorm(embed_dim)

    def forward(self, x):
        y = self.norm1(torch.add(self.self_attn(x), x))
        return self.norm2(torch.add(self.ff(y), y))
