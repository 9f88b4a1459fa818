"""The options that people know from pytest, and the words of `python check.py`, on a released homework."""

import sys
from xml.etree import ElementTree

import pytest
from released import CHECK, HW1, PYTEST, limit, run, used
from submissions import mistaken_text
from terminal import Terminal
from wording import to_students

MISTAKEN = mistaken_text(HW1, "softmax-over-queries")
STUB = "attention_scores.py"
HEAD = "def softmax(x):\n"
ON_A_TERMINAL = [sys.executable, "-m", "pytest"]


@pytest.fixture
def folder(tmp_path):
    used(HW1, tmp_path)
    (tmp_path / STUB).write_text(MISTAKEN, "utf-8")
    return tmp_path


def with_lines(folder, *lines):
    assert HEAD in MISTAKEN
    text = MISTAKEN.replace(HEAD, HEAD + "".join(f"    {line}\n" for line in lines))
    (folder / STUB).write_text(text, "utf-8")


def check(folder, *words):
    return run(CHECK, "check.py", *words, cwd=folder, engine_of=HW1)


def pytest_says(folder, *options, status=1):
    process = run(PYTEST, *options, cwd=folder, engine_of=HW1)
    assert process.returncode == status, process.stdout + process.stderr
    return process.stdout


def test_a_selection_shows_the_reason_of_each_chosen_task(folder):
    output = pytest_says(folder, "-k", "softmax")
    assert "Attention scores, softmax: 0 of 4 public checks pass" in output
    assert to_students["screen.hint-how"] in output
    assert "qk_scores" not in output
    both = pytest_says(folder, "-k", "softmax or attention_flow")
    assert "\nsoftmax: Your weights are normalised" in both
    assert "\nattention_flow: Same reason as for" in both


def test_a_busy_machine_gets_more_time(folder):
    limit(folder, call_seconds=0.5)
    with_lines(folder, "import time; time.sleep(0 if x.size > 9 else 0.7)")
    cut = check(folder, "softmax")
    assert "did not finish in time" in cut.stdout
    longer = check(folder, "softmax", "--time", "8")
    assert "did not finish in time" not in longer.stdout
    assert check(folder, "--time", "0").returncode == 2


def test_a_selection_of_nothing_names_the_tasks(folder):
    output = pytest_says(folder, "-k", "sofmax", status=5)
    assert to_students["screen.did-you-mean-softmax"] in output


def test_verbose_lists_each_check_with_its_outcome(folder):
    output = pytest_says(folder, "-v")
    assert "check.py::qk_scores_sizes PASSED" in output
    assert "check.py::softmax_sizes FAILED" in output
    assert "7 failed, 8 passed" in output
    assert "autograder" not in output


def test_a_named_file_is_checked_and_not_imported(folder):
    top = "open('imported.txt', 'w').close()\n"
    (folder / STUB).write_text(f"{top}{MISTAKEN}", "utf-8")
    assert "8 of 15 public checks pass" in pytest_says(folder, STUB)
    assert not (folder / "imported.txt").exists()
    notebook = STUB.replace(".py", ".ipynb")
    assert "0 of 15 public checks pass" in pytest_says(folder, notebook)


def test_own_tests_in_a_named_file_are_run_as_well(folder):
    (folder / STUB).write_text(f"{MISTAKEN}\n\ndef test_mine():\n    assert 1 == 2\n", "utf-8")
    output = pytest_says(folder, STUB)
    assert "8 of 15 public checks pass" in output
    assert "assert 1 == 2" in output


def test_an_own_test_file_is_run_alone(folder):
    (folder / "test_mine.py").write_text("def test_mine():\n    assert True\n", "utf-8")
    assert "public checks pass" not in pytest_says(folder, "test_mine.py", status=0)


def test_single_checks_stopping_and_repeating(folder):
    output = pytest_says(folder, "check.py::softmax_sizes", "check.py::qk_scores_sizes")
    assert "Attention scores, qk_scores, softmax: 1 of 2" in " ".join(output.split())
    assert "attention_flow" not in pytest_says(folder, "-x")
    failed = pytest_says(folder, "--lf")  # one check of either run
    assert "Attention scores, softmax: 0 of 2 public checks pass" in failed
    assert len(pytest_says(folder, "--co", status=0).split("check.py::")) == 16


def test_reports_for_programs_hold_the_reasons(folder):
    pytest_says(folder, "--junitxml=all.xml", "--durations=3")
    cases = ElementTree.parse(folder / "all.xml").getroot().findall(".//testcase")
    failed = {case.get("name"): case.findtext("failure") for case in cases if len(case)}
    assert len(cases) == 15
    assert len(failed) == 7
    assert "Your weights are normalised" in (failed["softmax_sizes"] or "")


def test_workers_of_xdist_give_the_same_verdicts(folder):
    pytest.importorskip("xdist")
    program = "import pytest, sys; sys.exit(pytest.main(sys.argv[1:]))"
    process = run(program, "-p", "xdist", "-n2", "-v", cwd=folder)
    assert process.returncode == 1
    assert "7 failed, 8 passed" in process.stdout


def test_tracebacks_are_of_the_students_own_lines(folder):
    with_lines(folder, "1 / 0")
    output = pytest_says(folder, "--tb=short", "-k", "softmax_sizes")
    assert "ZeroDivisionError" in output
    assert "1 / 0" in output
    assert "autograder" not in output


def test_pdb_stops_in_the_line_that_raised_and_not_in_ours(folder):
    with_lines(folder, "marker = 6 * 7", "1 / 0")
    with Terminal([*ON_A_TERMINAL, "--pdb", "-x"], folder) as terminal:
        terminal.until("-> 1 / 0")
        terminal.until("(Pdb)")
        terminal.press("p marker\n")
        terminal.until("42")
        terminal.press("q\n")
        terminal.until("ZeroDivisionError")
    with_lines(folder, "pass")
    assert "Pdb" not in pytest_says(folder, "--pdb")


@pytest.mark.parametrize("command", [ON_A_TERMINAL, [*ON_A_TERMINAL, "-s"], [sys.executable, "check.py"]])
def test_a_breakpoint_stops_with_the_keyboard_and_quitting_ends_the_run(folder, command):
    with_lines(folder, "marker = 6 * 7", "breakpoint()")
    with Terminal(command, folder) as terminal:
        terminal.until("(Pdb)")
        terminal.press("p marker\n")
        terminal.until("42")
        terminal.press("q\n")
        assert terminal.process.wait(60) in (2, 130)


def test_a_breakpoint_that_nobody_sees_is_passed_over_as_in_grading(folder):
    with_lines(folder, "breakpoint()")
    assert "8 of 15 public checks pass" in check(folder).stdout


def test_prints_are_shown_below_the_call_and_move_no_cursor(folder):
    with_lines(folder, "print('shape', x.shape)", "print('\\x1b[2Jgone')", "print('x' * 10**6)", "print(4)")
    output = check(folder, "softmax").stdout
    assert "It printed: shape (3, 3)" in output
    assert "\\x1b[2Jgone" in output
    assert "\x1b" not in output
    assert max(map(len, output.splitlines())) < 80
    assert len(output.splitlines()) <= 22
    assert "shape (3, 3)" in pytest_says(folder, "-s")


def test_ctrl_c_ends_a_check_whatever_the_code_catches(folder):
    waits = "import time; print('here', file=open('/dev/tty', 'w')); time.sleep(5)"
    with_lines(folder, f"try: {waits}", "except BaseException: pass")
    with Terminal([sys.executable, "check.py"], folder) as terminal:
        terminal.until("here")
        terminal.press("\003")
        assert terminal.process.wait(60) == 130


@pytest.mark.parametrize(
    ("words", "status", "message"),
    [
        (["softmax"], 1, "softmax: 0 of 4 public checks pass"),
        (["qk_scores"], 0, to_students["screen.these-checks-pass"]),
        (["softmax", "qk_scores", "attention_scores.py"], 1, "qk_scores, softmax: 2 of 6"),
        (["attention_scores.ipynb"], 1, "0 of 15"),
        (["nowhere.py"], 1, "there is no nowhere.py"),
        (["--all"], 1, "\nattention_flow: Same reason as for"),
    ],
)
def test_words_choose_tasks_and_a_file(folder, words, status, message):
    process = check(folder, *words)
    assert process.returncode == status
    assert message in process.stdout


def test_an_unknown_task_is_answered_with_the_tasks(folder):
    process = check(folder, "sofmax")
    assert process.returncode == 2
    assert to_students["screen.did-you-mean-softmax"] in process.stderr
