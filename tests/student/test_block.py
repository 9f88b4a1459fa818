"""What a fault of a block's interface costs in grading, and what its public checks tell before that."""

import pytest
from submissions import mistaken_text, right_text

from autograder.verdict.checks import Outcome

HW6 = "hw6_encoder_block"

RIGHT = ("convolutions-of-width-one", "layers-under-two-names", "lazy-layers", "parts-in-a-dictionary")


def test_dropout_has_one_reason_also_where_it_comes_last(grade_text):
    result = grade_text(HW6, mistaken_text(HW6, "dropout-at-eval-last"))
    labels = {check.misconceptions for check in result.checks if check.outcome is Outcome.FAILED}
    assert labels == {("dropout-at-eval",)}


@pytest.mark.parametrize("name", RIGHT)
def test_right_blocks_in_unusual_styles_pass_the_public_checks(name, students):
    report = students.check(HW6, right_text(HW6, name))
    assert [result.check for result in report.results if result.outcome is not Outcome.PASSED] == []
