"""``autograder doctor``: what protects this machine from submissions, and what would protect it better."""

from __future__ import annotations

from rich.table import Table
from rich.text import Text

from autograder.cli.console import out
from autograder.sandbox.levels import LEVELS, layer_statuses, strongest_level


def doctor() -> None:
    """Show what protects this machine and what to install for more.

    A submission is untrusted code. The strongest level all of whose layers work is chosen
    automatically and recorded with the grades; see docs/security.md.

    Exit status 0, in every case.

    Example: `autograder doctor`
    """
    layers = Table("layer", "here", "what it does", "remedy", header_style="bold")
    for status in layer_statuses():
        state = Text("works", "green") if status.works else Text("missing", "red")
        layers.add_row(status.layer, state, status.protects, Text(status.reason))
    out.print(layers)

    strongest = strongest_level()
    levels = Table(
        "level", "chosen", "hostile code", "what it promises", header_style="bold"
    )
    for level in LEVELS:
        mark = "→" if level is strongest else ""
        hostile_code = "contained" if level.confines_hostile_code else "NOT contained"
        levels.add_row(level.name, mark, hostile_code, level.promise)
    out.print(levels)
    if not strongest.confines_hostile_code:
        out.print(
            "No sandbox is available here: grade only code that you trust, with --unsafe, or use Linux.",
            style="bold yellow",
        )
