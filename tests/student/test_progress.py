"""The table of all homeworks on a student's machine, and the map of the course."""

import re
import shutil
from dataclasses import replace
from pathlib import Path
from xml.etree import ElementTree

import pytest
from colours import contrast
from released import CHECK, HW1, HW4, PYTEST, released, run, unzip
from submissions import mistaken_text
from wording import to_students

from autograder.authoring.release import course_folder
from autograder.course.course import find_course
from autograder.handouts.course_map import map_svg, read_map
from autograder.student.course_map import BLUE, DARK_BLUE, DARK_GREEN, GREEN, MAP_FILE, redraw
from autograder.student.homework import open_homework
from autograder.student.judge import NOT_WRITTEN, Report
from autograder.student.table import SCREEN, Style, render
from autograder.verdict.checks import CheckResult, Outcome

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


SOURCE = """
title = "Two parts"
description = "Two boxes."
width = 100
height = 80
parts = [
    { homework = "hw2_b", words = "second", x = 1, y = 1, width = 90, height = 30 },
    { homework = "hw10_a", words = "tenth", x = 1, y = 40, width = 90, height = 30 },
]
"""


@pytest.fixture
def folder(tmp_path):
    for name in ("hw2_b", "hw10_a"):
        (tmp_path / name).mkdir()
    (tmp_path / "map.toml").write_text(SOURCE, "utf-8")
    course_map = read_map(tmp_path)
    assert course_map is not None
    (tmp_path / MAP_FILE).write_text(map_svg(course_map), "utf-8")
    return tmp_path


def drawn(folder):
    svg = (folder / MAP_FILE).read_text("utf-8")
    ElementTree.fromstring(svg)
    return svg


def test_a_green_homework_fills_its_part_and_is_named(folder):
    assert "Filled in: none yet." in drawn(folder)
    change = redraw(folder, ["hw2_b"], ["hw2_b", "hw10_a"])
    assert change == to_students["course_map.one-of-two"]
    svg = drawn(folder)
    assert f'.course-map [data-homework="hw2_b"] > rect {{ fill: {GREEN}; }}' in svg
    assert '[data-homework="hw10_a"] >' not in svg
    assert "Filled in: hw2_b." in svg


def test_without_news_nothing_is_written_or_said(folder):
    redraw(folder, ["hw2_b"], ["hw2_b"])
    before = (folder / MAP_FILE).stat().st_mtime_ns
    assert redraw(folder, ["hw2_b"], ["hw2_b"]) == ""
    assert (folder / MAP_FILE).stat().st_mtime_ns == before


def test_what_is_broken_again_is_emptied_and_what_is_elsewhere_stays(folder):
    redraw(folder, ["hw2_b", "hw10_a"], ["hw2_b", "hw10_a"])
    assert "Filled in: hw2_b, hw10_a." in drawn(folder)
    redraw(folder, [], ["hw10_a"])
    assert "Filled in: hw2_b." in drawn(folder)


@pytest.mark.parametrize("text", ["<svg/>", ""])
def test_another_picture_of_that_name_is_left_alone(tmp_path, text):
    (tmp_path / MAP_FILE).write_text(text)
    assert redraw(tmp_path, ["hw2_b"], ["hw2_b"]) == ""
    assert (tmp_path / MAP_FILE).read_text() == text


def test_a_course_without_a_map_has_none(tmp_path):
    assert redraw(tmp_path, ["hw2_b"], ["hw2_b"]) == ""
    assert read_map(tmp_path) is None


def test_a_map_that_cannot_be_read_is_told(tmp_path):
    (tmp_path / MAP_FILE).write_bytes(b"\xff")
    assert redraw(tmp_path, ["hw2_b"], ["hw2_b"]).startswith(f"{MAP_FILE} could not be redrawn: ")


def test_a_course_may_lack_homeworks_of_its_map(folder):
    before = read_map(folder)
    (folder / "hw10_a").rmdir()
    assert read_map(folder) == before


def test_each_homework_of_this_course_has_one_part(course):
    course_map = read_map(course.solutions)
    assert sorted(part.homework for part in course_map.parts) == sorted(course.homework_ids())
    for part in course_map.parts:
        assert part.x + part.width <= course_map.width
        assert part.y + part.height <= course_map.height
        assert 0.54 * 13 * len(part.words) + 25 <= part.width, part.words


def test_a_handout_marks_its_own_part(course):
    svg = (course.assignments / "hw7_masked_attention" / MAP_FILE).read_text("utf-8")
    assert f'[data-homework="hw7_masked_attention"] > rect {{ fill: {BLUE};' in svg
    assert "The part of this homework, hw7_masked_attention, is marked." in svg


def test_words_can_be_read_on_filled_and_marked_parts():
    for ground in (GREEN, BLUE):
        assert contrast("#1a1a1a", ground) >= 4.5
    for ground in (DARK_GREEN, DARK_BLUE):
        assert contrast("#ececec", ground) >= 4.5


LONG = "The weights are wrong in a way that takes many words to tell. " * 20


def result(task, outcome=Outcome.PASSED, reason=""):
    return CheckResult(f"{task}_sizes", task, f"{task} works for any size.", 2, outcome, reason)


def report(*results, total=0):
    return Report("Attention", results, total or 2 * len(results))


def test_each_check_has_its_mark_its_points_and_its_line():
    text = render(report(result("a"), result("b", Outcome.FAILED, "It is wrong.")), Style())
    assert "a\n  ✓    2  works for any size\nb\n  ✗    2  works for any size\n" in text
    assert to_students["table.first-thing-to-fix-b"] in text


def test_the_first_wrong_check_comes_before_what_is_not_written():
    results = [result("a", Outcome.NOT_RUN, NOT_WRITTEN), result("b", Outcome.FAILED, "It is wrong.")]
    assert to_students["table.first-thing-to-fix-b"] in render(report(*results), Style())
    assert to_students["table.next-a-is-not-written-yet"] in render(report(results[0]), Style())


def test_points_of_hidden_checks_are_promised_only_where_there_are_some():
    assert to_students["table.further-checks-worth"] in render(report(result("a"), total=5), Style())
    assert "further checks" not in render(report(result("a")), Style())


@pytest.mark.parametrize("count", [1, 10, 60])
@pytest.mark.parametrize("reason", ["", "Short.", LONG])
@pytest.mark.parametrize("width", [20, 80, 300])
def test_it_fits_on_one_screen(count, reason, width):
    results = [result(f"task{i}", Outcome.FAILED if reason else Outcome.PASSED, reason) for i in range(count)]
    many = replace(report(*results), notes=(LONG, LONG, LONG))
    lines = render(many, Style(width=width)).splitlines()
    assert len(lines) <= SCREEN
    assert all(len(line) < max(60, width) for line in lines)


def test_a_console_of_few_letters_gets_the_same_table_in_those():
    wrong = result("a", Outcome.FAILED, "Divide by √d_k … “now” – 三.")
    text = render(report(wrong), Style(encoding="ascii"))
    assert text.isascii()
    assert to_students["table.divide-by-sqrt-d_k-now"] in text
    assert "✗" in render(report(wrong), Style(encoding="utf-8"))


def test_colours_only_where_they_are_asked_for():
    table = report(result("a"))
    assert "\033[32m✓\033[0m" in render(table, Style(colour=True))
    assert "\033" not in render(table, Style())
