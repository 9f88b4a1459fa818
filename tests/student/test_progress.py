"""The table of all homeworks in the course's folder, by `python check.py` and at the end of `pytest`."""

import re
import shutil
from pathlib import Path

import pytest
from released import CHECK, HW1, HW4, PYTEST, released, run, unzip
from submissions import mistaken_text
from wording import to_students

from autograder.authoring.release import course_folder
from autograder.course.course import find_course
from autograder.student.course_map import MAP_FILE
from autograder.student.homework import open_homework

HW2, HW5 = "hw2_self_attention", "hw5_multihead_attention"
STUBS = {HW1: "attention_scores.py", HW4: "self_attention_columns.py", HW5: "multihead_attention.py"}


@pytest.fixture
def course_copy(tmp_path):
    """The course's folder with four of its homeworks; one of them needs PyTorch."""
    course = find_course(Path(__file__).parent)
    for homework_id in (HW1, HW2, HW4, HW5):
        unzip(homework_id, tmp_path / homework_id)
    for name, data in course_folder([course.homework(HW1)], {HW1: released(HW1)}).items():
        if "/" not in name:
            (tmp_path / name).write_bytes(data)
    return tmp_path


def solve(top, homework_id, mistake=""):
    if mistake:
        text = mistaken_text(homework_id, mistake)
    else:
        text = find_course(Path(__file__).parent).homework(homework_id).solution.read_text("utf-8")
    (top / homework_id / STUBS[homework_id]).write_text(text, "utf-8")


def states(output):
    """The state of each homework by the beginning of its row."""
    rows = [line for line in output.splitlines() if line.startswith("  hw")]
    return {line.split()[0]: line.split("  ")[-1] for line in rows}


def test_homeworks_that_are_begun_are_told_from_those_that_are_not(course_copy):
    solve(course_copy, HW1)
    solve(course_copy, HW4, "no-scaling")
    process = run(CHECK, "check.py", cwd=course_copy)
    assert f"Filled in: {HW1}." in (course_copy / MAP_FILE).read_text("utf-8")
    assert process.returncode == 1
    assert states(process.stdout) == {
        "hw1": "all green",
        "hw2": "not started",
        "hw4": "3 of 4 tasks",
        "hw5": "not started",
    }
    assert to_students["progress.next-is-hw4"] in process.stdout
    assert re.search(r" ✓✓✓✓✓ +(\d+)/\1  all green", process.stdout)
    assert all(len(line) < 80 for line in process.stdout.splitlines())


def test_where_none_is_begun_the_first_homework_comes_next(course_copy):
    solve(course_copy, HW1)
    process = run(CHECK, "check.py", cwd=course_copy)
    assert to_students["progress.next-is-hw2"] in process.stdout


def test_a_task_alone_that_passes_is_followed_by_the_first_that_does_not(course_copy):
    solve(course_copy, HW4, "no-scaling")
    process = run(CHECK, "check.py", "softmax", cwd=course_copy / HW4)
    assert process.returncode == 0, process.stdout
    assert to_students["progress.next-is-a-task"] in process.stdout
    assert "hand it in" not in process.stdout
    solve(course_copy, HW4)
    process = run(CHECK, "check.py", "softmax", cwd=course_copy / HW4)
    assert "hand it in" in process.stdout


@pytest.mark.parametrize(
    ("homework_id", "then"),
    [
        (HW1, HW2),
        ("hw9_positions_and_cache", "hw10_tiny_language_model"),
        ("hw10_tiny_language_model", "capstone_tiny_transformer"),
        ("capstone_tiny_transformer", ""),
    ],
)
def test_what_comes_after_a_homework_is_the_next_in_the_order_of_the_course(homework_id, then, tmp_path):
    next_step, *_ = open_homework(unzip(homework_id, tmp_path)).after(unanswered=0)
    _, homework, following = next_step.removesuffix(".").partition(", then ")
    assert (bool(homework), following) == (bool(then), then)


def test_what_is_not_begun_is_not_run_so_that_pytorch_is_not_imported(course_copy):
    """The program may import NumPy alone."""
    assert run(CHECK, "check.py", cwd=course_copy).returncode == 1
    process = run(PYTEST, cwd=course_copy)
    assert set(states(process.stdout).values()) >= {"not started"}
    assert "torch" not in process.stdout + process.stderr


def test_homeworks_with_functions_of_one_name_do_not_meet(course_copy):
    for homework_id in (HW1, HW4, HW5):
        solve(course_copy, homework_id)
    shutil.rmtree(course_copy / HW2)
    process = run(CHECK, "check.py", cwd=course_copy)
    assert process.returncode == 0, process.stdout
    assert to_students["progress.all-green"] in process.stdout
    assert to_students["progress.not-here"] in process.stdout


def test_a_half_copied_homework_is_told_and_the_others_are_checked(course_copy):
    (course_copy / HW1 / "public_checks.pyz").write_bytes(b"half of it")
    (course_copy / HW5 / "public_checks.pyz").unlink()
    (course_copy / HW4 / STUBS[HW4]).write_text("def softmax(:\n", "utf-8")
    process = run(CHECK, "check.py", cwd=course_copy)
    assert process.returncode == 1, process.stderr
    assert process.stdout.count("incomplete: unzip it again") == 2
    assert states(process.stdout)["hw4"] == "does not run yet"


def test_without_a_whole_homework_the_error_says_what_to_do(course_copy):
    for homework_id in (HW1, HW2, HW4, HW5):
        (course_copy / homework_id / "public_checks.pyz").unlink()
    process = run(CHECK, "check.py", cwd=course_copy)
    assert (process.returncode, process.stdout) == (2, "")
    assert "unzip course.zip again" in process.stderr


def test_a_homework_named_is_checked_with_the_options_of_its_own_check(course_copy):
    solve(course_copy, HW1)
    process = run(CHECK, "check.py", "hw1", "--pack", cwd=course_copy)
    assert process.returncode == 0
    assert (course_copy / HW1 / f"{HW1}_handin.zip").is_file()
    assert run(CHECK, "check.py", "hw", cwd=course_copy).returncode == 2


def test_pytest_shows_what_is_in_progress_and_ends_with_the_course(course_copy):
    solve(course_copy, HW1)
    solve(course_copy, HW4, "no-scaling")
    process = run(PYTEST, cwd=course_copy)
    assert process.returncode == 1
    assert states(process.stdout)["hw4"] == "3 of 4 tasks"
    assert process.stdout.index("Self-attention, one token per column: ") < process.stdout.index("all green")
    assert "Attention scores: " not in process.stdout


def test_a_homework_all_green_says_what_comes_next_and_what_to_read(course_copy):
    solve(course_copy, HW1)
    process = run(CHECK, "check.py", cwd=course_copy / HW1)
    assert to_students["progress.celebration"] in " ".join(process.stdout.split())
    assert "Worth reading: " in process.stdout
    assert len(process.stdout.splitlines()) <= 24


def test_unanswered_questions_are_told_although_all_is_green(course_copy):
    solve(course_copy, HW4)
    stub = course_copy / HW4 / STUBS[HW4]
    stub.write_text(stub.read_text("utf-8").partition("\nanswers")[0], "utf-8")
    process = run(CHECK, "check.py", cwd=course_copy)
    assert states(process.stdout)["hw4"] == "all green"
    assert to_students["progress.questions"] in process.stdout
