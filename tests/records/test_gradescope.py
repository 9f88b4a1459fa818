"""What platforms hand out: ``results.json`` of Gradescope, and feedback to every student their own."""

import csv
import io
import json
import zipfile
from dataclasses import replace

import pytest
from gradescope_folder import documented
from intake.downloads import BOTH, as_folder
from results import FAILED, NOT_RUN, PASSED
from results import homework_grade as homework
from results import our_fault as ours
from results import submission_grade as submission
from wording import to_staff

from autograder.feedback.results_json import results_mapping, write_results
from autograder.intake.roster import RosterMatch, Student
from autograder.platforms.hand_out import hand_out
from autograder.platforms.platform import ExportError
from autograder.platforms.registry import platforms
from autograder.sandbox.report import Status
from autograder.verdict.checks import Outcome


def written(tmp_path, result):
    path = tmp_path / "results.json"
    write_results(path, result)
    text = path.read_text("ascii")
    return json.loads(text) if result.earned is None else documented(text)


def test_points_of_extra_credit_are_called_a_bonus_in_the_text_and_in_the_data(tmp_path):
    mapping = written(tmp_path, submission("ada", homework(points=3, final=5.5, bonus=2.5)))
    assert to_staff["gradescope.bonus"] in mapping["output"]
    assert mapping["extra_data"]["homeworks"]["hwx"]["bonus"] == 2.5


def test_the_top_level_has_score_output_visibility_tests_and_extra_data(tmp_path):
    mapping = written(tmp_path, submission("ada", homework()))
    formats = {"output_format", "test_output_format", "test_name_format"}
    assert set(mapping) == {"score", "output", *formats, "visibility", "tests", "extra_data"}
    assert {mapping[key] for key in formats} == {"text"}
    assert mapping["score"] == 1.0
    assert mapping["visibility"] == "visible"
    write_results(tmp_path / "blank.json", submission("ada", homework()), is_blank=True)
    assert json.loads((tmp_path / "blank.json").read_text("ascii")).keys() == mapping.keys() - {"score"}


def test_each_check_is_a_test_with_points_reason_and_labels(tmp_path):
    [passed, failed, not_run] = written(tmp_path, submission("ada", homework()))["tests"]
    assert failed == {
        "name": to_staff["gradescope.hwx-double-works-for-any"],
        "number": "1.2",
        "tags": ["double", "failed"],
        "score": 0.0,
        "max_score": 2.0,
        "status": "failed",
        "output": to_staff["gradescope.shape-of-the-doubled-numbers"],
        "visibility": "visible",
        "extra_data": {
            "homework": "hwx",
            "task": "double",
            "check": "double_sizes",
            "status": "graded",
            "outcome": "failed",
            "misconceptions": ["hard-coded-size", "returns-tuple"],
        },
    }
    assert [passed[key] for key in ("score", "max_score", "status", "output")] == [1.0, 1.0, "passed", ""]
    assert (not_run["score"], not_run["status"]) == (0.0, "failed")
    assert not_run["output"].startswith("Not run because")


@pytest.mark.parametrize(
    ("hints", "visibility"),
    [("always", "visible"), ("after_published", "after_published"), ("never", "hidden")],
)
def test_the_hint_policy_decides_who_sees_a_check(tmp_path, hints, visibility):
    tests = written(tmp_path, submission("ada", homework(hints=hints)))["tests"]
    assert {test["visibility"] for test in tests} == {visibility}


def test_checks_are_numbered_by_task_and_of_several_homeworks_by_homework_and_add_up_to_the_score(tmp_path):
    tests_of_one = written(tmp_path, submission("ada", homework()))["tests"]
    mapping = written(tmp_path, submission("ada", homework(), homework(homework="hwy")))
    tests_of_two = mapping["tests"]
    assert mapping["score"] == sum(test["score"] for test in tests_of_two) == 2.0
    assert [test["number"] for test in tests_of_one] == ["1.1", "1.2", "2.1"]
    assert [test["number"] for test in tests_of_two] == ["1.1.1", "1.1.2", "1.2.1", "2.1.1", "2.1.2", "2.2.1"]


@pytest.mark.parametrize("visibility", ["visible", "after_due_date", "after_published", "hidden"])
def test_the_policy_decides_when_a_hidden_check_is_shown_and_public_ones_always_are(tmp_path, visibility):
    checks = (replace(PASSED, public=True), FAILED)
    homework_result = homework(checks=checks, hints="never", shown=visibility)
    assert [
        test["visibility"] for test in written(tmp_path, submission("ada", homework_result))["tests"]
    ] == [
        "visible",
        visibility,
    ]


@pytest.mark.parametrize(
    "result",
    [
        submission("ada", ours()),
        submission("ada", homework(), ours(homework="hwy")),
        submission("ada", fault="Traceback: secret"),
        submission("ada", homework(), fault="Traceback: secret"),
    ],
)
def test_our_fault_has_no_score_and_never_a_zero(tmp_path, result):
    mapping = written(tmp_path, result)
    assert "score" not in mapping
    assert not any("score" in test for test in mapping["tests"]), "their sum would be taken for the score"
    assert mapping["extra_data"]["status"] == "infrastructure_error"
    assert mapping["output"].splitlines()[0] == to_staff["gradescope.grader-failed-not-you"]


def test_nothing_handed_in_scores_zero_and_says_why(tmp_path):
    mapping = written(tmp_path, submission("ada", problems=("no stub's name was found",)))
    assert (mapping["score"], mapping["tests"]) == (0, [])
    assert "no stub's name was found" in mapping["output"]


def test_what_only_the_staff_may_read_is_not_in_it(tmp_path):
    result = submission(
        "ada", homework(output="printed: secret"), ours(homework="hwy"), fault="Traceback: secret"
    )
    text = json.dumps(written(tmp_path, result))
    assert FAILED.staff not in text
    assert "secret" not in text


def test_the_summary_tells_points_status_and_notes(tmp_path):
    result = submission(
        "ada", homework(status=Status.TIME_LIMIT, notes=("Cell 3 raised NameError.",)), ours()
    )
    lines = written(tmp_path, result)["output"].splitlines()
    assert lines == [
        to_staff["gradescope.grader-failed-not-you"],
        to_staff["gradescope.doubles-and-totals-2"],
        "  Cell 3 raised NameError.",
        to_staff["gradescope.doubles-and-totals"],
    ]


def test_extra_data_repeats_each_homework_for_programs(tmp_path):
    extra = written(tmp_path, submission("ada", homework(), ours(homework="hwy"), problems=("a",)))[
        "extra_data"
    ]
    assert (extra["submission"], extra["problems"]) == ("ada", ["a"])
    assert extra["homeworks"]["hwx"] == {
        "status": "graded",
        "score": 1.0,
        "max_score": 5.5,
        "raw_score": 1.0,
        "adjustments": [],
        "not_marked_yet": [],
        "layers": ["process", "no-network"],
        "seed": 7,
    }
    assert extra["homeworks"]["hwy"]["score"] is None


def test_a_test_is_named_by_its_sentence_and_of_several_homeworks_by_the_title_too(tmp_path):
    [test] = written(tmp_path, submission("ada", homework(checks=(FAILED,))))["tests"]
    assert test["name"] == FAILED.sentence
    both = submission(
        "ada", homework(checks=(FAILED,)), homework(homework="hwy", title="Other", checks=(FAILED,))
    )
    names = [test["name"] for test in written(tmp_path, both)["tests"]]
    assert names == [f"{homework().title}: {FAILED.sentence}", f"Other: {FAILED.sentence}"]


@pytest.mark.parametrize(
    "text", ["zoë 🎓", "a\nb", 'quote"', "<script>", "\x1b[31m", "</pre>", "\u2028", "NaN", "\\u0000"]
)
def test_any_text_is_kept_in_valid_json(tmp_path, text):
    mapping = written(tmp_path, awkward(text))
    assert mapping["extra_data"]["submission"] == text
    assert text in mapping["output"]
    assert text in mapping["tests"][0]["name"]


@pytest.mark.parametrize(("text", "shown_text"), [("ada\udcff", "ada?"), ("\ud83d", "?"), ("a\0b", "a?b")])
def test_what_no_database_takes_is_replaced(tmp_path, text, shown_text):
    mapping = written(tmp_path, awkward(text))
    assert mapping["extra_data"]["submission"] == shown_text
    assert shown_text in mapping["tests"][0]["name"]


def awkward(text):
    """A result in which every text that is not ours alone is this one."""
    check = replace(FAILED, sentence=text, reason=text)
    return submission(text, homework(checks=(check,), title=text, notes=(text,)), problems=(text,))


def test_where_a_check_was_not_judged_the_others_carry_their_points_and_no_test_has_a_score():
    broken = replace(FAILED, outcome=Outcome.NOT_JUDGED)
    fault = homework(checks=(PASSED, broken, NOT_RUN), status=Status.INFRASTRUCTURE_ERROR)
    mapping = results_mapping(submission("ada", fault))
    earned = {test["extra_data"]["check"]: test["extra_data"]["earned"] for test in mapping["tests"]}
    assert earned == {PASSED.check: PASSED.earned, broken.check: None, NOT_RUN.check: 0.0}
    assert not any("score" in test for test in mapping["tests"])


ADA = Student("Ada_Maria Lovelace", number="Participant 12", email="ada@example.org", line=2)
BO = Student("Bo O'Brien", number="Participant 13", email="bo@example.org", line=3)


def hand(tmp_path, platform, pairs, download=None):
    """Hand out results to these students."""
    students_by_name = {
        result.name: tuple(who for who, other in pairs if other.name == result.name) for _, result in pairs
    }
    results = list({result.name: result for _, result in pairs}.values())
    path, left_out = hand_out(
        tmp_path, platforms().get(platform), RosterMatch(students_by_name, {}, ()), results, download
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
