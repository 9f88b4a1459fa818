"""Feedback in the form that each platform hands out: every student's own page, and nobody else's."""

import csv
import io
import json
import zipfile
from dataclasses import replace

import pytest
from intake.downloads import BOTH, as_folder
from results import homework_grade as homework
from results import submission_grade as submission

from autograder.intake.roster import Matching, Student
from autograder.platforms.hand_out import hand_out
from autograder.platforms.platform import ExportError
from autograder.platforms.registry import platforms

ADA = Student("Ada_Maria Lovelace", number="Participant 12", email="ada@example.org", line=2)
BO = Student("Bo O'Brien", number="Participant 13", email="bo@example.org", line=3)


def hand(tmp_path, platform, pairs, download=None):
    """Hand out results to these students."""
    students_by_name = {
        result.name: tuple(who for who, other in pairs if other.name == result.name) for _, result in pairs
    }
    results = list({result.name: result for _, result in pairs}.values())
    path, left_out = hand_out(
        tmp_path, platforms().get(platform), Matching(students_by_name, {}, ()), results, download
    )
    assert path.exists()
    return left_out


def zipped(data):
    with zipfile.ZipFile(io.BytesIO(data) if isinstance(data, bytes) else data) as archive:
        return {name: archive.read(name).decode() for name in archive.namelist()}


def moodle_reads(name):
    """How ``importziplib.php`` takes a name apart: the participant, the plugin, the file's own name."""
    assert not name.startswith((".", "~"))
    who, number, kind, plugin, file = name.split("_", 4)
    assert who
    assert "/" not in name
    return number, kind, plugin, file


def canvas_reads(name):
    """How ``infer_comment_context_from_filename`` reads a name: the student's number, the upload's."""
    parts = [part for part in name.split("_") if part != "LATE"]
    if parts[0] == "anon":
        return parts[1], parts[2]
    user, upload = [part for part in parts if part.isdecimal()][:2]
    return user, upload


def result(name):
    return submission(name, homework())


def test_moodle_finds_the_participant_in_every_name(tmp_path):
    names = (
        "Ada_Maria Lovelace",
        "~Bo",
        "../Cy",
        "",
        ".hidden",
        "con",
        "Zoë O'Brien",
        "A_1_assignsubmission_file_",
    )
    class_ = [Student(name, number=f"Participant {n}", line=n) for n, name in enumerate(names, 2)]
    left_out = hand(tmp_path, "moodle", [(student, result(f"s{student.line}")) for student in class_])
    assert left_out == {}
    files = zipped(tmp_path / "moodle_feedback.zip")
    files = dict(sorted(files.items(), key=lambda page_and_name: int(moodle_reads(page_and_name[0])[0])))
    assert [moodle_reads(name) for name in files] == [
        (str(n), "assignsubmission", "file", "feedback.html") for n in range(2, 2 + len(names))
    ]
    for (name, text), student in zip(files.items(), class_, strict=True):
        assert f"<h1>Feedback: s{student.line}</h1>" in text, name


def test_students_of_the_same_name_and_members_of_a_team_each_get_the_own_page(tmp_path):
    twin, cy = replace(ADA, number="Participant 14", line=4), replace(BO, number="Participant 15", line=5)
    team = result("Team A")
    pairs = [(ADA, result("one")), (twin, result("two")), (BO, team), (cy, team)]
    hand(tmp_path, "moodle", pairs)
    pages = {moodle_reads(name)[0]: text for name, text in zipped(tmp_path / "moodle_feedback.zip").items()}
    titles = {number: text.split("<h1>")[1].split("</h1>")[0] for number, text in pages.items()}
    assert titles == {
        "12": "Feedback: one",
        "14": "Feedback: two",
        "13": "Feedback: Team A",
        "15": "Feedback: Team A",
    }


def test_a_group_of_canvas_gets_its_page_once_for_all_members(tmp_path):
    team = result("teama_12")
    download = as_folder(tmp_path, {"teama_12_700_a.py": b""})
    assert hand(tmp_path, "canvas", [(ADA, team), (BO, team)], download) == {}
    assert list(zipped(tmp_path / "canvas_feedback.zip")) == ["teama_12_700_a.py"]


@pytest.mark.parametrize("make", BOTH)
@pytest.mark.parametrize(
    ("of", "name", "numbers"),
    [
        ("lovelaceada_12", "lovelaceada_12_700_scores.py", ("12", "700")),
        ("x_12", "x_LATE_12_700_3_a.py", ("12", "700")),
        ("anon_a1b2c", "anon_a1b2c_700_x.py", ("a1b2c", "700")),
    ],
)
def test_canvas_finds_student_and_upload_in_the_name(tmp_path, make, of, name, numbers):
    download = make(tmp_path, {name: b"", f"{of}_text.html": b"", "other_13_701_scores.py": b""})
    assert hand(tmp_path, "canvas", [(ADA, result(of))], download) == {}
    assert [canvas_reads(name) for name in zipped(tmp_path / "canvas_feedback.zip")] == [numbers]


def test_who_uploaded_nothing_that_canvas_can_add_feedback_to_is_left_out(tmp_path):
    download = as_folder(
        tmp_path, {"ada_12_text.html": b"", "bo_13_701_scan.pdf": b"", "cy_14_702_a.txt": b""}
    )
    pairs = [(ADA, result("ada_12")), (BO, result("bo_13")), (replace(ADA, line=4), result("gone"))]
    with pytest.raises(ExportError):
        hand(tmp_path, "canvas", pairs, download)
    assert not (tmp_path / "canvas_feedback.zip").exists()
    pairs.append((replace(ADA, line=5), result("cy_14")))
    assert hand(tmp_path, "canvas", pairs, download).keys() == {2, 3, 4}
    assert list(zipped(tmp_path / "canvas_feedback.zip")) == ["cy_14_702_a.txt"]


def as_zip(data):
    return zipped(data)["feedback.html"]


def as_notebook(data):
    [cell] = json.loads(data)["cells"]
    return str(cell["source"])


@pytest.mark.parametrize(
    ("ending", "read"), [(".py", bytes.decode), (".ipynb", as_notebook), (".zip", as_zip)]
)
def test_canvas_shows_feedback_under_the_students_file_name_so_it_opens_as_one(tmp_path, ending, read):
    name = f"ada_12_700_Scores{ending.upper()}"
    tricky = homework(notes=("if a < b > c & d: <b>bold</b>",))
    result = submission("ada_12", tricky, problems=("two\nlines",))
    hand(tmp_path, "canvas", [(ADA, result)], as_folder(tmp_path, {name: b""}))
    with zipfile.ZipFile(tmp_path / "canvas_feedback.zip") as archive:
        text = read(archive.read(name))
    assert "double gives the printed numbers." in text
    if ending != ".zip":
        assert "if a < b > c & d: <b>bold</b>" in text
        assert "font" not in text, "the style sheet is not feedback"
        lines = [line.strip() for line in text.splitlines()]
        assert lines[0] == "Feedback: ada_12"
        assert lines.index("two") + 1 == lines.index("lines.")
        assert any(line.startswith("✗ failed: double works for any number of numbers.") for line in lines)


def index(folder):
    with (folder / "index.csv").open(encoding="utf-8", newline="") as file:
        return list(csv.reader(file))


def test_a_folder_holds_a_page_per_address_and_an_index_for_a_mail_merge(tmp_path):
    folder = tmp_path / "feedback"
    assert hand(tmp_path, "folder", [(ADA, result("ada")), (BO, result("bo"))]) == {}
    assert index(folder) == [
        ["email", "name", "file", "points", "max"],
        ["ada@example.org", "Ada_Maria Lovelace", "ada@example.org.html", "1", "5.5"],
        ["bo@example.org", "Bo O'Brien", "bo@example.org.html", "1", "5.5"],
    ]
    assert "<h1>Feedback: bo</h1>" in (folder / "bo@example.org.html").read_text("utf-8")
    (folder / "mine.html").write_text("kept")
    hand(tmp_path, "folder", [(ADA, result("ada"))])
    assert sorted(path.name for path in folder.iterdir()) == [
        "ada@example.org.html",
        "index.csv",
        "mine.html",
    ]


@pytest.mark.parametrize("address", ["", "n/a", "=cmd@example.org", "-ada@example.org"])
def test_who_has_no_address_that_can_stand_in_a_table_gets_no_page(tmp_path, address):
    pairs = [(replace(ADA, email=address), result("ada")), (BO, result("bo"))]
    assert hand(tmp_path, "folder", pairs).keys() == {2}
    assert [row[0] for row in index(tmp_path / "feedback")[1:]] == ["bo@example.org"]


def test_one_address_of_two_submissions_gets_neither_page(tmp_path):
    other = replace(BO, email="ADA@example.org")
    cy = replace(BO, email="cy@example.org", line=4)
    pairs = [(ADA, result("ada")), (other, result("bo")), (cy, result("cy"))]
    assert hand(tmp_path, "folder", pairs).keys() == {2, 3}
    assert [row[0] for row in index(tmp_path / "feedback")[1:]] == ["cy@example.org"]


def test_no_address_leads_out_of_the_folder(tmp_path):
    pairs = [(replace(ADA, email="../../x@../y"), result("ada"))]
    hand(tmp_path, "folder", pairs)
    [row] = index(tmp_path / "feedback")[1:]
    assert (tmp_path / "feedback" / row[2]).is_file()
    assert "/" not in row[2]
