"""The picture of hw2: what is made from what, with the shapes of the worked example."""

from autograder.authoring import (
    BLUE,
    GREEN,
    GREY,
    ORANGE,
    PAPER,
    Path,
    Picture,
    labelled_box,
    note,
)

HIGH = 56
WIDE = 124
X_LEFT = 14
QKV_LEFT = 226


def picture(matrices):
    shapes = {}
    for name, matrix in matrices.items():
        shapes[name] = str(matrix.numbers.shape)
    embeddings = ("X", "(N, d_model)", f"= {shapes['X']}")
    return Picture(
        700,
        264,
        "One X becomes queries, keys and values",
        "A diagram of the data flow. The embeddings X, multiplied by the weights W_q, W_k and W_v, become "
        f"the queries Q of shape {shapes['Q']}, the keys K of shape {shapes['K']} and the values V of shape "
        f"{shapes['V']}. Q and K give the scores; scaling and softmax turn these into the weights of shape "
        f"{shapes['weights']}. The weights times V give the output of shape {shapes['output']}.",
        [
            *labelled_box(X_LEFT, 96, WIDE, 72, embeddings, GREY),
            *_projection(12, "Q", "(N, d_k)", shapes, BLUE),
            *_projection(104, "K", "(N, d_k)", shapes, ORANGE),
            *_projection(196, "V", "(N, d_v)", shapes, GREEN),
            *_attention(shapes),
        ],
    )


def _projection(y, name, symbols, shapes, fill):
    middle = y + HIGH / 2
    begin = (X_LEFT + WIDE, 132)
    corners = [(164, 132), (164, middle)]
    end = (QKV_LEFT - 2, middle)
    yield Path([begin, *corners, end])
    yield note(193, middle - 12, f"× W_{name.lower()}")
    yield from _node(QKV_LEFT, y, name, symbols, shapes[name], fill)


def _attention(shapes):
    right = QKV_LEFT + WIDE
    yield Path([(right, 40), (398, 66)])
    yield Path([(right, 132), (398, 98)])
    yield from _node(400, 54, "scores QKᵀ", "(N, N)", shapes["weights"], PAPER)
    yield Path.horizontal(82, 400 + WIDE, 560)
    yield note(545, 40, "÷ √d_k, softmax of each row")
    yield from _node(562, 54, "weights", "(N, N)", shapes["weights"], PAPER)
    yield Path.vertical(624, 54 + HIGH, 194)
    yield Path.horizontal(224, right, 560)
    yield note(604, 158, "× V")
    yield from _node(562, 196, "output", "(N, d_v)", shapes["output"], GREEN)


def _node(x, y, name, symbols, shape, fill):
    shape_in_words = f"{symbols} = {shape}"
    yield from labelled_box(x, y, WIDE, HIGH, (name, shape_in_words), fill)
