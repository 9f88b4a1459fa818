"""A released homework as a student uses it, to the zip that is handed in, whatever else is in the folder."""

import json
import os
import random
import shutil
import sys
import warnings
import zipfile
from ast import literal_eval
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from released import (
    CHECK,
    FENCE,
    HW1,
    HW4,
    PYTEST,
    compiled,
    limit,
    released,
    run,
    unzip,
    used,
)
from submissions import mistaken_text, right_text
from wording import to_students

from autograder.authoring.release import course_folder
from autograder.intake.files import read_files
from autograder.intake.matching import HomeworkProfile, match
from autograder.student.bootstrap import ARCHIVE
from autograder.student.find import find_work
from autograder.student.homework import open_homework
from autograder.student.load import check_work
from autograder.student.pack import NotGraded
from autograder.student.pack import pack as make_zip

SOFTMAX_OVER_QUERIES = mistaken_text(HW1, "softmax-over-queries")
RIGHT = right_text(HW1, "einsum")
STUB = "attention_scores.py"


@pytest.fixture
def folder(tmp_path):
    """A folder whose name has a blank and letters that are not ASCII, after a first check."""
    return used(HW1, tmp_path / "Übung 1 Ωmega")


@pytest.fixture
def fresh(tmp_path):
    """The same, and nothing was checked yet."""
    return unzip(HW1, tmp_path / "Übung 1 Ωmega")


def test_the_untouched_stub_is_told_to_start_and_not_that_it_is_wrong(fresh):
    process = run(PYTEST, cwd=fresh)
    assert process.returncode == 1
    assert to_students["released_folder.public-checks-pass"] in process.stdout
    assert to_students["released_folder.next-qk_scores"] in process.stdout
    assert "✗" not in process.stdout


def test_plain_pytest_shows_the_table_the_hint_and_no_traceback(folder):
    (folder / STUB).write_text(SOFTMAX_OVER_QUERIES, "utf-8")
    process = run(PYTEST, cwd=folder)
    assert process.returncode == 1
    assert to_students["released_folder.public-checks-pass-of-points"] in process.stdout
    assert to_students["released_folder.first-thing-to-fix-softmax"] in process.stdout
    assert len(process.stdout.strip().splitlines()) <= 24
    assert "Traceback" not in process.stdout + process.stderr
    assert "FAILED" not in process.stdout


def test_right_code_passes_from_any_current_folder(folder, tmp_path):
    (folder / STUB).write_text(RIGHT, "utf-8")
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    for code, target in ((PYTEST, folder), (CHECK, folder / "check.py")):
        process = run(code, target, cwd=elsewhere)
        assert process.returncode == 0, process.stdout + process.stderr
        assert to_students["released_folder.public-checks-pass-2"] in process.stdout


def test_windows_newlines_everywhere_change_nothing(fresh):
    (fresh / STUB).write_text(SOFTMAX_OVER_QUERIES, "utf-8")
    expected = run(CHECK, "check.py", cwd=fresh, alone=True).stdout
    for path in fresh.rglob("*"):
        if path.is_file() and path.suffix not in (".pyz", ".npz", ".pyc"):
            path.write_bytes(path.read_bytes().replace(b"\r\n", b"\n").replace(b"\n", b"\r\n"))
    process = run(CHECK, "check.py", cwd=fresh)
    assert (process.returncode, process.stdout) == (1, expected)


def test_a_console_without_the_marks_gets_plain_letters(folder):
    (folder / STUB).write_text(SOFTMAX_OVER_QUERIES, "utf-8")
    process = run(CHECK, "check.py", cwd=folder, PYTHONIOENCODING="ascii")
    assert to_students["released_folder.x-gives-the-attention"] in process.stdout
    assert "v    3  qk_scores" in process.stdout


def test_a_syntax_error_is_told_with_its_line(folder):
    (folder / STUB).write_text("def softmax(x):\n    return x +\n", "utf-8")
    process = run(PYTEST, cwd=folder)
    assert process.returncode == 1
    assert to_students["released_folder.importing-raised-syntaxerror"] in " ".join(process.stdout.split())
    assert "Traceback" not in process.stdout


def test_a_selection_of_checks_runs_alone(folder):
    (folder / STUB).write_text(SOFTMAX_OVER_QUERIES, "utf-8")
    assert run(PYTEST, "-k", "qk_scores", cwd=folder).returncode == 0
    assert run(PYTEST, "-k", "softmax", cwd=folder).returncode == 1


def test_own_tests_beside_the_checks_are_run_as_ever(folder):
    (folder / STUB).write_text(RIGHT, "utf-8")
    (folder / "test_mine.py").write_text("def test_mine():\n    assert 1 == 2\n", "utf-8")
    process = run(PYTEST, cwd=folder)
    assert process.returncode == 1
    assert "assert 1 == 2" in process.stdout
    assert to_students["released_folder.public-checks-pass-2"] in process.stdout


def test_an_incomplete_folder_says_to_unzip_again(fresh):
    whole = released(HW1)[ARCHIVE]
    for damaged in (b"", whole[:5000], whole[:5000] + b"damage" + whole[5006:]):
        (fresh / ARCHIVE).write_bytes(damaged)
        assert_incomplete(fresh)
        assert not list((fresh / "__pycache__").glob("public_checks-*"))
    (fresh / ARCHIVE).unlink()
    assert_incomplete(fresh)


def assert_incomplete(folder):
    for code, argument in ((CHECK, "check.py"), (PYTEST, ".")):
        process = run(code, argument, cwd=folder)
        assert process.returncode not in (0, 1)
        assert "unzip the homework again" in process.stdout + process.stderr


def test_damage_to_what_was_unpacked_is_mended_by_deleting_it(folder):
    assert run(CHECK, "check.py", cwd=folder).returncode == 1
    [home] = (folder / "__pycache__").glob("public_checks-*")
    (home / "homework" / "arrays.npz").unlink()
    process = run(CHECK, "check.py", cwd=folder)
    assert process.returncode == 2
    assert f"delete {home} and try again" in process.stderr
    shutil.rmtree(home)
    assert run(CHECK, "check.py", cwd=folder).returncode == 1


def test_the_archive_is_a_program_of_its_own(folder):
    (folder / STUB).write_text(RIGHT, "utf-8")
    process = run(CHECK, ARCHIVE, cwd=folder, alone=True)
    assert (process.returncode, process.stderr) == (0, "")
    assert process.stdout == run(CHECK, "check.py", cwd=folder).stdout


def test_a_notebook_imports_the_checks_by_name(folder):
    code = """
sys.path.insert(0, "")
from public_checks import check_task
print(check_task("qk_scores", {"qk_scores": lambda Q, K: Q @ K.T}).passed)
print(check_task("softmax", {}))
"""
    process = run(FENCE + code, cwd=folder)
    assert process.stdout.startswith("True\nsoftmax: 0 of 4 public checks pass"), process.stderr


def test_the_archive_is_unpacked_once_and_an_older_one_goes(fresh):
    older = fresh / "__pycache__" / "public_checks-00000000"
    older.mkdir(parents=True)
    assert run(CHECK, "check.py", cwd=fresh).returncode == 1
    [home] = (fresh / "__pycache__").glob("public_checks-*")
    assert home != older
    marked = home / "homework" / "homework.json"
    marked.write_text(marked.read_text("utf-8").replace("Attention scores", "Unpacked before"), "utf-8")
    assert "Unpacked before: 0 of 15" in run(CHECK, "check.py", cwd=fresh).stdout


def test_the_engine_comes_from_the_archive_unless_one_is_loaded(folder):
    code = "sys.path.insert(0, ''); import public_checks; public_checks.main([]); import autograder; "
    code += "print(autograder.__file__)"
    assert str(folder / "__pycache__") in run(f"import sys; {code}", cwd=folder).stdout.splitlines()[-1]
    loaded = run(f"import autograder, sys; {code}", cwd=folder).stdout.splitlines()
    assert "Attention scores: 0 of 15" in loaded[0]
    assert str(folder) not in loaded[-1]


def test_a_folder_that_cannot_be_written_is_checked_as_well(fresh):
    (fresh / "__pycache__").write_text("a file where the folder would be", "utf-8")
    for code, argument in ((CHECK, "check.py"), (PYTEST, ".")):
        process = run(code, argument, cwd=fresh, TMPDIR=str(fresh.parent))
        assert "0 of 15 public checks pass" in process.stdout, process.stderr
    assert [path.name for path in fresh.parent.iterdir() if path.name.startswith("public_checks-")] == []


def test_checking_and_packing_import_numpy_and_the_standard_library_alone(folder):
    code = """
import sys
before = {*sys.modules}
sys.path.insert(0, "")
import public_checks
public_checks.main(["--pack"])
print({name.partition(".")[0] for name in {*sys.modules} - before})
"""
    imported = literal_eval(run(code, cwd=folder).stdout.splitlines()[-1])
    assert imported - sys.stdlib_module_names == {"autograder", "numpy", "public_checks"}
    assert imported.isdisjoint({"resource", "fcntl", "pwd", "grp"})


def test_a_script_is_checked_as_it_is_graded_and_litters_nothing(folder):
    before = {path.name for path in folder.iterdir()}
    (folder / STUB).write_text(right_text(HW1, "a-script-with-its-demo"))
    for program in (PYTEST, CHECK):
        process = run(program, *(["check.py"] if program is CHECK else []), cwd=folder)
        assert process.returncode == 0, process.stdout
    assert {path.name for path in folder.iterdir()} - before <= {"__pycache__", ".pytest_cache"}


BREAKS = {
    "archive is damaged": lambda folder: (folder / "public_checks.pyz").write_text("x"),
    "archive is missing": lambda folder: (folder / "public_checks.pyz").unlink(),
    "module is missing": lambda folder: (folder / "public_checks.py").unlink(),
    "own test cannot be imported": lambda folder: (folder / "test_own.py").write_text("import nothing_here"),
}


@pytest.fixture(scope="module")
def files(course):
    folders = {homework_id: released(homework_id) for homework_id in (HW1, HW4)}
    return course_folder([course.homework(homework_id) for homework_id in folders], folders)


@pytest.mark.parametrize("broken", [HW1, HW4], ids=["first", "last"])
@pytest.mark.parametrize("kind", BREAKS)
def test_the_other_homework_is_checked_all_the_same(files, course, tmp_path, kind, broken):
    course_dir = unzip("", tmp_path, files)
    BREAKS[kind](course_dir / broken)
    [other] = {HW1, HW4} - {broken}
    compiled(other, course_dir / other)
    process = run(PYTEST, cwd=course_dir)
    assert course.homework(other).title in process.stdout, process.stdout + process.stderr
    assert process.returncode != 0
    assert "Interrupted" not in process.stdout


def test_a_broken_homework_alone_is_a_sentence(tmp_path):
    folder = unzip(HW1, tmp_path / HW1)
    (folder / "public_checks.pyz").write_text("x")
    process = run(PYTEST, cwd=folder)
    assert process.returncode == pytest.ExitCode.USAGE_ERROR
    assert "unzip the homework again" in process.stderr + process.stdout
    assert "Traceback" not in process.stdout + process.stderr


INSTALLED = "markdown_it"  # with the kit's own tests, and not with every grader


@pytest.fixture(scope="module")
def unzipped(tmp_path_factory):
    course_folder = unzip(HW1, tmp_path_factory.mktemp("released") / "my homework")
    (course_folder / "data.txt").write_text("1 2 3")
    (course_folder / "package").mkdir()
    (course_folder / "package" / "__init__.py").write_text("")
    return course_folder


def check(unzipped, first):
    (unzipped / STUB).write_text(f"{first}\n{RIGHT}", "utf-8")
    return check_work(public := open_homework(unzipped), find_work(public, unzipped))


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
def test_what_is_not_there_in_grading_is_told_and_the_functions_pass(unzipped, line, entry):
    report = check(unzipped, line.format(folder=str(unzipped)))
    assert report.passed
    assert report.notes == (to_students[f"surroundings.{entry}"].given(folder=str(unzipped)),)


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
def test_what_grading_takes_is_taken(unzipped, line):
    report = check(unzipped, line)
    assert (report.passed, report.notes) == (True, ())


def test_a_function_that_needs_what_is_not_there_fails_with_the_words_of_grading(unzipped):
    text = RIGHT.replace("def softmax(x):", "def softmax(x):\n    import pandas", 1)
    (unzipped / STUB).write_text(text, "utf-8")
    report = check_work(public := open_homework(unzipped), find_work(public, unzipped))
    reason = next(module.reason for module in report.results if module.task == "softmax" and module.reason)
    assert reason == to_students["surroundings.library-in-a-function"]


@pytest.mark.parametrize(
    "line", ["import {0}", "from {0} import *", "import importlib; importlib.import_module('{0}')"]
)
def test_what_not_every_grader_has_is_refused_unless_the_course_names_it(unzipped, line):
    (unzipped / STUB).write_text(f"{line.format(INSTALLED)}\n{RIGHT}", "utf-8")
    public = open_homework(unzipped)
    naming = replace(public, homework=replace(public.homework, allowed_modules=(INSTALLED,)))
    [note] = check_work(public, find_work(public, unzipped)).notes
    assert f"No module named '{INSTALLED}'" in note
    assert check_work(naming, find_work(naming, unzipped)).notes == ()  # it imports what it needs itself


def test_warnings_that_are_made_errors_stay_errors(unzipped):
    text = RIGHT.replace("def softmax(x):", "def softmax(x):\n    warnings.warn('careful')", 1)
    (unzipped / STUB).write_text(f"import warnings\nwarnings.simplefilter('error')\n{text}", "utf-8")
    report = check_work(public := open_homework(unzipped), find_work(public, unzipped))
    assert not report.passed


def test_the_process_is_as_before_afterwards(unzipped):
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
    check(unzipped, "\n".join(lines))
    assert state() == before
    assert Path(unzipped, STUB).read_text("utf-8").startswith("import wording")  # files are real again


SWALLOWS = "while True:\n    try:\n        int(input())\n    except:\n        print('again')"
IN_C = "sum(range(10**12))"


def test_the_limits_are_those_of_the_course(folder, course):
    assert open_homework(folder).homework.limits == course.homework(HW1).limits


@pytest.mark.parametrize("loop", ["while True: pass", SWALLOWS, "import time; time.sleep(600)"])
def test_an_endless_loop_is_cut_and_told_and_the_functions_are_checked(folder, loop):
    # A busy machine cuts later, and still before this ends.
    limit(folder, seconds=6, cpu_seconds=1)
    (folder / STUB).write_text(f"{loop}\n{RIGHT}", "utf-8")
    process = run(CHECK, "check.py", cwd=folder)
    assert (process.returncode, process.stderr) == (0, "")
    assert to_students["surroundings.endless"] in " ".join(process.stdout.split())


@pytest.mark.parametrize("program", [CHECK, PYTEST], ids=["check.py", "pytest"])
def test_a_loop_that_heeds_no_interruption_ends_the_check_with_its_line(folder, program):
    limit(folder, seconds=1)
    for text, line in ((f"{IN_C}\n{RIGHT}", 1), (f"def qk_scores(Q, K):\n    {IN_C}\n", 2)):
        (folder / STUB).write_text(text, "utf-8")
        process = run(program, *(["check.py"] if program == CHECK else []), cwd=folder)
        assert process.returncode == 1
        assert f'"/submission/{STUB}", line {line} in ' in process.stderr
        assert process.stderr.startswith("Timeout")


TRAP = mistaken_text(HW4, "numpy-float-of-array")


@pytest.fixture
def homework_folder(tmp_path):
    return used(HW1, tmp_path / "my homework")


def notebook(*cells):
    code_cells = [{"cell_type": "code", "metadata": {}, "outputs": [], "source": cell} for cell in cells]
    return json.dumps({"nbformat": 4, "nbformat_minor": 5, "metadata": {}, "cells": code_cells})


def pack(homework_folder, *chosen, engine_of=HW1, alone=False):
    words = ("check.py", "--pack", *chosen)
    process = run(CHECK, *words, cwd=homework_folder, engine_of=engine_of, alone=alone)
    zips = list(homework_folder.glob("*_handin.zip"))
    names = zipfile.ZipFile(zips[0]).namelist() if zips else []
    return process.returncode, process.stdout + process.stderr, names


def test_right_work_is_packed_without_a_warning_and_graded_from_the_zip(homework_folder, course):
    (homework_folder / STUB).write_text(RIGHT, "utf-8")
    status, output, names = pack(homework_folder)
    assert (status, names) == (0, [STUB])
    assert f"  {STUB}  (" in output
    assert "warning" not in output
    read = read_files(homework_folder / f"{HW1}_handin.zip")
    [handin] = match("me", read, [HomeworkProfile(HW1, course.homework(HW1).stub)]).handins
    assert handin.code.files[STUB] == RIGHT


def test_an_untouched_stub_is_not_packed(homework_folder):
    status, output, names = pack(homework_folder)
    assert (status, names) == (2, [])
    assert to_students["pack.as-it-was-handed-out"] in output


def test_work_beside_an_untouched_stub_is_pointed_at(homework_folder):
    (homework_folder / "my work.py").write_text(RIGHT, "utf-8")
    status, output, names = pack(homework_folder)
    assert (status, names) == (2, [])
    assert to_students["pack.to-check-a-file-name-it"] in output
    assert "not written yet" not in output
    assert pack(homework_folder, "my work.py")[0] == 0


def test_a_module_beside_an_untouched_stub_is_not_taken_for_the_work(homework_folder):
    (homework_folder / "helper.py").write_text("def total(x):\n    return x.sum()\n", "utf-8")
    (homework_folder / "backup.py").write_bytes((homework_folder / STUB).read_bytes())
    assert "not written yet" in pack(homework_folder)[1]


def test_of_a_stub_that_was_worked_on_each_task_that_is_missing_is_warned_of(homework_folder):
    stub = (homework_folder / STUB).read_text("utf-8")
    (homework_folder / STUB).write_text(
        stub.replace("raise NotImplementedError", "return Q @ K.T", 1), "utf-8"
    )
    status, output, names = pack(homework_folder)
    assert (status, names) == (1, [STUB])
    assert output.count("still stops at `raise NotImplementedError`") == 4


def test_one_public_check_that_fails_is_warned_of(homework_folder):
    (homework_folder / STUB).write_text(
        RIGHT.replace("s, z, a, attention_output(a, V)", "attention_output(a, V), a, z, s"), "utf-8"
    )
    status, output, _ = pack(homework_folder)
    assert status == 1
    assert to_students["pack.one-public-check-does-not-pass"] in output


def test_a_notebook_that_was_worked_on_is_packed_in_place_of_the_stub(homework_folder):
    (homework_folder / "attention_scores.ipynb").write_text(notebook("%matplotlib inline\n", RIGHT), "utf-8")
    status, output, names = pack(homework_folder)
    assert (status, names) == (0, ["attention_scores.ipynb"]), output
    assert to_students["pack.public-checks-pass"] in output


def test_a_module_of_ones_own_goes_with_the_stub_and_those_handed_out_stay(homework_folder):
    (homework_folder / "helpers.py").write_text("def double(x):\n    return 2 * x\n", "utf-8")
    (homework_folder / STUB).write_text("from helpers import double\n" + RIGHT, "utf-8")
    assert pack(homework_folder)[2] == [STUB, "helpers.py"]


def test_work_in_both_files_is_asked_about(homework_folder):
    (homework_folder / STUB).write_text(RIGHT, "utf-8")
    (homework_folder / "attention_scores.ipynb").write_text(notebook("answer = 42"), "utf-8")
    status, output, names = pack(homework_folder)
    assert (status, names) == (2, [])
    assert to_students["pack.keep-your-work-in-one"] in " ".join(output.split())
    process = run(CHECK, "check.py", STUB, cwd=homework_folder, engine_of=HW1)
    assert process.returncode == 0, process.stdout


def test_a_missing_file_is_told_and_nothing_is_packed(homework_folder):
    for name in released(HW1):
        if name.endswith((".ipynb", ".py")) and name not in ("check.py", "public_checks.py"):
            (homework_folder / name).unlink(missing_ok=True)
    status, output, names = pack(homework_folder)
    assert (status, names) == (2, [])
    assert to_students["pack.missing-from-this-folder"] in output


def test_a_numpy_trap_is_warned_of_with_its_line(tmp_path):
    homework_folder = used(HW4, tmp_path / "hw4")
    (homework_folder / "self_attention_columns.py").write_text(TRAP, "utf-8")
    _, output, names = pack(homework_folder, engine_of=HW4)
    assert names == ["self_attention_columns.py"]
    assert to_students["pack.warning-line-of-an-array"] in output


def test_what_is_on_a_stubs_screen_depends_on_the_code_alone(homework_folder, mistaken):
    (homework_folder / STUB).write_text(mistaken(HW1, "softmax-over-queries"), "utf-8")
    first, second = pack(homework_folder, alone=True), pack(homework_folder, alone=True)
    assert first == second


def test_lines_that_stop_are_warned_of_and_nothing_is_littered(homework_folder):
    lines = (
        "import math\nassert math.pi == 3\nopen('littered.txt', 'w').write('x')\nopen('mine.txt').read()\n"
    )
    (homework_folder / STUB).write_text(
        f"{lines}{RIGHT}\nname = input()\nquit()\nimport os\nos._exit(3)\n", "utf-8"
    )
    (homework_folder / "mine.txt").write_text("only here", "utf-8")
    status, output, names = pack(homework_folder)
    assert (status, names) == (0, [STUB])
    assert [line for line in output.splitlines() if line.startswith("warning")] == [
        to_students["pack.stopped-assert"],
        to_students["pack.stopped-file"],
        to_students["pack.stopped-input"],
    ]
    assert "Note: Importing your file raised AssertionError at line 2" in output
    assert not (homework_folder / "littered.txt").exists()


SOFTMAX_ALONE = (
    "import numpy as np\ndef softmax(x):\n    return np.exp(x) / np.exp(x).sum(-1, keepdims=True)\n"
)
NOTEBOOK = "attention_scores.ipynb"
MUCH = {"image/png": "A" * (21 << 20)}
LARGE = notebook(RIGHT).replace('"outputs": []', f'"outputs": [{json.dumps({"data": MUCH})}]')


@pytest.mark.parametrize(
    ("files", "chosen", "entry"),
    [
        ({STUB: "def softmax(x):\n    return x +\n"}, None, "not-python"),
        ({STUB: RIGHT + "\0"}, None, "not-text"),
        ({STUB: RIGHT + "# " + "x" * 2_000_001}, None, "too-long"),
        ({NOTEBOOK: LARGE}, NOTEBOOK, "too-large"),
        ({"mine.py": SOFTMAX_ALONE}, "mine.py", "name-tells-nothing"),
        ({STUB: "import encoder_block\n" + RIGHT, "encoder_block.py": "x = 1\n"}, None, "another-homework"),
        ({STUB: RIGHT, "attention_scores (1).py": RIGHT + "# again\n"}, None, "which-copy"),
        ({STUB: RIGHT}, NOTEBOOK, "named-the-wrong-one"),
    ],
)
def test_what_would_not_be_graded_is_not_packed_and_no_earlier_zip_is_left(
    homework_folder, files, chosen, entry
):
    earlier = homework_folder / f"{HW1}_handin.zip"
    earlier.write_bytes(b"an earlier zip")
    for name, text in files.items():
        (homework_folder / name).write_text(text, "utf-8")
    public = open_homework(homework_folder)
    work = find_work(public, homework_folder, chosen)
    with pytest.raises(NotGraded, check=to_students[f"pack.{entry}"]):
        make_zip(public, homework_folder, work, check_work(public, work))
    assert not earlier.exists()


@pytest.mark.parametrize("chosen", [STUB, NOTEBOOK])
def test_of_work_in_both_forms_the_one_that_is_named_is_packed_alone(homework_folder, chosen):
    (homework_folder / STUB).write_text(RIGHT, "utf-8")
    (homework_folder / NOTEBOOK).write_text(notebook(RIGHT), "utf-8")
    process = run(CHECK, "check.py", "--pack", chosen, cwd=homework_folder, engine_of=HW1)
    assert process.returncode == 0, process.stderr
    assert zipfile.ZipFile(homework_folder / f"{HW1}_handin.zip").namelist() == [chosen]


def test_magics_of_notebooks_are_read_without_ipython_as_with_it(homework_folder):
    first = "%matplotlib inline\nfiles = !ls\nimport numpy as np\n?np.dot\n%time value = 3\nassert value == 3"
    cells = (
        first,
        "%%time\nassert value == 3",
        "%%writefile made.py\nmade = 3",
        "from made import made",
        RIGHT,
    )
    (homework_folder / NOTEBOOK).write_text(notebook(*cells), "utf-8")
    process = run(CHECK, "check.py", cwd=homework_folder, engine_of=HW1)
    assert process.returncode == 0
    assert "Note" not in process.stdout
