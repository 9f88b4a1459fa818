"""The map of a course fills in where homeworks are green, on the student's machine."""

from xml.etree import ElementTree

import pytest
from colours import contrast
from wording import to_students

from autograder.handouts.course_map import map_svg, read_map
from autograder.student.course_map import BLUE, DARK_BLUE, DARK_GREEN, GREEN, MAP_FILE, redraw

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
