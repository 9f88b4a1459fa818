"""How long the fuzzers run: the same cases each time, then new ones for AUTOGRADER_FUZZ_SECONDS."""

import os
import random
import time
from collections.abc import Iterator

SECONDS = float(os.environ.get("AUTOGRADER_FUZZ_SECONDS", "0"))
SEED = os.environ.get("AUTOGRADER_FUZZ_SEED")


def new_numbers() -> Iterator[int]:
    """Numbers until the time is over: those that follow from the seed, else ones that nobody has tried."""
    dice = random.Random(SEED) if SEED else random.SystemRandom()
    end = time.monotonic() + SECONDS
    while time.monotonic() < end:
        yield dice.randrange(1 << 60)
