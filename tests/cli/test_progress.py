"""What a command prints while a class is graded, and in the end."""

import contextlib
import io
import os
import pty
import re
import subprocess
import sys
from pathlib import Path

import pytest
from results import homework_grade as homework
from results import our_fault as ours
from results import submission_grade as submission
from rich.cells import cell_len
from rich.console import Console
from wording import to_staff

from autograder.authoring.audit_seeds import SeedRun
from autograder.cli import audit as audit_module
from autograder.cli import console as console_module
from autograder.cli import progress as progress_module
from autograder.cli.audit import SEED_LINES, SeedProgress
from autograder.cli.progress import GradingProgress, closing_table, reading
from autograder.grading.patience import KEPT_WAITING
from autograder.intake.submission import Submission
from autograder.report.exports import GradeRow
from autograder.sandbox.report import Status
from autograder.untrusted_text import for_screen

ADA = submission("ada", homework())
BOB = submission("bob", ours(), problems=("bob's file is odd",))
CYD = submission("cyd", fault="Traceback (most recent call last):\n  …\nZeroDivisionError: in the reader\n")
DAN = submission("dan")


@pytest.fixture
def console(monkeypatch):
    """What is shown on a plain stream, or on a terminal."""

    def console(terminal=False, width=100):
        stream = io.StringIO()
        console_of_stream = Console(
            file=stream, width=width, force_terminal=terminal, emoji=False, highlight=False
        )
        for module in (console_module, progress_module):
            monkeypatch.setattr(module, "out", console_of_stream)
            monkeypatch.setattr(module, "err", console_of_stream)
        return stream

    return console


def on_terminal(surroundings):
    """What a terminal of 80 columns receives when two are graded in these surroundings."""
    program = (
        "from cli.test_progress import ADA, DAN, GradingProgress\n"
        "with GradingProgress(2, 2) as progress:\n    progress.advance(ADA)\n    progress.advance(DAN)"
    )
    mine, its = pty.openpty()
    keep = {
        name: value for name, value in os.environ.items() if name not in ("CI", "NO_COLOR", "FORCE_COLOR")
    }
    environment = {
        **keep,
        "TERM": "xterm",
        "COLUMNS": "80",
        "PYTHONPATH": os.pathsep.join(sys.path),
        **surroundings,
    }
    result = subprocess.run(
        [sys.executable, "-c", program], stdin=its, stdout=its, stderr=its, env=environment, check=False
    )
    os.close(its)
    received = b""
    with contextlib.suppress(OSError), open(mine, "rb", buffering=0) as terminal:
        while chunk := terminal.read(65536):
            received += chunk
    assert result.returncode == 0, received
    return received.decode().replace("\r\n", "\n")


def _rows(stream):
    return re.split(r"\r|\n", re.sub(r"\x1b\[[0-9;?]*[a-zA-Z]", "", stream.getvalue()))


def frames_of(stream):
    """The bar, each time it was drawn."""
    return [row.rstrip() for row in _rows(stream) if "━" in row]


def above(stream):
    """What was printed above the bar."""
    return [row.rstrip() for row in _rows(stream) if row.strip() and "━" not in row]


def advance(*results, verbose=False):
    with GradingProgress(len(results), 2, verbose) as progress:
        for result in results:
            progress.advance(result)


def test_each_submission_is_one_line_with_status_and_points(console):
    stream = console()
    advance(ADA, submission("eve", homework(status=Status.TIME_LIMIT), homework(homework="hwy")), DAN)
    assert [line.split() for line in stream.getvalue().splitlines()] == [
        ["ada", "graded", "1/5.5", "hwx"],
        ["eve", "time_limit", "1/5.5", "hwx", "1/5.5", "hwy"],
        ["dan", "not_submitted"],
    ]


def test_a_submission_that_a_busy_machine_may_have_cost_points_says_so(console):
    stream = console()
    advance(submission("eve", homework(status=Status.TIME_LIMIT, detail=KEPT_WAITING)))
    assert "or the machine that graded it was busy" in " ".join(stream.getvalue().split())
    advance(submission("fay", homework(status=Status.TIME_LIMIT, detail="stopped after 12 s")))
    assert "stopped after" not in stream.getvalue()


def test_below_it_stands_what_a_teacher_should_know(console):
    stream = console()
    advance(BOB, CYD)
    assert [line.rstrip() for line in stream.getvalue().splitlines()] == [
        "bob                      infrastructure_error –/5.5 hwx",
        "    bob's file is odd",
        to_staff["progress.sandbox-died-twice-secret"],
        "cyd                      infrastructure_error",
        "    ZeroDivisionError: in the reader",
    ]


@pytest.mark.parametrize("width", [40, 80, 200])
def test_a_terminal_shows_a_bar_that_leaves_no_trace(console, width):
    stream = console(terminal=True, width=width)
    advance(ADA, submission("eve", homework()))
    frames = frames_of(stream)
    assert frames[0].startswith("starting 2 workers ")
    assert re.search(r" 0/2 +-:--:", frames[0])
    assert frames[-1].startswith("grading ")
    assert " 2/2 " in frames[-1]
    assert {cell_len(frame) for frame in frames} <= set(range(30, width + 1))
    assert above(stream) == []


def test_above_the_bar_stand_only_problems_unless_everything_is_wanted(console):
    stream = console(terminal=True)
    advance(ADA, BOB, DAN)
    assert above(stream) == [
        "bob                      infrastructure_error –/5.5 hwx",
        "    bob's file is odd",
        "    the sandbox died twice: secret",
        "dan                      not_submitted",
    ]
    assert frames_of(stream)[-1].endswith(" 2 with problems")
    stream = console(terminal=True)
    advance(ADA, DAN, verbose=True)
    assert [line.split()[0] for line in above(stream)] == ["ada", "dan"]


@pytest.mark.parametrize(
    ("name", "shown_name"),
    [
        ("ada" * 20, "ada" * 7 + "ad…"),
        ("王小明" * 20, "王小明" * 3 + "王小 …"),
        ("e\u0301" * 30, "e\u0301" * 23 + "…"),
    ],
)
def test_on_a_terminal_names_and_lines_are_cut_to_fit_cells(console, name, shown_name):
    stream = console(terminal=True, width=80)
    many = [homework(homework=f"hw{number}_x", status=Status.CRASHED) for number in range(9)]
    advance(submission(name, *many, problems=("much " * 30,)))
    lines = above(stream)
    assert lines[0].startswith(f"{shown_name} crashed")
    assert lines[0].endswith("…")
    assert max(map(cell_len, lines)) <= 80
    assert all(line.startswith("    much") for line in lines[1:])


def test_on_a_narrow_terminal_the_name_makes_room_for_the_points(console):
    stream = console(terminal=True, width=40)
    advance(submission("ada" * 20, homework(status=Status.CRASHED)))
    assert [line.split() for line in above(stream)] == [["adaadaa…", "crashed", "1/5.5", "hwx"]]


@pytest.mark.parametrize("surroundings", [{"TERM": "dumb"}, {"CI": "true"}])
def test_a_terminal_that_nobody_watches_gets_plain_lines(surroundings):
    output = on_terminal(surroundings)
    assert "\x1b[?25l" not in output
    plain = re.sub(r"\x1b\[[0-9;]*m", "", output)
    assert [line.split()[:2] for line in plain.splitlines()] == [["ada", "graded"], ["dan", "not_submitted"]]


def test_colours_that_are_forced_into_a_pipe_bring_no_bar(monkeypatch):
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.setattr(sys, "stderr", io.StringIO())
    console = console_module._console(stderr=True)
    assert (console.is_terminal, console.is_interactive) == (True, False)


def test_without_colours_the_bar_is_there_all_the_same():
    output = on_terminal({"NO_COLOR": "1"})
    assert "\x1b[?25l" in output
    assert not re.search(r"\x1b\[[0-9;]*3[0-9]m", output)


def test_a_plain_stream_shows_no_bar(console):
    stream = console()
    advance(ADA)
    assert "grading" not in stream.getvalue()
    assert "\x1b" not in stream.getvalue()


def table(results):
    closing_table(list(map(GradeRow.of, results)))


def test_the_table_has_a_column_per_homework_that_was_handed_in(console):
    stream = console()
    table([ADA, BOB, DAN])
    assert [line.split() for line in stream.getvalue().splitlines()] == [
        ["submission", "status", "hwx", "total"],
        ["ada", "graded", "1", "1"],
        ["bob", "infrastructure_error", "–", "–"],
        ["dan", "not_submitted", "0"],
        [],
        ["homework", "submissions", "mean", "median", "out", "of"],
        ["hwx", "1", "1.0", "1", "5.5"],
        [],
        ["1", "graded,", "1", "infrastructure_error,", "1", "not_submitted"],
    ]
    assert "hwy" not in stream.getvalue()


def test_points_beyond_the_maximum_are_explained(console):
    stream = console()
    grades = [
        GradeRow("ada", Status.GRADED, {"hwx_doubles": (23.0, 20.0)}, 23.0),
        GradeRow("bob", Status.GRADED, {"hwx_doubles": (20.0, 20.0), "hwy_more": (1.0, 2.0)}, 21.0),
    ]
    closing_table(grades)
    [line] = [line for line in stream.getvalue().splitlines() if "bonus" in line]
    assert line == to_staff["progress.bonus-points-count-beyond"]


@pytest.mark.parametrize(
    ("name", "shown_name"),
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
def test_a_name_can_neither_move_the_cursor_nor_break_the_line(name, shown_name, console):
    assert for_screen(name) == shown_name
    stream = console()
    advance(submission(name, homework()))
    table([submission(name, homework())])
    assert stream.getvalue().splitlines()[0].split("graded")[0].rstrip() == shown_name
    assert f"\n{shown_name} " in stream.getvalue()


# Large classes


def test_a_plain_stream_tells_rate_time_left_and_counts_now_and_then(console, monkeypatch):
    monkeypatch.setattr(progress_module, "EVERY", 2)
    stream = console()
    seconds = 100.0
    monkeypatch.setattr(progress_module.err, "get_time", lambda: seconds)
    with GradingProgress(4, 2) as progress:
        for result in (ADA, DAN, ADA, ADA):
            progress.advance(result)
            seconds += 2
    news = [line for line in stream.getvalue().splitlines() if " done, " in line]
    assert news == [
        "2 of 4 done, 0.5/s, about 4 s left: 1 graded, 1 not_submitted",
        "4 of 4 done, 0.5/s: 3 graded, 1 not_submitted",
    ]


def test_the_table_of_six_homeworks_fits_80_columns(console):
    stream = console(terminal=True, width=80)
    scored = [homework(homework=f"hw{number}_x", final=19.25, points=20.0) for number in range(1, 7)]
    table([submission("ada-with-a-long-name-and-another" * 3, *scored), CYD, DAN])
    lines = [line.rstrip() for line in _rows(stream)]
    assert max(map(cell_len, lines)) <= 80
    assert [line.split()[-7:] for line in lines if line.startswith("ada-with-a-")] == [
        ["19.25"] * 6 + ["115.5"]
    ]


@pytest.mark.parametrize("points", [(4.0, 1.0, 4.0), (4.0, 4.0, 1.0, 1.0)])
def test_mean_and_median_are_of_those_who_have_points(console, points):
    stream = console()
    graded = [submission(f"s{number}", homework(final=final)) for number, final in enumerate(points)]
    table([*graded, BOB, DAN])
    [row] = [line.split() for line in stream.getvalue().splitlines() if line.startswith("hwx")]
    mean, middle = sum(points) / len(points), {3: "4", 4: "2.5"}[len(points)]
    assert row == ["hwx", str(len(points)), f"{mean:.1f}", middle, "5.5"]


def test_of_a_large_class_only_what_is_not_graded_is_listed(console):
    stream = console()
    table([ADA, BOB, *[DAN] * 22, ADA])
    rows = [line.split() for line in stream.getvalue().splitlines()]
    assert [row[0] for row in rows[:21]] == ["submission", "bob", *["dan"] * 19]
    assert " ".join(rows[21]) == to_staff["progress.more-are-in-the-files-below"]


def test_thousands_are_counted_as_read_where_somebody_waits(console):
    plain, live = console(), console(terminal=True)
    entries = [Submission(f"s{number}", Path(f"s{number}")) for number in range(1200)]
    assert list(reading(entries)) == entries
    assert plain.getvalue() == ""
    assert "reading 1,200 submissions" in live.getvalue()
    assert above(live) == []
    plain = console()
    assert list(reading(entries)) == entries
    assert list(reading(entries[:5])) == entries[:5]
    assert plain.getvalue() == "reading 1,200 submissions\n"


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
