"""Answer one request inside the student's process: load the submission, make the calls, pack the results."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Iterator
from time import perf_counter
from typing import Any

from autograder.worker.calls import NotDefined, make_call
from autograder.worker.errors import describe_error
from autograder.worker.globals_read import describe_functions
from autograder.worker.inert import install_inert_modules
from autograder.worker.load import Loaded, load_module, load_notebook
from autograder.worker.parameters import MissingParameter
from autograder.worker.reset import reset
from autograder.worker.timer import Allowance, time_limit
from autograder.worker.wire import Freezer, Packer, unpack


def answer_request(raw: bytes, shared_calls: list[Any] | None = None, *, as_torch: bool) -> bytes:
    """Return the packed answer to a packed request, which has calls of its own or is made the shared ones."""
    request = unpack(raw, as_torch=as_torch)
    calls = request["calls"] if shared_calls is None else shared_calls
    install_inert_modules()
    importlib.import_module("numpy.random")  # NumPy loads it late, and then it would miss the seed
    sys.setrecursionlimit(3000)
    sys.argv = [request["entry"]]
    reset(request["seed"])
    loaded = _load(request)
    packer = Packer()
    results = [] if loaded.error else list(_make_calls(request, calls, loaded.namespace, packer))
    return packer.finish(
        {
            "error": loaded.error,
            "failed_cells": loaded.failed_cells,
            "functions": describe_functions(loaded.namespace, [call["name"] for call in calls]),
            "results": results,
        }
    )


def _load(request: dict[str, Any]) -> Loaded:
    allowance = Allowance(request["load_seconds"], request["call_seconds"])
    if request.get("cells") is not None:
        return load_notebook(request["files"], request["cells"], allowance)
    with_time = Allowance(allowance.wall, allowance.wall)
    return load_module(request["files"], request["entry"], with_time)


def _make_calls(
    request: dict[str, Any], calls: list[Any], namespace: dict[str, Any], packer: Packer
) -> Iterator[dict[str, object]]:
    too_slow: set[str] = set()
    for call in calls:
        started = perf_counter()
        if call["name"] in too_slow:
            outcome: dict[str, object] = {"error": {"type": "TimeLimit", "message": "", "line": None}}
        else:
            outcome = attempt(call, namespace, packer, request["call_seconds"], request["seed"])
        error = outcome.get("error")
        if isinstance(error, dict) and error.get("type") == "TimeLimit":
            too_slow.add(call["name"])
        yield {**outcome, "seconds": perf_counter() - started}


def attempt(
    call: dict[str, Any], namespace: dict[str, Any], packer: Freezer, seconds: float, seed: int
) -> dict[str, object]:
    """Make one call as if it were the first; whatever it raises becomes part of the outcome."""
    try:
        reset(seed)
        with time_limit(seconds):
            return make_call(call, namespace, packer)
    except NotDefined:
        return {"not_defined": call["name"]}
    except MissingParameter as error:
        return {"error": {"type": "MissingParameter", "message": str(error)[:2000], "line": None}}
    except BaseException as error:  # whatever a submission raises is data
        return {"error": describe_error(error)}
