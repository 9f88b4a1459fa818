"""Slow tests of the same subject as ``test_new``, for CI and `make test WHOLE=1`."""

import shutil
from pathlib import Path

from autograder.course.course import Course

from ..running import grade, run, totals
from ..test_new import CHOSEN, begin, begun, files

__all__ = ["begun"]  # the fixtures


def test_a_new_homework_passes_at_once(begun):
    course, result = begun
    assert (result.exit, result.err) == (0, "")
    for command in (("check",), ("reference", "verify"), ("audit",)):
        ending = run(*command, "--course", course.root)
        assert ending.exit == 0, command
        assert [line for line in ending.err.splitlines() if "15 name most" not in line] == [], command


def test_homeworks_that_are_brought_along_pass_and_grade(course, tmp_path):
    new_course = tmp_path / "deep" / "own"
    assert run("init", new_course, "--homeworks", "hw9,hw1").exit == 0
    assert Course(new_course).homework_ids() == CHOSEN
    folders = [
        Path(top, homework)
        for top in ("assignments", "reference_outputs", "solutions")
        for homework in CHOSEN
    ]
    for folder in (*folders, *(Path("tests/corpus", homework) for homework in CHOSEN)):
        copied, originals = (
            {name for name in files(root) if not name.endswith(".pyc")}
            for root in (new_course / folder, course.root / folder)
        )
        assert copied == originals, folder
    pictures = "solutions/attention_plots.py"
    assert (new_course / pictures).read_bytes() == (course.root / pictures).read_bytes()
    assert run("check", "--course", new_course).out.splitlines() == [f"{homework}: ok" for homework in CHOSEN]
    assert Course(new_course).title == "Own"

    handed_in = tmp_path / "class" / "ada"
    handed_in.mkdir(parents=True)
    shutil.copy(Course(new_course).homework(CHOSEN[0]).solution, handed_in)
    graded = grade(handed_in.parent, "--course", new_course, "--out", tmp_path / "graded")
    assert graded.exit == 0
    assert totals(tmp_path / "graded") == {"ada": f"{Course(new_course).homework(CHOSEN[0]).points:g}"}


def test_a_new_homework_for_torch_passes_at_once(tmp_path):
    course, result = begin(tmp_path, "torch")
    assert (result.exit, result.err) == (0, "")
    assert run("check", "--course", course.root).exit == 0
