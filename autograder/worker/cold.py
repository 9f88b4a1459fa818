"""One process per submission, for platforms without ``fork``: request and answer are two files."""

from __future__ import annotations

import json
import os
import sys
import traceback
from pathlib import Path

from autograder.worker.errors import NO_ANSWER_EXIT, OUT_OF_MEMORY_EXIT


def answer_files(request_file: str, answer_file: str, config: str) -> None:
    """Read the request, apply what limits the platform has, write the answer, and leave at once."""
    settings = json.loads(config)
    raw = Path(request_file).read_bytes()
    if sys.platform != "win32":
        from autograder.worker.limits import apply_limits

        apply_limits(settings["limits"], memory_in_use=1 << 40)
    as_torch = settings["library"] != "numpy"
    if as_torch:
        import torch

        torch.set_num_threads(1)
    from autograder.worker.runner import answer_request

    code = NO_ANSWER_EXIT
    try:
        Path(answer_file).write_bytes(answer_request(raw, as_torch=as_torch))
        code = 0
        sys.stdout.flush()
    except MemoryError:
        code = code and OUT_OF_MEMORY_EXIT
    except BaseException:
        if code:
            traceback.print_exc()
    finally:
        os._exit(code)
