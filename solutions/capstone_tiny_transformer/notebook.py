# %% [markdown]
# # A tiny Transformer of your own
#
# You have all the parts. Here they become a decoder that learns to reverse, to sort and to copy, within
# seconds on a plain processor, and you can watch it learn. The handout says how it is graded.
#
# Paste what you bring from earlier homeworks into the next cells: only this notebook is handed in.

# %%
# {{ setup }}

# %%
torch.set_num_threads(1)  # a model as small as this one learns faster on one core than on several

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
KINDS = ("copy", "reverse", "sort")
KNOWN = {}


def pairs(kind, count, symbols=6, length=6):
    """Return questions with their answers, in symbols of a shuffled order."""
    order = torch.randperm(symbols)
    questions = torch.randint(symbols, (count, length))
    if kind == "copy":
        answers = order[questions]
    elif kind == "reverse":
        answers = order[questions.flip(1)]
    else:
        rank = order.argsort()
        sorted_ranks, _ = rank[questions].sort(dim=1)
        answers = order[sorted_ranks]
    separators = torch.full((count, 1), symbols)
    return torch.cat([questions, separators, answers], dim=1)


def learned(kind):
    """Return a model that has learned a task, and its losses."""
    if kind not in KNOWN:
        torch.manual_seed(4)
        model = TinyTransformer(vocab_size=7, max_length=13)
        sequences = pairs(kind, 2000)
        losses = train(model, sequences, n_prompt=7)
        KNOWN[kind] = (model, torch.tensor(losses))
    return KNOWN[kind]


with plots.once_written():
    curves = {}
    for kind in KINDS:
        _, losses = learned(kind)
        tens_of_steps = losses.unfold(0, 10, 10)
        curves[kind] = tens_of_steps.mean(dim=1).tolist()
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
    logits, _ = model(sequences[:, :-1])
    before = logits.log_softmax(dim=-1)
    for place in range(length):
        changed = sequences.clone()
        changed[:, place] = (changed[:, place] + 1) % 6
        logits, _ = model(changed[:, :-1])
        after = logits.log_softmax(dim=-1)
        change_by_token = (after - before).abs().mean(dim=(0, 2))
        moved[:, place] = change_by_token[length:]
    return moved / moved.sum(dim=1, keepdim=True)


with plots.once_written():
    places = range(1, 7)
    maps = []
    for kind in KINDS:
        trained, _ = learned(kind)
        maps.append(influence(trained.eval(), pairs(kind, 200)))
    plots.heatmaps(
        maps,
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
# separator at that place. Try `generate(learned("reverse")[0], torch.tensor([[0, 1, 2, 3, 6]]), 4)`, and once
# more with other positions.

# %% [markdown]
# {{ hand_in }}
