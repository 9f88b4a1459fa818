"""Each known mistake of each homework costs as much on a student's machine as in grading, check by check."""

import pytest
from few_reasons import first_reasons
from homeworks import NINE
from submissions import mistaken

from ..mistakes_promised import broken_promises, losses_of, mistaken_texts, recorded_losses
from .test_hints import NUMPY


@pytest.mark.parametrize("homework_id", NINE)
def test_what_is_promised_of_each_mistake_is_what_grading_gives(homework_id, students, checked, judge_text):
    # Of these texts another test reads the hints.
    with_reasons = {*mistaken(homework_id).values()} if homework_id in NUMPY else set()
    recorded = recorded_losses(homework_id)
    broken = {}
    for name, text in mistaken_texts(homework_id).items():
        if text in with_reasons:
            report = checked(homework_id, text)
        else:
            with first_reasons(0):
                report = students.check(homework_id, text)
        # Nothing is graded a second time whose losses the audit compares with those recorded.
        losses = recorded.get(name)
        if losses is None:
            losses = losses_of(judge_text(homework_id, text))
        promises = broken_promises(report, losses)
        if promises:
            broken[name] = promises
    assert broken == {}
