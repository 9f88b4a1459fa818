import torch
from torch import nn


class SimpleEncoderBlock(nn.Module):
    def __init__(self, embed_dim=64, num_heads=4, ff_dim=256):
        super().__init__()
        self.attn = nn.MultiheadAttention(embed_dim, num_heads, batch_first=True)
        for number in (1, 2):
            setattr(self, f"norm{number}", nn.LayerNorm(embed_dim))
        self.add_module("ff", nn.Sequential())
        self.ff.append(nn.Linear(embed_dim, ff_dim)).append(nn.Dropout(0.3)).append(nn.ReLU())
        self.ff.append(nn.Linear(ff_dim, embed_dim))
        self.self_attn = self.attn
        del self.attn

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        for attend, norm in ((True, self.norm1), (False, self.norm2)):
            x = norm(torch.add(x, self.self_attn(x, x, x)[0] if attend else self.ff(x)))
        return x


if __name__ == "__main__":
    print(SimpleEncoderBlock())
    del SimpleEncoderBlock
