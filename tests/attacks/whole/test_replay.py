"""The replay of all breaks: its tests exist, and what opens a break again is told and ends it with 1."""

import ast
import os
import subprocess
import sys

import pytest

from ..replay import ANY, BOTH, BREAKS, ROOT, Break, Outcome, verdict

SECONDS = 120
NAMES = {entry.name for entry in BREAKS}
WITH_STUDENTS_CODE = {
    "page cache and clock, from hidden inputs to quoted words",
    "page cache and clock, from one homework to the next of a submission",
    "system calls that tell or drop pages",
    "a tuple of guesses",
    "the capstone without a Transformer",
    "drills that nobody can pass, or anybody",
    "the whole score matrix past the memory check",
    "a missing scale excused by weights of one's choice",
}
WITHOUT = {
    "quoting without end over many gradings",
    "one student's name as another's id",
    "names that are codes of anonymous marking",
    "a name whose hash begins like another's",
    "escape sequences in a terminal",
}
SHORTER = """
from autograder.feedback import rendering

whole = rendering.page_of
rendering.page_of = lambda name: whole(name)[:12]
"""
"""Names pages by 48 bits again."""
EXAMPLE = Break("example", ("tests/test_a.py::test_b",))


def replay(*names, **environment):
    return subprocess.run(
        [sys.executable, "-m", "tests.attacks.replay", *names],
        cwd=ROOT,
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        timeout=SECONDS,
        check=False,
    )


def test_every_break_has_an_entry_at_each_level_that_applies():
    assert {entry.name: tuple(entry.levels) for entry in BREAKS} == {
        **dict.fromkeys(WITH_STUDENTS_CODE, BOTH),
        **dict.fromkeys(WITHOUT, ANY),
    }
    assert len(BREAKS) == len(NAMES)


def test_security_md_names_every_break():
    text = (ROOT / "docs" / "security.md").read_text("utf-8")
    assert {name for name in NAMES if f"| {name} |" not in text} == set()


@pytest.mark.parametrize("entry", BREAKS, ids=lambda entry: entry.name)
def test_the_tests_of_a_break_exist(entry):
    assert entry.tests
    for test in entry.tests:
        file, _, name = test.partition("::")
        tree = ast.parse((ROOT / file).read_text("utf-8"))
        functions = [node.name for node in tree.body if isinstance(node, ast.FunctionDef)]
        assert (name in functions) if name else any(each.startswith("test_") for each in functions)


def test_a_break_that_is_open_again_is_told_with_what_it_gains(tmp_path):
    name = "a name whose hash begins like another's"
    held = replay(name)
    assert (held.returncode, held.stdout.split()[-3:]) == (0, ["held", "(1", "tests)"]), held.stderr

    (tmp_path / "open_again.py").write_text(SHORTER, "utf-8")
    broken = replay(name, PYTHONPATH=str(tmp_path), PYTEST_ADDOPTS="-p open_again")
    assert broken.returncode == 1
    [line] = broken.stdout.splitlines()
    assert line.startswith(name)
    assert "BROKEN: AssertionError: assert ['ada" in line
    assert "test_no_submission_takes_the_page_of_another_whose_hash_begins_alike" in line


@pytest.mark.parametrize(
    ("outcomes", "outcome"),
    [
        ([Outcome("tests/test_a.py::test_b[1]", passed=True)], "held (1 tests)"),
        ([], "NOT TRIED: no test tests/test_a.py::test_b"),
        ([Outcome("tests/test_a.py::test_bc", passed=True)], "NOT TRIED: no test tests/test_a.py::test_b"),
        (
            [
                Outcome("tests/test_a.py::test_b[1]", passed=True),
                Outcome("tests/test_a.py::test_b[2]", untried="no bubblewrap"),
            ],
            "NOT TRIED: no bubblewrap",
        ),
        (
            [
                Outcome("tests/test_a.py::test_b[1]", untried="no bubblewrap"),
                Outcome("tests/test_a.py::test_b[2]", gained="5 numbers"),
            ],
            "BROKEN: 5 numbers (test_b[2])",
        ),
    ],
)
def test_only_a_break_whose_tests_have_all_passed_has_held(outcomes, outcome):
    assert verdict(EXAMPLE, outcomes) == outcome


def test_a_name_that_is_no_break_is_wrong_usage():
    assert replay("no such break").returncode != 0
