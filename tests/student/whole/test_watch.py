"""Watch mode on a terminal: saves, keys, hints, and what student code may do to it."""

import os
import shutil
import signal
import subprocess
import sys
import threading
import time

import pytest
from released import HW1, used
from submissions import mistaken_text, right_text
from terminal import Terminal
from wording import to_students

from autograder.student.watch import Files

MISTAKEN = mistaken_text(HW1, "softmax-over-queries")
RIGHT = right_text(HW1, "einsum")
SOME, ALL = "Attention scores: 8 of 15", "Attention scores: 15 of 15"
TIMES_PRESSED, SECONDS_BETWEEN = 6, 10
SECONDS_FOR_A_TABLE = 120
WATCH = [sys.executable, "check.py", "--watch"]
KEYS = to_students["screen.keys"]


@pytest.fixture
def folder(tmp_path):
    used(HW1, tmp_path)
    save(tmp_path, MISTAKEN)
    return tmp_path


@pytest.fixture
def watching(folder):
    with Terminal(WATCH, folder) as terminal:
        terminal.until(KEYS)
        terminal.until(SOME)
        terminal.until(KEYS)
        yield terminal


def save(folder, text):
    (folder / "attention_scores.py").write_text(text, "utf-8")


def in_softmax(lines):
    """The mistaken work with more lines at the beginning of one function."""
    head = "def softmax(x):\n"
    assert head in MISTAKEN
    return MISTAKEN.replace(head, head + "".join(f"    {line}\n" for line in lines.splitlines()))


def test_each_save_shows_the_table_and_what_changed(watching, folder):
    save(folder, RIGHT)
    watching.until(ALL)
    watching.until(to_students["screen.seven-more"])
    save(folder, MISTAKEN)
    assert "running" in watching.until(SOME)
    watching.until(to_students["screen.lost"])


def test_hints_come_in_three_steps(watching, folder):
    watching.press("r")
    first = watching.until(to_students["screen.hint-nothing"])
    assert to_students["screen.hint-what"] not in first
    watching.press("h")
    watching.until(to_students["screen.hint-what"])
    watching.press("h")
    assert to_students["screen.hint-what"] in watching.until(to_students["screen.hint-where"])
    watching.press("h")
    watching.until(to_students["screen.hint-how"])
    watching.press("h")
    watching.until(to_students["screen.hint-nothing"])


def test_keys_show_all_tasks_and_quit(watching):
    watching.press("a")
    watching.until("attention_flow: ")
    watching.until(KEYS)
    watching.press("\033[A")  # an arrow, whose last letter is no key
    watching.press("a")
    assert "attention_flow: 0 of" in watching.until(KEYS)
    watching.press("q")
    watching.until("stopped watching")
    assert watching.ended() == 0


@pytest.mark.parametrize(("number", "status"), [(signal.SIGINT, 0), (signal.SIGTERM, 143)])
def test_the_terminal_is_restored_when_it_is_ended(watching, number, status):
    # Python drops an exception that a signal raises within a destructor: people then press the keys again.
    for _ in range(TIMES_PRESSED):
        watching.process.send_signal(number)
        if watching.ends_within(SECONDS_BETWEEN):
            break
    assert watching.ended() == status


def test_it_stops_and_goes_on_as_the_shell_says(folder):
    with Terminal(["sh", "-im"], folder) as shell:
        shell.press(" ".join(WATCH) + "\n")
        shell.until(SOME)
        shell.until(KEYS)
        shell.press("\032")
        shell.press("stty -a; echo en''d\n")
        assert " -icanon" not in shell.until("end")
        shell.press("fg\n")
        shell.until(SOME)
        shell.press("q")
        shell.until("stopped watching")


def test_another_size_of_the_window_is_drawn_anew(watching):
    watching.resize(30, 70)
    watching.process.send_signal(signal.SIGWINCH)
    assert all(len(line) < 90 for line in watching.until(SOME).splitlines())


def test_a_save_by_another_file_s_name_is_seen_and_the_moment_between_is_not(watching, folder):
    shutil.move(folder / "attention_scores.py", folder / "backup.txt")
    (folder / "new.txt").write_text(RIGHT, "utf-8")
    (folder / "new.txt").replace(folder / "attention_scores.py")
    assert "missing" not in watching.until(ALL)


def test_a_file_that_is_deleted_and_comes_back(watching, folder):
    (folder / "attention_scores.py").unlink()
    watching.until("not written yet")
    save(folder, RIGHT)
    watching.until(ALL)


def test_a_hanging_check_is_given_up_for_the_next_save(watching, folder):
    save(folder, in_softmax("import signal\nsignal.setitimer(signal.ITIMER_REAL, 0)\nwhile True: pass"))
    watching.until("running")
    time.sleep(1.5)  # so that it is given up
    save(folder, RIGHT)
    watching.until(ALL)


@pytest.mark.parametrize(
    "lines",
    [
        "print('noise')\nimport sys; print('noise', file=sys.stderr); sys.stdout.flush()",
        "import threading; threading.Timer(0.2, lambda: print('noise')).start()",
        "import threading, time; threading.Thread(target=time.sleep, args=(99,)).start()",
        "import sys; sys.exit(3)",
        "input('noise')",
        "breakpoint()",
    ],
)
def test_what_the_code_does_stays_in_its_own_process(watching, folder, lines):
    save(folder, in_softmax(lines))
    watching.until("running")
    watching.until(SOME)
    time.sleep(0.5)
    save(folder, RIGHT)
    output = watching.until(ALL)
    assert "\nnoise" not in output
    watching.press("q")
    assert watching.ended() == 0


def test_code_that_ends_its_process_is_told_and_the_next_save_is_checked(watching, folder):
    save(folder, in_softmax("import os, signal; os.kill(os.getpid(), signal.SIGKILL)"))
    watching.until(to_students["screen.no-answer"])
    save(folder, RIGHT)
    watching.until(ALL)


def test_without_a_terminal_each_table_tells_the_reason(folder):
    with subprocess.Popen(
        WATCH, cwd=folder, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True, encoding="utf-8",
        env={**os.environ, "PYTHONIOENCODING": "utf-8"},
    ) as process:  # fmt: skip
        # Where a line never comes, the test fails, and does not wait for ever.
        end = threading.Timer(SECONDS_FOR_A_TABLE, process.kill)
        end.start()
        lines = iter(process.stdout.readline, "")
        assert any(to_students["screen.hint-how"] in line for line in lines)
        save(folder, RIGHT)
        assert any(to_students["screen.seven-more"] in line for line in lines)
        end.cancel()
        process.kill()


@pytest.fixture
def files(folder):
    files = Files(folder)
    assert files.changed()
    assert not files.changed()
    return files


@pytest.mark.parametrize(
    ("act", "is_change"),
    [
        (lambda path: path.write_text("x = 1\n"), True),
        (lambda path: os.utime(path, (1, 1)), False),
        (lambda path: path.write_bytes(path.read_bytes()), False),
        (lambda path: path.write_bytes(b""), False),
        (lambda path: path.unlink(), False),
        (lambda path: (path.parent / "notes.txt").write_text("x"), False),
        (lambda path: (path.parent / "helper.py").write_text("x = 1"), True),
        (lambda path: shutil.rmtree(path.parent), False),
    ],
)
def test_only_another_text_of_an_own_file_is_a_change(files, folder, act, is_change):
    act(folder / "attention_scores.py")
    assert files.changed() is is_change
    assert not files.changed()


def test_two_saves_within_one_tick_of_the_clock_are_two(files, folder):
    path = folder / "attention_scores.py"
    stamp = time.time_ns()
    for number in (1, 2):
        path.write_text(f"x = {number}\n")
        os.utime(path, ns=(stamp, stamp))
        assert files.changed()
