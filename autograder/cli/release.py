"""``assignments``, ``release``, ``gradescope`` and ``otter``: files for students and platforms."""

from __future__ import annotations

import datetime as dt
import secrets
import shutil
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Annotated

import typer
from typer import Option

from autograder.archives import zipped
from autograder.authoring.assignments import (
    REMEDY,
    build_assignments,
    left_behind,
    verify_assignments,
)
from autograder.authoring.checks_package import failing_checks
from autograder.authoring.release import course_folder, homework_folder, repository
from autograder.authoring.worked_solution import worked_solution
from autograder.cli.app import STYLE
from autograder.cli.console import fail_if, note, notes, print_line
from autograder.cli.options import CourseOption, HomeworkIds, OnlyHomeworks
from autograder.course.course import Course, find_course
from autograder.course.homework import Homework, short_id
from autograder.drills.drills import Drill, examples_drill, mending_drill
from autograder.examples.telling import NoExamplesError
from autograder.intake.naming import listed
from autograder.otter.bundle import otter_zip
from autograder.platforms.gradescope_bundle import gradescope_zip
from autograder.policy.decision_input import EXTENSIONS, course_policy
from autograder.sandbox.pool import SandboxPool

WHOLE_COURSE = "course"
TEMPLATE = "_template"
ALL = "all"
"""Stands for every homework, after ``--drill`` and ``--solution``."""
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
def build(homework_ids: HomeworkIds = None, course_root: CourseOption = None) -> None:
    """Write stubs, handouts and notebooks from solutions/.

    Files that are in sync stay untouched. Exit status 0: done. 2: wrong usage, or a homework with a mistake.

    Example: `autograder assignments build`
    """
    course = find_course(course_root)
    touched = build_assignments(course, homework_ids)
    for path in touched:
        print_line(str(path.relative_to(course.root)))
    print_line(f"files changed: {len(touched)}")
    if not homework_ids:
        notes(left_behind(course))


@assignments.command()
def verify(homework_ids: HomeworkIds = None, course_root: CourseOption = None) -> None:
    """Compare assignments/ with what solutions/ would give.

    Exit status 0: they are the same. 1: they differ. 2: wrong usage.

    Example: `autograder assignments verify`
    """
    differences = verify_assignments(find_course(course_root), homework_ids)
    fail_if(differences, REMEDY)
    print_line("assignments/ is in sync with solutions/")


def release(
    out_folder: Path = Option(
        Path("release"), "--out", metavar="DIR", help="The folder for the zips."
    ),
    homework_ids: OnlyHomeworks = None,
    classroom: bool = Option(
        False,
        "--classroom",
        help="Template repositories for GitHub, as folders and as zips.",
    ),
    drill: str = Option(
        "",
        metavar="ID",
        help="Instead of the homeworks, a drill made from this one, or from `all`.",
    ),
    mistakes: str = Option(
        "",
        metavar="A,B",
        help="The known mistakes to find and fix; see misconceptions.toml.",
    ),
    solution: str = Option(
        "",
        metavar="ID",
        help="Instead of the homeworks, the worked solution of this one, or of `all`.",
    ),
    examples: bool = Option(
        False,
        "--examples",
        help="The drill asks for inputs that distinguish known mistakes from right code.",
    ),
    anyway: bool = Option(
        False,
        "--anyway",
        help="Release before the due date even though the drill, or the worked solution, shows the solution.",
    ),
    hints: Annotated[
        bool | None,
        Option(
            "--hints/--no-hints",
            help="Whether the drill's checks say what is wrong: at once, or never; by default when asked.",
        ),
    ] = None,
    course_root: CourseOption = None,
) -> None:
    """Write the zips that students start from.

    There is one for each homework, and one for the course. Each holds the stub, the notebook, the handout,
    the public checks with their data, requirements.txt and START_HERE.md: nothing of the solutions, the
    hidden checks or the hidden cases. The same sources give the same bytes.

    With --classroom, each homework is the folder of a template repository instead, ready for `git init`: its
    workflow runs the public checks on each push; see docs/github_classroom.md.

    A drill to fix is the solution with mistakes in it, so release it after the due date; see docs/drills.md.
    So is --solution, which writes ID_worked_solution.md: the solution with its comments, and other right ways.

    Exit status 0: written. 1: generated files are out of date, or a public check fails the solution. 2: wrong
    usage.

    Example: `autograder release --out release`
    """
    course = find_course(course_root)
    of_drills = {
        "--mistakes": bool(mistakes),
        "--examples": examples,
        "--anyway": anyway,
        "--hints": hints is not None,
    }
    of_homeworks = {"--homework": bool(homework_ids), "--classroom": classroom}
    if solution:
        of_drills["--anyway"] = False  # it is for worked solutions as well
        _refuse_options(
            "a worked solution is released by itself",
            {"--drill": bool(drill), **of_drills, **of_homeworks},
        )
        _release_worked_solutions(course, solution, out_folder, anyway=anyway)
    elif drill:
        _refuse_options("a drill is released by itself", of_homeworks)
        if examples:
            _refuse_options(
                "with --examples, all known mistakes count and no check tells them",
                {"--mistakes": bool(mistakes), "--hints": hints is not None},
            )
            _release_drills_of_inputs(course, drill, out_folder)
        else:
            labels = mistakes.replace(",", " ").split()
            _release_drills_to_mend(
                course, drill, labels, out_folder, anyway=anyway, hints=hints
            )
    else:
        _refuse_options("name the homework with --drill ID", of_drills)
        _release_homeworks(course, homework_ids, out_folder, classroom=classroom)


def _refuse_options(reason: str, is_given: Mapping[str, bool]) -> None:
    """Refuse those of these options that are given, because they would have no effect."""
    useless = [option for option, given in is_given.items() if given]
    if useless:
        raise typer.BadParameter(reason, param_hint=", ".join(useless))


def _release_worked_solutions(
    course: Course, chosen: str, out_folder: Path, *, anyway: bool
) -> None:
    """Write the worked solution of a homework, or of ``all``."""
    homeworks = course.homeworks(None if chosen == ALL else [chosen])
    _refuse_early(course, homeworks, anyway, "--solution")
    for homework in homeworks:
        path = out_folder / f"{homework.id}_worked_solution.md"
        text = worked_solution(course, homework)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8")
        print_line(str(path))


def _release_drills_of_inputs(course: Course, chosen: str, out_folder: Path) -> None:
    """Write a drill that asks for inputs, made from a homework, or from each of ``all`` that can have one."""
    for homework in course.homeworks(None if chosen == ALL else [chosen]):
        base = homework.base or homework
        if chosen == ALL and _lacks_drill(base):
            continue
        try:
            drill = examples_drill(course, base)
        except NoExamplesError as error:
            if chosen != ALL:
                raise
            note(str(error))
            continue
        _write_drill(drill, out_folder)


def _release_drills_to_mend(
    course: Course,
    chosen: str,
    mistakes: Sequence[str],
    out_folder: Path,
    *,
    anyway: bool,
    hints: bool | None,
) -> None:
    """Write a drill of a homework, or of ``all``, with these known mistakes; without, with those it lists."""
    homeworks = course.homeworks(None if chosen == ALL else [chosen])
    _refuse_early(course, homeworks, anyway, "--drill")
    with SandboxPool() as pool:
        for homework in homeworks:
            base = homework.base or homework
            if chosen == ALL and not mistakes and _lacks_drill(base):
                continue
            drill = mending_drill(course, base, mistakes, pool, hints=hints)
            _write_drill(drill, out_folder)


def _lacks_drill(homework: Homework) -> bool:
    """Return whether a homework lists no mistakes for a drill, and say so."""
    if homework.drill:
        return False
    note(f"{homework.id} has no drill: its homework.toml names no mistake for one")
    return True


def _release_homeworks(
    course: Course,
    homework_ids: Sequence[str] | None,
    out_folder: Path,
    *,
    classroom: bool,
) -> None:
    """Write the zips of homeworks and of the course, or template repositories."""
    # Nothing leaves the course that is out of date, or fails the solution.
    homeworks = course.homeworks(homework_ids)
    fail_if(verify_assignments(course), "run `autograder assignments build` first")
    failures = []
    with SandboxPool() as pool:
        for homework in homeworks:
            failures += failing_checks(course, homework, pool)
    fail_if(
        failures, "a public check must pass on the solution with only the public cases"
    )

    # A folder for each homework, and one with all of them, or else template repositories.
    folders = {}
    for homework in homeworks:
        folders[homework.id] = homework_folder(course, homework)
    zips = {}
    if classroom:
        for homework in homeworks:
            name = homework.id + TEMPLATE
            zips[name] = repository(homework, folders[homework.id])
    else:
        zips.update(folders)
        if not homework_ids:
            zips[WHOLE_COURSE] = course_folder(homeworks, folders)
    for name, files in zips.items():
        _write(out_folder, name, files)
        if classroom:
            shutil.unpack_archive(out_folder / f"{name}.zip", out_folder)
            print_line(f"{out_folder / name}: the same, ready for `git init`")


def _write(folder: Path, name: str, files: Mapping[str, bytes]) -> None:
    path = folder / f"{name}.zip"
    data = zipped(files, name)
    folder.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)
    print_line(f"{path}: {len(files)} files, {len(data) / 1024:.0f} KiB")


def _write_drill(drill: Drill, folder: Path) -> None:
    """Write a drill's zip, and say what it shows and how to grade it."""
    _write(folder, drill.homework.id, drill.files)
    if drill.mistakes:
        print_line(
            f"It shows the whole solution, with {listed(drill.mistakes)} in it; as it is, it earns "
            f"{drill.earned:g} of {drill.homework.points:g} points: {drill.reason}",
            indent=2,
        )
    short = short_id(drill.homework.id)
    print_line(
        f"Grade it with `autograder grade SUBMISSIONS --out OUT --homework {short}`.",
        indent=2,
    )


def _refuse_early(
    course: Course, homeworks: Sequence[Homework], anyway: bool, option: str
) -> None:
    """Refuse to show a solution that a student may still hand in; ``anyway`` only says so."""
    file = "this drill" if option == "--drill" else "this file"
    policy = course_policy(course)
    now = dt.datetime.now(dt.UTC)
    for homework in homeworks:
        dates = []
        due = policy.of(homework.id).due
        if due is not None:
            dates.append(due)
        for (_, homework_id), extended_due in policy.extensions.items():
            # An extension without a homework is for all of them.
            if homework_id in ("", homework.id):
                dates.append(extended_due)
        last = max(dates, default=None)
        if last is None or last <= now:
            continue
        line = (
            f"{homework.id} can be handed in until {last:%Y-%m-%d %H:%M %Z}, "
            f"and {file} shows its whole solution"
        )
        if not anyway:
            raise typer.BadParameter(
                f"{line}: wait, or add --anyway", param_hint=option
            )
        note(line)


def gradescope(
    homework_ids: OnlyHomeworks = None,
    path: Path = Option(
        Path("autograder.zip"), "--out", metavar="ZIP", help="The zip to write."
    ),
    seed: Seed = None,
    torch_index: TorchIndex = "",
    course_root: CourseOption = None,
) -> None:
    """Write the zip that grades on Gradescope.

    Gradescope builds a container from it, once, and grades each submission in that container with the
    same hidden checks as `autograder grade`. See docs/gradescope.md for the settings to choose.

    Exit status 0: written. 2: wrong usage.

    Example: `autograder gradescope --homework hw1`
    """
    _write_bundle(gradescope_zip, path, course_root, homework_ids, seed, torch_index)


def otter(
    homework_ids: OnlyHomeworks = None,
    path: Path = Option(
        Path("otter.zip"), "--out", metavar="ZIP", help="The zip to write."
    ),
    seed: Seed = None,
    torch_index: TorchIndex = "",
    course_root: CourseOption = None,
) -> None:
    """Write the zip that grades in Otter-Grader.

    Otter takes a submission and reports the result; the kit's checks do the grading, in the same sandbox
    as with `autograder grade`: Otter runs no student code. Give the zip to a TA who has Otter and the kit,
    for `otter run -a otter.zip NOTEBOOK.ipynb`, or upload it to Gradescope under Configure
    Autograder. It holds solutions and hidden checks. See docs/otter.md.

    Exit status 0: written. 2: wrong usage, or Otter-Grader is not installed.

    Example: `autograder otter --homework hw1 --out hw1.zip`
    """
    _write_bundle(otter_zip, path, course_root, homework_ids, seed, torch_index)


def _write_bundle(
    bundle: Callable[[Course, Sequence[Homework], bool, int, str], bytes],
    path: Path,
    course_root: Path | None,
    homework_ids: Sequence[str] | None,
    seed: int | None,
    torch_index: str,
) -> None:
    """Write a zip that grades elsewhere, and say what it grades and with which seed."""
    course = find_course(course_root)
    chosen = course.ids(homework_ids)
    homeworks = course.homeworks(chosen)
    names_without_email = set()
    for name, _ in course_policy(course).extensions:
        if "@" not in name:
            names_without_email.add(name)
    if names_without_email:
        note(
            f"{EXTENSIONS}: no effect on Gradescope, which knows only e-mail addresses: "
            f"{listed(sorted(names_without_email))}"
        )
    if seed is None:
        seed = secrets.randbelow(2**31)
    data = bundle(course, homeworks, bool(chosen), seed, torch_index)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)
    ids = ", ".join(homework.id for homework in homeworks)
    print_line(f"{path}: {len(data) / 1e6:.1f} MB, grades {ids} with --seed {seed}")
