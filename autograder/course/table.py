"""Read the values of a TOML table; every complaint names the key with its place in the file."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Table:
    """One table of a file and its place there, such as ``tasks[2]``.

    Each reader raises ``ValueError`` where the key is missing or its value is of the wrong kind.
    """

    values: Mapping[str, Any]
    place: str = ""

    def only(self, known: Collection[str]) -> None:
        """Refuse keys that mean nothing; a misspelt one would otherwise be ignored."""
        for key in self.values:
            if key not in known:
                raise ValueError(f"{self._path(key)} is unknown; the known keys are {', '.join(known)}")

    def text(self, key: str) -> str:
        """Return a text that is not blank."""
        value = self._value(key)
        if not isinstance(value, str) or not value.strip():
            raise self.wrong(key, "a text")
        return value

    def texts(self, key: str) -> tuple[str, ...]:
        """Return a list of at least one text."""
        value = self._value(key)
        if not isinstance(value, list) or not value or not all(isinstance(one, str) for one in value):
            raise self.wrong(key, "a list of texts")
        return tuple(value)

    def number(self, key: str, *, whole: bool = False) -> float:
        """Return a finite number that is not negative."""
        value = self._value(key)
        kind = int if whole else int | float
        if isinstance(value, bool) or not isinstance(value, kind) or not 0 <= value < math.inf:
            raise self.wrong(key, f"a {'whole ' if whole else ''}number, not negative")
        return value

    def signed(self, key: str) -> float:
        """Return a finite number of either sign."""
        value = self._value(key)
        if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
            raise self.wrong(key, "a number")
        return float(value)

    def one_of(self, key: str, allowed: Sequence[str]) -> str:
        """Return one of the allowed texts."""
        value = self._value(key)
        if value not in allowed:
            raise self.wrong(key, f"one of {', '.join(allowed)}")
        return str(value)

    def table(self, key: str) -> Table:
        """Return the table below this one; a missing one is empty."""
        value = self.values.get(key, {})
        if not isinstance(value, dict):
            raise self.wrong(key, "a table")
        return Table(value, self._path(key))

    def tables(self, key: str) -> Iterator[Table]:
        """Yield the tables of a list of at least one."""
        value = self._value(key)
        if not isinstance(value, list) or not value or not all(isinstance(one, dict) for one in value):
            raise self.wrong(key, f"a list of tables, each under [[{self._path(key)}]]")
        for number, one in enumerate(value, start=1):
            yield Table(one, f"{self._path(key)}[{number}]")

    def wrong(self, key: str, kind: str) -> ValueError:
        """Return the complaint that a value is of another kind."""
        return ValueError(f"{self._path(key)} = {self.values[key]!r}, but it is {kind}")

    def _value(self, key: str) -> Any:
        if key not in self.values:
            raise ValueError(f"the key {self._path(key)} is missing")
        return self.values[key]

    def _path(self, key: str) -> str:
        return f"{self.place}.{key}" if self.place else key
