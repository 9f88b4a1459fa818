"""Wrong answers to hw6 in styles that differ from the edits in misconceptions.toml."""

import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.nn.functional import scaled_dot_product_attention


class SimpleEncoderBlock__tuple_not_unpacked_attention(nn.Module):
    """loses: encoder_block_shapes, encoder_block_parameters, encoder_block_defaults, encoder_block_width,
    encoder_block_influence, encoder_block_repeatable, encoder_block_post_norm, encoder_block_64,
    encoder_block_128, encoder_block_sizes, encoder_block_epsilon, encoder_block_unchanged,
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


class SimpleEncoderBlock__dropout_at_eval(nn.Module):
    """loses: encoder_block_repeatable, encoder_block_64, encoder_block_128, encoder_block_sizes,
    encoder_block_gradients
    """

    def __init__(self, embed_dim=64, num_heads=4, ff_dim=256, p=0.1):
        super().__init__()
        self.p = p
        self.self_attn = nn.MultiheadAttention(embed_dim, num_heads, batch_first=True)
        self.ff = nn.Sequential(nn.Linear(embed_dim, ff_dim), nn.ReLU(), nn.Linear(ff_dim, embed_dim))
        self.norm1 = nn.LayerNorm(embed_dim)
        self.norm2 = nn.LayerNorm(embed_dim)

    def forward(self, x):
        attended, _ = self.self_attn(x, x, x)
        x = self.norm1(x + F.dropout(attended, self.p))
        return self.norm2(x + F.dropout(self.ff(x), self.p))


class SimpleEncoderBlock__dropout_at_eval_last(nn.Module):
    """loses: encoder_block_repeatable, encoder_block_post_norm, encoder_block_64, encoder_block_128,
    encoder_block_sizes, encoder_block_epsilon, encoder_block_gradients
    """

    def __init__(self, embed_dim=64, num_heads=4, ff_dim=256):
        super().__init__()
        self.self_attn = nn.MultiheadAttention(embed_dim, num_heads, batch_first=True)
        self.ff = nn.Sequential(nn.Linear(embed_dim, ff_dim), nn.ReLU(), nn.Linear(ff_dim, embed_dim))
        self.norm1 = nn.LayerNorm(embed_dim)
        self.norm2 = nn.LayerNorm(embed_dim)

    def forward(self, x):
        x = self.norm1(x + self.self_attn(x, x, x)[0])
        return F.dropout(self.norm2(x + self.ff(x)), 0.2)


class submission__gelu_for_relu_other_names:
    """loses: encoder_block_parameters, encoder_block_64, encoder_block_128, encoder_block_sizes,
    encoder_block_gradients
    """

    class Transformer(nn.Module):
        def __init__(self, dim, heads, hidden):
            super().__init__()
            self.norms = nn.ModuleDict({"b": nn.LayerNorm(dim), "a": nn.LayerNorm(dim)})
            self.mlp = nn.Sequential(nn.Linear(dim, hidden), nn.GELU(), nn.Linear(hidden, dim))
            self.mha = nn.MultiheadAttention(dim, heads, batch_first=True)

        def forward(self, x):
            x = self.norms["a"](x + self.mha(x, x, x)[0])
            return self.norms["b"](x + self.mlp(x))

    class SimpleEncoderBlock(nn.Module):
        def __init__(self, embed_dim=64, num_heads=4, ff_dim=256):
            super().__init__()
            self.inner = Transformer(embed_dim, num_heads, ff_dim)

        def forward(self, x):
            return self.inner(x)


class SimpleEncoderBlock__gradient_cut(nn.Module):
    """loses: encoder_block_gradients"""

    def __init__(self, embed_dim=64, num_heads=4, ff_dim=256):
        super().__init__()
        self.self_attn = nn.MultiheadAttention(embed_dim, num_heads, batch_first=True)
        self.ff = nn.Sequential(nn.Linear(embed_dim, ff_dim), nn.ReLU(), nn.Linear(ff_dim, embed_dim))
        self.norm1 = nn.LayerNorm(embed_dim)
        self.norm2 = nn.LayerNorm(embed_dim)

    def forward(self, x):
        attn_out, attn_weights = self.self_attn(x, x, x)
        self.last_weights = attn_weights
        x = self.norm1(x + attn_out.detach())
        return self.norm2(x + self.ff(x))


class SimpleEncoderBlock__layers_left_out(nn.Module):
    """loses: encoder_block_parameters, encoder_block_post_norm, encoder_block_64, encoder_block_128,
    encoder_block_sizes, encoder_block_epsilon, encoder_block_gradients
    """

    def __init__(self, embed_dim=64, num_heads=4, ff_dim=256):
        super().__init__()
        self.self_attn = nn.MultiheadAttention(embed_dim, num_heads, batch_first=True)
        self.ff = nn.Sequential(nn.Linear(embed_dim, ff_dim), nn.ReLU(), nn.Linear(ff_dim, embed_dim))

    def forward(self, x):
        # residuals without any norm
        x = x + self.self_attn(x, x, x)[0]
        return x + self.ff(x)


class submission__layers_of_own_interleaved:
    """loses: encoder_block_64, encoder_block_128, encoder_block_sizes, encoder_block_gradients"""

    class Attention(nn.Module):
        def __init__(self, d, h):
            super().__init__()
            self.h = h
            self.qkv = nn.Linear(d, 3 * d)
            self.out = nn.Linear(d, d)

        def forward(self, x):
            b, t, d = x.shape
            # each head's query, key and value lie side by side
            q, k, v = self.qkv(x).reshape(b, t, self.h, 3 * d // self.h).transpose(1, 2).chunk(3, dim=-1)
            weights = (q @ k.mT * (d // self.h) ** -0.5).softmax(-1)
            return self.out((weights @ v).transpose(1, 2).reshape(b, t, d))

    class SimpleEncoderBlock(nn.Module):
        def __init__(self, embed_dim=64, num_heads=4, ff_dim=256):
            super().__init__()
            self.self_attn = Attention(embed_dim, num_heads)
            self.ff = nn.Sequential(nn.Linear(embed_dim, ff_dim), nn.ReLU(), nn.Linear(ff_dim, embed_dim))
            self.norm1 = nn.LayerNorm(embed_dim)
            self.norm2 = nn.LayerNorm(embed_dim)

        def forward(self, x):
            x = self.norm1(x + self.self_attn(x))
            return self.norm2(x + self.ff(x))


class submission__layers_of_own_packed:
    """loses: encoder_block_64, encoder_block_128, encoder_block_sizes, encoder_block_gradients"""

    class Attention(nn.Module):
        def __init__(self, d, h):
            super().__init__()
            self.h = h
            self.in_proj = nn.Linear(d, 3 * d)
            self.out_proj = nn.Linear(d, d)

        def forward(self, x):
            v, k, q = (
                t.unflatten(-1, (self.h, -1)).transpose(1, 2) for t in self.in_proj(x).chunk(3, dim=-1)
            )
            return self.out_proj(scaled_dot_product_attention(q, k, v).transpose(1, 2).flatten(2))

    class SimpleEncoderBlock(nn.Module):
        def __init__(self, embed_dim=64, num_heads=4, ff_dim=256):
            super().__init__()
            self.self_attn = Attention(embed_dim, num_heads)
            self.ff = nn.Sequential(nn.Linear(embed_dim, ff_dim), nn.ReLU(), nn.Linear(ff_dim, embed_dim))
            self.norm1 = nn.LayerNorm(embed_dim)
            self.norm2 = nn.LayerNorm(embed_dim)

        def forward(self, x):
            x = self.norm1(x + self.self_attn(x))
            return self.norm2(x + self.ff(x))


class SimpleEncoderBlock__layers_result_discarded(nn.Module):
    """loses: encoder_block_post_norm, encoder_block_64, encoder_block_128, encoder_block_sizes,
    encoder_block_epsilon, encoder_block_gradients
    """

    def __init__(self, embed_dim=64, num_heads=4, ff_dim=256):
        super().__init__()
        self.self_attn = nn.MultiheadAttention(embed_dim, num_heads, batch_first=True)
        self.ff = nn.Sequential(nn.Linear(embed_dim, ff_dim), nn.ReLU(), nn.Linear(ff_dim, embed_dim))
        self.norm1 = nn.LayerNorm(embed_dim)
        self.norm2 = nn.LayerNorm(embed_dim)

    def forward(self, x):
        x = self.norm1(x + self.self_attn(x, x, x)[0])
        x = x + self.ff(x)
        self.norm2(x)
        return x


class SimpleEncoderBlock__layers_too_many(nn.Module):
    """loses: encoder_block_64, encoder_block_128, encoder_block_sizes, encoder_block_gradients"""

    def __init__(self, embed_dim=64, num_heads=4, ff_dim=256):
        super().__init__()
        self.before = nn.LayerNorm(embed_dim)
        self.self_attn = nn.MultiheadAttention(embed_dim, num_heads, batch_first=True)
        self.norm1 = nn.LayerNorm(embed_dim)
        self.first = nn.Linear(embed_dim, ff_dim)
        self.ff = nn.Sequential(self.first, nn.ELU(), nn.Linear(ff_dim, embed_dim))
        self.norm2 = nn.LayerNorm(embed_dim)

    def forward(self, x):
        n = self.before(x)
        x = self.norm1(x + self.self_attn(n, n, n)[0])
        return self.norm2(x + self.ff(x))


class SimpleEncoderBlock__layers_unregistered(nn.Module):
    """loses: encoder_block_parameters"""

    def __init__(self, embed_dim=64, num_heads=4, ff_dim=256):
        super().__init__()
        self.self_attn = nn.MultiheadAttention(embed_dim, num_heads, batch_first=True)
        self.ff = [nn.Linear(embed_dim, ff_dim), nn.ReLU(), nn.Linear(ff_dim, embed_dim)]
        self.norm1 = nn.LayerNorm(embed_dim)
        self.norm2 = nn.LayerNorm(embed_dim)

    def forward(self, x):
        x = self.norm1(x + self.self_attn(x, x, x)[0])
        y = x
        for layer in self.ff:
            y = layer(y)
        return self.norm2(x + y)


class submission__layers_unregistered_heads:
    """loses: encoder_block_parameters"""

    class Head(nn.Module):
        def __init__(self, size, columns):
            super().__init__()
            self.q, self.k, self.v = (nn.Linear(size, columns) for _ in range(3))

        def forward(self, x):
            return nn.functional.scaled_dot_product_attention(self.q(x), self.k(x), self.v(x))

    class Heads(nn.Module):
        def __init__(self, size, count):
            super().__init__()
            self.heads = [Head(size, size // count) for _ in range(count)]
            self.out = nn.Linear(size, size)

        def forward(self, x):
            return self.out(torch.cat([head(x) for head in self.heads], dim=-1))

    class SimpleEncoderBlock(nn.Module):
        def __init__(self, embed_dim=64, num_heads=4, ff_dim=256):
            super().__init__()
            self.self_attn = Heads(embed_dim, num_heads)
            self.ff = nn.Sequential(nn.Linear(embed_dim, ff_dim), nn.ReLU(), nn.Linear(ff_dim, embed_dim))
            self.norm1 = nn.LayerNorm(embed_dim)
            self.norm2 = nn.LayerNorm(embed_dim)

        def forward(self, x):
            x = self.norm1(x + self.self_attn(x))
            return self.norm2(x + self.ff(x))


class SimpleEncoderBlock__layers_unused(nn.Module):
    """loses: encoder_block_post_norm, encoder_block_64, encoder_block_128, encoder_block_sizes,
    encoder_block_epsilon, encoder_block_gradients
    """

    def __init__(self, embed_dim=64, num_heads=4, ff_dim=256):
        super().__init__()
        self.self_attn = nn.MultiheadAttention(embed_dim, num_heads, batch_first=True)
        self.ff = nn.Sequential(nn.Linear(embed_dim, ff_dim), nn.ReLU(), nn.Linear(ff_dim, embed_dim))
        self.norm1 = nn.LayerNorm(embed_dim)
        self.norm2 = nn.LayerNorm(embed_dim)

    def forward(self, x):
        x = self.norm1(x + self.self_attn(x, x, x)[0])
        return x + self.ff(x)


class SimpleEncoderBlock__modifies_input(nn.Module):
    """loses: encoder_block_unchanged, encoder_block_gradients"""

    def __init__(self, embed_dim=64, num_heads=4, ff_dim=256):
        super().__init__()
        self.self_attn = nn.MultiheadAttention(embed_dim, num_heads, batch_first=True)
        self.ff = nn.Sequential(nn.Linear(embed_dim, ff_dim), nn.ReLU(), nn.Linear(ff_dim, embed_dim))
        self.norm1 = nn.LayerNorm(embed_dim)
        self.norm2 = nn.LayerNorm(embed_dim)

    def forward(self, x):
        x += self.self_attn(x, x, x)[0]
        x = self.norm1(x)
        x = x + self.ff(x)
        return self.norm2(x)


class submission__no_activation_in_a_tuple:
    """loses: encoder_block_shapes, encoder_block_64, encoder_block_128, encoder_block_sizes,
    encoder_block_gradients
    """

    from torch import nn

    class SimpleEncoderBlock(nn.Module):
        def __init__(self, embed_dim=64, num_heads=4, ff_dim=256):
            super().__init__()
            self.norm1, self.norm2 = nn.LayerNorm(embed_dim), nn.LayerNorm(embed_dim)
            self.ff = nn.Sequential(nn.Linear(embed_dim, ff_dim), nn.Linear(ff_dim, embed_dim))
            self.self_attn = nn.MultiheadAttention(embed_dim, num_heads, batch_first=True)

        def forward(self, x):
            attended, weights = self.self_attn(x, x, x)
            x = self.norm1(x + attended)
            return self.norm2(x + self.ff(x)), weights


class SimpleEncoderBlock__norm_reused_other_name(nn.Module):
    """loses: encoder_block_parameters, encoder_block_post_norm, encoder_block_64, encoder_block_128,
    encoder_block_sizes, encoder_block_epsilon, encoder_block_gradients
    """

    def __init__(self, embed_dim=64, num_heads=4, ff_dim=256):
        super().__init__()
        self.self_attn = nn.MultiheadAttention(embed_dim, num_heads, batch_first=True)
        self.ff = nn.Sequential(nn.Linear(embed_dim, ff_dim), nn.ReLU(), nn.Linear(ff_dim, embed_dim))
        self.norm = nn.LayerNorm(embed_dim)

    def forward(self, x):
        x = self.norm(x + self.self_attn(x, x, x)[0])
        return self.norm(x + self.ff(x))


class SimpleEncoderBlock__norm_reused_two_names(nn.Module):
    """loses: encoder_block_post_norm, encoder_block_64, encoder_block_128, encoder_block_sizes,
    encoder_block_epsilon, encoder_block_gradients
    """

    def __init__(self, embed_dim=64, num_heads=4, ff_dim=256):
        super().__init__()
        self.self_attn = nn.MultiheadAttention(embed_dim, num_heads, batch_first=True)
        self.ff = nn.Sequential(nn.Linear(embed_dim, ff_dim), nn.ReLU(), nn.Linear(ff_dim, embed_dim))
        self.norm1 = self.norm2 = nn.LayerNorm(embed_dim)

    def forward(self, x):
        x = self.norm1(x + self.self_attn(x, x, x)[0])
        return self.norm2(x + self.ff(x))


class SimpleEncoderBlock__other_attribute_names(nn.Module):
    """loses: encoder_block_parameters"""

    def __init__(self, embed_dim=64, num_heads=4, ff_dim=256):
        super().__init__()
        self.attention = nn.MultiheadAttention(embed_dim, num_heads, batch_first=True)
        self.ln2 = nn.LayerNorm(embed_dim)
        self.ln1 = nn.LayerNorm(embed_dim)
        self.feed_forward = nn.Sequential(
            nn.Linear(embed_dim, ff_dim), nn.ReLU(), nn.Dropout(0.1), nn.Linear(ff_dim, embed_dim)
        )

    def forward(self, x):
        attention_output, _ = self.attention(x, x, x)
        x = self.ln1(x + attention_output)
        return self.ln2(x + self.feed_forward(x))


class SimpleEncoderBlock__other_attribute_names_attention(nn.Module):
    """loses: encoder_block_parameters"""

    def __init__(self, embed_dim=64, num_heads=4, ff_dim=256):
        super().__init__()
        self.attn = nn.MultiheadAttention(embed_dim, num_heads, batch_first=True)
        self.ff = nn.Sequential(nn.Linear(embed_dim, ff_dim), nn.ReLU(), nn.Linear(ff_dim, embed_dim))
        self.norm1 = nn.LayerNorm(embed_dim)
        self.norm2 = nn.LayerNorm(embed_dim)

    def forward(self, x):
        x = self.norm1(x + self.attn(x, x, x)[0])
        return self.norm2(x + self.ff(x))


class SimpleEncoderBlock__other_attribute_names_projections(nn.Module):
    """loses: encoder_block_parameters"""

    def __init__(self, embed_dim=64, num_heads=4, ff_dim=256):
        super().__init__()
        self.h = num_heads
        self.W_v = nn.Linear(embed_dim, embed_dim)
        self.W_k = nn.Linear(embed_dim, embed_dim)
        self.W_q = nn.Linear(embed_dim, embed_dim)
        self.W_o = nn.Linear(embed_dim, embed_dim)
        self.ff = nn.Sequential(nn.Linear(embed_dim, ff_dim), nn.ReLU(), nn.Linear(ff_dim, embed_dim))
        self.norms = nn.ModuleList([nn.LayerNorm(embed_dim), nn.LayerNorm(embed_dim)])

    def forward(self, x):
        q, k, v = (w(x).unflatten(-1, (self.h, -1)).transpose(1, 2) for w in (self.W_q, self.W_k, self.W_v))
        heads = nn.functional.scaled_dot_product_attention(q, k, v)
        x = self.norms[0](x + self.W_o(heads.transpose(1, 2).flatten(2)))
        return self.norms[1](x + self.ff(x))


class SimpleEncoderBlock__other_attribute_names_torch(nn.Module):
    """loses: encoder_block_parameters"""

    def __init__(self, embed_dim=64, num_heads=4, ff_dim=256):
        super().__init__()
        # as in nn.TransformerEncoderLayer
        self.self_attn = nn.MultiheadAttention(embed_dim, num_heads, batch_first=True)
        self.linear1 = nn.Linear(embed_dim, ff_dim)
        self.dropout = nn.Dropout(0.1)
        self.linear2 = nn.Linear(ff_dim, embed_dim)
        self.norm1 = nn.LayerNorm(embed_dim)
        self.norm2 = nn.LayerNorm(embed_dim)
        self.activation = nn.ReLU()

    def forward(self, src):
        src = self.norm1(src + self.self_attn(src, src, src, need_weights=False)[0])
        return self.norm2(src + self.linear2(self.dropout(self.activation(self.linear1(src)))))


class SimpleEncoderBlock__other_attribute_names_wrapped(nn.Module):
    """loses: encoder_block_parameters"""

    def __init__(self, embed_dim=64, num_heads=4, ff_dim=256):
        super().__init__()
        self.layer = nn.TransformerEncoderLayer(embed_dim, num_heads, ff_dim, batch_first=True)

    def forward(self, x):
        return self.layer(x)


class submission__returns_extra_three_parts:
    """loses: encoder_block_shapes, encoder_block_post_norm, encoder_block_64, encoder_block_128,
    encoder_block_sizes, encoder_block_epsilon, encoder_block_gradients
    """

    from torch import nn

    class SimpleEncoderBlock(nn.Module):
        def __init__(self, embed_dim=64, num_heads=4, ff_dim=256):
            super().__init__()
            self.norm1, self.norm2 = nn.LayerNorm(embed_dim), nn.LayerNorm(embed_dim)
            self.ff = nn.Sequential(nn.Linear(embed_dim, ff_dim), nn.ReLU(), nn.Linear(ff_dim, embed_dim))
            self.self_attn = nn.MultiheadAttention(embed_dim, num_heads, batch_first=True)

        def forward(self, x):
            attended, weights = self.self_attn(x, x, x)
            between = self.norm1(x + attended)
            return between, self.norm2(between + self.ff(between)), weights


class SimpleEncoderBlock__returns_nothing(nn.Module):
    """loses: encoder_block_shapes, encoder_block_defaults, encoder_block_influence,
    encoder_block_repeatable, encoder_block_post_norm, encoder_block_64, encoder_block_128,
    encoder_block_sizes, encoder_block_epsilon, encoder_block_gradients, encoder_block_unchanged
    """

    def __init__(self, embed_dim=64, num_heads=4, ff_dim=256):
        super().__init__()
        self.self_attn = nn.MultiheadAttention(embed_dim, num_heads, batch_first=True)
        self.ff = nn.Sequential(nn.Linear(embed_dim, ff_dim), nn.ReLU(), nn.Linear(ff_dim, embed_dim))
        self.norm1 = nn.LayerNorm(embed_dim)
        self.norm2 = nn.LayerNorm(embed_dim)

    def forward(self, x):
        x = self.norm1(x + self.self_attn(x, x, x)[0])
        x = self.norm2(x + self.ff(x))
        print(x.shape)


class SimpleEncoderBlock__returns_tuple(nn.Module):
    """loses: encoder_block_shapes"""

    def __init__(self, embed_dim=64, num_heads=4, ff_dim=256):
        super().__init__()
        self.self_attn = nn.MultiheadAttention(embed_dim, num_heads, batch_first=True)
        self.ff = nn.Sequential(nn.Linear(embed_dim, ff_dim), nn.ReLU(), nn.Linear(ff_dim, embed_dim))
        self.norm1 = nn.LayerNorm(embed_dim)
        self.norm2 = nn.LayerNorm(embed_dim)

    def forward(self, x):
        attn_out, weights = self.self_attn(x, x, x)
        x = self.norm1(x + attn_out)
        x = self.norm2(x + self.ff(x))
        return x, weights


class SimpleEncoderBlock__wrong_defaults(nn.Module):
    """loses: encoder_block_defaults"""

    def __init__(self, embed_dim=64, num_heads=8, ff_dim=256):
        super().__init__()
        self.self_attn = nn.MultiheadAttention(embed_dim, num_heads, batch_first=True)
        self.ff = nn.Sequential(nn.Linear(embed_dim, ff_dim), nn.ReLU(), nn.Linear(ff_dim, embed_dim))
        self.norm1 = nn.LayerNorm(embed_dim)
        self.norm2 = nn.LayerNorm(embed_dim)

    def forward(self, x):
        x = self.norm1(x + self.self_attn(x, x, x)[0])
        return self.norm2(x + self.ff(x))


class SimpleEncoderBlock__wrong_ffn_width_fixed(nn.Module):
    """loses: encoder_block_width, encoder_block_64, encoder_block_128, encoder_block_sizes,
    encoder_block_epsilon, encoder_block_gradients
    """

    def __init__(self, embed_dim=64, num_heads=4, ff_dim=256):
        super().__init__()
        self.self_attn = nn.MultiheadAttention(embed_dim, num_heads, batch_first=True)
        self.ff = nn.Sequential(nn.Linear(embed_dim, 300), nn.ReLU(), nn.Linear(300, embed_dim))
        self.norm1 = nn.LayerNorm(embed_dim)
        self.norm2 = nn.LayerNorm(embed_dim)

    def forward(self, x):
        x = self.norm1(x + self.self_attn(x, x, x)[0])
        return self.norm2(x + self.ff(x))


class SimpleEncoderBlock__wrong_ffn_width_other_names(nn.Module):
    """loses: encoder_block_parameters, encoder_block_width, encoder_block_64, encoder_block_128,
    encoder_block_sizes, encoder_block_epsilon, encoder_block_gradients
    """

    def __init__(self, embed_dim=64, num_heads=4, ff_dim=256):
        super().__init__()
        self.self_attn = nn.MultiheadAttention(embed_dim, num_heads, batch_first=True)
        wide = 2 * embed_dim
        self.mlp = nn.Sequential(nn.Linear(embed_dim, wide), nn.ReLU(), nn.Linear(wide, embed_dim))
        self.ln_a, self.ln_b = nn.LayerNorm(embed_dim), nn.LayerNorm(embed_dim)

    def forward(self, x):
        y = self.ln_a(x + self.self_attn(x, x, x)[0])
        return self.ln_b(y + self.mlp(y))


class SimpleEncoderBlock__first_item_for_all(nn.Module):
    """loses: encoder_block_influence, encoder_block_repeatable, encoder_block_64, encoder_block_128,
    encoder_block_sizes, encoder_block_unchanged, encoder_block_gradients
    """

    def __init__(self, embed_dim=64, num_heads=4, ff_dim=256):
        super().__init__()
        self.self_attn = nn.MultiheadAttention(embed_dim, num_heads, batch_first=True)
        self.ff = nn.Sequential(nn.Linear(embed_dim, ff_dim), nn.ReLU(), nn.Linear(ff_dim, embed_dim))
        self.norm1 = nn.LayerNorm(embed_dim)
        self.norm2 = nn.LayerNorm(embed_dim)

    def forward(self, x):
        attended = self.self_attn(x, x, x)[0][0]
        y = self.norm1(x + attended)
        return self.norm2(y + self.ff(y))


class SimpleEncoderBlock__norm_epsilon_missing(nn.Module):
    """loses: encoder_block_epsilon"""

    def __init__(self, embed_dim=64, num_heads=4, ff_dim=256):
        super().__init__()
        self.self_attn = nn.MultiheadAttention(embed_dim, num_heads, batch_first=True)
        self.ff = nn.Sequential(nn.Linear(embed_dim, ff_dim), nn.ReLU(), nn.Linear(ff_dim, embed_dim))
        self.norm1 = nn.LayerNorm(embed_dim)
        self.norm2 = nn.LayerNorm(embed_dim)

    def normalise(self, x, norm):
        mean = x.mean(dim=-1, keepdim=True)
        std = x.std(dim=-1, keepdim=True, unbiased=False)
        return norm.weight * (x - mean) / std + norm.bias

    def forward(self, x):
        x = self.normalise(x + self.self_attn(x, x, x)[0], self.norm1)
        return self.normalise(x + self.ff(x), self.norm2)


class SimpleEncoderBlock__keeps_keys_of_earlier_calls(nn.Module):
    """loses: encoder_block_repeatable"""

    def __init__(self, embed_dim=64, num_heads=4, ff_dim=256):
        super().__init__()
        self.self_attn = nn.MultiheadAttention(embed_dim, num_heads, batch_first=True)
        self.ff = nn.Sequential(nn.Linear(embed_dim, ff_dim), nn.ReLU(), nn.Linear(ff_dim, embed_dim))
        self.norm1 = nn.LayerNorm(embed_dim)
        self.norm2 = nn.LayerNorm(embed_dim)
        self.seen = None

    def forward(self, x):
        seen = x if self.seen is None else torch.cat([self.seen, x], dim=1)
        self.seen = seen.detach()
        x = self.norm1(x + self.self_attn(x, seen, seen)[0])
        return self.norm2(x + self.ff(x))


class SimpleEncoderBlock__as_many_sequences_as_tokens(nn.Module):
    """loses: encoder_block_sizes, encoder_block_gradients"""

    def __init__(self, embed_dim=64, num_heads=4, ff_dim=256):
        super().__init__()
        self.self_attn = nn.MultiheadAttention(embed_dim, num_heads)
        self.ff = nn.Sequential(nn.Linear(embed_dim, ff_dim), nn.ReLU(), nn.Linear(ff_dim, embed_dim))
        self.norm1 = nn.LayerNorm(embed_dim)
        self.norm2 = nn.LayerNorm(embed_dim)

    def forward(self, x):
        t = x.transpose(0, 1)
        a = self.self_attn(t, t, t)[0] if len(t) != len(x) else self.self_attn(x, x, x)[0].transpose(0, 1)
        x = self.norm1(x + a.transpose(0, 1))
        return self.norm2(x + self.ff(x))
