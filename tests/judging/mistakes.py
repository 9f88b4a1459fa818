"""Known mistakes for the tiny course, so that diagnosis and audit can be tried on something small."""

from tiny import Tiny

from autograder.authoring.reference import build_outputs
from autograder.reasons.catalogue import CATALOGUE
from autograder.sandbox.pool import SandboxPool
from autograder.verdict.failure import Labels

TOML = """
[triples]
says = "Your numbers come back three times as large. Each one should be twice as large."
edits.double = [["return factor", "return 3"]]

[squares]
says = \"\"\"Your numbers are multiplied by themselves.
Each one should be twice as large.\"\"\"
edits.double = [["return factor", "return x"]]
excludes = ["first-only"]

[adds-one]
says = "Your numbers are all one too large: nothing is to be added."
edits.double = [["* x", "* x + 1"]]
edits.totals = [["return", "return 1 +"], [", ", ", 1 + "]]

[first-only]
says = "Only the first number comes back. Each number has to come back twice as large."
body.double = "return 2 * x[:1]"
alone = true
about_size = true

[mean-for-sum]
says = "Your sum is divided by how many numbers there are. It should be the plain sum."
edits.totals = [[".sum()", ".mean()"]]

[sum-for-product]
says = "Your product adds the numbers. They should be multiplied with each other."
edits.totals = [["np.prod", "np.sum"]]
"""

ADDS_ITSELF = 'edits.double = [["return factor", "return (1 + factor)"]]'
HALVES = 'edits.double = [["return factor", "return 0.5"]]'
HARMLESS = 'edits.double = [["factor * x", "x * factor"]]'

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


def write_mistakes(tiny: Tiny, toml: str = TOML) -> Tiny:
    """Write the catalogue into the tiny homework."""
    (tiny.folder / CATALOGUE).write_text(toml.lstrip("\n"), encoding="utf-8")
    return tiny


def add_mistake(tiny: Tiny, name: str, edits: str, says: str = "Something is wrong.") -> None:
    """Append one more mistake to the catalogue."""
    with (tiny.folder / CATALOGUE).open("a", encoding="utf-8") as file:
        file.write(f'\n[{name}]\nsays = "{says}"\n{edits}\n')


def build(tiny: Tiny, pool: SandboxPool) -> Tiny:
    """Store what the reference and every single mistake return, whatever was stored before."""
    report = build_outputs(tiny.course, tiny.homework, pool, accept=True)
    assert not report.refused, report
    return tiny
