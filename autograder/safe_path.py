"""Nothing in the current folder is importable: submissions are there, and one may be named ``math.py``.

Python searches the current folder first in ``python -m`` and ``python -c``, and so in each worker process
that is spawned. This module itself imports only what Python has loaded before it looks at any folder.
"""

import os
import sys

HOME = os.path.realpath(os.path.join(os.path.dirname(__file__), os.pardir))
SAFE = "PYTHONSAFEPATH"
SEARCHED = ("PYTHONPATH", "PATH", "LD_LIBRARY_PATH")


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
        self._environment = {name: os.environ.get(name) for name in (SAFE, *SEARCHED)}
        searched = os.environ.get("PYTHONPATH", "").split(os.pathsep)
        relative = ("", *(entry for entry in searched if not os.path.isabs(entry)))
        left_out = {os.path.realpath(entry) for entry in relative} - {HOME}
        sys.path[:] = [
            entry for entry in sys.path if os.path.realpath(entry) not in left_out
        ]
        for name in SEARCHED:
            entries = filter(os.path.isabs, os.environ.pop(name, "").split(os.pathsep))
            remaining = [
                entry for entry in entries if os.path.realpath(entry) not in left_out
            ]
            if remaining:
                os.environ[name] = os.pathsep.join(remaining)
        os.environ[SAFE] = "1"

    def __exit__(self, *_: object) -> None:
        sys.path[:] = self._path
        for name, value in self._environment.items():
            os.environ.pop(name, None)
            if value is not None:
                os.environ[name] = value
