"""A whole course with one small homework, written into a folder: a test vehicle for everything around it."""

import json
from dataclasses import dataclass
from pathlib import Path

from autograder.course.course import Course
from autograder.course.homework import Homework
from autograder.verdict.store import MANIFEST, Store, open_store

HOMEWORK = "hwx"
CHECKS_FILE = f"test_{HOMEWORK}.py"

METADATA = """
title = "Doubles and totals"
stub = "doubles.py"
library = "numpy"
due = 2027-02-05T23:59:00Z
hints = "after_published"

[limits]
seconds = 30
call_seconds = 2

[[tasks]]
name = "double"
points = 3
summary = "every number twice"
returns = ["doubled numbers"]
value = "all_doubled"

[[tasks]]
name = "totals"
points = 2.5
summary = "the sum and the product"
returns = ["sum", "product"]
"""

SOLUTION = '''
"""Doubles and totals."""

import numpy as np


def double(x):
    """Return every number of ``x`` twice as large."""
    # TODO 1: multiply by two.
    # BEGIN SOLUTION
    factor = 2
    return factor * x
    # END SOLUTION


def totals(x):
    """Return the sum and the product of ``x``."""
    # TODO 2: two numbers.
    # BEGIN SOLUTION
    return x.sum(), np.prod(x)
    # END SOLUTION
'''

CASES = """
import numpy as np

from autograder.course.cases import Case, FunctionCall


def published():
    x = np.array([0.5, 1.25, 4.0])
    yield Case("double/printed", FunctionCall("double", (x,)))
    yield Case("totals/printed", FunctionCall("totals", (x,)))


def public(rng):
    yield from _sized(rng, "small", 2)


def hidden(rng):
    yield from _sized(rng, "wide", 5)
    yield Case("double/huge", FunctionCall("double", (rng.normal(size=3) * 1e6,)), "large", 1e-3)


def fresh(rng):
    yield from _sized(rng, "drawn", 4)


def _sized(rng, label, n):
    yield Case(f"double/{label}", FunctionCall("double", (rng.normal(size=n),)))
    yield Case(f"totals/{label}", FunctionCall("totals", (rng.normal(size=n),)))
"""

ORACLE = """
import math


def double(x):
    return [number + number for number in x]


def totals(x):
    return math.fsum(x), math.prod(x)
"""

PUBLISHED = '''
[[values]]
case = "double/printed"
decimals = 1
printed = "1.0 2.5 8.0"

[[values]]
case = "totals/printed"
part = 0
decimals = 2
printed = """
5.75
"""
'''

HANDOUT = """
# Doubles and totals

`double`: 1.25 becomes 2.5.

totals: two numbers.

{{ tasks }}
"""

CHECKS = '''
from autograder.verdict.checks import check


@check(task="double", points=1)
def test_double_published(cases, compare):
    """double gives the printed numbers."""
    compare(cases.published("double"))


@check(task="double", points=2, requires=["double_published"])
def test_double_sizes(cases, compare):
    """double works for any number of numbers."""
    compare([*cases.stored("double", None), *cases.fresh("double")])


@check(task="totals", points=2.5)
def test_totals(cases, compare):
    """totals gives sum and product."""
    compare([*cases.published("totals"), *cases.stored("totals")])
'''

FILES = {
    "homework.toml": METADATA,
    "doubles.py": SOLUTION,
    "cases.py": CASES,
    "oracle.py": ORACLE,
    "published.toml": PUBLISHED,
    "handout.md": HANDOUT,
    CHECKS_FILE: CHECKS,
}


@dataclass(frozen=True)
class Tiny:
    """The course on disk, with short ways to change its files."""

    course: Course

    @property
    def folder(self) -> Path:
        return self.course.solutions / HOMEWORK

    @property
    def homework(self) -> Homework:
        """The metadata, read anew each time."""
        return self.course.homework(HOMEWORK)

    @property
    def store(self) -> Store:
        return open_store(self.course, self.homework)

    def edit(self, name: str, old: str, new: str) -> Path:
        """Replace a passage that must be there once."""
        path = self.folder / name
        text = path.read_text("utf-8")
        assert text.count(old) == 1, f"{old!r} is {text.count(old)} times in {name}"
        path.write_text(text.replace(old, new), encoding="utf-8")
        return path


def forget_fingerprints(store: Store) -> None:
    """Let the manifest not say from which files the outputs were built, like those of older versions."""
    path = store.folder / MANIFEST
    content = json.loads(path.read_text("utf-8"))
    path.write_text(json.dumps({**content, "made_from": {}}), encoding="utf-8")


def write_tiny(root: Path) -> Tiny:
    """Write the course into a folder."""
    tiny = Tiny(Course(root))
    tiny.folder.mkdir(parents=True)
    for name, text in FILES.items():
        (tiny.folder / name).write_text(text.lstrip("\n"), encoding="utf-8")
    return tiny
