"""Start a worker process: ``python <this folder> zygote FD CONFIG``, or ``cold REQUEST ANSWER DONE CONFIG``.

Python runs this folder by its path, so that the package above it need not be readable: ``autograder`` is put
in place as an empty package in which only the worker can be found.
"""

import importlib.abc
import json
import os
import sys
import types
from pathlib import Path
from typing import NoReturn

WORKER = "autograder.worker"


class OtherPackages(importlib.abc.MetaPathFinder):
    """Refuses the rest of ``autograder``, which an editable installation would find at any path."""

    def find_spec(
        self, fullname: str, path: object = None, target: object = None
    ) -> None:
        if fullname.startswith("autograder.") and not fullname.startswith(f"{WORKER}."):
            raise ModuleNotFoundError(f"No module named {fullname!r}", name=fullname)


def answer_files(
    request_file: str, answer_file: str, done_file: str, config: str
) -> NoReturn:
    """Answer one request, for platforms without ``fork``: apply what limits there are, and end at once.

    Calls of a second stage come over the standard input, after ``done_file`` says that the first is done.
    """
    settings = json.loads(config)
    raw = Path(request_file).read_bytes()
    # Opened here: while a submission is loaded and called, paths may lead into its scratch folder.
    binary = getattr(os, "O_BINARY", 0)
    answered = os.open(answer_file, os.O_WRONLY | binary)
    done = os.open(done_file, os.O_WRONLY | binary)
    later = os.fdopen(os.dup(0), "rb")
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.close(nothing)
    if sys.platform != "win32":
        from autograder.worker.limits import apply_limits

        apply_limits(settings["limits"], memory_in_use=1 << 40)
    as_torch = settings["library"] != "numpy"
    if as_torch:
        import torch

        torch.set_num_threads(1)
    from autograder.worker.runner import answer_request, end_after, write_answer

    def begin_second_stage(answer: bytes) -> bytes:
        write_answer(answered, answer)
        os.write(done, b"1")
        calls = later.read()
        os.ftruncate(
            answered, 0
        )  # whoever ends the process in the second stage leaves no answer to it
        return calls

    next_stage = begin_second_stage if settings["two_stages"] else None

    def answer() -> None:
        write_answer(
            answered, answer_request(raw, as_torch=as_torch, next_stage=next_stage)
        )

    end_after(answer)


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
        answer_files(*sys.argv[2:6])
