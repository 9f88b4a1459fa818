"""Packages for platforms: GitHub Classroom's template repository, as a runner runs it, and Gradescope's bundle."""

import ast
import importlib.metadata
import io
import os
import re
import shutil
import subprocess
import sys
import zipfile
from dataclasses import dataclass

import pytest
import yaml
from intake.clones import git
from markdown_it import MarkdownIt
from released import HW1, released, repository_of, unzip
from submissions import right_text
from typer.testing import CliRunner
from wording import to_authors

from autograder.cli import release as command
from autograder.cli.app import app
from autograder.course.course import Course
from autograder.course.schema import CourseError
from autograder.platforms import gradescope_bundle as bundle
from autograder.platforms.gradescope_bundle import SCRIPTS, gradescope_zip, requirements

HW6 = "hw6_encoder_block"
STUB = "attention_scores.py"
CHECKS = ".github/workflows/checks.yml"
ERROR = re.compile(r"^::error (.*?)::(.*)$", re.MULTILINE)


def workflow_of(homework_id):
    """The workflow, its keys as GitHub reads them: to YAML 1.1, ``on`` is a boolean."""
    return dict(yaml.load(repository_of(homework_id)[CHECKS], yaml.BaseLoader))


def test_a_repository_holds_all_that_is_released_and_how_github_runs_it():
    repository = repository_of(HW1)
    assert repository.keys() - released(HW1).keys() == {CHECKS, ".gitignore", "README.md"}
    assert released(HW1).keys() - repository.keys() == {"START_HERE.md"}
    assert all(repository[name] == data for name, data in released(HW1).items() if name in repository)
    readme = repository["README.md"].decode()
    assert "git push" in readme
    assert "--pack" not in readme


@pytest.mark.parametrize("homework_id", [HW1, HW6])
def test_a_workflow_can_read_its_repository_and_nothing_else(homework_id):
    workflow = workflow_of(homework_id)
    assert workflow["on"].keys() == {"push", "workflow_dispatch"}
    assert workflow["permissions"] == {"contents": "read"}
    [job] = workflow["jobs"].values()
    assert int(job["timeout-minutes"]) <= 10
    uses = {step["uses"].partition("@")[0]: step for step in job["steps"] if "uses" in step}
    assert uses.keys() == {"actions/checkout", "actions/setup-python"}
    assert all(re.fullmatch(r"[\w/-]+@v\d+", step["uses"]) for step in uses.values())
    assert uses["actions/checkout"]["with"]["persist-credentials"] == "false"
    assert uses["actions/setup-python"]["with"]["cache"] == "pip"
    text = repository_of(homework_id)[CHECKS].decode()
    assert "${{" not in text, "what is put into a script by GitHub may be a student's"
    assert "secrets" not in text
    assert ("--torch-backend=cpu" in text) == (homework_id == HW6)


@dataclass(frozen=True)
class Run:
    """What a runner makes of a workflow: the exit status, the log, and the summary."""

    status: int
    log: str
    summary: str

    @property
    def errors(self):
        """The annotations, as the runner reads them: properties, and what is said."""
        errors = []
        for listed, message in ERROR.findall(self.log):
            properties = dict(pair.split("=", 1) for pair in listed.split(","))
            errors.append(({key: plain(value) for key, value in properties.items()}, plain(message)))
        return errors


def plain(text):
    for code, sign in (("%0D", "\r"), ("%0A", "\n"), ("%3A", ":"), ("%2C", ","), ("%25", "%")):
        text = text.replace(code, sign)
    return text


def run_workflow(template, folder, text):
    """Do what a runner does: check out a student's repository, and run the steps, but install nothing."""
    git(folder.parent, "clone", "-q", str(template), str(folder))
    (folder / STUB).write_text(text, "utf-8")
    git(folder, "commit", "-qam", "Done")
    programs, summary = folder.parent / f"{folder.name}-bin", folder.parent / f"{folder.name}.md"
    programs.mkdir()
    (programs / "python").symlink_to(sys.executable)
    [job] = workflow_of(HW1)["jobs"].values()
    install, *steps = [step["run"] for step in job["steps"] if "run" in step]
    assert install.split() == ["pip", "install", "-r", "requirements.txt"]
    exit_code, log = 0, ""
    for number, script in enumerate(steps):
        (programs / str(number)).write_text(script)
        process = subprocess.run(
            ["bash", "-e", str(programs / str(number))],
            cwd=folder,
            env={
                "PATH": f"{programs}{os.pathsep}{os.environ['PATH']}",
                "HOME": str(folder.parent),
                "VIRTUAL_ENV": sys.prefix,
                "PYTHONPATH": os.pathsep.join(path for path in sys.path if path.endswith("site-packages")),
                "GITHUB_ACTIONS": "true",
                "GITHUB_WORKSPACE": str(folder),
                "GITHUB_STEP_SUMMARY": str(summary),
                "LANG": "C.UTF-8",
            },
            capture_output=True,
            encoding="utf-8",
            check=False,
        )
        assert process.stderr == ""
        exit_code, log = exit_code or process.returncode, log + process.stdout
    assert git(folder, "status", "--porcelain") == "", "a run leaves nothing behind that git would add"
    return Run(exit_code, log, summary.read_text("utf-8"))


@pytest.fixture(scope="module")
def template(tmp_path_factory):
    path = unzip(HW1, tmp_path_factory.mktemp("classroom") / "template", repository_of(HW1))
    git(path, "init", "-q", "-b", "main")
    git(path, "add", ".")
    git(path, "commit", "-q", "-m", "Homework")
    return path


def table_of(summary):
    """The rows of the summary's table, as GitHub would render their cells, but without marks of style."""
    tokens = MarkdownIt("gfm-like", {"linkify": False}).parse(summary)
    rows = []
    for token in tokens:
        if token.type == "tr_open":
            rows.append([])
        elif token.type == "inline" and token.level > 2:
            rows[-1].append("".join(child.content for child in token.children or ()))
    return rows[1:]


def test_right_code_is_green_and_marks_nothing(template, tmp_path):
    run = run_workflow(template, tmp_path / "ada", right_text(HW1, "einsum"))
    assert (run.status, run.errors) == (0, [])
    rows = table_of(run.summary)
    assert {mark for mark, _, _ in rows} == {"✓"}
    assert ["✓", "softmax", "5/5"] in rows
    assert ["✓", "gives [[8, 13], [6, 7]] for the integer example", "1/1"] in rows


def test_half_done_work_is_red_with_what_to_fix_first_and_the_lines_it_is_about(template, tmp_path):
    stub = released(HW1)[STUB].decode()
    text = stub.replace("def softmax", "def qk_scores(Q, K):\n    return Q @ K.T\n\n\ndef softmax")
    text += "\n\ndef softmax(x):\n    rows = 'a|b, c: 100%'\n    raise ValueError(f'{rows} <b>x</b>')\n"
    run = run_workflow(template, tmp_path / "bo", text)
    assert run.status == 1
    [(where, message), *others] = run.errors
    line = 1 + text.splitlines().index("    raise ValueError(f'{rows} <b>x</b>')")
    assert where == {"file": STUB, "line": str(line), "title": "softmax"}
    assert "“a|b, c: 100% <b>x</b>”" in message
    assert {place["title"] for place, _ in others}.isdisjoint({"qk_scores", "scale_scores"})
    rows = table_of(run.summary)
    assert ["✓", "qk_scores", "3/3"] in rows
    assert ["–", "scale_scores: not written yet", "0/3"] in rows
    assert ["✗", "softmax", "0/5"] in rows
    html = MarkdownIt("gfm-like", {"linkify": False}).render(run.summary)
    assert "“a|b, c: 100% &lt;b&gt;x&lt;/b&gt;”" in html
    assert "First thing to fix" in run.log


def test_code_that_is_not_python_is_red_at_its_line(template, tmp_path):
    run = run_workflow(template, tmp_path / "cy", "import numpy as np\ndef softmax(x:\n")
    assert run.status == 1
    [(where, message)] = run.errors
    assert where == {"file": STUB, "line": "2", "title": "Attention scores"}
    assert "SyntaxError" in message
    assert {points for _, _, points in table_of(run.summary)} == {"0/3", "0/4", "0/5"}


def test_the_command_writes_folders_and_zips_and_leaves_a_repository_in_place(tmp_path, monkeypatch):
    monkeypatch.setattr(command, "verify_assignments", lambda course: [])
    monkeypatch.setattr(command, "failing_checks", lambda *of: [])
    top = tmp_path / f"{HW1}_template"
    (top / ".git").mkdir(parents=True)
    result = CliRunner().invoke(app, ["release", "--classroom", "--homework", HW1, "--out", str(tmp_path)])
    assert result.exit_code == 0, result.output
    assert sorted(path.name for path in tmp_path.iterdir()) == [top.name, f"{HW1}_template.zip"]
    assert (top / ".git").is_dir()
    assert (top / CHECKS).read_bytes() == repository_of(HW1)[CHECKS]
    shutil.unpack_archive(tmp_path / f"{HW1}_template.zip", tmp_path / "unpacked")
    assert (tmp_path / "unpacked" / top.name / ".gitignore").is_file()
    both = CliRunner().invoke(app, ["release", "--classroom", "--drill", "hw1"])
    assert both.exit_code == 2


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
