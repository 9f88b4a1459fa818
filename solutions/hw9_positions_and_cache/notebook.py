# %% [markdown]
# # Positions and the key-value cache
#
# Attention looks at a set: shuffle the tokens, and nothing but the order of the outputs changes. So positions
# have to be put in: added as sines and cosines, or turned into queries and keys. The second half is about
# running a model: keep keys and values that will be needed again, and hold no score matrix that does not fit.

# %%
# {{ setup }}

# %% [markdown]
# ## 1. Sines and cosines

# %%
# {{ question: sinusoidal_positions }}

# %% [markdown]
# Each row is a position. Like the hands of a clock, columns move fast on the left and slowly on the right.

# %%
with plots.once_written():
    n = 12
    d_model = 16
    encodings = sinusoidal_positions(n, d_model)
    plots.heatmaps([encodings], range(n), range(d_model), ["encodings"], "position", "column", "value")

# %% [markdown]
# ## 2. Rotary positions

# %%
# {{ question: apply_rope }}

# %% [markdown]
# A query at position m meets the same key at positions 0 to 40. Wherever the query stands, its curve has the
# same form: only the distance counts. Change `base` and see how far the peak reaches.

# %%
with plots.once_written():
    places = np.arange(41)
    vector = np.ones((1, 32))
    same_vectors = np.repeat(vector, 41, axis=0)
    keys = apply_rope(same_vectors, places)
    curves = {}
    for place in (5, 20, 35):
        query = apply_rope(vector, np.array([place]))[0]
        scores = keys @ query
        curves[f"query at {place}"] = scores / 32
    plots.lines(places, curves, "Scores of rotated vectors", "position of the key", "score / d")

# %% [markdown]
# ## 3. One step with a cache

# %%
# {{ question: attend_one_step }}

# %% [markdown]
# ## 4. Block by block

# %%
# {{ question: blockwise_attention }}

# %% [markdown]
# Two ways to the same numbers: a sequence token by token with a cache, and its last query against blocks. The
# bars are features of the last token's output; all panels should look alike.

# %%
with plots.once_written():
    rng = np.random.default_rng(1)
    Q, K, V = rng.normal(size=(3, 12, 6))
    cache_k = np.zeros((0, 6))
    cache_v = np.zeros((0, 6))
    for t in range(12):
        output, cache_k, cache_v = attend_one_step(Q[t], K[t], V[t], cache_k, cache_v)
    outputs = {"with a cache": output}
    last_query = Q[-1:]
    for size in (1, 5, 12):
        outputs[f"blocks of {size}"] = blockwise_attention(last_query, K, V, size)[0]
    plots.bars(outputs, "The last token's output", "feature", "value")

# %%
# {{ answers }}

# %% [markdown]
# {{ hand_in }}
