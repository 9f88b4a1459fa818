"""One block of a Transformer encoder, from PyTorch's layers: attention, feed-forward, residuals, LayerNorm.

A batch has shape (batch, tokens, embed_dim), and the block returns the same shape. Everything a size
depends on comes in through the constructor. Do not change the input in place.
"""

import torch
from torch import nn


class SimpleEncoderBlock(nn.Module):
    """The encoder block of Vaswani et al. (2017), section 3.1, with its LayerNorm after each residual sum.

    Args:
        embed_dim: the size of a token's vector (d_model in the paper), a multiple of ``num_heads``.
        num_heads: the number of attention heads.
        ff_dim: the number of hidden units of the feed-forward network (d_ff in the paper).

    Attributes:
        self_attn: ``nn.MultiheadAttention`` that takes its batch first (section 3.2.2).
        ff: linear, ReLU, linear, the same for each token: embed_dim -> ff_dim -> embed_dim (section 3.3).
        norm1: ``nn.LayerNorm`` that follows the attention's residual sum, with PyTorch's epsilon of 0.00001.
        norm2: ``nn.LayerNorm`` that follows the feed-forward network's residual sum, with the same epsilon.
    """

    def __init__(self, embed_dim=64, num_heads=4, ff_dim=256):
        super().__init__()
        # TODO 1: make self.self_attn; look up what its option batch_first does.
        # TODO 2: make self.ff with nn.Sequential, so that its layers are registered.
        # TODO 3: make self.norm1 and self.norm2, one LayerNorm each.
        # BEGIN SOLUTION
        self.self_attn = nn.MultiheadAttention(embed_dim, num_heads, batch_first=True)
        up = nn.Linear(embed_dim, ff_dim)
        down = nn.Linear(ff_dim, embed_dim)
        self.ff = nn.Sequential(up, nn.ReLU(), down)
        self.norm1 = nn.LayerNorm(embed_dim)
        self.norm2 = nn.LayerNorm(embed_dim)
        # END SOLUTION

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """Return the tokens after one round of looking at each other and of thinking alone.

        Args:
            x: shape (batch, tokens, embed_dim). No token is padding, not even one of zeros.

        Returns:
            output, shape (batch, tokens, embed_dim), in a new tensor.
        """
        # TODO 4: let x attend to itself; nn.MultiheadAttention returns a pair, of which you need one part.
        # TODO 5: add the result to x and normalise the sum with norm1.
        # TODO 6: do the same with the feed-forward network and norm2.
        # BEGIN SOLUTION
        attended, _ = self.self_attn(x, x, x, need_weights=False)
        x = self.norm1(x + attended)
        fed = self.ff(x)
        return self.norm2(x + fed)
        # END SOLUTION


# {{ answers }}
# BEGIN SOLUTION
answers = {}
answers["several_heads"] = "b"
answers["attention_weights"] = 32 * 8 * 10 * 10
answers["residual_gradient"] = "d"
answers["layernorm_axis"] = "c"
answers["parameter_count"] = 4 * (128 * 128 + 128) + (128 * 512 + 512) + (512 * 128 + 128) + 2 * (128 + 128)
answers["feed_forward_alone"] = (
    "Without attention no token learns anything of the others: the network works on each token alone, with "
    "the same weights. More hidden units change what is made of one token, not what it knows of the others."
)
# END SOLUTION
