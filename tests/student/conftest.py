"""Released homeworks laid out once per module, and checked by the engine in the test process."""

import functools
import random
import warnings
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest
import torch
from released import unzip
from submissions import mistaken_text

from autograder.student.answers import states_of_switches
from autograder.student.find import find_work
from autograder.student.homework import open_homework
from autograder.student.load import check_work
from autograder.student.table import Style, render


@contextmanager
def libraries_as_before():
    """What a submission switches or overwrites in this process ends with it, as a student's process does."""
    states_before = states_of_switches()
    try:
        with pytest.MonkeyPatch.context() as patched, warnings.catch_warnings(), np.printoptions():
            for owner, name in ((random, "seed"), (np.random, "seed"), (torch, "manual_seed")):
                patched.setattr(owner, name, getattr(owner, name))
            yield
    finally:
        for put_back, state in states_before:
            put_back(state)


@functools.cache
def opened(folder):
    """What is released is the same for each text that is checked, and to read it takes as long as to check one."""
    return open_homework(folder)


@dataclass(frozen=True)
class Released:
    """Released homeworks."""

    top: Path

    def folder(self, homework_id):
        path = self.top / homework_id
        return path if path.exists() else unzip(homework_id, path)

    def check(self, homework_id, text):
        """Return the report on the text of a stub file."""
        folder = self.folder(homework_id)
        public = opened(folder)
        (folder / public.homework.stub).write_text(text, encoding="utf-8")
        with libraries_as_before():
            return check_work(public, find_work(public, folder))

    def screen(self, report):
        return render(report, Style())


@pytest.fixture(scope="module")
def students(tmp_path_factory):
    """What students have."""
    return Released(tmp_path_factory.mktemp("released"))


@pytest.fixture(scope="session")
def checked(tmp_path_factory):
    """Return the report on a text of the corpus, with its reasons; each is checked once for all tests."""
    return functools.cache(Released(tmp_path_factory.mktemp("checked")).check)


@pytest.fixture(scope="session")
def mistaken():
    """The text of a mistaken submission of the corpus."""
    return mistaken_text
