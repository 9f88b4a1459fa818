"""Each known mistake of each homework costs as much on a student's machine as in grading, check by check."""

import pytest
from homeworks import NINE

from autograder.reasons.explain import Explainer

from ..mistakes_promised import broken_promises, mistaken_texts


@pytest.mark.parametrize("homework_id", NINE)
def test_what_is_promised_of_each_mistake_is_what_grading_gives(
    homework_id, students, judge_text, monkeypatch
):
    # Reasons cost most of the time, and no points.
    monkeypatch.setattr(Explainer, "reason", lambda explainer, compare, failed, failure: failure)
    broken = {}
    for name, text in mistaken_texts(homework_id).items():
        report = students.check(homework_id, text)
        promises = broken_promises(report, judge_text(homework_id, text))
        if promises:
            broken[name] = promises
    assert broken == {}
