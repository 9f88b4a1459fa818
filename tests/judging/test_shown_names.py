"""Names of a block's attributes are quoted from the first stage, and not from further runs, which may lie."""

from dataclasses import replace

import pytest
from submissions import mistaken_text

from autograder.grading.grade import grade_handin
from autograder.sandbox.request import Code

HOMEWORK = "hw6_encoder_block"
KEPT = "x496714"


class LyingPool:
    """In further runs, puts what it has kept of hidden inputs into the name of each attribute."""

    def __init__(self, pool, part):
        self._pool = pool
        self._part = part

    def run(self, request):
        report = self._pool.run(request)
        if request.later_calls is not None:
            return report
        return replace(report, answers=[self._lying(answer) for answer in report.answers])

    def _lying(self, answer):
        names = getattr(answer, self._part) or {}
        others = {f"{KEPT}_{name}": value for name, value in names.items()}
        return replace(answer, **{self._part: {**names, **others}})


@pytest.mark.parametrize(
    ("mistake", "part", "names"),
    [
        ("other-attribute-names", "parameters", "under `attention`, `ln2`, `ln1`, `feed_forward`."),
        ("other-attribute-names-wrapped", "parameters", "under `layer`."),
        ("layers-too-many", "gradients", "the handout's block does not have: `before`."),
    ],
)
def test_names_of_attributes_are_those_of_the_first_stage(mistake, part, names, suite_of, pool):
    suite, lying = suite_of(HOMEWORK), LyingPool(pool, part)
    text = mistaken_text(HOMEWORK, mistake)
    code = Code(suite.homework.stub, {suite.homework.stub: text})
    result = grade_handin(code, suite, lying)
    reasons = "\n".join(check.reason for check in result.checks)
    assert names in reasons
    assert KEPT not in reasons
