from torch import nn


class FeedForward(nn.Module):
    def __init__(self, d, hidden):
        super().__init__()
        self.w_1 = nn.Conv1d(d, hidden, kernel_size=1)
        self.w_2 = nn.Conv1d(hidden, d, kernel_size=1)

    def forward(self, x):
        return self.w_2(self.w_1(x.mT).relu()).mT


class SimpleEncoderBlock(nn.Module):
    def __init__(self, embed_dim=64, num_heads=4, ff_dim=256):
        super().__init__()
        self.self_attn = nn.MultiheadAttention(embed_dim, num_heads, batch_first=True)
        self.ff = FeedForward(embed_dim, ff_dim)
        self.norm1 = nn.LayerNorm(embed_dim)
        self.norm2 = nn.LayerNorm(embed_dim)

    def forward(self, x):
        x = self.norm1(x + self.self_attn(x, x, x)[0])
        return self.norm2(x + self.ff(x))
