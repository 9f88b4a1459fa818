"""The picture of the handout: numbers become shares, row by row."""

from autograder.authoring import Path, Picture, Text, grid, heat


def picture(matrices):  # REPLACE: the shapes, the title, and the description for those who do not see it
    x, shares = matrices["x"], matrices["shares"]
    title = "From numbers to shares"
    description = """Two grids. On the left the numbers of two rows, cat and dog; an arrow leads to their shares
on the right, where each row sums to 1 and bluer cells are larger. Equal numbers get equal shares."""
    words = [Text(125, 28, "numbers", bold=True), Text(252, 96, "each row"), Text(405, 28, "shares", bold=True)]
    shapes = [*words, *grid(x, 50, 70), Path([(215, 106), (290, 106)]), *grid(shares, 330, 70, heat)]
    return Picture(480, 160, title, description.replace("\n", " "), shapes)
