from __future__ import annotations

import io
from typing import Any

import pytest
from results import homework, ours, submission
from rich.console import Console
from wording import to_staff

from autograder.cli import progress as progress_module
from autograder.cli.progress import Progress, closing_table
from autograder.judging.results import SubmissionResult
from autograder.sandbox.report import Status, escaped

ADA = submission("ada", homework())
BOB = submission("bob", ours(), problems=("bob's file is odd",))
CYD = submission("cyd", fault="Traceback (most recent call last):\n  …\nZeroDivisionError: in the reader\n")
DAN = submission("dan")


@pytest.fixture
def console(monkeypatch: pytest.MonkeyPatch) -> Any:
    """What is shown on a plain stream, or on a terminal."""

    def console(terminal: bool = False) -> io.StringIO:
        stream = io.StringIO()
        shown = Console(file=stream, width=100, force_terminal=terminal, emoji=False, highlight=False)
        for name in ("out", "err"):
            monkeypatch.setattr(progress_module, name, shown)
        return stream

    return console


def advance(*results: SubmissionResult) -> None:
    with Progress(len(results)) as progress:
        for result in results:
            progress.advance(result)


def test_each_submission_is_one_line_with_status_and_points(console: Any) -> None:
    stream = console()
    advance(ADA, submission("eve", homework(status=Status.TIME_LIMIT), homework(homework="hwy")), DAN)
    assert [line.split() for line in stream.getvalue().splitlines()] == [
        ["ada", "graded", "1/5.5", "hwx"],
        ["eve", "time_limit", "1/5.5", "hwx", "1/5.5", "hwy"],
        ["dan", "not_submitted"],
    ]


def test_below_it_stands_what_a_teacher_should_know(console: Any) -> None:
    stream = console()
    advance(BOB, CYD)
    assert [line.rstrip() for line in stream.getvalue().splitlines()] == [
        "bob                      infrastructure_error –/5.5 hwx",
        "    bob's file is odd",
        to_staff["progress.sandbox-died-twice-secret"],
        "cyd                      infrastructure_error",
        "    ZeroDivisionError: in the reader",
    ]


def test_a_terminal_also_shows_a_bar_that_leaves_no_trace(console: Any) -> None:
    stream = console(terminal=True)
    advance(ADA, DAN)
    shown = stream.getvalue()
    assert "2/2" in shown
    assert "ada" in shown
    assert "\x1b[" in shown


def test_a_plain_stream_shows_no_bar(console: Any) -> None:
    stream = console()
    advance(ADA)
    assert "grading" not in stream.getvalue()
    assert "\x1b" not in stream.getvalue()


def test_the_table_has_a_column_per_homework_that_was_handed_in(console: Any) -> None:
    stream = console()
    closing_table([ADA, BOB, DAN], ["hwx", "hwy_more"])
    cells = [[c.strip() for c in line.split("│")[1:-1]] for line in stream.getvalue().splitlines()]
    assert [row for row in cells if row] == [
        ["ada", "graded", "1", "1"],
        ["bob", "infrastructure_error", "–", "–"],
        ["dan", "not_submitted", "", "0"],
    ]
    assert "hwy" not in stream.getvalue()
    assert stream.getvalue().splitlines()[-1] == "1 graded, 1 infrastructure_error, 1 not_submitted"


@pytest.mark.parametrize(
    ("name", "shown"),
    [
        ("ada", "ada"),
        ("Zoë Müller", "Zoë Müller"),
        ("a\nb", "a\\nb"),
        ("\x1b[2J", "\\x1b[2J"),
        ("a\u202eb", "a\\u202eb"),
        ("\udce9", "\\udce9"),
        ("[red]", "[red]"),
    ],
)
def test_a_name_can_neither_move_the_cursor_nor_break_the_line(name: str, shown: str, console: Any) -> None:
    assert escaped(name) == shown
    stream = console()
    advance(submission(name, homework()))
    closing_table([submission(name, homework())], ["hwx"])
    assert stream.getvalue().splitlines()[0].split("graded")[0].rstrip() == shown
    assert f"│ {shown}" in stream.getvalue()


# Large classes


def test_a_plain_stream_tells_rate_time_left_and_counts_now_and_then(
    console: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(progress_module, "EVERY", 2)
    clock = iter([100.0, 104.0, 108.0])
    monkeypatch.setattr(progress_module.time, "monotonic", lambda: next(clock))
    stream = console()
    with Progress(4) as progress:
        for result in (ADA, DAN, ADA, ADA):
            progress.advance(result)
    news = [line for line in stream.getvalue().splitlines() if " done, " in line]
    assert news == [
        "2 of 4 done, 0.5/s, about 4 s left: 1 graded, 1 not_submitted",
        "4 of 4 done, 0.5/s: 3 graded, 1 not_submitted",
    ]


def test_the_bar_counts_by_status(console: Any) -> None:
    stream = console(terminal=True)
    advance(ADA, DAN, ADA)
    assert "2 graded, 1 not_submitted" in stream.getvalue()


def test_of_a_large_class_only_what_is_not_graded_is_listed(
    console: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(progress_module, "MOST_ROWS", 3)
    stream = console()
    closing_table([ADA, BOB, DAN, ADA, ADA], ["hwx"])
    text = stream.getvalue()
    assert "ada" not in text
    assert "bob" in text
    assert "dan" in text
    assert text.splitlines()[-2:] == [
        to_staff["progress.more-are-in-the-files-below"],
        "3 graded, 1 infrastructure_error, 1 not_submitted",
    ]
