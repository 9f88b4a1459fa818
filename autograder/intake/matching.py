"""Match the files of a submission with the homeworks: which file is for which, and what is unclear."""

from __future__ import annotations

import difflib
import sys
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, replace
from functools import cached_property

from autograder.intake.naming import (
    ending,
    listed,
    shortened,
    shown,
    stem,
    stubs_named_by,
)
from autograder.intake.notebook import Translator, read_script
from autograder.intake.submission import Handin, Matched, Problem, ReadResult, Sought
from autograder.intake.text import Script
from autograder.sandbox.request import Code

Untouched = Callable[[str, str], bool]
Tasks = Mapping[str, Mapping[str, Sought]]
"""For each homework its tasks by name."""
MAX_CANDIDATES = 20
MUCH = 1 / 3
"""The share of a homework's points from which a file is for it, even where it may be for another one, too."""
ALIKE, LONGEST, MOST_NAMES = 0.7, 60, 50
"""How alike a name is to a task's that it may have been meant for; of how many names, how long at most."""
UNCLEAR = "it is unclear which file or which homework it is"
GRADE = "`autograder grade FILE --homework"
# Files that students are given with a homework, and what they import, which tells them from a student's own.
_HANDED_OUT = {"check.py": "public_checks", "conftest.py": "public_checks"}
_HANDED_OUT |= {"public_checks.py": "public_checks", "attention_plots.py": "matplotlib"}
# A file of such a name could never replace the module of that name.
_MODULES = frozenset({*sys.stdlib_module_names, "numpy", "pytest", "torch"})


def match(
    name: str,
    read: ReadResult,
    stubs: Mapping[str, str],
    chosen: Sequence[str] = (),
    untouched: Untouched = lambda homework, text: False,
    tasks: Tasks | None = None,
    references: Mapping[str, Script] | None = None,
) -> Matched:
    """Return a submission's code for each homework, from one file at most, and what stood in the way.

    A file's name tells its homework; what it defines does where the name tells none or plainly a wrong one.
    ``name`` is the submission's, for messages. ``stubs`` maps homework ids to stub file names, ``tasks`` to
    what files of a homework define, ``references`` to solutions, which tell how many arguments a task takes.
    ``chosen`` are the homeworks asked for, all when empty; with one, a lone file is taken for it whatever its
    name, unless it fits another. ``untouched(homework, text)`` says whether a text (of a ``.py``, or of a
    notebook's code cells joined by line feeds) is still the stub.
    """
    tasks = tasks or {}
    scripts = [read_script(one) for one in read.files]
    used = frozenset[str]().union(*(one.imported for one in scripts))
    scripts = [one for one in scripts if not _is_handed_out(one, tasks, used)]
    readable = [script for script in scripts if script.is_readable]
    search = _Search(
        readable, len(scripts) == 1, stubs, chosen, untouched, tasks, references or {}
    )
    problems = [
        one for script in scripts if not script.is_readable for one in script.problems
    ]
    translator = Translator()
    handins: list[Handin] = []
    settled: dict[str, list[Script]] = {}
    for homework in search.wanted:
        candidates, recognised = search.candidates(homework)
        if not candidates:
            continue
        settled[homework] = candidates
        if len(candidates) > 1:
            names = listed([script.path for script in candidates])
            text = f"{names} differ and may each be {stubs[homework]}, so none was graded: keep one of them"
            problems.append(
                Problem(text, f"grade the right one with {GRADE} {homework}`", UNCLEAR)
            )
            continue
        [script] = candidates
        problems.extend(one for one in script.problems if one not in problems)
        code, notes = _code(script, stubs[homework], readable, translator)
        notes = [*script.notes, *search.doubts(homework, script, recognised), *notes]
        handins.append(Handin(homework, code, script.path, tuple(notes), recognised))
    problems.extend(search.left_over(settled))
    if not (handins or problems or (read.problems and not read.files)):
        paths = [*(file.path for file in read.files), *read.other_names]
        total = len(read.files) + read.others
        found = (
            f"holds no homework, only {listed(paths, total)}" if total else "is empty"
        )
        wanted = listed([stubs[homework] for homework in search.wanted])
        text = f"{shown(name)} {found}; looked for {wanted} (or .ipynb): hand in one of these"
        remedy = f"ask for the file, rename it, or grade it with {GRADE} ID`"
        problems.append(
            Problem(text, remedy, "it holds no homework" if total else "it is empty")
        )
    return Matched(
        tuple(handins),
        (*read.problems, *shortened(problems, "problems of its files", Problem)),
    )


def _is_handed_out(script: Script, tasks: Tasks, used: AbstractSet[str]) -> bool:
    """Whether a file came with the homework and holds no work; students who hand in a repository have it.

    What their work imports (``used``) stays beside it, but for the modules that the sandbox has of its own.
    """
    is_ours = _HANDED_OUT.get(script.name) in script.imported
    is_used = stem(script.name) in used - {"attention_plots", "public_checks"}
    return (
        is_ours
        and not is_used
        and not any(script.defined.keys() & own.keys() for own in tasks.values())
    )


@dataclass(frozen=True)
class _Search:
    """The files of a submission, what is looked for in them, and how to tell work from stubs."""

    readable: Sequence[Script]
    is_alone: bool
    stubs: Mapping[str, str]
    chosen: Sequence[str]
    untouched: Untouched
    tasks: Tasks
    references: Mapping[str, Script]

    @property
    def wanted(self) -> list[str]:
        """The homeworks asked for, all of them when none was named."""
        return [
            homework
            for homework in self.stubs
            if homework in self.chosen or not self.chosen
        ]

    @cached_property
    def telling(self) -> frozenset[str]:
        """The names of tasks that one homework alone asks for."""
        times = Counter(task for tasks in self.tasks.values() for task in tasks)
        return frozenset(task for task in times if times[task] == 1)

    @cached_property
    def fitting(self) -> dict[str, list[str]]:
        """The homeworks that each file is for, to judge by what it defines; by its path.

        A file fits a homework when it holds a task that no other homework asks for, and not just because a
        task of another one calls it. What fits several in this way is for those that it holds much of.
        """
        found = {}
        for script in self.readable:
            shares = {}
            for homework, own in self.tasks.items():
                telling = set(self.held(script, homework)) & self.telling
                if telling - script.called_from(
                    self.telling - own.keys() if telling else ()
                ):
                    shares[homework] = self.share(script, homework)
            found[script.path] = [
                key
                for key, share in shares.items()
                if share >= MUCH or len(shares) == 1
            ]
        return found

    def held(self, script: Script, homework: str) -> list[str]:
        """The tasks of a homework that a file holds: with the arguments that are asked for, or as a value."""
        reference, held = self.references.get(homework), []
        for task, sought in self.tasks.get(homework, {}).items():
            is_held = task in script.defined
            if is_held and reference and task in reference.defined:
                (least, most), asked = script.arguments(task), reference.arguments(task)
                is_held = least <= asked[1] and asked[0] <= most
            if is_held or sought.value in script.assigned:
                held.append(task)
        return held

    def share(self, script: Script, homework: str) -> float:
        """The share of a homework's points, from 0 to 1, that belongs to tasks that a file holds."""
        tasks = self.tasks[homework]
        points = sum(tasks[task].points for task in self.held(script, homework))
        return points / (sum(one.points for one in tasks.values()) or 1)

    def elsewhere(self, script: Script, homework: str) -> list[str]:
        """The homeworks that a file fits in place of this one: it holds much of them, and less of this.

        A name that is nearly that of a task of this homework may be meant for it, so nothing is clear then.
        """
        fits, tasks = self.fitting[script.path], self.tasks.get(homework)
        if not fits or homework in fits or not tasks:
            return []
        known = {task for own in self.tasks.values() for task in own}
        others = [
            name
            for name in script.defined
            if name not in known and len(name) <= LONGEST
        ][:MOST_NAMES]
        if any(
            difflib.get_close_matches(task, others, 1, ALIKE)
            for task in tasks.keys() & self.telling
        ):
            return []
        shares, own = (
            {key: self.share(script, key) for key in fits},
            self.share(script, homework),
        )
        return [key for key, share in shares.items() if share >= MUCH and share > own]

    @cached_property
    def named_by(self) -> dict[str, list[str]]:
        """The homeworks that each file's name stands for, unless its functions say otherwise; by its path."""
        return {
            script.path: [
                homework
                for homework in stubs_named_by(script.name, self.stubs)
                if stem(script.name) == stem(self.stubs[homework])
                or not self.elsewhere(script, homework)
            ]
            for script in self.readable
        }

    @cached_property
    def helpers(self) -> frozenset[str]:
        """The paths of modules that a homework's file imports."""
        works = [
            one
            for one in self.readable
            if self.fitting[one.path] or self.named_by[one.path]
        ]
        imported = {
            (one.folder, name)
            for one in works
            for name in one.imported - {stem(one.name)}
        }
        modules = (one for one in self.readable if one.cells is None)
        return frozenset(
            one.path for one in modules if (one.folder, stem(one.name)) in imported
        )

    def candidates(self, homework: str) -> tuple[list[Script], bool]:
        """Return the files that may be the homework, and whether what they define, not their names, says so.

        One settles it, more are a question. A file that is named for another homework counts only if it is
        that one as well. Where only this homework was asked for, any file may be it that fits no other. That
        is clear when there is one that is not another homework's, or one of them defines a task of the
        homework, or one of them is a notebook.
        """
        is_only, named_by = {homework} == set(self.chosen), self.named_by
        named = [one for one in self.readable if homework in named_by[one.path]]
        if is_only and self.is_alone:
            free = [one for one in self.readable if not self.elsewhere(one, homework)]
            return named or free, False
        if named:
            return self.narrowed(homework, named), False
        fits = [
            one
            for one in self.readable
            if homework in self.fitting[one.path] and one.path not in self.helpers
            if not named_by[one.path]
            or not set(named_by[one.path]).isdisjoint(self.fitting[one.path])
        ]
        if found := self.narrowed(homework, fits, keep_stub=len(self.readable) == 1):
            return found, True
        if not is_only:
            return [], False
        free = [
            one
            for one in self.readable
            if not (named_by[one.path] or self.elsewhere(one, homework))
        ]
        pool = self.narrowed(homework, free)
        notebooks = [one for one in pool if one.cells is not None]
        return notebooks if len(notebooks) == 1 else pool, False

    def narrowed(
        self, homework: str, scripts: Sequence[Script], *, keep_stub: bool = True
    ) -> list[Script]:
        """Return the scripts that are left when copies, untouched stubs and empty namesakes are dropped.

        Of copies the one with most modules beside it is kept, then the one in fewest folders. Too many
        different ones are a question in any case.
        """
        modules = Counter(one.folder for one in self.readable if one.cells is None)
        different: dict[tuple[bool, str], Script] = {}
        rank = {one.path: (one.cells is None) - modules[one.folder] for one in scripts}
        for one in sorted(
            scripts, key=lambda one: (rank[one.path], one.path.count("/"), one.path)
        ):
            different.setdefault((one.cells is None, one.text), one)
        if len(different) > MAX_CANDIDATES:
            return list(different.values())
        worked_on = [
            one for one in different.values() if not self.untouched(homework, one.text)
        ]
        if not worked_on:
            return list(different.values())[:1] if keep_stub else []
        own = self.tasks.get(homework, ())
        return [
            one for one in worked_on if not one.defined.keys().isdisjoint(own)
        ] or worked_on

    def doubts(self, homework: str, script: Script, recognised: bool) -> Iterator[str]:
        """Note a file that defines another homework's functions, or that was taken in spite of its name."""
        stub = self.stubs[homework]
        for other in self.elsewhere(script, homework):
            yield f"{shown(script.path)} defines {listed(self.held(script, other))} of {other}"
        if recognised:
            why = f"it defines {listed(self.held(script, homework))}"
            yield f"{shown(script.path)} was graded as {homework}: {why}, though its name is not {stem(stub)}"
        elif not self.is_alone and homework not in self.named_by[script.path]:
            yield f"{shown(script.path)} was taken for {homework}: no file is named like {stub}"

    def left_over(self, settled: Mapping[str, Sequence[Script]]) -> Iterator[Problem]:
        """Point out files that no homework was found for, though they define what one asks for.

        A file that is named like a missing homework, and defines another's functions, is pointed out as well.
        """
        taken = {
            script.path for scripts in settled.values() for script in scripts
        } | self.helpers
        for script in (one for one in self.readable if one.path not in taken):
            fits = self.fitting[script.path]
            if fits and not settled and set(fits).isdisjoint(self.wanted):
                asked = " or ".join(self.wanted)
                text = f"was not graded as {asked}: it defines {listed(self.held(script, fits[0]))}"
                remedy = f"grade it with {GRADE} {fits[0]}`, or name it like the stub of {asked}"
                text = (
                    f"{shown(script.path)} {text} of {fits[0]}; hand in the right file"
                )
                yield Problem(text, remedy, f"it fits {fits[0]}")
            elif not self.named_by[script.path]:
                yield from self._misnamed(script, settled.keys())

    def _misnamed(self, script: Script, settled: AbstractSet[str]) -> Iterator[Problem]:
        tasks = {homework: self.tasks.get(homework, {}) for homework in self.wanted}
        counts = {
            homework: len(script.defined.keys() & own.keys())
            for homework, own in tasks.items()
        }
        top = max(counts.values(), default=0)
        most = [homework for homework, count in counts.items() if count == top > 0]
        like = [key for key in stubs_named_by(script.name, self.stubs) if key in tasks]
        if most and (
            settled.isdisjoint(most) or any(key not in settled for key in like)
        ):
            named = (
                f"is named like {self.stubs[like[0]]}"
                if like
                else "matches no stub name"
            )
            defined = listed(
                [task for task in tasks[most[0]] if task in script.defined]
            )
            names = " or ".join(
                stem(self.stubs[homework]) + ending(script.name) for homework in most
            )
            which = most[0] if len(most) == 1 else "ID"
            text = f"{shown(script.path)} {named}, but defines {defined}: rename it to {names}"
            yield Problem(text, f"grade it with {GRADE} {which}`", UNCLEAR)


def _code(
    script: Script, stub: str, scripts: list[Script], translator: Translator
) -> tuple[Code, list[str]]:
    """Return a file, with the modules in its folder, which it may import, as code to run; and notes on it."""
    notes = []
    modules = (
        one for one in scripts if one.folder == script.folder and one.cells is None
    )
    beside = [one for one in modules if one.path != script.path]
    files = {one.name: one.text for one in beside if stem(one.name) not in _MODULES}
    left_out = [shown(one.name) for one in beside if stem(one.name) in _MODULES]
    if left_out:
        notes.append(
            f"{', '.join(left_out[:5])} left out, being named like modules of Python: rename them"
        )
    if script.cells is not None:
        cells = tuple(
            replace(cell, source=translator.cell(cell.source)) for cell in script.cells
        )
        return Code(script.name, files, cells), notes
    entry = script.name
    if stem(entry) in _MODULES:
        entry = stub
        notes.append(
            f"{shown(script.name)} is named like a module of Python: it was read as {stub}"
        )
    files[entry] = translator.script(script.text)
    if files[entry] != script.text:
        notes.append(
            f"{shown(script.name)} holds notebook commands (% or !), which were not run"
        )
    return Code(entry, files), notes
