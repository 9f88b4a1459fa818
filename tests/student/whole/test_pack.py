"""The zip to hand in: what is in it, and what is said of it."""

import json
import zipfile

import pytest
from released import CHECK, HW1, HW4, released, run, unzip
from submissions import mistaken_text, right_text
from wording import to_students

from autograder.intake.files import read_files
from autograder.intake.matching import HomeworkProfile, match
from autograder.student.find import find_work
from autograder.student.homework import open_homework
from autograder.student.load import check_work
from autograder.student.pack import NotGraded
from autograder.student.pack import pack as make_zip

STUB = "attention_scores.py"
RIGHT = right_text(HW1, "einsum")
TRAP = mistaken_text(HW4, "numpy-float-of-array")


@pytest.fixture
def folder(tmp_path):
    return unzip(HW1, tmp_path / "my homework")


def notebook(*cells):
    code_cells = [{"cell_type": "code", "metadata": {}, "outputs": [], "source": cell} for cell in cells]
    return json.dumps({"nbformat": 4, "nbformat_minor": 5, "metadata": {}, "cells": code_cells})


def pack(folder, *chosen):
    process = run(CHECK, "check.py", "--pack", *chosen, cwd=folder)
    zips = list(folder.glob("*_handin.zip"))
    names = zipfile.ZipFile(zips[0]).namelist() if zips else []
    return process.returncode, process.stdout + process.stderr, names


def test_right_work_is_packed_without_a_warning_and_graded_from_the_zip(folder, course):
    (folder / STUB).write_text(RIGHT, "utf-8")
    status, output, names = pack(folder)
    assert (status, names) == (0, [STUB])
    assert f"  {STUB}  (" in output
    assert "warning" not in output
    read = read_files(folder / f"{HW1}_handin.zip")
    [handin] = match("me", read, [HomeworkProfile(HW1, course.homework(HW1).stub)]).handins
    assert handin.code.files[STUB] == RIGHT


def test_an_untouched_stub_is_not_packed(folder):
    status, output, names = pack(folder)
    assert (status, names) == (2, [])
    assert to_students["pack.as-it-was-handed-out"] in output


def test_work_beside_an_untouched_stub_is_pointed_at(folder):
    (folder / "my work.py").write_text(RIGHT, "utf-8")
    status, output, names = pack(folder)
    assert (status, names) == (2, [])
    assert to_students["pack.to-check-a-file-name-it"] in output
    assert "not written yet" not in output
    assert pack(folder, "my work.py")[0] == 0


def test_a_module_beside_an_untouched_stub_is_not_taken_for_the_work(folder):
    (folder / "helper.py").write_text("def total(x):\n    return x.sum()\n", "utf-8")
    (folder / "backup.py").write_bytes((folder / STUB).read_bytes())
    assert "not written yet" in pack(folder)[1]


def test_of_a_stub_that_was_worked_on_each_task_that_is_missing_is_warned_of(folder):
    stub = (folder / STUB).read_text("utf-8")
    (folder / STUB).write_text(stub.replace("raise NotImplementedError", "return Q @ K.T", 1), "utf-8")
    status, output, names = pack(folder)
    assert (status, names) == (1, [STUB])
    assert output.count("still stops at `raise NotImplementedError`") == 4


def test_one_public_check_that_fails_is_warned_of(folder):
    (folder / STUB).write_text(
        RIGHT.replace("s, z, a, attention_output(a, V)", "attention_output(a, V), a, z, s"), "utf-8"
    )
    status, output, _ = pack(folder)
    assert status == 1
    assert to_students["pack.one-public-check-does-not-pass"] in output


def test_a_notebook_that_was_worked_on_is_packed_in_place_of_the_stub(folder):
    (folder / "attention_scores.ipynb").write_text(notebook("%matplotlib inline\n", RIGHT), "utf-8")
    status, output, names = pack(folder)
    assert (status, names) == (0, ["attention_scores.ipynb"]), output
    assert to_students["pack.public-checks-pass"] in output


def test_a_module_of_ones_own_goes_with_the_stub_and_those_handed_out_stay(folder):
    (folder / "helpers.py").write_text("def double(x):\n    return 2 * x\n", "utf-8")
    (folder / STUB).write_text("from helpers import double\n" + RIGHT, "utf-8")
    assert pack(folder)[2] == [STUB, "helpers.py"]


def test_work_in_both_files_is_asked_about(folder):
    (folder / STUB).write_text(RIGHT, "utf-8")
    (folder / "attention_scores.ipynb").write_text(notebook("answer = 42"), "utf-8")
    status, output, names = pack(folder)
    assert (status, names) == (2, [])
    assert to_students["pack.keep-your-work-in-one"] in " ".join(output.split())
    process = run(CHECK, "check.py", STUB, cwd=folder)
    assert process.returncode == 0, process.stdout


def test_a_missing_file_is_told_and_nothing_is_packed(folder):
    for name in released(HW1):
        if name.endswith((".ipynb", ".py")) and name not in ("check.py", "public_checks.py"):
            (folder / name).unlink(missing_ok=True)
    status, output, names = pack(folder)
    assert (status, names) == (2, [])
    assert to_students["pack.missing-from-this-folder"] in output


def test_a_numpy_trap_is_warned_of_with_its_line(tmp_path):
    folder = unzip(HW4, tmp_path / "hw4")
    (folder / "self_attention_columns.py").write_text(TRAP, "utf-8")
    _, output, names = pack(folder)
    assert names == ["self_attention_columns.py"]
    assert to_students["pack.warning-line-of-an-array"] in output


def test_what_is_on_a_stubs_screen_depends_on_the_code_alone(folder, mistaken):
    (folder / STUB).write_text(mistaken(HW1, "softmax-over-queries"), "utf-8")
    first, second = pack(folder), pack(folder)
    assert first == second


def test_lines_that_stop_are_warned_of_and_nothing_is_littered(folder):
    lines = (
        "import math\nassert math.pi == 3\nopen('littered.txt', 'w').write('x')\nopen('mine.txt').read()\n"
    )
    (folder / STUB).write_text(f"{lines}{RIGHT}\nname = input()\nquit()\nimport os\nos._exit(3)\n", "utf-8")
    (folder / "mine.txt").write_text("only here", "utf-8")
    status, output, names = pack(folder)
    assert (status, names) == (0, [STUB])
    assert [line for line in output.splitlines() if line.startswith("warning")] == [
        to_students["pack.stopped-assert"],
        to_students["pack.stopped-file"],
        to_students["pack.stopped-input"],
    ]
    assert "Note: Importing your file raised AssertionError at line 2" in output
    assert not (folder / "littered.txt").exists()


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
def test_what_would_not_be_graded_is_not_packed_and_no_earlier_zip_is_left(folder, files, chosen, entry):
    earlier = folder / f"{HW1}_handin.zip"
    earlier.write_bytes(b"an earlier zip")
    for name, text in files.items():
        (folder / name).write_text(text, "utf-8")
    public = open_homework(folder)
    work = find_work(public, folder, chosen)
    with pytest.raises(NotGraded, check=to_students[f"pack.{entry}"]):
        make_zip(public, folder, work, check_work(public, work))
    assert not earlier.exists()


@pytest.mark.parametrize("chosen", [STUB, NOTEBOOK])
def test_of_work_in_both_forms_the_one_that_is_named_is_packed_alone(folder, chosen):
    (folder / STUB).write_text(RIGHT, "utf-8")
    (folder / NOTEBOOK).write_text(notebook(RIGHT), "utf-8")
    process = run(CHECK, "check.py", "--pack", chosen, cwd=folder)
    assert process.returncode == 0, process.stderr
    assert zipfile.ZipFile(folder / f"{HW1}_handin.zip").namelist() == [chosen]


def test_magics_of_notebooks_are_read_without_ipython_as_with_it(folder):
    first = "%matplotlib inline\nfiles = !ls\nimport numpy as np\n?np.dot\n%time value = 3\nassert value == 3"
    cells = (
        first,
        "%%time\nassert value == 3",
        "%%writefile made.py\nmade = 3",
        "from made import made",
        RIGHT,
    )
    (folder / NOTEBOOK).write_text(notebook(*cells), "utf-8")
    process = run(CHECK, "check.py", cwd=folder)
    assert process.returncode == 0
    assert "Note" not in process.stdout
