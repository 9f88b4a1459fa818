"""What to tell the person who grades when a file's homework is not clear: the file, and the remedy."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from collections.abc import Set as AbstractSet

from autograder.submissions.candidates import Search
from autograder.submissions.model import ReadResult
from autograder.submissions.naming import ending, listed, shown, stem, stubs_named_by
from autograder.submissions.script import Script


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
