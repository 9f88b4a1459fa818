"""What only looks like a Transformer, or answers without one, earns what it does and no more."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from autograder.verdict.results import HomeworkResult

from ..attack import Attack
from ..models import attacks_on_models


@pytest.mark.parametrize("attack", list(attacks_on_models()), ids=lambda attack: attack.name)
def test_a_model_earns_only_what_it_does(
    attack: Attack, grade_text: Callable[[str, str], HomeworkResult]
) -> None:
    result = grade_text(attack.homework, attack.source)
    assert result.status == attack.status, result.detail
    reasons = [f"{check.check}: {check.reason}" for check in result.checks if check.reason]
    assert result.earned == attack.score, "\n".join(reasons)
