# %% [markdown]
# # A Transformer encoder block
#
# A block is an attention layer and a small feed-forward network. Two humble parts keep a tall stack of such
# blocks alive: the residual connection, which adds instead of replacing, and LayerNorm, which keeps the
# numbers in range. You build the block from PyTorch's layers, and then look at what the humble parts are for.
#
# The block is that of Vaswani et al., *Attention Is All You Need* (2017), sections 3.1 to 3.3. The handout
# beside this notebook has a table of all shapes.

# %%
# {{ setup }}

# %% [markdown]
# ## 1. The block

# %%
# {{ question: SimpleEncoderBlock }}

# %% [markdown]
# ### Which token goes where, in each head
#
# Before training, heads differ only by chance. Their weights come from your block's own `self_attn`.

# %%
tokens = ["we", "all", "look", "around"]

with plots.once_written():
    torch.manual_seed(6)
    block = SimpleEncoderBlock(embed_dim=16, num_heads=4, ff_dim=32).eval()
    vectors = 2 * torch.randn(1, 4, 16)
    with torch.no_grad():
        _, by_head = block.self_attn(vectors, vectors, vectors, average_attn_weights=False)
    plots.heatmaps(list(by_head[0]), tokens, tokens, [f"head {number}" for number in range(1, 5)])

# %% [markdown]
# ### What LayerNorm does
#
# Four tokens go in, each on a scale of its own. Compare how far their numbers spread before and after.

# %%
with plots.once_written():
    block = SimpleEncoderBlock(embed_dim=16, num_heads=4, ff_dim=32).eval()
    spreads = torch.tensor([0.1, 1.0, 5.0, 20.0])
    input_batch = spreads.reshape(1, 4, 1) * torch.randn(1, 4, 16)
    with torch.no_grad():
        output_batch = block(input_batch)
    plots.bars(
        {
            "input": input_batch[0].std(dim=-1).tolist(),
            "output": output_batch[0].std(dim=-1).tolist(),
        },
        "The spread of each token's numbers",
        "token",
        "standard deviation",
    )

# %% [markdown]
# ### What the residual connection is for
#
# Below, your block is stacked twelve times, with new random weights each time. After each block we ask how
# alike the tokens have become: the mean cosine similarity between any two of them. A second stack uses the
# very same layers and leaves the two additions out. Without them, attention averages the tokens until all
# say the same, and nothing is left to tell them apart (Dong, Cordonnier and Loukas, *Attention is not all
# you need*, 2021).


# %%
def likeness(some_tokens):
    """Return the mean cosine similarity between any two tokens of a sequence."""
    unit = some_tokens / some_tokens.norm(dim=-1, keepdim=True)
    count = len(unit)
    cosines = unit @ unit.T
    sum_of_pairs = cosines.sum() - count  # each token is like itself: that is 1 for each
    return sum_of_pairs.item() / (count * (count - 1))


def without_residuals(block, x):
    """Run the layers of a block, leaving both additions out."""
    attended, _ = block.self_attn(x, x, x, need_weights=False)
    x = block.norm1(attended)
    return block.norm2(block.ff(x))


with plots.once_written():
    torch.manual_seed(8)
    depth = 12
    stack = [SimpleEncoderBlock(embed_dim=32, num_heads=4, ff_dim=64).eval() for _ in range(depth)]
    start = torch.randn(1, 10, 32)
    with_them = start
    without_them = start
    likeness_with = [likeness(start[0])]
    likeness_without = [likeness(start[0])]
    with torch.no_grad():
        for block in stack:
            with_them = block(with_them)
            without_them = without_residuals(block, without_them)
            likeness_with.append(likeness(with_them[0]))
            likeness_without.append(likeness(without_them[0]))
    plots.lines(
        range(depth + 1),
        {"with residual connections": likeness_with, "without": likeness_without},
        "Tokens become alike, unless the input is added again",
        "blocks passed",
        "mean cosine similarity of two tokens",
    )

# %%
# {{ answers }}

# %% [markdown]
# {{ hand_in }}
