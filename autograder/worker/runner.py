"""Answer one request in a student's process: load the submission, make the calls, pack the results."""

from __future__ import annotations

import contextlib
import importlib
import os
import random
import sys
import traceback
from collections.abc import Callable
from contextlib import AbstractContextManager
from time import perf_counter, process_time
from typing import Any, NoReturn

import numpy as np

from autograder.worker.calls import NotDefined, copied, make_call, shapes_as_text
from autograder.worker.errors import (
    NO_ANSWER_EXIT,
    OUT_OF_MEMORY_EXIT,
    describe_error,
    name_limit,
)
from autograder.worker.facts.globals_read import describe_functions
from autograder.worker.inert import install_inert_modules
from autograder.worker.load import load_code, time_limit
from autograder.worker.parameters import MissingParameter
from autograder.worker.places import Namespace
from autograder.worker.scratch import ScratchFolder
from autograder.worker.steps import StepFailed
from autograder.worker.wire import Freezer, Packer, WireCall, unpack

SEED = 0
RECURSION_LIMIT = 3000
MAX_MISSING_MESSAGE = 2000
BUSY = 4
"""Elapsed time divided by this counts as used, where a call sleeps: on a busy machine it is longer by so much."""
_seed_random = random.seed
"""Taken before a submission is loaded: it may bind a number to ``random.seed`` by mistake."""


def answer_request(
    raw: bytes,
    shared_calls: list[WireCall] | None = None,
    data: dict[str, Any] | None = None,
    *,
    as_torch: bool,
    next_stage: Callable[[bytes], bytes] | None,
) -> bytes:
    """Load a submission, make the calls of a request and return the packed answer.

    Args:
        raw: the packed request.
        shared_calls: the calls to make; None if the request brings its own.
        data: the content of each data file as an array of bytes; None if the request brings its own, if any.
        as_torch: turn tensors of a call into torch's.
        next_stage: hands over the answer to these calls and returns the packed calls of the second stage, or
            no bytes. The returned answer is then that to the second stage. A submission that defines nothing
            to call has no second stage. None if the run has one stage.
    """
    request = unpack(raw, as_torch=as_torch)
    calls = request["calls"] if shared_calls is None else shared_calls
    if request["order"] is not None:
        uses = []
        for number, edit in zip(request["order"], request["edits"], strict=True):
            # Each use gets arrays of its own: code may change its arguments.
            inputs = copied(calls[number])
            uses.append({**inputs, **edit})
        calls = uses
    files = request["files"]
    data_files = {
        name: content.tobytes()
        for name, content in (data or request["data"] or {}).items()
    }
    entry = request["entry"]
    call_seconds = request["call_seconds"]
    function_seconds = request["function_seconds"]

    # Make this process look like one that runs a student's script.
    install_inert_modules()
    # NumPy loads this module lazily, and it would then miss the seed.
    importlib.import_module("numpy.random")
    sys.setrecursionlimit(RECURSION_LIMIT)
    sys.argv = [entry]
    sys.breakpointhook = lambda *args, **kwargs: None  # nobody is there to look
    reset()

    with ScratchFolder(files, data=data_files).in_use():
        loaded = load_code(files, entry, request["cells"], request["loading"])
        namespace = loaded.namespace
        # A notebook may answer with its top-level values; a file must define something to call.
        is_defined = request["cells"] is not None or any(
            call["name"] in namespace for call in calls
        )
        load_error = None
        if not is_defined and loaded.stops:
            load_error = loaded.stops[0]
        # Facts about the code come first: the calls may change it.
        stops = list(loaded.stops)
        functions = describe_functions(namespace, [call["name"] for call in calls])
        too_slow = set[str]()

        def answer(calls_of_stage: list[WireCall], **facts: object) -> bytes:
            packer = Packer()
            results = []
            for call in calls_of_stage:
                seconds = function_seconds.get(call["name"], call_seconds)
                seconds = call.get("seconds", seconds)
                describe = describe_error
                if (
                    "edited" in call
                ):  # of many such calls only a right answer is of interest
                    describe = name_limit
                with _time_on_top(function_seconds.get(call["name"])):
                    outcome = attempt(
                        call, namespace, packer, seconds, too_slow, describe
                    )
                results.append(outcome)
            return packer.finish({**facts, "results": results})

        first_answer = answer(
            calls if load_error is None else [],
            error=load_error,
            stops=stops,
            functions=functions,
        )
        if next_stage is None or load_error is not None:
            return first_answer
        later_calls = next_stage(first_answer)
        if not later_calls:
            return b""
        return answer(unpack(later_calls, as_torch=as_torch))


def _time_on_top(seconds: float | None) -> AbstractContextManager[None]:
    """Put the limit of processor time off during a call with a limit of its own; None if it has none."""
    if seconds is None or sys.platform == "win32":
        return contextlib.nullcontext()
    from autograder.worker.limits import more_processor_time

    return more_processor_time(seconds)


def end_after(answer: Callable[[], object]) -> NoReturn:
    """Call the function as the last act of this process; the process ends, even if the function raises."""
    status = NO_ANSWER_EXIT
    try:
        answer()
        status = 0
        sys.stdout.flush()
    except MemoryError:
        if status != 0:
            status = OUT_OF_MEMORY_EXIT
    except BaseException:
        # A failing flush comes after the answer, which counts.
        if status != 0:
            traceback.print_exc()
    finally:
        os._exit(status)


def write_answer(descriptor: int, answer: bytes) -> None:
    """Replace the content of the answer's file, to which a submission may have written."""
    os.ftruncate(descriptor, 0)
    os.lseek(descriptor, 0, os.SEEK_SET)
    remaining = memoryview(answer)
    while remaining:
        written = os.write(descriptor, remaining)
        remaining = remaining[written:]


def attempt(
    call: WireCall,
    namespace: Namespace,
    packer: Freezer,
    limit: float,
    too_slow: set[str],
    describe: Callable[[BaseException], dict[str, object]] = describe_error,
) -> dict[str, object]:
    """Make one call as if it were the first; its exception becomes part of the outcome.

    Args:
        call: the call as the request describes it.
        namespace: the submission's top-level names.
        packer: freezes the returned values.
        limit: seconds that the call may take; 0 means no limit.
        too_slow: functions that ran out of time before. They are not called again, and a function that runs
            out of time now is added.
        describe: turns an exception into plain data.
    """
    started = perf_counter()
    started_processor = process_time()
    name = call["name"]
    outcome: dict[str, object]
    try:
        if name in too_slow:
            outcome = {"error": {"type": "TimeLimit", "message": "", "line": None}}
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
        missing: dict[str, object] = {
            "type": "MissingParameter",
            "message": str(error)[:MAX_MISSING_MESSAGE],
            "line": None,
        }
        outcome = {"error": missing, "parameters": shapes_as_text(error.registered)}
    except StepFailed as failed:
        failure = {**describe(failed.error), "step": failed.step}
        outcome = {"error": failure, "steps": packer.freeze(failed.answer)}
    except BaseException as error:  # whatever a submission raises is data
        description = describe(error)
        outcome = {"error": description}
        if description["type"] == "TimeLimit" and "edited" not in call:
            too_slow.add(name)
    # A busy machine lengthens the time by the clock; of a call that sleeps, the processor time says too little.
    elapsed = perf_counter() - started
    seconds = max(process_time() - started_processor, elapsed / BUSY)
    return {**outcome, "seconds": seconds}


def reset(seed: int = SEED) -> None:
    """Seed the random generators, and set NumPy's and torch's global switches as in a new process.

    A submission may have bound a number to ``np.random.seed`` by mistake, so neither it nor
    ``random.seed`` is looked up here.
    """
    _seed_random(seed)
    np.seterr(divide="warn", over="warn", under="ignore", invalid="warn")
    numpy_random = sys.modules.get("numpy.random")
    if numpy_random is not None:
        numpy_random.mtrand._rand.seed(seed)
    torch = sys.modules.get("torch")
    if torch is not None:
        # Not torch.manual_seed, which also seeds devices and takes long.
        torch.default_generator.manual_seed(seed)
        torch.set_grad_enabled(True)
        torch.set_default_dtype(torch.float32)
