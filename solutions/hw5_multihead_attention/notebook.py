# %% [markdown]
# # Multi-head self-attention
#
# One head shares out each token's attention once, so it can follow one kind of relation. Two heads follow
# two: one may look at the word before, while the other looks for the same word elsewhere. Here you write two
# heads side by side, and then look at what each of them attends to.
#
# Tokens are columns, as in S. J. D. Prince, *Understanding Deep Learning* (MIT Press), section 12.3.3. The
# handout beside this notebook has a table of all shapes.

# %%
# {{ setup }}

# %% [markdown]
# ## 1. A softmax for each column

# %%
# {{ question: softmax_cols }}

# %% [markdown]
# ## 2. One head
#
# A helper of your own. It is not graded, and you may do without it.

# %%
# {{ code: attention_head }}

# %% [markdown]
# ## 3. Two heads, stacked and recombined

# %%
# {{ question: multihead_scaled_self_attention }}

# %% [markdown]
# ### What each head attends to
#
# A sentence of six tokens. The upper half of a token's vector says *which word* it is, the lower half
# *where* it stands. The weights are made by hand:
#
# - head 1 compares the place of a key with the place before the query's: it looks **one token back**;
# - head 2 compares words with words: it looks for **the same word**.
#
# The values are chosen so that the output of a head is its matrix of weights. Each column shows how one token
# shares out its attention. One head could draw either picture, but not both.

# %%
words = ["the", "cat", "saw", "the", "other", "cat"]
vocabulary = sorted(set(words))
which_word = np.zeros((6, 6))
for n, word in enumerate(words):
    which_word[vocabulary.index(word), n] = 1
where = np.eye(6)
sentence = np.vstack((which_word, where))

nothing = np.zeros((6, 6))
no_biases = [np.zeros((6, 1))] * 3
identity = np.eye(6)
to_word = np.hstack((identity, nothing))
to_place = np.hstack((nothing, identity))
to_place_before = np.roll(to_place, -1, axis=0)
# The weights of values, queries and keys; the values are always the place, so that outputs are the weights.
one_back = (to_place, 8 * to_place_before, to_place, *no_biases)
same_word = (to_place, 8 * to_word, to_word, *no_biases)

with plots.once_written():
    both = multihead_scaled_self_attention(sentence, *one_back, *same_word, np.eye(12))
    plots.heatmaps(
        [both[:6], both[6:]],
        words,
        words,
        ["head 1: one token back", "head 2: the same word"],
        row_label="key",
        column_label="query",
    )

# %% [markdown]
# ### The last matrix mixes the heads
#
# `omega_c` decides what becomes of the findings. Here it adds half of head 1 to half of head 2, so that every
# token hears of the token before it *and* of its namesakes.

# %%
with plots.once_written():
    half_of_each = np.hstack((identity / 2, identity / 2))
    omega_c = np.vstack((half_of_each, half_of_each))
    mixed = multihead_scaled_self_attention(sentence, *one_back, *same_word, omega_c)
    plots.heatmaps([mixed[:6]], words, words, ["half of each head"], row_label="key", column_label="query")

# %% [markdown]
# {{ hand_in }}
