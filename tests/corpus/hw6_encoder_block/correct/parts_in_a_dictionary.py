import torch.nn as nn


class SimpleEncoderBlock(nn.Module):
    def __init__(self, embed_dim=64, num_heads=4, ff_dim=256):
        super().__init__()
        self.parts = nn.ModuleDict(
            {
                "look": nn.MultiheadAttention(embed_dim, num_heads, batch_first=True),
                "think": nn.ModuleDict({"up": nn.Linear(embed_dim, ff_dim), "down": nn.Linear(ff_dim, embed_dim)}),
                "after_look": nn.LayerNorm(embed_dim),
                "after_think": nn.LayerNorm(embed_dim),
            }
        )

    @property
    def self_attn(self):
        return self.parts["look"]

    @property
    def ff(self):
        return self.parts["think"]

    @property
    def norm1(self):
        return self.parts["after_look"]

    @property
    def norm2(self):
        return self.parts["after_think"]

    def forward(self, x):
        seen = self.self_attn(x, x, x, need_weights=False)[0]
        x = self.norm1(x + seen)
        thought = self.ff["down"](self.ff["up"](x).clamp(min=0))
        return self.norm2(x + thought)
