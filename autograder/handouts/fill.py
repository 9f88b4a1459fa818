"""Fill in a handout's placeholders, ``{{ kind }}`` or ``{{ kind: what }}``.

========================  ==========================================================================
``{{ tasks }}``           the table of tasks and points
``{{ questions }}``       the theory questions of ``questions.toml``
``{{ picture }}``         the picture of ``picture.py``
``{{ table: a b }}``      matrices of ``example.py``, side by side
``{{ code: a b }}``       the same as Python code, to paste
``{{ value: a[0, 1] }}``  a matrix, a row of it or one number, inside a sentence
========================  ==========================================================================
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from autograder.handouts.example import Example
from autograder.handouts.listing import code_lines, listed
from autograder.handouts.matrix import Matrix
from autograder.handouts.shapes import Picture

PLACEHOLDER = re.compile(r"\{\{([^{}]*)\}\}")
ENTRY = re.compile(r"(\w+)(?:\[(\d+(?:,\s*\d+)*)\])?")
KINDS = ("picture", "table", "code", "value")


@dataclass(frozen=True)
class Form:
    """How matrices and the picture are written in one kind of file."""

    tables: Callable[[Sequence[Matrix]], str]
    picture: Callable[[Picture], str]


@dataclass(frozen=True, eq=False)
class Filler:
    """What placeholders stand for: fixed blocks by name, and the worked example in one form."""

    blocks: Mapping[str, str]
    example: Example
    form: Form

    def fill(self, template: str) -> str:
        """Return the text with every placeholder replaced.

        Raises:
            ValueError: a placeholder means nothing, or names what the example does not have.
        """
        return PLACEHOLDER.sub(lambda found: self._replacement(found[1].strip()), template)

    def _replacement(self, words: str) -> str:
        kind, _, what = (part.strip() for part in words.partition(":"))
        if kind in self.blocks and not what:
            return self.blocks[kind]
        if kind not in KINDS:
            known = ", ".join([*self.blocks, *KINDS])
            raise ValueError(f"the placeholder {{{{ {words} }}}} is unknown; the known kinds are {known}")
        return str(getattr(self, f"_{kind}")(what))

    def _picture(self, what: str) -> str:
        if what or self.example.picture is None:
            raise ValueError("{{ picture }} needs a picture.py beside the example, and no name")
        return self.form.picture(self.example.picture)

    def _table(self, what: str) -> str:
        return self.form.tables(self._matrices(what))

    def _code(self, what: str) -> str:
        return f"```python\n{code_lines(self._matrices(what))}\n```"

    def _value(self, what: str) -> str:
        entry = ENTRY.fullmatch(what)
        if entry is None:
            raise ValueError(f"{{{{ value: {what} }}}} must look like {{{{ value: weights[0, 1] }}}}")
        texts: Any = self._matrix(entry[1]).texts()
        for index in (entry[2] or "").split(",") if entry[2] else ():
            texts = _part(texts, int(index), what)
        return listed(texts)

    def _matrices(self, what: str) -> list[Matrix]:
        if not what:
            raise ValueError(f"name a matrix; the example has {self._known()}")
        return [self._matrix(name) for name in what.split()]

    def _matrix(self, name: str) -> Matrix:
        if name not in self.example.matrices:
            raise ValueError(f"the example has no matrix {name!r}; it has {self._known()}")
        return self.example.matrices[name]

    def _known(self) -> str:
        return ", ".join(self.example.matrices) or "none"


def _part(texts: Any, index: int, what: str) -> Any:
    if isinstance(texts, str) or index >= len(texts):
        raise ValueError(f"{{{{ value: {what} }}}}: there is no such entry")
    return texts[index]
