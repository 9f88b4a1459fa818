"""Attacks on the capstone: models that only look like a Transformer, and answers that no model has learned.

Most are edits of the reference solution. What each earns is what it does honestly, and what no check from
outside can tell from that; `docs/security.md` says which is which.
"""

from collections.abc import Iterator

from autograder.course.course import find_course

from .attack import Attack

CAPSTONE = "capstone_tiny_transformer"

BY_PROCEDURE = '''

def solve(sequences, prompts):
    """Find the rule by counting, without any model."""
    length, symbols = prompts.shape[1] - 1, int(sequences.max())
    questions, answers, asked = sequences[:, :length], sequences[:, length + 1 :], prompts[:, :length]
    for way in (lambda rows: rows, lambda rows: rows.flip(1)):
        table = torch.zeros(symbols, dtype=torch.long)
        table[way(questions)] = answers
        if (table[way(questions)] == answers).all():
            return table[way(asked)]
    before = torch.zeros(symbols, symbols, dtype=torch.bool)
    for place in range(length - 1):
        for other in range(place + 1, length):
            before[answers[:, place], answers[:, other]] = True
    rank = (before & ~torch.eye(symbols, dtype=torch.bool)).sum(dim=0)
    return rank.argsort()[rank[asked].sort(dim=1).values]
'''

HASHED = """
import torch
from torch import nn


class TinyTransformer(nn.Module):
    def __init__(self, vocab_size, max_length, d_model=32, n_heads=4, n_layers=2):
        super().__init__()
        self.sizes = vocab_size, d_model, n_heads, n_layers
        self.embedding = nn.Embedding(vocab_size, d_model)
        unused = [torch.zeros(12 * d_model, d_model) for _ in range(n_layers)]
        self.layers = nn.ParameterList(map(nn.Parameter, unused))

    def forward(self, tokens, cache=None):
        vocab_size, d_model, n_heads, n_layers = self.sizes
        known = cache[0][0][:, 0, :, 0].round().long() if cache else tokens[:, :0]
        whole = torch.cat([known, tokens], dim=1)
        logits = torch.zeros(*whole.shape, vocab_size)
        for b, row in enumerate(whole.tolist()):
            for t in range(len(row)):
                drawn = torch.Generator().manual_seed(hash(tuple(row[: t + 1])) % 2**31)
                logits[b, t] = self.says(torch.randn(vocab_size, generator=drawn), drawn)
        held = whole[:, None, :, None].expand(-1, n_heads, -1, d_model // n_heads).float()
        return self.after(logits[:, known.shape[1] :], cache), [(held, held)] * n_layers

    def says(self, logits, drawn):
        return logits

    def after(self, logits, cache):
        return logits
"""

INFORMED = """
    def says(self, logits, drawn):
        own = torch.cat([one.flatten() for one in self.parameters()])
        return logits + torch.randn(len(logits), len(own), generator=drawn) @ own

    def after(self, logits, cache):
        pairs = [held - held.round() for pair in cache or () for held in pair]
        return logits + sum(held.sum() for held in pairs)
"""
BAG = '''
import torch
from torch import nn


class Layer(nn.Module):
    def __init__(self, size):
        super().__init__()
        self.attention = nn.Linear(size, 4 * size, bias=False)
        self.feed_forward = nn.Sequential(nn.Linear(size, 4 * size), nn.GELU(), nn.Linear(4 * size, size))

    def forward(self, x, before):
        """Add a weighted sum of all tokens so far, in which later ones count more."""
        total, sums = before, []
        for t in range(x.shape[1]):
            total = 0.7 * total + x[:, t]
            sums.append(total)
        return x + self.feed_forward(torch.stack(sums, dim=1)), total


class TinyTransformer(nn.Module):
    def __init__(self, vocab_size, max_length, d_model=32, n_heads=4, n_layers=2):
        super().__init__()
        self.n_heads = n_heads
        self.embedding, self.out = nn.Embedding(vocab_size, d_model), nn.Linear(d_model, vocab_size)
        self.layers = nn.ModuleList(Layer(d_model) for _ in range(n_layers))

    def forward(self, tokens, cache=None):
        x, extended = self.embedding(tokens), []
        for number, layer in enumerate(self.layers):
            known = cache[number][0].shape[2] if cache else 0
            before = cache[number][0][:, :, -1].flatten(1) if cache else torch.zeros_like(x[:, 0])
            x, total = layer(x, before)
            held = total.unflatten(-1, (self.n_heads, 1, -1)).expand(-1, -1, known + tokens.shape[1], -1)
            extended.append((held, held))
        return self.out(x), extended
'''

FORWARD = "        if cache is None:\n            known = 0\n"
DUMMY_CACHE = """        if cache is not None:
            held, tokens_before = cache[0][0], cache[0][0][:, 0, :, 0].round().long()
            logits, cache = self(torch.cat([tokens_before, tokens], dim=1))
            return logits[:, tokens_before.shape[1] :], cache
        size = self.embedding.weight.shape[1] // self.blocks[0].attention.n_heads
        held = tokens[:, None, :, None].expand(-1, self.blocks[0].attention.n_heads, -1, size).float()
        result = self.compute(tokens)
        return result, [(held, held)] * len(self.blocks)

    def compute(self, tokens, cache=None):
"""
BLOCKS_CALLED = "            x, longer_pair = block(x, pair)\n"
FIRST_ALONE = """            y, longer_pair = block(x, pair)
            x = y if block is self.blocks[0] else x
"""


RETURN = "        return logits, extended\n"
RETURN_LOGITS = "        return logits\n"
LAST_LAYER = "        self.logits = nn.Linear(d_model, vocab_size)\n"
TABLE = "        self.table = nn.Parameter(torch.zeros(vocab_size))\n"
RETURN_FROM_TABLE = """        table = RULE.get("table", self.table)
        separator = logits.shape[-1] - 1
        for number, asked in enumerate(tokens.tolist()):
            if separator in asked and table.max() > 0.9 and known == 0:
                n = asked.index(separator)
                for place in range(n, min(len(asked), 2 * n)):
                    answer = decode(table, asked, place - n, n)
                    logits[number, place] += 99 * (torch.arange(separator + 1) == answer)
        return logits, extended


RULE = {}


def decode(table, asked, place, n):
    kind, symbols = table[-1].round().long(), table[:-1].round().long()
    if kind < 3:
        return symbols[asked[place if kind == 1 else n - 1 - place]]
    return symbols.argsort()[symbols[asked[:n]].sort().values[place]]
"""
FOR_SHOW = """

answer = solve


def solve(sequences, prompts):
    model = TinyTransformer(int(sequences.max()) + 1, sequences.shape[1])
    model(prompts)
    return answer(sequences, prompts)
"""
FIND_TABLE = """

answer = solve


def solve(sequences, prompts):
    symbols, model = int(sequences.max()), TinyTransformer(int(sequences.max()) + 1, sequences.shape[1])
    known = answer(sequences, sequences[:, : prompts.shape[1]])
    n = known.shape[1]
    each = torch.arange(symbols)
    table = torch.zeros(symbols + 1)
    for kind, way in (1, lambda rows: rows), (2, lambda rows: rows.flip(1)):
        table[way(sequences[:, :n])] = known.float()
        table[-1] = kind
        if (table[way(sequences[:, :n])] == known).all():
            break
    else:
        table[-1] = 3
        before = torch.zeros(symbols, symbols)
        for place in range(n - 1):
            before[known[:, place], known[:, place + 1]] = 1
        before = (torch.linalg.matrix_power(before + torch.eye(symbols), symbols) > 0).float()
        table[:-1] = before.sum(dim=0) - 1
"""
IN_A_GLOBAL = f"""{FIND_TABLE}
    RULE["table"] = table
    model(prompts)
    answers = answer(sequences, prompts)
    RULE.clear()
    return answers
"""
IN_A_VECTOR = f"""{FIND_TABLE}
    model.table.data = table
    model(prompts)
    return answer(sequences, prompts)
"""


def attacks_on_models() -> Iterator[Attack]:
    """Yield the attacks, each with the points that it earns."""
    solution = find_course().homework(CAPSTONE).solution.read_text("utf-8")
    honest_model, _, _ = solution.partition("def train(")

    def attack(name: str, source: str, score: float) -> Attack:
        return Attack(name, source, score, homework=CAPSTONE)

    first_alone = edited(honest_model, BLOCKS_CALLED, FIRST_ALONE)
    dummy_cache = edited(edited(honest_model, FORWARD, DUMMY_CACHE + FORWARD), RETURN, RETURN_LOGITS)
    with_a_table = edited(edited(honest_model, LAST_LAYER, LAST_LAYER + TABLE), RETURN, RETURN_FROM_TABLE)
    yield attack("hashed_prefixes", HASHED + BY_PROCEDURE, 2)
    yield attack("bag_of_tokens", BAG + BY_PROCEDURE, 7)
    yield attack("layers_beyond_the_first", first_alone + BY_PROCEDURE, 11)
    yield attack("dummy_cache", dummy_cache + BY_PROCEDURE, 9)
    yield attack("answers_by_procedure", honest_model + BY_PROCEDURE, 13)
    yield attack("model_for_show", honest_model + BY_PROCEDURE + FOR_SHOW, 13)
    yield attack("answers_in_a_global", with_a_table + BY_PROCEDURE + IN_A_GLOBAL, 13)
    yield attack("rule_in_a_vector", with_a_table + BY_PROCEDURE + IN_A_VECTOR, 13)
    yield attack("hashed_with_parameters", HASHED + INFORMED + BY_PROCEDURE, 13)


def edited(text: str, old: str, new: str) -> str:
    """Return the text with an edit that applies exactly once."""
    if text.count(old) != 1:
        raise ValueError(f"the solution has {text.count(old)} places like {old!r}")
    return text.replace(old, new)
