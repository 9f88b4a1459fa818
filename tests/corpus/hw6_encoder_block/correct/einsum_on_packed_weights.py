import torch
from torch import einsum, nn


class SimpleEncoderBlock(nn.Module):
    def __init__(self, embed_dim=64, num_heads=4, ff_dim=256):
        super().__init__()
        self.self_attn = nn.MultiheadAttention(embed_dim, num_heads, batch_first=True)
        self.ff = nn.Sequential(nn.Linear(embed_dim, ff_dim), nn.ReLU(), nn.Linear(ff_dim, embed_dim))
        self.norm1 = nn.LayerNorm(embed_dim)
        self.norm2 = nn.LayerNorm(embed_dim)
        self.h, self.c = num_heads, embed_dim // num_heads

    def attend(self, x):
        wq, wk, wv = self.self_attn.in_proj_weight.view(3, self.h, self.c, -1)
        bq, bk, bv = self.self_attn.in_proj_bias.view(3, self.h, 1, self.c)
        q = einsum("btd,hcd->bhtc", x, wq) + bq
        k = einsum("btd,hcd->bhtc", x, wk) + bk
        v = einsum("btd,hcd->bhtc", x, wv) + bv
        a = torch.softmax(einsum("bhic,bhjc->bhij", q, k) * self.c**-0.5, dim=-1)
        o = self.self_attn.out_proj.weight.view(-1, self.h, self.c)
        return einsum("bhij,bhjc,dhc->bid", a, v, o) + self.self_attn.out_proj.bias

    def forward(self, x):
        x = self.norm1(x + self.attend(x))
        return self.norm2(x + self.ff(x))
