"""Replies that a hostile process could write: reading one never raises, and costs no more than its size.

The same replies are mutated each time. ``AUTOGRADER_FUZZ_SECONDS=600`` goes on with new ones for so long; a
number that found something is kept in ``KEPT``.
"""

import copy
import itertools
import json
import random
import time
import tracemalloc

import numpy as np
import pytest
from fuzzing import new_numbers
from safetensors.numpy import save

from autograder.decoders.indices import read_missing_row
from autograder.reasons.errors import explain_error
from autograder.sandbox.claims import checked_report
from autograder.sandbox.report import Ending, Status, read_report
from autograder.sandbox.request import Cell, Code, Request
from autograder.worker.wire import Tensor, Unsendable, pack

CASES = range(1500)
KEPT = (318789153372608015,)
SECONDS = 20.0  # of one reply of at most 4 MiB; an honest reader needs less than one
PEAK = 200 << 20

SOURCE = "D = 4\ndef f(x, y):\n    return x / 0\n"
CALLS = [{"op": "function", "name": name, "args": [1, 2]} for name in ("f", "g", "f")]
REQUEST = Request(Code("work.ipynb", {}, [Cell(1, SOURCE), Cell(2, "1 / 0"), Cell(3, "f(1, 2)")]), CALLS)
ERROR = {
    "type": "ValueError",
    "message": "no",
    "file": "cell 1",
    "line": 3,
    "source": "x",
    "trace": "…",
    "operands": [{"shape": (2, 3), "argument": 0}, {"shape": None, "argument": None}],
    "shapes": {"x": (2, 3), "y.T": (3,), "D": "a function"},
    "out_of_table": {"array": "x", "which": "max", "index": 7, "table": (7, 2)},
    "hint": ["name", "x", "3"],
}
VALUE = {"value": np.ones((2, 3)), "modified": [1], "seconds": 0.5}
FACTS = {"f": {"parameters": ["x", "y"], "globals_read": ["D"], "sizes": {"D": 4}}}
REPLIES = [
    {"error": None, "stops": [], "functions": FACTS, "results": [VALUE, VALUE, VALUE]},
    {"error": ERROR, "stops": [], "functions": {}, "results": []},
    {
        "error": None,
        "stops": [{"cell": 2, **ERROR}, {"cell": 3, **ERROR, "line": None}],
        "functions": FACTS,
        "results": [
            {
                **VALUE,
                "value": (Tensor(np.ones((1, 2))), [1, 2.5, "a", None], Unsendable("an object of type map")),
                "gradients": {"0": np.ones(2), "1": None},
                "parameters": {"layer.weight": "2 3", "scale": ""},
            },
            {"error": ERROR, "seconds": 0.0},
            {"not_defined": "f", "seconds": 0},
        ],
    },
]
LEAVES = [
    *(None, True, 0, -1, 7, 2**63, 10**400, -(10**400), 0.5, float("nan"), float("inf"), 1e308),
    *("", "f", "1 2", "9" * 5000, "\ud800", "x" * 5000, "\x1b[31m<b>", "1 " * 20),
    *([], {}, {"list": []}, {"dict": {}}, {"array": "0"}, {"array": "9"}, {"tensor": "0", "grad": True}),
    *({"other": "an object of type 4967"}, {"list": [None] * 300}, {"tuple": [1]}, {"dict": {"cell": 1}}),
]
SHAPES = [[1 << 36, 0], [0, 1 << 36], [1 << 62, 4], [-1], [], [1] * 40, [2, 3], [3, 2], [6], [0]]


def judged(raw, request=REQUEST):
    """Read a reply as the pool does, under a generous limit of time."""
    started = time.perf_counter()
    report = checked_report(read_report(raw, b"", Ending(), request), request.code)
    assert time.perf_counter() - started < SECONDS
    return report


def check(report):
    """What every later reader relies on."""
    failures = list(report.stops)
    cells = [
        failure.cell for failure in failures if failure.cell is not None
    ]  # None is a line of a file beside them
    assert cells == sorted({*cells} & {1, 2, 3})
    for answer in report.answers:
        assert all(type(index) is int for index in answer.modified)
        assert answer.gradients is None or type(answer.gradients) is dict
        assert all(type(size) is int for shape in answer.parameters.values() for size in shape)
    errors = [
        report.load_error,
        *(failure.error for failure in failures),
        *(answer.error for answer in report.answers),
    ]
    for error in filter(None, errors):
        check_error(error)
    for facts in report.functions.values():
        assert all(type(size) is int for size in facts.sizes.values())
    json.dumps([report.detail, report.staff], ensure_ascii=False).encode()


def check_error(error):
    texts = [error.message, error.source, error.trace, *error.shapes, *error.hint]
    json.dumps(texts, ensure_ascii=False).encode()
    explain_error(error, "`f`", "slow", error)
    read_missing_row(error)
    assert (error.line is None) == (error.file is None)
    lines = {f"cell {cell.number}": cell.source.split("\n") for cell in REQUEST.code.cells or ()}
    if error.file is not None and error.line is not None:
        assert error.source == lines[error.file][error.line - 1].strip()


# Mutations of real replies


def mutated(seed):
    """One reply with a few changes of bytes, of its tree, or of its list of arrays."""
    chance = random.Random(seed)
    raw = pack(chance.choice(REPLIES))
    for _ in range(chance.randint(1, 4)):
        raw = chance.choice([_in_tree, _in_tree, _in_tree, _in_arrays, _in_bytes])(raw, chance)
    return raw


def _in_tree(raw, chance):
    line, _, blob = raw.partition(b"\n")
    try:
        tree = json.loads(line)
    except (ValueError, RecursionError):
        return _in_bytes(raw, chance)
    nodes = list(_nodes([tree]))
    holder, key = chance.choice(nodes)
    other, from_key = chance.choice(nodes)
    kind = chance.randrange(5)
    if kind == 0:
        holder[key] = copy.deepcopy(other[from_key])
    elif kind == 1 and len(holder) > 1:
        del holder[key]
    elif kind == 2 and isinstance(holder, dict):
        holder[chance.choice(["list", "tuple", "dict", "array", "other", "error", "value"])] = holder.pop(key)
    elif kind == 3 and isinstance(holder, list):
        holder *= chance.choice([0, 2, 200])
    else:
        holder[key] = copy.deepcopy(chance.choice(LEAVES))
    return json.dumps(tree)[:4_000_000].encode() + b"\n" + blob


def _nodes(tree):
    for key, value in list(tree.items() if isinstance(tree, dict) else enumerate(tree)):
        yield tree, key
        if isinstance(value, dict | list):
            yield from _nodes(value)


def _in_arrays(raw, chance):
    line, _, blob = raw.partition(b"\n")
    size = int.from_bytes(blob[:8], "little")
    try:
        listed = json.loads(blob[8 : 8 + size])
        entry = listed[chance.choice(sorted(listed))]
    except (ValueError, IndexError, TypeError, RecursionError):
        return _in_bytes(raw, chance)
    if not isinstance(entry, dict) or "shape" not in entry:
        return _in_bytes(raw, chance)
    kind = chance.randrange(4)
    if kind == 0:
        entry["shape"] = chance.choice(SHAPES)
        if 0 in entry["shape"]:
            entry["data_offsets"] = [0, 0]
    elif kind == 1:
        entry["dtype"] = chance.choice(["F64", "F16", "BF16", "BOOL", "I8", "U64", "C64", "F8_E4M3", "?"])
    elif kind == 2:
        entry["data_offsets"] = [chance.choice([0, 8, 1 << 40, -1]) for _ in range(2)]
    else:
        listed = {f"{number}": entry for number in range(chance.choice([1, 5, 500]))}
    header = json.dumps(listed).encode()
    return line + b"\n" + len(header).to_bytes(8, "little") + header + blob[8 + size :]


def _in_bytes(raw, chance):
    here, end = sorted(chance.randrange(len(raw) + 1) for _ in range(2))
    middle = chance.choice([b"", bytes([chance.randrange(256)]), raw[here:end] * 2, b"[" * 3000, b"9" * 5000])
    return raw[:here] + middle + raw[end if chance.random() < 0.5 else here :]


def test_a_mutated_reply_is_read_or_refused():
    statuses = set()
    for seed in itertools.chain(KEPT, CASES, new_numbers()):
        try:
            report = judged(mutated(seed))
            check(report)
        except Exception as error:
            raise AssertionError(f"seed {seed}") from error
        statuses.add(report.status)
    assert {Status.GRADED, Status.INVALID_ANSWER} <= statuses, "mutations reach both ends"


# Replies that are large where nothing large can be meant

EMPTY = np.empty((1 << 36, 0))
LONG = "n" * 3_000_000
MANY = [None] * 50_000
ALLOWED = {
    "globals-read": lambda: _of_f(globals_read=[f"name{number}" for number in range(20_000)]),
    "sizes": lambda: _of_f(sizes={f"name{number}": 3 for number in range(20_000)}),
    "parameter-name": lambda: _of_f(parameters=[LONG]),
    "type": lambda: {**REPLIES[1], "error": {**ERROR, "type": LONG}},
    "text": lambda: {**REPLIES[1], "error": {**ERROR, "message": LONG}},
    "value": lambda: _with(0, value=MANY),
    "value-empty": lambda: _with(0, value=EMPTY),
}


def _with(place, **parts):
    results = list(REPLIES[0]["results"])
    results[place] = {**results[place], **parts}
    return {**REPLIES[0], "results": results}


def _of_f(**parts):
    return {**REPLIES[0], "functions": {"f": {**FACTS["f"], **parts}}}


@pytest.mark.parametrize("name", ALLOWED)
def test_what_may_be_long_is_cut(name):
    report = bounded(pack(ALLOWED[name]()))
    assert report.status in (Status.GRADED, Status.IMPORT_FAILED)
    facts = report.functions.get("f")
    assert facts is None or len(facts.globals_read) + len(facts.sizes) <= 100
    assert report.load_error is None or len(report.load_error.message) <= 2200


def bounded(raw):
    report = judged(raw)
    tracemalloc.start()
    try:
        read_report(raw, b"", Ending(), REQUEST)
        assert tracemalloc.get_traced_memory()[1] < PEAK + 2 * len(raw)
    finally:
        tracemalloc.stop()
    check(report)
    return report


NO_ARRAYS = save({})
OPENING = b'{"dict":{"error":null,"stops":{"list":[]},"functions":{"dict":{}},"results":{"list":['
ENDS = {
    "brackets": b"[" * 4_000_000,
    "nested": b'{"list":[' * 400_000,
    "one-digit-string": OPENING + b"9" * 4_000_000,
    "long-numbers": OPENING + (b"9" * 4000 + b",") * 1000 + b"1]}}}",
    "exponents": OPENING + b"1e999999999," * 100_000 + b"1]}}}",
    "nodes": OPENING + b'{"list":[]},' * 40_000 + b"null]}}}",
    "same-key": b"{" + b'"dict":1,' * 400_000 + b'"dict":{}}',
    "surrogates": OPENING + b'"' + rb"\ud800" * 600_000 + b'"]}}}',
}


@pytest.mark.parametrize("name", ENDS)
def test_a_large_tree_is_refused_in_time_and_memory(name):
    assert bounded(ENDS[name] + b"\n" + NO_ARRAYS).status is Status.INVALID_ANSWER


def test_a_list_of_very_many_arrays_is_refused_in_time_and_memory():
    entry = {"dtype": "F32", "shape": [0], "data_offsets": [0, 0]}
    header = json.dumps({str(number): entry for number in range(8_000)}).encode()
    raw = OPENING + b"]}}}\n" + len(header).to_bytes(8, "little") + header
    assert bounded(raw).status is Status.INVALID_ANSWER


def test_thousands_of_stops_are_read_in_linear_time():
    cells = [Cell(number, "x = 1\n1 / 0\n") for number in range(1, 14_001)]
    request = Request(Code("work.ipynb", {}, cells), CALLS)
    short = {"type": "E", "message": "", "file": "cell 1", "line": 2, "source": "", "trace": ""}
    failed = [{"cell": number, **short} for number in range(1, 14_001)]
    report = judged(pack({**REPLIES[0], "stops": failed}), request)
    assert len(report.stops) == 14_000
