"""starving: a block whose constructor never ends, once it has been asked for twice

score: 0
status: time_limit
homework: hw6_encoder_block
"""

from torch import nn


class SimpleEncoderBlock(nn.Module):
    made = 0

    def __init__(self, *sizes):
        super().__init__()
        type(self).made += 1
        while self.made > 1:
            pass

    def forward(self, x):
        return x
