import pytest
from colours import contrast
from hypothesis import given
from hypothesis import strategies as st

from autograder.handouts.figures import BLUE, GREEN, GREY, INK, ORANGE, PAPER, QUIET, heat

EASY = 4.5


def test_contrast_is_that_of_the_guidelines():
    assert contrast("#000000", PAPER) == pytest.approx(21)
    assert contrast(PAPER, "#000000") == pytest.approx(21)
    assert contrast("#777777", PAPER) == pytest.approx(4.48, abs=0.005)
    assert contrast("#336699", "#336699") == 1


@given(st.floats(0, 1))
def test_a_number_can_be_read_on_every_shade(share):
    assert contrast(INK, heat(0, 0, share)) >= EASY


@pytest.mark.parametrize("ground", [BLUE, ORANGE, GREEN, GREY])
def test_words_can_be_read_in_every_box(ground):
    assert contrast(INK, ground) >= EASY


@pytest.mark.parametrize("ink", [INK, QUIET])
def test_words_can_be_read_on_paper(ink):
    assert contrast(ink, PAPER) >= EASY


def test_a_share_out_of_range_takes_the_nearest_shade():
    assert heat(0, 0, -0.2) == heat(0, 0, 0) == PAPER
    assert heat(0, 0, 1.5) == heat(0, 0, 1)
