"""``assignments``, ``release``, ``gradescope`` and ``otter``: what students and platforms are given."""

from __future__ import annotations

import datetime as dt
import secrets
import shutil
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Annotated

import typer
from typer import Option

from autograder.authoring.assignments import build_assignments, verify_assignments
from autograder.authoring.checks_package import failing_checks
from autograder.authoring.release import course_folder, homework_folder, repository
from autograder.cli.app import STYLE
from autograder.cli.console import fail_if, note, say
from autograder.cli.options import CourseOption, HomeworkIds, OnlyHomeworks
from autograder.course.course import Course, find_course
from autograder.course.homework import Homework
from autograder.drills.drills import Drill, examples_drill, mending_drill
from autograder.feedback.pages import short_name
from autograder.intake.naming import listed
from autograder.intake.zips import zipped
from autograder.otter.bundle import otter_zip
from autograder.platforms.gradescope_bundle import gradescope_zip
from autograder.policy.decision_input import EXTENSIONS, course_policy
from autograder.sandbox.pool import SandboxPool

COURSE, TEMPLATE = "course", "_template"
Seed = Annotated[
    int | None,
    Option(min=0, metavar="N", help="Seed of the fresh inputs; drawn if not given."),
]
TorchIndex = Annotated[
    str,
    Option(
        metavar="URL",
        help="A package index to take PyTorch from, such as that of its CPU builds.",
    ),
]
assignments = typer.Typer(
    help="Build or verify the students' files.", no_args_is_help=True, **STYLE
)


@assignments.command()
def build(homework: HomeworkIds = None, course_folder: CourseOption = None) -> None:
    """Write stubs, handouts and notebooks from solutions/.

    Files that are in sync stay untouched. Exit status 0: done. 2: wrong usage, or a homework with a mistake.

    Example: `autograder assignments build`
    """
    course = find_course(course_folder)
    touched = build_assignments(course, homework)
    for path in touched:
        say(str(path.relative_to(course.root)))
    say(f"files changed: {len(touched)}")


@assignments.command()
def verify(homework: HomeworkIds = None, course_folder: CourseOption = None) -> None:
    """Compare assignments/ with what solutions/ would give.

    Exit status 0: they are the same. 1: they differ. 2: wrong usage.

    Example: `autograder assignments verify`
    """
    differences = verify_assignments(find_course(course_folder), homework)
    fail_if(
        differences,
        "run `autograder assignments build`, and never edit assignments/ by hand",
    )
    say("assignments/ is in sync with solutions/")


def release(
    out_folder: Path = Option(
        Path("release"), "--out", help="The folder for the zips."
    ),
    homework: OnlyHomeworks = None,
    classroom: bool = Option(
        False,
        "--classroom",
        help="Template repositories for GitHub Classroom, as folders and as zips.",
    ),
    drill: str = Option(
        "",
        metavar="ID",
        help="A drill made from this homework, or from `all`, in place of them.",
    ),
    mistakes: str = Option(
        "",
        metavar="A,B",
        help="The known mistakes to find and mend; see misconceptions.toml.",
    ),
    examples: bool = Option(
        False,
        "--examples",
        help="The drill asks for inputs that tell mistakes from right code.",
    ),
    anyway: bool = Option(
        False,
        "--anyway",
        help="Also before the homework is due: the drill shows its solution.",
    ),
    hints: bool = Option(
        True, "--hints/--no-hints", help="Whether the drill's checks say what is wrong."
    ),
    course: CourseOption = None,
) -> None:
    """Write the zips that students start from.

    There is one for each homework, and one for the course. Each holds the stub, the notebook, the handout,
    the public checks with their data, requirements.txt and START_HERE.md: nothing of the solutions, the
    hidden checks or the hidden cases. The same sources give the same bytes.

    With --classroom, each homework is the folder of a template repository instead, ready for `git init`: its
    workflow runs the public checks on each push; see docs/github_classroom.md.

    A drill to mend is the solution with mistakes in it, so it is for after the due date; see docs/drills.md.

    Exit status 0: written. 1: generated files are out of date, or a public check fails the solution. 2: wrong
    usage.

    Example: `autograder release --out release`
    """
    found = find_course(course)
    if drill:
        if classroom:
            raise typer.BadParameter(
                "drills have no repository", param_hint="--classroom"
            )
        chosen = found.homeworks(None if drill == "all" else [drill])
        if examples and mistakes:
            raise typer.BadParameter(
                "with --examples, all known mistakes count", param_hint="--mistakes"
            )
        if not examples:
            _refuse_early(found, chosen, anyway)
        with SandboxPool() as pool:
            named = mistakes.replace(",", " ").split()
            for one in chosen:
                base = one.base or one
                if drill == "all" and not named and not base.drill:
                    note(
                        f"{base.id} has no drill: its homework.toml names no mistake for one"
                    )
                    continue
                inputs = examples_drill(found, base) if examples else None
                _write_drill(
                    inputs or mending_drill(found, base, named, pool, hints=hints),
                    out_folder,
                )
        return
    if mistakes or examples or anyway:
        raise typer.BadParameter(
            "name the homework with --drill ID",
            param_hint="--mistakes, --examples, --anyway",
        )
    homeworks = found.homeworks(homework)
    fail_if(verify_assignments(found), "run `autograder assignments build` first")
    with SandboxPool() as pool:
        lines = [line for one in homeworks for line in failing_checks(found, one, pool)]
    fail_if(
        lines, "a public check must pass on the solution with the public cases alone"
    )
    folders = {one.id: homework_folder(found, one) for one in homeworks}
    whole = {} if homework else {COURSE: course_folder(homeworks, folders)}
    if classroom:
        folders, whole = (
            {one.id + TEMPLATE: repository(one, folders[one.id]) for one in homeworks},
            {},
        )
    for name, files in (*folders.items(), *whole.items()):
        _write(out_folder, name, files)
        if classroom:
            shutil.unpack_archive(out_folder / f"{name}.zip", out_folder)
            say(f"{out_folder / name}: the same, ready for `git init`")


def _write(folder: Path, name: str, files: Mapping[str, bytes]) -> None:
    path, data = folder / f"{name}.zip", zipped(files, name)
    folder.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)
    say(f"{path}: {len(files)} files, {len(data) / 1024:.0f} KiB")


def _write_drill(drill: Drill, folder: Path) -> None:
    """Write a drill's zip, and say what it shows and how to grade it."""
    _write(folder, drill.homework.id, drill.files)
    if drill.mistakes:
        shows = f"It shows the whole solution, with {listed(drill.mistakes)} in it"
        earns = (
            f"as it is, it earns {drill.earned:g} of {drill.homework.points:g} points"
        )
        say(f"{shows}; {earns}: {drill.reason}", indent=2)
    short = short_name(drill.homework.id)
    say(
        f"Grade it with `autograder grade SUBMISSIONS --out OUT --homework {short}`.",
        indent=2,
    )


def _refuse_early(course: Course, homeworks: Sequence[Homework], anyway: bool) -> None:
    """Refuse drills that show a solution which somebody may still hand in; ``anyway`` only says so."""
    policy, now = course_policy(course), dt.datetime.now(dt.UTC)
    for one in homeworks:
        extended = (
            until
            for (_, named), until in policy.extensions.items()
            if named in ("", one.id)
        )
        open_until = max(filter(None, (policy.of(one.id).due, *extended)), default=None)
        if open_until and open_until > now:
            day = f"{open_until:%Y-%m-%d %H:%M %Z}"
            line = f"{one.id} can be handed in until {day}, and this drill shows its whole solution"
            if not anyway:
                raise typer.BadParameter(
                    f"{line}: wait, or add --anyway", param_hint="--drill"
                )
            note(line)


def gradescope(
    homework: OnlyHomeworks = None,
    path: Path = Option(Path("autograder.zip"), "--out", help="The zip to write."),
    seed: Seed = None,
    torch_index: TorchIndex = "",
    course: CourseOption = None,
) -> None:
    """Write the zip that grades on Gradescope.

    Gradescope builds a container from it, once, and grades each submission in that container with the
    same hidden checks as `autograder grade`. See docs/gradescope.md for the settings to choose.

    Exit status 0: written. 2: wrong usage.

    Example: `autograder gradescope --homework hw1_attention_scores`
    """
    _write_bundle(gradescope_zip, path, course, homework, seed, torch_index)


def otter(
    homework: OnlyHomeworks = None,
    path: Path = Option(Path("otter.zip"), "--out", help="The zip to write."),
    seed: Seed = None,
    torch_index: TorchIndex = "",
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
    _write_bundle(otter_zip, path, course, homework, seed, torch_index)


def _write_bundle(
    bundle: Callable[[Course, Sequence[Homework], bool, int, str], bytes],
    path: Path,
    course: Path | None,
    homework: Sequence[str] | None,
    seed: int | None,
    torch_index: str,
) -> None:
    """Write a zip that grades elsewhere, and say what it grades and with which seed."""
    found = find_course(course)
    chosen = found.ids(homework)
    homeworks = found.homeworks(chosen)
    nameless = sorted(
        {text for text, _ in course_policy(found).extensions if "@" not in text}
    )
    if nameless:
        note(
            f"{EXTENSIONS}: no effect on Gradescope, which knows e-mail addresses alone: {listed(nameless)}"
        )
    seed = secrets.randbelow(2**31) if seed is None else seed
    data = bundle(found, homeworks, bool(chosen), seed, torch_index)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)
    names = ", ".join(one.id for one in homeworks)
    say(f"{path}: {len(data) / 1e6:.1f} MB, grades {names} with --seed {seed}")
