"""The zip to hand in: what is in it, and what is said of it."""

from __future__ import annotations

import json
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from released import CHECK, CORPUS, HW1, HW4, released, run, unzip
from wording import to_students

from autograder.course.course import Course
from autograder.intake.files import read_files
from autograder.intake.matching import match

STUB = "attention_scores.py"
RIGHT = (CORPUS / HW1 / "correct" / "einsum.py").read_text("utf-8")
TRAP = (CORPUS / HW4 / "mistaken" / "numpy-float-of-array.py").read_text("utf-8")


@pytest.fixture
def folder(tmp_path: Path) -> Iterator[Path]:
    return unzip(HW1, tmp_path / "my homework")


def notebook(*cells: str) -> str:
    made = [{"cell_type": "code", "metadata": {}, "outputs": [], "source": cell} for cell in cells]
    return json.dumps({"nbformat": 4, "nbformat_minor": 5, "metadata": {}, "cells": made})


def pack(folder: Path) -> tuple[int, str, list[str]]:
    done = run(CHECK, "check.py", "--pack", cwd=folder)
    found = list(folder.glob("*_handin.zip"))
    names = zipfile.ZipFile(found[0]).namelist() if found else []
    return done.returncode, done.stdout + done.stderr, names


def test_right_work_is_packed_without_a_warning_and_graded_from_the_zip(folder: Path, course: Course) -> None:
    (folder / STUB).write_text(RIGHT, "utf-8")
    status, said, names = pack(folder)
    assert (status, names) == (0, [STUB])
    assert f"  {STUB}  (" in said
    assert "warning" not in said
    read = read_files(folder / f"{HW1}_handin.zip")
    [handin] = match("me", read, {HW1: course.homework(HW1).stub}).handins
    assert handin.code.files[STUB] == RIGHT


def test_an_untouched_stub_is_not_packed(folder: Path) -> None:
    status, said, names = pack(folder)
    assert (status, names) == (2, [])
    assert to_students["pack.as-it-was-handed-out"] in said


def test_of_a_stub_that_was_worked_on_each_task_that_is_missing_is_warned_of(folder: Path) -> None:
    stub = (folder / STUB).read_text("utf-8")
    (folder / STUB).write_text(stub.replace("raise NotImplementedError", "return Q @ K.T", 1), "utf-8")
    status, said, names = pack(folder)
    assert (status, names) == (1, [STUB])
    assert said.count("still stops at `raise NotImplementedError`") == 4


def test_a_notebook_that_was_worked_on_is_packed_in_place_of_the_stub(folder: Path) -> None:
    (folder / "attention_scores.ipynb").write_text(notebook("%matplotlib inline\n", RIGHT), "utf-8")
    status, said, names = pack(folder)
    assert (status, names) == (0, ["attention_scores.ipynb"]), said
    assert to_students["pack.public-checks-pass"] in said


def test_a_module_of_ones_own_goes_with_the_stub_and_those_handed_out_stay(folder: Path) -> None:
    (folder / "helpers.py").write_text("def double(x):\n    return 2 * x\n", "utf-8")
    (folder / STUB).write_text("from helpers import double\n" + RIGHT, "utf-8")
    assert pack(folder)[2] == [STUB, "helpers.py"]


def test_work_in_both_files_is_asked_about(folder: Path) -> None:
    (folder / STUB).write_text(RIGHT, "utf-8")
    (folder / "attention_scores.ipynb").write_text(notebook("answer = 42"), "utf-8")
    status, said, names = pack(folder)
    assert (status, names) == (2, [])
    assert to_students["pack.keep-your-work-in-one"] in " ".join(said.split())
    named = run(CHECK, "check.py", STUB, cwd=folder)
    assert named.returncode == 0, named.stdout


def test_a_missing_file_is_told_and_nothing_is_packed(folder: Path) -> None:
    for name in released(HW1):
        if name.endswith((".ipynb", ".py")) and name not in ("check.py", "public_checks.py"):
            (folder / name).unlink(missing_ok=True)
    status, said, names = pack(folder)
    assert (status, names) == (2, [])
    assert to_students["pack.missing-from-this-folder"] in said


def test_a_numpy_trap_is_warned_of_with_its_line(tmp_path: Path) -> None:
    folder = unzip(HW4, tmp_path / "hw4")
    (folder / "self_attention_columns.py").write_text(TRAP, "utf-8")
    _, said, names = pack(folder)
    assert names == ["self_attention_columns.py"]
    assert to_students["pack.warning-line-of-an-array"] in said


def test_what_is_on_a_stubs_screen_depends_on_the_code_alone(
    folder: Path, mistaken: Callable[[str, str], str]
) -> None:
    (folder / STUB).write_text(mistaken(HW1, "softmax-over-queries"), "utf-8")
    first, second = pack(folder), pack(folder)
    assert first == second


def test_lines_that_stop_are_warned_of_and_nothing_is_littered(folder: Path) -> None:
    lines = (
        "import math\nassert math.pi == 3\nopen('littered.txt', 'w').write('x')\nopen('mine.txt').read()\n"
    )
    (folder / STUB).write_text(f"{lines}{RIGHT}\nname = input()\nquit()\nimport os\nos._exit(3)\n", "utf-8")
    (folder / "mine.txt").write_text("only here", "utf-8")
    status, said, names = pack(folder)
    assert (status, names) == (0, [STUB])
    assert [line for line in said.splitlines() if line.startswith("warning")] == [
        to_students["pack.stopped-assert"],
        to_students["pack.stopped-file"],
        to_students["pack.stopped-input"],
    ]
    assert "Note: Importing your file raised AssertionError at line 2" in said
    assert not (folder / "littered.txt").exists()
