"""Commands over whole courses seldom search for garbage, and leave everything as it was."""

import gc
import subprocess
import sys

import pytest

from autograder.batch.garbage import THRESHOLDS, rare_collections
from autograder.cli import app

OTHER_THRESHOLDS = (701, 11, 12)
"""Thresholds that nobody else sets: those of the tests' own process are the commands' already."""


@pytest.fixture
def other_thresholds():
    before = gc.get_threshold()
    gc.set_threshold(*OTHER_THRESHOLDS)
    yield
    gc.set_threshold(*before)


@pytest.mark.usefixtures("other_thresholds")
def test_thresholds_are_back_after_a_command_also_after_an_exception():
    with pytest.raises(ValueError, match="stop"), rare_collections():
        assert gc.get_threshold() == THRESHOLDS
        raise ValueError("stop")
    assert gc.get_threshold() == OTHER_THRESHOLDS


@pytest.mark.usefixtures("other_thresholds")
def test_each_command_runs_with_them_and_puts_the_old_ones_back(monkeypatch):
    seen = []
    monkeypatch.setattr(app, "app", lambda: seen.append(gc.get_threshold()))
    app.main()
    assert seen == [THRESHOLDS]
    assert gc.get_threshold() == OTHER_THRESHOLDS


def test_many_commands_in_one_process_leave_as_much_to_do_at_its_end_as_one():
    program = (
        "import gc\n"
        "gc.freeze = lambda: print('frozen')\n"
        "from autograder.cli import app\n"
        "app.app = lambda: None\n"
        "app.main()\n"
        "app.main()\n"
    )
    ended = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert ended.stdout.split() == ["frozen"]


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
