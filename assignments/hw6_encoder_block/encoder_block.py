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
        raise NotImplementedError

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
        raise NotImplementedError


# Theory questions: the handout has them in full. Replace None with your answers.
answers = {
    # Four heads or one: "a", "b", "c" or "d"
    "several_heads": None,
    # How many attention weights: a number
    "attention_weights": None,
    # What the residual connection does for gradients: "a", "b", "c" or "d"
    "residual_gradient": None,
    # Over what LayerNorm takes its mean: "a", "b", "c" or "d"
    "layernorm_axis": None,
    # Learnable numbers of the block: a number (parameters)
    "parameter_count": None,
    # A block without attention: two or three sentences
    "feed_forward_alone": None,
}
