"""Tests of one group run in one process: otherwise each process makes all costly fixtures for itself."""

import subprocess
import sys

CONFTEST = """
import pytest

@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items):
    for item in items:
        item.add_marker(pytest.mark.xdist_group("one" if "one" in item.name else "two"))
"""
TESTS = """
import os, time
from pathlib import Path
import pytest

@pytest.mark.parametrize("group", ["one", "two"])
@pytest.mark.parametrize("number", range(6))
def test_process(group, number):
    time.sleep(0.05)
    with Path(__file__).with_name(group).open("a") as file:
        file.write(os.environ["PYTEST_XDIST_WORKER"] + "\\n")
"""


def test_the_installed_pytest_and_xdist_keep_groups_together(tmp_path):
    """Some pairs of their versions do not, and say nothing of it."""
    (tmp_path / "conftest.py").write_text(CONFTEST, "utf-8")
    (tmp_path / "test_processes.py").write_text(TESTS, "utf-8")
    command = [sys.executable, "-m", "pytest", "-n", "2", "--dist", "loadgroup", "-p", "no:cacheprovider"]
    process = subprocess.run([*command, tmp_path], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert process.returncode == 0, process.stdout
    for group in ("one", "two"):
        processes = (tmp_path / group).read_text("utf-8").split()
        assert len(processes) == 6
        assert len(set(processes)) == 1
