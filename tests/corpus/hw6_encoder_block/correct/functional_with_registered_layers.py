import torch.nn.functional as F
from torch import nn


class SimpleEncoderBlock(nn.Module):
    def __init__(self, embed_dim=64, num_heads=4, ff_dim=256):
        super().__init__()
        self.self_attn = nn.MultiheadAttention(embed_dim, num_heads)
        self.ff = nn.Sequential(nn.Linear(embed_dim, ff_dim), nn.ReLU(), nn.Linear(ff_dim, embed_dim))
        self.norm1, self.norm2 = nn.LayerNorm(embed_dim), nn.LayerNorm(embed_dim)

    def _norm(self, x, norm):
        return F.layer_norm(x, x.shape[-1:], norm.weight, norm.bias, norm.eps)

    def forward(self, x):
        m, t = self.self_attn, x.transpose(0, 1)
        attended, _ = F.multi_head_attention_forward(
            *(t, t, t, m.embed_dim, m.num_heads, m.in_proj_weight, m.in_proj_bias, None, None, False, 0.0),
            *(m.out_proj.weight, m.out_proj.bias),
            training=self.training,
            need_weights=False,
        )
        x = self._norm(x + attended.transpose(0, 1), self.norm1)
        return self._norm(x + self.ff(x), self.norm2)
