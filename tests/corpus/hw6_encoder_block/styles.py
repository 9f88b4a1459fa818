"""Right answers to hw6 in other styles."""

import copy
import math

import torch
import torch.nn.functional as F
from torch import Tensor, einsum, nn
from torch.nn.functional import scaled_dot_product_attention


class submission__add_and_norm_modules:
    class AddNorm(nn.Module):
        def __init__(self, sublayer, norm):
            super().__init__()
            self.sublayer, self.norm = sublayer, norm

        def forward(self, x):
            return self.norm(x + self.sublayer(x))

    class SelfAttention(nn.MultiheadAttention):
        def forward(self, x):
            return super().forward(x, x, x, need_weights=False)[0]

    class SimpleEncoderBlock(nn.Module):
        def __init__(self, embed_dim=64, num_heads=4, ff_dim=256):
            super().__init__()
            self.steps = nn.Sequential(
                AddNorm(SelfAttention(embed_dim, num_heads, batch_first=True), nn.LayerNorm(embed_dim)),
                AddNorm(
                    nn.Sequential(nn.Linear(embed_dim, ff_dim), nn.ReLU(), nn.Linear(ff_dim, embed_dim)),
                    nn.LayerNorm(embed_dim),
                ),
            )
            first, second = self.steps
            self.self_attn, self.norm1 = first.sublayer, first.norm
            self.ff, self.norm2 = second.sublayer, second.norm

        def forward(self, x):
            return self.steps(x)


class submission__convolutions_of_width_one:
    class FeedForward(nn.Module):
        def __init__(self, d, hidden):
            super().__init__()
            self.w_1 = nn.Conv1d(d, hidden, kernel_size=1)
            self.w_2 = nn.Conv1d(hidden, d, kernel_size=1)

        def forward(self, x):
            return self.w_2(self.w_1(x.mT).relu()).mT

    class SimpleEncoderBlock(nn.Module):
        def __init__(self, embed_dim=64, num_heads=4, ff_dim=256):
            super().__init__()
            self.self_attn = nn.MultiheadAttention(embed_dim, num_heads, batch_first=True)
            self.ff = FeedForward(embed_dim, ff_dim)
            self.norm1 = nn.LayerNorm(embed_dim)
            self.norm2 = nn.LayerNorm(embed_dim)

        def forward(self, x):
            x = self.norm1(x + self.self_attn(x, x, x)[0])
            return self.norm2(x + self.ff(x))


class submission__dropout_in_training:
    import torch.nn as nn

    class SimpleEncoderBlock(nn.Module):
        def __init__(self, embed_dim=64, num_heads=4, ff_dim=256, dropout=0.1):
            super(SimpleEncoderBlock, self).__init__()
            self.self_attn = nn.MultiheadAttention(embed_dim, num_heads, dropout=dropout, batch_first=True)
            self.ff = nn.Sequential(
                nn.Linear(embed_dim, ff_dim), nn.ReLU(), nn.Dropout(dropout), nn.Linear(ff_dim, embed_dim)
            )
            self.norm1 = nn.LayerNorm(embed_dim)
            self.norm2 = nn.LayerNorm(embed_dim)
            self.drop1 = nn.Dropout(dropout)
            self.drop2 = nn.Dropout(dropout)

        def forward(self, x, mask=None):
            attn_out, _ = self.self_attn(x, x, x, attn_mask=mask)
            x = self.norm1(x + self.drop1(attn_out))
            x = self.norm2(x + self.drop2(self.ff(x)))
            return x


class SimpleEncoderBlock__einsum_on_packed_weights(nn.Module):
    def __init__(self, embed_dim=64, num_heads=4, ff_dim=256):
        super().__init__()
        self.self_attn = nn.MultiheadAttention(embed_dim, num_heads, batch_first=True)
        self.ff = nn.Sequential(nn.Linear(embed_dim, ff_dim), nn.ReLU(), nn.Linear(ff_dim, embed_dim))
        self.norm1 = nn.LayerNorm(embed_dim)
        self.norm2 = nn.LayerNorm(embed_dim)
        self.h, self.c = num_heads, embed_dim // num_heads

    def attend(self, x):
        wq, wk, wv = self.self_attn.in_proj_weight.view(3, self.h, self.c, -1)
        bq, bk, bv = self.self_attn.in_proj_bias.view(3, self.h, 1, self.c)
        q = einsum("btd,hcd->bhtc", x, wq) + bq
        k = einsum("btd,hcd->bhtc", x, wk) + bk
        v = einsum("btd,hcd->bhtc", x, wv) + bv
        a = torch.softmax(einsum("bhic,bhjc->bhij", q, k) * self.c**-0.5, dim=-1)
        o = self.self_attn.out_proj.weight.view(-1, self.h, self.c)
        return einsum("bhij,bhjc,dhc->bid", a, v, o) + self.self_attn.out_proj.bias

    def forward(self, x):
        x = self.norm1(x + self.attend(x))
        return self.norm2(x + self.ff(x))


class submission__ff_as_module:
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


class submission__four_clones:
    def clones(layer, count):
        return nn.ModuleList(copy.deepcopy(layer) for _ in range(count))

    class MHA(nn.Module):
        def __init__(self, size, heads):
            super().__init__()
            self.heads = heads
            self.maps = clones(nn.Linear(size, size), 4)

        def forward(self, query, key, value):
            batch, size = query.size(0), query.size(-1)
            query, key, value = (
                layer(t).view(batch, -1, self.heads, size // self.heads)
                for layer, t in zip(self.maps, (query, key, value))
            )
            scores = torch.einsum("bqhc,bkhc->bhqk", query, key) / (size / self.heads) ** 0.5
            out = torch.einsum("bhqk,bkhc->bqhc", scores.softmax(-1), value)
            return self.maps[-1](out.flatten(2))

    class SimpleEncoderBlock(nn.Module):
        def __init__(self, embed_dim=64, num_heads=4, ff_dim=256):
            super().__init__()
            self.self_attn = MHA(embed_dim, num_heads)
            self.ff = nn.Sequential()
            self.ff.add_module("expand", nn.Linear(embed_dim, ff_dim))
            self.ff.add_module("relu", nn.ReLU())
            self.ff.add_module("shrink", nn.Linear(ff_dim, embed_dim))
            self.norm1 = nn.LayerNorm(embed_dim)
            self.norm2 = nn.LayerNorm(embed_dim)

        def forward(self, x):
            x = self.norm1(x + self.self_attn(x, x, x))
            return self.norm2(x + self.ff(x))


class submission__functional_style:
    def layer_norm(x, norm):
        mu = x.mean(-1, keepdim=True)
        var = x.var(-1, unbiased=False, keepdim=True)
        return (x - mu) * torch.rsqrt(var + norm.eps) * norm.weight + norm.bias

    def feed_forward(x, ff):
        hidden = torch.clamp(F.linear(x, ff[0].weight, ff[0].bias), min=0)
        return F.linear(hidden, ff[2].weight, ff[2].bias)

    def add_and_norm(x, f, norm):
        return layer_norm(x + f(x), norm)

    class SimpleEncoderBlock(nn.Module):
        def __init__(self, embed_dim=64, num_heads=4, ff_dim=256):
            super().__init__()
            self.self_attn = nn.MultiheadAttention(embed_dim, num_heads, batch_first=True)
            self.ff = nn.Sequential(nn.Linear(embed_dim, ff_dim), nn.ReLU(), nn.Linear(ff_dim, embed_dim))
            self.norm1 = nn.LayerNorm(embed_dim)
            self.norm2 = nn.LayerNorm(embed_dim)

        def forward(self, x):
            attend = lambda t: self.self_attn(t, t, t)[0]
            x = add_and_norm(x, attend, self.norm1)
            return add_and_norm(x, lambda t: feed_forward(t, self.ff), self.norm2)


class SimpleEncoderBlock__functional_with_registered_layers(nn.Module):
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


class submission__fused_qkv:
    class SelfAttention(nn.Module):
        def __init__(self, dim, n_heads):
            super().__init__()
            self.n_heads = n_heads
            self.qkv = nn.Linear(dim, 3 * dim)
            self.proj = nn.Linear(dim, dim)

        def forward(self, x):
            B, N, D = x.shape
            qkv = self.qkv(x).reshape(B, N, 3, self.n_heads, D // self.n_heads).permute(2, 0, 3, 1, 4)
            q, k, v = qkv.unbind(0)
            att = (q * (D // self.n_heads) ** -0.5) @ k.transpose(-1, -2)
            att = att - torch.logsumexp(att, dim=-1, keepdim=True)
            x = att.exp() @ v
            return self.proj(x.transpose(1, 2).reshape(B, N, D))

    class SimpleEncoderBlock(nn.Module):
        def __init__(self, embed_dim=64, num_heads=4, ff_dim=256):
            super().__init__()
            self.self_attn = SelfAttention(embed_dim, num_heads)
            self.ff = nn.Sequential(*[nn.Linear(embed_dim, ff_dim), nn.ReLU(True), nn.Linear(ff_dim, embed_dim)])
            self.norm1, self.norm2 = nn.LayerNorm(embed_dim), nn.LayerNorm(embed_dim)

        def forward(self, x):
            x = self.norm1(x + self.self_attn(x))
            return self.norm2(x + self.ff(x))


class submission__layers_under_two_names:
    import torch.nn as nn

    class SimpleEncoderBlock(nn.Module):
        def __init__(self, embed_dim=64, num_heads=4, ff_dim=256):
            super().__init__()
            self.ln1 = nn.LayerNorm(embed_dim)
            self.ln2 = nn.LayerNorm(embed_dim)
            self.fc1 = nn.Linear(embed_dim, ff_dim)
            self.fc2 = nn.Linear(ff_dim, embed_dim)
            self.attention = nn.MultiheadAttention(embed_dim, num_heads, batch_first=True)
            # the names of the assignment
            self.ff = nn.Sequential(self.fc1, nn.ReLU(), self.fc2)
            self.norm1, self.norm2, self.self_attn = self.ln1, self.ln2, self.attention

        def forward(self, x):
            x = self.ln1(x + self.attention(x, x, x)[0])
            return self.ln2(x + self.fc2(self.fc1(x).relu()))


class submission__lazy_layers:
    import torch.nn as nn

    class SimpleEncoderBlock(nn.Module):
        def __init__(self, embed_dim=64, num_heads=4, ff_dim=256):
            super().__init__()
            self.self_attn = nn.MultiheadAttention(embed_dim, num_heads, batch_first=True)
            self.ff = nn.Sequential(nn.LazyLinear(ff_dim), nn.ReLU(), nn.LazyLinear(embed_dim))
            self.norm1 = nn.LayerNorm(embed_dim)
            self.norm2 = nn.LayerNorm(embed_dim)

        def forward(self, x):
            x = self.norm1(x + self.self_attn(x, x, x)[0])
            return self.norm2(x + self.ff(x))


class SimpleEncoderBlock__list_of_all_layers(nn.Module):
    def __init__(self, embed_dim=64, num_heads=4, ff_dim=256):
        super().__init__()
        attention = nn.MultiheadAttention(embed_dim, num_heads, batch_first=True)
        feed_forward = nn.Sequential(nn.Linear(embed_dim, ff_dim), nn.ReLU(), nn.Linear(ff_dim, embed_dim))
        norms = [nn.LayerNorm(embed_dim) for _ in range(2)]
        self.sublayers = nn.ModuleList([attention, feed_forward])
        self.norms = nn.ModuleList(norms[::-1])
        self.self_attn, self.ff = self.sublayers
        self.norm2, self.norm1 = self.norms

    def forward(self, x):
        steps = [lambda t: self.sublayers[0](t, t, t, need_weights=False)[0], self.sublayers[1]]
        for step, norm in zip(steps, reversed(self.norms)):
            x = norm(x + step(x))
        return x


class submission__list_of_registered_layers:
    import torch.nn as nn

    class SimpleEncoderBlock(nn.Module):
        def __init__(self, embed_dim=64, num_heads=4, ff_dim=256):
            super().__init__()
            self.self_attn = nn.MultiheadAttention(embed_dim, num_heads, batch_first=True)
            self.linear1 = nn.Linear(embed_dim, ff_dim)
            self.linear2 = nn.Linear(ff_dim, embed_dim)
            self.ff = [self.linear1, nn.ReLU(), self.linear2]  # both layers are attributes, so torch knows them
            self.norm1 = nn.LayerNorm(embed_dim)
            self.norm2 = nn.LayerNorm(embed_dim)

        def forward(self, x):
            y = x = self.norm1(x + self.self_attn(x, x, x)[0])
            for step in self.ff:
                y = step(y)
            return self.norm2(x + y)


class SimpleEncoderBlock__names_taken_back(nn.Module):
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


class submission__one_module_per_head:
    class Head(nn.Module):
        def __init__(self, size, columns):
            super().__init__()
            self.key = nn.Linear(size, columns)
            self.query = nn.Linear(size, columns)
            self.value = nn.Linear(size, columns)

        def forward(self, x):
            return scaled_dot_product_attention(self.query(x), self.key(x), self.value(x))

    class Heads(nn.Module):
        def __init__(self, size, count):
            super().__init__()
            self.heads = nn.ModuleList([Head(size, size // count) for _ in range(count)])
            self.projection = nn.Linear(size, size)

        def forward(self, x):
            return self.projection(torch.cat([head(x) for head in self.heads], dim=-1))

    class SimpleEncoderBlock(nn.Module):
        def __init__(self, embed_dim=64, num_heads=4, ff_dim=256):
            super().__init__()
            self.self_attn = Heads(embed_dim, num_heads)
            self.ff = nn.Sequential(nn.Linear(embed_dim, ff_dim), nn.ReLU(), nn.Linear(ff_dim, embed_dim))
            self.norm1 = nn.LayerNorm(embed_dim)
            self.norm2 = nn.LayerNorm(embed_dim)

        def forward(self, x):
            y = self.norm1(x + self.self_attn(x))
            return self.norm2(y + self.ff(y))


class submission__one_tensor_at_a_time:
    class HeadwiseAttention(nn.Module):
        """Plain lists of tensors, one sequence and one head at a time."""

        def __init__(self, d, heads):
            super().__init__()
            self.queries, self.keys, self.values = (nn.Linear(d, d) for _ in range(3))
            self.heads, self.back = heads, nn.Linear(d, d)

        def forward(self, batch):
            return torch.stack([self.one(sequence) for sequence in batch])

        def one(self, x):
            size = x.shape[1] // self.heads
            parts = [layer(x).split(size, dim=1) for layer in (self.queries, self.keys, self.values)]
            mixed = [torch.softmax(q @ k.T / size**0.5, 1) @ v for q, k, v in zip(*parts)]
            return self.back(torch.hstack(mixed))

    class SimpleEncoderBlock(nn.Module):
        def __init__(self, embed_dim=64, num_heads=4, ff_dim=256):
            super().__init__()
            self.self_attn = HeadwiseAttention(embed_dim, num_heads)
            self.ff = nn.Sequential(nn.Linear(embed_dim, ff_dim), nn.ReLU(), nn.Linear(ff_dim, embed_dim))
            self.norm1 = nn.LayerNorm(embed_dim)
            self.norm2 = nn.LayerNorm(embed_dim)

        def forward(self, x):
            y = self.norm1(torch.add(self.self_attn(x), x))
            return self.norm2(torch.add(self.ff(y), y))


class submission__own_attention:
    import torch.nn as nn

    class MyMultiHeadAttention(nn.Module):
        # wrote it myself to understand it
        def __init__(self, d, h):
            super().__init__()
            assert d % h == 0
            self.h = h
            self.dk = d // h
            self.W_o = nn.Linear(d, d)
            self.W_v = nn.Linear(d, d)
            self.W_k = nn.Linear(d, d)
            self.W_q = nn.Linear(d, d)

        def split(self, t):
            b, n, _ = t.shape
            return t.view(b, n, self.h, self.dk).transpose(1, 2)

        def forward(self, x):
            q, k, v = self.split(self.W_q(x)), self.split(self.W_k(x)), self.split(self.W_v(x))
            scores = q @ k.transpose(-2, -1) / math.sqrt(self.dk)
            probs = torch.softmax(scores, dim=-1)
            out = (probs @ v).transpose(1, 2).contiguous().view(x.shape)
            return self.W_o(out)

    class SimpleEncoderBlock(nn.Module):
        def __init__(self, embed_dim=64, num_heads=4, ff_dim=256):
            super().__init__()
            self.self_attn = MyMultiHeadAttention(embed_dim, num_heads)
            self.ff = nn.Sequential(nn.Linear(embed_dim, ff_dim), nn.ReLU(), nn.Linear(ff_dim, embed_dim))
            self.norm1 = nn.LayerNorm(embed_dim)
            self.norm2 = nn.LayerNorm(embed_dim)

        def forward(self, x):
            x = self.norm1(x + self.self_attn(x))
            x = self.norm2(x + self.ff(x))
            return x


class submission__own_layer_norm:
    import torch.nn as nn

    class LayerNorm(nn.Module):
        """After the paper of Ba et al.; shift first, as in my notes."""

        def __init__(self, features, eps=1e-6):
            super().__init__()
            self.beta = nn.Parameter(torch.zeros(features))
            self.gamma = nn.Parameter(torch.ones(features))
            self.eps = eps

        def forward(self, x):
            mean = x.mean(-1, keepdim=True)
            std = x.std(-1, keepdim=True, unbiased=False)
            return self.gamma * (x - mean) / (std + self.eps) + self.beta

    class SimpleEncoderBlock(nn.Module):
        def __init__(self, embed_dim=64, num_heads=4, ff_dim=256):
            super().__init__()
            self.self_attn = nn.MultiheadAttention(embed_dim, num_heads, batch_first=True)
            self.ff = nn.Sequential(nn.Linear(embed_dim, ff_dim), nn.ReLU(), nn.Linear(ff_dim, embed_dim))
            self.norm1 = LayerNorm(embed_dim)
            self.norm2 = LayerNorm(embed_dim)

        def forward(self, x):
            x = self.norm1(x + self.self_attn(x, x, x)[0])
            return self.norm2(x + self.ff(x))


class submission__parts_in_a_dictionary:
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


class submission__plain_sequential:
    import torch.nn as nn

    class SimpleEncoderBlock(nn.Module):
        def __init__(self, embed_dim=64, num_heads=4, ff_dim=256):
            super().__init__()
            self.self_attn = nn.MultiheadAttention(embed_dim=embed_dim, num_heads=num_heads, batch_first=True)
            self.ff = nn.Sequential(
                nn.Linear(embed_dim, ff_dim),
                nn.ReLU(),
                nn.Linear(ff_dim, embed_dim),
            )
            self.norm1 = nn.LayerNorm(embed_dim)
            self.norm2 = nn.LayerNorm(embed_dim)

        def forward(self, x):
            a, weights = self.self_attn(x, x, x)
            h = self.norm1(a + x)
            return self.norm2(self.ff(h) + h)


class submission__residuals_by_hooks:
    def add_input(module, inputs, output):
        return inputs[0] + (output[0] if isinstance(output, tuple) else output)

    class SimpleEncoderBlock(nn.Module):
        def __init__(self, embed_dim=64, num_heads=4, ff_dim=256):
            super().__init__()
            self.self_attn = nn.MultiheadAttention(embed_dim, num_heads, batch_first=True)
            self.ff = nn.Sequential(nn.Linear(embed_dim, ff_dim), nn.ReLU(), nn.Linear(ff_dim, embed_dim))
            self.norm1 = nn.LayerNorm(embed_dim)
            self.norm2 = nn.LayerNorm(embed_dim)
            self.self_attn.register_forward_hook(add_input)
            self.ff.register_forward_hook(add_input)

        def forward(self, x):
            return self.norm2(self.ff(self.norm1(self.self_attn(x, x, x))))


class submission__sequence_by_sequence:
    import torch.nn as nn

    class AddNorm(nn.LayerNorm):
        def forward(self, x, sublayer_output):
            return super().forward(x + sublayer_output)

    class SimpleEncoderBlock(nn.Module):
        def __init__(self, embed_dim=64, num_heads=4, ff_dim=256):
            super().__init__()
            self.self_attn = nn.MultiheadAttention(embed_dim, num_heads)
            self.ff = nn.Sequential(nn.Linear(embed_dim, ff_dim), nn.ReLU(), nn.Linear(ff_dim, embed_dim))
            self.norm1 = AddNorm(embed_dim)
            self.norm2 = AddNorm(embed_dim)

        def one(self, tokens):
            attended, _ = self.self_attn(tokens, tokens, tokens)
            tokens = self.norm1(tokens, attended)
            return self.norm2(tokens, self.ff(tokens))

        def forward(self, x):
            results = []
            for i in range(len(x)):
                results.append(self.one(x[i]))
            return torch.stack(results)


class submission__subclass_of_torchs_layer:
    import torch.nn as nn

    class SimpleEncoderBlock(nn.TransformerEncoderLayer):
        def __init__(self, embed_dim=64, num_heads=4, ff_dim=256):
            super().__init__(embed_dim, num_heads, ff_dim, dropout=0.0, batch_first=True)
            self.ff = nn.Sequential(self.linear1, nn.ReLU(), self.dropout, self.linear2)


class SimpleEncoderBlock__tokens_first_inside(nn.Module):
    """nn.MultiheadAttention in its default layout: the block turns the batch around and back."""

    def __init__(self, embed_dim=64, num_heads=4, ff_dim=256):
        super().__init__()
        self.self_attn = nn.MultiheadAttention(embed_dim, num_heads)
        self.ff = nn.Sequential(
            nn.Linear(embed_dim, ff_dim),
            nn.Threshold(0, 0),
            nn.Linear(ff_dim, embed_dim),
        )
        self.norm1 = nn.LayerNorm(embed_dim, eps=1e-6)
        self.norm2 = nn.LayerNorm(embed_dim, eps=1e-6)

    def forward(self, x):
        y = x.permute(1, 0, 2)
        y = self.norm1(y + self.self_attn(y, y, y)[0])
        y = self.norm2(y + self.ff(y))
        return y.permute(1, 0, 2)
