from torch import nn


class SimpleEncoderBlock(nn.Module):
    def __init__(self, embed_dim=64, num_heads=4, ff_dim=256):
        super().__init__()
        attention = nn.MultiheadAttention(embed_dim, num_heads, batch_first=True)
        feed_forward = nn.Sequential(nn.Linear(embed_dim, ff_dim), nn.ReLU(), nn.Linear(ff_dim, embed_dim))
        norms = [nn.LayerNorm(embed_dim) for _ in range(2)]
        self.sublayers = nn.ModuleList([attention, feed_forward])
        self.norms = nn.ModuleList(norms[::-1])
        self.self_attn, self.ff = self.sublayers
        self.norm2, self.norm1 = self.norms

    def forward(self, x):
        steps = [lambda t: self.sublayers[0](t, t, t, need_weights=False)[0], self.sublayers[1]]
        for step, norm in zip(steps, reversed(self.norms)):
            x = norm(x + step(x))
        return x
