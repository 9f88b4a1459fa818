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
    split = split_heads(some_tokens, 3)[0]
    reshaped = some_tokens.reshape(1, 3, 3, 2)[0]
    for title, heads in (("split", split), ("a reshape alone", reshaped)):
        titles = []
        for h in range(3):
            titles.append(f"{title}: head {h}")
        plots.heatmaps(
            list(heads),
            names,
            ["", ""],
            titles,
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
for n, word in enumerate(words):
    feature_of_word = vocabulary.index(word)
    feature_of_place = 6 + n
    sentence[0, n, feature_of_word] = 1
    sentence[0, n, feature_of_place] = 1

# What picks six features of a token: its word, its place, the place after it, and always the first place.
identity = np.eye(18)
WORD = identity[:, :6]
PLACE = identity[:, 6:12]
NEXT_PLACE = np.roll(PLACE, 1, axis=1)
FIRST_PLACE = np.zeros((18, 6))
FIRST_PLACE[6:12, 0] = 1
for_queries = 10 * np.hstack((PLACE, WORD, FIRST_PLACE))
for_keys = np.hstack((NEXT_PLACE, WORD, PLACE))
for_values = np.hstack((PLACE, PLACE, PLACE))

with plots.once_written():
    causal = np.tri(6, dtype=bool)
    for mask, suffix in ((None, ""), (causal, ", causal")):
        output = multihead_attention(
            sentence,
            for_queries,
            for_keys,
            for_values,
            identity,
            3,
            mask,
        )
        weights_of_heads = np.hsplit(output[0], 3)
        titles = []
        for title in ("one back", "same word", "the first"):
            titles.append(title + suffix)
        plots.heatmaps(weights_of_heads, words, words, titles)

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
FEATURES = 64
HEADS = 8
counts = [1, 2, 4, 8]
some_tokens = rng.normal(size=(4, 12, FEATURES))
square = (FEATURES, FEATURES)
random_q = rng.normal(size=square) / 8
random_o = rng.normal(size=square) / 8


def grouped_means(W, n_groups):
    """The mean of the heads' columns in each group."""
    heads_per_group = HEADS // n_groups
    columns_of_head = FEATURES // HEADS
    groups = W.reshape(FEATURES, n_groups, heads_per_group, columns_of_head)
    means = groups.mean(axis=2)
    return means.reshape(FEATURES, n_groups * columns_of_head)


with plots.once_written():
    curves = {}
    for name, difference in (("heads of their own", 1.0), ("alike within each half", 0.3)):
        # The weights of keys and of values: two halves of four heads, with eight columns for each head.
        of_each_half = rng.normal(size=(2, FEATURES, 2, 1, 8))
        of_each_head = rng.normal(size=(2, FEATURES, 2, 4, 8))
        weights = (1 - difference) * of_each_half + difference * of_each_head
        for_keys, for_values = weights.reshape(2, FEATURES, FEATURES) / 8
        output = multihead_attention(some_tokens, random_q, for_keys, for_values, random_o, HEADS)
        changes = []
        for n in counts:
            shared_keys = grouped_means(for_keys, n)
            shared_values = grouped_means(for_values, n)
            shared_output = grouped_query_attention(
                some_tokens, random_q, shared_keys, shared_values, random_o, HEADS, n
            )
            change = np.linalg.norm(shared_output - output)
            relative_change = change / np.linalg.norm(output)
            changes.append(relative_change)
        curves[name] = changes
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
