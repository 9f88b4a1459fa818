from torch import nn


class AddNorm(nn.Module):
    def __init__(self, sublayer, norm):
        super().__init__()
        self.sublayer, self.norm = sublayer, norm

    def forward(self, x):
        return self.norm(x + self.sublayer(x))


class SelfAttention(nn.MultiheadAttention):
    def forward(self, x):
        return super().forward(x, x, x, need_weights=False)[0]


class SimpleEncoderBlock(nn.Module):
    def __init__(self, embed_dim=64, num_heads=4, ff_dim=256):
        super().__init__()
        self.steps = nn.Sequential(
            AddNorm(SelfAttention(embed_dim, num_heads, batch_first=True), nn.LayerNorm(embed_dim)),
            AddNorm(
                nn.Sequential(nn.Linear(embed_dim, ff_dim), nn.ReLU(), nn.Linear(ff_dim, embed_dim)),
                nn.LayerNorm(embed_dim),
            ),
        )
        first, second = self.steps
        self.self_attn, self.norm1 = first.sublayer, first.norm
        self.ff, self.norm2 = second.sublayer, second.norm

    def forward(self, x):
        return self.steps(x)
