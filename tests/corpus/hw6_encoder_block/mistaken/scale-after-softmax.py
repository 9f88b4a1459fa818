"""loses: encoder_block_64, encoder_block_128, encoder_block_sizes, encoder_block_gradients"""

import torch
import torch.nn as nn
import torch.nn.functional as F


class SelfAttention(nn.Module):
    def __init__(self, dim, heads):
        super().__init__()
        self.heads, self.width = heads, dim // heads
        self.to_k = nn.Linear(dim, dim)
        self.to_q = nn.Linear(dim, dim)
        self.to_v = nn.Linear(dim, dim)
        self.mix = nn.Linear(dim, dim)

    def forward(self, x):
        b, t, _ = x.shape
        q, k, v = (f(x).view(b, t, self.heads, self.width) for f in (self.to_q, self.to_k, self.to_v))
        energy = torch.einsum("bihc,bjhc->bhij", q, k)
        attention = F.softmax(energy, dim=-1) / self.width**0.5
        return self.mix(torch.einsum("bhij,bjhc->bihc", attention, v).reshape(b, t, -1))


class SimpleEncoderBlock(nn.Module):
    def __init__(self, embed_dim=64, num_heads=4, ff_dim=256):
        super().__init__()
        self.self_attn = SelfAttention(embed_dim, num_heads)
        self.ff = nn.Sequential(nn.Linear(embed_dim, ff_dim), nn.ReLU(), nn.Linear(ff_dim, embed_dim))
        self.norm1 = nn.LayerNorm(embed_dim)
        self.norm2 = nn.LayerNorm(embed_dim)

    def forward(self, x):
        x = self.norm1(x + self.self_attn(x))
        return self.norm2(x + self.ff(x))
