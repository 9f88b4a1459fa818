"""Nothing in the current folder is importable: submissions are there, and one may be named ``math.py``.

Python searches the current folder first in ``python -m`` and ``python -c``, and so in each worker process
that is spawned. This module itself imports only what Python has loaded before it looks at any folder.
"""

import os
import sys

HOME = os.path.realpath(os.path.join(os.path.dirname(__file__), os.pardir))
SAFE = "PYTHONSAFEPATH"
SEARCHED = ("PYTHONPATH", "PATH", "LD_LIBRARY_PATH")


def _without(left_out: set[str], entries: list[str]) -> list[str]:
    """Return the entries of a search path that lead to none of some folders."""
    remaining = []
    for entry in entries:
        if os.path.realpath(entry) not in left_out:
            remaining.append(entry)
    return remaining


class WithoutCurrentFolder:
    """Take the current folder, and entries relative to it, off the paths of this process and its children.

    The folder that contains this package stays. The end of the ``with`` block restores everything.

    Raises:
        KitError: Python ignores its environment (-E), so child processes would search the current folder.
    """

    def __enter__(self) -> None:
        if sys.flags.ignore_environment and not sys.flags.safe_path:
            from autograder.errors import KitError

            raise KitError(
                "python -E lets worker processes import from the current folder: add -P"
            )
        self._path = list(sys.path)
        self._environment = {}
        for name in (SAFE, *SEARCHED):
            self._environment[name] = os.environ.get(name)
        current_folder = os.path.realpath("")
        left_out = {current_folder}
        searched = os.environ.get("PYTHONPATH", "")
        for entry in searched.split(os.pathsep):
            if not os.path.isabs(entry):
                left_out.add(os.path.realpath(entry))
        left_out.discard(HOME)
        sys.path[:] = _without(left_out, sys.path)
        for name in SEARCHED:
            value = os.environ.pop(name, "")
            entries = value.split(os.pathsep)
            absolute = list(filter(os.path.isabs, entries))
            remaining = _without(left_out, absolute)
            if remaining:
                os.environ[name] = os.pathsep.join(remaining)
        os.environ[SAFE] = "1"

    def __exit__(self, *_: object) -> None:
        sys.path[:] = self._path
        for name, value in self._environment.items():
            os.environ.pop(name, None)
            if value is not None:
                os.environ[name] = value
