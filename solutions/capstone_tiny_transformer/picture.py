"""The picture of the capstone: the tokens on their way through the decoder, and what the cache keeps."""

from autograder.authoring import (
    BLUE,
    GREEN,
    GREY,
    ORANGE,
    Path,
    Picture,
    labelled_box,
    note,
)

TOKENS = ("c", "a", "b", "|", "b", "a")
ANSWER = ("b", "a", "c")

# Tokens are squares of this size, so far apart; the new one is the last.
LEFT = 60
STEP = 70
SIZE = 44
NEW = LEFT + STEP * (len(TOKENS) - 1)

# The upper edges of everything, from the bottom to the top; layers and cached keys are so high.
BOTTOM_ROW = 372
EMBEDDING = 300
BLOCK_1 = 220
BLOCK_2 = 140
LOGITS = 80
TOP_ROW = 16
HIGH = 40


def picture(matrices):
    cached = "K, V of tokens 1 to 5"
    return Picture(
        700,
        440,
        "A tiny decoder in the middle of an answer",
        "The tokens c, a, b, a separator, b and a stand in a row. Above them, from bottom to top: "
        "embedding and positions, two blocks, and the logits. Beside each block stands its cache, with "
        "the keys and values of the first five tokens; only the last token, a, goes through the layers. "
        "Above the separator and the tokens after it stand the answers b, a, c: each is what the logits "
        "make likeliest for the next place.",
        [
            *_row(BOTTOM_ROW, TOKENS, range(len(TOKENS)), GREY),
            note(LEFT + 1.5 * STEP - 13, 434, "the question"),
            note(LEFT + 3 * STEP + 22, 434, "separator"),
            note(NEW + 22, 434, "the new token"),
            *_arrow(BOTTOM_ROW, EMBEDDING),
            *_layer(EMBEDDING, "embedding + position 6", BLUE),
            *_arrow(EMBEDDING, BLOCK_1),
            *_layer(BLOCK_1, "block 1", ORANGE),
            *_cache(BLOCK_1, cached),
            *_arrow(BLOCK_1, BLOCK_2),
            *_layer(BLOCK_2, "block 2", ORANGE),
            *_cache(BLOCK_2, cached),
            *_arrow(BLOCK_2, LOGITS),
            Path.vertical(NEW + SIZE / 2, LOGITS - 2, LOGITS - 18),
            *_layer(LOGITS, "logits", GREEN),
            *_row(TOP_ROW, ANSWER, range(3, 6), GREEN),
            note(LEFT, 43, "the answer so far, and c", "start"),
        ],
    )


def _row(y, tokens, places, fill):
    for place, token in zip(places, tokens, strict=True):
        yield from labelled_box(LEFT + STEP * place, y, SIZE, SIZE, (token,), fill)


def _arrow(lower, upper):
    """The way of the new token up to the next layer."""
    middle = NEW + SIZE / 2
    yield Path.vertical(middle, lower, upper + HIGH + 2)


def _layer(y, name, fill):
    yield from labelled_box(NEW - 60, y, 260, HIGH, (name,), fill)


def _cache(y, words):
    """What a layer's attention finds in its cache, and the arrow into the layer."""
    yield from labelled_box(LEFT, y, 230, HIGH, (words,), GREY)
    yield Path.horizontal(y + 20, LEFT + 232, NEW - 64)
