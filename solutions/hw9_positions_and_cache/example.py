"""The worked example of hw9: its published cases, and the encodings of eight positions for the picture."""

from autograder.authoring import Matrix, whole_numbers
from autograder.course import FunctionCall

SINES = "sinusoidal_positions"
ROPE = "apply_rope"
STEP = "attend_one_step"
BLOCKS = "blockwise_attention"

POSITIONS = [str(position) for position in range(8)]
POSITION_NAMES = ("position 0", "position 1", "position 2")
KEYS = ("key 1", "key 2", "key 3")


def example(reference):
    columns = []
    for pair in range(5):
        columns += [f"sin {pair}", f"cos {pair}"]
    eight_positions = FunctionCall(SINES, (8, 10))
    encodings = reference(eight_positions)
    four = reference.published(f"{SINES}/four")
    yield Matrix("map", encodings, rows=POSITIONS, columns=columns)
    yield Matrix("four", four, decimals=4)

    case = reference.case(f"{ROPE}/pairs")
    pairs, _ = case.call.args
    turned = reference.published(f"{ROPE}/pairs")
    yield whole_numbers("x", pairs, "x", POSITION_NAMES)
    yield Matrix("turned", turned, "rotated rows", decimals=3)

    output, _, values = reference.published(f"{STEP}/third")
    yield whole_numbers("values", values, "V", KEYS)
    yield Matrix("output", output, decimals=2)

    case = reference.case(f"{BLOCKS}/five-keys")
    _, _, V, _ = case.call.args
    blockwise = reference.published(f"{BLOCKS}/five-keys")
    yield whole_numbers("V", V, "V")
    yield Matrix("blockwise", blockwise, decimals=3)
