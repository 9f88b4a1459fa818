# %% [markdown]
# # Self-attention in NumPy and PyTorch
#
# In *self*-attention nobody hands you queries, keys and values: every token makes its own, with three weight
# matrices that the model learns. First you write each step with NumPy, where nothing is hidden. Then you
# write it once more with PyTorch, and train the matrices to do something useful.
#
# The formula is that of Vaswani et al., *Attention Is All You Need* (2017), section 3.2.1. The handout beside
# this notebook has a table of all shapes.

# %%
# {{ setup }}

# %% [markdown]
# ## 1. One input, three roles

# %%
# {{ question: project_qkv }}

# %% [markdown]
# ## 2. Every step by hand

# %%
# {{ question: self_attention_numpy }}

# %% [markdown]
# ### Before any training
#
# Five tokens. Half of a token's numbers say *what* it is, the other half *where* it stands. With random
# weight matrices, each row of the picture shows where one token looks: there is no pattern in it yet, only
# chance.

# %%
rng = np.random.default_rng(1)
places = ["1st", "2nd", "3rd", "4th", "5th"]
words = rng.normal(size=(5, 5))
five_tokens = np.hstack((words, 2 * np.eye(5)))
random_weights = [rng.normal(size=(10, size)) / 4 for size in (10, 10, 5)]

with plots.once_written():
    weights_before, _ = self_attention_numpy(five_tokens, *random_weights)
    plots.heatmaps([weights_before], places, places, ["random matrices"])

# %% [markdown]
# ## 3. The same in PyTorch, with gradients

# %%
# {{ question: self_attention_torch }}

# %% [markdown]
# ### Teach it to look one token back
#
# In each step of the training the tokens are new. Each of them should put out *what* the token before it is
# (and the first token, what the last one is). Gradient descent is told nothing about where to look, only how
# far the outputs are from the targets. Whether it can move all three matrices depends on your function:
# gradients must flow through it.
#
# In the last picture, the trained matrices look at the five tokens from above. Where is each row bright now?

# %%
with plots.once_written():
    torch.manual_seed(1)
    trained_weights = [torch.tensor(weight, requires_grad=True) for weight in random_weights]
    distances = []
    for _ in range(200):
        what = torch.randn(5, 5, dtype=torch.float64)
        where = 2 * torch.eye(5, dtype=torch.float64)
        inputs = torch.hstack((what, where))
        outputs = self_attention_torch(inputs, *trained_weights)
        targets = what.roll(1, dims=0)
        loss = ((outputs - targets) ** 2).mean()
        loss.backward()
        with torch.no_grad():
            for weight in trained_weights:
                weight -= 0.6 * weight.grad
                weight.grad = None
        distances.append(loss.item())
    plots.lines(
        range(1, 201),
        {"mean squared distance": distances},
        "Learning to look one token back",
        "step of training",
        "distance from the targets",
    )
    arrays = [weight.detach().numpy() for weight in trained_weights]
    weights_after, _ = self_attention_numpy(five_tokens, *arrays)
    plots.heatmaps([weights_before, weights_after], places, places, ["before training", "after training"])

# %% [markdown]
# {{ hand_in }}
