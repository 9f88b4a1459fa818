"""``autograder init``: make an empty folder a course."""

from __future__ import annotations

import shlex
from pathlib import Path

from typer import Argument, Option

from autograder.authoring.new_course import begin_course
from autograder.cli.console import print_line


def init(
    folder: Path = Argument(..., metavar="DIR", help="A new or an empty folder."),
    homeworks: str = Option(
        "", metavar="ID,ID", help="Homeworks of the kit to include, or all."
    ),
) -> None:
    """Create a course, with or without homeworks of the kit.

    A course has README.md, constraints.txt, .gitignore and solutions/course.toml. With --homeworks,
    solutions, students' files, expected outputs and the submissions that prove them are copied as well; from
    then on they are the course's own.

    Exit status 0: written. 2: wrong usage, or the folder is not empty.

    Example: `autograder init mycourse --homeworks hw1,hw5`
    """
    course, ids = begin_course(folder, homeworks.replace(",", " ").split())
    contents = ""
    command = "new hw1_first_words --tasks count_words"
    if ids:
        contents = f" with {', '.join(ids)}"
        command = "check"
    print_line(f"{course.root} is now a course{contents}. Next:")
    print_line(f"  autograder {command} --course {shlex.quote(str(folder))}")
