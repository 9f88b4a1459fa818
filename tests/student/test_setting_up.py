"""What a student meets before the first check: packages that are not there, and a reader that ends early."""

import subprocess
import sys

import pytest
from released import CHECK, HW1, PYTEST, run, unzip
from wording import to_students

from autograder.student import load

HW6 = "hw6_encoder_block"


@pytest.fixture
def folder(tmp_path):
    return unzip(HW1, tmp_path)


def test_without_numpy_one_sentence_names_package_python_and_command(folder):
    without_numpy = CHECK.replace('"numpy", ', "")
    assert without_numpy != CHECK
    process = run(without_numpy, "check.py", cwd=folder)
    assert (process.returncode, process.stdout) == (2, "")
    assert to_students["setting_up.numpy-is-not-installed"] in process.stderr
    assert f"{sys.executable} -m pip install numpy" in process.stderr
    assert "Traceback" not in process.stderr
    by_pytest = run(PYTEST.replace('"numpy", ', ""), cwd=folder)
    assert f"{sys.executable} -m pip install numpy" in by_pytest.stderr
    assert "Traceback" not in by_pytest.stderr + by_pytest.stdout


def test_without_pytorch_the_table_says_so_and_blames_no_check(students, monkeypatch):
    monkeypatch.setattr(load, "_is_installed", lambda package: False)
    report = students.check(HW6, "import torch\n")
    assert to_students["setting_up.pytorch-is-not-installed"] in report.trouble
    assert sys.executable in report.trouble
    assert not report.passed


def test_a_reader_that_ends_early_brings_no_traceback(folder):
    program = subprocess.Popen(
        [sys.executable, "check.py"], cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    program.stdout.close()
    _, errors = program.communicate()
    assert errors == b""
