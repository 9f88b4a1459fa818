"""loses: encoder_block_shapes, encoder_block_width, encoder_block_128, encoder_block_sizes, encoder_block_gradients"""

import torch
import torch.nn as nn

D, H, F = 64, 4, 256


class SimpleEncoderBlock(nn.Module):
    def __init__(self, embed_dim=64, num_heads=4, ff_dim=256):
        super().__init__()
        self.self_attn = nn.MultiheadAttention(D, H, batch_first=True)
        self.ff = nn.Sequential(nn.Linear(D, F), nn.ReLU(), nn.Linear(F, D))
        self.norm1 = nn.LayerNorm(D)
        self.norm2 = nn.LayerNorm(D)

    def forward(self, x):
        x = self.norm1(x + self.self_attn(x, x, x)[0])
        return self.norm2(x + self.ff(x))


block = SimpleEncoderBlock()
print(block(torch.randn(32, 10, 64)).size())
