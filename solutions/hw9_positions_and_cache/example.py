"""The worked example of hw9: its published cases, and the encodings of eight positions for the picture."""

from autograder.authoring import Matrix
from autograder.course import FunctionCall

SINES, ROPE, STEP, BLOCKS = (
    "sinusoidal_positions",
    "apply_rope",
    "attend_one_step",
    "blockwise_attention",
)


def example(reference):
    columns = [f"{'sin' if j % 2 == 0 else 'cos'} {j // 2}" for j in range(10)]
    yield Matrix(
        "map",
        reference(FunctionCall(SINES, (8, 10))),
        rows=[f"{i}" for i in range(8)],
        columns=columns,
    )
    yield Matrix("four", reference.published(f"{SINES}/four"), decimals=4)
    pairs, _ = reference.case(f"{ROPE}/pairs").call.args
    yield Matrix(
        "x", pairs, "x", ("position 0", "position 1", "position 2"), decimals=0
    )
    yield Matrix(
        "turned", reference.published(f"{ROPE}/pairs"), "rotated rows", decimals=3
    )
    output, _, values = reference.published(f"{STEP}/third")
    yield Matrix("values", values, "V", ("key 1", "key 2", "key 3"), decimals=0)
    yield Matrix("output", output, decimals=2)
    _, _, V, _ = reference.case(f"{BLOCKS}/five-keys").call.args
    yield Matrix("V", V, "V", decimals=0)
    yield Matrix("blockwise", reference.published(f"{BLOCKS}/five-keys"), decimals=3)
