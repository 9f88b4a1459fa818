"""loses: encoder_block_width, encoder_block_64, encoder_block_128, encoder_block_sizes, encoder_block_gradients"""

import torch.nn as nn


class SimpleEncoderBlock(nn.Module):
    def __init__(self, embed_dim=64, num_heads=4, ff_dim=256):
        super().__init__()
        self.self_attn = nn.MultiheadAttention(embed_dim, num_heads, batch_first=True)
        self.ff = nn.Sequential(nn.Linear(embed_dim, 300), nn.ReLU(), nn.Linear(300, embed_dim))
        self.norm1 = nn.LayerNorm(embed_dim)
        self.norm2 = nn.LayerNorm(embed_dim)

    def forward(self, x):
        x = self.norm1(x + self.self_attn(x, x, x)[0])
        return self.norm2(x + self.ff(x))
