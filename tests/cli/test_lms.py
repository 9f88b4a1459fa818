"""A class from a platform's download, or GitHub's clones, to the points that the platform imports."""

import datetime as dt
import json
import sqlite3
from dataclasses import replace

from intake.clones import MONDAY, clone_of, git
from intake.downloads import canvas_name, metadata, moodle_name, record
from intake.makers import folder_of, zip_of
from tiny import HOMEWORK
from wording import to_staff

from autograder.gradebook.opening import open_gradebook, read_gradebook

from .classroom import read_rows
from .conftest import RIGHT, TRIPLES
from .running import grade, refusal, rows, run, totals

CANVAS_ROSTER = """Student,ID,SIS User ID,SIS Login ID,Section,Doubles (4711)
    Points Possible,,,,,5.50
"Lovelace, Ada",12,S12,ada,A,
"O'Brien, Zoë",13,S13,zoe,A,
"Kim, Min",14,S14,kim,A,
"Late, Lu",16,S16,lu,A,
"""
CANVAS = {
    canvas_name("Lovelace, Ada", 12, 700, "doubles.py"): TRIPLES,
    canvas_name("Lovelace, Ada", 12, 705, "doubles-1.py"): RIGHT,
    canvas_name("O'Brien, Zoë", 13, 701, "doubles.py", late=True): TRIPLES,
    canvas_name("Late, Lu", 16, 703, "week.zip"): zip_of({"in/doubles.py": RIGHT}),
    canvas_name("Stranger, X", 99, 704, "doubles.py"): RIGHT,
}
MOODLE_ROSTER = """Identifier,Full name,Email address,Status,Grade,Maximum grade,\
Last modified (grade),Feedback comments
Participant 12,Ada Lovelace,ada@example.org,Submitted for grading,,5.00,-,
Participant 13,Zoë O'Brien,zoe@example.org,Submitted for grading,,5.00,-,
Participant 14,Min Kim,kim@example.org,No submission,,5.00,-,
"""
MOODLE = {
    f"{moodle_name('Ada Lovelace', 12)}/doubles.py": RIGHT,
    f"{moodle_name('Zoë OBrien', 13)}/my work.zip": zip_of({"doubles.py": TRIPLES}),
    f"{moodle_name('Team A', 14)}/doubles.py": RIGHT,
}
GRADESCOPE_ROSTER = """First Name,Last Name,SID,Email,Role
Ada,Lovelace,0012,a@b.c,Student
Bo,O'Brien,0013,b@b.c,Student
"""
ADA, BO = ("Ada Lovelace", "0012", "a@b.c"), ("Bo O'Brien", "0013", "b@b.c")
GRADESCOPE = {
    "x_export/submission_metadata.yml": metadata(record("submission_1", ADA, BO)),
    "x_export/submission_1/doubles.py": RIGHT,
}


def class_of(kit, contents):
    return folder_of(kit.submissions, contents)


def roster_of(kit, text):
    path = kit.root / "roster.csv"
    path.write_text(text, encoding="utf-8")
    return path


def export(kit, to, roster, *more):
    return run("export", kit.out, "--to", to, "--roster", roster_of(kit, roster), *more)


def test_a_download_from_canvas_is_graded_by_student_and_its_points_go_back(kit):
    result = grade(class_of(kit, CANVAS), "--out", kit.out)
    assert "download from Canvas (students: 4):" in result.err
    assert totals(kit.out) == {
        "latelu_16": "5.5",
        "lovelaceada_12": "5.5",
        "obrienzoë_13": "2.5",
        "strangerx_99": "5.5",
    }
    assert to_staff["lms.doubles-was-handed-in-last"] in result.err
    reply = export(kit, "canvas", CANVAS_ROSTER, "--column", "Doubles (4711)")
    points = {row["ID"]: row["Doubles (4711)"] for row in read_rows(kit.out / "canvas.csv")}
    assert points == {"": "5.50", "12": "5.5", "13": "2.5", "14": "", "16": "5.5"}
    assert to_staff["lms.strangerx_99-has-no-student"] in reply.err
    assert "Kim, Min (S14)" in reply.err
    unmatched = [(row["what"], row["who"]) for row in read_rows(kit.out / "unmatched.csv")]
    assert unmatched == [("submission", "strangerx_99"), ("student", "Kim, Min (S14)")]


def test_a_downloaded_zip_is_graded_like_the_folder_and_again_only_where_it_changed(kit):
    download = kit.root / "submissions.zip"
    download.write_bytes(zip_of(CANVAS))
    grade(download, "--out", kit.out)
    assert len(rows(kit.out)) == 4
    download.write_bytes(zip_of({**CANVAS, canvas_name("Lovelace, Ada", 12, 706, "doubles-2.py"): TRIPLES}))
    result = grade(download, "--out", kit.out)
    assert to_staff["lms.already-graded"] in result.err
    assert totals(kit.out)["lovelaceada_12"] == "2.5"


def test_a_download_from_moodle_fills_in_its_worksheet(kit):
    grade(class_of(kit, MOODLE), "--out", kit.out, "--layout", "moodle")
    assert totals(kit.out) == {"Ada Lovelace_12": "5.5", "Team A_14": "5.5", "Zoë OBrien_13": "2.5"}
    moodle_result = export(kit, "moodle", MOODLE_ROSTER, "--missing-zero")
    written = {row["Identifier"]: row["Grade"] for row in read_rows(kit.out / "moodle.csv")}
    assert written == {"Participant 12": "5.5", "Participant 13": "2.5", "Participant 14": ""}
    assert to_staff["lms.min-kim-kim-example-org"] in moodle_result.err
    assert to_staff["lms.ada-lovelace-ada-example-org"] in moodle_result.err


def test_a_download_of_one_group_goes_back_into_a_german_worksheet(kit):
    worksheet = """ID,Vollständiger Name,Status,Bewertung,Bestwertung,Feedback als Kommentar
Teilnehmer/in 12,Ada Lovelace,-,,"5,50",
Teilnehmer/in 13,Zoë O'Brien,-,,"5,50",
"""
    download = {
        f"{moodle_name('Gruppe A-Ada Lovelace', 12)}/doubles.py": RIGHT,
        f"{moodle_name('Gruppe A-Zoë OBrien', 13)}/doubles.py": TRIPLES,
    }
    grade(class_of(kit, download), "--out", kit.out)
    assert export(kit, "moodle", worksheet).exit == 0
    points = {row["ID"]: row["Bewertung"] for row in read_rows(kit.out / "moodle.csv")}
    assert points == {"Teilnehmer/in 12": "5.5", "Teilnehmer/in 13": "2.5"}


def test_a_gradescope_export_gives_each_member_of_a_group_points_and_time(kit):
    result = grade(class_of(kit, GRADESCOPE) / "x_export", "--out", kit.out)
    assert to_staff["lms.submission_1-is-the-work"] in result.err
    assert totals(kit.out) == {"Ada Lovelace_0012": "5.5", "Bo O'Brien_0013": "5.5"}
    with read_gradebook(kit.out) as book:
        owner = book.owners()["Ada Lovelace_0012"]
    assert owner.submitted_at.isoformat() == "2026-02-05T06:54:05.212316+00:00"
    export(kit, "gradescope", GRADESCOPE_ROSTER)
    for sid in ("0012", "0013"):
        results = json.loads((kit.out / "gradescope" / sid / "results.json").read_text("utf-8"))
        assert results["score"] == 5.5


def test_plain_folders_named_by_login_are_matched_by_login_alone(kit):
    kit.submit("ada")
    kit.submit("Kim, Min")
    grade(kit.submissions, "--out", kit.out)
    export(kit, "canvas", CANVAS_ROSTER, "--column", "Doubles (4711)", "--homework", HOMEWORK)
    points = {row["ID"]: row["Doubles (4711)"] for row in read_rows(kit.out / "canvas.csv")}
    assert points == {"": "5.50", "12": "5.5", "13": "", "14": "", "16": ""}


def test_a_roster_says_at_once_who_is_missing_and_whose_submissions_are(kit):
    roster = roster_of(kit, CANVAS_ROSTER)
    result = grade(class_of(kit, CANVAS), "--out", kit.out, "--roster", roster)
    assert to_staff["lms.students-of-without"] in result.err
    assert to_staff["lms.submissions-that-match"] in result.err
    with read_gradebook(kit.out) as book:
        owners = {name: (owner.student_id, owner.name, owner.late) for name, owner in book.owners().items()}
    assert owners == {
        "latelu_16": ("S16", "Late, Lu", False),
        "lovelaceada_12": ("S12", "Lovelace, Ada", False),
        "obrienzoë_13": ("S13", "O'Brien, Zoë", True),
        "strangerx_99": ("99", "strangerx", False),
    }
    page = (kit.out / "report.html").read_text("utf-8")
    assert "in the roster without a submission.\n<small><bdi>Kim, Min (S14)</bdi></small>" in page
    assert '#needs=stranger">1: matches nobody in the roster' in page
    export(kit, "canvas", CANVAS_ROSTER, "--column", "Doubles (4711)")
    assert [row["ID"] for row in read_rows(kit.out / "canvas.csv") if row["Doubles (4711)"] == "5.5"] == [
        "12",
        "16",
    ]


def test_our_own_fault_leaves_a_blank_and_is_told(kit):
    kit.submit("ada")
    grade(kit.submissions, "--out", kit.out)
    with sqlite3.connect(kit.out / "gradebook.sqlite") as connection:
        [text] = connection.execute("SELECT head FROM gradings").fetchone()
        broken = {**json.loads(text), "fault": "Traceback"}
        connection.execute("UPDATE gradings SET head = ?", (json.dumps(broken),))
    connection.close()
    moodle_result = export(kit, "canvas", CANVAS_ROSTER, "--column", "Doubles (4711)", "--missing-zero")
    points = {row["ID"]: row["Doubles (4711)"] for row in read_rows(kit.out / "canvas.csv")}
    assert points == {"": "5.50", "12": "", "13": "0", "14": "0", "16": "0"}
    assert to_staff["lms.lovelace-ada-s12-has-a-blank"] in moodle_result.err


def test_what_the_user_can_mend_ends_in_status_two_and_one_line(kit):
    kit.submit("ada")
    grade(kit.submissions, "--out", kit.out)
    for reason, result in {
        "name the assignment as Canvas writes it": export(kit, "canvas", CANVAS_ROSTER),
        "has no assignment 'x'": export(kit, "canvas", CANVAS_ROSTER, "--column", "x"),
        "has no column that identifies": export(kit, "moodle", "a,b\n1,2\n"),
        "holds no gradebook": run(
            "export", kit.root, "--to", "moodle", "--roster", roster_of(kit, CANVAS_ROSTER)
        ),
        "is not a download from Gradescope": grade(
            kit.submissions, "--out", kit.out, "--layout", "gradescope"
        ),
    }.items():
        assert result.exit == 2, reason
        assert reason in result.err


def test_the_roster_is_kept_and_no_later_command_forgets_whose_the_submissions_are(kit):
    (kit.root / "policy.toml").write_text("penalty_per_day = 10\n", "utf-8")
    roster = roster_of(kit, CANVAS_ROSTER)
    folder = class_of(kit, CANVAS)
    assert grade(folder, "--out", kit.out, "--roster", roster).exit == 0
    times = kit.root / "times.csv"
    times.write_text("submission,submitted_at,homework\nS12,2027-02-07T10:00:00Z,hwx\n", "utf-8")
    run("policy", kit.out, "--times", times)
    before = {row["submission"]: row for row in rows(kit.out)}
    assert before["lovelaceada_12"]["student_id"] == "S12"
    assert before["lovelaceada_12"]["late"] == "yes"
    roster.unlink()
    result = grade(folder, "--out", kit.out, "--fresh")
    assert result.exit == 0
    assert "belong to nobody now" not in result.err
    assert {row["submission"]: row for row in rows(kit.out)} == before


def test_another_roster_without_a_student_leaves_them_who_they_were(kit):
    folder = class_of(kit, CANVAS)
    grade(folder, "--out", kit.out, "--roster", roster_of(kit, CANVAS_ROSTER))
    before = {row["submission"]: row["student_id"] for row in rows(kit.out)}
    assert before["lovelaceada_12"] == "S12"
    others = "\n".join(line for line in CANVAS_ROSTER.splitlines() if "S12" not in line)
    grade(folder, "--out", kit.out, "--roster", roster_of(kit, others))
    grade(folder, "--out", kit.out, "--fresh")
    assert {row["submission"]: row["student_id"] for row in rows(kit.out)} == before


def test_a_late_file_by_itself_makes_no_student_of_the_gradebook_missing(kit):
    folder = class_of(kit, CANVAS)
    first = grade(folder, "--out", kit.out, "--roster", roster_of(kit, CANVAS_ROSTER))
    assert "without a submission (1)" in first.err
    late = folder_of(kit.root / "late", {canvas_name("Kim, Min", 14, 800, "doubles.py"): RIGHT})
    assert "without a submission" not in grade(late, "--out", kit.out, "--layout", "canvas").err


def test_the_sum_of_several_homeworks_goes_into_a_column_only_where_it_is_asked_for(kit):
    grade(class_of(kit, CANVAS), "--out", kit.out)
    with open_gradebook(kit.out) as book:
        other = replace(book.result("lovelaceada_12").homeworks[0], homework="hwy")
        result = book.result("lovelaceada_12")
        book.keep(replace(result, homeworks=(other,)), "c", "g")
    column = ("--column", "Doubles (4711)")
    assert "holds hwx and hwy" in refusal(export(kit, "canvas", CANVAS_ROSTER, *column))
    assert not (kit.out / "canvas.csv").exists()
    assert export(kit, "canvas", CANVAS_ROSTER, *column, "--homework", HOMEWORK).exit == 0
    assert export(kit, "canvas", CANVAS_ROSTER, *column, "--total").exit == 0


def test_a_roster_of_logins_alone_knows_its_students_in_every_later_command(kit):
    kit.submit("ada")
    kit.submit("zoe", TRIPLES)
    roster = roster_of(kit, "login,name\nada,Ada Lovelace\nzoe,Zoë\n")
    assert grade(kit.submissions, "--out", kit.out, "--roster", roster).exit == 0
    result = run("export", kit.out, "--to", "moodle")
    assert result.exit == 0
    assert [row["Grade"] for row in read_rows(kit.out / "moodle.csv")] == ["5.5", "2.5"]
    table_of_times = kit.root / "times.csv"
    table_of_times.write_bytes("Submission;Submitted at\nada;05.02.2027\nzoë;6.2.2027\n".encode("cp1252"))
    (kit.root / "policy.toml").write_text('time_zone = "UTC"\n', "utf-8")
    reply = run("policy", kit.out, "--times", table_of_times)
    assert reply.exit == 0
    assert "times.csv is not in UTF-8 and was read as Windows-1252" in reply.err
    assert "no submission is called zoë yet" in reply.err


ROSTER = '"identifier","github_username","github_id","name"\n"4711","ada-l","1",""\n"4712","bo","2","Bo O."\n'
DAY = dt.timedelta(days=1)


def clones_of(kit):
    """Three clones: in time, a day late, and one without any commit."""
    clones = kit.submissions / "hw1-submissions"
    clone_of(clones / "hw1-ada-l", {"doubles.py": RIGHT, ".github/workflows/checks.yml": "on: push"})
    clone_of(clones / "hw1-bo", {"doubles.py": RIGHT}, MONDAY + DAY)
    git(clone_of(clones / "hw1-cy", {"doubles.py": TRIPLES}), "update-ref", "-d", "HEAD")
    return clones


def test_clones_are_graded_and_late_by_their_last_commits_or_by_the_platforms_table(kit):
    due = (MONDAY + DAY / 2).isoformat()
    rules = f"penalty_per_day = 50\n[homeworks.hwx]\ndue = {due}\n"
    (kit.root / "policy.toml").write_text(rules, "utf-8")
    roster, table = kit.root / "classroom_roster.csv", kit.root / "grades.csv"
    roster.write_text(ROSTER, "utf-8")
    clones = clones_of(kit)
    result = grade(clones, "--out", kit.out, "--roster", roster)
    assert result.exit == 0, result.err
    best = float(totals(kit.out)["ada-l"])
    assert float(totals(kit.out)["bo"]) == best / 2
    assert {row["submission"]: (row["student_id"], row["late"]) for row in rows(kit.out)} == {
        "ada-l": ("4711", "no"),
        "bo": ("4712", "yes"),
        "cy": ("", ""),
    }
    again = grade(clones, "--out", kit.out, "--roster", roster, "--layout", "classroom")
    assert "3 of 3 already graded" in again.err
    stated = f"ada-l,{MONDAY + 2 * DAY:%Y-%m-%d %H:%M:%S} UTC\nbo,{MONDAY:%Y-%m-%d %H:%M:%S} UTC\ncy,\n"
    table.write_text(f"github_username,submission_timestamp\n{stated}", "utf-8")
    assert run("policy", kit.out, "--times", table).exit == 0
    assert [float(totals(kit.out)[login]) for login in ("ada-l", "bo")] == [0, best]


def test_a_login_that_looks_like_another_students_id_takes_nothing_of_that_student(kit):
    """Somebody who is not in the roster calls the account 4711, which is Ada's id at the school."""
    due = MONDAY + DAY / 2
    rules = f"penalty_per_day = 50\n[homeworks.hwx]\ndue = {due.isoformat()}\n"
    (kit.root / "policy.toml").write_text(rules, "utf-8")
    roster, extensions = kit.root / "classroom_roster.csv", kit.root / "given.csv"
    roster.write_text(ROSTER, "utf-8")
    clones = kit.submissions / "hw1-submissions"
    for login in ("ada-l", "4711", "bo"):
        clone_of(clones / f"hw1-{login}", {"doubles.py": RIGHT}, MONDAY + DAY)
    assert grade(clones, "--out", kit.out, "--roster", roster).exit == 0
    late = float(totals(kit.out)["bo"])
    assert {row["submission"]: row["student_id"] for row in rows(kit.out)} == {
        "ada-l": "4711",
        "bo": "4712",
        "4711": "",
    }

    extensions.write_text("submission,due\n4711,2030-01-01T00:00:00Z\n", "utf-8")
    refused = run("policy", kit.out, "--extensions", extensions)
    assert (refused.exit, refused.err) == (2, to_staff["github.a-login-or-an-id"])
    assert float(totals(kit.out)["ada-l"]) == late

    extensions.write_text("submission,due\nid:4711,2030-01-01T00:00:00Z\n", "utf-8")
    assert run("policy", kit.out, "--extensions", extensions).exit == 0
    points = {login: float(text) for login, text in totals(kit.out).items()}
    assert points == {"ada-l": 2 * late, "bo": late, "4711": late}

    # The same roster exports Ada's points to Ada, and nothing of the other one's to anybody.
    result = run("export", kit.out, "--to", "moodle", "--roster", roster, "--column", "Week 1")
    assert result.exit == 0, result.err
    exported = {row["ID number"]: row["Week 1"] for row in read_rows(kit.out / "moodle.csv")}
    assert exported == {"4711": f"{2 * late:g}", "4712": f"{late:g}"}
