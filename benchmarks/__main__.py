"""``python -m benchmarks``: the same submissions through this kit and through other ways of grading."""

from __future__ import annotations

import dataclasses
import json
import sys
from pathlib import Path
from typing import Annotated

import typer
from rich.table import Table

from autograder.cli.console import complain, err, out
from autograder.cli.options import CourseOption
from autograder.course.course import find_course
from autograder.errors import KitError
from benchmarks.records import Report
from benchmarks.run import PEERS, Plan, run_bench

NUMPY, TORCH = "hw3_scaled_dot_product_attention", "hw6_encoder_block"
SIZES, FULL_SIZES = (100, 1000), (100, 1000, 10000)


def bench(
    homework: Annotated[
        list[str] | None,
        typer.Argument(
            help="Homework ids; by default one NumPy and one torch homework.",
            metavar="[ID]...",
        ),
    ] = None,
    peers: Annotated[
        str,
        typer.Option(
            help="Whom to compare with, separated by commas; empty for nobody."
        ),
    ] = ",".join(PEERS),
    class_size: Annotated[
        int,
        typer.Option(min=2, help="How many submissions this kit grades in each round."),
    ] = 300,
    peer_submissions: Annotated[
        int,
        typer.Option(
            min=1, help="How many of them each of the others grades in each round."
        ),
    ] = 4,
    rounds: Annotated[
        int, typer.Option(min=1, help="How often each one is measured, in turn.")
    ] = 3,
    full: Annotated[
        bool, typer.Option("--full", help="Also grade a class of 10,000.")
    ] = False,
    venvs: Annotated[
        Path,
        typer.Option(
            help="Where the others' virtual environments are kept.", file_okay=False
        ),
    ] = Path(".bench"),
    json_file: Annotated[
        Path | None,
        typer.Option("--json", help="Also write every measurement.", dir_okay=False),
    ] = None,
    course_folder: CourseOption = None,
) -> None:
    """Compare with a cold pytest per submission, otter and nbgrader, and one class size with another.

    Figures hold for this machine at this moment; what carries over is the ratio of two rows. Processor
    time counts every process that grading starts, the sandboxes included.
    """
    course = find_course(course_folder)
    names = [name for name in peers.split(",") if name]
    unknown = sorted(set(names) - set(PEERS))
    if unknown:
        raise typer.BadParameter(
            f"{', '.join(unknown)}: known are {', '.join(PEERS)}", param_hint="--peers"
        )
    plan = Plan(
        names,
        class_size,
        peer_submissions,
        rounds,
        FULL_SIZES if full else SIZES,
        venvs,
    )
    chosen = homework or [
        homework_id
        for homework_id in (NUMPY, TORCH)
        if homework_id in course.homework_ids()
    ]
    report = run_bench(course, course.homeworks(chosen), plan, _tell)
    _print(report)
    if json_file:
        json_file.parent.mkdir(parents=True, exist_ok=True)
        json_file.write_text(
            json.dumps(dataclasses.asdict(report), indent=1) + "\n", encoding="utf-8"
        )


def _tell(text: str) -> None:
    """Print a line at once, also where nobody sees a terminal: the whole takes long."""
    err.print(text, markup=False, highlight=False, soft_wrap=True)


def _print(report: Report) -> None:
    out.print(f"{report.cores} cores, protection {report.protection}", markup=False)
    for homework in dict.fromkeys(row.homework for row in report.rows):
        table = _table(
            "graded by",
            "per second",
            "per CPU second",
            "ours (1 job) is",
            "largest process",
        )
        table.title = homework
        for row in (row for row in report.rows if row.homework == homework):
            if row.unavailable:
                table.add_row(row.contestant, f"not here: {row.unavailable}")
                continue
            rates = [
                f"{row.per_second:.3g}",
                f"{row.per_cpu_second:.3g}",
                f"{report.ratio(row):.3g} ×",
            ]
            table.add_row(row.contestant, *rates, f"{row.peak_mb:.0f} MiB")
        out.print(table)
        sizes = [scale for scale in report.scales if scale.homework == homework]
        if not sizes:
            continue
        per_one = (
            "CPU per further one",
            "to the first",
            "clock per further one",
            "to the first",
        )
        table = _table("class of", *per_one, "largest process")
        for scale in sizes:
            table.add_row(
                f"{scale.size:,}",
                f"{1000 * scale.cpu_per_submission:.1f} ms",
                f"{scale.cpu_per_submission / sizes[0].cpu_per_submission:.2f}",
                f"{1000 * scale.seconds_per_submission:.1f} ms",
                f"{scale.seconds_per_submission / sizes[0].seconds_per_submission:.2f}",
                f"{scale.peak_mb:.0f} MiB",
            )
        out.print(table)


def _table(first: str, *titles: str) -> Table:
    table = Table(title_justify="left", header_style="bold")
    table.add_column(first)
    for title in titles:
        table.add_column(title, justify="right")
    return table


if __name__ == "__main__":
    try:
        typer.run(bench)
    except KitError as error:
        complain(str(error))
        sys.exit(2)
