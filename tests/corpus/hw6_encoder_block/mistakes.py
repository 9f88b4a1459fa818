"""Wrong answers to hw6 in styles that differ from the edits in misconceptions.toml."""

import torch.nn as nn


class SimpleEncoderBlock__tuple_not_unpacked_attention(nn.Module):
    """loses: encoder_block_shapes, encoder_block_parameters, encoder_block_defaults,
    encoder_block_width, encoder_block_influence, encoder_block_repeatable, encoder_block_post_norm,
    encoder_block_64, encoder_block_128, encoder_block_sizes, encoder_block_unchanged,
    encoder_block_gradients
    """

    def __init__(self, embed_dim=64, num_heads=4, ff_dim=256):
        super().__init__()
        self.self_attn = nn.MultiheadAttention(embed_dim, num_heads)
        self.ff = nn.Sequential(nn.Linear(embed_dim, ff_dim), nn.ReLU(), nn.Linear(ff_dim, embed_dim))
        self.norm1 = nn.LayerNorm(embed_dim)
        self.norm2 = nn.LayerNorm(embed_dim)

    def forward(self, x):
        a = self.self_attn(x, x, x)
        x = self.norm1(x + a)
        return self.norm2(x + self.ff(x))


class SimpleEncoderBlock__activation_last_in_sequential(nn.Module):
    """loses: encoder_block_64, encoder_block_128, encoder_block_sizes, encoder_block_gradients"""

    def __init__(self, embed_dim=64, num_heads=4, ff_dim=256):
        super().__init__()
        self.self_attn = nn.MultiheadAttention(embed_dim, num_heads, batch_first=True)
        self.ff = nn.Sequential(nn.Linear(embed_dim, ff_dim), nn.Linear(ff_dim, embed_dim), nn.ReLU())
        self.norm1 = nn.LayerNorm(embed_dim)
        self.norm2 = nn.LayerNorm(embed_dim)

    def forward(self, x):
        a, _ = self.self_attn(x, x, x)
        x = self.norm1(x + a)
        return self.norm2(x + self.ff(x))


class SimpleEncoderBlock__no_first_norm_of_two(nn.Module):
    """loses: encoder_block_64, encoder_block_128, encoder_block_sizes, encoder_block_gradients"""

    def __init__(self, embed_dim=64, num_heads=4, ff_dim=256):
        super().__init__()
        self.self_attn = nn.MultiheadAttention(embed_dim, num_heads, batch_first=True)
        self.ff = nn.Sequential(nn.Linear(embed_dim, ff_dim), nn.ReLU(), nn.Linear(ff_dim, embed_dim))
        self.norm1 = nn.LayerNorm(embed_dim)
        self.norm2 = nn.LayerNorm(embed_dim)

    def forward(self, x):
        a, _ = self.self_attn(x, x, x)
        x = x + a
        return self.norm2(x + self.ff(x))


class SimpleEncoderBlock__no_second_norm_of_two(nn.Module):
    """loses: encoder_block_post_norm, encoder_block_64, encoder_block_128, encoder_block_sizes,
    encoder_block_gradients
    """

    def __init__(self, embed_dim=64, num_heads=4, ff_dim=256):
        super().__init__()
        self.self_attn = nn.MultiheadAttention(embed_dim, num_heads, batch_first=True)
        self.ff = nn.Sequential(nn.Linear(embed_dim, ff_dim), nn.ReLU(), nn.Linear(ff_dim, embed_dim))
        self.norm1 = nn.LayerNorm(embed_dim)
        self.norm2 = nn.LayerNorm(embed_dim)

    def forward(self, x):
        a, _ = self.self_attn(x, x, x)
        x = self.norm1(x + a)
        return x + self.ff(x)


class SimpleEncoderBlock__other_activation_sigmoid(nn.Module):
    """loses: encoder_block_64, encoder_block_128, encoder_block_sizes, encoder_block_gradients"""

    def __init__(self, embed_dim=64, num_heads=4, ff_dim=256):
        super().__init__()
        self.self_attn = nn.MultiheadAttention(embed_dim, num_heads, batch_first=True)
        self.ff = nn.Sequential(nn.Linear(embed_dim, ff_dim), nn.Sigmoid(), nn.Linear(ff_dim, embed_dim))
        self.norm1 = nn.LayerNorm(embed_dim)
        self.norm2 = nn.LayerNorm(embed_dim)

    def forward(self, x):
        a, _ = self.self_attn(x, x, x)
        x = self.norm1(x + a)
        return self.norm2(x + self.ff(x))


class SimpleEncoderBlock__residual_twice_lines(nn.Module):
    """loses: encoder_block_64, encoder_block_128, encoder_block_sizes, encoder_block_gradients"""

    def __init__(self, embed_dim=64, num_heads=4, ff_dim=256):
        super().__init__()
        self.self_attn = nn.MultiheadAttention(embed_dim, num_heads, batch_first=True)
        self.ff = nn.Sequential(nn.Linear(embed_dim, ff_dim), nn.ReLU(), nn.Linear(ff_dim, embed_dim))
        self.norm1 = nn.LayerNorm(embed_dim)
        self.norm2 = nn.LayerNorm(embed_dim)

    def forward(self, x):
        a, _ = self.self_attn(x, x, x)
        x = x + self.norm1(x + a)
        return self.norm2(x + self.ff(x))
