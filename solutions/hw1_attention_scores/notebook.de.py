# %% [markdown]
# # Attention-Scores
#
# Sechs Wörter eines Satzes wollen etwas übereinander wissen. Jedes Wort trägt dreierlei: eine **Query** (was es
# sucht), einen **Key** (was es anzubieten hat) und ein **Value** (was es weitergibt). In diesem Notebook machst du
# aus Queries und Keys Gewichte und mischst damit die Values, einen kleinen Schritt nach dem anderen:
#
# $$\operatorname{softmax}\!\left(\frac{QK^\top}{\sqrt{d_k}}\right) V$$
#
# Die Formel steht in Vaswani et al., *Attention Is All You Need* (2017), Abschnitt 3.2.1. Das Aufgabenblatt neben
# diesem Notebook hat eine Tabelle aller Formen.

# %%
# {{ setup }}

# %% [markdown]
# ## 1. Wie gut passt jede Query zu jedem Key?
#
# Ein Skalarprodukt ist groß, wenn zwei Vektoren in dieselbe Richtung zeigen. Ein einziges Matrixprodukt liefert alle
# auf einmal.

# %%
# {{ question: qk_scores }}

# %% [markdown]
# ## 2. Halte die Scores im Rahmen
#
# Je mehr Zahlen ein Key hat, desto weiter streuen seine Skalarprodukte. Mach das rückgängig.

# %%
# {{ question: scale_scores }}

# %% [markdown]
# ## 3. Von Scores zu Gewichten
#
# Jede Query hat eine Einheit Aufmerksamkeit zu vergeben. Der Softmax teilt sie auf, am meisten bekommt der beste Key.

# %%
# {{ question: softmax }}

# %% [markdown]
# ### Sieh dir an, was das Skalieren bewirkt
#
# Unten treffen zufällige Queries auf acht zufällige Keys, in immer mehr Dimensionen. Die Kurven zeigen, wie viel von
# ihrer Aufmerksamkeit eine Query im Mittel ihrem liebsten Key gibt. Ein Wert von 1 heißt, dass alle anderen Keys
# übergangen werden, und dann kommt bei ihnen fast kein Gradient mehr an: Das Modell kann nicht lernen, dass es
# woanders hätte hinsehen sollen.

# %%
dimensions = [2, 4, 8, 16, 32, 64, 128, 256, 512]
rng = np.random.default_rng(7)

with plots.once_written():
    without_scaling = []
    with_scaling = []
    for d_k in dimensions:
        queries = rng.normal(size=(200, d_k))
        keys = rng.normal(size=(8, d_k))
        scores = qk_scores(queries, keys)
        weights = softmax(scores)
        scaled_weights = softmax(scale_scores(scores, d_k))
        # Der liebste Key einer Query ist der mit ihrem größten Gewicht.
        without_scaling.append(weights.max(axis=1).mean())
        with_scaling.append(scaled_weights.max(axis=1).mean())
    plots.lines(
        dimensions,
        {"ohne Skalierung": without_scaling, "durch die Wurzel aus d_k geteilt": with_scaling},
        "Ein Key bekommt alles, wenn Scores nicht skaliert werden",
        "Dimension der Keys, d_k",
        "mittleres Gewicht des liebsten Keys",
        logarithmic=True,
    )

# %% [markdown]
# ## 4. Mische die Values

# %%
# {{ question: attention_output }}

# %% [markdown]
# ## 5. Alle vier Schritte hintereinander

# %%
# {{ question: attention_flow }}

# %% [markdown]
# ### Sieh dir einen Satz an
#
# Diese Vektoren sind von Hand gemacht, sodass du sagen kannst, was geschehen soll. Die vier Zahlen eines Keys sagen, wie
# sehr ein Wort ein Artikel, eine Größe, ein Tier, eine Handlung ist; die einer Query sagen, was das Wort sucht. Hier
# suchen Artikel, Größen und das Verb nach Tieren, und Tiere suchen nach Größen und Handlungen. Suche die Zeile von
# *jagte*: Auf welche Wörter achtet es? Ändere dann eine Query und führe die Zelle noch einmal aus.

# %%
words = ["die", "kleine", "Katze", "jagte", "eine", "Maus"]
what_it_is = np.array(
    [
        [3, 0, 0, 0],
        [0, 3, 0, 0],
        [0, 1, 3, 0],
        [0, 0, 0, 3],
        [3, 0, 0, 0],
        [0, 2, 3, 0],
    ],
    dtype=float,
)
what_it_wants = np.array(
    [
        [0, 0, 2, 0],
        [0, 0, 2, 0],
        [0, 2, 0, 1],
        [0, 0, 3, 0],
        [0, 0, 2, 0],
        [0, 2, 0, 1],
    ],
    dtype=float,
)

with plots.once_written():
    scores, _, weights, _ = attention_flow(what_it_wants, what_it_is, np.eye(6))
    unscaled_weights = softmax(scores)
    plots.heatmaps(
        [unscaled_weights, weights], words, words, ["unskaliert", "skaliert"], "Query", "Key", "Gewicht"
    )

# %% [markdown]
# Jede Zeile hat die Summe 1. Die beiden Bilder ordnen die Keys gleich, aber das Skalieren lässt den Wörtern auf Platz
# zwei etwas übrig.
#
# {{ hand_in }}
