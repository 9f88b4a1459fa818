import torch.nn as nn


class SimpleEncoderBlock(nn.Module):
    def __init__(self, embed_dim=64, num_heads=4, ff_dim=256):
        super().__init__()
        self.ln1 = nn.LayerNorm(embed_dim)
        self.ln2 = nn.LayerNorm(embed_dim)
        self.fc1 = nn.Linear(embed_dim, ff_dim)
        self.fc2 = nn.Linear(ff_dim, embed_dim)
        self.attention = nn.MultiheadAttention(embed_dim, num_heads, batch_first=True)
        # the names of the assignment
        self.ff = nn.Sequential(self.fc1, nn.ReLU(), self.fc2)
        self.norm1, self.norm2, self.self_attn = self.ln1, self.ln2, self.attention

    def forward(self, x):
        x = self.ln1(x + self.attention(x, x, x)[0])
        return self.ln2(x + self.fc2(self.fc1(x).relu()))
