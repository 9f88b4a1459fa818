"""loses: encoder_block_64, encoder_block_128, encoder_block_sizes, encoder_block_gradients"""

import torch.nn as nn


class SimpleEncoderBlock(nn.Module):
    def __init__(self, embed_dim=64, num_heads=4, ff_dim=256):
        super().__init__()
        self.ff = nn.Sequential(nn.Linear(embed_dim, ff_dim), nn.ReLU(), nn.Linear(ff_dim, embed_dim))
        self.norm1 = nn.LayerNorm(embed_dim)
        self.self_attn = nn.MultiheadAttention(embed_dim, num_heads, batch_first=True)
        self.norm2 = nn.LayerNorm(embed_dim)

    def forward(self, x):
        step1 = self.norm1(x + self.ff(x))
        step2 = self.norm2(step1 + self.self_attn(step1, step1, step1)[0])
        return step2
