from torch import nn, Tensor
import torch.nn.functional as F


class PositionwiseFeedForward(nn.Module):
    """Two linear maps with ReLU between them."""

    def __init__(self, d_model: int, d_ff: int) -> None:
        super().__init__()
        self.up = nn.Linear(d_model, d_ff)
        self.down = nn.Linear(d_ff, d_model)

    def forward(self, tokens: Tensor) -> Tensor:
        return self.down(F.relu(self.up(tokens)))


class SimpleEncoderBlock(nn.Module):
    def __init__(self, d_model: int = 64, heads: int = 4, d_ff: int = 256) -> None:
        super().__init__()
        self.norm2 = nn.LayerNorm(d_model)
        self.norm1 = nn.LayerNorm(d_model)
        self.ff = PositionwiseFeedForward(d_model, d_ff)
        self.self_attn = nn.MultiheadAttention(d_model, heads, batch_first=True)

    def forward(self, tokens: Tensor) -> Tensor:
        seen: Tensor = self.norm1(tokens + self.self_attn(tokens, tokens, tokens)[0])
        return self.norm2(seen + self.ff(seen))
