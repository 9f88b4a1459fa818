"""Grading into a folder that holds grades already adds and replaces; it drops only what it is told to."""

import io
import shutil

import pytest
from tiny import HOMEWORK, SOLUTION, forget_fingerprints
from wording import to_staff

from autograder.authoring.assignments import build_assignments
from autograder.cli import batches
from autograder.gradebook.decisions import Override
from autograder.gradebook.opening import open_gradebook, read_gradebook
from autograder.verdict.store import Store

from .conftest import TRIPLES
from .running import grade, refusal, results_of, rows, run, totals

FULL = "5.5"
SECOND = "hwy"


@pytest.fixture
def kit(kit):
    """A class of three, graded."""
    for name in ("ada", "bob", "cyd"):
        kit.submit(name)
    assert grade(kit.submissions, "--out", kit.out).exit == 0
    return kit


@pytest.fixture
def two_homeworks(kit):
    """A course with a second homework, whose stub is triples.py."""
    solutions = kit.tiny.folder.parent
    shutil.copytree(solutions / HOMEWORK, solutions / SECOND)
    shutil.copytree(kit.root / "reference_outputs" / HOMEWORK, kit.root / "reference_outputs" / SECOND)
    (solutions / SECOND / "doubles.py").rename(solutions / SECOND / "triples.py")
    (solutions / SECOND / f"test_{HOMEWORK}.py").rename(solutions / SECOND / f"test_{SECOND}.py")
    settings = solutions / SECOND / "homework.toml"
    settings.write_text(settings.read_text("utf-8").replace("doubles.py", "triples.py"), "utf-8")
    forget_fingerprints(Store(kit.root / "reference_outputs" / SECOND))
    build_assignments(kit.tiny.course)
    return kit


class Terminal(io.StringIO):
    """Standard input where somebody types."""

    def isatty(self):
        return True


def hand_in(folder, name, text=SOLUTION):
    folder.mkdir(parents=True, exist_ok=True)
    (folder / name).write_text(text, "utf-8")
    return folder / name


def cells(kit, name):
    [row] = [row for row in rows(kit.out) if row["submission"] == name]
    return [row.get(column, "no column") for column in (HOMEWORK, SECOND, "total", "max")]


@pytest.mark.parametrize("how", [(), ("--fresh",), ("--homework", HOMEWORK)])
def test_grading_one_leaves_the_others_alone(kit, how):
    late_file = hand_in(kit.root / "late", "dan.py", TRIPLES)
    result = grade(late_file, "--out", kit.out, "--homework", HOMEWORK, *how)
    assert result.exit == 0
    assert totals(kit.out) == {"ada": FULL, "bob": FULL, "cyd": FULL, "dan": "2.5"}
    assert results_of(kit.out, "ada")["score"] == 5.5
    assert to_staff["adding.others-stay"] in result.err


def test_a_folder_that_is_missing_for_a_moment_costs_nothing(kit):
    away = kit.submissions.rename(kit.root / "unmounted")
    kit.submissions.mkdir()
    hand_in(kit.submissions / "eve", "doubles.py")
    assert grade(kit.submissions, "--out", kit.out).exit == 0
    assert list(totals(kit.out)) == ["ada", "bob", "cyd", "eve"]
    shutil.rmtree(kit.submissions)
    assert grade(kit.submissions, "--out", kit.out).exit == 2
    away.rename(kit.submissions)
    assert list(totals(kit.out)) == ["ada", "bob", "cyd", "eve"]


def test_ctrl_c_in_a_second_class_leaves_the_first_alone(kit, monkeypatch):
    def interrupt(*arguments):
        raise KeyboardInterrupt

    for name in ("ada", "dan"):
        hand_in(kit.root / "week4" / name, "doubles.py", TRIPLES)
    with monkeypatch.context() as patch:
        patch.setattr(batches, "write_graded", interrupt)
        result = grade(kit.root / "week4", "--out", kit.out)
    assert result.exit == 130
    assert to_staff["adding.unfinished"] in result.err
    assert totals(kit.out) == {"ada": "2.5", "bob": FULL, "cyd": FULL}
    assert [results_of(kit.out, name)["score"] for name in ("ada", "bob")] == [2.5, 5.5]
    assert to_staff["adding.unfinished"] in run("report", kit.out).err
    assert to_staff["adding.not-finished"] in (kit.out / "report.html").read_text("utf-8")
    assert grade(kit.root / "week4", "--out", kit.out).exit == 0
    assert "Not finished" not in (kit.out / "report.html").read_text("utf-8")


def test_homeworks_graded_one_after_the_other_stand_beside_each_other(two_homeworks):
    hand_in(two_homeworks.root / "week5" / "ada", "triples.py", TRIPLES)
    assert grade(two_homeworks.root / "week5", "--out", two_homeworks.out, "--homework", SECOND).exit == 0
    assert cells(two_homeworks, "ada") == ["5.5", "2.5", "8", "11"]
    assert cells(two_homeworks, "bob") == ["5.5", "", "5.5", "11"]
    assert {test["extra_data"]["homework"] for test in results_of(two_homeworks.out, "ada")["tests"]} == {
        HOMEWORK,
        SECOND,
    }


def test_points_of_another_homework_do_not_hide_that_most_of_a_class_could_not_be_graded(two_homeworks):
    broken, empty = two_homeworks.root / "week2", two_homeworks.root / "week3"
    for n in range(11):
        two_homeworks.submit(f"s{n}")
        hand_in(broken / f"s{n}", "triples.py", "import pandas_that_is_missing\n")
        hand_in(empty / f"s{n}", "notes.txt")
    assert grade(two_homeworks.submissions, "--homework", HOMEWORK, "--out", two_homeworks.out).exit == 0
    for _ in ("graded", "graded already"):
        result = grade(broken, "--homework", SECOND, "--out", two_homeworks.out)
        assert result.exit == 3
        assert result.err.splitlines()[-1] == to_staff["grade.most-not-imported-later"]
    for _ in ("graded", "graded already"):
        result = grade(empty, "--homework", SECOND, "--out", two_homeworks.out)
        assert (result.exit, result.out.splitlines()[-2]) == (3, "11 not_submitted")


def test_only_the_homework_asked_for_is_forgotten(two_homeworks):
    for name in ("ada", "bob"):
        hand_in(two_homeworks.root / "week5" / name, "triples.py")
    grade(two_homeworks.root / "week5", "--out", two_homeworks.out, "--homework", SECOND)
    shutil.rmtree(two_homeworks.root / "week5" / "bob")
    result = grade(
        two_homeworks.root / "week5", "--out", two_homeworks.out, "--homework", SECOND, "--forget-missing"
    )
    assert result.exit == 0
    assert cells(two_homeworks, "ada") == ["5.5", "5.5", "11", "11"]
    assert cells(two_homeworks, "bob") == ["5.5", "", "5.5", "11"]
    assert cells(two_homeworks, "cyd") == ["5.5", "", "5.5", "11"]
    assert results_of(two_homeworks.out, "bob")["score"] == 5.5


def asked_for(kit):
    with read_gradebook(kit.out) as book:
        return book.find_setting("homeworks")


def test_forgetting_asks_on_a_terminal(kit, monkeypatch):
    shutil.rmtree(kit.submissions / "bob")
    for answer, exit_status, names in (("n\n", 2, ["ada", "bob", "cyd"]), ("y\n", 0, ["ada", "cyd"])):
        monkeypatch.setattr("sys.stdin", Terminal(answer))
        answers = [asked_for(kit)]
        assert (
            grade(kit.submissions, "--out", kit.out, "--forget-missing", "--homework", HOMEWORK).exit
            == exit_status
        )
        assert list(totals(kit.out)) == names
        assert (asked_for(kit) in answers) == bool(exit_status), "what was refused was not asked for"


def test_what_people_decided_outlives_forgetting(kit):
    with open_gradebook(kit.out) as book:
        book.decisions.override(Override("bob", HOMEWORK, 3, "oral exam"))
    away = (kit.submissions / "bob").rename(kit.root / "bob")
    grade(kit.submissions, "--out", kit.out, "--forget-missing")
    assert list(totals(kit.out)) == ["ada", "cyd"]
    away.rename(kit.submissions / "bob")
    grade(kit.submissions, "--out", kit.out)
    assert totals(kit.out) == {"ada": FULL, "bob": "3", "cyd": FULL}


def test_points_by_hand_for_a_homework_that_nobody_was_asked_for_bring_its_maximum(two_homeworks):
    other = two_homeworks.root / "other"
    grade(two_homeworks.submissions, "--out", other, "--homework", HOMEWORK)
    result = run(
        *("policy", other, "--override", "ada", "--homework", SECOND, "--points", "4", "--reason", "oral"),
    )
    assert result.exit == 0
    assert to_staff["adding.by-hand"] in result.err
    points = {row["submission"]: (row[SECOND], row["total"], row["max"]) for row in rows(other)}
    assert points == {"ada": ("4", "9.5", "11"), "bob": ("", "5.5", "11"), "cyd": ("", "5.5", "11")}


def test_a_newer_submission_from_elsewhere_replaces_the_older_one_and_is_said(kit):
    hand_in(kit.root / "again", "ada.py", TRIPLES)
    result = grade(kit.root / "again", "--homework", HOMEWORK, "--out", kit.out)
    assert totals(kit.out) == {"ada": "2.5", "bob": FULL, "cyd": FULL}
    assert to_staff["adding.from-elsewhere"] in result.err


def test_two_stubs_of_one_name_are_never_taken_for_one_students(kit):
    alice = hand_in(kit.root / "alice", "doubles.py")
    bob = hand_in(kit.root / "bob", "doubles.py", TRIPLES)
    for file in (alice, bob, alice, bob):
        assert grade(file, "--out", kit.out).exit == 0
    assert totals(kit.out) == dict.fromkeys(("ada", "bob", "cyd", "doubles"), FULL) | {"bob-doubles": "2.5"}
    assert grade(alice, bob, "--out", kit.out).exit == 0
    assert len(totals(kit.out)) == 5


@pytest.mark.parametrize("fresh", [(), ("--fresh",)])
def test_a_regrade_of_the_first_folder_does_not_bring_back_what_was_handed_in_again(kit, fresh):
    hand_in(kit.submissions / "dan", "doubles.py", TRIPLES)
    grade(kit.submissions, "--out", kit.out)
    again = hand_in(kit.root / "late" / "dan", "doubles.py")
    grade(again.parents[1], "--out", kit.out)
    assert totals(kit.out)["dan"] == FULL
    checks = kit.tiny.folder / f"test_{HOMEWORK}.py"
    checks.write_text(f"{checks.read_text('utf-8')}\n# other graders\n", "utf-8")
    result = grade(kit.submissions, "--out", kit.out, *fresh)
    assert result.exit == 0
    assert totals(kit.out)["dan"] == FULL
    assert "a newer hand-in from another folder counts (1): dan (newer: " in result.err


def test_a_regrade_of_the_first_folder_does_not_take_back_the_flag_of_what_was_handed_in_late(kit):
    first = kit.root / "week1" / "lovelaceada_1001_501_doubles.py"
    late = kit.root / "week2" / "lovelaceada_LATE_1001_601_doubles-1.py"
    for path, text in ((first, SOLUTION), (late, TRIPLES)):
        hand_in(path.parent, path.name, text)
        hand_in(path.parent, path.name.replace("lovelaceada", "kingbob").replace("1001", "1002"), text)
        grade(path.parent, "--out", kit.out)
    flags = [row["late"] for row in rows(kit.out) if row["student_id"]]
    assert flags == ["yes", "yes"]
    for fresh in ((), ("--fresh",)):
        grade(first.parent, "--out", kit.out, *fresh)
        assert [row["late"] for row in rows(kit.out) if row["student_id"]] == flags


@pytest.mark.parametrize("folder", ["submissions", "report", "submissions/ada"])
def test_a_folder_where_results_are_written_is_no_folder_of_submissions(kit, folder):
    assert "is where results are written" in refusal(grade(kit.out / folder, "--out", kit.out))
    assert totals(kit.out)["ada"] == FULL
