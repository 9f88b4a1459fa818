"""What a process may report of a submission: shapes and counts as asked, and words that stand in the code."""

import math

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from wording import to_students

from autograder.sandbox.claims import UNKNOWN_TYPE, checked_report
from autograder.sandbox.report import (
    MAX_OUTPUT_BYTES,
    Answer,
    Ending,
    FunctionFacts,
    IndexOutOfTable,
    Operand,
    RunReport,
    Status,
    Stop,
    StudentError,
    read_report,
)
from autograder.sandbox.request import Cell, Code, Limits, Request, SharedCalls
from autograder.worker.wire import Tensor, Unsendable, pack

ERROR = {
    "type": "ValueError",
    "message": "no",
    "file": "homework.py",
    "line": 3,
    "source": "x = y",
    "trace": "…",
}
VALUE = {"value": 7, "modified": [1], "seconds": 0.5}


def message(*results, **parts):
    """What an honest worker sends."""
    return {"error": None, "stops": [], "functions": {}, "results": list(results), **parts}


def read(tree, calls=1, printed=b"", ending=None):
    raw = tree if isinstance(tree, bytes) else pack(tree)
    code = Code("work.ipynb", {}, [Cell(1, "x = y"), Cell(2, "x = y")])
    calls_asked = [{"op": "function", "name": "f", "args": [1, 2]}] * calls
    return read_report(raw, printed, ending or Ending(), Request(code, calls_asked))


def the_error(**parts):
    """The error of one call as it is read."""
    [answer] = read(message({"error": {**ERROR, **parts}, "seconds": 0.0})).answers
    assert answer.error is not None
    return answer.error


# An honest message


def test_a_value_comes_with_what_was_noticed_about_it():
    noticed = {"gradients": {"0": np.ones(2), "1": None}, "parameters": {"w": "2 3", "scale": ""}}
    result = {**VALUE, **noticed, "probes": {"w": 1}, "trained": {"loss": 2}}
    [answer] = read(message(result)).answers
    assert answer.is_usable
    assert (answer.value, answer.modified, answer.seconds) == (7, (1,), 0.5)
    assert answer.gradients["0"].tolist() == [1, 1]
    assert answer.gradients["1"] is None
    assert dict(answer.parameters) == {"w": (2, 3), "scale": ()}
    assert (answer.probes, answer.trained) == ({"w": 1}, {"loss": 2})


@pytest.mark.parametrize(
    ("call", "positions"),
    [
        ({"op": "function", "name": "f", "args": [1, 2]}, (0, 1)),
        ({"op": "module", "name": "F", "args": [3, 4], "input": Tensor(np.ones(2))}, (0,)),
        ({"op": "object", "name": "F", "args": [3], "steps": [("add", 1, 2), (".total",)]}, (0, 1, 2)),
        ({"op": "value", "name": "total"}, ()),
    ],
)
def test_changed_inputs_that_the_call_does_not_have_are_left_out(call, positions):
    raw = pack(message({**VALUE, "modified": [*range(8), 999]}))
    [first, second] = (
        read_report(raw, b"", Ending(), Request(Code("f.py"), calls)).answers[0].modified
        for calls in ([call], SharedCalls([call]))
    )
    assert first == second == positions


def test_an_error_and_a_missing_name_are_no_values():
    report = read(message({"error": ERROR, "seconds": 0}, {"not_defined": "f", "seconds": 0}), calls=2)
    failed, missing = report.answers
    assert failed.error == StudentError("ValueError", "no", "homework.py", 3, "x = y", "…")
    assert missing.not_defined
    assert not failed.is_usable
    assert not missing.is_usable


def test_stops_and_facts_of_functions_are_read():
    cells = [{"cell": 2, **ERROR}]
    functions = {"f": {"parameters": ["Q", "K"], "globals_read": ["D"], "sizes": {"D": 4}}}
    report = read(message(VALUE, stops=cells, functions=functions))
    assert (report.stops[0].cell, report.stops[0].error.line) == (2, 3)
    assert report.functions["f"].parameters == ("Q", "K")
    assert report.functions["f"].globals_read == ("D",)
    assert report.functions["f"].sizes == {"D": 4}


def test_a_failed_import_is_a_status_with_its_error():
    report = read(message(error=ERROR))
    assert (report.status, report.detail) == (
        Status.IMPORT_FAILED,
        to_students["report.valueerror-on-import"],
    )
    assert report.load_error.line == 3


def test_an_import_that_needs_too_much_memory_is_a_memory_limit():
    report = read(message(error={**ERROR, "type": "MemoryError"}))
    assert report.status is Status.MEMORY_LIMIT
    assert report.load_error is not None


def test_the_operands_of_an_error_are_read_where_they_are_known():
    operands = [{"shape": [2, 3], "argument": 1}, {"shape": None, "argument": None}]
    assert the_error(operands=operands).operands == (Operand((2, 3), 1), Operand())
    assert the_error().operands == ()
    assert [the_error(step=step).step for step in (None, 3)] == [None, 3]
    assert the_error(file=None, line=None).line is None


@pytest.mark.parametrize(
    "operands",
    [
        None,
        "2 3",
        [{"shape": [2, 3]}],
        [{"shape": [2.5], "argument": 0}],
        [{"shape": [-1], "argument": 0}],
        [{"shape": [10**30], "argument": 0}],
        [{"shape": [1] * 100, "argument": 0}],
        [{"shape": [2], "argument": "X"}],
        [{"shape": [2], "argument": True}],
        [{"shape": [2], "argument": 0}] * 5,
    ],
)
def test_operands_of_another_form_are_an_invalid_answer(operands):
    report = read(message({"error": {**ERROR, "operands": operands}, "seconds": 0.0}))
    assert report.status is Status.INVALID_ANSWER


def test_what_was_printed_is_kept_in_part():
    report = read(message(VALUE), printed=b"a\xffb" + b"x" * 100_000)
    assert report.output.startswith("a�b")
    assert len(report.output.encode()) <= MAX_OUTPUT_BYTES + 2


# Endings that leave no answer


@pytest.mark.parametrize(
    ("ending", "status", "expected"),
    [
        (Ending(exit=-9, late=True), Status.TIME_LIMIT, "12 s"),
        (Ending(exit=-24), Status.TIME_LIMIT, "10 s of processor time"),
        (Ending(exit=-9, cpu_seconds=9.9), Status.TIME_LIMIT, "processor time"),
        (Ending(exit=-9, cpu_seconds=1.0), Status.CRASHED, "SIGKILL"),
        (Ending(exit=-11), Status.CRASHED, "SIGSEGV"),
        (Ending(exit=-6), Status.CRASHED, "SIGABRT"),
        (Ending(exit=-63), Status.CRASHED, "signal 63"),
        (Ending(exit=1), Status.CRASHED, "exit status 1"),
        (Ending(exit=97), Status.INVALID_ANSWER, "32 MiB"),
        (Ending(exit=98), Status.MEMORY_LIMIT, "1024 MiB"),
    ],
)
def test_the_ending_decides_before_any_answer_is_read(ending, status, expected):
    report = read(message(VALUE), ending=ending)
    assert report.status is status
    assert expected in report.detail
    assert list(report.answers) == []


@pytest.mark.parametrize(
    ("ending", "status", "expected"),
    [
        (Ending(exit=-9, late=True), Status.TIME_LIMIT, "stopped after 52 s"),
        (Ending(exit=-24, cpu_seconds=10.1), Status.TIME_LIMIT, "stopped after 10 s of processor time"),
        (Ending(exit=-9, cpu_seconds=49.9), Status.TIME_LIMIT, "stopped after 50 s of processor time"),
        (Ending(exit=-9, cpu_seconds=20.0), Status.CRASHED, "killed by SIGKILL"),
    ],
)
def test_calls_with_limits_of_their_own_have_their_time_on_top(ending, status, expected):
    calls_asked = [{"op": "function", "name": "train", "args": []}] * 2
    request = Request(Code("work.py"), calls_asked, limits=Limits(of_functions={"train": 20}))
    report = read_report(b"", b"", ending, request)
    assert (report.status, report.detail) == (status, expected)


def test_a_clean_ending_without_an_answer_is_a_crash():
    assert read(b"").status is Status.CRASHED


def test_what_the_kernel_measured_is_kept_for_every_status():
    for raw in (message(VALUE), b"garbage"):
        report = read(raw, ending=Ending(cpu_seconds=1.5, memory_mb=40))
        assert (report.cpu_seconds, report.memory_mb) == (1.5, 40)


# Forged messages


@pytest.mark.parametrize("calls", [0, 2])
def test_too_many_or_too_few_answers_are_invalid(calls):
    assert read(message(VALUE), calls=calls).status is Status.INVALID_ANSWER


@pytest.mark.parametrize(
    "tree",
    [
        np.ones(3),
        np.float64(1.0),
        7,
        None,
        [],
        {},
        message(),
        message({}),
        message({"value": 1}),
        message({**VALUE, "seconds": "late"}),
        message({**VALUE, "modified": 3}),
        message({**VALUE, "modified": [float("inf")]}),
        message({**VALUE, "modified": [np.ones(3)]}),
        message({**VALUE, "parameters": [1]}),
        message({**VALUE, "parameters": {"w": 3}}),
        message({**VALUE, "parameters": {"w": "2 x"}}),
        message({**VALUE, "parameters": {"w": "-2"}}),
        message({**VALUE, "parameters": {"w": "9" * 100}}),
        message({"error": None, "seconds": 0}),
        message({"error": {**ERROR, "line": "3rd"}, "seconds": 0}),
        message({"error": {**ERROR, "line": float("nan")}, "seconds": 0}),
        message({"error": {**ERROR, "line": 10**30}, "seconds": 0}),
        message({"error": {**ERROR, "line": -1}, "seconds": 0}),
        message({"error": {**ERROR, "file": np.ones(2)}, "seconds": 0}),
        message(np.ones(2)),
        message(VALUE, stops=[{}]),
        message(VALUE, stops=7),
        message(VALUE, functions=[1]),
        message(VALUE, functions={"f": {"parameters": 3}}),
        message(VALUE, error=np.ones(3)),
        message(VALUE, results=np.ones((1, 3))),
        {**message(), "results": {"value": 1}},
    ],
)
def test_a_well_formed_message_of_another_schema_is_invalid(tree):
    report = read(tree)
    assert report.status is Status.INVALID_ANSWER
    assert list(report.answers) == []


@given(st.binary(max_size=200))
@settings(deadline=None)
def test_arbitrary_bytes_are_an_invalid_answer(raw):
    report = read(raw)
    assert report.status in (Status.INVALID_ANSWER, Status.CRASHED)


def leaves():
    numbers = st.integers() | st.floats() | st.booleans()
    arrays = st.sampled_from([np.ones(3), np.ones(()), np.ones((0, 2)), np.array([True])])
    return st.none() | numbers | st.text(max_size=4) | arrays | arrays.map(Tensor) | st.just(Unsendable("x"))


KEYS = [
    *message(),
    *ERROR,
    *VALUE,
    "cell",
    "not_defined",
    "gradients",
    "parameters",
    "globals_read",
    "sizes",
    "f",
]


def any_tree():
    return st.recursive(
        leaves(),
        lambda inner: (
            st.lists(inner, max_size=3)
            | st.lists(inner, max_size=2).map(tuple)
            | st.dictionaries(st.sampled_from(KEYS), inner, max_size=6)
        ),
        max_leaves=12,
    )


def check(report):
    """What readers of a report may rely on."""
    for answer in report.answers:
        assert isinstance(answer, Answer)
        assert isinstance(answer.seconds, float)
        assert all(type(index) is int for index in answer.modified)
    for error in (report.load_error, *(answer.error for answer in report.answers)):
        assert error is None or (type(error.type) is str and type(error.message) is str)
        assert error is None or error.line is None or 0 <= error.line < 10**9
    assert report.status in (Status.GRADED, Status.IMPORT_FAILED, Status.MEMORY_LIMIT, Status.INVALID_ANSWER)


@given(any_tree(), st.integers(0, 2))
@settings(deadline=None, max_examples=100)
def test_any_tree_is_read_or_refused_but_never_breaks_the_reader(tree, calls):
    check(read(tree, calls))


@given(st.fixed_dictionaries({key: any_tree() for key in message()}), any_tree(), any_tree())
@settings(deadline=None, max_examples=100)
@example({}, {"not_defined": 1, "seconds": 0}, None)
def test_any_parts_in_the_right_places_are_read_or_refused(parts, result, error):
    check(read(message(result, **{**parts, "error": None})))
    check(read({**message({"error": error, "seconds": 0.0}), "functions": parts.get("functions", {})}))
    check(read(message(error=error)))
    check(read({**message(VALUE), **parts}))


# Texts that a student's process wrote


@pytest.mark.parametrize("part", ["type", "message", "file", "source", "trace"])
def test_texts_are_free_of_control_characters_and_can_be_written_down(part):
    text = getattr(the_error(**{part: "a\x1b[31mb\x00c\ud800d\x07\x9be"}), part)
    assert {"\x1b", "\x00", "\x07", "\x9b"}.isdisjoint(text)
    assert text.encode("utf-8")
    assert text.startswith("a")
    assert text.endswith("e")


def test_messages_keep_their_lines_and_letters():
    text = "shapes (2, 3) and (4, 3):\n\té 東 <b> & \\"
    assert the_error(message=text).message == text


OUT_OF_TABLE = {"array": "places", "which": "max", "index": 9, "table": (7, 2)}


def test_facts_about_an_exception_are_read_part_by_part():
    error = the_error(
        operands=[{"shape": (2, 3), "argument": 0}, {"shape": None, "argument": None}],
        shapes={"Q": (2, 3), "K.T": [3], "mask": "None"},
        out_of_table=OUT_OF_TABLE,
        hint=["name", "weights", "12"],
    )
    assert error.operands == (Operand((2, 3), 0), Operand(None, None))
    assert error.shapes == {"Q": (2, 3), "K.T": (3,), "mask": "None"}
    assert error.out_of_table == IndexOutOfTable("places", "max", 9, (7, 2))
    assert error.hint == ("name", "weights", "12")


@pytest.mark.parametrize(
    "facts",
    [
        {"shapes": {f"x{number}": (1,) for number in range(5)}},
        {"shapes": {"x": "0.49, -0.13"}},
        {"shapes": {"x": (-1,)}},
        {"shapes": {"x": (1,) * 17}},
        {"shapes": {"x": 3}},
        {"shapes": [("x", (1,))]},
        {"shapes": None},
        {"out_of_table": {**OUT_OF_TABLE, "which": "median"}},
        {"out_of_table": {**OUT_OF_TABLE, "index": 1 << 80}},
        {"out_of_table": {**OUT_OF_TABLE, "index": 1.5}},
        {"out_of_table": {**OUT_OF_TABLE, "table": "7 2"}},
        {"out_of_table": {"array": "places"}},
        {"out_of_table": []},
        {"hint": ["name"] * 5},
        {"hint": "name"},
        {"hint": ["name", 12]},
    ],
    ids=repr,
)
def test_a_fact_that_no_worker_writes_makes_the_answer_malformed(facts):
    report = read(message({"error": {**ERROR, **facts}, "seconds": 0}))
    assert report.status is Status.INVALID_ANSWER


def test_texts_in_facts_are_cut_and_hold_no_control_characters():
    error = the_error(shapes={"x\x1b`<" * 50: (1,)}, hint=["name", "a\x1b\u202e" * 500])
    [name] = error.shapes
    assert (len(name), len(error.hint[1])) == (80, 200)
    assert {"\x1b", "`", "<", "\u202e"}.isdisjoint(name + error.hint[1])


def test_output_is_free_of_control_characters():
    output = read(message(VALUE), printed="\x1b[2J\tfein ü\r\n\x00".encode()).output
    assert "\x1b" not in output
    assert "\x00" not in output
    assert "\tfein ü" in output
    assert output.endswith("\n?")


def test_texts_are_cut():
    long = "x" * 100_000
    error = the_error(type=long, message=long, file=long, source=long, trace=long)
    lengths = [len(t) for t in (error.type, error.message, error.file or "", error.source, error.trace)]
    assert lengths == [100, 2000, 100, 200, 4000]


def test_the_detail_of_a_malformed_answer_holds_no_markup_of_the_students():
    report = read(message(VALUE, stops=[{"cell": "<script>\x1b[31m", **ERROR}]))
    assert report.status is Status.INVALID_ANSWER
    assert "<script>" not in report.detail
    assert "\x1b" not in report.detail


def test_seconds_are_a_number_that_can_be_added_up():
    for seconds in (float("nan"), float("inf"), -5.0, 1e300):
        [answer] = read(message({**VALUE, "seconds": seconds})).answers or [Answer()]
        assert math.isfinite(answer.seconds)
        assert answer.seconds >= 0


def test_what_an_error_leaves_out_is_blank_and_its_time_and_shapes_count():
    error = {"type": "ValueError", "message": "no", "line": None}
    [answer] = read(message({"error": error, "parameters": {"w": "2 3"}, "seconds": 0.25})).answers
    assert answer.error == StudentError("ValueError", "no")
    assert (answer.error.file, answer.error.source, answer.error.trace) == (None, "", "")
    assert (answer.unloaded, answer.seconds) == ({"w": (2, 3)}, 0.25)


def test_what_was_trained_is_read_and_is_a_dictionary():
    [answer] = read(message({**VALUE, "trained": {"loss": 0.5}})).answers
    assert answer.trained == {"loss": 0.5}
    assert read(message({**VALUE, "trained": [0.5]})).status is Status.INVALID_ANSWER


def test_names_of_functions_are_cut():
    facts = {"parameters": [], "globals_read": [], "sizes": {}}
    [name] = read(message(VALUE, functions={"f" * 10_000: facts})).functions
    assert name == "f" * len(name)
    assert len(name) < 1_000


def test_staff_read_how_many_items_were_too_many():
    report = read(message({**VALUE, "modified": [1] * 1_001}))
    assert report.status is Status.INVALID_ANSWER
    assert "1001 items where there may be" in f"{report.detail} {report.staff}"


# Statuses


def test_the_names_are_those_of_the_results_format_and_the_most_urgent_comes_last():
    assert [str(status) for status in Status] == [
        "graded",
        "not_submitted",
        "import_failed",
        "invalid_answer",
        "crashed",
        "memory_limit",
        "time_limit",
        "infrastructure_error",
    ]


def test_only_one_status_is_our_fault():
    assert [status for status in Status if status.is_our_fault] == [Status.INFRASTRUCTURE_ERROR]


CODE = Code("work.py", {"work.py": "class Odd(Exception): pass\ndef f(a):\n    raise Odd(D)\n"})
NOTEBOOK = Code("work.ipynb", {}, [Cell(3, "x = 1\n1 / 0")])


def error_told(error, code=CODE):
    report = RunReport(Status.GRADED, answers=(Answer(error=error),))
    error_shown = checked_report(report, code).answers[0].error
    assert error_shown is not None
    return error_shown


@pytest.mark.parametrize("kind", ["ValueError", "KeyboardInterrupt", "LinAlgError", "TimeLimit"])
def test_a_type_of_python_or_numpy_is_shown(kind):
    assert error_told(StudentError(kind)).type == kind


@pytest.mark.parametrize("kind", ["0.4967 1.2345", "X_is_0_49", "Ångström", "True", "Odd"])
def test_a_type_of_the_submissions_own_is_for_the_staff(kind):
    error = error_told(StudentError(kind, message="too large"))
    assert (error.type, error.message) == (UNKNOWN_TYPE, f"{kind}: too large")


def test_the_source_is_the_line_of_the_code_whatever_the_report_says():
    error = error_told(StudentError("Odd", file="work.py", line=3, source="X = [[0.49, -0.13]]"))
    assert (error.file, error.line, error.source) == ("work.py", 3, "raise Odd(D)")


@pytest.mark.parametrize(("file", "line"), [("work.py", 99), ("other.py", 1), ("work.py", 0), (None, 2)])
def test_a_place_that_is_not_in_the_code_is_left_out(file, line):
    error = error_told(StudentError("Odd", file=file, line=line, source="X = [[0.49, -0.13]]"))
    assert (error.file, error.line, error.source) == (None, None, "")


def test_lines_of_cells_are_found():
    error = error_told(StudentError("ZeroDivisionError", file="cell 3", line=2), NOTEBOOK)
    assert error.source == "1 / 0"


def test_failures_of_cells_that_do_not_exist_are_left_out():
    error = StudentError("ValueError", file="cell 4967", line=1, source="secret")
    failures = tuple(Stop(number, error) for number in (3, 4967, 3, 0))
    report = checked_report(RunReport(Status.GRADED, stops=failures), NOTEBOOK)
    assert list(report.stops) == [Stop(3, StudentError("ValueError"))]


def test_names_that_are_not_written_in_the_code_are_left_out():
    functions = {"f": FunctionFacts(("a", "x_0_4967"), ("D", "secret_1_2345"), {"D": 4, "secret": 4967})}
    report = checked_report(RunReport(Status.GRADED, functions=functions), CODE)
    assert report.functions["f"] == FunctionFacts(("a",), ("D",), {"D": 4})


def test_staff_still_read_the_message_and_the_trace():
    error = error_told(StudentError("ValueError", message="X = 0.49", trace="a trace"))
    assert (error.message, error.trace) == ("X = 0.49", "a trace")


def test_lines_are_those_that_python_counts():
    code = Code("work.py", {"work.py": "a = 1\x0c\x0b\u2028\nb = 2\r\n1 / 0\r"})
    error = error_told(StudentError("ZeroDivisionError", file="work.py", line=3), code)
    assert (error.line, error.source) == (3, "1 / 0")


MAGIC = r"get_ipython().run_cell_magic('time', '', 'x = 1\n  1 / 0\nsecret = 496714')"


@pytest.mark.parametrize(("source", "line"), [("1 / 0", "1 / 0"), ("x = 1", "x = 1"), ("4967", ""), ("", "")])
def test_a_line_within_a_timed_cell_is_shown_whole_or_not_at_all(source, line):
    code = Code("work.py", {"work.py": f"y = 1\n{MAGIC}\n"})
    assert (
        error_told(StudentError("NameError", file="work.py (magic)", line=2, source=source), code).source
        == line
    )


def test_a_file_that_was_not_handed_in_is_not_named():
    for file in ("496714", "496714 (magic)"):
        assert error_told(StudentError("ValueError", file=file, line=1)).file is None


def test_why_a_file_could_not_be_loaded_is_kept_with_its_place_in_the_code():
    error = StudentError("ValueError", message="X", file="work.py", line=3, source="X = 0.49")
    report = checked_report(RunReport(Status.IMPORT_FAILED, load_error=error, detail="X = 0.49"), CODE)
    assert report.load_error == StudentError("ValueError", "X", "work.py", 3, "raise Odd(D)")
    assert report.detail == "ValueError on import"
