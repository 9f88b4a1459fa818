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
    """Answer one request, on systems other than Linux: apply the limits that exist there, and end at once.

    Calls of a second stage come over the standard input, after ``done_file`` says that the first is done.
    """
    settings = json.loads(config)
    raw = Path(request_file).read_bytes()
    # Opened here: while a submission is loaded and called, paths may lead into its scratch folder.
    binary = getattr(os, "O_BINARY", 0)
    answer_descriptor = os.open(answer_file, os.O_WRONLY | binary)
    done_descriptor = os.open(done_file, os.O_WRONLY | binary)
    # The submission's own standard input is empty.
    later_calls = os.fdopen(os.dup(0), "rb")
    empty = os.open(os.devnull, os.O_RDONLY)
    os.dup2(empty, 0)
    os.close(empty)

    if sys.platform != "win32":
        from autograder.worker.limits import apply_limits

        # How much address space is in use is known on Linux only.
        apply_limits(settings["limits"], memory_in_use=None)
    as_torch = settings["library"] != "numpy"
    if as_torch:
        import torch

        torch.set_num_threads(1)
    from autograder.worker.runner import answer_request, end_after, write_answer

    def begin_second_stage(first_answer: bytes) -> bytes:
        write_answer(answer_descriptor, first_answer)
        os.write(done_descriptor, b"1")
        calls = later_calls.read()
        # A submission that ends the process in the second stage leaves no answer to it.
        os.ftruncate(answer_descriptor, 0)
        return calls

    next_stage = begin_second_stage if settings["two_stages"] else None

    def answer() -> None:
        reply = answer_request(raw, as_torch=as_torch, next_stage=next_stage)
        write_answer(answer_descriptor, reply)

    end_after(answer)


if __name__ == "__main__":
    here = Path(__file__).resolve().parent
    package = types.ModuleType("autograder")
    package.__path__ = []
    worker = types.ModuleType(WORKER)
    worker.__path__ = [str(here)]
    sys.modules["autograder"] = package
    sys.modules[WORKER] = worker
    sys.meta_path.insert(0, OtherPackages())
    # Python has put this folder on the path, where its modules would hide others of the same name.
    for entry in tuple(sys.path):
        if Path(entry or ".").resolve() == here:
            sys.path.remove(entry)
    if sys.argv[1] == "zygote":
        from autograder.worker.zygote import serve

        serve(int(sys.argv[2]), sys.argv[3])
    else:
        answer_files(*sys.argv[2:6])
