"""``autograder assignments``, ``release`` and ``gradescope``: what students and Gradescope are given."""

from __future__ import annotations

import secrets
from pathlib import Path
from typing import Annotated

import typer

from autograder.authoring import (
    build_assignments,
    course_folder,
    failing_checks,
    gradescope_zip,
    homework_folder,
    verify_assignments,
    zipped,
)
from autograder.cli.app import STYLE
from autograder.cli.console import fail_if, note, say
from autograder.cli.options import CourseOption, OnlyHomeworks
from autograder.course import find_course
from autograder.intake import listed
from autograder.records import EXTENSIONS, course_policy
from autograder.sandbox import SandboxPool

COURSE = "course"
assignments = typer.Typer(help="Build or verify the students' files.", no_args_is_help=True, **STYLE)


@assignments.command()
def build(course_folder: CourseOption = None) -> None:
    """Write stubs, handouts and notebooks from solutions/.

    Files that are in sync stay untouched. Exit status 0: done. 2: wrong usage, or a homework with a mistake.

    Example: `autograder assignments build`
    """
    course = find_course(course_folder)
    touched = build_assignments(course)
    for path in touched:
        say(str(path.relative_to(course.root)))
    say(f"files changed: {len(touched)}")


@assignments.command()
def verify(course_folder: CourseOption = None) -> None:
    """Compare assignments/ with what solutions/ would give.

    Exit status 0: they are the same. 1: they differ. 2: wrong usage.

    Example: `autograder assignments verify`
    """
    differences = verify_assignments(find_course(course_folder))
    fail_if(differences, "run `autograder assignments build`, and never edit assignments/ by hand")
    say("assignments/ is in sync with solutions/")


def release(
    out_folder: Annotated[Path, typer.Option("--out", help="The folder for the zips.")] = Path("release"),
    homework: OnlyHomeworks = None,
    course: CourseOption = None,
) -> None:
    """Write the zips that students start from.

    There is one for each homework, and one for the course. Each holds the stub, the notebook, the handout,
    the public checks with their data, requirements.txt and START_HERE.md: nothing of the solutions, the
    hidden checks or the hidden cases. The same sources give the same bytes.

    Exit status 0: written. 1: generated files are out of date, or a public check fails the solution. 2: wrong
    usage.

    Example: `autograder release --out release`
    """
    found = find_course(course)
    homeworks = found.homeworks(homework)
    fail_if(verify_assignments(found), "run `autograder assignments build` first")
    with SandboxPool() as pool:
        lines = [line for one in homeworks for line in failing_checks(found, one, pool)]
    fail_if(lines, "a public check must pass on the solution with the public cases alone")
    out_folder.mkdir(parents=True, exist_ok=True)
    folders = {one.id: homework_folder(found, one) for one in homeworks}
    whole = {} if homework else {COURSE: course_folder(homeworks, folders)}
    for name, files in (*folders.items(), *whole.items()):
        path, data = out_folder / f"{name}.zip", zipped(files, name)
        path.write_bytes(data)
        say(f"{path}: {len(files)} files, {len(data) / 1024:.0f} KiB")


def gradescope(
    homework: OnlyHomeworks = None,
    path: Annotated[Path, typer.Option("--out", help="The zip to write.")] = Path("autograder.zip"),
    seed: Annotated[
        int | None, typer.Option(min=0, metavar="N", help="Seed of the fresh inputs; drawn if not given.")
    ] = None,
    torch_index: Annotated[
        str,
        typer.Option(
            metavar="URL", help="A package index to take PyTorch from, such as that of its CPU builds."
        ),
    ] = "",
    course: CourseOption = None,
) -> None:
    """Write the zip that grades on Gradescope.

    Gradescope builds a container from it, once, and grades each submission in that container with the
    same hidden checks as `autograder grade`. See docs/gradescope.md for the settings to choose.

    Exit status 0: written. 2: wrong usage.

    Example: `autograder gradescope --homework hw1_attention_scores`
    """
    found = find_course(course)
    chosen = found.ids(homework)
    homeworks = found.homeworks(chosen)
    nameless = sorted({text for text, _ in course_policy(found).extensions if "@" not in text})
    if nameless:
        note(f"{EXTENSIONS}: no effect on Gradescope, which knows e-mail addresses alone: {listed(nameless)}")
    seed = secrets.randbelow(2**31) if seed is None else seed
    data = gradescope_zip(found, homeworks, bool(chosen), seed, torch_index)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)
    names = ", ".join(one.id for one in homeworks)
    say(f"{path}: {len(data) / 1e6:.1f} MB, grades {names} with --seed {seed}")
