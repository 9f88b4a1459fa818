"""Where the command line writes: results on standard output, news and complaints on standard error."""

from __future__ import annotations

import enum
import os
from collections.abc import Iterable, Sequence

import typer
from rich.cells import cell_len
from rich.console import Console, ConsoleOptions, RenderableType
from rich.segment import Segment
from rich.table import Table
from rich.text import Text


class ExitStatus(enum.IntEnum):
    """How a command ended; the docstring of each command says what its statuses mean."""

    DONE = 0
    PROBLEMS = 1
    """It did what it was asked, and found something: complaints, differences, a failure of the grader."""
    USAGE = 2
    """It was refused, and nothing was done."""
    MOST_UNGRADED = 3
    """It graded, but most of a class could not be graded."""
    INTERRUPTED = 130
    """Ctrl-C was pressed."""


MOST_LINES = 20
"""A list shows so many lines, and says how many more there are."""
PLAIN_WIDTH = 160  # where there is no terminal to ask, a table must not break its names


class _InertConsole(Console):
    """A console that shows control characters instead of obeying them.

    Callers escape the texts of students, so that columns line up. This is the net below them: file names and
    messages reach the console from everywhere, and rich passes on escape sequences, zero-width characters and
    those that turn the direction of reading.
    """

    def render(
        self, renderable: RenderableType, options: ConsoleOptions | None = None
    ) -> Iterable[Segment]:
        for segment in super().render(renderable, options):
            if segment.control or segment.text.replace("\n", "").isprintable():
                yield segment
            else:
                from autograder.untrusted_text import for_screen

                yield Segment(for_screen(segment.text, keep="\n"), segment.style)


def _console(stderr: bool) -> Console:
    """Return a console. Progress bars show only on a terminal outside CI, whatever FORCE_COLOR says."""
    console = _InertConsole(stderr=stderr, highlight=False, emoji=False, markup=False)
    is_terminal = console.file.isatty()
    console.is_interactive = (
        console.is_interactive and is_terminal and "CI" not in os.environ
    )
    if not is_terminal:
        console.width = PLAIN_WIDTH
    return console


out = _console(stderr=False)
err = _console(stderr=True)


def print_line(line: str | Text, console: Console = out, indent: int = 0) -> None:
    """Write a line of the result.

    On a terminal it is broken between words, but never within a path, so that paths can be copied.
    """
    text = Text(line) if isinstance(line, str) else line
    width = max(1, text.cell_len)
    if console.is_interactive:
        longest_word = max(map(cell_len, text.plain.split()), default=0)
        width = max(console.width - indent, longest_word)
    for part in text.wrap(console, width):
        console.print(" " * indent, part, sep="", soft_wrap=True)


def print_whole(line: Text, console: Console) -> None:
    """Write a line as it is, however long; without colours rich would need half a millisecond for nothing.

    The caller has escaped what others wrote.
    """
    if console.color_system is None:
        print(line.plain, file=console.file, flush=True)
    else:
        console.print(line, no_wrap=True, overflow="ignore", crop=False)


def note(message: str) -> None:
    """Write a note for the user on standard error."""
    print_line(Text.assemble(("note: ", "bold yellow"), message), err)


def first_lines(lines: Iterable[str]) -> list[str]:
    """Return the first lines, and how many more there are."""
    all_lines = list(lines)
    first = all_lines[:MOST_LINES]
    more = len(all_lines) - len(first)
    if more:
        first.append(f"and {more:,} more")
    return first


def notes(messages: Iterable[str]) -> None:
    """Write the first notes, and how many more there are."""
    for message in first_lines(messages):
        note(message)


def complain(message: str) -> None:
    """Write an error on standard error."""
    print_line(Text.assemble(("error: ", "bold red"), message), err)


def fail_if(complaints: Sequence[str], remedy: str = "") -> None:
    """Write complaints, if there are any, then the remedy, and end with exit status 1."""
    if not complaints:
        return
    for line in complaints:
        complain(line)
    if remedy:
        complain(remedy)
    raise typer.Exit(ExitStatus.PROBLEMS)


def table_of(
    titles: Sequence[str], numbers: Sequence[str] = (), last: Sequence[str] = ()
) -> Table:
    """Return a table without lines, so that six homeworks fit on 80 columns; its numbers are never cut.

    Args:
        titles: of the first columns, which hold texts.
        numbers: titles of columns of numbers.
        last: titles of the last columns, which hold texts again.
    """
    table = Table(box=None, header_style="bold", padding=(0, 2, 0, 0))
    for title in (*titles, *numbers, *last):
        if title in numbers:
            table.add_column(title, justify="right", no_wrap=True)
        else:
            table.add_column(title)
    return table


def show_first(
    table: Table,
    rows: Iterable[Sequence[str | Text]],
    where: str,
    most: int = MOST_LINES,
) -> None:
    """Print a table of the first rows, if there are any, and say how many more there are, and where."""
    count = 0
    for row in rows:
        count += 1
        if count <= most:
            table.add_row(*row)
    if count:
        out.print(table)
    if count > most:
        print_line(f"and {count - most:,} more: {where}", out)
