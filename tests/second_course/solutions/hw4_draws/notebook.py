# %% [markdown]
# # Draws

# %%
# {{ setup }}

# %% [markdown]
# ## 1. Places

# %%
# {{ question: draw }}

# %% [markdown]
# ## 2. Times

# %%
# {{ question: wait }}

# %% [markdown]
# {{ hand_in }}
