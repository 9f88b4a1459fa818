"""Slow tests of the same subject as ``test_block``, for CI and `make test WHOLE=1`."""

import pytest
from submissions import mistaken_text

from autograder.verdict.checks import Outcome

from ..test_block import HW6

COSTS = {
    "returns-tuple": ("encoder_block_shapes", 1),
    "other-attribute-names": ("encoder_block_parameters", 2),
    "other-attribute-names-attention": ("encoder_block_parameters", 2),
    "other-attribute-names-projections": ("encoder_block_parameters", 2),
    "other-attribute-names-torch": ("encoder_block_parameters", 2),
    "other-attribute-names-wrapped": ("encoder_block_parameters", 2),
    "layers-unregistered": ("encoder_block_parameters", 2),
    "layers-unregistered-heads": ("encoder_block_parameters", 2),
}


KINDS = "Use these layers of PyTorch"


FACTS = {
    "layers-left-out": {"encoder_block_parameters": ("`norm1`, `norm2`",)},
    "layers-of-own-packed": {"encoder_block_64": (KINDS, "`self_attn`")},
    "layers-result-discarded": {"encoder_block_64": ("What norm2 computes is not used",)},
    "layers-too-many": {"encoder_block_sizes": ("does not have: `before`.",)},
    "wrong-ffn-width-fixed": {"encoder_block_width": ("`ff`", "`ff_dim`")},
    "wrong-ffn-width-other-names": {"encoder_block_width": ("`mlp`", "`ff_dim`")},
}


@pytest.mark.parametrize("name", FACTS)
def test_what_is_told_of_an_attribute_is_true(name, grade_text):
    result = grade_text(HW6, mistaken_text(HW6, name))
    reasons = {check.check: check.reason or "" for check in result.checks}
    assert all(word in reasons[check] for check, words in FACTS[name].items() for word in words)
    assert any(KINDS in reason for reason in reasons.values()) == (name == "layers-of-own-packed")


@pytest.mark.parametrize("name", COSTS)
def test_a_fault_of_the_interface_costs_its_own_check_and_shows_at_home(name, students, grade_text):
    text = mistaken_text(HW6, name)
    result = grade_text(HW6, text)
    assert [(check.check, check.points) for check in result.checks if check.outcome is Outcome.FAILED] == [
        COSTS[name]
    ]
    report = students.check(HW6, text)
    failed = [result for result in report.results if result.outcome is not Outcome.PASSED]
    assert [(check.check, check.points) for check in failed] == [COSTS[name]]
    assert failed[0].misconceptions == next(check.misconceptions for check in result.checks if check.reason)


def test_a_squeeze_shows_at_home(students, course):
    text = course.homework(HW6).solution.read_text("utf-8")
    right = "attended, _ = self.self_attn(x, x, x, need_weights=False)"
    assert text.count(right) == 1
    report = students.check(HW6, text.replace(right, f"{right}\n        attended = attended.squeeze()"))
    [failed] = [result for result in report.results if result.outcome is Outcome.FAILED]
    assert failed.check == "encoder_block_shapes"
    assert "`attended = attended.squeeze()`" in failed.reason
