"""nn.MultiheadAttention, with what goes into it in the cache; sinusoidal positions, norms after the sums.

The layer of logits begins with zeros, so that a new model says nothing of its tokens.
"""

import torch
from torch import nn


class Layer(nn.Module):
    def __init__(self, size, heads):
        super().__init__()
        self.attention = nn.MultiheadAttention(size, heads, dropout=0.05, batch_first=True)
        self.feed = nn.Sequential(nn.Linear(size, 4 * size), nn.ReLU(), nn.Linear(4 * size, size))
        self.first, self.second = nn.LayerNorm(size), nn.LayerNorm(size)

    def forward(self, x, before):
        keys = x if before is None else torch.cat([before[0], x], dim=1)
        values = x if before is None else torch.cat([before[1], x], dim=1)
        past = keys.shape[1] - x.shape[1]
        forbidden = torch.ones(x.shape[1], keys.shape[1], dtype=torch.bool).triu(past + 1)
        x = self.first(x + self.attention(x, keys, values, attn_mask=forbidden, need_weights=False)[0])
        return self.second(x + self.feed(x)), [keys, values]


class TinyTransformer(nn.Module):
    def __init__(self, vocab_size, max_length, d_model=32, n_heads=4, n_layers=2):
        super().__init__()
        self.symbols = nn.Embedding(vocab_size, d_model)
        position = torch.arange(max_length)[:, None] / 100.0 ** (torch.arange(0, d_model, 2) / d_model)
        self.register_buffer("sinusoids", torch.cat([position.sin(), position.cos()], dim=1))
        self.layers = nn.ModuleList([Layer(d_model, n_heads) for _ in range(n_layers)])
        self.out = nn.Linear(d_model, vocab_size)
        nn.init.zeros_(self.out.weight)
        nn.init.zeros_(self.out.bias)

    def forward(self, tokens, cache=None):
        start = 0 if cache is None else cache[0][0].size(1)
        x = self.symbols(tokens) + self.sinusoids[start : start + tokens.size(1)]
        caches = []
        for i in range(len(self.layers)):
            x, own = self.layers[i](x, cache and cache[i])
            caches.append(own)
        return self.out(x), caches


def solve(sequences, prompts):
    torch.manual_seed(1)
    questions = prompts.size(1)
    model = TinyTransformer(int(sequences.max()) + 1, sequences.size(1), 48)
    optimizer = torch.optim.Adam(model.parameters(), lr=3e-3)
    schedule = torch.optim.lr_scheduler.LambdaLR(
        optimizer, lambda step: min(1, (step + 1) / 50) * 0.995**step
    )
    for step in range(260):
        rows = sequences[(32 * step) % 1984 : (32 * step) % 1984 + 32]
        logits, _ = model(rows[:, :-1])
        loss = nn.functional.cross_entropy(
            logits[:, questions - 1 :].reshape(-1, logits.size(-1)), rows[:, questions:].reshape(-1)
        )
        model.zero_grad()
        loss.backward()
        optimizer.step()
        schedule.step()
    model.eval()
    answers = torch.empty(len(prompts), 0, dtype=torch.long)
    with torch.no_grad():
        logits, cache = model(prompts)
        while True:
            answers = torch.cat([answers, logits[:, -1].argmax(dim=-1, keepdim=True)], dim=1)
            if answers.size(1) == sequences.size(1) - questions:
                return answers
            logits, cache = model(answers[:, -1:], cache)
