"""Known mistakes for the tiny course, so that diagnosis and audit can be tried on something small."""

from __future__ import annotations

from collections.abc import Sequence

from tiny import Tiny

from autograder.diagnosis.catalogue import CATALOGUE
from autograder.diagnosis.outputs import build_outputs
from autograder.diagnosis.variants import IMPLEMENTATION, Labels
from autograder.sandbox.pool import SandboxPool

TOML = """
[[misconceptions]]
id = "triples"
tasks = ["double"]
says = "Your numbers come back three times as large. Each one should be twice as large."

[[misconceptions]]
id = "squares"
tasks = ["double"]
says = \"\"\"Your numbers are multiplied by themselves.
Each one should be twice as large.\"\"\"
excludes = ["triples"]

[[misconceptions]]
id = "adds-one"
tasks = ["double", "totals"]
says = "Your numbers are all one too large: nothing is to be added."

[[misconceptions]]
id = "first-only"
tasks = ["double"]
says = "Only the first number comes back. Each number has to come back twice as large."
alone = true
about_size = true

[[misconceptions]]
id = "mean-for-sum"
tasks = ["totals"]
says = "Your sum is divided by how many numbers there are. It should be the plain sum."

[[misconceptions]]
id = "sum-for-product"
tasks = ["totals"]
says = "Your product adds the numbers. They should be multiplied with each other."
"""

PYTHON = """
import numpy as np

ON = frozenset()


def switch(*ids):
    global ON
    ON = frozenset(ids)


def double(x):
    result = x**2 if "squares" in ON else (3 if "triples" in ON else 2) * x
    result = result + ("adds-one" in ON)
    return result[:1] if "first-only" in ON else result


def totals(x):
    one = "adds-one" in ON
    total = x.mean() if "mean-for-sum" in ON else x.sum()
    product = x.sum() if "sum-for-product" in ON else np.prod(x)
    return total + one, product + one
"""

SINGLES: dict[str, list[Labels]] = {
    "double": [("triples",), ("squares",), ("adds-one",), ("first-only",)],
    "totals": [("adds-one",), ("mean-for-sum",), ("sum-for-product",)],
}
PAIRS: dict[str, list[Labels]] = {
    "double": [("triples", "adds-one"), ("squares", "adds-one")],
    "totals": [
        ("adds-one", "mean-for-sum"),
        ("adds-one", "sum-for-product"),
        ("mean-for-sum", "sum-for-product"),
    ],
}


def write_mistakes(tiny: Tiny, toml: str = TOML, python: str = PYTHON) -> Tiny:
    """Write the catalogue and its implementation into the tiny homework."""
    (tiny.folder / CATALOGUE).write_text(toml.lstrip("\n"), encoding="utf-8")
    (tiny.folder / IMPLEMENTATION).write_text(python.lstrip("\n"), encoding="utf-8")
    return tiny


def add_mistake(tiny: Tiny, name: str, tasks: Sequence[str], says: str = "Something is wrong.") -> None:
    """Append one more mistake to the catalogue."""
    with (tiny.folder / CATALOGUE).open("a", encoding="utf-8") as file:
        file.write(f'\n[[misconceptions]]\nid = "{name}"\ntasks = {list(tasks)}\nsays = "{says}"\n')


def build(tiny: Tiny, pool: SandboxPool) -> Tiny:
    """Store what the reference and every single mistake return, whatever was stored before."""
    report = build_outputs(tiny.course, tiny.homework, pool, accept=True)
    assert not report.refused, report
    return tiny
