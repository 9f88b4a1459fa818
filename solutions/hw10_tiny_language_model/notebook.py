# %% [markdown]
# # Tiny language model
#
# A row of numbers says how well each column fits. Shares that sum to 1 say how much each one gets.
# {# REPLACE: the story, and the picture below. Students do not see this mark. #}

# %%
# {{ setup }}

# %% [markdown]
# ## 1. `encode_names`

# %%
# {{ question: encode_names }}

# %% [markdown]
# ## 2. `cross_entropy`

# %%
# {{ question: cross_entropy }}

# %% [markdown]
# ## 3. `softmax_backward`

# %%
# {{ question: softmax_backward }}

# %% [markdown]
# ## 4. `causal_block`

# %%
# {{ question: causal_block }}

# %% [markdown]
# ## 5. `train`

# %%
# {{ question: train }}

# %% [markdown]
# ## 6. `sample`

# %%
# {{ question: sample }}

# %% [markdown]
# ### See it
#
# Each row gives one whole away. Change a number and run the cell again.

# %%
with plots.once_written():
    numbers = np.array([[2.0, 1.0, 0.0], [0.0, 0.0, 0.0]])
    plots.heatmaps([encode_names(numbers)], ["cat", "dog"], ["sat", "on", "mats"], ["shares"])

# %%
# {{ answers }}

# %% [markdown]
# {{ hand_in }}
