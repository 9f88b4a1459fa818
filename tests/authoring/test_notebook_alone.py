"""The first cell of a notebook without the folder that it came in: in Colab, or in another's grader."""

import os
import sys
import types
from collections.abc import Callable
from pathlib import Path
from typing import Any

import matplotlib as mpl
import pytest
from released import HW1, HW4, released
from wording import to_students

from autograder.intake.notebook import parse_notebook
from autograder.student import bootstrap
from autograder.student.bootstrap import ARCHIVE

mpl.use("agg")
Run = Callable[[], dict[str, Any]]
CELLS = [cell.source for cell in parse_notebook(released(HW1)["attention_scores.ipynb"], "n.ipynb").cells]
PICTURE = next(cell for cell in CELLS if "once_written" in cell and cell != CELLS[0])
RIGHT, OTHER = (released(homework)[ARCHIVE] for homework in (HW1, HW4))
OLDER = RIGHT[:-8] + b"0a1b2c3d"
MISSING = "notebook_alone.no-checks-no-pictures"


@pytest.fixture
def drive(tmp_path):
    return tmp_path / "MyDrive"


@pytest.fixture
def first_cell(tmp_path, drive, monkeypatch):
    """Runs the first cell in an empty folder, and again where a student runs it again."""
    folder = tmp_path / "content"
    folder.mkdir()
    monkeypatch.chdir(folder)
    monkeypatch.setattr(sys, "path", [*sys.path])
    for name in ("public_checks", "attention_plots"):
        monkeypatch.delitem(sys.modules, name, raising=False)
    names = {}

    def run():
        exec(CELLS[0].replace("/content/drive/MyDrive", str(drive)), names)
        monkeypatch.setattr(sys, "path", sys.path)
        return names

    return run


@pytest.fixture
def colab(monkeypatch):
    """A stand-in for Colab's module; what the student will choose, from the last to the first."""
    chosen = []

    def upload():
        """Save under a name that is free, and return what was chosen under its own, as Colab does."""
        if not chosen:  # cancelled
            return {}
        name, number, data = ARCHIVE, 0, chosen.pop()
        while os.path.lexists(name):
            number += 1
            name = f"public_checks ({number}).pyz"
        Path(name).write_bytes(data)
        return {ARCHIVE: data}

    files = types.SimpleNamespace(upload=upload)
    monkeypatch.setitem(sys.modules, "google.colab", types.SimpleNamespace(files=files))
    return chosen


def assert_checks(names):
    assert names["check_task"]("qk_scores", {**names, "qk_scores": lambda Q, K: Q @ K.T}).passed
    assert sys.modules["public_checks"].case("softmax", 1).shape == (3, 3)
    assert ".pyz" in names["plots"].__file__


def test_in_colab_the_one_file_is_asked_for_and_checks_and_draws(first_cell, colab, capsys):
    colab[:] = [b"not chosen again", RIGHT]
    names = first_cell()
    assert_checks(names)
    exec(CELLS[1], names)
    exec(PICTURE, names)
    first_cell()
    output = capsys.readouterr().out
    assert output.count(to_students["notebook_alone.choose"]) == len(colab) == 1
    assert "No picture yet: `qk_scores` is still a stub" in output


@pytest.mark.parametrize("wrong", [OTHER, OLDER, RIGHT[:-2000], b""], ids=["other", "older", "half", "empty"])
def test_a_wrong_file_is_told_in_a_sentence_and_the_right_one_counts_beside_it(
    first_cell, colab, capsys, wrong
):
    colab[:] = [RIGHT, wrong]
    names = first_cell()
    assert names["check_task"]("softmax", names) is None
    assert capsys.readouterr().out.count(to_students[MISSING]) == 2
    assert_checks(first_cell())
    assert sorted(path.name for path in Path.cwd().glob("*.pyz")) == ["public_checks (1).pyz", ARCHIVE]


@pytest.mark.parametrize("below", ["", "Colab Notebooks", f"courses/{HW1}"])
def test_a_mounted_drive_is_searched_and_not_written_to(first_cell, colab, drive, below, monkeypatch):
    colab.append(b"not asked for")
    (drive / below).mkdir(parents=True)
    (drive / "public_checks.pyz").write_bytes(OTHER)
    (drive / below / "public_checks (2).pyz").write_bytes(RIGHT)
    names = first_cell()
    for module in (sys.modules["public_checks"], bootstrap):  # the engine has its own
        monkeypatch.setattr(module, "MOUNTED", drive)
    assert_checks(names)
    assert colab
    assert not list(drive.rglob("__pycache__"))


def test_without_its_file_and_without_colab_no_cell_of_ours_raises_and_each_says_what_is_missing(
    first_cell, capsys
):
    names = first_cell()
    exec(CELLS[1], names)  # the stub
    exec(PICTURE, names)
    names |= {"qk_scores": lambda Q, K: Q @ K.T, "scale_scores": lambda scores, d_k: scores, "softmax": abs}
    exec(PICTURE, names)
    names["softmax"] = lambda x: 1 / 0
    with pytest.raises(ZeroDivisionError):  # the student's own mistake, as with the pictures
        exec(PICTURE, names)
    assert names["check_task"]("softmax", names) is None
    assert capsys.readouterr().out == 5 * (to_students[MISSING] + "\n")


@pytest.mark.parametrize(
    ("archive", "message"),
    [
        (OTHER, "is-for-another-homework"),
        (OLDER, "is-of-another-release"),
        (None, "unzip-the-homework-again"),
    ],
)
def test_an_archive_beside_the_notebook_that_does_not_fit_is_told_at_each_check(
    first_cell, archive, message, capsys
):
    files = {name: released(HW1)[name] for name in ("public_checks.py", "attention_plots.py")}
    for name, data in {**files, **({ARCHIVE: archive} if archive else {})}.items():
        Path(name).write_bytes(data)
    sys.path.insert(0, "")
    names = first_cell()
    assert capsys.readouterr().out == ""
    assert names["check_task"]("softmax", names) is None
    output = capsys.readouterr().out
    assert to_students[f"notebook_alone.{message}"] in output
    assert output.count("\n") == 1
