import torch
import torch.nn as nn


class AddNorm(nn.LayerNorm):
    def forward(self, x, sublayer_output):
        return super().forward(x + sublayer_output)


class SimpleEncoderBlock(nn.Module):
    def __init__(self, embed_dim=64, num_heads=4, ff_dim=256):
        super().__init__()
        self.self_attn = nn.MultiheadAttention(embed_dim, num_heads)
        self.ff = nn.Sequential(nn.Linear(embed_dim, ff_dim), nn.ReLU(), nn.Linear(ff_dim, embed_dim))
        self.norm1 = AddNorm(embed_dim)
        self.norm2 = AddNorm(embed_dim)

    def one(self, tokens):
        attended, _ = self.self_attn(tokens, tokens, tokens)
        tokens = self.norm1(tokens, attended)
        return self.norm2(tokens, self.ff(tokens))

    def forward(self, x):
        results = []
        for i in range(len(x)):
            results.append(self.one(x[i]))
        return torch.stack(results)
