import io

import pytest
from rich.console import Console
from wording import to_staff

from autograder.authoring.audit_seeds import SeedRun
from autograder.cli import audit as audit_module
from autograder.cli import progress as progress_module
from autograder.cli.audit import SEED_LINES, SeedProgress


@pytest.fixture
def progress_of(monkeypatch):
    """What these runs show on a plain stream, or on a terminal."""

    def progress_of(*runs, terminal=False):
        stream = io.StringIO()
        console = Console(file=stream, width=100, force_terminal=terminal, emoji=False, highlight=False)
        for module in (audit_module, progress_module):
            monkeypatch.setattr(module, "err", console)
        with SeedProgress(sum(run.seeds for run in runs)) as progress:
            for run in runs:
                progress.advance(run)
        return stream.getvalue()

    return progress_of


def test_a_plain_stream_gets_lines_with_what_is_done_and_what_failed(progress_of):
    runs = SeedRun("hwx", 4, seeds=2), SeedRun("hwy", 4, ("hwy: einsum fails",), seeds=1)
    assert progress_of(*runs).splitlines() == [
        to_staff["seed_progress.fresh-inputs-of-draws-false"],
        to_staff["seed_progress.fresh-inputs-of-draws-false-2"],
    ]


def test_many_runs_are_told_in_few_lines_the_last_with_all_of_them(progress_of):
    lines = progress_of(*[SeedRun("hwx", seeds=10)] * 600).splitlines()
    assert len(lines) == SEED_LINES
    assert lines[-1] == to_staff["seed_progress.fresh-inputs-of-draws-false-3"]


def test_a_terminal_gets_a_bar_and_no_lines(progress_of):
    assert "fresh inputs: " not in progress_of(SeedRun("hwx", seeds=1), terminal=True)


def test_nothing_to_do_shows_nothing(progress_of):
    assert progress_of() == ""
