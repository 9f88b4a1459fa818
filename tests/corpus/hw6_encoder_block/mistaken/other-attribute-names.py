"""loses: encoder_block_parameters"""

import torch.nn as nn


class SimpleEncoderBlock(nn.Module):
    def __init__(self, embed_dim=64, num_heads=4, ff_dim=256):
        super().__init__()
        self.attention = nn.MultiheadAttention(embed_dim, num_heads, batch_first=True)
        self.ln2 = nn.LayerNorm(embed_dim)
        self.ln1 = nn.LayerNorm(embed_dim)
        self.feed_forward = nn.Sequential(
            nn.Linear(embed_dim, ff_dim), nn.ReLU(), nn.Dropout(0.1), nn.Linear(ff_dim, embed_dim)
        )

    def forward(self, x):
        attention_output, _ = self.attention(x, x, x)
        x = self.ln1(x + attention_output)
        return self.ln2(x + self.feed_forward(x))
