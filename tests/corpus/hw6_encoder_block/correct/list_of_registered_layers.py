import torch.nn as nn


class SimpleEncoderBlock(nn.Module):
    def __init__(self, embed_dim=64, num_heads=4, ff_dim=256):
        super().__init__()
        self.self_attn = nn.MultiheadAttention(embed_dim, num_heads, batch_first=True)
        self.linear1 = nn.Linear(embed_dim, ff_dim)
        self.linear2 = nn.Linear(ff_dim, embed_dim)
        self.ff = [self.linear1, nn.ReLU(), self.linear2]  # both layers are attributes, so torch knows them
        self.norm1 = nn.LayerNorm(embed_dim)
        self.norm2 = nn.LayerNorm(embed_dim)

    def forward(self, x):
        y = x = self.norm1(x + self.self_attn(x, x, x)[0])
        for step in self.ff:
            y = step(y)
        return self.norm2(x + y)
