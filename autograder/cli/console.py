"""Where the command line writes: results on standard output, news and complaints on standard error."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import typer
from rich.console import Console
from rich.text import Text

MOST_NOTES = 20
PLAIN_WIDTH = 160  # where there is no terminal to ask, a table must not break its names


def _console(stderr: bool) -> Console:
    console = Console(stderr=stderr, highlight=False, emoji=False, markup=False)
    if not console.is_terminal:
        console.width = PLAIN_WIDTH
    return console


out = _console(stderr=False)
err = _console(stderr=True)


def say(line: str) -> None:
    """Write a line of the result; a long one is not broken, so that paths in it can be copied."""
    out.print(line, soft_wrap=True)


def note(message: str) -> None:
    """Say on standard error what the user should know."""
    err.print(Text.assemble(("note: ", "bold yellow"), message), soft_wrap=True)


def notes(messages: Iterable[str]) -> None:
    """Say several things the user should know: the first ones, and how many more there are."""
    found = list(messages)
    for message in found[:MOST_NOTES]:
        note(message)
    if len(found) > MOST_NOTES:
        note(f"and {len(found) - MOST_NOTES:,} more like these")


def complain(message: str) -> None:
    """Say on standard error what is wrong."""
    err.print(Text.assemble(("error: ", "bold red"), message), soft_wrap=True)


def fail_if(complaints: Sequence[str], remedy: str = "") -> None:
    """End with exit status 1 if there is anything to complain about."""
    for line in (*complaints, remedy) if complaints and remedy else complaints:
        complain(line)
    if complaints:
        raise typer.Exit(1)
