"""Start of a worker: ``python <this folder> zygote FD CONFIG`` or ``python <this folder> cold …``.

It is run by its path, so that the package above it need not be readable: ``autograder`` is put in place as
an empty package in which only this room can be found.
"""

import importlib.abc
import sys
import types
from collections.abc import Sequence
from pathlib import Path

ROOM = "autograder.worker"


class OtherRooms(importlib.abc.MetaPathFinder):
    """Refuses the rest of the package, which an editable installation would find at any path."""

    def find_spec(
        self, fullname: str, path: Sequence[str] | None = None, target: types.ModuleType | None = None
    ) -> None:
        if fullname.startswith("autograder.") and not fullname.startswith(f"{ROOM}."):
            raise ModuleNotFoundError(f"No module named {fullname!r}", name=fullname)


def _enter() -> None:
    here = Path(__file__).resolve().parent
    package, room = types.ModuleType("autograder"), types.ModuleType(ROOM)
    package.__path__ = []
    room.__path__ = [str(here)]
    sys.modules.update({"autograder": package, ROOM: room})
    sys.meta_path.insert(0, OtherRooms())
    sys.path[:] = [entry for entry in sys.path if Path(entry or ".").resolve() != here]


if __name__ == "__main__":
    _enter()
    if sys.argv[1] == "zygote":
        from autograder.worker.zygote import serve

        serve(int(sys.argv[2]), sys.argv[3])
    else:
        from autograder.worker.cold import answer_files

        answer_files(sys.argv[2], sys.argv[3], sys.argv[4])
