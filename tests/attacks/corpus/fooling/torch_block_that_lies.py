"""fooling: a block that hides its parameters, changes its mode and says that it is a right one

score: 0
homework: hw6_encoder_block
"""

import torch
from torch import nn


class SimpleEncoderBlock(nn.Module):
    __class__ = property(lambda self: nn.TransformerEncoderLayer)

    def __init__(self, *sizes):
        super().__init__()
        self.register_forward_hook(lambda module, arguments, output: arguments[0].zero_())

    def named_parameters(self, *args, **kwargs):
        yield from nn.TransformerEncoderLayer(64, 4, 256).named_parameters()

    def train(self, mode=True):
        raise SystemExit(0)

    def forward(self, x):
        return torch.zeros_like(x)
