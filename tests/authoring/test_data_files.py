"""Data files of a homework: named in its metadata, released, read by graded code, and part of what decides."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from attacks.pools import LevelPool
from tiny import CHECKS_FILE, HOMEWORK, Tiny, write_tiny
from wording import to_authors

from autograder.authoring.assignments import build_assignments, verify_assignments
from autograder.authoring.reference import build_outputs
from autograder.authoring.release import homework_folder
from autograder.course.homework import CourseError
from autograder.gradebook.fingerprint import fingerprint_graders
from autograder.grading.grade import grade_handin
from autograder.grading.stale import check_current
from autograder.grading.suite import prepare_suite
from autograder.platforms.gradescope_bundle import gradescope_zip
from autograder.sandbox.levels import FULL, NO_NAMESPACES, Level, strongest_level
from autograder.sandbox.pool import SandboxPool
from autograder.sandbox.request import Code
from autograder.student.find import find_work
from autograder.student.homework import open_homework
from autograder.student.load import check_work

STUB = "doubles.py"
SEED = 20270101
CSV = b"factor\n2\n"
READS = 'np.loadtxt("factors/all.csv", skiprows=1)'


def with_data(root: Path) -> Tiny:
    """The tiny course, whose factor is in a file."""
    tiny = write_tiny(root)
    (tiny.folder / "factors").mkdir()
    (tiny.folder / "factors" / "all.csv").write_bytes(CSV)
    tiny.edit("homework.toml", 'library = "numpy"\n', 'library = "numpy"\ndata = ["factors/all.csv"]\n')
    tiny.edit(STUB, "factor = 2\n", f"factor = {READS}\n")
    tiny.edit(CHECKS_FILE, 'task="double", points=1)', 'task="double", points=1, public=True)')
    return tiny


@pytest.fixture(scope="module")
def stored(tmp_path_factory: pytest.TempPathFactory, pool: SandboxPool) -> Tiny:
    """The course with everything built; no test changes it."""
    tiny = with_data(tmp_path_factory.mktemp("course"))
    build_outputs(tiny.course, tiny.homework, pool)
    build_assignments(tiny.course)
    return tiny


def solution(tiny: Tiny) -> str:
    return (tiny.folder / STUB).read_text("utf-8")


@pytest.mark.parametrize("level", [FULL, NO_NAMESPACES], ids=lambda level: level.name)
def test_graded_code_reads_them_at_their_relative_path_and_nothing_else(stored: Tiny, level: Level) -> None:
    if not set(level.layers) <= set(strongest_level().layers):
        pytest.skip(f"this machine has no level {level.name}")
    text = solution(stored)
    outside = stored.folder / "factors" / "all.csv"
    submissions = {
        text: 5.5,
        text.replace(READS, "len(open('factors/all.csv').readlines())"): 5.5,
        text.replace("factors/all.csv", str(outside)): 2.5,
        text.replace("factors/all.csv", f"../{outside}"): 2.5,
        text.replace("factors/all.csv", "homework.toml"): 2.5,
    }
    with LevelPool(level) as pool:
        suite = prepare_suite(stored.course, stored.homework, SEED, pool)
        for submitted, points in submissions.items():
            code = Code(STUB, {STUB: submitted, "factors/all.csv": "factor\n3\n"})
            assert grade_handin(code, suite, pool).earned == points, submitted


def test_they_are_released_and_read_by_the_students_own_checks(stored: Tiny, tmp_path: Path) -> None:
    released = homework_folder(stored.course, stored.homework)
    assert released["factors/all.csv"] == CSV
    for name, content in released.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_bytes(content)
    # As in grading, what a student changes in a copy does not count.
    (tmp_path / "factors" / "all.csv").write_text("factor\n3\n", encoding="utf-8")
    (tmp_path / STUB).write_text(solution(stored), encoding="utf-8")
    public = open_homework(tmp_path)
    report = check_work(public, find_work(public, tmp_path))
    assert [result.outcome.value for result in report.results] == ["passed"]


def test_no_student_is_told_that_there_are_none(stored: Tiny, pool: SandboxPool) -> None:
    handout = homework_folder(stored.course, stored.homework)["handout.html"].decode()
    assert "No data files" not in handout
    assert "The data files" in handout
    suite = prepare_suite(stored.course, stored.homework, SEED, pool)
    text = solution(stored).replace("factors/all.csv", "my_factors.csv")
    result = grade_handin(Code(STUB, {STUB: text}), suite, pool)
    assert "none are needed" not in result.checks[0].reason
    assert "the data files of the homework" in result.checks[0].reason


def test_the_zip_for_gradescope_holds_them_where_the_homework_is(stored: Tiny) -> None:
    data = gradescope_zip(stored.course, [stored.homework], chosen=True, seed=SEED)
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        assert archive.read(f"solutions/{HOMEWORK}/factors/all.csv") == CSV


def missing(tiny: Tiny) -> None:
    (tiny.folder / "factors" / "all.csv").unlink()


def large(tiny: Tiny) -> None:
    (tiny.folder / "factors" / "all.csv").write_bytes(bytes(6 << 20))
    (tiny.folder / "more.npz").write_bytes(bytes(5 << 20))
    tiny.edit("homework.toml", 'all.csv"]', 'all.csv", "more.npz"]')


@pytest.mark.parametrize("spoil", [missing, large], ids=lambda spoil: spoil.__name__)
def test_the_error_names_the_file_and_the_remedy(tmp_path: Path, spoil: Callable[[Tiny], None]) -> None:
    tiny = with_data(tmp_path / "course")
    spoil(tiny)
    with pytest.raises(CourseError, check=to_authors[f"data_files.{spoil.__name__}"]):
        tiny.course.homeworks()


@pytest.mark.parametrize(
    "name",
    ["/etc/hosts", "../hwy/a.csv", "a/../../b", "cases.py", "questions.toml", "a\\b.csv", ".x", "a/", ""],
)
def test_a_path_that_leads_elsewhere_or_to_a_file_of_the_course_is_refused(tiny: Tiny, name: str) -> None:
    tiny.edit("homework.toml", 'library = "numpy"\n', f"library = 'numpy'\ndata = ['{name}']\n")
    with pytest.raises(CourseError, match=r"data\[1\]: expected a path in the homework's folder"):
        tiny.course.homework(HOMEWORK)


def test_a_name_that_the_release_needs_is_refused(stored: Tiny) -> None:
    homework = replace(stored.homework, data=("requirements.txt",))
    with pytest.raises(CourseError, match=r"data file requirements\.txt has the name"):
        homework_folder(stored.course, homework)


def test_a_changed_one_outdates_grades_assignments_and_reference_outputs(
    tmp_path: Path, pool: SandboxPool
) -> None:
    tiny = with_data(tmp_path)
    build_outputs(tiny.course, tiny.homework, pool)
    build_assignments(tiny.course)
    before = fingerprint_graders(tiny.course, SEED, [])
    assert verify_assignments(tiny.course) == []
    (tiny.folder / "factors" / "all.csv").write_bytes(b"factor\n3\n")
    assert fingerprint_graders(tiny.course, SEED, []) != before
    assert verify_assignments(tiny.course) == [f"assignments/{HOMEWORK}/factors/all.csv differs"]
    store = tiny.store
    with pytest.raises(CourseError, match=r"hwx: factors/all\.csv has changed since"):
        check_current(tiny.homework, store, store.read(), pool)


def test_one_that_is_no_text_is_copied_as_it_is(tmp_path: Path) -> None:
    tiny = with_data(tmp_path)
    np.savez_compressed(tiny.folder / "small.npz", weights=np.arange(3.0))
    tiny.edit("homework.toml", 'all.csv"]', 'all.csv", "small.npz"]')
    build_assignments(tiny.course)
    copied = tiny.course.assignments / HOMEWORK / "small.npz"
    assert copied.read_bytes() == (tiny.folder / "small.npz").read_bytes()
    assert build_assignments(tiny.course) == []
