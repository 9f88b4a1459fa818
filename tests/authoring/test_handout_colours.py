from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from autograder.authoring.handout_figures import BLACK, INK, PAPER, QUIET, WHITE, contrast, heat, ink_on

EASY = 4.5


def test_contrast_is_that_of_the_guidelines() -> None:
    assert contrast(BLACK, WHITE) == pytest.approx(21)
    assert contrast(WHITE, BLACK) == pytest.approx(21)
    assert contrast("#777777", WHITE) == pytest.approx(4.48, abs=0.005)
    assert contrast("#336699", "#336699") == 1


@given(st.floats(0, 1))
def test_a_number_can_be_read_on_every_shade(share: float) -> None:
    assert contrast(ink_on(heat(0, 0, share)), heat(0, 0, share)) >= EASY


@given(st.integers(0, 0xFFFFFF))
def test_black_or_white_can_be_read_on_every_colour(colour: int) -> None:
    background = f"#{colour:06x}"
    assert contrast(ink_on(background), background) >= EASY


@pytest.mark.parametrize("ink", [INK, QUIET])
def test_words_can_be_read_on_paper(ink: str) -> None:
    assert contrast(ink, PAPER) >= EASY


def test_a_share_out_of_range_takes_the_nearest_shade() -> None:
    assert heat(0, 0, -0.2) == heat(0, 0, 0) == WHITE
    assert heat(0, 0, 1.5) == heat(0, 0, 1)
