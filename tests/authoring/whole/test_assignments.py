"""Slow tests of the same subject as ``test_assignments``, for CI and `make test WHOLE=1`."""

from __future__ import annotations

import shutil
from pathlib import Path

from autograder.authoring.assignments import build_assignments, verify_assignments
from autograder.course.course import Course
from autograder.intake.handed_out import HandedOut


def test_every_real_homework_gives_its_files(course: Course, tmp_path: Path) -> None:
    shutil.copytree(course.solutions, tmp_path / "solutions")
    copy = Course(tmp_path)
    build_assignments(copy)
    assert verify_assignments(copy) == []
    for homework in copy.homeworks():
        assert HandedOut(homework).is_untouched(
            (copy.assignments / homework.id / homework.stub).read_text("utf-8")
        )
        handout = (copy.assignments / homework.id / "handout.md").read_text("utf-8")
        total = next(line for line in handout.splitlines() if "**total**" in line)
        assert f" **{homework.points:g}** |" in total
