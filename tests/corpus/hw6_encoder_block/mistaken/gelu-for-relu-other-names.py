"""loses: encoder_block_parameters, encoder_block_64, encoder_block_128, encoder_block_sizes, encoder_block_gradients"""

import torch.nn as nn


class Transformer(nn.Module):
    def __init__(self, dim, heads, hidden):
        super().__init__()
        self.norms = nn.ModuleDict({"b": nn.LayerNorm(dim), "a": nn.LayerNorm(dim)})
        self.mlp = nn.Sequential(nn.Linear(dim, hidden), nn.GELU(), nn.Linear(hidden, dim))
        self.mha = nn.MultiheadAttention(dim, heads, batch_first=True)

    def forward(self, x):
        x = self.norms["a"](x + self.mha(x, x, x)[0])
        return self.norms["b"](x + self.mlp(x))


class SimpleEncoderBlock(nn.Module):
    def __init__(self, embed_dim=64, num_heads=4, ff_dim=256):
        super().__init__()
        self.inner = Transformer(embed_dim, num_heads, ff_dim)

    def forward(self, x):
        return self.inner(x)
