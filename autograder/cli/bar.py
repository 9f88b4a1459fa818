"""A bar on a console for long work; off a terminal it is silent, and its owner prints lines."""

from __future__ import annotations

import types
from typing import Self

from rich import progress as bars
from rich.console import Console


class Bar:
    """A title, a bar, a count and whatever columns its owner adds; a context manager."""

    def __init__(self, console: Console, title: str, *columns: bars.ProgressColumn) -> None:
        self._bar = bars.Progress(
            bars.TextColumn(title),
            bars.BarColumn(),
            bars.MofNCompleteColumn(),
            *columns,
            console=console,
            transient=True,
            disable=not console.is_terminal,
        )

    def __enter__(self) -> Self:
        self._bar.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: types.TracebackType | None,
    ) -> None:
        self._bar.stop()
