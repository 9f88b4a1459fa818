"""Each known mistake of each homework costs as much on a student's machine as in grading, check by check."""

import pytest
from homeworks import NINE

from autograder.reasons.explain import Explainer

from ..mistakes_promised import broken_promises, losses_of, mistaken_texts, recorded_losses


@pytest.mark.parametrize("homework_id", NINE)
def test_what_is_promised_of_each_mistake_is_what_grading_gives(
    homework_id, students, judge_text, monkeypatch
):
    # Reasons cost most of the time, and no points.
    monkeypatch.setattr(Explainer, "reason", lambda explainer, compare, failed, failure: failure)
    recorded = recorded_losses(homework_id)
    broken = {}
    for name, text in mistaken_texts(homework_id).items():
        report = students.check(homework_id, text)
        # Nothing is graded a second time whose losses the audit compares with those recorded.
        losses = recorded.get(name)
        if losses is None:
            losses = losses_of(judge_text(homework_id, text))
        promises = broken_promises(report, losses)
        if promises:
            broken[name] = promises
    assert broken == {}
