"""Input cases of hw1_summaries."""

import numpy as np

from autograder.course import Case, FunctionCall

LETTERS = np.array(list("abcdefghijklmnopqrstuvwxyz ABCDEFGHIJKLMNOPQRSTUVWXYZ.,"))


def published():
    yield _mean("printed", np.array([4.0, 1.0, 30.0, 3.0, 2.0]), 1)
    yield _counts("printed", "Anna and Ben")


def public(rng):
    yield _mean("small", rng.normal(size=8), 2)
    yield _counts("sentence", _text(rng, 31))


def hidden(rng):
    yield _mean("long", rng.normal(size=17), 4)
    yield _mean("all", rng.normal(size=6), 0)
    yield _counts("empty", "")
    yield _counts("long", _text(rng, 90))


def fresh(rng):
    yield _mean("drawn", rng.normal(size=13), 5)
    yield _counts("drawn", _text(rng, 55))


def _mean(label, values, cut):
    return Case(f"trimmed_mean/{label}", FunctionCall("trimmed_mean", (values, cut)))


def _counts(label, text):
    return Case(f"letter_counts/{label}", FunctionCall("letter_counts", (text,)))


def _text(rng, length):
    return "".join(rng.choice(LETTERS, size=length))
