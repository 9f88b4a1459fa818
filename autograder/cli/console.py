"""Where the command line writes: results on standard output, news and complaints on standard error."""

from __future__ import annotations

from rich.console import Console
from rich.text import Text

PLAIN_WIDTH = 160  # where there is no terminal to ask, a table must not break its names


def _console(stderr: bool) -> Console:
    console = Console(stderr=stderr, highlight=False, emoji=False)
    if not console.is_terminal:
        console.width = PLAIN_WIDTH
    return console


out = _console(stderr=False)
err = _console(stderr=True)


def complain(message: str) -> None:
    """Say on standard error what is wrong; the text is shown as it is, not as markup."""
    err.print(Text.assemble(("error: ", "bold red"), message), soft_wrap=True)


def note(message: str) -> None:
    """Say something the user should know."""
    err.print(Text.assemble(("note: ", "bold yellow"), message), soft_wrap=True)
