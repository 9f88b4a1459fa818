"""What a fault of a block's interface costs in grading, and what its public checks tell before that."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from released import CORPUS

from autograder.verdict.checks import Outcome
from autograder.verdict.results import HomeworkResult

from .conftest import Released

HW6 = "hw6_encoder_block"

RIGHT = ("convolutions_of_width_one", "layers_under_two_names", "lazy_layers", "parts_in_a_dictionary")


def test_dropout_has_one_reason_also_where_it_comes_last(
    grade_text: Callable[[str, str], HomeworkResult],
) -> None:
    result = grade_text(HW6, (CORPUS / HW6 / "mistaken" / "dropout-at-eval-last.py").read_text("utf-8"))
    labels = {one.misconceptions for one in result.checks if one.outcome is Outcome.FAILED}
    assert labels == {("dropout-at-eval",)}


@pytest.mark.parametrize("name", RIGHT)
def test_right_blocks_in_unusual_styles_pass_the_public_checks(name: str, students: Released) -> None:
    report = students.check(HW6, (CORPUS / HW6 / "correct" / f"{name}.py").read_text("utf-8"))
    assert [one.check for one in report.results if one.outcome is not Outcome.PASSED] == []
