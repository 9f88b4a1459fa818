"""``autograder gradescope``: the zip to upload as a Gradescope autograder."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from autograder.authoring import gradescope_zip
from autograder.cli.console import say
from autograder.cli.options import CourseOption, OnlyHomeworks
from autograder.course import find_course


def gradescope(
    homework: OnlyHomeworks = None,
    path: Annotated[Path, typer.Option("--out", help="The zip to write.")] = Path("autograder.zip"),
    torch_index: Annotated[
        str,
        typer.Option(
            metavar="URL", help="A package index to take PyTorch from, such as that of its CPU builds."
        ),
    ] = "",
    course: CourseOption = None,
) -> None:
    """Write the zip to upload: `autograder gradescope --homework hw1_attention_scores`.

    Gradescope builds a container from it, once, and grades each submission in that container with the
    same hidden checks as `autograder grade`. See docs/gradescope.md for the settings to choose.
    """
    found = find_course(course)
    chosen = list(dict.fromkeys(homework or []))
    homeworks = found.homeworks(chosen)
    data = gradescope_zip(found, homeworks, bool(chosen), torch_index)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)
    names = ", ".join(one.id for one in homeworks)
    say(f"{path}: {len(data) / 1e6:.1f} MB, grades {names}")
