"""One screen says what is graded, what is open, which rules hold, and how to go on; it changes nothing."""

import hashlib

import pytest
from tiny import HOMEWORK

from autograder.cli import batches
from autograder.gradebook.opening import FILE_NAME, open_gradebook

from .conftest import RIGHT, TRIPLES
from .running import grade, run

ROSTER = "student_id,name\nada,Ada\nbob,Bob\ncyd,Cyd\neve,Eve\n"


@pytest.fixture(name="kit")
def _kit(kit):
    """A class of three, graded with a roster of four."""
    for name, text in {"ada": RIGHT, "bob": TRIPLES, "cyd": RIGHT}.items():
        kit.submit(name, text)
    (kit.root / "roster.csv").write_text(ROSTER, "utf-8")
    assert grade(kit.submissions, "--out", kit.out, "--roster", kit.root / "roster.csv").exit == 0
    return kit


def status_rows(kit):
    """The text of each row, by its title."""
    result = run("status", kit.out)
    assert (result.exit, result.err) == (0, "")
    rows = {}
    title = ""
    for line in result.out.splitlines():
        title = line[:11].strip() or title
        rows[title] = f"{rows.get(title, '')} {line[11:].strip()}".strip()
    return rows


def test_a_class_that_was_just_graded(kit):
    before = hashlib.sha256((kit.out / FILE_NAME).read_bytes()).hexdigest()
    rows = status_rows(kit)
    assert list(rows) == ["graded", "missing", "unmarked", "undecided", "rules", "exported", "next"]
    assert rows["graded"].startswith("3 graded; last grading ")
    assert rows["graded"].endswith("UTC hwx 3")
    assert rows["missing"] == "1 of 4 in roster.csv: Eve (eve)"
    assert (rows["unmarked"], rows["undecided"], rows["exported"]) == ("none", "nothing", "never")
    assert rows["rules"] == "hwx: due 2027-02-05 23:59 UTC, no penalty"
    assert rows["next"] == f"autograder export {kit.out} --to PLATFORM"
    assert hashlib.sha256((kit.out / FILE_NAME).read_bytes()).hexdigest() == before


def test_rules_and_times_and_what_belongs_to_nobody(kit):
    (kit.root / "policy.toml").write_text("late_days = 2\npenalty_per_day = 10\nmax_penalty = 50\n", "utf-8")
    rows = status_rows(kit)
    assert rows["rules"] == "late days: 2 hwx: due 2027-02-05 23:59 UTC, 10 % a day, at most 50 %"
    assert rows["no time"] == "and lateness may cost points (3): ada, bob and cyd"
    assert rows["next"] == f"autograder policy {kit.out} --times times.csv"
    times = "submission,submitted_at\n" + "".join(
        f"{name},2027-01-01T12:00:00Z\n" for name in ("ada", "bob", "cyd", "zoe")
    )
    (kit.root / "times.csv").write_text(times, "utf-8")
    run("policy", kit.out, "--times", kit.root / "times.csv")
    rows = status_rows(kit)
    assert "no time" not in rows
    assert rows["nobody's"] == "times or extensions (1): zoe"


def test_exports_are_known_and_whether_points_have_changed_since(kit):
    assert run("export", kit.out, "--to", "moodle").exit == 0
    rows = status_rows(kit)
    assert rows["exported"].startswith("hwx to moodle 20")
    assert rows["next"].startswith("nothing")
    where = ("--homework", HOMEWORK, "--points", 4, "--reason", "oral exam")
    run("policy", kit.out, "--override", "ada", *where)
    rows = status_rows(kit)
    assert rows["exported"].endswith("UTC points have changed since the last export")
    assert rows["next"] == f"autograder export {kit.out} --to moodle"


def test_feedback_handed_out_later_does_not_stand_for_points_that_have_changed(kit):
    emails = "student_id,email\nada,ada@example.edu\nbob,bob@example.edu\n"
    (kit.root / "emails.csv").write_text(emails, "utf-8")
    assert run("export", kit.out, "--to", "moodle").exit == 0
    where = ("--homework", HOMEWORK, "--points", 4, "--reason", "oral exam")
    run("policy", kit.out, "--override", "ada", *where)
    assert run("export", kit.out, "--to", "folder", "--roster", kit.root / "emails.csv").exit == 0
    rows = status_rows(kit)
    assert rows["exported"].endswith("points have changed since the last export of hwx")
    assert rows["next"] == f"autograder export {kit.out} --to moodle"


def test_feedback_that_does_not_show_the_rules_in_force_is_told(kit):
    times = "submission,submitted_at\nada,2027-02-08T12:00:00Z\nbob,2027-01-01T12:00:00Z\n"
    (kit.root / "times.csv").write_text(times, "utf-8")
    run("policy", kit.out, "--times", kit.root / "times.csv")
    assert "feedback" not in status_rows(kit)
    (kit.root / "policy.toml").write_text("penalty_per_day = 10\n", "utf-8")
    assert (
        status_rows(kit)["feedback"]
        == f"does not show what counts now (1): ada; `autograder policy {kit.out}` writes it again"
    )
    run("policy", kit.out)
    assert "feedback" not in status_rows(kit)


def test_feedback_handed_out_before_points_changed_is_told(kit):
    emails = "student_id,email\nada,ada@example.edu\nbob,bob@example.edu\n"
    (kit.root / "emails.csv").write_text(emails, "utf-8")
    assert run("export", kit.out, "--to", "folder", "--roster", kit.root / "emails.csv").exit == 0
    assert run("export", kit.out, "--to", "moodle").exit == 0
    assert "feedback" not in status_rows(kit)
    where = ("--homework", HOMEWORK, "--points", 4, "--reason", "oral exam")
    run("policy", kit.out, "--override", "ada", *where)
    assert status_rows(kit)["feedback"] == "points have changed since it was handed out: hwx to folder"


def test_a_withdrawn_submission_is_there_with_its_reason_and_its_student_is_not_missing(kit):
    run("withdraw", kit.out, "bob", "--reason", "left")
    rows = status_rows(kit)
    assert rows["graded"].startswith("2 graded;")
    assert rows["withdrawn"] == "not in any table (1): bob (left)"
    assert rows["missing"] == "1 of 4 in roster.csv: Eve (eve)"


def test_what_a_person_has_to_decide_comes_first(kit):
    kit.submit("dan", "words\n", "essay.txt")
    grade(kit.submissions, "--out", kit.out)
    rows = status_rows(kit)
    assert rows["undecided"] == "nothing to grade in (1): dan"
    assert rows["next"].startswith(f"autograder explain {kit.out} dan ")
    assert rows["missing"].endswith("match nobody there (1): dan")
    where = ("--homework", HOMEWORK, "--points", 0, "--reason", "an essay")
    run("policy", kit.out, "--override", "dan", *where)
    assert status_rows(kit)["undecided"] == "nothing"


def test_a_run_that_was_stopped_is_to_be_gone_on_with(kit, monkeypatch):
    def interrupt(*arguments):
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(batches, "write_graded", interrupt)
        grade(kit.submissions, "--out", kit.out, "--fresh", "--jobs", 1)
    rows = status_rows(kit)
    assert rows["undecided"] == "grading was stopped at 1 of 3"
    assert rows["next"].startswith(f"autograder grade {kit.submissions} --out {kit.out}")


def test_a_fault_of_the_grader_is_undecided(kit):
    path = kit.tiny.folder / f"test_{HOMEWORK}.py"
    path.write_text(path.read_text("utf-8").replace('compare(cases.published("double"))', "1 / 0"), "utf-8")
    grade(kit.submissions / "ada", "--out", kit.out)
    rows = status_rows(kit)
    assert rows["undecided"] == "the grader failed on (1): ada"
    assert rows["next"].startswith(f"autograder regrade {kit.out}")


def test_without_a_roster_nobody_knows_who_is_missing(kit, tmp_path):
    out = tmp_path / "other"
    grade(kit.submissions, "--out", out)
    result = run("status", out)
    assert "--roster" in result.out
    assert result.exit == 0


def test_a_folder_without_grades(tmp_path):
    assert run("status", tmp_path).exit == 2
    assert list(tmp_path.iterdir()) == []


def test_it_fits_on_a_screen_whatever_is_open(kit, monkeypatch):
    """Every row is there, with more names than fit."""
    from autograder.cli.console import out as console

    for number in range(9):
        kit.submit(f"a student with quite a long name {number}", "words\n", "essay.txt")
    grade(kit.submissions, "--out", kit.out)
    (kit.root / "policy.toml").write_text("late_days = 2\npenalty_per_day = 10\n", "utf-8")
    for to in ("moodle", "gradescope", "folder"):
        run("export", kit.out, "--to", to)
    with open_gradebook(kit.out) as book:
        for number in range(5):
            book.decisions.withdraw(f"a student with quite a long name {number}", "left the course early")
    monkeypatch.setattr(console, "width", 80)
    lines = run("status", kit.out).out.splitlines()
    assert len(lines) <= 23
    assert max(map(len, lines)) <= 80
