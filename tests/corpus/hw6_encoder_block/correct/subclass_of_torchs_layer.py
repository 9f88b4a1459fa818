import torch.nn as nn


class SimpleEncoderBlock(nn.TransformerEncoderLayer):
    def __init__(self, embed_dim=64, num_heads=4, ff_dim=256):
        super().__init__(embed_dim, num_heads, ff_dim, dropout=0.0, batch_first=True)
        self.ff = nn.Sequential(self.linear1, nn.ReLU(), self.dropout, self.linear2)
