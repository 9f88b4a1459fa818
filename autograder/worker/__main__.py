"""Start a worker process: ``python <this folder> zygote FD CONFIG``, or ``cold REQUEST ANSWER CONFIG``.

Python runs this folder by its path, so that the package above it need not be readable: ``autograder`` is put
in place as an empty package in which only the worker can be found.
"""

import importlib.abc
import json
import sys
import types
from pathlib import Path
from typing import NoReturn

WORKER = "autograder.worker"


class OtherPackages(importlib.abc.MetaPathFinder):
    """Refuses the rest of ``autograder``, which an editable installation would find at any path."""

    def find_spec(self, fullname: str, path: object = None, target: object = None) -> None:
        if fullname.startswith("autograder.") and not fullname.startswith(f"{WORKER}."):
            raise ModuleNotFoundError(f"No module named {fullname!r}", name=fullname)


def answer_files(request_file: str, answer_file: str, config: str) -> NoReturn:
    """Answer one request, for platforms without ``fork``: apply what limits there are, and end at once."""
    settings = json.loads(config)
    raw = Path(request_file).read_bytes()
    if sys.platform != "win32":
        from autograder.worker.limits import apply_limits

        apply_limits(settings["limits"], memory_in_use=1 << 40)
    as_torch = settings["library"] != "numpy"
    if as_torch:
        import torch

        torch.set_num_threads(1)
    from autograder.worker.runner import answer_request, end_after

    end_after(lambda: Path(answer_file).write_bytes(answer_request(raw, as_torch=as_torch)))


if __name__ == "__main__":
    here = Path(__file__).resolve().parent
    package, worker = types.ModuleType("autograder"), types.ModuleType(WORKER)
    package.__path__, worker.__path__ = [], [str(here)]
    sys.modules.update({"autograder": package, WORKER: worker})
    sys.meta_path.insert(0, OtherPackages())
    sys.path[:] = [entry for entry in sys.path if Path(entry or ".").resolve() != here]
    if sys.argv[1] == "zygote":
        from autograder.worker.zygote import serve

        serve(int(sys.argv[2]), sys.argv[3])
    else:
        answer_files(*sys.argv[2:5])
