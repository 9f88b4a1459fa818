"""The picture of the capstone: the tokens on their way through the decoder, and what the cache keeps."""

from autograder.authoring import (
    BLUE,
    GREEN,
    GREY,
    ORANGE,
    QUIET,
    Path,
    Picture,
    Text,
    labelled_box,
)

TOKENS = ("c", "a", "b", "|", "b", "a")
ANSWER = ("b", "a", "c")
LEFT, STEP, SIZE = 60, 70, 44
RIGHT = LEFT + STEP * len(TOKENS) - (STEP - SIZE)
NEW = LEFT + STEP * (len(TOKENS) - 1)


def picture(matrices):
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
            *_row(372, TOKENS, range(len(TOKENS)), GREY),
            Text(LEFT + 1.5 * STEP - 13, 434, "the question", 14, QUIET),
            Text(LEFT + 3 * STEP + 22, 434, "separator", 14, QUIET),
            Text(NEW + 22, 434, "the new token", 14, QUIET),
            *_layer(300, "embedding + position 6", BLUE),
            *_layer(220, "block 1", ORANGE, "K, V of tokens 1 to 5"),
            *_layer(140, "block 2", ORANGE, "K, V of tokens 1 to 5"),
            *_layer(80, "logits", GREEN),
            *_row(16, ANSWER, range(3, 6), GREEN),
            Text(LEFT, 43, "the answer so far, and c", 14, QUIET, "start"),
        ],
    )


def _row(y, tokens, places, fill):
    for place, token in zip(places, tokens, strict=True):
        yield from labelled_box(LEFT + STEP * place, y, SIZE, SIZE, (token,), fill)


def _layer(y, name, fill, cached=""):
    """A layer that the new token goes through, and what its attention finds in the cache."""
    yield Path(
        [
            (NEW + SIZE / 2, y + (72 if y == 300 else 80 if y > 80 else 60)),
            (NEW + SIZE / 2, y + 42),
        ]
    )
    if y == 80:
        yield Path([(NEW + SIZE / 2, y - 2), (NEW + SIZE / 2, y - 18)])
    yield from labelled_box(NEW - 60, y, 260, 40, (name,), fill)
    if cached:
        yield from labelled_box(LEFT, y, 230, 40, (cached,), GREY)
        yield Path([(LEFT + 232, y + 20), (NEW - 64, y + 20)])
