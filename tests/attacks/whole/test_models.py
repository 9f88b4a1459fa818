"""What only looks like a Transformer, or answers without one, earns what it does and no more."""

import pytest

from ..models import attacks_on_models


@pytest.mark.parametrize("attack", list(attacks_on_models()), ids=lambda attack: attack.name)
def test_a_model_earns_only_what_it_does(attack, grade_text):
    result = grade_text(attack.homework, attack.source)
    assert result.status == attack.status, result.detail
    reasons = [f"{check.check}: {check.reason}" for check in result.checks if check.reason]
    assert result.earned == attack.score, "\n".join(reasons)
