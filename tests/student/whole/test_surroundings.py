"""Students' code runs with what is there where it is graded, and puts nothing else out of order."""

import json
import os
import random
import sys
import warnings
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from released import CHECK, HW1, PYTEST, run, unzip
from submissions import right_text
from wording import to_students

from autograder.student.find import find_work
from autograder.student.load import check_work

from ..conftest import opened

STUB = "attention_scores.py"
INSTALLED = "markdown_it"  # with the kit's own tests, and not with every grader
RIGHT = right_text(HW1, "einsum")


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    course_folder = unzip(HW1, tmp_path_factory.mktemp("released") / "my homework")
    (course_folder / "data.txt").write_text("1 2 3")
    (course_folder / "package").mkdir()
    (course_folder / "package" / "__init__.py").write_text("")
    return course_folder


def check(folder, first):
    (folder / STUB).write_text(f"{first}\n{RIGHT}", "utf-8")
    return check_work(public := opened(folder), find_work(public, folder))


@pytest.mark.parametrize(
    ("line", "entry"),
    [
        ("import pandas", "library"),
        ("import package", "package"),
        ("from conftest import x", "conftest"),
        ("open('data.txt')", "data"),
        ("open({folder!r} + '/data.txt')", "data-in-full"),
        ("import os; os.environ['PYTEST_CURRENT_TEST']", "environment"),
        ("import sys; sys.argv[1]", "argument"),
        ("input()", "keyboard"),
        ("import subprocess; subprocess.run(['true'])", "process"),
        ("import urllib.request as r; r.urlopen('http://example.org')", "network"),
    ],
)
def test_what_is_not_there_in_grading_is_told_and_the_functions_pass(folder, line, entry):
    report = check(folder, line.format(folder=str(folder)))
    assert report.passed
    assert report.notes == (to_students[f"surroundings.{entry}"].given(folder=str(folder)),)


@pytest.mark.parametrize(
    "line",
    [
        "import matplotlib.pyplot as plt; plt.plot([1, 2])",
        "import numpy.linalg, typing_extensions, unittest.mock",
        "open('made.txt', 'w').write('x'); assert open('made.txt').read() == 'x'",
        "open(__import__('os').__file__).read()",
        "import os; assert os.system('true') == -1",
        "import random; assert random.random() == 0.8444218515250481",
        "import numpy as np; assert np.random.rand() == 0.5488135039273248",
        "deep = lambda n: n and deep(n - 1); assert deep(2500) == 0",
        "import warnings; warnings.warn('careful')",
    ],
)
def test_what_grading_takes_is_taken(folder, line):
    report = check(folder, line)
    assert (report.passed, report.notes) == (True, ())


def test_a_function_that_needs_what_is_not_there_fails_with_the_words_of_grading(folder):
    text = RIGHT.replace("def softmax(x):", "def softmax(x):\n    import pandas", 1)
    (folder / STUB).write_text(text, "utf-8")
    report = check_work(public := opened(folder), find_work(public, folder))
    reason = next(module.reason for module in report.results if module.task == "softmax" and module.reason)
    assert reason == to_students["surroundings.library-in-a-function"]


@pytest.mark.parametrize(
    "line", ["import {0}", "from {0} import *", "import importlib; importlib.import_module('{0}')"]
)
def test_what_not_every_grader_has_is_refused_unless_the_course_names_it(folder, line):
    (folder / STUB).write_text(f"{line.format(INSTALLED)}\n{RIGHT}", "utf-8")
    public = opened(folder)
    naming = replace(public, homework=replace(public.homework, libraries=(INSTALLED,)))
    [note] = check_work(public, find_work(public, folder)).notes
    assert f"No module named '{INSTALLED}'" in note
    assert check_work(naming, find_work(naming, folder)).notes == ()  # it imports what it needs itself


def test_warnings_that_are_made_errors_stay_errors(folder):
    text = RIGHT.replace("def softmax(x):", "def softmax(x):\n    warnings.warn('careful')", 1)
    (folder / STUB).write_text(f"import warnings\nwarnings.simplefilter('error')\n{text}", "utf-8")
    report = check_work(public := opened(folder), find_work(public, folder))
    assert not report.passed


def test_the_process_is_as_before_afterwards(folder):
    def state():
        modules = {
            name: module for name, module in sys.modules.items() if name.partition(".")[0] == "wording"
        }
        settings = [*sys.path], [*sys.meta_path], sys.argv, sys.getrecursionlimit(), os.system, open
        return (dict(os.environ), modules, [*warnings.filters], random.getstate(), np.geterr(), *settings)

    before = state()
    lines = (
        "import wording", "import os, sys, random, warnings", "os.environ['A'] = 'b'", "sys.path.append('x')",
        "sys.setrecursionlimit(500)", "warnings.simplefilter('error')", "random.seed(3)",
    )  # fmt: skip
    check(folder, "\n".join(lines))
    assert state() == before
    assert Path(folder, STUB).read_text("utf-8").startswith("import wording")  # files are real again


def shorten(folder, **limits):
    """Let a released homework be checked once, and then with other limits."""
    run(CHECK, "check.py", cwd=folder)
    [about] = folder.glob("__pycache__/*/homework/homework.json")
    tree = json.loads(about.read_text("utf-8"))
    tree["homework"]["limits"] |= limits
    about.write_text(json.dumps(tree), "utf-8")


SWALLOWS = "while True:\n    try:\n        int(input())\n    except:\n        print('again')"
IN_C = "sum(range(10**12))"


@pytest.mark.parametrize("loop", ["while True: pass", SWALLOWS, "import time; time.sleep(600)"])
def test_an_endless_loop_is_cut_and_told(tmp_path, loop):
    folder = unzip(HW1, tmp_path / "hw1")
    shorten(folder, seconds=6)  # a busy machine cuts later, and still before this ends
    (folder / STUB).write_text(f"{loop}\n{RIGHT}", "utf-8")
    process = run(CHECK, "check.py", cwd=folder)
    assert (process.returncode, process.stderr) == (0, "")
    assert to_students["surroundings.endless"] in " ".join(process.stdout.split())


@pytest.mark.parametrize("program", [CHECK, PYTEST])
def test_a_loop_that_heeds_no_interruption_ends_the_check_with_its_line(tmp_path, program):
    folder = unzip(HW1, tmp_path / "hw1")
    shorten(folder, seconds=2)
    for text, line in ((f"{IN_C}\n{RIGHT}", 1), (f"def qk_scores(Q, K):\n    {IN_C}\n", 2)):
        (folder / STUB).write_text(text, "utf-8")
        process = run(program, *(["check.py"] if program == CHECK else []), cwd=folder)
        assert process.returncode == 1
        assert f'"/submission/{STUB}", line {line} in ' in process.stderr
        assert process.stderr.startswith("Timeout")
