"""docs/adding_a_homework.md does what it says: files are written, commands answer what is shown."""

import ast
import re
import subprocess
from pathlib import Path

from followed import commands, is_shown, normal, steps

from ..running import run

HEADING = re.compile(r"^#{2,3} .*$", re.MULTILINE)


def with_functions(old, new):
    """Return Python with each name that the new text binds bound as there."""
    texts = spans(new)
    for name, (start, end) in sorted(spans(old).items(), key=lambda span: span[1], reverse=True):
        if name in texts:
            first, last = texts.pop(name)
            lines = old.splitlines(keepends=True)
            old = "".join([*lines[:start], *new.splitlines(keepends=True)[first:last], *lines[end:]])
    assert not texts
    return old


def spans(text):
    """The lines from the first to the last statement that binds or fills each name."""
    spans_by_line = {}
    for node in ast.parse(text).body:
        target = node.targets[0] if isinstance(node, ast.Assign) else node
        name = getattr(getattr(target, "value", target), "id", getattr(target, "name", ""))
        if name:
            assert node.end_lineno is not None
            spans_by_line[name] = (spans_by_line.get(name, (node.lineno - 1, 0))[0], node.end_lineno)
    return spans_by_line


def with_sections(old, new):
    """Return Markdown with each section that the new text has as it is there."""
    for section in re.split(r"(?=^#{2,3} )", new, flags=re.MULTILINE)[1:]:
        title = section.partition("\n")[0]
        start = re.search(rf"^{re.escape(title)}$", old, re.MULTILINE)
        assert start is not None, title
        following = HEADING.search(old, start.end())
        end = following.start() if following else len(old)
        old = old[: start.start()] + section.rstrip() + "\n\n" + old[end:]
    return old


def apply(step):
    path = Path(step.path)
    assert path.is_file(), path
    old = path.read_text("utf-8")
    change = with_sections if path.suffix == ".md" else with_functions
    path.write_text(step.text if step.how == "All of" else change(old, step.text), encoding="utf-8")


def answer(command, monkeypatch):
    program, *words = command.split()
    if program == "cd":
        monkeypatch.chdir(words[0])
        return ""
    if program == "autograder":
        result = run(*words)
        return result.err + result.out
    return subprocess.run(command, shell=True, capture_output=True, text=True, check=False).stdout


def test_the_page_builds_a_homework_with_the_commands_and_answers_that_it_shows(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    count = 0
    for step in steps("adding_a_homework.md"):
        if step.how:
            apply(step)
        for command, expected in commands(step.text) if step.language == "console" else ():
            output = normal(answer(command, monkeypatch), tmp_path)
            assert is_shown(output, normal(expected, tmp_path)), "\n".join([f"$ {command}", *output])
            count += 1
    assert count >= 15
