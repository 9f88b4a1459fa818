"""Which files may be the hand-in for a homework, and which of them are out of the question."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from autograder.submissions.naming import stem, stubs_named_by
from autograder.submissions.script import Script

Untouched = Callable[[str, str], bool]
MAX_CANDIDATES = 20


@dataclass(frozen=True)
class Search:
    """What is looked for: stub names, the homeworks asked for, and how to tell work from stubs."""

    stubs: Mapping[str, str]
    chosen: Sequence[str] = ()
    untouched: Untouched | None = None
    tasks: Mapping[str, Sequence[str]] = field(default_factory=dict)

    @property
    def wanted(self) -> list[str]:
        """The homeworks asked for, all of them when none was named."""
        return [homework for homework in self.stubs if homework in self.chosen or not self.chosen]

    @property
    def only(self) -> str | None:
        """The homework, if exactly one was asked for."""
        return self.wanted[0] if len(set(self.chosen)) == 1 and self.wanted else None

    @cached_property
    def telling(self) -> dict[str, str]:
        """The names that belong to one homework alone, and that homework."""
        times = Counter(name for names in self.tasks.values() for name in set(names))
        return {name: key for key, names in self.tasks.items() for name in names if times[name] == 1}

    def is_untouched(self, homework: str, script: Script) -> bool:
        """Whether a file is still the stub that was given out."""
        return self.untouched is not None and self.untouched(homework, script.text)

    def homeworks_named_by(self, script: Script) -> tuple[str, ...]:
        """The homeworks a file's name stands for, unless its functions say otherwise."""
        named = stubs_named_by(script.name, self.stubs)
        return tuple(homework for homework in named if not self._is_misnamed(script, homework))

    def belongs_elsewhere(self, script: Script, homework: str) -> bool:
        """Whether a file defines nothing of a homework, but something that only another one asks for."""
        own = self.tasks.get(homework, ())
        return bool(own) and not script.defines(own) and script.defines(self.telling)

    def _is_misnamed(self, script: Script, homework: str) -> bool:
        is_exact = stem(script.name) == stem(self.stubs[homework])
        return not is_exact and self.belongs_elsewhere(script, homework)


def narrow(
    homework: str, candidates: Sequence[Script], scripts: Sequence[Script], search: Search
) -> list[Script]:
    """Return the candidates that are left when copies, untouched stubs and empty namesakes are dropped.

    Of copies the one with most modules beside it is kept, then the one in fewest folders. Too many different
    ones are a question in any case.
    """
    modules = Counter(one.folder for one in scripts if one.cells is None)
    different: dict[tuple[bool, str], Script] = {}
    for one in sorted(
        candidates, key=lambda one: ((one.cells is None) - modules[one.folder], one.depth, one.path)
    ):
        different.setdefault((one.cells is None, one.text), one)
    if len(different) > MAX_CANDIDATES:
        return list(different.values())
    worked_on = [one for one in different.values() if not search.is_untouched(homework, one)]
    if not worked_on:
        return list(different.values())[:1]
    own = search.tasks.get(homework, ())
    return [one for one in worked_on if one.defines(own)] or worked_on


def only_candidate(homework: str, scripts: Sequence[Script], search: Search) -> list[Script]:
    """Return the files that may be a homework in spite of their names; one file means it is clear.

    It is clear when there is one file that is not another homework's, or one of them defines a task of the
    homework, or one of them is a notebook.
    """
    pool = narrow(homework, [one for one in scripts if not search.homeworks_named_by(one)], scripts, search)
    notebooks = [one for one in pool if one.cells is not None]
    return notebooks if len(notebooks) == 1 else pool
