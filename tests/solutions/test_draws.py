"""Cases are what students are promised: the draws of hw10's sample lie between 0 and 1."""

import numpy as np
import pytest
from submissions import find_course

from autograder.course.course_files import load_module

SEEDS = 20


@pytest.mark.parametrize("group", ["public", "hidden", "fresh"])
def test_draws_are_at_least_0_and_below_1(group):
    homework = find_course().homework("hw10")
    make_cases = getattr(load_module(homework.folder / "cases.py"), group)
    count = 0
    for seed in range(SEEDS):
        for case in make_cases(np.random.default_rng(seed)):
            if case.call.name != "sample":
                continue
            draws = case.call.args[2]
            assert (draws >= 0).all(), case.label
            assert (draws < 1).all(), case.label
            count += 1
    assert count >= SEEDS
