"""Turn one source file and the modules beside it into the code that a worker runs."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import replace

from autograder.intake.naming import shown, stem
from autograder.intake.notebook import Translator
from autograder.intake.script import Script
from autograder.intake.submission import Handin
from autograder.sandbox import Code

_TAKEN = frozenset({*sys.stdlib_module_names, "numpy", "pytest", "torch"})


def is_taken(name: str) -> bool:
    """Whether a file is named like a module of Python, NumPy or PyTorch, which it could never replace."""
    return stem(name) in _TAKEN


def companions(script: Script, scripts: Sequence[Script]) -> list[Script]:
    """Return the modules in a script's own folder, which it may import."""
    modules = [one for one in scripts if one.folder == script.folder and one.cells is None]
    return [one for one in modules if one.path != script.path]


def make_handin(
    homework: str,
    stub: str,
    script: Script,
    scripts: Sequence[Script],
    translator: Translator,
    more_notes: Sequence[str] = (),
) -> Handin:
    """Return one file as the hand-in for a homework, together with the modules beside it."""
    beside = companions(script, scripts)
    files = {one.name: one.text for one in beside if not is_taken(one.name)}
    notes = [*script.notes, *more_notes]
    left_out = [shown(one.name) for one in beside if is_taken(one.name)]
    if left_out:
        notes.append(f"{', '.join(left_out[:5])} left out, being named like modules of Python: rename them")
    entry = script.name
    if script.cells is None and is_taken(entry):
        entry = stub
        notes.append(f"{shown(script.name)} is named like a module of Python: it was read as {stub}")
    cells = None
    if script.cells is not None:
        cells = tuple(replace(cell, source=translator.cell(cell.source)) for cell in script.cells)
    else:
        files[entry] = translator.script(script.text)
        if files[entry] != script.text:
            notes.append(f"{shown(script.name)} holds notebook commands (% or !), which were not run")
    return Handin(homework, Code(entry, files, cells), script.path, tuple(notes))
