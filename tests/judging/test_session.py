import json
import shutil
import zipfile

import pytest
from tiny import SOLUTION
from wording import to_staff

from autograder.batch import session as session_module
from autograder.batch.evidence import fixtures_of
from autograder.batch.session import open_session
from autograder.course.schema import CourseError
from autograder.course.stub import stub_text
from autograder.intake.submission import Submission, SubmissionError
from autograder.sandbox.report import Status
from autograder.verdict.failure import CheckFailed

SEED = 11


@pytest.fixture
def session(built):
    return open_session(SEED, course=built.course)


def entry(folder, name="doubles.py", text=SOLUTION):
    folder.mkdir(exist_ok=True)
    (folder / name).write_text(text, "utf-8")
    return Submission(folder.name, folder)


def notebook(text):
    cells = [{"cell_type": "code", "source": text, "metadata": {}, "outputs": [], "execution_count": None}]
    return json.dumps({"cells": cells, "metadata": {}, "nbformat": 4, "nbformat_minor": 5})


def test_an_entry_is_graded_in_the_homework_that_is_found_in_it(session, pool, tmp_path):
    result = session.grade(entry(tmp_path / "ada"), pool)
    assert (result.name, result.path) == ("ada", str(tmp_path / "ada"))
    assert [homework.homework for homework in result.homeworks] == ["hwx"]
    assert (result.status, result.earned, result.problems, result.fault) == (Status.GRADED, 5.5, (), "")
    assert result.homeworks[0].seed == SEED


def test_to_open_a_session_reads_each_homework_once(course, homeworks_read):
    open_session(SEED, course=course)
    assert homeworks_read == course.homework_ids()


def test_file_folder_zip_and_notebook_earn_the_same(session, pool, tmp_path):
    folder = entry(tmp_path / "folder").path
    packed = tmp_path / "packed.zip"
    with zipfile.ZipFile(packed, "w") as archive:
        archive.writestr("week 1/doubles.py", SOLUTION)
    written = entry(tmp_path / "written", "doubles.ipynb", notebook(SOLUTION)).path
    for path in (folder, folder / "doubles.py", packed, written):
        assert session.grade(Submission("ada", path), pool).earned == 5.5, path.name


def test_a_stub_that_was_not_touched_never_stands_for_the_work_beside_it(session, pool, tmp_path, built):
    folder = entry(tmp_path / "ada", text=stub_text(built.homework)).path
    assert session.grade(Submission("ada", folder), pool).earned == 0
    entry(folder / "mine")
    assert session.grade(Submission("ada", folder), pool).earned == 5.5


@pytest.mark.parametrize("name", ["essay.txt", "essay.py"])
def test_nothing_for_any_homework_is_not_submitted_and_says_so(session, pool, tmp_path, name):
    result = session.grade(entry(tmp_path / "ada", name, "words = 1\n"), pool)
    assert result.status is Status.NOT_SUBMITTED
    assert result.problems


def test_an_entry_that_vanished_is_a_problem_and_no_crash(session, pool, tmp_path):
    result = session.grade(Submission("ada", tmp_path / "doubles.py"), pool)
    assert result.status is Status.NOT_SUBMITTED
    assert "vanished" in result.problems[0].staff


def test_whatever_breaks_on_our_side_is_kept_as_our_fault(session, pool, tmp_path, monkeypatch):
    def break_down(path):
        raise ZeroDivisionError("in the reader")

    monkeypatch.setattr(session_module, "read_files", break_down)
    result = session.grade(entry(tmp_path / "ada"), pool)
    assert (result.name, result.status, result.earned) == ("ada", Status.INFRASTRUCTURE_ERROR, None)
    assert "ZeroDivisionError: in the reader" in result.fault


def test_a_broken_course_stops_everything(tiny, pool, tmp_path):
    session = open_session(SEED, course=tiny.course)
    with pytest.raises(CourseError, check=to_staff["session.missing"]):
        session.grade(entry(tmp_path / "ada"), pool)


def test_an_unknown_choice_is_refused_before_anything_is_graded(built):
    with pytest.raises(CourseError, check=to_staff["session.there-is-no-homework-hw9"]):
        open_session(SEED, ["hw9"], built.course)


def test_without_a_course_the_one_around_the_current_folder_is_taken(built, monkeypatch):
    monkeypatch.chdir(built.folder)
    assert [homework.id for homework in open_session(SEED).homeworks] == ["hwx"]


def test_a_suite_is_prepared_once(session, pool, monkeypatch):
    prepared = []
    really_prepare = session_module.prepare_suite

    def prepare(course, homework, seed, pool):
        prepared.append(seed)
        return really_prepare(course, homework, seed, pool)

    monkeypatch.setattr(session_module, "prepare_suite", prepare)
    assert session.suite("hwx", pool) is session.suite("hwx", pool)
    assert prepared == [SEED]


# For somebody who looks into one submission


def test_fixtures_hold_the_answers_of_one_submission(session, pool, tmp_path):
    fixtures = fixtures_of(session, entry(tmp_path / "ada"), "hwx", pool)
    fixtures.compare(fixtures.cases.stored("double"))
    wrong = entry(tmp_path / "bob", text=SOLUTION.replace("factor * x", "3 * x"))
    fixtures = fixtures_of(session, wrong, "hwx", pool)
    with pytest.raises(CheckFailed):
        fixtures.compare(fixtures.cases.stored("double"))


def test_without_a_file_for_the_homework_there_are_no_fixtures_and_a_reason(session, pool, tmp_path):
    with pytest.raises(SubmissionError, check=to_staff["session.holds-nothing-for-hwx"]):
        fixtures_of(session, entry(tmp_path / "ada", "essay.py", "x = 1\n"), "hwx", pool)


def test_a_file_that_does_not_load_fails_with_its_line(session, pool, tmp_path):
    broken = entry(tmp_path / "ada", text="import nummpy\n")
    with pytest.raises(CheckFailed, check=to_staff["session.raised-modulenotfounderror"]):
        fixtures_of(session, broken, "hwx", pool)


def test_an_entry_is_never_changed(session, pool, tmp_path):
    path = entry(tmp_path / "ada").path
    shutil.copytree(path, tmp_path / "before")
    session.grade(Submission("ada", path), pool)
    before = {path.name: path.read_bytes() for path in (tmp_path / "before").iterdir()}
    assert {path.name: path.read_bytes() for path in path.iterdir()} == before
