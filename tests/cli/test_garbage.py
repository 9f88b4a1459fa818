"""Commands over whole courses seldom search for garbage, and leave everything as it was."""

import gc

import pytest

from autograder.batch.garbage import THRESHOLDS, rare_collections
from autograder.cli import app


def test_thresholds_are_back_after_a_command_also_after_an_exception():
    before = gc.get_threshold()
    with pytest.raises(ValueError, match="stop"), rare_collections():
        assert gc.get_threshold() == THRESHOLDS
        raise ValueError("stop")
    assert gc.get_threshold() == before


def test_each_command_runs_with_them(monkeypatch):
    seen = []
    monkeypatch.setattr(app, "app", lambda: seen.append(gc.get_threshold()))
    app.main()
    assert seen == [THRESHOLDS]
