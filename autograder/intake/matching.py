"""Match the files of a submission with the homeworks, and report the unclear ones."""

from __future__ import annotations

import difflib
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field, replace
from functools import cached_property

from autograder.course.homework import Homework, Task
from autograder.intake.handed_out import HandedOut
from autograder.intake.naming import (
    ending,
    homeworks_named_in,
    listed,
    shortened,
    stem,
)
from autograder.intake.notebook import Translator, read_script
from autograder.intake.submission import Handin, Problem, ReadResult, SubmissionHandins
from autograder.intake.text import Script
from autograder.sandbox.request import Code
from autograder.untrusted_text import name_in_message
from autograder.worker.inert import PLOTS

MAX_CANDIDATES = 20
LARGE_SHARE = 1 / 3
"""The share of a homework's points from which a file is for it, even if it may be for another one too."""
# A name that is nearly a task's may be meant for it: how alike the two must be, how long a name may be, and
# how many names of a file are compared.
MIN_LIKENESS = 0.7
MAX_NAME_LETTERS = 60
MAX_NAMES_COMPARED = 50
UNCLEAR = "it is unclear which file or which homework it is"
GRADE = "`autograder grade FILE --homework"
# Files that students receive with a homework, each with an import that distinguishes it from a student's own file.
_HANDED_OUT_IMPORTS = {
    "check.py": "public_checks",
    "conftest.py": "public_checks",
    "public_checks.py": "public_checks",
    **{f"{name}.py": "matplotlib" for name in PLOTS},
}
# The sandbox has its own copies of these modules, so a submission's copy is never needed next to the work.
_SANDBOX_MODULES = frozenset({*PLOTS, "public_checks"})
# A file of such a name could never replace the module of that name.
_MODULES = frozenset({*sys.stdlib_module_names, "numpy", "pytest", "torch"})


@dataclass(frozen=True)
class HomeworkProfile:
    """The facts by which the files of one homework are recognised.

    ``reference`` is the reference solution, which shows how many arguments each task takes. ``is_untouched``
    says whether a text (of a ``.py``, or of a notebook's code cells joined by line feeds) is still as it was
    handed out.
    """

    id: str
    stub: str
    tasks: Mapping[str, Task] = field(default_factory=dict)
    reference: Script | None = None
    is_untouched: Callable[[str], bool] = lambda text: False

    @cached_property
    def names(self) -> frozenset[str]:
        """The names that a file for it may define: those of tasks, and of their values."""
        names = set(self.tasks)
        for task in self.tasks.values():
            if task.value is not None:
                names.add(task.value)
        return frozenset(names)

    @classmethod
    def of(cls, homework: Homework) -> HomeworkProfile:
        """Return the profile of a homework of the course; its reference solution may be missing."""
        reference = None
        if homework.solution.is_file():
            text = homework.solution.read_text(encoding="utf-8")
            reference = Script(homework.stub, text)
        return cls(
            homework.id,
            homework.stub,
            {task.name: task for task in homework.tasks},
            reference,
            HandedOut(homework).is_untouched,
        )


def match(
    name: str,
    read: ReadResult,
    profiles: Sequence[HomeworkProfile],
    chosen: Sequence[str] = (),
) -> SubmissionHandins:
    """Return a submission's code for each homework, from at most one file each, and the problems on the way.

    A file's name says which homework it is for. If the name says nothing, or is plainly wrong, the functions
    that the file defines decide.

    Args:
        name: the submission's name, for messages.
        read: the submission's files.
        profiles: those of all homeworks that a file may be for.
        chosen: the ids of the homeworks to look for, all if empty. If it is a single one, a lone file is
            taken for it whatever its name, unless it fits another homework.
    """
    profile_of = {profile.id: profile for profile in profiles}
    all_scripts = list(map(read_script, read.files))
    imported: set[str] = set()
    for script in all_scripts:
        imported |= script.imported
    scripts = []
    readable = []
    problems: list[Problem] = []
    for script in all_scripts:
        if _is_handed_out(script, profiles, imported):
            continue
        scripts.append(script)
        if script.is_readable:
            readable.append(script)
        else:
            problems += script.problems
    search = _Search(readable, len(scripts) == 1, profile_of, chosen)
    translator = Translator()
    handins: list[Handin] = []
    candidates_of: dict[str, Sequence[Script]] = {}
    for homework_id in search.in_question:
        candidates = search.candidates(homework_id)
        if not candidates.scripts:
            continue
        candidates_of[homework_id] = candidates.scripts
        if len(candidates.scripts) > 1:
            problems.append(_are_too_many(candidates, profile_of[homework_id]))
            continue
        [script] = candidates.scripts
        for problem in script.problems:
            if problem not in problems:
                problems.append(problem)
        handins.append(_handin(search, homework_id, candidates, translator))
    problems.extend(search.left_over(candidates_of))
    if not handins and not problems and (read.files or not read.problems):
        problems.append(_holds_no_homework(name, read, search))
    return SubmissionHandins(
        tuple(handins),
        (*read.problems, *shortened(problems, "problems of its files", Problem)),
    )


def _are_too_many(candidates: Candidates, profile: HomeworkProfile) -> Problem:
    """Say that several files may be for one homework, and how to grade one of them."""
    names = listed([script.path for script in candidates.scripts])
    text = (
        f"{names} differ and may each be {profile.stub}, so none was graded: "
        "keep one of them"
    )
    remedy = f"grade the right one with {GRADE} {profile.id}`"
    return Problem(text, remedy, UNCLEAR, names_command=True)


def _handin(
    search: _Search, homework_id: str, candidates: Candidates, translator: Translator
) -> Handin:
    """Return the code of the only candidate, with notes on what may be wrong with it."""
    [script] = candidates.scripts
    stub = search.stubs[homework_id]
    code, code_notes = _code(script, stub, search.readable, translator)
    doubts = search.doubts(homework_id, script, candidates.by_content)
    named_for: tuple[str, ...] = ()
    if candidates.by_content:
        named_for = homeworks_named_in(script.name, search.stubs)
        if homework_id in named_for:
            named_for = ()
    return Handin(
        homework=homework_id,
        code=code,
        origin=script.path,
        notes=(*script.notes, *doubts, *code_notes),
        recognised=candidates.by_content,
        fits=tuple(search.elsewhere(script, homework_id)),
        named_for=named_for,
    )


def _holds_no_homework(name: str, read: ReadResult, search: _Search) -> Problem:
    """Say what a submission holds instead of a homework, and which files were looked for."""
    total = len(read.files) + read.others
    if total:
        paths = [file.path for file in read.files]
        paths += read.other_names
        content = f"contains no homework, only {listed(paths, total)}"
        cause = "it contains no homework"
    else:
        content = "is empty"
        cause = "it is empty"
    stubs = listed([search.stubs[homework_id] for homework_id in search.wanted])
    text = f"{name_in_message(name)} {content}; looked for {stubs} (or .ipynb): hand in one of these"
    remedy = f"ask for the file, rename it, or grade it with {GRADE} ID`"
    return Problem(text, remedy, cause, names_command=True)


def _is_handed_out(
    script: Script,
    profiles: Iterable[HomeworkProfile],
    imported: AbstractSet[str],
) -> bool:
    """Return whether a file came with the homework and holds no work, as in a repository that is handed in whole.

    A file that the student's work imports stays next to it, except for the modules that the sandbox has.
    """
    if _HANDED_OUT_IMPORTS.get(script.name) not in script.imported:
        return False
    if stem(script.name) in imported - _SANDBOX_MODULES:
        return False
    tasks: set[str] = set()
    for profile in profiles:
        tasks.update(profile.tasks)
    return script.defined.keys().isdisjoint(tasks)


@dataclass(frozen=True)
class Candidates:
    """The files that may be for one homework; ``by_content`` says that their functions, not their names, say so."""

    scripts: Sequence[Script]
    by_content: bool = False


@dataclass(frozen=True)
class _Search:
    """The files of one submission, and the homeworks that are looked for in them.

    Homeworks are known by their ids here, files by their paths. The questions, from the simplest to the answer:

    ============== =================== ==================================================================
    question       asked of            answer
    ============== =================== ==================================================================
    ``held``       a file, a homework  the tasks of the homework that the file holds
    ``fitting``    a file              the homeworks that it is for by its functions and values
    ``elsewhere``  a file, a homework  the homeworks that it fits in place of this one
    ``named_by``   a file              the homeworks that it is for by its name
    ``helpers``    all files           the modules that files of homeworks import
    ``candidates`` a homework          the files that may be for it: one settles it, several are a problem
    ``left_over``  the files not taken the problems of those that look like work for a homework
    ============== =================== ==================================================================

    Attributes:
        readable: the files that could be read.
        is_alone: whether the submission has no other file.
        profiles: those of all homeworks that a file may be for, by id.
        chosen: the ids of the homeworks that were asked for, all if empty.
    """

    readable: Sequence[Script]
    is_alone: bool
    profiles: Mapping[str, HomeworkProfile]
    chosen: Sequence[str]

    @property
    def wanted(self) -> list[str]:
        """The homeworks to look for: the chosen ones, or all."""
        if not self.chosen:
            return list(self.profiles)
        wanted = []
        for homework_id in self.profiles:
            if homework_id in self.chosen:
                wanted.append(homework_id)
        return wanted

    @cached_property
    def in_question(self) -> list[str]:
        """The wanted homeworks that a file is named for or fits; the only one that was asked for always is."""
        if len(set(self.chosen)) == 1:
            return self.wanted
        named_or_fitting: set[str] = set()
        for script in self.readable:
            named_or_fitting.update(self.named_by[script.path])
            named_or_fitting.update(self.fitting[script.path])
        in_question = []
        for homework_id in self.wanted:
            if homework_id in named_or_fitting:
                in_question.append(homework_id)
        return in_question

    @cached_property
    def stubs(self) -> dict[str, str]:
        """The file names of the homeworks' stubs."""
        stubs = {}
        for homework_id, profile in self.profiles.items():
            stubs[homework_id] = profile.stub
        return stubs

    @cached_property
    def unique_tasks(self) -> frozenset[str]:
        """The names of tasks that only one homework has."""
        times: Counter[str] = Counter()
        for profile in self.profiles.values():
            times.update(profile.tasks.keys())
        unique_tasks = set()
        for task, count in times.items():
            if count == 1:
                unique_tasks.add(task)
        return frozenset(unique_tasks)

    @cached_property
    def fitting(self) -> dict[str, list[str]]:
        """The homeworks that each file fits by its functions and values.

        A file fits a homework if it holds a task that no other homework has, and not only because a task of
        another homework calls it. If it fits several, it is for each homework of which it holds a large share.
        """
        return {script.path: self._fits(script) for script in self.readable}

    def _fits(self, script: Script) -> list[str]:
        shares = {}
        names = script.defined.keys() | script.assigned
        for homework_id, profile in self.profiles.items():
            if names.isdisjoint(profile.names):
                continue
            unique = self.unique_tasks.intersection(self.held(script, homework_id))
            if not unique:
                continue
            others = self.unique_tasks - profile.tasks.keys()
            if unique - script.called_from(others):
                shares[homework_id] = self.share(script, homework_id)
        if len(shares) == 1:
            return list(shares)
        fits = []
        for homework_id, share in shares.items():
            if share >= LARGE_SHARE:
                fits.append(homework_id)
        return fits

    @cached_property
    def _held_tasks(self) -> dict[tuple[str, str], list[str]]:
        """What ``held`` has found, by the file and the homework."""
        return {}

    def held(self, script: Script, homework_id: str) -> list[str]:
        """The tasks of a homework that a file holds: as a function with its arguments, or as a value."""
        key = (script.path, homework_id)
        if key not in self._held_tasks:
            self._held_tasks[key] = self._find_held(script, self.profiles[homework_id])
        return self._held_tasks[key]

    def _find_held(self, script: Script, profile: HomeworkProfile) -> list[str]:
        reference = profile.reference
        held = []
        for name, task in profile.tasks.items():
            is_held = name in script.defined
            if is_held and reference is not None and name in reference.defined:
                least, most = script.arguments(name)
                reference_least, reference_most = reference.arguments(name)
                is_held = least <= reference_most and reference_least <= most
            if is_held or task.value in script.assigned:
                held.append(name)
        return held

    def share(self, script: Script, homework_id: str) -> float:
        """The share of a homework's points, from 0 to 1, that belongs to tasks that a file holds."""
        tasks = self.profiles[homework_id].tasks
        held_tasks = self.held(script, homework_id)
        held_points = sum(tasks[task].points for task in held_tasks)
        all_points = sum(task.points for task in tasks.values())
        return held_points / (all_points or 1)

    def elsewhere(self, script: Script, homework_id: str) -> list[str]:
        """The homeworks that a file fits in place of this one: it holds a large share, and less of this.

        A name that is nearly that of a task of this homework may be meant for it, so then nothing is clear.
        """
        fits = self.fitting[script.path]
        tasks = self.profiles[homework_id].tasks
        if not fits or homework_id in fits or not tasks:
            return []
        known_names: set[str] = set()
        for profile in self.profiles.values():
            known_names.update(profile.tasks)
        other_names = []
        for name in script.defined:
            if name not in known_names and len(name) <= MAX_NAME_LETTERS:
                other_names.append(name)
        compared = other_names[:MAX_NAMES_COMPARED]
        for task in self.unique_tasks.intersection(tasks):
            if difflib.get_close_matches(task, compared, 1, MIN_LIKENESS):
                return []
        share_here = self.share(script, homework_id)
        others = []
        for other_id in fits:
            share = self.share(script, other_id)
            if share >= LARGE_SHARE and share > share_here:
                others.append(other_id)
        return others

    @cached_property
    def named_by(self) -> dict[str, list[str]]:
        """The homeworks that each file is named for, unless its functions say otherwise.

        Exactly the name of the stub always counts.
        """
        named_by = {}
        for script in self.readable:
            homework_ids = []
            for homework_id in homeworks_named_in(script.name, self.stubs):
                is_exact = stem(script.name) == stem(self.stubs[homework_id])
                if is_exact or not self.elsewhere(script, homework_id):
                    homework_ids.append(homework_id)
            named_by[script.path] = homework_ids
        return named_by

    @cached_property
    def helpers(self) -> frozenset[str]:
        """The modules that a homework's file imports."""
        imported = set()
        for script in self.readable:
            if self.fitting[script.path] or self.named_by[script.path]:
                for module in script.imported - {stem(script.name)}:
                    imported.add((script.folder, module))
        paths = set()
        for script in self.readable:
            module = stem(script.name)
            if script.cells is None and (script.folder, module) in imported:
                paths.add(script.path)
        return frozenset(paths)

    def candidates(self, homework_id: str) -> Candidates:
        """Return the files that may be for a homework: a single file settles it, several are a question.

        In this order count: files named for the homework; files that define its tasks, unless they are named
        for another homework only; and, if only this homework was asked for, files that are neither named for
        another homework nor fit one. Among these last ones, a single notebook is preferred to modules.
        """
        is_only = {homework_id} == set(self.chosen)
        named_by = self.named_by
        named_files = []
        free = []
        for script in self.readable:
            if homework_id in named_by[script.path]:
                named_files.append(script)
            elif not self.elsewhere(script, homework_id):
                free.append(script)
        if is_only and self.is_alone:
            return Candidates(named_files or free)
        if named_files:
            return Candidates(self.narrowed(homework_id, named_files))

        fitting = []
        for script in self.readable:
            fits = self.fitting[script.path]
            names = named_by[script.path]
            is_named_elsewhere = names and set(names).isdisjoint(fits)
            is_helper = script.path in self.helpers
            if homework_id in fits and not is_helper and not is_named_elsewhere:
                fitting.append(script)
        fitting = self.narrowed(homework_id, fitting, keep_stub=len(self.readable) == 1)
        if fitting:
            return Candidates(fitting, by_content=True)
        if not is_only:
            return Candidates([])

        unnamed = []
        for script in free:
            if not named_by[script.path]:
                unnamed.append(script)
        unnamed = self.narrowed(homework_id, unnamed)
        notebooks = []
        for script in unnamed:
            if script.cells is not None:
                notebooks.append(script)
        if len(notebooks) == 1:
            return Candidates(notebooks)
        return Candidates(unnamed)

    def narrowed(
        self, homework_id: str, scripts: Sequence[Script], *, keep_stub: bool = True
    ) -> list[Script]:
        """Return the scripts without copies, untouched stubs and files that define no task.

        Of copies, the one with most modules next to it is kept, then the one in fewest folders. Too many
        different ones are a question in any case, so they are not looked into.
        """
        modules = Counter[str]()
        for script in self.readable:
            if script.cells is None:
                modules[script.folder] += 1

        def preference(script: Script) -> tuple[int, int, str]:
            is_module = script.cells is None
            neighbours = modules[script.folder] - is_module
            return -neighbours, script.path.count("/"), script.path

        different: dict[tuple[bool, str], Script] = {}
        for script in sorted(scripts, key=preference):
            different.setdefault((script.cells is None, script.text), script)
        distinct = list(different.values())
        if len(distinct) > MAX_CANDIDATES:
            return distinct
        profile = self.profiles[homework_id]
        worked_on = []
        with_tasks = []
        for script in distinct:
            if profile.is_untouched(script.text):
                continue
            worked_on.append(script)
            if not script.defined.keys().isdisjoint(profile.tasks):
                with_tasks.append(script)
        if worked_on:
            return with_tasks or worked_on
        if keep_stub:
            return distinct[:1]
        return []

    def doubts(
        self, homework_id: str, script: Script, by_content: bool
    ) -> Iterator[str]:
        """Note a file that defines another homework's functions, or that was taken in spite of its name."""
        stub = self.stubs[homework_id]
        path = name_in_message(script.path)
        for other_id in self.elsewhere(script, homework_id):
            yield f"{path} defines {listed(self.held(script, other_id))} of {other_id}"
        if by_content:
            yield (
                f"{path} was graded as {homework_id}: it defines "
                f"{listed(self.held(script, homework_id))}, though its name is not {stem(stub)}"
            )
        elif not self.is_alone and homework_id not in self.named_by[script.path]:
            yield f"{path} was taken for {homework_id}: no file is named like {stub}"

    def left_over(
        self, candidates_of: Mapping[str, Sequence[Script]]
    ) -> Iterator[Problem]:
        """Report files that were taken for no homework although they define tasks of a homework.

        A file that is named like a missing homework, and defines another's functions, is reported as well.
        """
        used_paths = set(self.helpers)
        for scripts in candidates_of.values():
            for script in scripts:
                used_paths.add(script.path)
        for script in self.readable:
            if script.path in used_paths:
                continue
            fits = self.fitting[script.path]
            is_for_others = bool(fits) and set(fits).isdisjoint(self.wanted)
            if is_for_others and not candidates_of:
                wanted = " or ".join(self.wanted)
                defined = listed(self.held(script, fits[0]))
                text = (
                    f"{name_in_message(script.path)} was not graded as {wanted}: it defines {defined} "
                    f"of {fits[0]}; hand in the right file"
                )
                remedy = f"grade it with {GRADE} {fits[0]}`, or name it like the stub of {wanted}"
                cause = f"it fits {fits[0]}"
                yield Problem(text, remedy, cause, names_command=True)
            elif not self.named_by[script.path]:
                yield from self._misnamed(script, candidates_of.keys())

    def _misnamed(self, script: Script, settled: AbstractSet[str]) -> Iterator[Problem]:
        """Report a file that defines most tasks of a homework that has no file, and how to rename it."""
        counts = {}
        for homework_id in self.wanted:
            tasks = self.profiles[homework_id].tasks
            counts[homework_id] = len(script.defined.keys() & tasks.keys())
        highest = max(counts.values(), default=0)
        likely = []
        for homework_id, count in counts.items():
            if count == highest > 0:
                likely.append(homework_id)
        if not likely:
            return
        similar = []
        for homework_id in homeworks_named_in(script.name, self.stubs):
            if homework_id in counts:
                similar.append(homework_id)
        is_similar_missing = not set(similar) <= settled
        if not settled.isdisjoint(likely) and not is_similar_missing:
            return
        naming = "matches no stub name"
        if similar:
            naming = f"is named like {self.stubs[similar[0]]}"
        defined_tasks = []
        for task in self.profiles[likely[0]].tasks:
            if task in script.defined:
                defined_tasks.append(task)
        defined = listed(defined_tasks)
        new_names = []
        for homework_id in likely:
            stub_name = stem(self.stubs[homework_id])
            new_names.append(stub_name + ending(script.name))
        names = " or ".join(new_names)
        text = f"{name_in_message(script.path)} {naming}, but defines {defined}: rename it to {names}"
        graded_as = "ID"
        if len(likely) == 1:
            graded_as = likely[0]
        remedy = f"grade it with {GRADE} {graded_as}`"
        yield Problem(text, remedy, UNCLEAR, names_command=True)


def _code(
    script: Script, stub: str, scripts: Sequence[Script], translator: Translator
) -> tuple[Code, list[str]]:
    """Return a file as code to run, with the modules in its folder that it may import; and notes on it."""
    notes = []
    files = {}
    left_out = []
    for module in scripts:
        is_beside = module.folder == script.folder and module.path != script.path
        if not is_beside or module.cells is not None:
            continue
        if stem(module.name) in _MODULES:
            left_out.append(name_in_message(module.name))
        else:
            files[module.name] = module.text
    if left_out:
        notes.append(
            f"{', '.join(left_out[:5])} left out because they are named like Python modules: rename them"
        )
    if script.cells is not None:
        cells = []
        for cell in script.cells:
            source = translator.cell(cell.source)
            cells.append(replace(cell, source=source))
        return Code(script.name, files, tuple(cells)), notes

    entry = script.name
    if stem(entry) in _MODULES:
        entry = stub
        notes.append(
            f"{name_in_message(script.name)} is named like a Python module: it was read as {stub}"
        )
    files[entry] = translator.script(script.text)
    if files[entry] != script.text:
        notes.append(
            f"{name_in_message(script.name)} holds notebook commands (% or !), which were not run"
        )
    return Code(entry, files), notes
