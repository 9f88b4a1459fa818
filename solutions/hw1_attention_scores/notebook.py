# %% [markdown]
# # Attention scores
#
# Six words of a sentence want to know about each other. Each word holds three things: a **query** (what it
# looks for), a **key** (what it has to offer) and a **value** (what it passes on). In this notebook you turn
# queries and keys into weights, and use the weights to mix the values, one small step at a time:
#
# $$\operatorname{softmax}\!\left(\frac{QK^\top}{\sqrt{d_k}}\right) V$$
#
# The formula is that of Vaswani et al., *Attention Is All You Need* (2017), section 3.2.1. The handout beside
# this notebook has a table of all shapes.

# %%
# {{ setup }}

# %% [markdown]
# ## 1. How well does each query fit each key?
#
# A dot product is large where two vectors point the same way. One matrix product gives all of them at once.

# %%
# {{ question: qk_scores }}

# %% [markdown]
# ## 2. Keep the scores in bounds
#
# The more numbers a key has, the wider its dot products spread. Undo that.

# %%
# {{ question: scale_scores }}

# %% [markdown]
# ## 3. From scores to weights
#
# Each query has one unit of attention to give away. The softmax shares it out, most to the best key.

# %%
# {{ question: softmax }}

# %% [markdown]
# ### See what scaling does
#
# Below, random queries meet eight random keys, in more and more dimensions. The curves show how much of its
# attention a query gives to its favourite key, on average. A value of 1 means that all other keys are
# ignored, and then almost no gradient reaches them: the model cannot learn that it should have looked
# elsewhere.

# %%
dimensions = [2, 4, 8, 16, 32, 64, 128, 256, 512]
rng = np.random.default_rng(7)

with plots.once_written():
    without_scaling = []
    with_scaling = []
    for d_k in dimensions:
        queries = rng.normal(size=(200, d_k))
        keys = rng.normal(size=(8, d_k))
        scores = qk_scores(queries, keys)
        weights = softmax(scores)
        scaled_weights = softmax(scale_scores(scores, d_k))
        # The favourite of a query is the key with its largest weight.
        without_scaling.append(weights.max(axis=1).mean())
        with_scaling.append(scaled_weights.max(axis=1).mean())
    plots.lines(
        dimensions,
        {"without scaling": without_scaling, "divided by the square root of d_k": with_scaling},
        "One key takes everything, unless scores are scaled",
        "dimension of the keys, d_k",
        "mean weight of the favourite key",
        logarithmic=True,
    )

# %% [markdown]
# ## 4. Mix the values

# %%
# {{ question: attention_output }}

# %% [markdown]
# ## 5. All four steps in a row

# %%
# {{ question: attention_flow }}

# %% [markdown]
# ### Look at a sentence
#
# These vectors are made by hand, so that you can tell what should happen. The four numbers of a key say how
# much a word is an article, a size, an animal, an action; those of a query say what the word looks for. Here
# articles, sizes and the verb look for animals, and animals look for sizes and actions. Find the row of
# *chased*: which words does it attend to? Then change a query and run the cell again.

# %%
words = ["the", "small", "cat", "chased", "a", "mouse"]
what_it_is = np.array(
    [
        [3, 0, 0, 0],
        [0, 3, 0, 0],
        [0, 1, 3, 0],
        [0, 0, 0, 3],
        [3, 0, 0, 0],
        [0, 2, 3, 0],
    ],
    dtype=float,
)
what_it_wants = np.array(
    [
        [0, 0, 2, 0],
        [0, 0, 2, 0],
        [0, 2, 0, 1],
        [0, 0, 3, 0],
        [0, 0, 2, 0],
        [0, 2, 0, 1],
    ],
    dtype=float,
)

with plots.once_written():
    scores, _, weights, _ = attention_flow(what_it_wants, what_it_is, np.eye(6))
    unscaled_weights = softmax(scores)
    plots.heatmaps(
        [unscaled_weights, weights], words, words, ["not scaled", "scaled"], "query", "key", "weight"
    )

# %% [markdown]
# Each row sums to 1. The two pictures rank the keys in the same order, but scaling leaves something for the
# words that came second.
#
# {{ hand_in }}
