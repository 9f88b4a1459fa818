"""What is in the gradebook is graded again from where it was found, and only the checks make a difference."""

import shutil

import pytest
from tiny import HOMEWORK
from wording import to_staff

from autograder.cli import batches
from autograder.gradebook.opening import read_gradebook

from .conftest import RIGHT, TRIPLES
from .running import grade, refusal, results_of, run, totals
from .test_adding import SECOND, cells, hand_in, two_homeworks

__all__ = ["two_homeworks"]

FULL, HALF = "5.5", "2.5"


@pytest.fixture(name="kit")
def _kit(kit):
    """A class of three, graded: bob triples where he should double."""
    for name, text in {"ada": RIGHT, "bob": TRIPLES, "cyd": RIGHT}.items():
        kit.submit(name, text)
    assert grade(kit.submissions, "--out", kit.out, "--seed", 3).exit == 0
    return kit


def regrade(kit, *arguments):
    return run("regrade", kit.out, "--unsafe", "--jobs", 1, *arguments)


def comment_checks(kit):
    """Change the graders, and no points."""
    with (kit.tiny.folder / f"test_{HOMEWORK}.py").open("a", encoding="utf-8") as file:
        file.write("# mended\n")


def award_triples(kit):
    """Mend a check, so that bob earns its points as well."""
    path = kit.tiny.folder / f"test_{HOMEWORK}.py"
    text = path.read_text("utf-8")
    compared = 'compare(cases.published("double"))'
    assert compared in text
    path.write_text(text.replace(compared, "pass"), "utf-8")


def test_a_mended_check_says_whose_points_changed_and_how_many_stayed(kit):
    award_triples(kit)
    result = regrade(kit)
    assert (result.exit, totals(kit.out)) == (0, {"ada": FULL, "bob": "3.5", "cyd": FULL})
    [row] = [line.split() for line in result.out.splitlines() if line.startswith("bob")]
    assert row == ["bob", HOMEWORK, "2.5", "3.5"]
    assert to_staff["regrade.changed"] in result.out.splitlines()
    assert results_of(kit.out, "bob")["score"] == 3.5
    with read_gradebook(kit.out) as book:
        assert {result.homeworks[0].seed for result in book.results()} == {3}


def test_what_todays_checks_have_graded_is_not_graded_again_unless_it_is_asked_for(kit):
    assert to_staff["regrade.already"] in regrade(kit).err
    result = regrade(kit, "--fresh")
    assert "already" not in result.err
    assert to_staff["regrade.equal"] in result.out.splitlines()
    with read_gradebook(kit.out) as book:
        assert len(list(book.history())) == 3


def test_grading_the_folder_after_a_regrade_finds_everything_done(kit):
    comment_checks(kit)
    assert regrade(kit).exit == 0
    assert to_staff["resume.note-of-already-graded-fresh"] in grade(kit.submissions, "--out", kit.out).err


def test_only_the_named_are_graded_again(kit):
    award_triples(kit)
    assert regrade(kit, "ada").exit == 0
    assert totals(kit.out)["bob"] == HALF
    assert regrade(kit, "bob").exit == 0
    assert totals(kit.out)["bob"] == "3.5"


def test_a_newer_hand_in_from_another_folder_stays_the_one_that_counts(kit):
    late = hand_in(kit.root / "late" / "bob", "doubles.py", RIGHT).parent.parent
    grade(late, "--out", kit.out)
    assert totals(kit.out)["bob"] == FULL
    comment_checks(kit)
    assert regrade(kit).exit == 0
    assert totals(kit.out)["bob"] == FULL
    result = grade(kit.submissions, "--out", kit.out)
    assert to_staff["regrade.newer-counts"] in result.err
    assert totals(kit.out)["bob"] == FULL
    result = grade(kit.submissions, "--out", kit.out, "--fresh")
    assert "already graded" not in result.err
    assert totals(kit.out)["bob"] == FULL


@pytest.mark.parametrize("first", ["regrade", "gone"])
def test_one_homework_of_a_folder_that_a_newer_place_has_superseded_does_not_come_back(two_homeworks, first):
    """week1 gives both homeworks, late a better one of them; the rest of week1 is graded again."""
    for name in ("doubles.py", "triples.py"):
        hand_in(two_homeworks.root / "week1" / "ada", name, TRIPLES)
    hand_in(two_homeworks.root / "late" / "ada", "doubles.py", RIGHT)
    for folder in ("week1", "late"):
        assert grade(two_homeworks.root / folder, "--out", two_homeworks.out).exit == 0
    assert cells(two_homeworks, "ada") == [FULL, HALF, "8", "11"]
    comment_checks(two_homeworks)
    if first == "gone":
        (two_homeworks.root / "late").rename(two_homeworks.root / "away")
    assert regrade(two_homeworks, "ada").exit == 0
    assert cells(two_homeworks, "ada") == [FULL, HALF, "8", "11"]
    assert grade(two_homeworks.root / "week1", "--out", two_homeworks.out).exit == 0
    assert cells(two_homeworks, "ada") == [FULL, HALF, "8", "11"]


@pytest.mark.parametrize("how", ["--resume", "--fresh"])
def test_grading_such_a_folder_again_with_other_checks_does_not_bring_it_back_either(two_homeworks, how):
    for name in ("doubles.py", "triples.py"):
        hand_in(two_homeworks.root / "week1" / "ada", name, TRIPLES)
    hand_in(two_homeworks.root / "late" / "ada", "doubles.py", RIGHT)
    for folder in ("week1", "late"):
        assert grade(two_homeworks.root / folder, "--out", two_homeworks.out).exit == 0
    comment_checks(two_homeworks)
    for _ in ("graded again", "graded already"):
        result = grade(two_homeworks.root / "week1", "--out", two_homeworks.out, how)
        assert cells(two_homeworks, "ada") == [FULL, HALF, "8", "11"]
        assert to_staff["regrade.newer-counts-ada"] in result.err
    comment_checks(two_homeworks)
    assert grade(two_homeworks.root / "week1", "--out", two_homeworks.out, how).exit == 0
    assert cells(two_homeworks, "ada") == [FULL, HALF, "8", "11"]


def test_only_the_homework_asked_for_is_graded_again(two_homeworks):
    for name in ("doubles.py", "triples.py"):
        hand_in(two_homeworks.root / "week1" / "ada", name, TRIPLES)
    assert grade(two_homeworks.root / "week1", "--out", two_homeworks.out).exit == 0
    award_triples(two_homeworks)
    second_checks = two_homeworks.tiny.folder.parent / SECOND / f"test_{SECOND}.py"
    shutil.copy(two_homeworks.tiny.folder / f"test_{HOMEWORK}.py", second_checks)
    result = regrade(two_homeworks, "--homework", SECOND)
    assert result.exit == 0
    assert cells(two_homeworks, "ada") == ["2.5", "3.5", "6", "11"]
    assert to_staff["regrade.one-changed"] in result.out.splitlines()
    assert regrade(two_homeworks).exit == 0
    assert cells(two_homeworks, "ada") == ["3.5", "3.5", "7", "11"]


def test_what_is_gone_keeps_its_grade_and_is_listed(kit):
    award_triples(kit)
    shutil.rmtree(kit.submissions / "bob")
    result = regrade(kit)
    assert (result.exit, totals(kit.out)["bob"]) == (0, HALF)
    assert to_staff["regrade.gone"] in result.err
    kit.submissions.rename(kit.root / "away")
    assert to_staff["regrade.all-gone"] in refusal(regrade(kit))


def test_what_has_changed_there_keeps_its_grade_and_is_listed(kit):
    kit.submit("bob", RIGHT)
    assert to_staff["regrade.changed-files"] in regrade(kit).err, "today's checks have graded it before"
    comment_checks(kit)
    result = regrade(kit)
    assert (result.exit, totals(kit.out)["bob"]) == (0, HALF)
    assert to_staff["regrade.changed-files"] in result.err
    assert grade(kit.submissions, "--out", kit.out).exit == 0
    assert totals(kit.out)["bob"] == FULL


def test_what_a_student_took_back_keeps_its_grade_and_is_listed(kit):
    (kit.submissions / "bob" / "doubles.py").rename(kit.submissions / "bob" / "notes.txt")
    grade(kit.submissions, "--out", kit.out)
    assert totals(kit.out)["bob"] == HALF
    award_triples(kit)
    for _ in ("graded again", "graded already"):
        result = regrade(kit)
        assert (result.exit, totals(kit.out)["bob"]) == (0, HALF)
        assert to_staff["regrade.changed-files"] in result.err


def test_code_that_is_only_read_in_another_way_is_graded_again(kit):
    """As after a new release, which may count files that the earlier one did not."""
    (kit.submissions / "bob" / "notes.md").write_text("more", "utf-8")
    award_triples(kit)
    result = regrade(kit)
    assert (result.exit, totals(kit.out)["bob"]) == (0, "3.5")
    assert "changed since" not in result.err


def test_a_download_of_a_platform_is_found_again_by_student(kit):
    download = kit.root / "submissions"
    for number, name in enumerate(("lovelaceada", "babbagebob")):
        hand_in(download, f"{name}_{1000 + number}_{5000 + number}_doubles.py", TRIPLES)
    out = kit.root / "canvas"
    assert grade(download, "--out", out, "--layout", "canvas").exit == 0
    award_triples(kit)
    result = run("regrade", out, "--unsafe", "--jobs", 1)
    assert (result.exit, totals(out)) == (0, {"babbagebob_1001": "3.5", "lovelaceada_1000": "3.5"})


def test_overrides_and_late_penalties_stay(kit):
    where = ("--homework", HOMEWORK, "--points", 4, "--reason", "oral exam")
    assert run("policy", kit.out, "--override", "ada", *where).exit == 0
    award_triples(kit)
    regrade(kit)
    assert totals(kit.out) == {"ada": "4", "bob": "3.5", "cyd": FULL}


def test_ctrl_c_keeps_what_is_finished_and_the_same_command_goes_on(kit, monkeypatch):
    award_triples(kit)
    really_write = batches.write_graded

    def write(folder, result, *others):
        really_write(folder, result, *others)
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(batches, "write_graded", write)
        result = regrade(kit)
    assert result.exit == 130
    assert to_staff["resume.note-stopped-every-finished"] in result.err
    result = regrade(kit)
    assert result.exit == 0
    assert to_staff["regrade.one-of-three"] in result.err
    assert totals(kit.out)["bob"] == "3.5"


def test_a_check_that_raises_leaves_a_blank_until_it_is_mended(kit):
    path = kit.tiny.folder / f"test_{HOMEWORK}.py"
    text = path.read_text("utf-8")
    path.write_text(text.replace('compare(cases.published("double"))', "1 / 0"), "utf-8")
    result = regrade(kit, "ada")
    assert (result.exit, totals(kit.out)) == (1, {"ada": "", "bob": HALF, "cyd": FULL})
    path.write_text(text, "utf-8")
    assert regrade(kit).exit == 0
    assert totals(kit.out) == {"ada": FULL, "bob": HALF, "cyd": FULL}


def test_a_folder_without_a_gradebook_is_refused(kit, tmp_path):
    result = run("regrade", tmp_path, "--unsafe")
    assert result.exit == 2
    assert list(tmp_path.glob("gradebook*")) == []
