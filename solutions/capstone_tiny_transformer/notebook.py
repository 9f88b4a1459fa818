# %% [markdown]
# # A tiny Transformer of your own
#
# You have all the parts. Here they become a decoder that learns to reverse, to sort and to copy, within
# seconds on a plain processor, and you can watch it learn. The handout says how it is graded.
#
# Paste what you bring from earlier homeworks into the next cells: only this notebook is handed in.

# %%
# {{ setup }}

# %% [markdown]
# ## 1. The model
#
# `Attention` and `Block` are a proposal: divide the model as you like.

# %%
# {{ code: Attention }}

# %%
# {{ code: Block }}

# %% [markdown]
# The model takes a whole sequence, or what comes next, with the cache that it returned before.

# %%
# {{ question: TinyTransformer }}

# %% [markdown]
# ## 2. Learning
#
# At each token the model predicts the next one; within the answer, this is compared with what follows.

# %%
# {{ code: train }}

# %%
# {{ code: generate }}

# %%
# {{ question: solve }}

# %% [markdown]
# ### Three tasks, three curves
#
# Below, one model for each task learns from 2,000 pairs. Guessing costs ln 6, about 1.8. Which task is
# learned first, and where does the loss stand still for a while before it falls?


# %%
import functools

KINDS = ("copy", "reverse", "sort")


def pairs(kind, count, symbols=6, length=6):
    """Return questions with their answers, in symbols of a shuffled order."""
    order = torch.randperm(symbols)
    questions = torch.randint(symbols, (count, length))
    answers = {
        "copy": order[questions],
        "reverse": order[questions.flip(1)],
        "sort": order[order.argsort()[questions].sort(dim=1).values],
    }[kind]
    return torch.cat([questions, torch.full((count, 1), symbols), answers], dim=1)


@functools.cache
def learned(kind):
    """Return a model that has learned a task, and its losses."""
    torch.manual_seed(4)
    model = TinyTransformer(vocab_size=7, max_length=13)
    return model, torch.tensor(train(model, pairs(kind, 2000), n_prompt=7))


with plots.once_written():
    curves = {}
    for kind in KINDS:
        _, losses = learned(kind)
        curves[kind] = losses.unfold(0, 10, 10).mean(dim=1).tolist()  # the mean of ten steps
    steps = range(5, 10 * len(curves["copy"]), 10)
    plots.lines(steps, curves, "What the model does not know yet", "step", "loss")

# %% [markdown]
# ### Where each answer comes from
#
# Change one symbol of the question, and see how far each token of the answer is moved: a picture that any
# model has, whatever its attention is made of. Which pattern do you expect for *reverse*, which for *sort*?


# %%
@torch.no_grad()
def influence(model, sequences, length=6):
    """Return how far each answer's logits move when a symbol of the question changes, (answer, question)."""
    moved = torch.zeros(length, length)
    before = model(sequences[:, :-1])[0].log_softmax(dim=-1)
    for place in range(length):
        changed = sequences.clone()
        changed[:, place] = (changed[:, place] + 1) % 6
        after = model(changed[:, :-1])[0].log_softmax(dim=-1)
        moved[:, place] = (after - before).abs().mean(dim=(0, 2))[length:]
    return moved / moved.sum(dim=1, keepdim=True)


with plots.once_written():
    places = range(1, 7)
    plots.heatmaps(
        [influence(learned(kind)[0].eval(), pairs(kind, 200)) for kind in KINDS],
        places,
        places,
        KINDS,
        row_label="token of the answer",
        column_label="token of the question",
        colour_label="share of the change",
    )

# %% [markdown]
# ### Shorter than ever seen
#
# All questions had six symbols. What does the model that reverses answer to four? It has never seen a
# separator at that place. Try it once more with other positions.

# %%
with plots.once_written():
    asked, (model, _) = torch.tensor([[0, 1, 2, 3, 6]]), learned("reverse")
    print("question 0 1 2 3, answer", *generate(model, asked, 4)[0].tolist())

# %% [markdown]
# {{ hand_in }}
