# %% [markdown]
# # Scaled dot-product attention
#
# A dictionary finds the value of the one key that equals the question. Attention is a *soft* dictionary: it
# finds a little of every value, most of those whose keys come close to the question. Being soft, it has
# gradients, so a model can learn what to ask and what to offer.
#
# $$\operatorname{Attention}(Q, K, V) = \operatorname{softmax}\!\left(\frac{QK^\top}{\sqrt{d_k}}\right) V$$
#
# The formula is that of Vaswani et al., *Attention Is All You Need* (2017), section 3.2.1. The handout beside
# this notebook has a table of all shapes.

# %%
# {{ setup }}

# %% [markdown]
# ## 1. The softmax

# %%
# {{ question: softmax }}

# %% [markdown]
# ### See what scaling does
#
# One random query meets eight random keys. In each panel the bars are the weights of the eight keys. Above,
# the scores go into your softmax as they are; below, divided by $\sqrt{d_k}$ first.

# %%
rng = np.random.default_rng(4)

with plots.once_written():
    unscaled = {}
    scaled = {}
    for d_k in (4, 64, 1024):
        query = rng.normal(size=(1, d_k))
        keys = rng.normal(size=(8, d_k))
        scores = query @ keys.T  # one row
        unscaled[f"d_k = {d_k}"] = softmax(scores)[0]
        scaled[f"d_k = {d_k}"] = softmax(scores / np.sqrt(d_k))[0]
    plots.bars(unscaled, "Scores as they are", "key", "weight")
    plots.bars(scaled, "Scores divided by the square root of d_k", "key", "weight")

# %% [markdown]
# ## 2. Attention

# %%
# {{ question: scaled_dot_product_attention }}

# %% [markdown]
# ### A soft dictionary
#
# Two entries: key (1, 0) with value 0, and key (0, 1) with value 1. The question turns from the first key to
# the second. The longer the vectors, the larger the scores, and the harder the switch between the two
# values: a real dictionary is the limit.

# %%
angles = np.linspace(0, np.pi / 2, 60)
directions = np.stack((np.cos(angles), np.sin(angles)), axis=1)
values = np.array([[0.0], [1.0]])

with plots.once_written():
    answers_by_length = {}
    for length in (1, 3, 10):
        queries = length * directions
        keys = length * np.eye(2)
        _, context = scaled_dot_product_attention(queries, keys, values)
        answers_by_length[f"vectors of length {length}"] = context[:, 0]
    plots.lines(
        np.degrees(angles),
        answers_by_length,
        "From one value to the other",
        "direction of the query, in degrees",
        "context vector",
    )

# %% [markdown]
# ### Who looks at whom
#
# Two queries against a sentence of five keys. The vectors are made by hand: their numbers say how much a word
# is about a *place*, a *person* and a *time*. Which word answers "where?", and which one "when?"?

# %%
sentence = ["Ada", "came", "home", "last", "night"]
about = np.array(
    [
        [0, 4, 0],
        [1, 0, 0],
        [4, 1, 0],
        [0, 0, 2],
        [0, 0, 4],
    ],
    dtype=float,
)
questions = np.array([[2, 0, 0], [0, 0, 2]], dtype=float)

with plots.once_written():
    weights, context = scaled_dot_product_attention(questions, about, about)
    plots.heatmaps([weights], ["where?", "when?"], sentence, ["attention weights"])
    parts = ["place", "person", "time"]
    plots.heatmaps(
        [context], ["where?", "when?"], parts, ["context vectors"], column_label="part", colour_label="amount"
    )

# %%
# {{ answers }}

# %% [markdown]
# {{ hand_in }}
