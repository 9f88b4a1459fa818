"""``autograder release``: the zips that students download."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from autograder.authoring import course_folder, failing_checks, homework_folder, verify_assignments, zipped
from autograder.cli.console import fail_if, say
from autograder.cli.options import CourseOption, OnlyHomeworks
from autograder.course import find_course
from autograder.sandbox import SandboxPool

COURSE = "course"


def release(
    out_folder: Annotated[Path, typer.Option("--out", help="The folder for the zips.")] = Path("release"),
    homework: OnlyHomeworks = None,
    course: CourseOption = None,
) -> None:
    """Write a zip for each homework, and one for the course, that students can start from.

    Each holds the stub, the notebook, the handout, the public checks with their data, requirements.txt and
    START_HERE.md: nothing of the solutions, the hidden checks or the hidden cases. The same sources give the
    same bytes. Exit status 1 where generated files are out of date or a public check fails the solution.
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
