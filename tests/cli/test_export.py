"""Points and feedback for a platform: each student their own, no zeros for a class that was not graded."""

import shutil
import sys
import zipfile
from dataclasses import replace
from unittest.mock import Mock

import pytest
import typer
from intake.downloads import canvas_name, moodle_name
from tiny import HOMEWORK
from wording import to_staff

from autograder.cli import export as command
from autograder.gradebook.book import Gradebook, Unfinished
from autograder.gradebook.opening import open_gradebook

from .classroom import read_rows
from .conftest import RIGHT, TRIPLES
from .running import grade, refusal, run
from .test_lms import (
    CANVAS,
    CANVAS_ROSTER,
    GRADESCOPE,
    GRADESCOPE_ROSTER,
    MOODLE,
    MOODLE_ROSTER,
    class_of,
    export,
    roster_of,
)

COLUMN = "Doubles (4711)"
TO_CANVAS = ("--column", COLUMN)
PLAIN = "login,name\nada,Ada Lovelace\nzoe,Zoë O'Brien\nmin,Min Kim\nlu,Lu Late\n"


@pytest.fixture
def graded(kit):
    """Ada and Zoë of the rosters have 5.5 and 2.5 points, Min and Lu handed in nothing."""
    kit.submit("ada")
    kit.submit("zoe", TRIPLES)
    grade(kit.submissions, "--out", kit.out)
    return kit


def points(kit, to="moodle", column="Grade"):
    return [row[column] for row in read_rows(kit.out / f"{to}.csv")]


def add_homework(kit, name):
    """Give the course another homework, which nobody was graded in."""
    folder = shutil.copytree(kit.root / "solutions" / HOMEWORK, kit.root / "solutions" / name)
    (folder / f"test_{HOMEWORK}.py").rename(folder / f"test_{name}.py")
    meta = folder / "homework.toml"
    meta.write_text(meta.read_text("utf-8").replace("doubles.py", "others.py"), "utf-8")


@pytest.mark.parametrize("zero", [(), ("--missing-zero",)])
def test_a_homework_that_was_never_graded_is_an_error_that_names_what_was(graded, zero):
    add_homework(graded, "hwy")
    assert to_staff["export.never-graded"] in refusal(
        export(graded, "moodle", PLAIN, "--homework", "hwy", *zero)
    )
    assert not (graded.out / "moodle.csv").exists()


def test_a_gradebook_without_any_points_gives_nobody_a_zero(kit):
    kit.submit("ada", name="photo.jpg")
    grade(kit.submissions, "--out", kit.out)
    assert to_staff["export.nothing-graded"] in refusal(export(kit, "moodle", PLAIN, "--missing-zero"))


def test_a_homework_that_the_course_no_longer_has_is_exported_from_the_grades(graded):
    add_homework(graded, "hwy")
    shutil.rmtree(graded.root / "solutions" / HOMEWORK)
    result = export(graded, "moodle", PLAIN, "--homework", HOMEWORK)
    assert result.exit == 0, result.err
    assert points(graded) == ["5.5", "2.5", "", ""]


def test_how_many_zeros_are_written_is_said(graded):
    result = export(graded, "moodle", PLAIN, "--missing-zero")
    assert points(graded) == ["5.5", "2.5", "0", "0"]
    assert to_staff["export.zeros"] in result.err


def test_zeros_for_most_of_a_class_are_asked_about_on_a_terminal(graded, monkeypatch):
    prompts = []
    roster = PLAIN + "bo,Bo\n"

    def answer(question, **_):
        prompts.append(question)
        raise typer.Abort

    monkeypatch.setattr(sys, "stdin", Mock(isatty=lambda: True))
    monkeypatch.setattr(typer, "confirm", answer)
    assert export(graded, "moodle", PLAIN, "--missing-zero").exit == 0
    assert prompts == []
    assert export(graded, "moodle", roster, "--missing-zero").exit == 1
    assert prompts == [to_staff["export.write-zeros"]]
    assert len(points(graded)) == 4, "the table of before is still there"


def test_who_may_have_handed_in_what_matches_nobody_surely_gets_no_zero(graded):
    roster = PLAIN + "ada,Ada King\n"  # a login listed twice, so nobody knows which row is Ada's
    result = export(graded, "moodle", roster, "--missing-zero")
    assert points(graded) == ["", "2.5", "0", "0", ""]
    assert to_staff["export.blank-in-doubt"] in result.err


def test_zeros_beside_submissions_of_nobody_come_with_a_warning(graded):
    graded.submit("min_kim_hw")
    grade(graded.submissions, "--out", graded.out)
    result = export(graded, "moodle", PLAIN, "--missing-zero")
    assert to_staff["export.zeros-in-doubt"] in result.err


def test_nobody_gets_a_zero_whom_grading_did_not_reach(graded, monkeypatch):
    monkeypatch.setattr(Gradebook, "unfinished", lambda _: Unfinished(2, 4))
    partial = export(graded, "moodle", PLAIN)
    assert partial.exit == 0
    assert to_staff["export.stopped"] in partial.err
    assert to_staff["export.unfinished"] in refusal(export(graded, "moodle", PLAIN, "--missing-zero"))


def test_a_check_that_ended_grading_at_once_does_not_forbid_zeros(graded):
    graded.tiny.edit("test_hwx.py", "import check\n", "import check, no_such_name\n")
    assert grade(graded.submissions, "--out", graded.out).exit != 0
    result = export(graded, "moodle", PLAIN, "--missing-zero")
    assert result.exit == 0
    assert to_staff["export.stopped"] not in result.err
    assert points(graded) == ["5.5", "2.5", "0", "0"]


@pytest.mark.parametrize("zero", [(), ("--missing-zero",)])
def test_the_roster_of_another_class_is_an_error_and_no_zeros(graded, zero):
    assert to_staff["export.another-class"] in refusal(
        export(graded, "moodle", "login,name\nkim,Kim\nlee,Lee\n", *zero)
    )
    assert not (graded.out / "moodle.csv").exists()


def alter(patch, change):
    """Let exports find other results in the gradebook."""
    real = command.settle
    changed_settle = lambda *of: Mock(grades=lambda: map(change, real(*of).grades()))  # noqa: E731
    patch.setattr(command, "settle", changed_settle)


def test_a_fault_of_ours_is_a_blank_for_any_homework_and_never_a_zero(graded, monkeypatch):
    alter(
        monkeypatch,
        lambda result: replace(result, fault="x", homeworks=()) if result.name == "zoe" else result,
    )
    for more in ((), ("--homework", HOMEWORK)):
        export(graded, "moodle", PLAIN, "--missing-zero", *more)
        assert points(graded) == ["5.5", "", "0", "0"]


def test_whose_grade_in_canvas_is_repeated_is_said(graded):
    lines = []
    for line in CANVAS_ROSTER.splitlines():
        if "Kim" in line:
            line = line.replace(",kim,A,", ",kim,A,4.00")
        lines.append(line)
    result = export(graded, "canvas", "\n".join(lines) + "\n", *TO_CANVAS)
    assert points(graded, "canvas", COLUMN)[1:4] == ["5.5", "2.5", "4.00"]
    [sentence] = [line for line in result.err.splitlines() if "repeats the grade" in line]
    assert "Kim" in sentence
    assert "Ada" not in sentence


def test_that_the_roster_of_the_grading_may_be_older_than_canvas_is_said(graded):
    (graded.root / "roster.csv").write_text(CANVAS_ROSTER, "utf-8")
    grade(graded.submissions, "--out", graded.out, "--roster", graded.root / "roster.csv")
    with_kept_roster = run("export", graded.out, "--to", "canvas", *TO_CANVAS)
    assert to_staff["export.kept-roster"] in with_kept_roster.err
    with_named_roster = export(graded, "canvas", CANVAS_ROSTER, *TO_CANVAS)
    assert to_staff["export.kept-roster"] not in with_named_roster.err


@pytest.mark.parametrize(
    ("to", "roster"),
    [
        ("canvas", MOODLE_ROSTER),
        ("canvas", GRADESCOPE_ROSTER),
        ("moodle", CANVAS_ROSTER),
        ("moodle", GRADESCOPE_ROSTER),
        ("gradescope", CANVAS_ROSTER),
    ],
)
def test_the_table_of_another_platform_is_refused(graded, to, roster):
    assert f"--to {to}" in refusal(export(graded, to, roster, "--column", "x", "--missing-zero"))
    assert not (graded.out / f"{to}.csv").exists()


def test_the_refusal_says_what_the_table_is_and_what_fits(graded):
    result = export(graded, "canvas", MOODLE_ROSTER, *TO_CANVAS)
    assert to_staff["export.another-platform"] in result.err


def test_points_above_the_maximum_of_canvas_are_told(graded):
    result = export(graded, "canvas", CANVAS_ROSTER.replace("5.50", "5.00"), *TO_CANVAS)
    assert result.exit == 0
    assert points(graded, "canvas", COLUMN)[1:3] == ["5.5", "2.5"]
    assert to_staff["export.over-canvas"] in result.err
    assert to_staff["export.not-scaled"] in result.err
    assert "scaled" not in export(graded, "canvas", CANVAS_ROSTER, *TO_CANVAS).err


def test_a_worksheet_has_one_column_for_points_and_takes_no_other(graded):
    assert to_staff["export.own-column"] in refusal(
        export(graded, "moodle", MOODLE_ROSTER.replace("ada@example.org", "ada"), "--column", "Points")
    )


def test_a_column_that_is_missing_is_refused_with_those_that_are_there(graded):
    assert to_staff["export.no-column"] in refusal(export(graded, "canvas", CANVAS_ROSTER))


def test_a_dry_run_says_whose_points_changed_and_writes_nothing(graded):
    first = export(graded, "canvas", CANVAS_ROSTER, *TO_CANVAS, "--dry-run")
    assert first.exit == 0
    assert to_staff["export.dry-first"] in first.out
    written = {path: path.read_bytes() for path in graded.out.iterdir() if path.is_file()}
    assert not {"canvas.csv", "unmatched.csv"} & {path.name for path in written}

    changes = export(graded, "canvas", CANVAS_ROSTER, *TO_CANVAS)
    assert "changed since" not in changes.out
    run("policy", graded.out, "--override", "zoe", "--homework", HOMEWORK, "--points", "4", "--reason", "x")
    before = {path: path.read_bytes() for path in graded.out.iterdir() if path.is_file()}
    dry = export(graded, "canvas", CANVAS_ROSTER, *TO_CANVAS, "--dry-run")
    assert to_staff["export.dry-changed"] in dry.out
    assert {path: path.read_bytes() for path in graded.out.iterdir() if path.is_file()} == before

    again = export(graded, "canvas", CANVAS_ROSTER, *TO_CANVAS)
    assert to_staff["export.changed"] in again.out
    assert "changed since the last export: 0" in export(graded, "canvas", CANVAS_ROSTER, *TO_CANVAS).out
    assert "changed since" not in export(graded, "moodle", PLAIN).out, "another platform has its own"


def test_a_dry_run_of_zeros_asks_nothing(graded, monkeypatch):
    monkeypatch.setattr(sys, "stdin", Mock(isatty=lambda: True))
    monkeypatch.setattr(typer, "confirm", Mock(side_effect=AssertionError))
    result = export(graded, "moodle", PLAIN + "bo,Bo\n", "--missing-zero", "--dry-run")
    assert result.exit == 0
    assert "no submission, and so 0 points: 3 of 5 students" in result.err


def test_a_dry_run_of_feedback_writes_none(graded):
    roster = MOODLE_ROSTER.replace("ada@example.org", "ada")
    result = export(graded, "moodle", roster, "--feedback", "--dry-run")
    assert result.exit == 0
    assert "moodle_feedback.zip" in result.out
    assert not (graded.out / "moodle_feedback.zip").exists()


def test_an_export_beside_a_grading_is_written_and_says_that_the_next_cannot_compare(graded):
    with open_gradebook(graded.out):
        result = export(graded, "moodle", PLAIN)
    assert result.exit == 0
    assert points(graded) == ["5.5", "2.5", "", ""]
    assert "`autograder status` and the next export will not know of this one" in result.err


def test_a_kind_of_note_is_one_line_however_many_students_it_names(graded):
    over = export(graded, "canvas", CANVAS_ROSTER.replace("5.50", "2.00"), *TO_CANVAS)
    assert to_staff["export.over-canvas-all"] in over.err


def feedback(kit, to, roster, *more):
    return run("export", kit.out, "--to", to, "--feedback", "--roster", roster_of(kit, roster), *more)


def zipped(path):
    with zipfile.ZipFile(path) as archive:
        return {name: archive.read(name).decode("utf-8", "replace") for name in archive.namelist()}


def test_moodle_hands_out_each_page_to_its_participant(kit):
    grade(class_of(kit, MOODLE), "--out", kit.out, "--layout", "moodle")
    result = feedback(kit, "moodle", MOODLE_ROSTER)
    assert result.exit == 0, result.err
    pages = zipped(kit.out / "moodle_feedback.zip")
    assert list(pages) == [
        "Ada Lovelace_12_assignsubmission_file_feedback.html",
        "Zoë O'Brien_13_assignsubmission_file_feedback.html",
    ]
    page = kit.out / "submissions" / "Ada Lovelace_12" / "feedback.html"
    assert pages["Ada Lovelace_12_assignsubmission_file_feedback.html"] == page.read_text("utf-8")
    assert not (kit.out / "moodle.csv").exists()
    unmatched = [(row["what"], row["who"]) for row in read_rows(kit.out / "unmatched.csv")]
    assert unmatched == [("submission", "Team A_14"), ("student", "Min Kim (kim@example.org)")]


def test_a_mail_merge_gives_no_points_where_nothing_could_be_graded(kit):
    kit.submit("ada", RIGHT)
    kit.submit("bob", "an essay", "essay.txt")
    grade(kit.submissions, "--out", kit.out)
    roster = "student_id,email\nada,ada@example.org\nbob,bob@example.org\n"
    assert feedback(kit, "folder", roster).exit == 0
    index = read_rows(kit.out / "feedback" / "index.csv")
    assert [(row["points"], row["max"]) for row in index] == [("5.5", "5.5"), ("", "")]


def test_a_team_of_moodle_gets_its_page_for_each_member_and_nobody_else_does(kit):
    members = {12: "Team A", 13: "Team A", 14: "Team B", 15: ""}
    roster = "Identifier,Full name,Group,Grade,Last modified (grade)\n" + "".join(
        f"Participant {number},Ada Lovelace,{group},,-\n" for number, group in members.items()
    )
    contents = {
        f"{moodle_name(f'Team {letter}', n)}/doubles.py": RIGHT for letter, n in (("A", 15), ("B", 16))
    }
    grade(class_of(kit, contents), "--out", kit.out, "--layout", "moodle")
    feedback(kit, "moodle", roster)
    pages = zipped(kit.out / "moodle_feedback.zip")
    titles = {name.split("_")[1]: text.partition("<h1>Feedback: ")[2][:6] for name, text in pages.items()}
    assert titles == {"12": "Team A", "13": "Team A", "14": "Team B"}


def test_canvas_gets_each_page_back_under_the_name_of_an_upload(kit):
    download = class_of(kit, CANVAS)
    grade(download, "--out", kit.out)
    result = feedback(kit, "canvas", CANVAS_ROSTER, "--download", download)
    assert result.exit == 0, result.err
    assert sorted(zipped(kit.out / "canvas_feedback.zip")) == [
        "latelu_16_703_week.zip",
        "lovelaceada_12_705_doubles-1.py",
        canvas_name("O'Brien, Zoë", 13, 701, "doubles.py", late=True),
    ]
    assert "lovelaceada_12" in zipped(kit.out / "canvas_feedback.zip")["lovelaceada_12_705_doubles-1.py"]


def test_a_folder_of_pages_by_address_takes_the_class_of_any_platform(kit):
    grade(class_of(kit, GRADESCOPE) / "x_export", "--out", kit.out)
    result = run("export", kit.out, "--to", "folder", "--roster", roster_of(kit, GRADESCOPE_ROSTER))
    assert result.exit == 0, result.err
    rows = read_rows(kit.out / "feedback" / "index.csv")
    index = {row["email"]: (row["file"], row["points"]) for row in rows}
    assert index == {"a@b.c": ("a@b.c.html", "5.5"), "b@b.c": ("b@b.c.html", "5.5")}
    assert "Ada Lovelace_0012" in (kit.out / "feedback" / "a@b.c.html").read_text("utf-8")


def with_another(result):
    """The same result with a second homework in it."""
    [first] = result.homeworks
    return replace(result, homeworks=(first, replace(first, homework="hwz", title="Another one")))


@pytest.mark.parametrize("to", ["canvas", "moodle", "folder"])
def test_feedback_on_one_homework_holds_that_one_alone(kit, to, monkeypatch):
    download = class_of(kit, {canvas_name("Lovelace, Ada", 12, 700, "doubles.py"): TRIPLES})
    grade(download, "--out", kit.out, "--layout", "canvas")
    alter(monkeypatch, with_another)
    roster = "Identifier,Email\n12,a@b.c\n"
    for homework in (HOMEWORK, "hwz"):
        result = feedback(kit, to, roster, "--homework", homework, "--download", download)
        assert result.exit == 0, result.err
        if to == "folder":
            text = (kit.out / "feedback" / "a@b.c.html").read_text("utf-8")
        else:
            [text] = zipped(kit.out / f"{to}_feedback.zip").values()
        assert ("Doubles and totals" in text, "Another one" in text) == (
            homework == HOMEWORK,
            homework == "hwz",
        )


def test_who_has_no_fair_grade_yet_is_told_nothing_yet(kit, monkeypatch):
    kit.submit("12")
    kit.submit("13")
    grade(kit.submissions, "--out", kit.out)
    alter(monkeypatch, lambda result: replace(result, fault="x") if result.name == "12" else result)
    result = feedback(kit, "moodle", MOODLE_ROSTER)
    assert list(zipped(kit.out / "moodle_feedback.zip")) == [
        "Zoë O'Brien_13_assignsubmission_file_feedback.html"
    ]
    assert to_staff["export.feedback-of-a-fault"] in result.err


def test_what_does_not_fit_is_refused_with_the_remedy(kit):
    kit.submit("ada")
    grade(kit.submissions, "--out", kit.out)
    for reason, result in {
        "--download": feedback(kit, "canvas", CANVAS_ROSTER),
        "leave --feedback out": feedback(kit, "gradescope", GRADESCOPE_ROSTER.replace("0012", "ada")),
        "is not a download from Canvas": feedback(
            kit, "canvas", CANVAS_ROSTER, "--download", kit.submissions
        ),
    }.items():
        assert result.exit == 2, reason
        assert reason in result.err
    assert to_staff["export.no-participant"] in refusal(feedback(kit, "moodle", "login,name\nada,Ada\n"))
    assert not list(kit.out.glob("*.zip"))
