# %% [markdown]
# # A tiny language model
#
# A language model reads the beginning of a text and says what may come next. Then one draws, appends what was
# drawn, and asks again. Here texts are names, and tokens are letters, so that a model learns within a second.
# You have written most of its parts already; at the end it writes names, most of which it has never read.

# %%
# {{ setup }}

# %% [markdown]
# These are the names to learn from, and the softmax of hw1.

# %%
# {{ code: known_names }}

# %%
# {{ code: softmax }}

# %% [markdown]
# ## 1. Names as rows of ids

# %%
# {{ question: encode_names }}

# %% [markdown]
# ## 2. How surprised is the model?

# %%
# {{ question: cross_entropy }}

# %% [markdown]
# ## 3. Back through a softmax

# %%
# {{ question: softmax_backward }}

# %% [markdown]
# A gradient can always be checked with numbers: move one score a little to both sides, and see how the loss
# changes. Both panels should look alike.

# %%
with plots.once_written():
    scores = np.array([1.0, 0.0, 2.0, -1.0])
    grad_weights = np.array([1.0, 3.0, -2.0, 0.5])
    h = 1e-5
    slopes = []
    for step in h * np.eye(4):
        higher = softmax(scores + step) @ grad_weights
        lower = softmax(scores - step) @ grad_weights
        slopes.append((higher - lower) / (2 * h))
    by_hand = softmax_backward(softmax(scores), grad_weights)
    gradients_of_scores = {"by formula": by_hand, "by differences": slopes}
    plots.bars(gradients_of_scores, "The gradient for four scores", "score", "gradient")

# %% [markdown]
# ## 4. One causal block

# %%
# {{ question: causal_block }}

# %% [markdown]
# ## 5. Training
#
# The two functions here are complete. `gradients` walks the model backwards: nearly all of it is products, and
# the only step that is more than that is your `softmax_backward`.

# %%
# {{ code: predict }}

# %%
# {{ code: gradients }}

# %%
# {{ question: train }}

# %% [markdown]
# ## 6. Sampling

# %%
# {{ question: sample }}

# %% [markdown]
# ## 7. New names

# %%
# {{ code: new_parameters }}

# %%
# {{ code: draw_batches }}

# %%
# {{ code: write_names }}

# %% [markdown]
# It takes less than a second to learn. A loss of 3.3 is that of a model that knows nothing.

# %%
with plots.once_written():
    alphabet = ".abcdefghijklmnopqrstuvwxyz"
    names = known_names()
    inputs, targets = map(np.asarray, encode_names(names, alphabet))
    parameters = new_parameters(len(alphabet), inputs.shape[1])
    batches = draw_batches(len(names))
    losses = []
    for start in range(0, 300, 10):
        loss, _ = cross_entropy(predict(parameters, inputs), targets)
        losses.append(loss)
        parameters = train(parameters, inputs, targets, batches[start : start + 10], 0.5)
    plots.lines(range(0, 300, 10), {"all names": losses}, "Learning", "step", "cross-entropy")

    # Now it writes. Change the temperature, or let only the three likeliest letters through.
    draws = np.random.default_rng(2).random((10, inputs.shape[1]))
    for temperature in (0.3, 0.8, 1.5):
        print(temperature, *write_names(parameters, draws, temperature))
    print("top 3", *write_names(parameters, draws, 1.0, top_k=3))

# %%
# {{ answers }}

# %% [markdown]
# {{ hand_in }}
