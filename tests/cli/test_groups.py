"""Groups of wrong answers on the command line, and comments on them: read, written, kept and applied."""

import json
from dataclasses import dataclass
from pathlib import Path

import pytest
from results import FAILED, PASSED, homework, submission
from tiny import Tiny
from wording import to_staff

from autograder.gradebook.opening import open_gradebook
from autograder.sandbox.report import Status
from autograder.verdict.work import Behaviour, Work

from .classroom import read_rows
from .running import refusal, results_of, run, totals

SAME = Behaviour("double", "f0", (0.0, 1000.0))
OTHER = Behaviour("double", "f1", (0.0, 1000.0))
GROUP, ALONE = "hwx-double-e94b", "hwx-double-a1b2"


@dataclass(frozen=True)
class Class:
    """A tiny course and a class: the answers of ada and bob are the same, those of cyd are not."""

    tiny: Tiny
    out: Path

    def keep(self, *names, behaviour=SAME):
        with open_gradebook(self.out) as book:
            for name in names:
                homework_result = homework(work=Work("hwx.py", behaviours=(behaviour,)))
                book.keep(submission(name, homework_result), "c", "g")

    def policy(self, *arguments):
        return run("policy", self.out, "--course", self.tiny.course.root, *arguments)

    def comment(self, text):
        path = self.tiny.course.root / "filled.csv"
        path.write_text(text, "utf-8")
        return self.policy("--comments", path)

    def groups(self, *arguments):
        return run("groups", self.out, "--course", self.tiny.course.root, *arguments)

    def feedback(self, name):
        return (self.out / "submissions" / name / "feedback.html").read_text("utf-8")


@pytest.fixture
def graded(tiny, tmp_path):
    classroom = Class(tiny, tmp_path / "graded")
    classroom.keep("ada", "bob")
    classroom.keep("cyd", behaviour=OTHER)
    return classroom


def test_groups_are_listed_on_one_line_each_the_largest_first(graded):
    result = graded.groups()
    assert (result.exit, result.err) == (0, "")
    assert [line.split()[:3] for line in result.out.splitlines()[1:]] == [
        [GROUP, "2", "hard-coded-size,"],
        [ALONE, "1", "hard-coded-size,"],
    ]


def test_groups_as_json_have_the_keys_that_others_rely_on(graded):
    groups = json.loads(graded.groups("--json", "--homework", "hwx").out)
    assert list(groups[0])[:6] == ["group", "homework", "task", "size", "submissions", "misconceptions"]
    assert list(groups[0].values())[:5] == [GROUP, "hwx", "double", 2, ["ada", "bob"]]
    assert groups[0]["misconceptions"] == list(FAILED.misconceptions)


def test_a_comment_reaches_every_member_and_whoever_answers_like_this_later(graded):
    result = graded.comment(f"group,text\n{GROUP},Look at the factor once more\n")
    assert result.exit == 0
    assert "note: comments read from filled.csv: 1" in result.err
    for name in ("ada", "bob"):
        assert "Look at the factor once more." in graded.feedback(name)
        assert "Look at the factor once more." in json.dumps(results_of(graded.out, name))
    assert "factor" not in graded.feedback("cyd")
    graded.keep("dan", "cyd")
    assert graded.policy().exit == 0
    assert "Look at the factor once more." in graded.feedback("dan")
    assert "Look at the factor once more." in graded.feedback("cyd")
    graded.keep("ada", behaviour=OTHER)
    graded.policy()
    assert "factor" not in graded.feedback("ada")
    assert totals(graded.out) == dict.fromkeys(("ada", "bob", "cyd", "dan"), "1")


def test_the_points_of_a_comment_are_what_the_task_earns_and_are_late_as_well(graded):
    (graded.tiny.course.root / "policy.toml").write_text(
        "homeworks.hwx.due = 2027-02-05T12:00:00Z\npenalty_per_day = 10\n"
    )
    (graded.tiny.course.root / "times.csv").write_text(
        "submission,submitted_at\nbob,2027-02-06T11:00:00Z\nada,2027-02-01T11:00:00Z\n"
    )
    graded.policy("--times", graded.tiny.course.root / "times.csv")
    assert graded.comment(f'group,text,points\n{GROUP},,"2,5"\n').exit == 0
    assert totals(graded.out) == {"ada": "2.5", "bob": "2.25", "cyd": "1"}
    assert "2.5 points instead of 1." in graded.feedback("ada")


def test_what_a_person_decided_on_a_submission_wins_over_the_points_of_its_group(graded):
    graded.comment(
        f"group,submission,homework,task,text,points\n{GROUP},,,,For all,2\n,bob,hwx,double,For bob,3\n"
    )
    assert totals(graded.out) == {"ada": "2", "bob": "3", "cyd": "1"}
    assert "For all." in graded.feedback("bob")
    assert "For bob. " in graded.feedback("bob")
    how = ("--homework", "hwx", "--check", "double_sizes", "--points", "0.5", "--reason", "So")
    graded.policy("--override", "ada", *how)
    assert totals(graded.out)["ada"] == "1.5"
    assert "For all." in graded.feedback("ada")


def test_a_comment_on_a_submission_may_be_on_all_of_it_a_homework_or_a_task(graded):
    graded.comment(
        "submission,homework,task,text,points\n"
        'ada,,,Well tried,\nbob,hw,,Half of it,"3,25"\ncyd,hwx,totals,None,0\n'
    )
    assert totals(graded.out) == {"ada": "1", "bob": "3.25", "cyd": "1"}
    assert "Well tried." in graded.feedback("ada")
    assert "Half of it." in graded.feedback("bob")


def test_a_row_without_text_and_points_takes_a_comment_back(graded):
    graded.comment(f"group,text,points\n{GROUP},Hello,2\n")
    assert GROUP in run("policy", graded.out, "--list").out
    graded.comment(f"group,text,points\n{GROUP},,\n")
    assert totals(graded.out)["ada"] == "1"
    assert "Hello" not in graded.feedback("ada")
    assert GROUP not in run("policy", graded.out, "--list").out


@pytest.mark.parametrize(
    ("row", "entry"),
    [
        ("hwx-double-0000,,,,Text,", to_staff["comments.unknown-group"]),
        ("zzz,,,,Text,", to_staff["comments.unknown-group-unlike-any"]),
        (",dora,,,Text,", to_staff["comments.unknown-submission"]),
        (",,,,Text,", to_staff["comments.nothing-named"]),
        (f"{GROUP},ada,,,Text,", to_staff["comments.both-named"]),
        (f"{GROUP},,,totals,Text,", to_staff["comments.other-task"]),
        (f"{GROUP},,,,Text,4", to_staff["comments.too-many-points"]),
        (",ada,hwx,double,Text,4", to_staff["comments.too-many-for-task"]),
        (",ada,hwx,,Text,6", to_staff["comments.too-many-for-homework"]),
        (",ada,,,Text,1", to_staff["comments.points-without-homework"]),
        (",ada,,double,Text,", to_staff["comments.task-without-homework"]),
        (",ada,hwx,triple,Text,", to_staff["comments.unknown-task"]),
        (",ada,hwz,,Text,", to_staff["comments.unknown-homework"]),
        (f"{GROUP},,,,Text,many", to_staff["comments.not-a-number"]),
    ],
)
def test_a_row_that_cannot_be_meant_names_its_line_and_changes_nothing(graded, row, entry):
    head = "group,submission,homework,task,text,points\n"
    message = refusal(graded.comment(f"{head}{GROUP},,,,Fine,\n{row}\n"))
    assert entry == message.partition("line 3: ")[2].strip()
    assert GROUP not in run("policy", graded.out, "--list").out


def test_comments_beside_the_policy_hold_for_every_folder_and_may_name_groups_of_others(graded):
    path = graded.tiny.course.root / "comments.csv"
    path.write_text(
        f"group,submission,text,points\n{GROUP},,Of the course,2\nhw9-other-0000,,Else,\n,nobody,Else,\n",
        "utf-8",
    )
    assert graded.policy().exit == 0
    assert totals(graded.out) == {"ada": "2", "bob": "2", "cyd": "1"}
    graded.comment(f"group,text,points\n{GROUP},Of the folder,3\n")
    assert totals(graded.out)["ada"] == "3"
    assert "Of the course" not in graded.feedback("ada")


def test_comments_that_are_on_nothing_any_more_are_mentioned(graded):
    graded.comment(f"group,submission,text\n{ALONE},,Alone\n,bob,Hello\n")
    graded.keep("cyd")
    result = graded.policy()
    assert to_staff["comments.on-nothing"].among(result.err.splitlines())
    assert "bob" not in result.err


def test_the_table_to_fill_in_has_a_row_for_each_group_and_loses_nothing(graded, tmp_path):
    path = tmp_path / "comments.csv"
    assert graded.groups("--comments", path).exit == 0
    before = read_rows(path)
    assert list(before[0])[:6] == ["group", "submission", "homework", "task", "text", "points"]
    assert [(row["group"], row["size"]) for row in before] == [(GROUP, "2"), (ALONE, "1")]
    assert graded.policy("--comments", path).exit == 0
    decisions = f'mine,group,submission,homework,task,text,points\nx,{GROUP},,,,"=Mine, all of it","1,5"\n'
    decisions += "y,,ada,hw,,Hello,\nz,hwx-double-0000,,,,Gone,\n"
    path.write_text(decisions, "utf-8")
    graded.comment(f"group,submission,homework,text\n{ALONE},,,Kept\n,bob,hwx,Kept too\n")
    graded.keep("dan")
    for _ in range(2):
        graded.groups("--comments", path)
    table_rows = read_rows(path)
    assert [
        (row["mine"], row["group"], row["submission"], row["text"], row["points"], row["size"])
        for row in table_rows
    ] == [
        ("x", GROUP, "", "'=Mine, all of it", "1,5", "3"),
        ("y", "", "ada", "Hello", "", ""),
        ("z", "hwx-double-0000", "", "Gone", "", ""),
        ("", ALONE, "", "Kept", "", "1"),
        ("", "", "bob", "Kept too", "", ""),
    ]


def test_a_class_without_wrong_answers_has_no_groups(tiny, tmp_path):
    with open_gradebook(tmp_path) as book:
        book.keep(submission("ada", homework(checks=(PASSED,))), "c", "g")
    assert run("groups", tmp_path, "--course", tiny.course.root).out == to_staff["groups.none"]
    assert json.loads(run("groups", tmp_path, "--json", "--course", tiny.course.root).out) == []


def test_failed_checks_without_an_answer_to_compare_have_no_groups(tiny, tmp_path):
    with open_gradebook(tmp_path) as book:
        book.keep(submission("gil", homework(status=Status.IMPORT_FAILED)), "c", "g")
    result = run("groups", tmp_path, "--course", tiny.course.root)
    assert (result.out, result.err) == (to_staff["groups.nothing-to-compare"], "")
