"""The limit of time of a task: read from its metadata, released, part of what decides, and checked by its need."""

from types import SimpleNamespace

import pytest
from tiny import CHECKS_FILE, write_tiny
from wording import to_authors

from autograder.authoring.assignments import build_assignments
from autograder.authoring.reference import build_outputs
from autograder.authoring.release import homework_folder
from autograder.authoring.rules import Subject, _limits
from autograder.gradebook.fingerprint import fingerprint_graders
from autograder.grading.suite import prepare_suite
from autograder.sandbox.report import Answer
from autograder.sandbox.request import Limits
from autograder.student.find import find_work
from autograder.student.homework import open_homework
from autograder.student.load import check_work

STUB = "doubles.py"
SEED = 20270101
SLOW = """
import time

def totals(x):
    time.sleep(0.3)
    return x.sum(), x.prod()
"""


@pytest.fixture(scope="module")
def limited(tmp_path_factory, pool):
    """The tiny course, whose calls may take 0.2 s, those of one task longer; no test changes it for good."""
    tiny = write_tiny(tmp_path_factory.mktemp("course"))
    tiny.edit("homework.toml", "call_seconds = 2\n", "call_seconds = 0.2\n")
    tiny.edit("homework.toml", "points = 2.5\n", "points = 2.5\ncall_seconds = 5\n")
    tiny.edit(CHECKS_FILE, 'task="double", points=1)', 'task="double", points=1, public=True)')
    tiny.edit(CHECKS_FILE, 'task="totals", points=2.5)', 'task="totals", points=2.5, public=True)')
    build_outputs(tiny.course, tiny.homework, pool)
    build_assignments(tiny.course)
    return tiny


def test_it_holds_for_the_calls_of_its_task(limited, pool):
    suite = prepare_suite(limited.course, limited.homework, SEED, pool)
    assert suite.homework.limits == Limits(seconds=30, call_seconds=0.2, of_functions={"totals": 5})


def test_it_holds_at_home_as_well(limited, tmp_path):
    for name, content in homework_folder(limited.course, limited.homework).items():
        (tmp_path / name).write_bytes(content)
    (tmp_path / STUB).write_text(f"def double(x):\n    while True:\n        pass\n{SLOW}", "utf-8")
    public = open_homework(tmp_path)
    report = check_work(public, find_work(public, tmp_path))
    outcomes = {result.task: result.outcome.value for result in report.results}
    assert outcomes == {"double": "failed", "totals": "passed"}


def test_another_limit_has_everything_graded_again(limited):
    before = fingerprint_graders(limited.course, SEED, [])
    limited.edit("homework.toml", "call_seconds = 5\n", "call_seconds = 6\n")
    assert fingerprint_graders(limited.course, SEED, []) != before
    limited.edit("homework.toml", "call_seconds = 6\n", "call_seconds = 5\n")
    assert fingerprint_graders(limited.course, SEED, []) == before


@pytest.mark.parametrize(
    ("seconds", "entries"),
    [
        ({"double": 0.01, "totals": 1.0}, []),
        ({"double": 0.1, "totals": 1.0}, ["too-short"]),
        ({"double": 0.01, "totals": 0.01}, ["too-long"]),
    ],
)
def test_a_limit_that_does_not_fit_the_solution_is_told(limited, pool, seconds, entries):
    suite = prepare_suite(limited.course, limited.homework, SEED, pool)
    answers = {}
    for known in suite.known:
        answers[known.case.id] = Answer(value=1.0, seconds=seconds[known.case.task])
    fixtures = SimpleNamespace(submission=SimpleNamespace(answers=answers))
    found = list(_limits(Subject(limited.course, suite, fixtures)))
    assert [to_authors[f"limits.{entry}"] for entry in entries] == list(map(str, found))
    assert not any(finding.is_error for finding in found)
