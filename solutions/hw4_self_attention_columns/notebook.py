# %% [markdown]
# # Self-attention, one token per column
#
# Many texts write a token as a *column*, so that weights stand on the left of what they act on. Nothing
# changes but the side on which everything happens, and that is exactly where programs go wrong. You write
# self-attention three times: token by token, for all tokens at once, and with scaled scores. Then you find
# out what the order of the tokens has to do with their outputs.
#
# The notation is that of S. J. D. Prince, *Understanding Deep Learning* (MIT Press), sections 12.2 and
# 12.3.2. The handout beside this notebook has a table of all shapes.

# %%
# {{ setup }}

# %% [markdown]
# ## 1. The softmax of one query's scores

# %%
# {{ question: softmax }}

# %% [markdown]
# ## 2. One token at a time

# %%
# {{ question: self_attention_per_token }}

# %% [markdown]
# ## 3. All tokens at once

# %%
# {{ question: self_attention }}

# %% [markdown]
# ## 4. With scaled scores

# %%
# {{ question: scaled_dot_product_self_attention }}

# %% [markdown]
# ### Make the weights visible
#
# Your functions return outputs, not weights. A trick brings the weights to light: choose `omega_v` so that
# the values are the columns of the identity. The output is then $V A = A$, the weights themselves. Column
# *n* shows how token *n* shares out its attention, so here each **column** sums to 1.

# %%
names = ["red", "green", "blue", "dark", "light"]
rng = np.random.default_rng(5)
tokens = rng.normal(size=(5, 5))
omegas = [rng.normal(size=(5, 5)) for _ in range(2)]
betas = [np.zeros((5, 1)) for _ in range(3)]

with plots.once_written():
    # With these value weights, the values are the identity.
    inverse = np.linalg.inv(tokens)
    unscaled = self_attention(tokens, inverse, *omegas, *betas)
    scaled = scaled_dot_product_self_attention(tokens, inverse, *omegas, *betas)
    revealed = [unscaled, scaled]
    plots.heatmaps(revealed, names, names, ["not scaled", "scaled"], row_label="key", column_label="query")

# %% [markdown]
# ### Change the order
#
# The same tokens again, once as they are and once in reverse order. Before you run the cell, say what you
# expect of the second picture. The third one is the difference between the second and the first with its
# columns in reverse order.

# %%
with plots.once_written():
    omega_v = rng.normal(size=(5, 5))
    in_order = scaled_dot_product_self_attention(tokens, omega_v, *omegas, *betas)
    reversed_tokens = tokens[:, ::-1].copy()
    reversed_order = scaled_dot_product_self_attention(reversed_tokens, omega_v, *omegas, *betas)
    difference = reversed_order - in_order[:, ::-1]
    plots.heatmaps(
        [in_order, reversed_order, difference],
        [f"row {row}" for row in range(5)],
        ["1st", "2nd", "3rd", "4th", "5th"],
        ["in order", "reversed", "difference"],
        row_label="",
        column_label="column of the output",
        colour_label="output",
    )

# %%
# {{ answers }}

# %% [markdown]
# {{ hand_in }}
