"""`check.py --show`: the notebook's pictures for those who work in the ``.py``."""

import re
import sys

import pytest
from homeworks import NINE
from released import CHECK, HW1, SHOW, engine_in, released, run, unzip

NO_SCREEN = {"DISPLAY": "", "WAYLAND_DISPLAY": "", "BROWSER": ""}


def show(folder):
    return run(SHOW, cwd=folder, engine_of=HW1, **NO_SCREEN)


@pytest.mark.parametrize("homework_id", NINE)
def test_every_picture_of_the_notebook_is_drawn_with_the_students_functions(course, tmp_path, homework_id):
    folder = unzip(homework_id, tmp_path)
    assert engine_in(released(homework_id)) == engine_in(released(HW1))  # which is loaded already
    homework = course.homework(homework_id)
    (folder / homework.stub).write_bytes(homework.solution.read_bytes())
    process = show(folder)
    assert process.returncode == 0, process.stdout + process.stderr
    assert f"open {folder / 'pictures.html'} yourself" in process.stdout
    page = (folder / "pictures.html").read_text("utf-8")
    calls = len(
        re.findall(r"plots\.(?:heatmaps|lines|bars)\(", (homework.folder / "notebook.py").read_text("utf-8"))
    )
    assert page.count('src="data:image/png') >= calls
    assert "No picture" not in page


def test_a_stub_is_named_in_place_of_its_picture(tmp_path):
    folder = unzip(HW1, tmp_path)
    assert show(folder).returncode == 1
    page = (folder / "pictures.html").read_text("utf-8")
    assert "is still a stub. Write it, then run `python check.py --show` again." in page
    assert "<img" not in page


def test_without_matplotlib_a_sentence_has_the_command(tmp_path):
    process = run(CHECK, "check.py", "--show", cwd=unzip(HW1, tmp_path), engine_of=HW1, **NO_SCREEN)
    assert process.returncode == 2
    assert f"{sys.executable} -m pip install matplotlib" in process.stderr
    assert "Traceback" not in process.stderr
    assert not (tmp_path / "pictures.html").exists()


def test_without_the_notebook_a_sentence_says_so(tmp_path):
    folder = unzip(HW1, tmp_path)
    (folder / "attention_scores.ipynb").unlink()
    process = show(folder)
    assert process.returncode == 2
    assert "attention_scores.ipynb, which is not here" in process.stderr
