"""Answer one request in a student's process: load the submission, make the calls, pack the results."""

from __future__ import annotations

import importlib
import os
import random
import sys
import traceback
from collections.abc import Callable
from time import perf_counter
from typing import Any, NoReturn

import numpy as np

from autograder.worker.calls import NotDefined, make_call, shapes_as_text
from autograder.worker.errors import NO_ANSWER_EXIT, OUT_OF_MEMORY_EXIT, describe_error
from autograder.worker.globals_read import describe_functions
from autograder.worker.inert import install_inert_modules
from autograder.worker.load import load_code, time_limit
from autograder.worker.parameters import MissingParameter
from autograder.worker.scratch import ScratchFolder
from autograder.worker.wire import Freezer, Packer, unpack

SEED = 0
RECURSION_LIMIT = 3000
_seed_random = random.seed


def answer_request(
    raw: bytes,
    shared_calls: list[Any] | None = None,
    *,
    as_torch: bool,
    next_stage: Callable[[bytes], bytes] | None = None,
) -> bytes:
    """Load a submission, make the calls of a request and return the packed answer.

    Args:
        raw: the packed request.
        shared_calls: the calls to make; None where the request brings its own.
        as_torch: tensors of a call become torch's.
        next_stage: hands over the answer to these calls and returns the packed calls of the second stage,
            which may be nothing. What is returned in the end is then the answer to the second stage. A
            submission of which nothing can be called has no second stage. None where a run has one stage.
    """
    request = unpack(raw, as_torch=as_torch)
    calls = request["calls"] if shared_calls is None else shared_calls
    files, entry = request["files"], request["entry"]
    install_inert_modules()
    importlib.import_module(
        "numpy.random"
    )  # NumPy loads it lazily, and it would then miss the seed
    sys.setrecursionlimit(RECURSION_LIMIT)
    sys.argv = [entry]
    sys.breakpointhook = lambda *args, **kwargs: None  # nobody is there to look
    reset()
    with ScratchFolder(files).in_use():
        loaded = load_code(files, entry, request["cells"], request["loading"])
        is_defined = request["cells"] is not None or any(
            call["name"] in loaded.namespace for call in calls
        )
        failed = None if is_defined else next(iter(loaded.stops), None)
        # What the code is by itself is put down first: the calls may change it.
        stops = list(loaded.stops)
        functions = describe_functions(
            loaded.namespace, [call["name"] for call in calls]
        )
        too_slow = set[str]()

        def answer(asked: list[Any], **facts: object) -> bytes:
            packer, limit = Packer(), request["call_seconds"]
            results = [
                attempt(call, loaded.namespace, packer, limit, too_slow)
                for call in asked
            ]
            return packer.finish({**facts, "results": results})

        answered = answer(
            [] if failed else calls, error=failed, stops=stops, functions=functions
        )
        if next_stage is not None and not failed:
            later_calls = next_stage(answered)
            answered = (
                answer(unpack(later_calls, as_torch=as_torch)) if later_calls else b""
            )
    return answered


def end_after(answer: Callable[[], object]) -> NoReturn:
    """Do the last thing of this process; whatever happens meanwhile, the process ends with it."""
    code = NO_ANSWER_EXIT
    try:
        answer()
        code = 0
        sys.stdout.flush()
    except MemoryError:
        code = code and OUT_OF_MEMORY_EXIT
    except BaseException:
        if code:
            traceback.print_exc()
    finally:
        os._exit(code)


def write_answer(descriptor: int, answer: bytes) -> None:
    """Replace the content of the answer's file, to which a submission may have written."""
    os.ftruncate(descriptor, 0)
    os.lseek(descriptor, 0, os.SEEK_SET)
    rest = memoryview(answer)
    while rest:
        rest = rest[os.write(descriptor, rest) :]


def attempt(
    call: dict[str, Any],
    namespace: dict[str, Any],
    packer: Freezer,
    limit: float,
    too_slow: set[str],
    describe: Callable[[BaseException], dict[str, object]] = describe_error,
) -> dict[str, object]:
    """Make one call as if it were the first; its exception becomes part of the outcome, as it is described.

    A function that runs out of time goes into ``too_slow``, and those in there are not called. A limit of 0
    is none.
    """
    started, name = perf_counter(), call["name"]
    try:
        if name in too_slow:
            outcome: dict[str, object] = {
                "error": {"type": "TimeLimit", "message": "", "line": None}
            }
        else:
            reset(call.get("seed", SEED))
            if call.get("memory_mb") and sys.platform == "linux":
                from autograder.worker.limits import limit_growth

                limit_growth(call["memory_mb"])
            with time_limit(limit):
                outcome = make_call(call, namespace, packer)
    except NotDefined:
        outcome = {"not_defined": name}
    except MissingParameter as error:
        described: dict[str, object] = {
            "type": "MissingParameter",
            "message": str(error)[:2000],
            "line": None,
        }
        outcome = {"error": described, "parameters": shapes_as_text(error.registered)}
    except BaseException as error:  # whatever a submission raises is data
        described = describe(error)
        outcome = {"error": described}
        if described["type"] == "TimeLimit":
            too_slow.add(name)
    return {**outcome, "seconds": perf_counter() - started}


def reset(seed: int = SEED) -> None:
    """Seed the random generators, and set NumPy's and torch's global switches as in a new process.

    A submission may have bound a number to ``np.random.seed`` by mistake, so neither it nor
    ``random.seed`` is looked up here.
    """
    _seed_random(seed)
    np.seterr(divide="warn", over="warn", under="ignore", invalid="warn")
    numpy_random, torch = sys.modules.get("numpy.random"), sys.modules.get("torch")
    if numpy_random is not None:
        numpy_random.mtrand._rand.seed(seed)
    if torch is not None:
        torch.default_generator.manual_seed(
            seed
        )  # torch.manual_seed also seeds devices, which takes long
        torch.set_grad_enabled(True)
        torch.set_default_dtype(torch.float32)


def states() -> list[tuple[Callable[[Any], object], Any]]:
    """Return what ``reset`` sets, as it is now, each with the function that puts it back."""
    found: list[tuple[Callable[[Any], object], Any]] = [
        (random.setstate, random.getstate()),
        (lambda errors: np.seterr(**errors), np.geterr()),
    ]
    numpy_random, torch = sys.modules.get("numpy.random"), sys.modules.get("torch")
    if numpy_random is not None:
        found.append((numpy_random.set_state, numpy_random.get_state()))
    if torch is not None:
        found.append((torch.set_rng_state, torch.get_rng_state()))
        found.append((torch.set_grad_enabled, torch.is_grad_enabled()))
        found.append((torch.set_default_dtype, torch.get_default_dtype()))
    return found
