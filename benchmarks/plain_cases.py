"""Write a homework's hidden suite as plain data beside the files that another contestant runs."""

from __future__ import annotations

import pickle
import shutil
from pathlib import Path
from typing import Any

from autograder.grading.suite import Suite
from autograder.worker.wire import Tensor

QUESTION = Path(__file__).resolve().parent / "question"


def write_question(folder: Path, suite: Suite, *files: str) -> None:
    """Copy some of the question's files and write all its cases with an expected answer, the fresh ones included.

    The pickle holds only this process's own numbers and is read by the benchmark alone.
    """
    folder.mkdir(parents=True, exist_ok=True)
    for name in files:
        shutil.copy(QUESTION / name, folder / name)
    cases = []
    for known in suite.known:
        if not known.case.expects:
            continue  # a check of its own judges what comes back
        case = {
            "id": known.case.id,
            "call": _plain(dict(known.case.call.as_mapping())),
            "expected": _plain(known.expected),
            "gradients": _plain(known.gradients),
            "tolerance": known.tolerance,
        }
        cases.append(case)
    (folder / "cases.pkl").write_bytes(pickle.dumps(cases))


def write_hidden_question(folder: Path, suite: Suite) -> None:
    """Write the question under a name that no grader takes for a submission: otter allows one ``.py``."""
    write_question(folder, suite, "question.py")
    (folder / "question.py").rename(folder / "question.source")


def _plain(value: Any) -> Any:
    if isinstance(value, Tensor):
        return {"tensor": value.array, "requires_grad": value.requires_grad}
    if isinstance(value, dict):
        return {key: _plain(item) for key, item in value.items()}
    if isinstance(value, tuple | list):
        return type(value)(_plain(item) for item in value)
    return value
