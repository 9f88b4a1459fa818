"""An attack: hostile code, what it tries, and what an honest grader makes of it."""

import ast
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from autograder.sandbox.request import Cell, Code, Limits

CORPUS = Path(__file__).parent / "corpus"
CLASSES = ("reading", "fooling", "forging", "starving", "escaping")
# Past the scratch folder, whose Python functions are no wall: attacks meet the real ones.
AROUND = """
import _io, builtins, io, os, posix

builtins.open = io.open = _io.open
vars(os).update({name: value for name, value in vars(posix).items() if not name.startswith("_")})
"""
CELL_MARK = "# %%\n"
HONEST = "\n\ndef qk_scores(Q, K):\n    return Q @ K.T\n"
HONEST_POINTS = 4
"""What the first function of hw1 earns."""
SHORT = Limits(seconds=0.8, cpu_seconds=0.8, call_seconds=0.4, memory_mb=512)
LONG = Limits(seconds=60, cpu_seconds=30, call_seconds=20, memory_mb=512)


@dataclass(frozen=True)
class Attack:
    """One hostile submission.

    ``score`` and ``status`` (or several, joined by ``or``, where it depends on which limit is met first) are
    the honest result. ``form`` is ``file`` or ``cells``. Code that gets hold of what it should not prints
    a line that begins with ``GOT``. ``needs`` names the layer without which the attack is not stopped.
    """

    name: str
    source: str
    score: float
    status: str = "graded"
    form: str = "file"
    homework: str = "hw1_attention_scores"
    needs: str = ""
    files: Mapping[str, str] = field(default_factory=dict)

    @property
    def statuses(self) -> list[str]:
        """The statuses that are an honest end."""
        return self.status.split(" or ")

    @property
    def depends_on_the_level(self) -> bool:
        """Whether it reaches for the system; answers, replies and timers are the same at every level."""
        by_signals = self.name in ("starving/stop_itself", "starving/ignore_every_signal")
        by_the_system = self.name.startswith(("reading/", "starving/", "escaping/"))
        return by_the_system and (self.status != "time_limit" or by_signals)

    @property
    def limits(self) -> Limits:
        """Limits that are soon reached, for attacks that wait for them; enough for all others."""
        return SHORT if "time_limit" in self.statuses else LONG

    def code(self, entry: str, places: Mapping[str, str]) -> Code:
        """Return the submission, with ``@name@`` replaced by what the attacker would have found out."""
        source = "import around\n" + _filled(self.source, places)
        files = {name: _filled(text, places) for name, text in self.files.items()} | {"around.py": AROUND}
        if self.form == "file":
            return Code(entry, {entry: source, **files})
        cells = [Cell(number, text) for number, text in enumerate(source.split(CELL_MARK), 1)]
        return Code("notebook.ipynb", files, cells)


def _filled(text: str, places: Mapping[str, str]) -> str:
    for name, place in places.items():
        text = text.replace(f"@{name}@", place)
    return text


def corpus() -> Iterator[Attack]:
    """Read the attacks that have a file of their own.

    A file that earns the points of hw1's first function without that function stands before an honest one.
    """
    for path in sorted(CORPUS.rglob("*.py")):
        source = path.read_text(encoding="utf-8")
        yield _read(f"{path.parent.name}/{path.stem}", source)


def _read(name: str, source: str) -> Attack:
    """Read an attack's docstring: ``class: what it tries``, an empty line, then ``key: value`` lines."""
    title, _, settings = (ast.get_docstring(ast.parse(source)) or "").partition("\n\n")
    if title.partition(":")[0] != name.partition("/")[0]:
        raise ValueError(f"{name}: the docstring must begin with its class: {title!r}")
    values = dict(line.split(": ", 1) for line in settings.splitlines())
    score = float(values.pop("score"))
    if score == HONEST_POINTS and "homework" not in values and "def qk_scores" not in source:
        source += HONEST
    return Attack(name, source, score, **values)
