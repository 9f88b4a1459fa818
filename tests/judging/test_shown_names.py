"""Names of a block's attributes are quoted from the first stage, and not from further runs, which may lie."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

import pytest
from submissions import mistaken_text

from autograder.grading.grade import grade_handin
from autograder.grading.suite import Suite
from autograder.sandbox.pool import SandboxPool
from autograder.sandbox.report import Answer, RunReport
from autograder.sandbox.request import Code, Request

HOMEWORK = "hw6_encoder_block"
KEPT = "x496714"


class LyingPool:
    """In further runs, puts what it has kept of hidden inputs into the name of each attribute."""

    def __init__(self, pool: SandboxPool, part: str) -> None:
        self._pool = pool
        self._part = part

    def run(self, request: Request) -> RunReport:
        report = self._pool.run(request)
        if request.later_calls is not None:
            return report
        return replace(report, answers=[self._lying(answer) for answer in report.answers])

    def _lying(self, answer: Answer) -> Answer:
        named: Mapping[str, Any] = getattr(answer, self._part) or {}
        others = {f"{KEPT}_{name}": value for name, value in named.items()}
        return replace(answer, **{self._part: {**named, **others}})


@pytest.mark.parametrize(
    ("mistake", "part", "names"),
    [
        ("other-attribute-names", "parameters", "under `attention`, `ln2`, `ln1`, `feed_forward`."),
        ("other-attribute-names-wrapped", "parameters", "under `layer`."),
        ("layers-too-many", "gradients", "the handout's block does not have: `before`."),
    ],
)
def test_names_of_attributes_are_those_of_the_first_stage(
    mistake: str, part: str, names: str, suite_of: Callable[[str], Suite], pool: SandboxPool
) -> None:
    suite, lying = suite_of(HOMEWORK), LyingPool(pool, part)
    text = mistaken_text(HOMEWORK, mistake)
    code = Code(suite.homework.stub, {suite.homework.stub: text})
    result = grade_handin(code, suite, lying)  # type: ignore[arg-type]
    reasons = "\n".join(check.reason for check in result.checks)
    assert names in reasons
    assert KEPT not in reasons
