from torch import nn


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
