# %% [markdown]
# # Masked attention
#
# Attention lets every word look at every other one. Here you decide who may look where: a text is read from
# left to right, padding is overlooked, and a translation reads the sentence it translates. A mask is True
# where looking is allowed, and the softmax shares out each row among its allowed keys:
#
# $$A_{ij} = \frac{e^{s_{ij}}}{\sum_{l \,:\, M_{il}} e^{s_{il}}}, \quad s = \frac{QK^\top}{\sqrt{d_k}}$$
#
# The handout beside this notebook has a table of all shapes. Sections 3.2.1 and 3.2.3 of Vaswani et al.,
# *Attention Is All You Need* (2017), have the formulas.

# %%
# {{ setup }}

# %% [markdown]
# ## 1. Reading from left to right

# %%
# {{ question: causal_mask }}

# %% [markdown]
# ## 2. Sentences of different lengths

# %%
# {{ question: padding_mask }}

# %% [markdown]
# ### Look at the masks
#
# Two sentences in one batch, one of six words and one of three that is filled up. Here are the masks of the
# short one. Which cells are allowed by both masks, and where does
# the second sentence end?

# %%
short = ["dogs", "bark", "loudly", "–", "–", "–"]
lengths = np.array([6, 3])

with plots.once_written():
    causal = causal_mask(6)
    padding = padding_mask(lengths, 6)[1]  # of the short sentence: one row for all queries
    masks = [causal, np.repeat(padding, 6, axis=0), causal & padding]
    plots.heatmaps(masks, short, short, ["causal", "padding", "both"], colour_label="allowed")

# %% [markdown]
# ## 3. Shares among the allowed

# %%
# {{ question: masked_softmax }}

# %% [markdown]
# ### Where the hidden weight goes
#
# One query, six keys with the same scores in each panel. More and more keys are hidden, from the right. The
# bars that are left grow, all by the same factor: their sum stays 1.

# %%
with plots.once_written():
    row = np.array([[1.0, 0.2, 0.7, 1.6, 0.4, 2.2]])
    panels = {}
    for count in (6, 4, 2):
        mask = np.arange(6) < count
        panels[f"{count} of 6 allowed"] = masked_softmax(row, mask)[0]
    plots.bars(panels, "The allowed keys share what the hidden ones had", "key", "weight")

# %% [markdown]
# ## 4. Attention under a mask

# %%
# {{ question: masked_attention }}

# %% [markdown]
# ### The same words under three masks
#
# Each word is a random vector that asks and is asked. The scores are the same in all three maps. Find the row
# of *loudly*: whom does it look at in each of them? And what do the rows of the padding tokens look like?

# %%
rng = np.random.default_rng(5)
words = rng.normal(size=(6, 4))

with plots.once_written():
    anything = np.ones((6, 6), dtype=bool)
    padding = padding_mask(lengths, 6)[1]
    maps = []
    for mask in (anything, padding, causal_mask(6) & padding):
        weights, _ = masked_attention(words, words, words, mask)
        maps.append(weights)
    plots.heatmaps(maps, short, short, ["no mask", "padding", "causal and padding"])

# %% [markdown]
# ### Does the future leak?
#
# The last word of a sentence is exchanged for another one. The curves show how far the output of each place
# moves. Under the causal mask, nothing before the last place may notice.

# %%
with plots.once_written():
    changed = words.copy()
    changed[-1] = -words[-1]
    moved = {}
    for name, mask in (("no mask", anything), ("causal mask", causal_mask(6))):
        _, before = masked_attention(words, words, words, mask)
        _, after = masked_attention(changed, changed, changed, mask)
        moved[name] = np.linalg.norm(after - before, axis=-1)
    plots.lines(range(1, 7), moved, "Another last word, and who notices", "place", "change of the output")

# %% [markdown]
# ## 5. One sequence reads another

# %%
# {{ question: cross_attention }}

# %% [markdown]
# ### A translation looks back
#
# The English sentence asks, the German one is read, and their words stand in different orders. The vectors
# are made by hand: an English word asks for its meaning, a German one offers it. Values are one-hot, so that
# the output is the matrix of weights. English has fewer words: who reads *habe* and *gesehen*?

# %%
english = ["I", "saw", "the", "cat"]
german = ["ich", "habe", "die", "Katze", "gesehen"]
means = np.array([0, 1, 2, 3, 1])  # which English word a German one stands for

with plots.once_written():
    # A German word says what it means, and then where it stands.
    meanings = np.eye(4)[means]
    places = np.eye(5)
    offers = np.hstack((meanings, places))
    to_meaning = np.vstack((6 * np.eye(4), np.zeros((5, 4))))
    to_place = np.vstack((np.zeros((4, 5)), places))
    questions = np.eye(4)
    all_allowed = np.ones((4, 5), dtype=bool)
    nothing_about_gesehen = all_allowed & (np.arange(5) < 4)
    read = []
    for mask in (all_allowed, nothing_about_gesehen):
        read.append(cross_attention(questions, offers, np.eye(4), to_meaning, to_place, mask))
    plots.heatmaps(read, english, german, ["all is read", "gesehen is hidden"])

# %%
# {{ answers }}

# %% [markdown]
# {{ hand_in }}
