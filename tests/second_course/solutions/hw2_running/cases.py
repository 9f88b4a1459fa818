"""Input cases of hw2_running."""

import numpy as np

from autograder.course import Case, object_call


def published():
    yield _mean("printed", np.array([[1.0, 4.0], [3.0, 0.0]]))
    yield _momentum("printed", np.zeros(2), np.array([[1.0, -2.0], [1.0, 2.0]]))


def public(rng):
    yield _mean("three", rng.normal(size=(3, 4)))
    yield _forgetting("again", rng.normal(size=(2, 3)))
    yield _forgetting("empty", rng.normal(size=(0, 3)), raises="ValueError")
    yield _momentum("three", rng.normal(size=4), rng.normal(size=(3, 4)))


def hidden(rng):
    yield _mean("many", rng.normal(size=(9, 6)))
    yield _forgetting("later", rng.normal(size=(5, 7)))
    yield _momentum("many", rng.normal(size=7), rng.normal(size=(8, 7)))


def fresh(rng):
    yield _mean("drawn", rng.normal(size=(6, 5)))
    yield _momentum("drawn", rng.normal(size=5), rng.normal(size=(4, 5)))


def _mean(label, rows):
    """Add the rows one by one, and look at the mean after each."""
    steps = []
    for row in rows:
        steps += [("add", row), ".mean"]
    return Case(
        f"RunningMean/{label}",
        object_call("RunningMean", (rows.shape[1],), *steps, ".count"),
    )


def _forgetting(label, rows, raises=""):
    """Add the rows, forget them, and begin again."""
    d = rows.shape[1]
    steps = [("add", row) for row in rows]
    steps += [("forget",), ".mean", ".count", ("add", np.arange(1.0, d + 1)), ".mean"]
    return Case(
        f"RunningMean/{label}",
        object_call("RunningMean", (d,), *steps),
        "forgetting",
        raises=raises,
    )


def _momentum(label, start, slopes):
    steps = []
    for slope in slopes:
        steps += [("step", slope), ".velocity"]
    return Case(f"Momentum/{label}", object_call("Momentum", (start, 0.5, 0.9), *steps))
