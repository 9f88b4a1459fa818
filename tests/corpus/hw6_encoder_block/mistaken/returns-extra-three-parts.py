"""loses: encoder_block_shapes, encoder_block_post_norm, encoder_block_64, encoder_block_128, encoder_block_sizes, encoder_block_gradients"""

from torch import nn


class SimpleEncoderBlock(nn.Module):
    def __init__(self, embed_dim=64, num_heads=4, ff_dim=256):
        super().__init__()
        self.norm1, self.norm2 = nn.LayerNorm(embed_dim), nn.LayerNorm(embed_dim)
        self.ff = nn.Sequential(nn.Linear(embed_dim, ff_dim), nn.ReLU(), nn.Linear(ff_dim, embed_dim))
        self.self_attn = nn.MultiheadAttention(embed_dim, num_heads, batch_first=True)

    def forward(self, x):
        attended, weights = self.self_attn(x, x, x)
        between = self.norm1(x + attended)
        return between, self.norm2(between + self.ff(between)), weights
