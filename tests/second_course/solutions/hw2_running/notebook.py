# %% [markdown]
# # Running numbers

# %%
# {{ setup }}

# %% [markdown]
# ## 1. A mean of all rows so far

# %%
# {{ question: RunningMean }}

# %% [markdown]
# ## 2. Downhill

# %%
# {{ question: Momentum }}

# %% [markdown]
# {{ hand_in }}
