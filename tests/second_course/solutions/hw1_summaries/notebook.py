# %% [markdown]
# # Summaries

# %%
# {{ setup }}

# %% [markdown]
# ## 1. Without the extremes

# %%
# {{ question: trimmed_mean }}

# %% [markdown]
# ## 2. Letters

# %%
# {{ question: letter_counts }}

# %%
with plots.once_written():
    plots.bars({"Anna and Ben": letter_counts("Anna and Ben")}, "Letters", "letter", "count")

# %%
# {{ answers }}

# %% [markdown]
# {{ hand_in }}
