import pytest
from tiny import HOMEWORK
from wording import to_staff

from autograder import __version__

from .running import grade, refusal, rows, run


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
