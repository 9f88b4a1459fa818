"""loses: encoder_block_parameters, encoder_block_width, encoder_block_64, encoder_block_128, encoder_block_sizes, encoder_block_gradients"""

import torch.nn as nn


class SimpleEncoderBlock(nn.Module):
    def __init__(self, embed_dim=64, num_heads=4, ff_dim=256):
        super().__init__()
        self.self_attn = nn.MultiheadAttention(embed_dim, num_heads, batch_first=True)
        wide = 2 * embed_dim
        self.mlp = nn.Sequential(nn.Linear(embed_dim, wide), nn.ReLU(), nn.Linear(wide, embed_dim))
        self.ln_a, self.ln_b = nn.LayerNorm(embed_dim), nn.LayerNorm(embed_dim)

    def forward(self, x):
        y = self.ln_a(x + self.self_attn(x, x, x)[0])
        return self.ln_b(y + self.mlp(y))
