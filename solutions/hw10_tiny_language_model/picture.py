"""The picture of hw10: what a trained model expects after each beginning of a name."""

from autograder.authoring import Picture, Text, grid, heading, heat


def picture(matrices):
    following = matrices["next"]
    texts = following.texts()
    after_selin = texts[5][1]
    return Picture(
        640,
        360,
        "What follows each beginning of a name",
        "A grid with a row for each beginning of the name selina, from nothing to the whole name, and a column for "
        "the end of a name and nine letters. Each cell is the probability that a trained model gives to this "
        "character coming next; bluer cells are larger. At first many letters are possible; after selin the "
        f"letter a has {after_selin}, and after selina the end has {texts[6][0]}.",
        [
            heading(355, 28, "probability of the next character"),
            Text(46, 66, "so far", 14),
            *grid(following, 100, 80, heat, 52, 36),
        ],
    )
