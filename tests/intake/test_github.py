"""GitHub Classroom: a folder of git clones, whose they are, and when they were handed in."""

import datetime as dt

import pytest
from released import HW1, released
from wording import to_staff

from autograder.intake.files import read_files
from autograder.intake.roster import match_roster
from autograder.intake.submission import SubmissionError
from autograder.platforms.discover import find_entries
from autograder.platforms.rosters import read_roster

from .clones import MONDAY, clone_of, git
from .downloads import contents_of, find, ids
from .makers import folder_of, match_read, tasks_of, zip_of

LATER = MONDAY + dt.timedelta(hours=1)
ROSTER = '"identifier","github_username","github_id","name"\n'
TASKS = tasks_of({HW1: ["softmax", "qk_scores"]})


@pytest.fixture(scope="module")
def class_of_three(tmp_path_factory):
    top = tmp_path_factory.mktemp("clones") / "hw1-2026-submissions"
    for hours, login in enumerate(("ada-l", "Bo", "cy")):
        clone_files = {"attention_scores.py": login, ".github/workflows/checks.yml": "on: push"}
        clone_of(top / f"hw1-2026-{login}", clone_files, MONDAY + dt.timedelta(hours=hours))
    return top


def test_each_clone_is_a_students_with_the_time_of_the_last_commit(class_of_three):
    discovery = find(class_of_three)
    assert contents_of(discovery) == {
        login: {"attention_scores.py": login} for login in ("Bo", "ada-l", "cy")
    }
    assert ids(discovery) == ["Bo", "ada-l", "cy"]
    times = [entry.owner and entry.owner.submitted_at for entry in discovery.entries]
    assert times == [LATER, MONDAY, MONDAY + dt.timedelta(hours=2)]
    assert discovery.notes == (to_staff["github.layout"], to_staff["github.assignment"])


def test_a_folder_of_another_name_tells_the_assignment_by_what_the_clones_share(tmp_path):
    for name in ("hw1-part-2-ada", "hw1-part-2-bo-b", "hw1-part-2-bo-c"):
        clone_of(tmp_path / name, {})
    assert ids(find(tmp_path)) == ["ada", "bo-b", "bo-c"]


def test_two_clones_are_a_class_only_where_gh_named_the_folder_around_them(tmp_path):
    for name in ("anna-b", "anna-c"):
        clone_of(tmp_path / "week1" / name, {})
        clone_of(tmp_path / "anna-submissions" / name, {})
    discovery = find(tmp_path / "week1")
    assert [entry.name for entry in discovery.entries] == ["anna-b", "anna-c"]
    assert discovery.notes[0] == to_staff["github.perhaps"]
    assert ids(find(tmp_path / "anna-submissions")) == ["b", "c"]
    assert ids(find(tmp_path / "week1", "classroom")) == ["b", "c"]


def test_one_students_repository_among_folders_is_no_class(tmp_path):
    clone_of(tmp_path / "hw-ada", {"a.py": "a"})
    folder_of(tmp_path, {"hw-bo/a.py": "b", "hw-cy/a.py": "c"})
    discovery = find(tmp_path)
    assert [entry.owner for entry in discovery.entries] == [None] * 3
    assert discovery.notes == ()


def test_a_broken_clone_is_graded_without_a_time_and_other_things_are_nobodys(tmp_path):
    top = tmp_path / "hw1-submissions"
    clone_of(top / "hw1-ada", {"a.py": "a"})
    git(folder_of(top / "hw1-bo", {"a.py": "b"}), "init", "-q")
    folder_of(
        top, {"hw1-cy/a.py": "c", "hw1-cy/.git": "gitdir: /", "hw1-di/a.py": "d", "graded/g": "", "x.py": ""}
    )
    discovery = find(top)
    assert [(entry.name, entry.owner and entry.owner.submitted_at) for entry in discovery.entries] == [
        *(("ada", MONDAY), ("bo", None), ("cy", None), ("di", None), ("graded", None), ("x", None)),
    ]
    assert ids(discovery) == ["ada", "bo", "cy", "di", None, None]
    assert discovery.notes[2] == to_staff["github.timeless"]


def test_a_single_clone_has_its_whole_name_unless_the_folder_tells_the_assignment(tmp_path):
    clone_of(tmp_path / "week1" / "hw1-ada", {})
    clone_of(tmp_path / "hw1-submissions" / "hw1-ada", {})
    assert ids(find(tmp_path / "week1", "classroom")) == ["hw1-ada"]
    assert ids(find(tmp_path / "hw1-submissions", "classroom")) == ["ada"]


def test_a_zip_of_clones_is_refused_by_name(tmp_path):
    path = tmp_path / "clones.zip"
    path.write_bytes(zip_of({"hw1-ada/.git/HEAD": "", "hw1-ada/a.py": ""}))
    with pytest.raises(SubmissionError, check=to_staff["github.refused"]):
        find(path, "classroom")


def test_the_roster_of_the_classroom_tells_the_schools_identifier(class_of_three, tmp_path):
    path = tmp_path / "classroom_roster.csv"
    path.write_text(f'{ROSTER}"4711","Ada-L","99","Ada Lovelace"\n"cy@uni.org","cy","",""\n"4713","","",""\n')
    roster = read_roster(path)
    assert [
        (student.student_id, student.login, student.number, student.email) for student in roster.students
    ] == [
        ("4711", "Ada-L", "", ""),
        ("cy@uni.org", "cy", "", "cy@uni.org"),
        ("4713", "", "", ""),
    ]
    matching = match_roster({entry.name: entry.owner for entry in find(class_of_three).entries}, roster)
    assert {name: student.student_id for name, [student] in matching.found.items()} == {
        "ada-l": "4711",
        "cy": "cy@uni.org",
    }
    assert matching.unmatched.keys() == {"Bo"}
    assert [student.student_id for student in matching.missing] == ["4713"]


def test_the_table_of_grades_tells_the_members_of_a_team(tmp_path):
    for team in ("the-queries", "keys"):
        clone_of(tmp_path / "hw1-submissions" / f"hw1-{team}", {})
    path = tmp_path / "grades.csv"
    path.write_text(
        "github_username,roster_identifier,group_name\nada,1,The Queries\nbo,2,The Queries\ncy,3,Keys\n"
    )
    entries = find(tmp_path / "hw1-submissions").entries
    members_by_entry = match_roster({entry.name: entry.owner for entry in entries}, read_roster(path)).found
    assert {
        name: [student.student_id for student in members] for name, members in members_by_entry.items()
    } == {
        "keys": ["3"],
        "the-queries": ["1", "2"],
    }


def test_what_students_were_given_is_nobodys_work(tmp_path):
    """With the stub deleted or renamed, no file of ours stands in its place, and none makes it unclear."""
    released_files = {
        name: data for name, data in released(HW1).items() if not name.startswith("attention_scores")
    }
    stubs = {HW1: "attention_scores.py"}
    read = read_files(folder_of(tmp_path / "empty", released_files))
    assert {file.path for file in read.files} == {
        *("attention_plots.py", "check.py", "conftest.py", "public_checks.py"),
    }
    nothing = match_read("ada", read, stubs, [HW1], tasks=TASKS)
    assert not nothing.handins
    assert to_staff["github.only-ours"].among([problem.staff for problem in nothing.problems])
    read = read_files(
        folder_of(tmp_path / "work", {**released_files, "mine.py": "def my_softmax(x): return x"})
    )
    assert [handin.origin for handin in match_read("ada", read, stubs, [HW1], tasks=TASKS).handins] == [
        "mine.py"
    ]


def test_a_students_own_module_of_such_a_name_is_theirs(tmp_path):
    own_files = {"attention_scores.py": "from check import f", "check.py": "f = 1"}
    [handin] = match_read(
        "ada", read_files(folder_of(tmp_path / "own", own_files)), {HW1: "attention_scores.py"}
    ).handins
    assert handin.code.files.keys() == own_files.keys()
    work = {"check.py": released(HW1)["check.py"].decode() + "\ndef softmax(x): return x\n"}
    [handin] = match_read(
        "ada", read_files(folder_of(tmp_path / "w", work)), {HW1: "a.py"}, [HW1], tasks=TASKS
    ).handins
    assert handin.origin == "check.py"


@pytest.mark.parametrize("name", ["check.py", "conftest.py", "attention_plots.py"])
def test_a_word_of_ours_in_a_students_file_does_not_make_it_ours(name, tmp_path):
    """Their lone file, whose functions no line tells, with a remark on the files that they were given."""
    work = {name: "# not yet with public_checks or matplotlib\nsoftmax = lambda x: x\n"}
    [handin] = match_read(
        "ada", read_files(folder_of(tmp_path, work)), {HW1: "a.py"}, [HW1], tasks=TASKS
    ).handins
    assert handin.origin == name


@pytest.mark.parametrize("name", ["check.py", "conftest.py"])
def test_a_file_of_ours_that_the_work_imports_stays_beside_it(name, tmp_path):
    text = released(HW1)[name].decode() + "\ndef helper(x): return x\n"
    work = {"attention_scores.py": f"from {name[:-3]} import helper\n", name: text}
    stubs = {HW1: "attention_scores.py"}
    [handin] = match_read("ada", read_files(folder_of(tmp_path, work)), stubs, [HW1], tasks=TASKS).handins
    assert handin.code.files.keys() == work.keys()


def test_several_classes_stay_apart_with_the_layout_named(class_of_three, tmp_path):
    clone_of(tmp_path / "hw2-submissions" / "hw2-cy", {})
    discovery = find_entries([class_of_three, tmp_path / "hw2-submissions"], layout="classroom")
    assert len({entry.name for entry in discovery.entries}) == 4
