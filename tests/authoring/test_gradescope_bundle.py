from __future__ import annotations

import importlib.metadata
import io
import shutil
import subprocess
import zipfile
from pathlib import Path

import pytest
from typer.testing import CliRunner

from autograder.authoring import gradescope_bundle as bundle
from autograder.authoring.gradescope_bundle import SCRIPTS, gradescope_zip, requirements
from autograder.cli.app import app
from autograder.course.course import Course
from autograder.course.schema import CourseError

HOMEWORK = "hw5_multihead_attention"


@pytest.fixture(scope="module")
def data(course: Course) -> bytes:
    return gradescope_zip(course, [course.homework(HOMEWORK)], chosen=True)


def opened(data: bytes) -> zipfile.ZipFile:
    return zipfile.ZipFile(io.BytesIO(data))


def test_the_same_files_give_the_same_bytes(course: Course, data: bytes) -> None:
    assert gradescope_zip(course, [course.homework(HOMEWORK)], chosen=True) == data


def test_it_holds_the_kit_and_one_homework_and_nothing_that_tools_leave_behind(data: bytes) -> None:
    names = opened(data).namelist()
    assert {"autograder/cli/app.py", f"reference_outputs/{HOMEWORK}/manifest.json"} <= set(names)
    assert f"solutions/{HOMEWORK}/homework.toml" in names
    assert not [name for name in names if "__pycache__" in name or "/." in name]
    others = [name for name in names if name.startswith(("solutions/", "reference_outputs/", "assignments/"))]
    assert all(name.split("/")[1] in (HOMEWORK, "course.toml") for name in others)


def test_its_homework_has_the_limits_of_the_course(course: Course, data: bytes, tmp_path: Path) -> None:
    opened(data).extractall(tmp_path)
    unpacked = Course(tmp_path).homework(HOMEWORK)
    assert (tmp_path / "solutions" / "course.toml").is_file()
    assert (unpacked.limits, unpacked.hints) == (
        course.homework(HOMEWORK).limits,
        course.homework(HOMEWORK).hints,
    )


def test_the_two_scripts_lie_on_top_can_be_run_and_are_valid_bash(data: bytes, tmp_path: Path) -> None:
    with opened(data) as archive:
        for name in SCRIPTS:
            assert archive.getinfo(name).external_attr >> 16 & 0o111 == 0o111
            archive.extract(name, tmp_path)
            subprocess.run(["bash", "-n", tmp_path / name], check=True)


def test_the_scripts_name_the_homework_and_the_index_for_torch(course: Course) -> None:
    homework = course.homework(HOMEWORK)
    with opened(gradescope_zip(course, [homework], True, "https://packages.example/cpu")) as archive:
        assert f"--homework {HOMEWORK}\n" in archive.read("run_autograder").decode()
        assert "--extra-index-url https://packages.example/cpu " in archive.read("setup.sh").decode()
    with opened(gradescope_zip(course, [homework], False)) as archive:
        assert "--homework" not in archive.read("run_autograder").decode()
        assert "@" not in archive.read("setup.sh").decode().replace("$@", "")


def test_it_installs_what_the_kit_needs_without_extras() -> None:
    names = " ".join(requirements())
    assert "numpy" in names
    assert "torch" in names
    assert "otter" not in names
    assert "mypy" not in names


def test_a_kit_that_is_not_installed_is_an_error_with_its_remedy(monkeypatch: pytest.MonkeyPatch) -> None:
    def missing(name: str) -> list[str]:
        raise importlib.metadata.PackageNotFoundError(name)

    monkeypatch.setattr(bundle.importlib.metadata, "requires", missing)
    with pytest.raises(CourseError, match="make setup"):
        requirements()


@pytest.mark.parametrize("top", ["reference_outputs", "assignments"])
def test_a_homework_that_is_not_built_is_an_error(course: Course, tmp_path: Path, top: str) -> None:
    for one in ("solutions", "reference_outputs", "assignments"):
        shutil.copytree(course.root / one / HOMEWORK, tmp_path / one / HOMEWORK)
    shutil.rmtree(tmp_path / top)
    copy = Course(tmp_path)
    with pytest.raises(CourseError, match=rf"{top}.*is missing or empty: run `autograder"):
        gradescope_zip(copy, [copy.homework(HOMEWORK)], chosen=True)


def test_the_command_writes_the_zip_and_says_what_it_grades(tmp_path: Path, data: bytes) -> None:
    path = tmp_path / "new" / "autograder.zip"
    done = CliRunner().invoke(app, ["gradescope", "--homework", HOMEWORK, "--out", str(path)])
    assert done.exit_code == 0, done.output
    assert HOMEWORK in done.output
    assert path.read_bytes() == data
