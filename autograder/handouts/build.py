"""Make a homework's handout: its text as Markdown, the same as a web page, and its picture."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from autograder.handouts.example import Example, read_example
from autograder.handouts.fill import MARKDOWN, PAGE, PICTURE_FILE, fill_handout
from autograder.handouts.page import page
from autograder.handouts.pipes import line_up_pipes
from autograder.handouts.questions import question_list
from autograder.handouts.svg import svg
from autograder.homework.model import CourseError, Homework
from autograder.sandbox.pool import SandboxPool

HANDOUT, PAGE_FILE = "handout.md", "handout.html"
TASKS_MARK, QUESTIONS_MARK = "{{ tasks }}", "{{ questions }}"


def handout_files(homework: Homework, pool: SandboxPool) -> Mapping[str, str]:
    """Return the text of each file of the handout, by file name.

    Raises:
        CourseError: the handout, its example or its picture is wrong.
    """
    path = homework.folder / HANDOUT
    template, example = _template(path), read_example(homework, pool)
    if homework.questions and QUESTIONS_MARK not in template:
        raise CourseError(f"{path} needs a line {QUESTIONS_MARK}, where the questions of questions.toml go")
    try:
        return dict(_written(homework, template, example))
    except ValueError as error:
        raise CourseError(f"{path}: {error}") from error


def _template(path: Path) -> str:
    text = path.read_text(encoding="utf-8") if path.is_file() else ""
    if TASKS_MARK not in text:
        raise CourseError(f"{path} needs a line {TASKS_MARK}, where the table of tasks goes")
    return text


def _written(homework: Homework, template: str, example: Example) -> list[tuple[str, str]]:
    blocks = {"tasks": _task_table(homework), "questions": question_list(homework)}
    markdown, html = (fill_handout(template, blocks, example, form) for form in (MARKDOWN, PAGE))
    files = [(HANDOUT, line_up_pipes(markdown)), (PAGE_FILE, page(homework.title, html))]
    return files + ([(PICTURE_FILE, svg(example.picture))] if example.picture else [])


def _task_table(homework: Homework) -> str:
    rows = [("task", "what it gives", "points"), ("---", "---", "---:")]
    rows += [(f"`{task.name}`", task.summary, f"{task.points:g}") for task in homework.tasks]
    rows.append(("**total**", "", f"**{homework.points:g}**"))
    return "\n".join(f"| {' | '.join(row)} |" for row in rows)
