import numpy as np
import torch
import matplotlib.pyplot as plt
import torch.nn as nn
import torch.nn.functional as F

torch.manual_seed(0)
print("torch", torch.__version__)


class SimpleEncoderBlock(nn.Module):

    def __init__(self, embed_dim=64, num_heads=4, ff_dim=256):
        super().__init__()
        print("making a block of", embed_dim, num_heads, ff_dim)
        self.embed_dim, self.num_heads, self.ff_dim = embed_dim, num_heads, ff_dim
        self.calls = 0
        self.self_attn = nn.MultiheadAttention(embed_dim, num_heads, batch_first=True)
        self.ff = nn.ModuleList([nn.Linear(embed_dim, ff_dim), nn.Linear(ff_dim, embed_dim)])
        self.norm1 = nn.LayerNorm(embed_dim)
        self.norm2 = nn.LayerNorm(embed_dim)
        self.unused = nn.Linear(3, 5)

    def feed_forward(self, t):
        hidden = F.relu(self.ff[0](t))
        return self.ff[1](hidden)

    def forward(self, x):
        self.calls += 1
        print("input", x.shape)
        residual = x
        out = self.self_attn(query=x, key=x, value=x, need_weights=False)[0]
        print("after attention", out.shape)
        x = self.norm1(torch.add(residual, out))
        residual = x
        x = self.norm2(torch.add(residual, self.feed_forward(x)))
        print("output", x.shape, x.mean().item(), np.round(x.std().item(), 3))
        return x


encoder = SimpleEncoderBlock(embed_dim=128, num_heads=8)
plt.imshow(encoder(torch.randn(32, 10, 128))[0].detach().numpy())
plt.show()
