"""loses: encoder_block_influence, encoder_block_repeatable, encoder_block_64, encoder_block_128, encoder_block_sizes, encoder_block_unchanged, encoder_block_gradients"""

import torch
import torch.nn as nn


class SimpleEncoderBlock(nn.Module):
    def __init__(self, embed_dim=64, num_heads=4, ff_dim=256):
        super().__init__()
        self.self_attn = nn.MultiheadAttention(embed_dim, num_heads, batch_first=True)
        self.ff = nn.Sequential(nn.Linear(embed_dim, ff_dim), nn.ReLU(), nn.Linear(ff_dim, embed_dim))
        self.norm1 = nn.LayerNorm(embed_dim)
        self.norm2 = nn.LayerNorm(embed_dim)

    def forward(self, x):
        tokens = x.size(1)
        mask = torch.triu(torch.full((tokens, tokens), float("-inf")), diagonal=1)
        x = self.norm1(x + self.self_attn(x, x, x, attn_mask=mask)[0])
        return self.norm2(x + self.ff(x))
