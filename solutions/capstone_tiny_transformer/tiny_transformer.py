"""A tiny Transformer decoder, from your own parts, that learns to copy, to reverse and to sort.

Tokens are whole numbers below vocab_size, in tensors of shape (batch, tokens). Only this file is handed in,
so that the parts which you bring from earlier homeworks have to be in it.
"""

import math

import torch
from torch import nn

torch.set_num_threads(1)  # a model as small as this one learns faster on one core than on several

# Paste here what you bring from earlier homeworks, in PyTorch: the causal mask of hw7, the heads of hw8,
# positions and the cache of hw9. Divide the model as you like: Attention and Block are a proposal.


class Attention(nn.Module):
    """Causal attention of several heads; keys and values of earlier tokens come from the cache."""

    def __init__(self, d_model, n_heads):
        super().__init__()
        # TODO 1: make the projections to queries, keys and values, and the one of the output.
        # BEGIN SOLUTION
        self.n_heads = n_heads
        self.project = nn.Linear(d_model, 3 * d_model, bias=False)
        self.output = nn.Linear(d_model, d_model, bias=False)
        # END SOLUTION

    def forward(self, x, cache=None):
        """Return the output for the new tokens, and the pair (K, V) of all tokens so far.

        Args:
            x: the new tokens, shape (batch, new, d_model).
            cache: the pair (K, V) of the tokens before, or None.
        """
        # TODO 2: append the new keys and values to the cached ones; mask what comes after each token.
        # BEGIN SOLUTION
        projected = self.project(x)
        heads = projected.unflatten(-1, (3, self.n_heads, -1))
        Q, K, V = heads.permute(2, 0, 3, 1, 4)  # each (batch, heads, new, d_model / heads)
        if cache is not None:
            cached_K, cached_V = cache
            K = torch.cat([cached_K, K], dim=2)
            V = torch.cat([cached_V, V], dim=2)
        new = Q.shape[2]
        known = K.shape[2]
        # The mask's rows belong to queries: those of the new tokens come last.
        causal = torch.ones(known, known, dtype=torch.bool).tril()
        allowed = causal[known - new :]
        scale = math.sqrt(Q.shape[-1])
        scores = Q @ K.transpose(-1, -2) / scale  # (batch, heads, new, known)
        masked_scores = scores.masked_fill(~allowed, -math.inf)
        weights = masked_scores.softmax(dim=-1)
        context = weights @ V  # (batch, heads, new, d_model / heads)
        merged = context.transpose(1, 2).flatten(2)  # (batch, new, d_model)
        return self.output(merged), (K, V)
        # END SOLUTION


class Block(nn.Module):
    """Attention and a feed-forward network, each with a norm and a residual sum."""

    def __init__(self, d_model, n_heads):
        super().__init__()
        # TODO 3: make the attention, a feed-forward network with 4 * d_model hidden units, and two norms.
        # BEGIN SOLUTION
        self.attention = Attention(d_model, n_heads)
        hidden = 4 * d_model
        up = nn.Linear(d_model, hidden)
        down = nn.Linear(hidden, d_model)
        self.feed_forward = nn.Sequential(up, nn.GELU(), down)
        self.norm1 = nn.LayerNorm(d_model)
        self.norm2 = nn.LayerNorm(d_model)
        # END SOLUTION

    def forward(self, x, cache=None):
        """Return the new tokens after one block, shape (batch, new, d_model), and the pair (K, V)."""
        # TODO 4: two steps, each with its residual sum; norms before the steps make learning faster.
        # BEGIN SOLUTION
        attended, cache = self.attention(self.norm1(x), cache)
        x = x + attended
        fed = self.feed_forward(self.norm2(x))
        x = x + fed
        return x, cache
        # END SOLUTION


class TinyTransformer(nn.Module):
    """A decoder: token embeddings with positions, ``n_layers`` causal blocks, and a logit for each symbol.

    Args:
        vocab_size: the number of symbols; tokens are below it.
        max_length: the most tokens of a sequence, for a table of positions.
        d_model: the size of a token's vector, a multiple of ``n_heads``.
        n_heads: the number of attention heads.
        n_layers: the number of blocks. Each has parameters of its own: four matrices of d_model by d_model
            for attention, and a feed-forward network of two matrices with 4 * d_model hidden units.
    """

    def __init__(self, vocab_size, max_length, d_model=32, n_heads=4, n_layers=2):
        super().__init__()
        # TODO 5: make the embedding, the positions, the blocks (in nn.ModuleList) and the layer of logits.
        # BEGIN SOLUTION
        self.embedding = nn.Embedding(vocab_size, d_model)
        self.positions = nn.Embedding(max_length, d_model)
        self.blocks = nn.ModuleList(Block(d_model, n_heads) for _ in range(n_layers))
        self.norm = nn.LayerNorm(d_model)
        self.logits = nn.Linear(d_model, vocab_size)
        # END SOLUTION

    def forward(self, tokens, cache=None):
        """Return the logits of what follows each token, and the cache for the tokens that come next.

        Args:
            tokens: whole numbers, shape (batch, new), new at least 1.
            cache: None at the beginning of the sequences; later what the call on the tokens before returned.

        Returns:
            logits, shape (batch, new, vocab_size), and the cache: a list with a pair (K, V) for each layer,
            both of shape (batch, n_heads, tokens so far, d_model / n_heads).
        """
        # TODO 6: embed the tokens; the positions of new tokens begin where the cache ends.
        # TODO 7: pass through the blocks, each with its own part of the cache, and return both results.
        # BEGIN SOLUTION
        if cache is None:
            known = 0
            cache = [None] * len(self.blocks)
        else:
            K_of_first_layer, _ = cache[0]
            known = K_of_first_layer.shape[2]
        new = tokens.shape[1]
        places = torch.arange(known, known + new)
        x = self.embedding(tokens) + self.positions(places)  # (batch, new, d_model)
        extended = []
        for block, pair in zip(self.blocks, cache, strict=True):
            x, longer_pair = block(x, pair)
            extended.append(longer_pair)
        logits = self.logits(self.norm(x))  # (batch, new, vocab_size)
        return logits, extended
        # END SOLUTION


def train(model, sequences, n_prompt, steps=200):
    """Train the model to continue sequences after their first ``n_prompt`` tokens; return the losses.

    Args:
        model: a TinyTransformer.
        sequences: questions with their answers, shape (sequences, tokens).
        n_prompt: how many tokens the question takes, with its separator.
        steps: how many batches to learn from.

    Returns:
        the loss at each step, a list of numbers.
    """
    # TODO 8: for each batch, compare the logits at each token with the token after it, within the answer.
    # BEGIN SOLUTION
    optimizer = torch.optim.Adam(model.parameters())
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimizer, max_lr=0.01, total_steps=steps)
    losses = []
    for _ in range(steps):
        drawn = torch.randint(len(sequences), (32,))
        batch = sequences[drawn]
        logits, _ = model(batch[:, :-1])
        # Logits are for the token after: the last token of the question foretells the first of the answer.
        predictions = logits[:, n_prompt - 1 :].flatten(0, 1)  # (batch * answer, vocab_size)
        targets = batch[:, n_prompt:].flatten()  # (batch * answer,)
        loss = nn.functional.cross_entropy(predictions, targets)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        schedule.step()
        losses.append(loss.item())
    return losses
    # END SOLUTION


@torch.no_grad()
def generate(model, prompts, n_new):
    """Continue each prompt by its ``n_new`` likeliest tokens, one after another; shape (prompts, n_new)."""
    # TODO 9: give the prompts once, then each new token alone, with the cache.
    # BEGIN SOLUTION
    logits, cache = model(prompts)
    last_logits = logits[:, -1:]
    token = last_logits.argmax(dim=-1)  # (prompts, 1)
    answer = [token]
    for _ in range(n_new - 1):
        logits, cache = model(token, cache)
        token = logits.argmax(dim=-1)
        answer.append(token)
    return torch.cat(answer, dim=1)
    # END SOLUTION


def solve(sequences, prompts):
    """Learn from pairs of a question and its answer, and answer new questions.

    Args:
        sequences: shape (pairs, question + 1 + answer): in each row a question, a separator and its answer.
        prompts: shape (prompts, question + 1): new questions, each with the separator.

    Returns:
        the answers to the prompts, shape (prompts, answer).
    """
    # TODO 10: make a model of the right sizes, train it, let it answer. The largest token is the separator.
    # BEGIN SOLUTION
    n_tokens = sequences.shape[1]
    n_prompt = prompts.shape[1]
    n_answer = n_tokens - n_prompt
    separator = int(sequences.max())
    model = TinyTransformer(separator + 1, n_tokens)
    train(model, sequences, n_prompt)
    model.eval()
    return generate(model, prompts, n_answer)
    # END SOLUTION
