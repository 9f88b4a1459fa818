import torch
from torch import nn


class SelfAttention(nn.Module):
    def __init__(self, dim, n_heads):
        super().__init__()
        self.n_heads = n_heads
        self.qkv = nn.Linear(dim, 3 * dim)
        self.proj = nn.Linear(dim, dim)

    def forward(self, x):
        B, N, D = x.shape
        qkv = self.qkv(x).reshape(B, N, 3, self.n_heads, D // self.n_heads).permute(2, 0, 3, 1, 4)
        q, k, v = qkv.unbind(0)
        att = (q * (D // self.n_heads) ** -0.5) @ k.transpose(-1, -2)
        att = att - torch.logsumexp(att, dim=-1, keepdim=True)
        x = att.exp() @ v
        return self.proj(x.transpose(1, 2).reshape(B, N, D))


class SimpleEncoderBlock(nn.Module):
    def __init__(self, embed_dim=64, num_heads=4, ff_dim=256):
        super().__init__()
        self.self_attn = SelfAttention(embed_dim, num_heads)
        self.ff = nn.Sequential(*[nn.Linear(embed_dim, ff_dim), nn.ReLU(True), nn.Linear(ff_dim, embed_dim)])
        self.norm1, self.norm2 = nn.LayerNorm(embed_dim), nn.LayerNorm(embed_dim)

    def forward(self, x):
        x = self.norm1(x + self.self_attn(x))
        return self.norm2(x + self.ff(x))
