"""Slow tests of the same subject as ``test_init``, for CI and `make test WHOLE=1`."""

import shutil
from pathlib import Path

from autograder.course.course import Course

from ..running import grade, run, totals
from ..test_init import CHOSEN, files


def test_homeworks_that_are_brought_along_pass_and_grade(course, tmp_path):
    own = tmp_path / "deep" / "own"
    assert run("init", own, "--homeworks", "hw9,hw1").exit == 0
    assert Course(own).homework_ids() == CHOSEN
    folders = [Path(top, one) for top in ("assignments", "reference_outputs", "solutions") for one in CHOSEN]
    for folder in (*folders, *(Path("tests/corpus", one) for one in CHOSEN)):
        copied, there = (
            {name for name in files(one) if not name.endswith(".pyc")}
            for one in (own / folder, course.root / folder)
        )
        assert copied == there, folder
    pictures = "solutions/attention_plots.py"
    assert (own / pictures).read_bytes() == (course.root / pictures).read_bytes()
    assert run("check", "--course", own).out.splitlines() == [f"{one}: ok" for one in CHOSEN]
    assert Course(own).title == "Own"

    handed_in = tmp_path / "class" / "ada"
    handed_in.mkdir(parents=True)
    shutil.copy(Course(own).homework(CHOSEN[0]).solution, handed_in)
    graded = grade(handed_in.parent, "--course", own, "--out", tmp_path / "graded")
    assert graded.exit == 0
    assert totals(tmp_path / "graded") == {"ada": f"{Course(own).homework(CHOSEN[0]).points:g}"}
