"""What ``--help`` says: of the command as a whole, which must not wait for imports, and of each command."""

import os
import re
import shlex
import subprocess
import sys

import pytest
import typer.main
from rich.cells import cell_len

from autograder.cli.app import COMMANDS, app, load

from .running import run

HEAVY = (
    "numpy",
    "torch",
    "jinja2",
    "sqlite3",
    "multiprocessing",
    "autograder.verdict",
    "autograder.grading",
    "autograder.gradebook",
    "autograder.feedback",
)
PROGRAM = """
import contextlib, sys
from autograder.cli.app import main
sys.argv = ["autograder", *{words}]
with contextlib.suppress(SystemExit):
    main()
print("imported:", [name for name in {heavy} if name in sys.modules])
"""


def commands(path, command):
    """Every command with its words."""
    yield path, command
    for name, subcommand in getattr(command, "commands", {}).items():
        yield from commands((*path, name), subcommand)


ALL = {path: command for name in COMMANDS for path, command in commands((name,), load(name))}
ALONE = {path: command for path, command in ALL.items() if not hasattr(command, "commands")}
each = pytest.mark.parametrize("path", [(), *ALL], ids=lambda path: " ".join(path) or "autograder")
each_alone = pytest.mark.parametrize("path", ALONE, ids=lambda path: " ".join(path))


@pytest.fixture(autouse=True)
def _at_80_columns(monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")


def example(path):
    [examples] = re.findall(r"^Example: `autograder (.+)`$", ALONE[path].help, re.MULTILINE)
    return str(examples)


@each
def test_every_command_and_option_has_a_help_text(path):
    command = ALL[path] if path else typer.main.get_command(app)
    assert len((command.help or "").split()) >= 3
    for parameter in command.params:
        assert parameter.help, f"{' '.join(path)}: {parameter.name}"
    result = run(*path, "--help")
    assert result.exit == 0
    assert "Usage:" in result.out
    assert max(map(cell_len, result.out.splitlines())) <= 80
    assert re.findall(r"<\S+>|[{]\S+[}]|list\[", result.out) == []  # no types of Python


def test_all_commands_of_the_design_are_there():
    assert {path[0] for path in ALL} >= {"grade", "check", "audit", "reference", "assignments"}
    assert {path[0] for path in ALL} >= {"regrade", "status", "withdraw"}
    assert {("reference", "build"), ("reference", "verify")} <= ALL.keys()
    assert {("assignments", "build"), ("assignments", "verify")} <= ALL.keys()


def test_without_a_command_the_help_is_shown():
    result = run()
    assert "Usage:" in result.out + result.err
    assert "grade" in result.out + result.err


@pytest.mark.parametrize("name", COMMANDS)
def test_the_list_says_of_a_command_what_its_own_help_says_first_on_one_line(name):
    group, _, summary = COMMANDS[name]
    assert load(name).help.splitlines()[0] == summary
    overview = run("--help").out
    assert f"─ {group} ─" in overview
    assert re.search(rf"^│ {name} +{re.escape(summary)} +│$", overview, re.MULTILINE)


@each_alone
def test_a_command_tells_its_exit_statuses_and_an_example_that_can_be_pasted(path):
    text = run(*path, "--help").out
    words = shlex.split(example(path))
    assert re.search(rf"^ Example: autograder {re.escape(example(path))} *$", text, re.MULTILINE)
    assert tuple(words[: len(path)]) == path
    ALONE[path].make_context(" ".join(path), words[len(path) :])  # raises where an option does not exist
    assert "Exit status 0" in text


def test_the_examples_follow_one_another(kit):
    kit.submit("ada").parent.parent.rename(kit.root / "submissions")
    (kit.root / "roster.csv").write_text("Identifier,Grade,Maximum Grade\nada,,6\n", "utf-8")
    (kit.root / "times.csv").write_text("submission,submitted_at\nada,2027-01-01T12:00:00Z\n", "utf-8")
    assert run(*shlex.split(example(("grade",))), "--unsafe").exit == 0
    (kit.root / "graded-monday").symlink_to(kit.out)
    for name in ("report", "policy", "written", "status", "export", "diff", "withdraw"):
        result = run(*shlex.split(example((name,))))
        assert result.exit == 0, result.err


@pytest.mark.parametrize(
    ("words", "option"),
    [(("--help",), "Maintenance"), (("--version",), "autograder "), (("doctro",), "Did you mean 'doctor'?")],
)
def test_what_needs_no_command_imports_none(words, option):
    program = PROGRAM.format(words=words, heavy=HEAVY)
    result = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert option in result.stdout + result.stderr
    assert result.stdout.splitlines()[-1] == "imported: []"


def completions(shell, *words):
    """What the shell is offered for the last word."""
    environment = {
        **os.environ,
        "_AUTOGRADER_COMPLETE": f"complete_{shell}",
        "COMP_WORDS": " ".join(("autograder", *words)),
        "COMP_CWORD": str(len(words)),
        "_TYPER_COMPLETE_ARGS": " ".join(("autograder", *words)),
    }
    program = "import sys; sys.argv = ['autograder']; from autograder.cli.app import main; main()"
    result = subprocess.run(
        [sys.executable, "-c", program], env=environment, capture_output=True, text=True, check=False
    )
    assert result.stderr == ""
    return result.stdout.splitlines()


@pytest.mark.parametrize("shell", ["bash", "zsh"])
def test_tab_completes_commands_and_their_options(shell):
    assert any("regrade" in line for line in completions(shell, "reg"))
    assert any("--homework" in line for line in completions(shell, "grade", "--home"))


def test_only_the_whole_command_offers_to_install_completion():
    assert "--install-completion" in run("--help").out
    assert "--install-completion" not in run("grade", "--help").out


def test_a_service_that_is_gone_is_not_offered():
    help_of_release = " ".join(re.findall(r"[\w-]+", run("release", "--help").out))
    assert "GitHub Classroom" not in help_of_release
    assert "--classroom Template repositories for GitHub as folders" in help_of_release
