"""What students may read goes back to them, each their own, through the command line."""

import csv
import zipfile
from dataclasses import replace

import pytest
from intake.downloads import canvas_name, moodle_name
from tiny import HOMEWORK
from wording import to_staff

from .conftest import RIGHT, TRIPLES
from .running import grade, run
from .test_export import alter
from .test_lms import (
    CANVAS,
    CANVAS_ROSTER,
    GRADESCOPE,
    GRADESCOPE_ROSTER,
    MOODLE,
    MOODLE_ROSTER,
    class_of,
    roster_of,
    table,
)


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
    unmatched = [(row["what"], row["who"]) for row in table(kit.out / "unmatched.csv")]
    assert unmatched == [("submission", "Team A_14"), ("student", "Min Kim (kim@example.org)")]


def test_a_mail_merge_gives_no_points_where_nothing_could_be_graded(kit):
    kit.submit("ada", RIGHT)
    kit.submit("bob", "an essay", "essay.txt")
    grade(kit.submissions, "--out", kit.out)
    roster = "student_id,email\nada,ada@example.org\nbob,bob@example.org\n"
    assert feedback(kit, "folder", roster).exit == 0
    index = table(kit.out / "feedback" / "index.csv")
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
    with (kit.out / "feedback" / "index.csv").open(encoding="utf-8", newline="") as file:
        index = {row["email"]: (row["file"], row["points"]) for row in csv.DictReader(file)}
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
    result = feedback(kit, "moodle", "login,name\nada,Ada\n")
    assert result.exit == 2
    assert to_staff["export.no-participant"] in result.err
    assert not list(kit.out.glob("*.zip"))
