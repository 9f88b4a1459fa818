"""loses: encoder_block_64, encoder_block_128, encoder_block_sizes, encoder_block_gradients"""

import torch.nn as nn
import torch.nn.functional as F


class FFN(nn.Module):
    def __init__(self, a, b):
        super().__init__()
        self.lin1 = nn.Linear(a, b)
        self.lin2 = nn.Linear(b, a)

    def forward(self, t):
        return self.lin2(F.relu(self.lin1(t)))


class SimpleEncoderBlock(nn.Module):
    def __init__(self, embed_dim=64, num_heads=4, ff_dim=256):
        super().__init__()
        self.self_attn = nn.MultiheadAttention(embed_dim, num_heads, batch_first=True)
        self.ff = FFN(embed_dim, ff_dim)
        self.norm1 = nn.LayerNorm(embed_dim)
        self.norm2 = nn.LayerNorm(embed_dim)

    def forward(self, x):
        attn_out, attn_weights = self.self_attn(x, x, x)
        x = self.norm1(x + attn_out)
        x = self.norm2(self.ff(x))
        return x
