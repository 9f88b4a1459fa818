"""The attacks that reach for the system gain nothing where there are no namespaces either."""

import pytest
from container import trouble_with_containers

from ..test_attacks import ATTACKS, attack_and_look

WITHOUT_NAMESPACES = [one for one in ATTACKS if one.depends_on_the_level and not one.needs]
REHEARSED = [
    one for one in WITHOUT_NAMESPACES if one.homework == "hw1_attention_scores" and "torch" not in one.source
]
"""Attacks that tests/authoring/whole/test_gradescope_rehearsal.py runs in a container, where it can make one."""
contained_without_namespaces = pytest.mark.parametrize(
    "attack",
    [one for one in WITHOUT_NAMESPACES if one not in REHEARSED or trouble_with_containers()],
    ids=lambda attack: attack.name,
)


@contained_without_namespaces
def test_attack_gains_nothing_without_namespaces(attack, no_namespaces, suites, secrets):
    attack_and_look(attack, no_namespaces, suites[attack.homework], secrets)
