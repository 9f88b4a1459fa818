"""Data files of a homework: named in its metadata, released, read by graded code, and part of what decides."""

import io
import zipfile
from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest
from attacks.pools import LevelPool
from tiny import CHECKS_FILE, HOMEWORK, write_tiny
from wording import to_authors

from autograder.authoring.assignments import build_assignments, verify_assignments
from autograder.authoring.reference import build_outputs
from autograder.authoring.release import homework_folder
from autograder.authoring.rules import Subject, _limits
from autograder.course.homework import CourseError
from autograder.gradebook.fingerprint import fingerprint_graders
from autograder.grading.grade import grade_handin
from autograder.grading.stale import check_current
from autograder.grading.suite import prepare_suite
from autograder.platforms.gradescope_bundle import gradescope_zip
from autograder.sandbox.levels import FULL, NO_NAMESPACES, strongest_level
from autograder.sandbox.report import Answer
from autograder.sandbox.request import Code, Limits
from autograder.student.find import find_work
from autograder.student.homework import open_homework
from autograder.student.load import check_work

STUB = "doubles.py"
SEED = 20270101
CSV = b"factor\n2\n"
READS = 'np.loadtxt("factors/all.csv", skiprows=1)'


def with_data(root):
    """The tiny course, whose factor is in a file."""
    tiny = write_tiny(root)
    (tiny.folder / "factors").mkdir()
    (tiny.folder / "factors" / "all.csv").write_bytes(CSV)
    tiny.edit("homework.toml", 'library = "numpy"\n', 'library = "numpy"\ndata = ["factors/all.csv"]\n')
    tiny.edit(STUB, "factor = 2\n", f"factor = {READS}\n")
    tiny.edit(CHECKS_FILE, 'task="double", points=1)', 'task="double", points=1, public=True)')
    return tiny


@pytest.fixture(scope="module")
def stored(tmp_path_factory, pool):
    """The course with everything built; no test changes it."""
    tiny = with_data(tmp_path_factory.mktemp("course"))
    build_outputs(tiny.course, tiny.homework, pool)
    build_assignments(tiny.course)
    return tiny


def solution(tiny):
    return (tiny.folder / STUB).read_text("utf-8")


@pytest.mark.parametrize("level", [FULL, NO_NAMESPACES], ids=lambda level: level.name)
def test_graded_code_reads_them_at_their_relative_path_and_nothing_else(stored, level):
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


def test_they_are_released_and_read_by_the_students_own_checks(stored, tmp_path):
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


def test_no_student_is_told_that_there_are_none(stored, pool):
    handout = homework_folder(stored.course, stored.homework)["handout.html"].decode()
    assert "No data files" not in handout
    assert "The data files" in handout
    suite = prepare_suite(stored.course, stored.homework, SEED, pool)
    text = solution(stored).replace("factors/all.csv", "my_factors.csv")
    result = grade_handin(Code(STUB, {STUB: text}), suite, pool)
    assert "none are needed" not in result.checks[0].reason
    assert "the data files of the homework" in result.checks[0].reason


def test_the_zip_for_gradescope_holds_them_where_the_homework_is(stored):
    data = gradescope_zip(stored.course, [stored.homework], chosen=True, seed=SEED)
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        assert archive.read(f"solutions/{HOMEWORK}/factors/all.csv") == CSV


def missing(tiny):
    (tiny.folder / "factors" / "all.csv").unlink()


def large(tiny):
    (tiny.folder / "factors" / "all.csv").write_bytes(bytes(6 << 20))
    (tiny.folder / "more.npz").write_bytes(bytes(5 << 20))
    tiny.edit("homework.toml", 'all.csv"]', 'all.csv", "more.npz"]')


@pytest.mark.parametrize("spoil", [missing, large], ids=lambda spoil: spoil.__name__)
def test_the_error_names_the_file_and_the_remedy(tmp_path, spoil):
    tiny = with_data(tmp_path / "course")
    spoil(tiny)
    with pytest.raises(CourseError, check=to_authors[f"data_files.{spoil.__name__}"]):
        tiny.course.homeworks()


@pytest.mark.parametrize(
    "name",
    ["/etc/hosts", "../hwy/a.csv", "a/../../b", "cases.py", "questions.toml", "a\\b.csv", ".x", "a/", ""],
)
def test_a_path_that_leads_elsewhere_or_to_a_file_of_the_course_is_refused(tiny, name):
    tiny.edit("homework.toml", 'library = "numpy"\n', f"library = 'numpy'\ndata = ['{name}']\n")
    with pytest.raises(CourseError, match=r"data\[1\]: expected a path in the homework's folder"):
        tiny.course.homework(HOMEWORK)


def test_a_name_that_the_release_needs_is_refused(stored):
    homework = replace(stored.homework, data=("requirements.txt",))
    with pytest.raises(CourseError, match=r"data file requirements\.txt has the name"):
        homework_folder(stored.course, homework)


def test_a_changed_one_outdates_grades_assignments_and_reference_outputs(tmp_path, pool):
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


def test_one_that_is_no_text_is_copied_as_it_is(tmp_path):
    tiny = with_data(tmp_path)
    np.savez_compressed(tiny.folder / "small.npz", weights=np.arange(3.0))
    tiny.edit("homework.toml", 'all.csv"]', 'all.csv", "small.npz"]')
    build_assignments(tiny.course)
    copied = tiny.course.assignments / HOMEWORK / "small.npz"
    assert copied.read_bytes() == (tiny.folder / "small.npz").read_bytes()
    assert build_assignments(tiny.course) == []


SLOW = """
import time

def totals(x):
    time.sleep(0.3)
    return x.sum(), x.prod()
"""


@pytest.fixture(scope="module")
def limited(tmp_path_factory, pool):
    """The tiny course, whose calls may take 0.2 s, those of one task longer; no test changes it for good."""
    tiny = write_tiny(tmp_path_factory.mktemp("course"))
    tiny.edit("homework.toml", "call_seconds = 2\n", "call_seconds = 0.2\n")
    tiny.edit("homework.toml", "points = 2.5\n", "points = 2.5\ncall_seconds = 5\n")
    tiny.edit(CHECKS_FILE, 'task="double", points=1)', 'task="double", points=1, public=True)')
    tiny.edit(CHECKS_FILE, 'task="totals", points=2.5)', 'task="totals", points=2.5, public=True)')
    build_outputs(tiny.course, tiny.homework, pool)
    build_assignments(tiny.course)
    return tiny


def test_it_holds_for_the_calls_of_its_task(limited, pool):
    suite = prepare_suite(limited.course, limited.homework, SEED, pool)
    assert suite.homework.limits == Limits(seconds=30, call_seconds=0.2, of_functions={"totals": 5})


def test_it_holds_at_home_as_well(limited, tmp_path):
    for name, content in homework_folder(limited.course, limited.homework).items():
        (tmp_path / name).write_bytes(content)
    (tmp_path / STUB).write_text(f"def double(x):\n    while True:\n        pass\n{SLOW}", "utf-8")
    public = open_homework(tmp_path)
    report = check_work(public, find_work(public, tmp_path))
    outcomes = {result.task: result.outcome.value for result in report.results}
    assert outcomes == {"double": "failed", "totals": "passed"}


def test_another_limit_has_everything_graded_again(limited):
    before = fingerprint_graders(limited.course, SEED, [])
    limited.edit("homework.toml", "call_seconds = 5\n", "call_seconds = 6\n")
    assert fingerprint_graders(limited.course, SEED, []) != before
    limited.edit("homework.toml", "call_seconds = 6\n", "call_seconds = 5\n")
    assert fingerprint_graders(limited.course, SEED, []) == before


@pytest.mark.parametrize(
    ("seconds", "entries"),
    [
        ({"double": 0.01, "totals": 1.0}, []),
        ({"double": 0.1, "totals": 1.0}, ["too-short"]),
        ({"double": 0.01, "totals": 0.01}, ["too-long"]),
    ],
)
def test_a_limit_that_does_not_fit_the_solution_is_told(limited, pool, seconds, entries):
    suite = prepare_suite(limited.course, limited.homework, SEED, pool)
    answers = {}
    for known in suite.known:
        answers[known.case.id] = Answer(value=1.0, seconds=seconds[known.case.task])
    fixtures = SimpleNamespace(submission=SimpleNamespace(answers=answers))
    found = list(_limits(Subject(limited.course, suite, fixtures)))
    assert [to_authors[f"limits.{entry}"] for entry in entries] == list(map(str, found))
    assert not any(finding.is_error for finding in found)
