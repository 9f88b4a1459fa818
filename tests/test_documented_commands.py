"""Commands in the documents: their options, targets and modules exist, and each is run by some test."""

import re
import shlex
import subprocess
from functools import cache
from pathlib import Path

import pytest
from documented import NOT_OURS, NOT_RUN, RUN_BY_CI, RUN_ELSEWHERE
from followed import ROOT, console_blocks, documents

from autograder.cli.app import COMMANDS, load

INLINE = re.compile(
    r"`((?:\.venv/bin/)?autograder [^`]*|make [^`]*|(?:PYTHONPATH=\S+ )?python -m tests\.[^`]*)`"
)
LINK = re.compile(r"\]\(([^)\s#]+)(?:#([^)\s]+))?\)|\]\(#([^)\s]+)\)")
each = pytest.mark.parametrize("document", documents(), ids=lambda path: path.name)


def all_commands(document):
    """Commands of console blocks, and those within a line of text."""
    text = document.read_text("utf-8")
    commands = [command for block in console_blocks(document) for command in block]
    return commands + [" ".join(command.split()) for command in INLINE.findall(text)]


def words_after(command, program):
    """The words after a program's name, or None if the command runs another program."""
    words = shlex.split(command, comments=True)
    while words and "=" in words[0]:
        words = words[1:]  # settings for this command only
    if not words or Path(words[0]).name != program:
        return None
    return words[1:]


@cache
def options_of(name):
    """All options of a command and of the commands below it."""
    command = load(name)
    options = {"--help"}
    for each_command in (command, *getattr(command, "commands", {}).values()):
        for parameter in each_command.params:
            options.update(parameter.opts, parameter.secondary_opts)
    return frozenset(options)


@each
def test_every_command_of_the_kit_has_the_named_options(document):
    for command in all_commands(document):
        words = words_after(command, "autograder")
        if not words or words[0].startswith("-"):
            continue
        name, *others = words
        assert name in COMMANDS, command
        options = {word.partition("=")[0] for word in others if word.startswith("-")}
        assert options <= options_of(name), command


@each
def test_every_target_and_setting_of_make_exists(document):
    makefile = (ROOT / "Makefile").read_text("utf-8")
    for command in all_commands(document):
        for word in words_after(command, "make") or []:
            if word.startswith("-"):
                continue
            setting, is_setting, _ = word.partition("=")
            if not is_setting:
                assert re.search(rf"^{re.escape(word)}:", makefile, re.MULTILINE), command
            elif setting != "TORCH_INDEX":  # exported to install.py
                assert re.search(rf"\$\({setting}\)|^{setting} \?=", makefile, re.MULTILINE), command


@each
def test_every_module_that_is_run_exists_and_finds_what_it_imports(document):
    for command in all_commands(document):
        if match := re.search(r"python -m (tests\.\S+)", command):
            path = ROOT / match[1].replace(".", "/")
            assert path.with_suffix(".py").is_file() or (path / "__main__.py").is_file(), command
            if "tests.pages" in command:  # they import helpers that lie in tests/
                assert command.startswith("PYTHONPATH=tests "), command


@each
def test_every_link_leads_somewhere(document):
    for path, heading, here in LINK.findall(document.read_text("utf-8")):
        if "://" in path:
            continue
        target = document.parent / path if path else document
        assert target.exists(), f"{document.name}: {path}"
        if heading or here:
            titles = re.findall(r"^#+ (.*)$", target.read_text("utf-8"), re.MULTILINE)
            anchors = [re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-") for title in titles]
            assert (heading or here) in anchors, f"{document.name}: {path}#{heading or here}"


def test_the_readme_is_a_map_of_all_pages():
    text = (ROOT / "README.md").read_text("utf-8")
    pages = {f"docs/{path.name}" for path in (ROOT / "docs").glob("*.md")}
    assert {page for page in pages if f"]({page}" not in text} == set()
    before_tables, _, _ = text.partition("\n| ")
    assert len(before_tables.splitlines()) <= 65


def test_the_tables_of_commands_that_are_not_run_name_commands_of_the_documents():
    commands = {command for path in documents() for block in console_blocks(path) for command in block}
    assert sorted(command for command in (*NOT_RUN, *RUN_BY_CI) if command not in commands) == []
    programs = {Path(command.split()[0]).name for command in commands if command}
    assert sorted(NOT_OURS.keys() - programs) == []
    assert RUN_ELSEWHERE.keys() <= {path.name for path in documents()}
    reasons = [*RUN_ELSEWHERE.values(), *NOT_OURS.values(), *NOT_RUN.values()]
    for test in re.findall(r"tests/\S+\.py", " ".join(reasons)):
        assert (ROOT / test).is_file(), test


def test_the_workflow_runs_what_is_left_to_it():
    workflow = (ROOT / ".ci" / "run").read_text("utf-8")
    for command in RUN_BY_CI:
        [target] = [word for word in command.split()[1:] if "=" not in word]
        assert re.search(rf"make\b.*\b{target}\b", workflow), command


def test_every_target_of_make_can_be_planned():
    """A target that needs a file that nothing makes ends with an error, also where nothing is run."""
    makefile = (ROOT / "Makefile").read_text("utf-8")
    targets = re.findall(r"^([a-z]+):.*##", makefile, re.MULTILINE)
    process = subprocess.run(["make", "-n", *targets], cwd=ROOT, capture_output=True, text=True, check=False)
    assert process.returncode == 0, process.stderr
    files = re.findall(r"tests/\S+\.py", makefile)
    assert files
    assert [file for file in files if not (ROOT / file).is_file()] == []
