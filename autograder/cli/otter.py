"""``autograder otter``: the zip with which Otter-Grader packages and reports, and the kit judges."""

from __future__ import annotations

import secrets
from pathlib import Path

from typer import Option

from autograder.authoring import otter_zip
from autograder.cli.console import say
from autograder.cli.options import CourseOption, OnlyHomeworks
from autograder.course import find_course


def otter(
    homework: OnlyHomeworks = None,
    path: Path = Option(Path("otter.zip"), "--out", help="The zip to write."),
    seed: int | None = Option(None, min=0, metavar="N", help="Seed of the fresh inputs; drawn if not given."),
    torch_index: str = Option(
        "", metavar="URL", help="A package index for Gradescope to take PyTorch from, such as its CPU builds."
    ),
    course: CourseOption = None,
) -> None:
    """Write the zip that grades in Otter-Grader.

    Otter takes a submission and reports, and the kit's checks judge in between, behind the same protection
    as with `autograder grade`: Otter runs no student code. Give the zip to a TA who has Otter and the kit,
    for `otter run -a otter.zip attention_scores.ipynb`, or upload it to Gradescope under Configure
    Autograder. It holds solutions and hidden checks. See docs/otter.md.

    Exit status 0: written. 2: wrong usage, or Otter-Grader is not installed.

    Example: `autograder otter --homework hw1_attention_scores --out hw1.zip`
    """
    found = find_course(course)
    chosen = found.ids(homework)
    homeworks = found.homeworks(chosen)
    seed = secrets.randbelow(2**31) if seed is None else seed
    data = otter_zip(found, homeworks, bool(chosen), seed, torch_index)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)
    names = ", ".join(one.id for one in homeworks)
    say(f"{path}: {len(data) / 1e6:.1f} MB, grades {names} with --seed {seed}")
