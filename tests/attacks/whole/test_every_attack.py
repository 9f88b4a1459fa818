"""The attacks that the quick tests leave out."""

import pytest

from ..test_attacks import ATTACKS, attack_and_look, first_attacks

FIRST = {attack.name for attack in first_attacks()}


@pytest.mark.parametrize(
    "attack", [attack for attack in ATTACKS if attack.name not in FIRST], ids=lambda attack: attack.name
)
def test_attack_gains_nothing_at_the_full_level(attack, full, suites, secrets):
    attack_and_look(attack, full, suites[attack.homework], secrets)
