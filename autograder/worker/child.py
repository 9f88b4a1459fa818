"""The life of one student process, from the fork to its end."""

from __future__ import annotations

import itertools
import os
import signal
import sys
import traceback
from collections.abc import Mapping
from typing import Any, NoReturn

import numpy as np

from autograder.worker.confine import Confinement
from autograder.worker.errors import NO_ANSWER_EXIT, OUT_OF_MEMORY_EXIT
from autograder.worker.limits import apply_limits, die_with_parent
from autograder.worker.runner import answer_request
from autograder.worker.wire import Tensor

REQUEST_FD, ANSWER_FD = 200, 201  # above the limit of open files: once closed, never made again
HIGHEST_FD = 4096


def live_and_die(
    descriptors: list[int],
    limits: Mapping[str, float],
    confinement: Confinement,
    calls: list[Any] | None,
    others: list[Any],
    *,
    as_torch: bool,
    memory_in_use: int,
    count_processes: bool,
    parent: int,
) -> NoReturn:
    """Lock the process in, answer the request, and end; never returns into the warm process's code."""
    code = NO_ANSWER_EXIT
    try:
        _blank(others)
        _arrange_descriptors(descriptors, confinement.descriptor)
        os.setpgid(0, 0)
        for number in (signal.SIGTERM, signal.SIGHUP):
            signal.signal(number, signal.SIG_DFL)
        signal.signal(signal.SIGINT, signal.default_int_handler)
        sys.stdout.reconfigure(line_buffering=True)  # type: ignore[union-attr]
        confinement.become_nobody()
        if "rlimits" in confinement.layers:
            apply_limits(limits, memory_in_use, count_processes=count_processes)
        die_with_parent(parent)
        confinement.apply()
        with os.fdopen(REQUEST_FD, "rb") as request:
            raw = request.read()
        rest = memoryview(answer_request(raw, calls, as_torch=as_torch))
        os.ftruncate(ANSWER_FD, 0)  # a submission may have written to it
        os.lseek(ANSWER_FD, 0, os.SEEK_SET)
        while rest:
            rest = rest[os.write(ANSWER_FD, rest) :]
        code = 0
        sys.stdout.flush()
    except MemoryError:
        code = code and OUT_OF_MEMORY_EXIT
    except BaseException:  # whatever happens, this process must not run the zygote's loop
        if code:
            traceback.print_exc()
    finally:
        os._exit(code)


def _blank(kept: Any) -> None:
    """Overwrite calls that this fork is not to make: its code could find them in its own memory."""
    for value in list(kept.values() if isinstance(kept, dict) else kept):
        if isinstance(value, dict | list | tuple):
            _blank(value)
        elif isinstance(value, np.ndarray | Tensor):
            (value.array if isinstance(value, Tensor) else value).fill(0)
        elif hasattr(value, "detach"):
            value.detach().zero_()
    if isinstance(kept, dict | list):
        kept.clear()


def _arrange_descriptors(descriptors: list[int], rules: int | None) -> None:
    """Leave the standard streams, the request, the answer, and the rules of Landlock until they apply."""
    request, answer, output = descriptors
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    os.dup2(output, 1)
    os.dup2(output, 2)
    os.dup2(request, REQUEST_FD)
    os.dup2(answer, ANSWER_FD)
    kept = [2, *([] if rules is None else [rules]), REQUEST_FD, ANSWER_FD, HIGHEST_FD]
    for below, above in itertools.pairwise(kept):
        os.closerange(below + 1, above)
