import ast
import importlib.metadata
import io
import os
import re
import shutil
import subprocess
import sys
import zipfile

import pytest
from typer.testing import CliRunner
from wording import to_authors

from autograder.cli.app import app
from autograder.course.course import Course
from autograder.course.schema import CourseError
from autograder.platforms import gradescope_bundle as bundle
from autograder.platforms.gradescope_bundle import SCRIPTS, gradescope_zip, requirements

HOMEWORK = "hw5_multihead_attention"
SEED = 31


@pytest.fixture(scope="module")
def data(course):
    return gradescope_zip(course, [course.homework(HOMEWORK)], chosen=True, seed=SEED)


def opened(data):
    return zipfile.ZipFile(io.BytesIO(data))


def test_the_same_files_give_the_same_bytes(course, data):
    assert gradescope_zip(course, [course.homework(HOMEWORK)], chosen=True, seed=SEED) == data


def test_it_holds_the_kit_and_one_homework_and_nothing_that_tools_leave_behind(data):
    names = opened(data).namelist()
    assert {"autograder/cli/app.py", f"reference_outputs/{HOMEWORK}/manifest.json"} <= set(names)
    assert f"solutions/{HOMEWORK}/homework.toml" in names
    assert not [name for name in names if "__pycache__" in name or "/." in name]
    others = [name for name in names if name.startswith(("solutions/", "reference_outputs/", "assignments/"))]
    assert all(name.split("/")[1] in (HOMEWORK, "course.toml") for name in others)


def test_its_homework_has_the_limits_of_the_course(course, data, tmp_path):
    opened(data).extractall(tmp_path)
    unpacked = Course(tmp_path).homework(HOMEWORK)
    assert (tmp_path / "solutions" / "course.toml").is_file()
    assert (unpacked.limits, unpacked.hints) == (
        course.homework(HOMEWORK).limits,
        course.homework(HOMEWORK).hints,
    )


def test_the_two_scripts_lie_on_top_can_be_run_and_are_valid_bash(data, tmp_path):
    with opened(data) as archive:
        for name in SCRIPTS:
            assert archive.getinfo(name).external_attr >> 16 & 0o111 == 0o111
            archive.extract(name, tmp_path)
            subprocess.run(["bash", "-n", tmp_path / name], check=True)


def test_the_scripts_name_the_homework_the_seed_and_the_index_for_torch(course):
    homework = course.homework(HOMEWORK)
    with opened(gradescope_zip(course, [homework], True, SEED, "https://packages.example/cpu")) as archive:
        assert f"--seed {SEED} --homework {HOMEWORK}\n" in archive.read("run_autograder").decode()
        assert to_authors["gradescope_bundle.extra-index-url-https"] in archive.read("setup.sh").decode()
    with opened(gradescope_zip(course, [homework], False, SEED)) as archive:
        assert "--homework" not in archive.read("run_autograder").decode()
        assert "@" not in archive.read("setup.sh").decode().replace("$@", "")


def test_it_installs_torch_only_where_a_homework_needs_it():
    def names(*libraries):
        return {re.split(r"[>=;]", line)[0] for line in requirements(libraries)}

    assert names("numpy", "torch") - names("numpy") == {"torch"}
    assert not names("torch") & {"otter-grader", "nbclient", "matplotlib", "mypy", "distributed"}


def imported(path):
    """The packages that a file imports anywhere in it."""
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        match node:
            case ast.ImportFrom(module=str(name), level=0):
                yield name.partition(".")[0]
            case ast.Import(names=names):
                yield from (alias.name.partition(".")[0] for alias in names)
            case ast.Call(func=ast.Attribute(attr="import_module"), args=[ast.Constant(value=str(name))]):
                yield name.partition(".")[0]


def test_all_that_grading_imports_is_installed_and_nothing_else():
    kit = bundle.PACKAGE
    elsewhere = []
    for package in ("authoring", "cluster", "drills", "handouts", "otter", "student"):
        elsewhere += (kit / package).rglob("*")
    downloads = kit / "platforms" / "gradescope.py"  # of exports, which are no submission in a container
    files = set(kit.rglob("*.py")) - {*elsewhere, downloads}
    simulated = {"matplotlib"}
    needed = {name for path in files for name in imported(path)} - sys.stdlib_module_names - simulated
    installed = {re.split(r"[>=;]", line)[0] for line in requirements({"torch"})}
    assert {name.lower() for name in needed} - {"autograder"} == installed


def test_the_policy_extensions_and_comments_of_the_course_go_with_it(course, tmp_path):
    for folder in ("solutions", "reference_outputs", "assignments"):
        shutil.copytree(course.root / folder / HOMEWORK, tmp_path / folder / HOMEWORK)
    for name in ("policy.toml", "extensions.csv", "comments.csv"):
        (tmp_path / name).write_text(name, "utf-8")
    copy = Course(tmp_path)
    archive = opened(gradescope_zip(copy, [copy.homework(HOMEWORK)], True, SEED))
    assert [archive.read(name).decode() for name in ("policy.toml", "extensions.csv", "comments.csv")] == [
        "policy.toml",
        "extensions.csv",
        "comments.csv",
    ]


@pytest.mark.parametrize(
    ("version", "fine"),
    [
        ("3, 15, 0, 'alpha', 1", False),
        ("3, 14, 0, 'candidate', 2", False),
        ("3, 10, 9, 'final', 0", False),
        ("3, 11, 0, 'final', 0", True),
    ],
)
def test_setup_refuses_a_python_that_is_too_old_or_a_pre_release(data, tmp_path, version, fine):
    script = opened(data).read("setup.sh").decode()
    python = tmp_path / "python3"
    python.write_text(
        f"""#!/bin/sh
exec {sys.executable} -c "import sys; code = sys.argv[1]; sys.version_info = ({version}); exec(code)" "$2"
""",
        "utf-8",
    )
    python.chmod(0o755)
    function = script[script.index("is_good()") : script.index('python=""')]
    process = subprocess.run(["bash", "-c", f"{function}\nis_good {python}"], check=False)
    assert (process.returncode == 0) is fine


def test_on_an_old_image_setup_says_which_image_to_choose(data, tmp_path):
    """As on Ubuntu 22.04, whose own Python is 3.10, and whose package python3.11 is a pre-release."""
    programs = tmp_path / "bin"
    programs.mkdir()
    old = f"""#!/bin/sh
[ "$1" = --version ] && echo Python 3.10.12 && exit
version="import sys; code = sys.argv[1]; sys.version_info = (3, 10, 12, 'final', 0); exec(code)"
exec {sys.executable} -c "$version" "$2"
"""
    pre_release = old.replace("(3, 10, 12, 'final', 0)", "(3, 11, 0, 'candidate', 1)")
    for name in ("python3", "python3.13", "python3.12"):
        (programs / name).write_text(old, "utf-8")
    (programs / "python3.11").write_text(pre_release, "utf-8")
    (programs / "apt-get").write_text("#!/bin/sh\n", "utf-8")
    for program in programs.iterdir():
        program.chmod(0o755)
    (tmp_path / "setup.sh").write_bytes(opened(data).read("setup.sh"))
    process = subprocess.run(
        ["bash", tmp_path / "setup.sh"],
        env={"PATH": f"{programs}{os.pathsep}{os.environ['PATH']}", "AUTOGRADER_ROOT": str(tmp_path)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert process.returncode == 1
    assert "Python 3.10.12" in process.stderr
    assert "choose Ubuntu 24.04 or newer as the base image" in process.stderr
    assert not (tmp_path / "venv").exists()


def test_a_kit_that_is_not_installed_is_an_error_with_its_remedy(monkeypatch):
    def missing(name):
        raise importlib.metadata.PackageNotFoundError(name)

    monkeypatch.setattr(bundle.importlib.metadata, "requires", missing)
    with pytest.raises(CourseError, check=to_authors["gradescope_bundle.make-setup"]):
        requirements({"numpy"})


@pytest.mark.parametrize("top", ["reference_outputs", "assignments"])
def test_a_homework_that_is_not_built_is_an_error(course, tmp_path, top):
    for folder in ("solutions", "reference_outputs", "assignments"):
        shutil.copytree(course.root / folder / HOMEWORK, tmp_path / folder / HOMEWORK)
    shutil.rmtree(tmp_path / top)
    copy = Course(tmp_path)
    with pytest.raises(CourseError, check=to_authors["gradescope_bundle.missing-or-empty"].given(top=top)):
        gradescope_zip(copy, [copy.homework(HOMEWORK)], chosen=True, seed=SEED)


def test_the_command_writes_the_zip_and_says_what_it_grades(tmp_path, data):
    path = tmp_path / "new" / "autograder.zip"
    options = ["--homework", HOMEWORK, "--out", str(path), "--seed", str(SEED)]
    result = CliRunner().invoke(app, ["gradescope", *options])
    assert result.exit_code == 0, result.output
    assert HOMEWORK in result.output
    assert f"--seed {SEED}" in result.output
    assert path.read_bytes() == data


def test_a_seed_is_drawn_and_rows_that_gradescope_cannot_find_are_said(tiny, tmp_path):
    root = tiny.course.root
    for folder in (root / "assignments" / "hwx", root / "reference_outputs" / "hwx"):
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "built.txt").write_text("", "utf-8")
    (root / "extensions.csv").write_text(
        "submission,due\n4711,2027-03-01T12:00:00Z\na@x.edu,2027-03-01T12:00:00Z\n", "utf-8"
    )
    seeds = set()
    for name in ("one.zip", "two.zip"):
        result = CliRunner().invoke(app, ["gradescope", "--course", str(root), "--out", str(tmp_path / name)])
        assert result.exit_code == 0, result.output
        assert to_authors["gradescope_bundle.knows-addresses-only"] in result.output
        script = zipfile.ZipFile(tmp_path / name).read("run_autograder").decode()
        [seed] = re.findall(r"--seed (\d+)", script)
        assert f"--seed {seed}" in result.output
        seeds.add(seed)
    assert len(seeds) == 2
