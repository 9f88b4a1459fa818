"""A template repository for GitHub Classroom: what it holds, and its workflow, run as a runner runs it."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from dataclasses import dataclass

import pytest
import yaml
from intake.clones import git
from markdown_it import MarkdownIt
from released import HW1, released, repository_of, unzip
from submissions import right_text
from typer.testing import CliRunner

from autograder.cli import release as command
from autograder.cli.app import app

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
