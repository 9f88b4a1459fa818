# %% [markdown]
# # Batched multi-head and grouped-query attention
#
# A batch of sentences goes through all heads at once: no loop, only arrays with more axes. You cut the
# features of each token into heads, attend on the last two axes, and put the heads together again. Then
# several query heads come to share the keys and values of one head, as in newer models, whose memory they
# would fill otherwise.
#
# The handout beside this notebook has the formulas and a table of all shapes.

# %%
# {{ setup }}

# %% [markdown]
# ## 1. Into heads

# %%
# {{ question: split_heads }}

# %% [markdown]
# ### Where each number goes
#
# Three tokens with six features each; the number is that of the feature, the same for every token. A head
# should hold *its* features of *every* token, so each column below has one number. A reshape alone has the
# right shape as well.

# %%
some_tokens = np.tile(np.arange(6.0), (1, 3, 1))
names = ["cats", "chase", "mice"]

with plots.once_written():
    yours = split_heads(some_tokens, 3)[0]
    torn = some_tokens.reshape(1, 3, 3, 2)[0]
    for title, heads in (("split", yours), ("a reshape alone", torn)):
        plots.heatmaps(
            list(heads),
            names,
            ["", ""],
            [f"{title}: head {h}" for h in range(3)],
            row_label="token",
            column_label="in the head",
            colour_label="feature",
        )

# %% [markdown]
# ## 2. And back

# %%
# {{ question: merge_heads }}

# %% [markdown]
# ## 3. All heads at once
#
# A helper of your own. It is not graded, and you may do without it.

# %%
# {{ code: attend }}

# %%
# {{ question: multihead_attention }}

# %% [markdown]
# ### Three heads look at a sentence
#
# The first six features of a token say *which word* it is, the next six *where* it stands. The weights are
# made by hand: head 0 looks **one token back**, head 1 for **the same word**, head 2 at **the first
# token**. Values and `W_o` are chosen so that the output of a head is its matrix of weights. In the second
# row the causal mask is on: who looked ahead has to look elsewhere.

# %%
words = ["the", "cat", "saw", "the", "other", "cat"]
vocabulary = sorted(set(words))
sentence = np.zeros((1, 6, 18))
sentence[0, range(6), [vocabulary.index(word) for word in words]] = 1
sentence[0, range(6), range(6, 12)] = 1
WORD, PLACE = np.eye(18)[:, :6], np.eye(18)[:, 6:12]
first = np.zeros((18, 6))
first[6:12, 0] = 1
for_queries = np.hstack((PLACE, WORD, first)) * 10
for_keys = np.hstack((PLACE @ np.roll(np.eye(6), 1, axis=1), WORD, PLACE))
for_values = np.hstack((PLACE, PLACE, PLACE))

with plots.once_written():
    for allowed, suffix in ((None, ""), (np.tri(6, dtype=bool), ", causal")):
        found = multihead_attention(sentence, for_queries, for_keys, for_values, np.eye(18), 3, allowed)[0]
        plots.heatmaps(
            [found[:, :6], found[:, 6:12], found[:, 12:]],
            words,
            words,
            [title + suffix for title in ("one back", "same word", "the first")],
        )

# %% [markdown]
# ## 4. Shared keys and values

# %%
# {{ question: grouped_query_attention }}

# %% [markdown]
# ### What sharing costs
#
# Ainslie et al. turn a trained model into one with fewer key heads by taking the mean of the key heads in
# each group, and of the value heads. Here eight random heads are merged in this way, to 4, 2 and 1. Their
# outputs move away from those of all eight, which is why such a model is trained a little longer
# afterwards. Where neighbouring heads are alike, as in the second curve, less is lost.

# %%
rng = np.random.default_rng(8)
FEATURES, HEADS, counts = 64, 8, [1, 2, 4, 8]
some_tokens = rng.normal(size=(4, 12, FEATURES))
random_q, random_o = (rng.normal(size=(FEATURES, FEATURES)) / 8 for _ in range(2))


def grouped_means(W, fewer):
    """The mean of the heads' columns in each group."""
    groups = W.reshape(FEATURES, fewer, HEADS // fewer, FEATURES // HEADS)
    return groups.mean(axis=2).reshape(FEATURES, -1)


with plots.once_written():
    curves = {}
    for name, own in (("heads of their own", 1.0), ("alike within each half", 0.3)):
        common = np.repeat(rng.normal(size=(2, FEATURES, 2, 1, 8)), 4, axis=3)
        both = (1 - own) * common + own * rng.normal(size=(2, FEATURES, 2, 4, 8))
        keys, values = both.reshape(2, FEATURES, FEATURES) / 8
        full = multihead_attention(some_tokens, random_q, keys, values, random_o, HEADS)
        curves[name] = []
        for n in counts:
            shared = (grouped_means(keys, n), grouped_means(values, n))
            output = grouped_query_attention(some_tokens, random_q, *shared, random_o, HEADS, n)
            curves[name].append(np.linalg.norm(output - full) / np.linalg.norm(full))
    plots.lines(
        counts,
        curves,
        "Fewer key and value heads",
        "key and value heads",
        "change of the output",
        logarithmic=True,
    )

# %%
# {{ answers }}

# %% [markdown]
# {{ hand_in }}
