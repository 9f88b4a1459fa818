"""Which files may be the hand-in for a homework, and which of them are out of the question."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field
from functools import cached_property

from autograder.intake.handin import make_handin
from autograder.intake.naming import ending, listed, shown, stem, stubs_named_by, told
from autograder.intake.notebook import Translator
from autograder.intake.script import Script, read_script
from autograder.intake.submission import Handin, Matched, ReadResult


def match(
    name: str,
    read: ReadResult,
    stubs: Mapping[str, str],
    chosen: Sequence[str] = (),
    untouched: Untouched | None = None,
    tasks: Mapping[str, Sequence[str]] | None = None,
) -> Matched:
    """Return the hand-ins of one submission, one per homework at most, and what stood in the way.

    ``name`` is the submission's, for messages. ``stubs`` maps homework ids to stub file names, ``tasks`` to
    public names, which tell a misnamed file from a helper. ``chosen`` are the homeworks asked for, all when
    empty; with one, a lone file is taken for it whatever its name. ``untouched(homework, text)`` says
    whether a text (of a ``.py``, or of a notebook's code cells joined by line feeds) is still the stub.
    """
    search = Search(stubs, chosen, untouched, tasks or {})
    matching = _Matching(search, [read_script(file) for file in read.files])
    handins = matching.handins()
    is_explained = bool(matching.problems or (read.problems and not read.files))
    if not handins and not is_explained:
        matching.problems.append(nothing_found(name, read, search))
    return Matched(tuple(handins), (*read.problems, *told(matching.problems, "problems of its files")))


class _Matching:
    """The files of one submission on their way to the homeworks they are for."""

    def __init__(self, search: Search, scripts: Sequence[Script]) -> None:
        self._search = search
        self._scripts = scripts
        self._readable = [script for script in scripts if script.is_readable]
        self._translator = Translator()
        self.problems = [text for script in scripts if not script.is_readable for text in script.problems]

    def handins(self) -> list[Handin]:
        """Settle every homework that was asked for, then explain the files that are left over."""
        candidates = {homework: self._candidates(homework) for homework in self._search.wanted}
        handins = []
        for homework, scripts in candidates.items():
            if len(scripts) == 1:
                handins.append(self._handin(homework, scripts[0]))
            elif scripts:
                self.problems.append(ambiguous(homework, scripts, self._search))
        settled = {homework for homework, scripts in candidates.items() if scripts}
        self.problems.extend(unnamed(self._readable, settled, self._search))
        return handins

    def _candidates(self, homework: str) -> list[Script]:
        """Return the files that may be the homework: one is its hand-in, more are a question."""
        is_only = homework == self._search.only
        if is_only and len(self._scripts) == 1:
            return self._readable
        named = [one for one in self._readable if homework in self._search.homeworks_named_by(one)]
        if named or not is_only:
            return narrow(homework, named, self._readable, self._search)
        return only_candidate(homework, self._readable, self._search)

    def _handin(self, homework: str, script: Script) -> Handin:
        self.problems.extend(script.problems)
        notes = (
            *misnamed(homework, script, self._search),
            *taken(homework, script, self._search, len(self._scripts)),
        )
        stub = self._search.stubs[homework]
        return make_handin(homework, stub, script, self._readable, self._translator, notes)


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


def ambiguous(homework: str, candidates: Sequence[Script], search: Search) -> str:
    """Say that several different files may be the hand-in, so that none was taken."""
    names = listed([script.path for script in candidates])
    return (
        f"{names} differ and may each be {search.stubs[homework]}, so none was graded: keep one of them, "
        f"or grade the right one with `autograder grade FILE --homework {homework}`"
    )


def misnamed(homework: str, script: Script, search: Search) -> tuple[str, ...]:
    """Note that the file taken for a homework defines another one's functions."""
    if not search.belongs_elsewhere(script, homework):
        return ()
    defined = sorted(script.defined & set(search.telling))
    other = search.telling[defined[0]]
    return (f"{shown(script.path)} defines {listed(defined)}, which belongs to {other}",)


def taken(homework: str, script: Script, search: Search, files: int) -> tuple[str, ...]:
    """Note that a file was taken for a homework in spite of its name, where there were others."""
    if files == 1 or homework in search.homeworks_named_by(script):
        return ()
    return (f"{shown(script.path)} was taken for {homework}: no file is named like {search.stubs[homework]}",)


def unnamed(scripts: Sequence[Script], settled: AbstractSet[str], search: Search) -> Iterator[str]:
    """Point out files whose names stand for no homework, but which define what a missing one asks for.

    A file that is named like a missing homework, and defines another's functions, is pointed out as well.
    """
    for script in scripts:
        if search.homeworks_named_by(script):
            continue
        most = _most_defined(script, search)
        like = [key for key in stubs_named_by(script.name, search.stubs) if key in search.wanted]
        if most and (settled.isdisjoint(most) or any(key not in settled for key in like)):
            yield _unnamed(script, most, like, search)


def _unnamed(script: Script, most: Sequence[str], like: Sequence[str], search: Search) -> str:
    named = f"is named like {search.stubs[like[0]]}" if like else "matches no stub name"
    defined = [task for task in search.tasks[most[0]] if task in script.defined]
    what = f"{shown(script.path)} {named}, but defines {listed(defined)}"
    names = " or ".join(stem(search.stubs[homework]) + ending(script.name) for homework in most)
    which = most[0] if len(most) == 1 else "ID"
    return f"{what}: rename it to {names}, or grade it with --homework {which}"


def _most_defined(script: Script, search: Search) -> list[str]:
    """Return the wanted homeworks of which a file defines most names; none if it defines none."""
    tasks = {homework: search.tasks.get(homework, ()) for homework in search.wanted}
    counts = {homework: len(script.defined & set(names)) for homework, names in tasks.items()}
    most = max(counts.values(), default=0)
    return [homework for homework, count in counts.items() if count == most and most]


def nothing_found(name: str, read: ReadResult, search: Search) -> str:
    """Say what a submission without any hand-in holds, and what was looked for."""
    paths = [*(file.path for file in read.files), *read.other_names]
    total = len(read.files) + read.others
    found = f"holds no homework, only {listed(paths, total)}" if total else "is empty"
    stubs = listed([search.stubs[homework] for homework in search.wanted])
    return (
        f"{shown(name)} {found}; looked for {stubs} (or .ipynb): "
        "ask for the file, rename it, or grade it with `autograder grade FILE --homework ID`"
    )
