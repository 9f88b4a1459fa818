"""`pytest` beside the homeworks: a folder that is broken costs only itself."""

import pytest
from released import HW1, HW4, PYTEST, released, run, unzip

from autograder.authoring.release import course_folder

BREAKS = {
    "archive is damaged": lambda folder: (folder / "public_checks.pyz").write_text("x"),
    "archive is missing": lambda folder: (folder / "public_checks.pyz").unlink(),
    "module is missing": lambda folder: (folder / "public_checks.py").unlink(),
    "own test cannot be imported": lambda folder: (folder / "test_own.py").write_text("import nothing_here"),
}


@pytest.fixture(scope="module")
def files(course):
    folders = {homework_id: released(homework_id) for homework_id in (HW1, HW4)}
    return course_folder([course.homework(homework_id) for homework_id in folders], folders)


@pytest.mark.parametrize("broken", [HW1, HW4], ids=["first", "last"])
@pytest.mark.parametrize("kind", BREAKS)
def test_the_other_homework_is_checked_all_the_same(files, course, tmp_path, kind, broken):
    course_dir = unzip("", tmp_path, files)
    BREAKS[kind](course_dir / broken)
    process = run(PYTEST, cwd=course_dir)
    [other] = {HW1, HW4} - {broken}
    assert course.homework(other).title in process.stdout, process.stdout + process.stderr
    assert process.returncode != 0
    assert "Interrupted" not in process.stdout


def test_a_broken_homework_alone_is_a_sentence(tmp_path):
    folder = unzip(HW1, tmp_path / HW1)
    (folder / "public_checks.pyz").write_text("x")
    process = run(PYTEST, cwd=folder)
    assert process.returncode == pytest.ExitCode.USAGE_ERROR
    assert "unzip the homework again" in process.stderr + process.stdout
    assert "Traceback" not in process.stdout + process.stderr
