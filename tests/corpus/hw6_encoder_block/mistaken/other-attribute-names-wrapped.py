"""loses: encoder_block_parameters"""

import torch.nn as nn


class SimpleEncoderBlock(nn.Module):
    def __init__(self, embed_dim=64, num_heads=4, ff_dim=256):
        super().__init__()
        self.layer = nn.TransformerEncoderLayer(embed_dim, num_heads, ff_dim, batch_first=True)

    def forward(self, x):
        return self.layer(x)
