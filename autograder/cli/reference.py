"""``autograder reference``: build and verify the stored expected outputs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated

import typer

from autograder.cli.console import complain, out
from autograder.diagnosis.stored import build_singles, verify_singles
from autograder.homework.course import Course, find_course
from autograder.homework.model import Homework
from autograder.reference.build import BuildReport, build_reference
from autograder.reference.store import open_store
from autograder.reference.verify import verify_reference
from autograder.sandbox.pool import SandboxPool

app = typer.Typer(help="Build or verify the stored expected outputs.", no_args_is_help=True)

Chosen = Annotated[list[str] | None, typer.Argument(help="Homework ids; all by default.", metavar="[ID]...")]


@app.command()
def build(
    homework: Chosen = None,
    accept: Annotated[
        bool, typer.Option(help="Write also values that differ from the stored ones beyond tolerance.")
    ] = False,
) -> None:
    """Run the reference solutions and store what they return.

    Values within tolerance of the stored ones leave the files untouched. Values beyond it are listed and
    written only with --accept. Exit status 1 when something was refused.
    """
    course = find_course()
    with SandboxPool() as pool:
        refused = [_build(course, one, pool, accept) for one in course.homeworks(homework)]
    if any(refused):
        raise typer.Exit(1)


def _build(course: Course, homework: Homework, pool: SandboxPool, accept: bool) -> bool:
    """Build one homework; True when something was refused."""
    store = open_store(course, homework)
    before = store.read() if store.exists() else None
    report = build_reference(course, homework, pool, accept=accept)
    _show(report)
    if report.refused:
        return True
    changed = build_singles(homework, store.folder, store.read(), pool, before=before, accept=accept)
    if changed:
        _show_changed(f"{homework.id}: misconceptions {'written' if accept else 'refused'}", changed, accept)
    return bool(changed) and not accept


def _show(report: BuildReport) -> None:
    state = "written" if report.written else ("refused" if report.refused else "unchanged")
    _show_changed(f"{report.homework}: {state}", report.changed, report.written or bool(report.wrong))
    for line in report.wrong:
        out.print(f"  contradicts the published values: {line}", markup=False)


def _show_changed(title: str, changed: Sequence[str], settled: bool) -> None:
    out.print(title, markup=False)
    for line in changed:
        out.print(f"  {line}", markup=False)
    if changed and not settled:
        out.print("  look at these; `autograder reference build --accept` writes them", markup=False)


@app.command()
def verify(homework: Chosen = None) -> None:
    """Recompute everything; hold it against the store, the published values and an independent oracle."""
    course = find_course()
    failed = False
    with SandboxPool() as pool:
        for one in course.homeworks(homework):
            lines = _verify(course, one, pool)
            failed = failed or bool(lines)
            out.print(f"{one.id}: {'verified' if not lines else 'NOT verified'}", markup=False)
            for line in lines:
                complain(line)
    if failed:
        raise typer.Exit(1)


def _verify(course: Course, homework: Homework, pool: SandboxPool) -> list[str]:
    store = open_store(course, homework)
    lines = verify_reference(course, homework, pool)
    return [*lines, *verify_singles(homework, store.folder, store.read(), pool)]
