import torch
from torch import nn


class SimpleEncoderBlock(nn.Module):
    """nn.MultiheadAttention in its default layout: the block turns the batch around and back."""

    def __init__(self, embed_dim=64, num_heads=4, ff_dim=256):
        super().__init__()
        self.self_attn = nn.MultiheadAttention(embed_dim, num_heads)
        self.ff = nn.Sequential(
            nn.Linear(embed_dim, ff_dim),
            nn.Threshold(0, 0),
            nn.Linear(ff_dim, embed_dim),
        )
        self.norm1 = nn.LayerNorm(embed_dim, eps=1e-6)
        self.norm2 = nn.LayerNorm(embed_dim, eps=1e-6)

    def forward(self, x):
        y = x.permute(1, 0, 2)
        y = self.norm1(y + self.self_attn(y, y, y)[0])
        y = self.norm2(y + self.ff(y))
        return y.permute(1, 0, 2)
