"""The attacks that reach for the system gain nothing where there are no namespaces either."""

import pytest
from container import trouble_with_containers

from ..test_attacks import ATTACKS, attack_and_look

WITHOUT_NAMESPACES = [attack for attack in ATTACKS if attack.depends_on_the_level and not attack.needs]
REHEARSED = [
    attack
    for attack in WITHOUT_NAMESPACES
    if attack.homework == "hw1_attention_scores" and "torch" not in attack.source
]
"""Attacks that tests/authoring/whole/test_gradescope_rehearsal.py runs in a container, where it can make one."""
contained_without_namespaces = pytest.mark.parametrize(
    "attack",
    [attack for attack in WITHOUT_NAMESPACES if attack not in REHEARSED or trouble_with_containers()],
    ids=lambda attack: attack.name,
)


@contained_without_namespaces
def test_attack_gains_nothing_without_namespaces(attack, no_namespaces, suites, secrets):
    attack_and_look(attack, no_namespaces, suites[attack.homework], secrets)
