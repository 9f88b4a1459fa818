"""The worked example of the handout: inputs, and the reference solution's results."""

from autograder.authoring import Matrix

ROWS, COLUMNS = ("cat", "dog"), ("sat", "on", "mats")  # REPLACE: tokens, one for each row and column


def example(reference):
    x = reference.case("encode_names/printed").call.args[0]
    yield Matrix("x", x, "x", ROWS, COLUMNS, decimals=0)
    yield Matrix("shares", reference.published("encode_names/printed"), "shares", ROWS, COLUMNS)
