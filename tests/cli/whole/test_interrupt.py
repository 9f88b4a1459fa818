"""A command that is stopped, by Ctrl-C or by a kill: what is finished stays, and the same command goes on."""

import signal
import subprocess
import sys
from subprocess import PIPE

import pytest
from tiny import SOLUTION
from wording import to_staff

from benchmarks.kills import try_kills

from ..running import grade, run, totals

SECONDS = 120  # far more than any run takes; only so that a hanging one fails
PROGRAM = """
import signal
signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell's background job ignores Ctrl-C
from autograder.cli.app import main
main()
"""
SLOW = f"import time\ntime.sleep(0.5)\n{SOLUTION}"
CLASS = [f"student-{number}" for number in range(5)]


def start(kit):
    command = [sys.executable, "-c", PROGRAM, "grade", "class", "--out", "graded", "--jobs", "1", "--unsafe"]
    return subprocess.Popen(
        command, cwd=kit.root, stdout=PIPE, stderr=PIPE, text=True, start_new_session=True
    )


def until_the_first_is_graded(process):
    assert process.stderr is not None
    return next((line for line in process.stderr if line.startswith("student-")), "")


@pytest.fixture
def interrupted(kit):
    """Interrupt the grading of a slow class after its first submission; exit status and last words."""
    for name in CLASS:
        kit.submit(name, SLOW)
    process = start(kit)
    try:
        first = until_the_first_is_graded(process)
        process.send_signal(signal.SIGINT)
        _, err = process.communicate(timeout=SECONDS)
    finally:
        process.kill()
    assert "graded" in first
    return process.returncode, err


def test_finished_grades_stay_and_the_same_command_finishes_the_rest(kit, interrupted):
    status, output = interrupted
    assert status == 130
    assert to_staff["interrupt.note-stopped-every-finished"] in output
    assert f"{len(list((kit.out / 'submissions').iterdir()))} of 5 submissions graded" in output
    assert [path.name for path in kit.out.iterdir() if "sqlite-" in path.name] == []
    assert "Traceback" not in output
    assert to_staff["interrupt.note-finishing-what-is-under"] in output
    names = [path.name for path in (kit.out / "submissions").iterdir()]
    assert 1 <= len(names) < len(CLASS)
    assert totals(kit.out) == dict.fromkeys(sorted(names), "5.5")

    _, err = (again := start(kit)).communicate(timeout=SECONDS)
    assert again.returncode == 0
    assert f"note: {len(names)} of {len(CLASS)} already graded" in err
    graded = [line.split()[0] for line in err.splitlines() if line.startswith("student-")]
    assert sorted([*names, *graded]) == CLASS
    assert totals(kit.out) == dict.fromkeys(CLASS, "5.5")


def test_a_kill_loses_nothing_and_every_command_says_how_far_it_came(kit):
    before = kit.root / "before" / "zoe"
    before.mkdir(parents=True)
    (before / "doubles.py").write_text(SOLUTION, "utf-8")
    assert grade(before.parent, "--out", kit.out).exit == 0
    for name in CLASS:
        kit.submit(name, SLOW)
    process = start(kit)
    try:
        until_the_first_is_graded(process)
    finally:
        process.kill()
        process.communicate()
    message = run("report", kit.out).err
    names = sorted(totals(kit.out).keys() - {"zoe"})
    assert f"{len(names)} of 5 submissions graded, then stopped" in message
    assert 1 <= len(names) < len(CLASS)
    assert totals(kit.out) == dict.fromkeys((*names, "zoe"), "5.5")
    assert f"{len(names)} of 5" in (kit.out / "report.html").read_text("utf-8")
    assert [path.name for path in kit.out.iterdir() if "sqlite-" in path.name] == []
    assert grade("class", "--out", kit.out).exit == 0
    assert totals(kit.out) == dict.fromkeys((*CLASS, "zoe"), "5.5")
    assert "then stopped" not in run("report", kit.out).err


def test_a_second_ctrl_c_ends_at_once_and_what_was_finished_stays(kit):
    kit.submit("student-0")
    kit.submit("student-1", f"import time\ntime.sleep(30)\n{SOLUTION}")
    process = start(kit)
    try:
        until_the_first_is_graded(process)
        process.send_signal(signal.SIGINT)
        assert process.stderr is not None
        next(line for line in process.stderr if "finishing what is under way" in line)
        process.send_signal(signal.SIGINT)
        _, err = process.communicate(timeout=SECONDS)
    finally:
        process.kill()
    assert process.returncode == 130
    assert to_staff["interrupt.note-stopped-every-finished"] not in err, "it did not wait for the other"
    assert to_staff["interrupt.stopped-at-once"] in err
    kit.submit("student-1")
    _, again = (process := start(kit)).communicate(timeout=SECONDS)
    assert process.returncode == 0
    assert to_staff["interrupt.note-of-already-graded"] in again
    assert totals(kit.out) == {"student-0": "5.5", "student-1": "5.5"}


@pytest.mark.skipif(sys.platform != "linux", reason="worker processes end with their driver on Linux")
def test_a_class_survives_kills_of_its_driver(tmp_path):
    killed, differences = try_kills(tmp_path, kills=2, submissions=42)
    assert killed >= 1, "no kill came while a class was graded"
    assert differences == []
