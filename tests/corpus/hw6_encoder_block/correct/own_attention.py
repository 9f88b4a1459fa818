import math

import torch
import torch.nn as nn


class MyMultiHeadAttention(nn.Module):
    # wrote it myself to understand it
    def __init__(self, d, h):
        super().__init__()
        assert d % h == 0
        self.h = h
        self.dk = d // h
        self.W_o = nn.Linear(d, d)
        self.W_v = nn.Linear(d, d)
        self.W_k = nn.Linear(d, d)
        self.W_q = nn.Linear(d, d)

    def split(self, t):
        b, n, _ = t.shape
        return t.view(b, n, self.h, self.dk).transpose(1, 2)

    def forward(self, x):
        q, k, v = self.split(self.W_q(x)), self.split(self.W_k(x)), self.split(self.W_v(x))
        scores = q @ k.transpose(-2, -1) / math.sqrt(self.dk)
        probs = torch.softmax(scores, dim=-1)
        out = (probs @ v).transpose(1, 2).contiguous().view(x.shape)
        return self.W_o(out)


class SimpleEncoderBlock(nn.Module):
    def __init__(self, embed_dim=64, num_heads=4, ff_dim=256):
        super().__init__()
        self.self_attn = MyMultiHeadAttention(embed_dim, num_heads)
        self.ff = nn.Sequential(nn.Linear(embed_dim, ff_dim), nn.ReLU(), nn.Linear(ff_dim, embed_dim))
        self.norm1 = nn.LayerNorm(embed_dim)
        self.norm2 = nn.LayerNorm(embed_dim)

    def forward(self, x):
        x = self.norm1(x + self.self_attn(x))
        x = self.norm2(x + self.ff(x))
        return x
