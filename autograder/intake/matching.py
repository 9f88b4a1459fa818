"""Match the files of a submission with the homeworks: which file is for which, and what is unclear."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, replace
from functools import cached_property

from autograder.intake.naming import ending, listed, shortened, shown, stem, stubs_named_by
from autograder.intake.notebook import Translator, read_script
from autograder.intake.submission import Handin, Matched, Problem, ReadResult
from autograder.intake.text import Script
from autograder.sandbox import Code

Untouched = Callable[[str, str], bool]
MAX_CANDIDATES = 20
GRADE = "`autograder grade FILE --homework"
# A file of such a name could never replace the module of that name.
_MODULES = frozenset({*sys.stdlib_module_names, "numpy", "pytest", "torch"})


def match(
    name: str,
    read: ReadResult,
    stubs: Mapping[str, str],
    chosen: Sequence[str] = (),
    untouched: Untouched | None = None,
    tasks: Mapping[str, Sequence[str]] | None = None,
) -> Matched:
    """Return a submission's code for each homework, from one file at most, and what stood in the way.

    ``name`` is the submission's, for messages. ``stubs`` maps homework ids to stub file names, ``tasks`` to
    public names, which tell a misnamed file from a helper. ``chosen`` are the homeworks asked for, all when
    empty; with one, a lone file is taken for it whatever its name. ``untouched(homework, text)`` says
    whether a text (of a ``.py``, or of a notebook's code cells joined by line feeds) is still the stub.
    """
    scripts = [read_script(file) for file in read.files]
    readable = [script for script in scripts if script.is_readable]
    search = _Search(readable, len(scripts) == 1, stubs, chosen, untouched, tasks or {})
    problems = [one for script in scripts if not script.is_readable for one in script.problems]
    translator = Translator()
    handins: list[Handin] = []
    settled: set[str] = set()
    for homework in search.wanted:
        candidates = search.candidates(homework)
        if not candidates:
            continue
        settled.add(homework)
        if len(candidates) > 1:
            differ = f"differ and may each be {stubs[homework]}, so none was graded: keep one of them"
            names = listed([script.path for script in candidates])
            problems.append(
                Problem(f"{names} {differ}", f"grade the right one with {GRADE} {homework}`", differ)
            )
            continue
        [script] = candidates
        problems.extend(script.problems)
        code, notes = _code(script, stubs[homework], readable, translator)
        notes = [*script.notes, *search.doubts(homework, script), *notes]
        handins.append(Handin(homework, code, script.path, tuple(notes)))
    problems.extend(search.misnamed(settled))
    if not (handins or problems or (read.problems and not read.files)):
        paths = [*(file.path for file in read.files), *read.other_names]
        total = len(read.files) + read.others
        found = f"holds no homework, only {listed(paths, total)}" if total else "is empty"
        wanted = listed([stubs[homework] for homework in search.wanted])
        text = f"{shown(name)} {found}; looked for {wanted} (or .ipynb): hand in one of these"
        remedy = f"ask for the file, rename it, or grade it with {GRADE} ID`"
        problems.append(Problem(text, remedy, "holds no homework" if total else "is empty"))
    return Matched(tuple(handins), (*read.problems, *shortened(problems, "problems of its files", Problem)))


@dataclass(frozen=True)
class _Search:
    """The files of a submission, what is looked for in them, and how to tell work from stubs."""

    readable: Sequence[Script]
    is_alone: bool
    stubs: Mapping[str, str]
    chosen: Sequence[str]
    untouched: Untouched | None
    tasks: Mapping[str, Sequence[str]]

    @property
    def wanted(self) -> list[str]:
        """The homeworks asked for, all of them when none was named."""
        return [homework for homework in self.stubs if homework in self.chosen or not self.chosen]

    @cached_property
    def telling(self) -> dict[str, str]:
        """The names that belong to one homework alone, and that homework."""
        times = Counter(name for names in self.tasks.values() for name in set(names))
        return {name: key for key, names in self.tasks.items() for name in names if times[name] == 1}

    def homeworks_named_by(self, script: Script) -> tuple[str, ...]:
        """The homeworks that a file's name stands for, unless its functions say otherwise."""
        return tuple(
            homework
            for homework in stubs_named_by(script.name, self.stubs)
            if stem(script.name) == stem(self.stubs[homework]) or not self.belongs_elsewhere(script, homework)
        )

    def belongs_elsewhere(self, script: Script, homework: str) -> bool:
        """Whether a file defines nothing of a homework, but something that only another one asks for."""
        own = self.tasks.get(homework, ())
        return bool(own) and not script.defines(own) and script.defines(self.telling)

    def candidates(self, homework: str) -> list[Script]:
        """Return the files that may be the homework: one settles it, more are a question.

        Where only this homework was asked for, a file may be it in spite of its name. That is clear when
        there is one file that is not another homework's, or one of them defines a task of the homework, or
        one of them is a notebook.
        """
        is_only = {homework} == set(self.chosen)
        if is_only and self.is_alone:
            return list(self.readable)
        named = [one for one in self.readable if homework in self.homeworks_named_by(one)]
        if named or not is_only:
            return self.narrowed(homework, named)
        pool = self.narrowed(homework, [one for one in self.readable if not self.homeworks_named_by(one)])
        notebooks = [one for one in pool if one.cells is not None]
        return notebooks if len(notebooks) == 1 else pool

    def narrowed(self, homework: str, candidates: Sequence[Script]) -> list[Script]:
        """Return the candidates that are left when copies, untouched stubs and empty namesakes are dropped.

        Of copies the one with most modules beside it is kept, then the one in fewest folders. Too many
        different ones are a question in any case.
        """
        modules = Counter(one.folder for one in self.readable if one.cells is None)
        different: dict[tuple[bool, str], Script] = {}
        for one in sorted(
            candidates,
            key=lambda one: ((one.cells is None) - modules[one.folder], one.path.count("/"), one.path),
        ):
            different.setdefault((one.cells is None, one.text), one)
        if len(different) > MAX_CANDIDATES:
            return list(different.values())
        untouched = self.untouched or (lambda homework, text: False)
        worked_on = [one for one in different.values() if not untouched(homework, one.text)]
        if not worked_on:
            return list(different.values())[:1]
        own = self.tasks.get(homework, ())
        return [one for one in worked_on if one.defines(own)] or worked_on

    def doubts(self, homework: str, script: Script) -> Iterator[str]:
        """Note a file that defines another homework's functions, or that was taken in spite of its name."""
        if self.belongs_elsewhere(script, homework):
            defined = sorted(script.defined & set(self.telling))
            other = self.telling[defined[0]]
            yield f"{shown(script.path)} defines {listed(defined)}, which belongs to {other}"
        if not self.is_alone and homework not in self.homeworks_named_by(script):
            stub = self.stubs[homework]
            yield f"{shown(script.path)} was taken for {homework}: no file is named like {stub}"

    def misnamed(self, settled: AbstractSet[str]) -> Iterator[Problem]:
        """Point out files whose names stand for no homework, but which define what a missing one asks for.

        A file that is named like a missing homework, and defines another's functions, is pointed out as well.
        """
        tasks = {homework: self.tasks.get(homework, ()) for homework in self.wanted}
        for script in self.readable:
            if self.homeworks_named_by(script):
                continue
            counts = {homework: len(script.defined & set(names)) for homework, names in tasks.items()}
            top = max(counts.values(), default=0)
            most = [homework for homework, count in counts.items() if count == top > 0]
            like = [key for key in stubs_named_by(script.name, self.stubs) if key in tasks]
            if most and (settled.isdisjoint(most) or any(key not in settled for key in like)):
                named = f"is named like {self.stubs[like[0]]}" if like else "matches no stub name"
                defined = listed([task for task in tasks[most[0]] if task in script.defined])
                names = " or ".join(stem(self.stubs[homework]) + ending(script.name) for homework in most)
                which = most[0] if len(most) == 1 else "ID"
                text = f"{named}, but defines {defined}: rename it to {names}"
                yield Problem.of(script.path, text, f"grade it with {GRADE} {which}`")


def _code(
    script: Script, stub: str, readable: Sequence[Script], translator: Translator
) -> tuple[Code, list[str]]:
    """Return a file, with the modules in its folder, which it may import, as code to run; and notes on it."""
    notes = []
    modules = [one for one in readable if one.folder == script.folder and one.cells is None]
    beside = [one for one in modules if one.path != script.path]
    files = {one.name: one.text for one in beside if stem(one.name) not in _MODULES}
    left_out = [shown(one.name) for one in beside if stem(one.name) in _MODULES]
    if left_out:
        notes.append(f"{', '.join(left_out[:5])} left out, being named like modules of Python: rename them")
    if script.cells is not None:
        cells = tuple(replace(cell, source=translator.cell(cell.source)) for cell in script.cells)
        return Code(script.name, files, cells), notes
    entry = script.name
    if stem(entry) in _MODULES:
        entry = stub
        notes.append(f"{shown(script.name)} is named like a module of Python: it was read as {stub}")
    files[entry] = translator.script(script.text)
    if files[entry] != script.text:
        notes.append(f"{shown(script.name)} holds notebook commands (% or !), which were not run")
    return Code(entry, files), notes
