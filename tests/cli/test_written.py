import shutil

import pytest
from asked import MARK, ask
from tiny import Tiny
from wording import to_staff

from autograder.course.course import Course

from .classroom import read_rows
from .conftest import RIGHT, Kit
from .running import grade, refusal, rows, run, totals

ANSWERS = 'answers = {{"shape": "b", "total": -2.5, "why": "{}"}}'


@pytest.fixture(scope="session")
def graded(pattern, tmp_path_factory, pool):
    """A course that asks questions, with a class of which two answer them and its grades."""
    root = tmp_path_factory.mktemp("asking") / "course"
    shutil.copytree(pattern, root)
    kit = Kit(Tiny(Course(root)), pool)
    ask(kit.tiny)
    kit.submit("ada", RIGHT + ANSWERS.format("Ada thinks so."))
    kit.submit("bo", RIGHT + ANSWERS.format("Bo knows."))
    kit.submit("cyd", RIGHT)
    assert grade(kit.submissions, "--out", kit.out, "--course", root).exit == 0
    return root


@pytest.fixture
def asking(graded, kit, tmp_path, monkeypatch):
    """A copy of that course, in whose folder the test stands."""
    root = tmp_path / "asking"
    shutil.copytree(graded, root)
    monkeypatch.chdir(root)
    return Kit(Tiny(Course(root)), kit.pool)


def table(folder):
    return read_rows(folder / "written.csv")


def mark(folder, old, new):
    path = folder / "written.csv"
    text = path.read_text("utf-8")
    assert text.count(old) == 1
    path.write_text(text.replace(old, new), encoding="utf-8")


def test_answers_are_collected_marked_and_collected_again(asking):
    first = run("written", asking.out)
    assert first.exit == 0
    assert to_staff["written.answers-to-question-rows"] in first.out
    assert to_staff["written.autograder-policy"] in first.out
    mark(asking.out, "bo,hwx,why,2,,", "bo,hwx,why,2,1.5,good")
    assert to_staff["written.row-without-points"] in run("written", asking.out).out
    assert [(row["submission"], row["points"]) for row in table(asking.out)] == [("ada", ""), ("bo", "1.5")]
    page = (asking.out / "written.html").read_text("utf-8")
    assert "Ada thinks so." in page
    assert "1.5 of 2. good" in page


def test_points_of_written_answers_reach_the_totals(asking):
    run("written", asking.out)
    mark(asking.out, "ada,hwx,why,2,,", "ada,hwx,why,2,2,")
    mark(asking.out, "bo,hwx,why,2,,", "bo,hwx,why,2,0,")
    assert run("policy", asking.out, "--manual", asking.out / "written.csv").exit == 0
    assert totals(asking.out) == {"ada": "9", "bo": "7", "cyd": "5.5"}


def test_equal_answers_with_different_points_are_said_to_who_marks_them(asking):
    asking.submit("cyd", RIGHT + ANSWERS.format("ada thinks so."))
    grade(asking.submissions, "--out", asking.out, "--course", asking.root)
    run("written", asking.out)
    mark(asking.out, "ada,hwx,why,2,,", "ada,hwx,why,2,2,")
    mark(asking.out, "bo,hwx,why,2,,", "bo,hwx,why,2,0,")
    marks = ("--manual", asking.out / "written.csv")
    assert "different points" not in run("policy", asking.out, *marks).err
    mark(asking.out, "cyd,hwx,why,2,,", "cyd,hwx,why,2,1.5,")
    assert to_staff["written.unequal"] in run("policy", asking.out, *marks).err


def test_codes_go_to_the_readers_and_names_come_back(asking):
    result = run("written", asking.out, "--anonymous")
    assert to_staff["written.puts-the-names-back"] in result.out
    names = [row["submission"] for row in table(asking.out)]
    assert not {"ada", "bo"} & set(names)
    mark(asking.out, f"{names[0]},hwx,why,2,,", f"{names[0]},hwx,why,2,1,")
    written = run("policy", asking.out, "--manual", asking.out / "written.csv")
    assert to_staff["written.a-code-for-a-name"] in written.err
    run("written", asking.out)
    assert sorted(row["submission"] for row in table(asking.out)) == ["ada", "bo"]
    assert sorted(row["points"] for row in table(asking.out)) == ["", "1"]


def test_a_mark_whose_answer_is_gone_is_kept_and_said(asking):
    run("written", asking.out)
    mark(asking.out, "bo,hwx,why,2,,", "bo,hwx,why,2,1,")
    asking.submit("bo")
    grade(asking.submissions, "--out", asking.out)
    result = run("written", asking.out)
    assert result.err == to_staff["written.bo-hwx-why-there-is-no-such"]
    assert [(row["submission"], row["points"]) for row in table(asking.out)] == [("ada", ""), ("bo", "1")]


def test_without_written_answers_nothing_is_written(kit):
    kit.submit("ada")
    grade(kit.submissions, "--out", kit.out)
    result = run("written", kit.out)
    assert result.exit == 0
    assert result.err == to_staff["written.holds-no-written-answers"]
    assert not list(kit.out.glob("written.*"))


def test_a_folder_without_grades_is_refused(kit):
    assert refusal(run("written", kit.root / "nowhere")) == to_staff["written.holds-no-gradebook"]


def test_a_damaged_table_is_refused_and_left_alone(asking):
    path = asking.out / "written.csv"
    path.write_text("name,points\nada,2\n", encoding="utf-8")
    assert refusal(run("written", asking.out)) == to_staff["written.lacks-the-column"]
    assert path.read_text("utf-8") == "name,points\nada,2\n"


@pytest.mark.parametrize(("setting", "maximum"), [("bonus", "5.5"), ("counted", "9")])
def test_the_maximum_is_the_same_whoever_answered(asking, setting, maximum):
    metadata = asking.tiny.folder / "homework.toml"
    metadata.write_text(f'questions = "{setting}"\n{metadata.read_text("utf-8")}', encoding="utf-8")
    for name in (".", "cyd"):
        out = asking.root / f"alone{name}"
        grade(asking.submissions / name, "--out", out)
        assert {row["max"] for row in rows(out)} == {maximum}


def test_the_check_of_the_course_covers_the_solutions_answers(asking):
    run("assignments", "build")
    without = run("check")
    assert without.exit == 1
    assert without.err == to_staff["written.solution-earns"]
    answers = '# BEGIN SOLUTION\nanswers = {"shape": "a", "total": -2.5, "why": "So."}\n# END SOLUTION'
    path = asking.tiny.edit("doubles.py", MARK, f"{MARK}\n{answers}")
    wrong = run("check")
    assert to_staff["written.reference-solution-fails"] in wrong.err
    path.write_text(path.read_text("utf-8").replace('"shape": "a"', '"shape": "b"'), encoding="utf-8")
    right = run("check")
    assert right.exit == 0
    assert "error" not in right.err
