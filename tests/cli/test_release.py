"""`autograder release`: zips for students, or what keeps them from being written."""

import zipfile

import pytest
from released import HW1
from typer.testing import CliRunner
from wording import to_staff

from autograder.cli import release as command
from autograder.cli.app import app


@pytest.fixture
def in_sync(monkeypatch):
    """Take the generated files as they are: whether they are in sync has tests of its own."""
    monkeypatch.setattr(command, "verify_assignments", lambda course: [])


@pytest.mark.usefixtures("in_sync")
def test_one_homework_gives_one_zip(tmp_path):
    result = CliRunner().invoke(app, ["release", "--homework", HW1, "--out", str(tmp_path / "new")])
    assert result.exit_code == 0, result.output
    [path] = (tmp_path / "new").iterdir()
    assert path.name == f"{HW1}.zip"
    assert f"{HW1}/check.py" in zipfile.ZipFile(path).namelist()
    assert "KiB" in result.output


@pytest.mark.usefixtures("in_sync")
def test_a_public_check_that_fails_the_solution_stops_the_release(tmp_path, monkeypatch):
    monkeypatch.setattr(command, "failing_checks", lambda *of: ["hw1: the reference solution fails …"])
    result = CliRunner().invoke(app, ["release", "--homework", HW1, "--out", str(tmp_path / "new")])
    assert result.exit_code == 1
    assert not (tmp_path / "new").exists()


def test_generated_files_out_of_date_stop_the_release(tmp_path, monkeypatch):
    monkeypatch.setattr(command, "verify_assignments", lambda course: ["assignments/a.py differs"])
    result = CliRunner().invoke(app, ["release", "--out", str(tmp_path / "new")])
    assert result.exit_code == 1
    assert to_staff["release.run-make-assignments-first"] in result.output
    assert not (tmp_path / "new").exists()
