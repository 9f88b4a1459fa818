"""Commands over whole courses seldom search for garbage, and leave everything as it was."""

import gc
import subprocess
import sys

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


def test_nothing_is_searched_for_garbage_when_a_command_ends():
    program = (
        "import atexit, gc, sys\n"
        # Registered first, so it runs last.
        "atexit.register(lambda: print(len(gc.get_objects())))\n"
        "from autograder.cli.app import main\n"
        "sys.argv = ['autograder', '--version']\n"
        "main()\n"
    )
    ended = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    *_, searched = ended.stdout.split()
    assert int(searched) < 100
