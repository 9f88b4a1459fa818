"""Write a file whole or not at all, so that nobody reads half of it."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def replacing(path: Path) -> Iterator[Path]:
    """Yield the path of a new file that replaces another one when the block ends without an error."""
    if os.path.exists(path) and not os.path.isfile(path):  # a pipe, or /dev/stdout
        yield path
        return
    unfinished = path.with_name(f"{path.name}.part")
    try:
        yield unfinished
        os.replace(unfinished, path)
    except BaseException:
        unfinished.unlink(missing_ok=True)
        raise
