"""Input cases of hw4_draws: each function is called many times, and the generator goes on."""

import numpy as np

from autograder.course import Case, FunctionCall, generator


def published():
    yield _draw("printed", np.array([2.0, 1.0, 0.0]), 0.5, seed=1)
    yield _wait("printed", 4.0, seed=1)


def public(rng):
    yield _draw("five", rng.permutation(5) / 2, 2.5, seed=2)
    yield _wait("short", 0.25, seed=2)


def hidden(rng):
    yield _draw("four", rng.permutation(4) / 1.5, 0.4, seed=3)
    yield _wait("long", 30.0, seed=3)


def fresh(rng):
    seed = int(rng.integers(10, 10_000))
    yield _draw("drawn", rng.permutation(6) / 2, 2.0, seed)
    yield _wait("drawn", rng.uniform(2.0, 9.0), seed)


def _draw(label, scores, temperature, seed):
    call = FunctionCall("draw", (scores, temperature, generator(seed)), times=2000)
    return Case(f"draw/{label}", call, expects=False)


def _wait(label, mean, seed):
    call = FunctionCall("wait", (mean, generator(seed)), times=2000)
    return Case(f"wait/{label}", call, expects=False)
