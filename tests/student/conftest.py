"""The released code itself, imported into the test process, and homeworks laid out once per module."""

from __future__ import annotations

import importlib
import random
import sys
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from released import CORPUS, HW1, unzip

from autograder.worker.runner import states


@contextmanager
def libraries_as_before() -> Iterator[None]:
    """What a submission switches or overwrites in this process ends with it, as a student's process does."""
    kept = states()
    try:
        with pytest.MonkeyPatch.context() as patched, warnings.catch_warnings(), np.printoptions():
            for owner, name in ((random, "seed"), (np.random, "seed"), (torch, "manual_seed")):
                patched.setattr(owner, name, getattr(owner, name))
            yield
    finally:
        for put_back, state in kept:
            put_back(state)


@dataclass(frozen=True)
class Released:
    """Released homeworks and the code that came with them."""

    top: Path

    def module(self, name: str) -> Any:
        return importlib.import_module(f"public_checks.{name}")

    def folder(self, homework_id: str) -> Path:
        path = self.top / homework_id
        return path if path.exists() else unzip(homework_id, path)

    def check(self, homework_id: str, text: str) -> Any:
        """Return the report on the text of a stub file."""
        folder = self.folder(homework_id)
        public = self.module("homework").open_homework(folder)
        (folder / public.homework.stub).write_text(text, encoding="utf-8")
        with libraries_as_before():
            return self.module("load").check_folder(public, folder)

    def screen(self, report: Any) -> str:
        text: str = self.module("table").render(report, self.module("style").Style())
        return text


@pytest.fixture(scope="module")
def students(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Released]:
    """What students have, importable as they import it."""
    one = Released(tmp_path_factory.mktemp("released"))
    sys.path.insert(0, str(one.folder(HW1)))
    yield one
    sys.path.remove(str(one.folder(HW1)))
    for name in [name for name in sys.modules if name.partition(".")[0] == "public_checks"]:
        del sys.modules[name]


@pytest.fixture(scope="session")
def mistaken() -> Callable[[str, str], str]:
    """The text of a mistaken submission of the corpus."""
    return lambda homework_id, name: (CORPUS / homework_id / "mistaken" / f"{name}.py").read_text("utf-8")
