"""docs/adding_a_homework.md does what it says: files are written, commands answer what is shown."""

from __future__ import annotations

import ast
import re
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from .running import run

PAGE = Path(__file__).parents[2] / "docs" / "adding_a_homework.md"
FENCE = re.compile(r"(?:^(All of|In) `([^`]+)`:\n\n)?^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
HEADING = re.compile(r"^#{2,3} .*$", re.MULTILINE)
VARIES = (  # what another machine, or a faster one, says otherwise
    (r"\d+(\.\d+)? ?(s|seconds|KiB|MB)\b", "N \\2"),
    (r"^Protection: .*$", "Protection: …"),
)
LEFT_OUT, HOME = "…", "/home/you"

pytestmark = pytest.mark.slow


@dataclass(frozen=True)
class Step:
    """A block of the page: a file to write, a part of one to replace, or commands with their answers."""

    how: str
    path: str
    language: str
    text: str


def steps() -> list[Step]:
    return [
        Step(*(part or "" for part in found.groups())) for found in FENCE.finditer(PAGE.read_text("utf-8"))
    ]


def commands(text: str) -> Iterator[tuple[str, str]]:
    """Yield each command of a console block with the answer that is shown."""
    for part in re.split(r"^\$ ", text, flags=re.MULTILINE)[1:]:
        command, _, answer = part.partition("\n")
        yield command, answer


def with_functions(old: str, new: str) -> str:
    """Return Python with each name that the new text binds bound as there."""
    texts = spans(new)
    for name, (start, end) in sorted(spans(old).items(), key=lambda one: one[1], reverse=True):
        if name in texts:
            first, last = texts.pop(name)
            lines = old.splitlines(keepends=True)
            old = "".join([*lines[:start], *new.splitlines(keepends=True)[first:last], *lines[end:]])
    assert not texts
    return old


def spans(text: str) -> dict[str, tuple[int, int]]:
    """The lines from the first to the last statement that binds or fills each name."""
    found: dict[str, tuple[int, int]] = {}
    for node in ast.parse(text).body:
        target = node.targets[0] if isinstance(node, ast.Assign) else node
        name = getattr(getattr(target, "value", target), "id", getattr(target, "name", ""))
        if name:
            assert node.end_lineno is not None
            found[name] = (found.get(name, (node.lineno - 1, 0))[0], node.end_lineno)
    return found


def with_sections(old: str, new: str) -> str:
    """Return Markdown with each section that the new text has as it is there."""
    for section in re.split(r"(?=^#{2,3} )", new, flags=re.MULTILINE)[1:]:
        title = section.partition("\n")[0]
        start = re.search(rf"^{re.escape(title)}$", old, re.MULTILINE)
        assert start is not None, title
        following = HEADING.search(old, start.end())
        end = following.start() if following else len(old)
        old = old[: start.start()] + section.rstrip() + "\n\n" + old[end:]
    return old


def apply(step: Step) -> None:
    path = Path(step.path)
    assert path.is_file(), path
    old = path.read_text("utf-8")
    change = with_sections if path.suffix == ".md" else with_functions
    path.write_text(step.text if step.how == "All of" else change(old, step.text), encoding="utf-8")


def answer(command: str, monkeypatch: pytest.MonkeyPatch) -> str:
    program, *words = command.split()
    if program == "cd":
        monkeypatch.chdir(words[0])
        return ""
    if program == "autograder":
        done = run(*words)
        return done.err + done.out
    return subprocess.run(command, shell=True, capture_output=True, text=True, check=False).stdout


def normal(text: str, root: Path) -> list[str]:
    text = text.replace(str(root), HOME)
    for pattern, instead in VARIES:
        text = re.sub(pattern, instead, text, flags=re.MULTILINE)
    return [line.rstrip() for line in text.splitlines() if line.strip()]


def is_shown(said: list[str], shown: list[str]) -> bool:
    """Whether the lines are those that are shown, with any number of lines in place of a line `…`."""
    pattern = "".join(r"(?:.*\n)*?" if one == LEFT_OUT else f"{re.escape(one)}\n" for one in shown)
    return bool(re.fullmatch(pattern.replace(re.escape(LEFT_OUT), ".*"), "\n".join([*said, ""])))


def test_the_page_builds_a_homework_with_the_commands_and_answers_that_it_shows(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    made = 0
    for step in steps():
        if step.how:
            apply(step)
        for command, shown in commands(step.text) if step.language == "console" else ():
            said = normal(answer(command, monkeypatch), tmp_path)
            assert is_shown(said, normal(shown, tmp_path)), "\n".join([f"$ {command}", *said])
            made += 1
    assert made >= 15
