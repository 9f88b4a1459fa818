"""The kit as a stranger gets it: source distribution, wheel, a clean environment, courses of one's own."""

from __future__ import annotations

import csv
import email
import importlib.metadata
import json
import os
import re
import shutil
import subprocess
import sys
import tarfile
import tomllib
import zipfile
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path

import pytest
from container import Container, require_containers
from followed import commands, is_shown, normal, steps
from packaging.metadata import Metadata
from packaging.requirements import Requirement

import autograder
from autograder.sandbox.levels import strongest_level

HOMEWORK, STUB = "hw1_first_words", "first_words.py"
KIT = "attention-homework-kit"
CLONE = Path(__file__).resolve().parents[2]
HOMEWORKS = ("assignments", "reference_outputs", "solutions", "tests/corpus")
SHARE = f"share/{KIT}"
LEFT_BEHIND = (".git", ".venv", "__pycache__", ".*_cache", "*.egg-info", ".hypothesis", "build", "dist")
HOSTILE = """
import posix, sys  # not os, which would look for what is below /tmp in the scratch folder

try:
    found = posix.listdir(sys.prefix + "/share")
except OSError:
    found = []
try:
    found.append(posix.open(sys.prefix + "/{share}/solutions/course.toml", posix.O_RDONLY))
except OSError:
    pass
if found or not posix.open(sys.prefix + "/pyvenv.cfg", posix.O_RDONLY):
    word_weights = None
"""


def test_the_newest_section_of_the_changelog_is_this_version():
    newest = re.search(r"^## (\S+)", (CLONE / "CHANGELOG.md").read_text("utf-8"), re.MULTILINE)
    assert newest is not None
    assert newest[1] == autograder.__version__


@dataclass(frozen=True)
class Built:
    """What is published, and the folder of the clone's copy that it was built from."""

    sdist: Path
    wheel: Path
    source: Path


@pytest.fixture(scope="module")
def built(tmp_path_factory):
    """Both distributions, the wheel from the other; made from a copy, for building leaves files behind."""
    folder = tmp_path_factory.mktemp("built")
    source = folder / "source"
    shutil.copytree(CLONE, source, ignore=shutil.ignore_patterns(*LEFT_BEHIND))
    build = "import sys, setuptools.build_meta as backend; backend.build_sdist(sys.argv[1])"
    subprocess.run([sys.executable, "-c", build, folder], cwd=source, check=True, capture_output=True)
    [sdist] = folder.glob("*.tar.gz")
    pip("wheel", "--no-build-isolation", "--no-deps", "--wheel-dir", folder, sdist)
    [wheel] = folder.glob("*.whl")
    return Built(sdist, wheel, source)


def pip(*words):
    command = [sys.executable, "-m", "pip", "--quiet", *map(str, words)]
    subprocess.run(command, env=surroundings(), check=True)


@dataclass(frozen=True)
class Newcomer:
    """Where the commands of docs/installing.md were run: their answers, and the course that they made."""

    folder: Path
    answers: dict[str, str]

    @property
    def course(self):
        return self.folder / "first"

    @property
    def environment(self):
        return self.folder / "kit"

    def run(self, *words, expected=0, path=None):
        """Run a module of the environment elsewhere, or Python after ``-c``, and return what it says."""
        how = [] if words[0] == "-c" else ["-m"]
        process = subprocess.run(
            [self.environment / "bin/python", "-P", *how, *map(str, words)],
            cwd=self.folder,
            env=surroundings() | ({"PATH": path} if path else {}),
            capture_output=True,
            text=True,
        )
        assert process.returncode == expected, f"{words}: {process.stdout}{process.stderr}"
        return process.stdout + process.stderr


@pytest.fixture(scope="module")
def newcomer(built, tmp_path_factory):
    """Runs the ten commands. pip finds the requirements, and only these, there already: linked from here."""
    if not strongest_level().confines_hostile_code:
        pytest.skip("the page grades without --unsafe: use Linux")
    folder = tmp_path_factory.mktemp("newcomer")
    shutil.copy(built.wheel, folder)
    [page] = [step.text for step in steps("installing.md") if "-m venv" in step.text]
    first, *others = (command for command, _ in commands(page))
    answers = dict(in_one_shell([first], folder))
    [packages] = (folder / "kit").glob("lib/python3*/site-packages")
    for name in requirements(KIT):
        distribution = importlib.metadata.distribution(name)
        for top in {file.parts[0] for file in distribution.files or ()} - {"..", "__pycache__"}:
            if not (packages / top).exists():
                (packages / top).symlink_to(str(distribution.locate_file(top)))
    return Newcomer(folder, answers | dict(in_one_shell(others, folder)))


def in_one_shell(lines, folder):
    """Yield each command with its answer, run one after another by a shell that no failure passes."""
    mark = "\x1e"
    script = "exec 2>&1\n" + "".join(f"printf '{mark}'\n{line}\n" for line in lines)
    process = subprocess.run(
        ["bash", "-e"], input=script, cwd=folder, env=surroundings(), stdout=subprocess.PIPE, text=True
    )
    assert process.returncode == 0, process.stdout
    yield from zip(lines, process.stdout.split(mark)[1:], strict=True)


def surroundings():
    """The environment of a user who has this Python and no index."""
    python = Path(sys.executable).parent
    environment = {
        name: value for name, value in os.environ.items() if name not in ("PYTHONPATH", "VIRTUAL_ENV")
    }
    path = f"{python}{os.pathsep}{environment['PATH']}"
    return {**environment, "PATH": path, "PIP_NO_INDEX": "1", "PIP_NO_COMPILE": "1"}


def requirements(name, extra=""):
    """The distributions that another one needs here, and those that these need."""
    names = set()
    todo = [(name, extra)]
    names_seen = set()
    while todo:
        names_seen.add(requirement := todo.pop())
        for line in importlib.metadata.requires(requirement[0]) or ():
            needed = Requirement(line)
            if needed.marker is None or needed.marker.evaluate({"extra": requirement[1]}):
                names.add(needed.name)
                todo += {(needed.name, extra) for extra in ("", *needed.extras)} - names_seen
    return names


def test_the_containers_have_the_wall_and_the_options_that_the_page_names():
    development = json.loads((CLONE / ".devcontainer" / "devcontainer.json").read_text("utf-8"))
    assert development["runArgs"] == [option.replace(" ", "=") for option in options_of_docker()]
    program, target = development["postCreateCommand"].split()
    assert program == "make"
    assert re.search(rf"^{target}:", (CLONE / "Makefile").read_text("utf-8"), re.MULTILINE)

    recipe = (CLONE / "Containerfile").read_text("utf-8")
    needed = {"bubblewrap", "libseccomp2"}
    assert needed == set(re.findall(r"^ && apt-get install .* (\S+) (\S+) \\$", recipe, re.MULTILINE)[0])
    [oldest] = re.findall(r"3\.\d+", version_of_python())
    assert {f"python:{oldest}-slim", f"python:{oldest}-bookworm"} == {
        *re.findall(r"^FROM (\S+)$", recipe, re.MULTILINE),
        development["image"],
    }
    ignored = (CLONE / ".dockerignore").read_text("utf-8").split()
    assert not {"autograder", "pyproject.toml", "setup.py", "constraints.txt", *HOMEWORKS} & {*ignored}


def options_of_docker():
    """What the page says that the level ``full`` needs."""
    page = (CLONE / "docs" / "installing.md").read_text("utf-8")
    [row] = re.findall(r"^\| Docker \| `(.*)` \|$", page, re.MULTILINE)
    return [f"--{option.strip()}" for option in row.split("--")[1:]]


def test_the_options_of_the_page_give_a_container_the_full_wall_and_none_is_needless(tmp_path):
    require_containers()
    *needed, apparmor = options_of_docker()  # the last is for machines with AppArmor
    assert "apparmor" in apparmor
    with Container(tmp_path, hidden=()) as container:
        grading = ["-m", "autograder", "grade", f"{CLONE}/tests/sample_class/hiro", "--course", str(CLONE)]
        asking = [
            "-c",
            "from autograder.sandbox.levels import strongest_level; print(strongest_level().name)",
        ]

        def ask(options, *words):
            process = container.run(sys.executable, "-P", *words, options=" ".join(options))
            assert process.returncode == 0, process.stderr
            return process.stdout + process.stderr

        for left_out in needed:
            assert (
                ask([package for package in needed if package != left_out], *asking) == "no-namespaces\n"
            ), left_out
        assert ask([], *grading, "--out", "/none").count("Protection: no-namespaces") == 1
        assert ask(needed, *grading, "--out", "/all").count("Protection: full") == 1


def version_of_python():
    with (CLONE / "pyproject.toml").open("rb") as file:
        return str(tomllib.load(file)["project"]["requires-python"])


def test_the_wheel_holds_the_engine_and_beside_it_the_homeworks_and_nothing_else(built):
    with zipfile.ZipFile(built.wheel) as archive:
        packed = {name for name in archive.namelist() if ".dist-info/" not in name}
        [metadata] = (archive.read(name) for name in archive.namelist() if name.endswith("/METADATA"))
    data = f"attention_homework_kit-{autograder.__version__}.data/data/{SHARE}"
    engine, homeworks = files(CLONE, "autograder"), files(CLONE, *HOMEWORKS)
    assert packed == engine | {f"{data}/{name}" for name in homeworks}
    with tarfile.open(built.sdist) as archive:
        members = {name.partition("/")[2] for name in archive.getnames()}
    assert members >= engine | homeworks | {"CHANGELOG.md", "Containerfile", "docs/installing.md", "Makefile"}

    Metadata.from_email(metadata, validate=True)  # raises what an index would refuse
    fields = email.message_from_bytes(metadata)
    assert fields["Version"] == autograder.__version__
    assert fields["Description-Content-Type"] == "text/markdown"


def files(root, *tops):
    paths = (path for top in tops for path in (root / top).rglob("*") if path.is_file())
    return {path.relative_to(root).as_posix() for path in paths if "__pycache__" not in path.parts}


def test_the_ten_commands_of_the_page_grade_a_submission(newcomer):
    [page] = [step.text for step in steps("installing.md") if "-m venv" in step.text]
    documented = dict(commands(page))
    assert len(documented) == 10
    for command, answer in documented.items():
        output = normal(newcomer.answers[command], newcomer.folder)
        assert is_shown(output, normal(answer, newcomer.folder)), "\n".join([f"$ {command}", *output])
    feedback = newcomer.course / "graded" / "submissions" / "ada" / "feedback.html"
    assert "Your shares sum to 1 over each column" in feedback.read_text("utf-8")


def test_the_environment_has_all_that_is_required_and_every_command_works(newcomer, tmp_path):
    pip("--python", newcomer.environment / "bin" / "python", "check")
    course = ("--course", newcomer.course)
    assert "--course DIR" in newcomer.run("autograder", "check", expected=2)
    newcomer.run("-c", "from autograder.cli.app import COMMANDS, load; [*map(load, COMMANDS)]")
    assert newcomer.run("autograder", "--version").split() == ["autograder", autograder.__version__]
    newcomer.run("autograder", "gradescope", *course, "--out", tmp_path / "autograder.zip")
    with zipfile.ZipFile(tmp_path / "autograder.zip") as archive:
        assert {"autograder/worker/zygote.py", f"solutions/{HOMEWORK}/cases.py"} <= set(archive.namelist())
        pins = archive.read("constraints.txt").decode().splitlines()
    assert f"numpy=={version('numpy')}" in pins
    newcomer.run("autograder", "policy", newcomer.course / "graded")
    newcomer.run("autograder", "report", newcomer.course / "graded")
    checks = newcomer.course / "solutions" / HOMEWORK
    (tmp_path / "ada").mkdir()
    shutil.copy(checks / STUB, tmp_path / "ada")
    newcomer.run("pytest", "-q", checks, f"--submission={tmp_path / 'ada'}")


def test_the_homeworks_of_the_wheel_make_a_course_and_no_submission_reads_them(newcomer, tmp_path):
    newcomer.run("autograder", "init", tmp_path / "own", "--homeworks", "all")
    homeworks = files(tmp_path / "own", *HOMEWORKS)
    of_the_kit = {"tests/corpus/README.md", "tests/corpus/ruff.toml"}
    assert homeworks >= files(newcomer.environment / SHARE, *HOMEWORKS) - of_the_kit
    for name in homeworks - {"solutions/course.toml"}:  # it has the title of the new course
        assert (tmp_path / "own" / name).read_bytes() == (CLONE / name).read_bytes(), name
    newcomer.run("autograder", "check", "hw1", "--course", tmp_path / "own")

    solution = newcomer.course / "solutions" / HOMEWORK / STUB
    (tmp_path / "class").mkdir()
    text = solution.read_text("utf-8") + HOSTILE.format(share=SHARE)
    (tmp_path / "class" / "mallory.py").write_text(text, "utf-8")
    for level, path in (("full", None), ("no-namespaces", str(newcomer.environment / "bin"))):
        out = tmp_path / level
        result = newcomer.run(
            "autograder", "grade", tmp_path / "class", "--out", out, "--course", newcomer.course, path=path
        )
        assert level != "no-namespaces" or f"Protection: {level}" in result
        [row] = csv.DictReader((out / "grades.csv").read_text("utf-8").splitlines())
        assert (row["status"], row["total"]) == ("graded", "7"), result
