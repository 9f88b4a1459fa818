"""loses: encoder_block_post_norm, encoder_block_64, encoder_block_128, encoder_block_sizes, encoder_block_gradients"""

import torch
from torch import nn


class Norm(nn.Module):
    def __init__(self, dim, eps=1e-5):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(dim))
        self.bias = nn.Parameter(torch.zeros(dim))
        self.eps = eps

    def forward(self, t):
        mean = t.mean(dim=1, keepdim=True)
        std = ((t - mean) ** 2).mean(dim=1, keepdim=True).add(self.eps).sqrt()
        return self.weight * (t - mean) / std + self.bias


class SimpleEncoderBlock(nn.Module):
    def __init__(self, embed_dim=64, num_heads=4, ff_dim=256):
        super().__init__()
        self.self_attn = nn.MultiheadAttention(embed_dim, num_heads, batch_first=True)
        self.ff = nn.Sequential(nn.Linear(embed_dim, ff_dim), nn.ReLU(), nn.Linear(ff_dim, embed_dim))
        self.norm1 = Norm(embed_dim)
        self.norm2 = Norm(embed_dim)

    def forward(self, x):
        x = self.norm1(x + self.self_attn(x, x, x)[0])
        return self.norm2(x + self.ff(x))
