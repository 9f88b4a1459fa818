"""loses: encoder_block_influence, encoder_block_repeatable, encoder_block_64, encoder_block_128, encoder_block_sizes, encoder_block_gradients, encoder_block_unchanged"""

import torch
import torch.nn as nn


class SimpleEncoderBlock(nn.Module):
    def __init__(self, embed_dim=64, num_heads=4, ff_dim=256):
        super().__init__()
        # Multi-Head Attention
        self.self_attn = nn.MultiheadAttention(embed_dim, num_heads)
        # Feed Forward
        self.ff = nn.Sequential(
            nn.Linear(embed_dim, ff_dim),
            nn.ReLU(),
            nn.Linear(ff_dim, embed_dim)
        )
        # Layer Norms
        self.norm1 = nn.LayerNorm(embed_dim)
        self.norm2 = nn.LayerNorm(embed_dim)

    def forward(self, x):
        attn, _ = self.self_attn(x, x, x)
        x = self.norm1(x + attn)
        x = self.norm2(x + self.ff(x))
        return x


if __name__ == "__main__":
    print(SimpleEncoderBlock()(torch.randn(32, 10, 64)).shape)
