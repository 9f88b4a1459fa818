"""The student's page in a browser: its grids, on a phone, on paper, under attack, and without its style."""

import re
from dataclasses import replace

import pytest
from records.test_student_page import PUBLIC, SHAPE, plain_page, with_work

from autograder.verdict.work import Grid, Shown

from ..browsing import contrast_faults, no_sideways_scroll, open_page, unfold
from ..classes import HOSTILE

WIDE = tuple(" ".join(f"{(-1) ** column * 1234.5 / 10**row:.4g}" for column in range(8)) for row in range(8))
RIGHT_EDGES = """() => [...document.querySelectorAll('.grid')].map(grid => [...grid.rows].map(
  row => [...row.cells].map(cell => Math.round(cell.getBoundingClientRect().right)).join(' ')))"""
TOPS = "() => [...document.querySelectorAll('.case .grid')].map(one => one.getBoundingClientRect().top)"


def written(folder, *parts, **changes):
    case = replace(PUBLIC, **({"parts": parts} if parts else {}) | changes)
    plain_page(folder, with_work(shown=(case,)))
    return folder / "feedback.html"


def test_numbers_stand_in_columns_and_the_three_grids_side_by_side(page, tmp_path):
    open_page(page, written(tmp_path))
    assert len(set(page.evaluate(TOPS)[:3])) == 1
    unfold(page)
    grids = page.evaluate(RIGHT_EDGES)
    assert len(grids) == 4
    assert [len(set(rows)) for rows in grids] == [1] * 4


def test_wide_numbers_scroll_in_their_own_box_on_a_phone(page, tmp_path):
    part = Shown("output", Grid(SHAPE, WIDE, "[0:8, 0:8]"), Grid(SHAPE, WIDE), Grid("64 of 64 wrong", WIDE))
    unfold(open_page(page, written(tmp_path, part), 400))
    assert no_sideways_scroll(page) == []
    assert page.evaluate("document.querySelector('.scroll').scrollWidth") > 400


@pytest.mark.parametrize("hostile", HOSTILE)
def test_cases_and_names_of_parameters_are_inert_whatever_they_hold(page, tmp_path, hostile):
    numbers = Grid(hostile, (hostile, f"{hostile} 1"), hostile)
    part = Shown(hostile, numbers, numbers, numbers)
    path = written(tmp_path, part, call=hostile, error=hostile, inputs=((hostile, numbers),))
    unfold(open_page(page, path, 400))
    assert no_sideways_scroll(page) == []
    assert "\u202e" not in page.inner_text("body")


def test_on_paper_it_is_dark_on_white_and_as_wide_as_the_paper(page, tmp_path):
    open_page(page, written(tmp_path), 700, dark=True)
    page.emulate_media(media="print", color_scheme="dark")
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"
    assert (contrast_faults(page), no_sideways_scroll(page)) == ([], [])


def test_it_can_be_read_where_a_platform_takes_its_style_away(page, tmp_path):
    path = written(tmp_path)
    path.write_text(re.sub(r"<style>.*?</style>", "", path.read_text("utf-8"), flags=re.DOTALL), "utf-8")
    unfold(open_page(page, path))
    assert "Yours − expected: · is right · +0.5 · −18 Input" in " ".join(page.inner_text("main").split())
    assert no_sideways_scroll(page) == []
