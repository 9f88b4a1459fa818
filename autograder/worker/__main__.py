"""Start of a worker: ``python <this folder> zygote FD CONFIG`` or ``python <this folder> cold …``.

It is run by its path, so that the package above it need not be readable: ``autograder`` is put in place as
an empty package in which only the package of the worker can be found.
"""

import importlib.abc
import sys
import types
from collections.abc import Sequence
from pathlib import Path

WORKER = "autograder.worker"


class OtherPackages(importlib.abc.MetaPathFinder):
    """Refuses the rest of ``autograder``, which an editable installation would find at any path."""

    def find_spec(
        self, fullname: str, path: Sequence[str] | None = None, target: types.ModuleType | None = None
    ) -> None:
        if fullname.startswith("autograder.") and not fullname.startswith(f"{WORKER}."):
            raise ModuleNotFoundError(f"No module named {fullname!r}", name=fullname)


def _enter() -> None:
    here = Path(__file__).resolve().parent
    package, worker = types.ModuleType("autograder"), types.ModuleType(WORKER)
    package.__path__ = []
    worker.__path__ = [str(here)]
    sys.modules.update({"autograder": package, WORKER: worker})
    sys.meta_path.insert(0, OtherPackages())
    sys.path[:] = [entry for entry in sys.path if Path(entry or ".").resolve() != here]


if __name__ == "__main__":
    _enter()
    if sys.argv[1] == "zygote":
        from autograder.worker.zygote import serve

        serve(int(sys.argv[2]), sys.argv[3])
    else:
        from autograder.worker.cold import answer_files

        answer_files(sys.argv[2], sys.argv[3], sys.argv[4])
