"""``grade``: a class from its files to its tables and pages, and wrong usage, which writes nothing."""

import csv
import datetime as dt
import json
import shutil
import zipfile

import pytest
from intake.makers import notebook_of
from tiny import HOMEWORK
from wording import to_staff

from autograder import __version__
from autograder.batch import session as session_module
from autograder.cli import options as options_module
from autograder.sandbox.levels import PROCESS_ONLY

from .conftest import RIGHT, TRIPLES
from .running import grade, labels_of, refusal, results_of, rows, run, totals

BROKEN = "import nummpy\n"


def a_class(kit):
    """One of each: folder, file, zip, notebook, wrong, broken, nothing."""
    kit.submit("ada")
    kit.submit("bob", TRIPLES)
    kit.submit("cyd", BROKEN)
    kit.submit("dan", "I was ill.", "note.txt")
    (kit.submissions / "eve_doubles.py").write_text(RIGHT, "utf-8")
    (kit.submissions / "fay_doubles.ipynb").write_bytes(notebook_of(RIGHT))
    with zipfile.ZipFile(kit.submissions / "gus.zip", "w") as archive:
        archive.writestr("week 1/doubles.py", RIGHT)


ROWS = {
    "ada": ("graded", "5.5", "5.5"),
    "bob": ("graded", "2.5", "2.5"),
    "cyd": ("import_failed", "0", "0"),
    "dan": ("not_submitted", "", "0"),
    "eve_doubles": ("graded", "5.5", "5.5"),
    "fay_doubles": ("graded", "5.5", "5.5"),
    "gus": ("graded", "5.5", "5.5"),
}


def test_every_entry_has_one_row_sorted_by_name(kit):
    a_class(kit)
    assert grade(kit.submissions, "--out", kit.out).exit == 0
    table = rows(kit.out)
    assert [row["submission"] for row in table] == sorted(ROWS)
    assert {row["submission"]: (row["status"], row[HOMEWORK], row["total"]) for row in table} == ROWS
    assert {row["max"] for row in table} == {"5.5"}


def test_each_homework_is_read_a_few_times_however_large_the_class(kit, homeworks_read):
    kit.submit("ada")
    assert grade(kit.submissions, "--out", kit.out / "one").exit == 0
    read_for_one = list(homeworks_read)
    homeworks_read.clear()

    a_class(kit)
    assert grade(kit.submissions, "--out", kit.out / "several").exit == 0
    assert len(rows(kit.out / "several")) == len(ROWS)
    assert homeworks_read == read_for_one
    assert 1 <= homeworks_read.count(HOMEWORK) <= 10, "by the command and by its only worker"


def test_every_entry_has_its_results_and_its_page_and_the_class_has_a_report(kit):
    a_class(kit)
    grade(kit.submissions, "--out", kit.out)
    assert sorted(path.name for path in kit.out.iterdir()) == [
        "gradebook.sqlite",
        "grades.csv",
        "report",
        "report.html",
        "submissions",
    ]
    for name in ROWS:
        assert (kit.out / "submissions" / name / "feedback.html").is_file()
        assert results_of(kit.out, name)["score"] == float(ROWS[name][2])
    assert labels_of(kit.out, "bob") == {"double_published": ["triples"]}


@pytest.mark.parametrize("by_policy", [False, True])
def test_pages_name_the_course_the_homework_and_the_day_of_grading(kit, by_policy):
    kit.tiny.course.defaults.write_text('title = "Attention & more"\n', "utf-8")
    kit.submit("ada")
    days = {dt.datetime.now(dt.UTC).date()}
    assert grade(kit.submissions, "--out", kit.out).exit == 0
    if by_policy:
        points = ("--points", 3, "--reason", "copied")
        assert run("policy", kit.out, "--override", "ada", "--homework", HOMEWORK, *points).exit == 0
    days.add(dt.datetime.now(dt.UTC).date())
    about = [f"<p{{}}>Attention &amp; more · Doubles and totals · {{}} {day}</p>" for day in days]
    feedback = (kit.out / "submissions" / "ada" / "feedback.html").read_text("utf-8")
    assert any(sentence.format(' class="quiet"', "graded") in feedback for sentence in about)
    assert "<title>Feedback: ada, Doubles and totals</title>" in feedback
    report = (kit.out / "report.html").read_text("utf-8")
    assert any(sentence.format("", "last graded") in report for sentence in about)
    assert "<title>Class report: Doubles and totals</title>" in report


def test_progress_names_each_submission_and_the_table_repeats_them(kit):
    a_class(kit)
    result = grade(kit.submissions, "--out", kit.out)
    begun = [
        line.split()[0] for line in result.err.splitlines() if not line.startswith((" ", "Pro", "Course"))
    ]
    assert sorted(begun) == sorted(ROWS)
    assert all(f"\n{name} " in result.out for name in ROWS)
    assert "5 graded, 1 import_failed, 1 not_submitted" in result.out
    assert f"Grades: {kit.out / 'grades.csv'}   Report: {kit.out / 'report.html'}" in result.out
    assert to_staff["grade.dan-holds-no-homework-only"] in result.err


def test_nothing_that_is_written_for_no_terminal_holds_an_escape_code(kit):
    kit.submit("ada")
    (kit.submissions / "b\x1b[31mob.py").write_text(RIGHT, "utf-8")
    result = grade(kit.submissions, "--out", kit.out)
    assert "\x1b" not in result.out + result.err
    assert "b\\x1b[31mob" in result.out or "b_[31mob" in result.out


def test_the_submissions_are_left_as_they_were(kit):
    a_class(kit)
    before = {path: path.read_bytes() for path in kit.submissions.rglob("*") if path.is_file()}
    grade(kit.submissions, "--out", kit.out)
    assert {path: path.read_bytes() for path in kit.submissions.rglob("*") if path.is_file()} == before


def test_several_paths_are_graded_into_one_book(kit):
    kit.submit("ada")
    lone = kit.root / "zoe_doubles.py"
    lone.write_text(TRIPLES, "utf-8")
    assert grade(kit.submissions, lone, "--out", kit.out).exit == 0
    assert totals(kit.out) == {"ada": "5.5", "zoe_doubles": "2.5"}


UNRECOGNISED = RIGHT.replace("def ", "def my_") + "\ndouble, totals = my_double, my_totals\n"


@pytest.mark.parametrize(
    ("name", "data"),
    [("week5.py", UNRECOGNISED.encode()), ("Untitled (3).ipynb", notebook_of(UNRECOGNISED))],
)
def test_a_chosen_homework_takes_a_file_of_any_name(kit, name, data):
    kit.submissions.mkdir()
    (kit.submissions / name).write_bytes(data)
    assert grade(kit.submissions, "--out", kit.out).exit == 0
    assert set(totals(kit.out).values()) == {"0"}
    assert grade(kit.submissions, "--out", kit.out, "--homework", HOMEWORK).exit == 0
    assert set(totals(kit.out).values()) == {"5.5"}


def test_a_homework_that_is_named_twice_counts_once(kit):
    kit.submit("ada")
    assert grade(kit.submissions, "--out", kit.out, "--homework", HOMEWORK, "--homework", HOMEWORK).exit == 0
    header = (kit.out / "grades.csv").read_text("utf-8").splitlines()[0]
    assert header == f"submission,status,{HOMEWORK},total,max"
    assert rows(kit.out)[0]["max"] == "5.5"


def test_a_course_elsewhere_can_be_named(kit, tmp_path, monkeypatch):
    kit.submit("ada")
    monkeypatch.chdir(tmp_path)
    assert grade(kit.submissions, "--out", kit.out, "--course", kit.root).exit == 0
    assert totals(kit.out) == {"ada": "5.5"}


def test_entries_that_make_up_a_course_are_graded_and_not_used(kit, tmp_path, monkeypatch):
    kit.submit("ada")
    marker = tmp_path / "run"
    shutil.copytree(kit.tiny.course.solutions, kit.submissions / "solutions")
    shutil.copytree(kit.tiny.course.reference_outputs, kit.submissions / "reference_outputs")
    cases = kit.submissions / "solutions" / HOMEWORK / "cases.py"
    cases.write_text(f"open({str(marker)!r}, 'w')\n{cases.read_text('utf-8')}", "utf-8")
    monkeypatch.chdir(kit.submissions)
    result = grade(".", "--out", kit.out)
    assert (result.exit, marker.exists()) == (0, False)
    assert f"Course: {kit.root}\n" in result.err
    assert set(totals(kit.out)) == {"ada", "reference_outputs", "solutions"}
    refused = grade(".", "--out", kit.out, "--course", ".")
    assert (refused.exit, marker.exists()) == (2, False)
    assert to_staff["grade.course-dir"] in refused.err


def test_names_that_a_spreadsheet_would_compute_are_found_again_when_a_table_is_read(kit):
    names = ["＝ada", "bob;=1", "'-cyd", "=dan", "eve\udcff", "fay"]
    for name in names:
        kit.submit(name)
    assert grade(kit.submissions, "--out", kit.out).exit == 0
    cells = [row["submission"] for row in rows(kit.out)]
    assert len(set(cells)) == len(names)
    with (kit.root / "times.csv").open("w", encoding="utf-8", newline="") as file:
        lines = [[cell, "2027-02-05T12:00:00Z"] for cell in cells]
        csv.writer(file, delimiter=";").writerows([["submission", "submitted_at"], *lines])
    result = run("policy", kit.out, "--times", kit.root / "times.csv")
    assert result.err == to_staff["grade.times-of-submission-read"]
    assert "no submission is called" not in result.err


def test_long_lists_are_cut(kit):
    for number in range(60):
        kit.submit("ada", f"x = {number}\n", f"doubles ({number}).py")
        kit.submit("bob", f"def totals(x):\n    return {number}\n", f"part_{number}.py")
    result = grade(kit.submissions, "--out", kit.out)
    assert result.exit == 0
    assert len(result.err.splitlines()) < 40
    problems = results_of(kit.out, "bob")["extra_data"]["problems"]
    assert len(problems) <= 21


def test_later_commands_use_the_course_that_the_grades_are_from(kit, tmp_path, monkeypatch):
    kit.submit("ada")
    grade(kit.submissions, "--out", kit.out)
    other = shutil.copytree(kit.root, tmp_path / "other")
    metadata = other / "solutions" / HOMEWORK / "homework.toml"
    right = metadata.read_text("utf-8")
    metadata.write_text("broken", "utf-8")
    monkeypatch.chdir(other)
    for command in ("report", "policy"):
        assert run(command, kit.out).exit == 0
        assert run(command, kit.out, "--course", other).exit == 2
    kit.root.rename(tmp_path / "moved")
    metadata.write_text(right, "utf-8")
    assert run("report", tmp_path / "moved" / "graded").exit == 0, "its own is gone, and the one here counts"


def test_an_out_folder_among_the_submissions_is_no_submission(kit):
    kit.submit("ada")
    out = kit.submissions / "graded"
    for _ in range(2):
        assert grade(kit.submissions, "--out", out).exit == 0
        assert totals(out) == {"ada": "5.5"}


def test_a_grading_that_was_stopped_at_once_goes_on_in_its_folder_among_the_submissions(kit):
    kit.submit("ada")
    out = kit.submissions / "graded"
    assert grade(kit.submissions, "--out", out).exit == 0
    for path in out.iterdir():
        if path.name == "grades.csv":
            path.unlink()
    assert grade(kit.submissions, "--out", out).exit == 0
    assert totals(out) == {"ada": "5.5"}


def test_results_of_another_grading_are_no_submission_and_it_is_said(kit):
    kit.submit("ada")
    grade(kit.submissions, "--out", kit.submissions / "graded")
    result = grade(kit.submissions, "--out", kit.out)
    assert result.exit == 0
    assert totals(kit.out) == {"ada": "5.5"}
    assert to_staff["grade.results-left-out"] in result.err


def test_code_beside_results_is_still_a_submission(kit):
    grade(kit.submit("ada").parent, "--out", kit.submissions / "eve")
    kit.submit("eve")
    grade(kit.submissions, "--out", kit.out)
    assert totals(kit.out) == {"ada": "5.5", "eve": "5.5"}


def test_names_in_brackets_and_colons_are_told_as_they_are(kit):
    kit.submit("ada [late] :smile:")
    out = kit.root / "[bold]graded :smile:"
    result = grade(kit.submissions, "--out", out)
    assert f"Grades: {out / 'grades.csv'}   Report: {out / 'report.html'}" in result.out
    assert "ada [late] :smile:" in result.err
    assert "ada [late] :smile:" in result.out
    assert list(totals(out)) == ["ada [late] :smile:"]


# Seeds and jobs


def test_equal_seeds_give_equal_bytes_whatever_the_number_of_jobs(kit):
    a_class(kit)
    written = []
    for jobs in (1, 2, 3):
        out = kit.root / f"graded-{jobs}"
        assert grade(kit.submissions, "--out", out, "--seed", 7, "--jobs", jobs).exit == 0
        files = [out / "grades.csv", *sorted((out / "submissions").rglob("*.*"))]
        written.append({path.relative_to(out): path.read_bytes() for path in files})
    assert len(written[0]) == 1 + 2 * len(ROWS)
    assert written[0] == written[1] == written[2]


def seed_of(out, name="ada"):
    return results_of(out, name)["extra_data"]["homeworks"][HOMEWORK]["seed"]


def test_a_drawn_seed_is_recorded_and_used_again(kit):
    kit.submit("ada")
    grade(kit.submissions, "--out", kit.out)
    first = seed_of(kit.out)
    kit.submit("bob")
    grade(kit.submissions, "--out", kit.out)
    assert seed_of(kit.out, "bob") == first


def test_a_given_seed_is_recorded_and_another_one_grades_everything_again(kit):
    kit.submit("ada")
    grade(kit.submissions, "--out", kit.out, "--seed", 7)
    assert seed_of(kit.out) == 7
    grade(kit.submissions, "--out", kit.out, "--seed", 8)
    assert seed_of(kit.out) == 8
    grade(kit.submissions, "--out", kit.out)
    assert seed_of(kit.out) == 8


# Our own faults


def break_on(monkeypatch, name):
    """Let the grader itself fail on one submission."""
    really_read = session_module.read_files

    def read(path):
        if path.name == name:
            raise ZeroDivisionError("in the reader")
        return really_read(path)

    monkeypatch.setattr(session_module, "read_files", read)


def test_what_the_grader_fails_on_has_no_score_is_named_and_ends_in_status_one(kit, monkeypatch):
    for name in ("ada", "bob", "cyd"):
        kit.submit(name)
    with monkeypatch.context() as patch:
        break_on(patch, "bob")
        result = grade(kit.submissions, "--out", kit.out)
    assert result.exit == 1
    assert totals(kit.out) == {"ada": "5.5", "bob": "", "cyd": "5.5"}
    assert "score" not in results_of(kit.out, "bob")
    assert to_staff["grade.grader-itself-failed-on-bob"] in result.err
    assert "    ZeroDivisionError: in the reader" in result.err.splitlines()
    again = grade(kit.submissions, "--out", kit.out)
    assert again.exit == 0
    assert to_staff["grade.note-of-already-graded"] in again.err
    assert totals(kit.out) == {"ada": "5.5", "bob": "5.5", "cyd": "5.5"}


def test_a_course_that_cannot_grade_is_told_and_ends_in_status_two(kit):
    kit.submit("ada")
    (kit.tiny.store.folder / "manifest.json").unlink()
    assert to_staff["grade.missing-run-make-reference"] in refusal(grade(kit.submissions, "--out", kit.out))


# Protection


def test_a_machine_that_contains_nothing_grades_only_when_told_to(kit, monkeypatch):
    kit.submit("ada")
    monkeypatch.setattr(options_module, "strongest_level", lambda: PROCESS_ONLY)
    assert "--unsafe" in refusal(run("grade", kit.submissions, "--out", kit.out))
    assert not kit.out.exists()
    result_unsafe = run("grade", kit.submissions, "--out", kit.out, "--unsafe")
    assert result_unsafe.exit == 0
    assert to_staff["grade.protection-process-only"] in result_unsafe.err
    assert totals(kit.out) == {"ada": "5.5"}


def test_the_results_are_plain_json(kit):
    a_class(kit)
    grade(kit.submissions, "--out", kit.out)
    for path in (kit.out / "submissions").rglob("results.json"):
        json.loads(path.read_text("ascii"), parse_constant=pytest.fail)


def test_a_mixed_folder_is_recognised_and_the_end_says_so(kit):
    kit.submit("ada", name="my work (3).py")
    kit.submit("bob", name="doubles.py")
    result = grade(kit.submissions, "--out", kit.out)
    assert result.exit == 0
    assert totals(kit.out) == {"ada": "5.5", "bob": "5.5"}
    assert result.out.splitlines()[-1] == to_staff["grade.recognised"]
    assert "my work (3).py" in results_of(kit.out, "ada")["output"]


def test_a_class_of_which_most_could_not_be_graded_ends_with_3_and_all_files(kit):
    for n in range(9):
        kit.submit(f"s{n}", "raise ModuleNotFoundError(\"No module named 'pandas'\")\n" if n else "x = 1\n")
    kit.submit("t", "x = (\n")
    kit.submit("u")
    result = grade(kit.submissions, "--out", kit.out)
    assert result.exit == 3
    assert result.err.splitlines()[-1] == to_staff["grade.most-not-imported"]
    assert len(totals(kit.out)) == 11
    assert (kit.out / "report.html").is_file()


def test_the_version_is_told():
    result = run("--version")
    assert (result.exit, result.out) == (0, f"autograder {__version__}\n")


# Wrong usage: one line that says what to do, status 2, and nothing written


@pytest.fixture
def refused(kit):
    kit.submit("ada")

    def refused(*arguments):
        result = grade(*arguments, "--out", kit.out)
        assert result.exit == 2
        assert "Traceback" not in result.err
        assert result.out == ""
        assert not kit.out.exists()
        return result.err

    return refused


def test_a_missing_folder_is_refused(kit, refused):
    message = refused(kit.root / "clas")
    assert to_staff["usage.error-there-is-no-file"] in message
    assert "clas" in message


def test_an_empty_folder_is_refused(kit, refused):
    (kit.root / "nobody").mkdir()
    message = refused(kit.root / "nobody")
    assert "nobody" in message
    assert to_staff["usage.empty-put-the-submissions"] in message


def test_an_unknown_homework_is_answered_with_the_known_ones(kit, refused):
    message = refused(kit.submissions, "--homework", "hw9")
    assert f"error: there is no homework 'hw9'; known here: {HOMEWORK}" in message


def test_a_folder_that_is_no_course_is_refused(kit, refused, tmp_path):
    message = refused(kit.submissions, "--course", tmp_path / "elsewhere")
    assert to_staff["usage.no-course-found"] in message


@pytest.mark.parametrize(
    "wrong", [("--jobs", "0"), ("--jobs", "many"), ("--seed", "-1"), ("--seed", "x"), ("--speed", "9")]
)
def test_a_wrong_option_is_refused(kit, refused, wrong):
    assert wrong[0] in refused(kit.submissions, *wrong)


def test_the_folder_of_submissions_is_no_out_folder(kit):
    path = kit.submit("ada")
    assert "--out" in refusal(grade(kit.submissions, "--out", kit.submissions))
    assert [path.name for path in kit.submissions.iterdir()] == [path.parent.name]


@pytest.mark.parametrize("place", ["ada", "ada/graded"])
def test_results_are_not_written_into_a_students_folder(kit, place):
    path = kit.submit("ada")
    kit.submit("bob")
    assert "--out" in refusal(grade(kit.submissions, "--out", kit.submissions / place))
    assert list(path.parent.iterdir()) == [path]


def test_a_folder_with_nothing_but_earlier_results_is_refused(kit):
    out = kit.submissions / "graded"
    out.mkdir(parents=True)
    assert to_staff["usage.holds-no-submissions"] in refusal(grade(kit.submissions, "--out", out))
    assert list(out.iterdir()) == []


def test_no_path_and_no_out_are_refused(kit):
    assert run("grade", "--out", kit.out).exit == 2
    assert "--out" in refusal(run("grade", kit.submissions))


def test_an_out_folder_that_is_a_file_is_refused(kit):
    kit.submit("ada")
    kit.out.write_text("a file", "utf-8")
    message = refusal(grade(kit.submissions, "--out", kit.out))
    assert "error: " in message
    assert to_staff["usage.choose-another-out"] in message


@pytest.mark.parametrize("command", [("reference", "build"), ("reference", "verify"), ("audit",)])
def test_other_commands_refuse_an_unknown_homework_as_well(kit, command):
    assert refusal(run(*command, "hw9")) == to_staff["usage.there-is-no-homework-hw9"]


def test_a_beginning_of_an_id_is_taken_wherever_an_id_is(kit):
    kit.submit("ada", name="work.py")
    assert grade(kit.submissions, "--out", kit.out, "--homework", "hw").exit == 0
    assert rows(kit.out)[0][HOMEWORK] == "5.5"
    decided = ("--homework", "hw", "--points", "1", "--reason", "as agreed")
    assert run("policy", kit.out, "--override", "ada", *decided).exit == 0
    assert rows(kit.out)[0][HOMEWORK] == "1"
    (kit.root / "roster.csv").write_text("name,email\nada,ada\n", "utf-8")
    exported = ("--to", "moodle", "--roster", kit.root / "roster.csv", "--homework", "hw")
    assert run("export", kit.out, *exported).exit == 0
    assert run("written", kit.out, "--homework", "hw").exit == 0
    assert run("reference", "verify", "hw").exit == 0


# As a program
