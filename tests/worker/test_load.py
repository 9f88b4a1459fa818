"""How code is loaded, statement by statement: files, cells, names that are bound anew, and lines that stop."""

import signal
import time

import numpy as np
import pytest

from autograder.sandbox.report import Status
from autograder.sandbox.request import Code, Limits
from autograder.worker import load
from autograder.worker.alterations import NotAlterable, rebound
from autograder.worker.errors import CallTimeLimit
from autograder.worker.facts.globals_read import is_size
from autograder.worker.load import MOST_STOPS, time_limit

from .asking import ask, call, module, notebook, read, values

# Modules


DOUBLE = "def double(x): return 2 * x"
MODULES = {
    "a module knows its name": ("def f(): return __name__, __file__", {}, ("homework", "/submission/homework.py")),
    "code under the main guard does not run":
        ("def f(): return 1\nif __name__ == '__main__': raise SystemExit('demonstration')", {}, 1),
    "sibling files are imported": (
        "from helpers import double\nimport more\ndef f(): return double(4) + more.ONE",
        {"helpers": DOUBLE, "more": "from helpers import double\nONE = double(0) + 1"}, 9),
    "a sibling can import the entry": (
        "D = 3\nimport helpers\ndef f(): return helpers.g()",
        {"helpers": "import homework\ndef g(): return homework.D"}, 3),
    "a sibling comes before a library that nothing has imported":
        ("from this import double\ndef f(): return double(2)", {"this": DOUBLE}, 4),
    "a sibling never replaces numpy":
        ("import numpy as np\ndef f(): return np.ones(2).tolist()", {"numpy": "raise SystemExit"}, [1, 1]),
    "any library that is installed is imported":
        ("import markdown_it, statistics\ndef f(): return markdown_it.__name__", {}, "markdown_it"),
    "the source of a function can be inspected":
        ("import inspect\ndef f(): return inspect.getsource(f)\n", {}, "def f(): return inspect.getsource(f)\n"),
}  # fmt: skip
ALIKE = {
    "annotations stay what the student wrote": ("def f(x: int = 1): return f.__annotations__['x'] is int", True),
    "the command line is empty as for a script":
        ("import argparse\noptions = argparse.ArgumentParser().parse_args()\ndef f(): return 1", 1),
    "text beyond ASCII is read as written":
        ("α = 'Zürich – 東京 🎓'\ndef größe(): return α", "Zürich – 東京 🎓", "größe"),
}  # fmt: skip


@pytest.mark.parametrize("name", MODULES)
def test_a_module_is_loaded_as_python_would(sandbox, name):
    source, siblings, value = MODULES[name]
    assert values(ask(sandbox, module(source, **siblings), call("f"))) == [value]


@pytest.mark.parametrize("name", ALIKE)
def test_modules_and_notebooks_are_loaded_alike(sandbox, name):
    source, value, *function = ALIKE[name]
    for code in (module(source), notebook(source)):
        assert values(ask(sandbox, code, call(*function or ["f"]))) == [value]


ENTRIES = (
    *("random", "numpy", "torch", "json", "code", "this", "autograder", "typing", "plotly"),
    *("my homework (1)", "hw-1", "1", "übung", "class", "a.b"),
)


@pytest.mark.parametrize("entry", ENTRIES)
def test_an_entry_may_have_the_name_of_any_module_or_one_that_python_could_not_import(sandbox, entry):
    source = """
    from __future__ import annotations
    import numpy as np
    from dataclasses import dataclass
    @dataclass
    class Pair:
        left: int
    def f(x): return np.sum(x) + Pair(3).left
    """
    assert values(ask(sandbox, module(source, f"{entry}.py"), call("f", [1, 2]))) == [6]


@pytest.mark.parametrize(
    ("source", "kind", "line"),
    [
        ("x = 1\nimport no_such_library", "ModuleNotFoundError", 2),
        ("x = 1\n\ndef f(:\n    pass", "SyntaxError", 3),
        ("import sys\nsys.exit('bye')", "SystemExit", 2),
        ("x = 1\nexit()", "SystemExit", 2),
        ("raise KeyboardInterrupt", "KeyboardInterrupt", 1),
        ("def g(): return g()\ng()", "RecursionError", 1),
        ("import os\nos._exit(4)", "SystemExit", 2),
        ("def f(): return 1\nreturn f()", "SyntaxError", 2),
        ("input('name?')", "EOFError", 1),
        ("class Odd(BaseException): pass\nraise Odd('x')", "an uncommon exception", 2),
    ],
)
def test_a_module_that_stops_and_defines_nothing_says_where(sandbox, source, kind, line):
    report = ask(sandbox, module(source), call("f"))
    assert report.status is Status.IMPORT_FAILED
    assert (report.load_error.type, report.load_error.file) == (kind, "homework.py")
    assert report.load_error.line == line
    assert report.answers == ()


def test_a_failing_sibling_is_named_as_the_place(sandbox):
    error = ask(sandbox, module("import helpers", helpers="x = 1\nx.y")).load_error
    assert (error.file, error.line, error.source) == ("helpers.py", 2, "x.y")


@pytest.mark.parametrize(
    "text", ["x = '\0'", "\ud800", "\ufeffx = (", "((" * 5000, "x = " + "-" * 100_000 + "1"]
)
def test_a_text_that_is_no_python_fails_on_import(sandbox, text):
    report = ask(sandbox, Code("homework.py", {"homework.py": text}))
    assert report.status in (Status.IMPORT_FAILED, Status.MEMORY_LIMIT)
    report = ask(sandbox, notebook(text, "x = 2"), read("x"))
    assert [failure.cell for failure in report.stops] == [1]
    assert values(report) == [2]


# Notebooks


NOTEBOOKS = {
    "cells run in order in one namespace": (["x = 1", "x += 1\ny = x", "x *= 5\nx += y"], 12),
    "the last definition of a name wins": (
        ["def f(): raise NotImplementedError", "def f(): return 1", "f()", "def f(): return 2", "x = f()"], 2),
    "a notebook is the main module": (
        ["import __main__\nif __name__ == '__main__':\n    y = 1\nx = __main__.y"], 1),
    "values are read as they stand at the end": (["x = []", "for i in range(3): x.append(i)"], [0, 1, 2]),
    "display shows nothing and goes on": (["display('a', 1, metadata={})\nx = 1"], 1),
    "a future import at the top of a cell is allowed":
        (["y = 0", "'''A title.'''\nfrom __future__ import annotations\nx = 1"], 1),
    "a file beside the notebook is imported": (["from helpers import double", "x = double(4)"], 8),
}  # fmt: skip


@pytest.mark.parametrize("name", NOTEBOOKS)
def test_a_notebook_is_loaded_as_jupyter_would(sandbox, name):
    cells, value = NOTEBOOKS[name]
    report = ask(sandbox, notebook(*cells, helpers=DOUBLE), read("x"))
    assert not report.stops
    assert values(report) == [value]


def test_a_failing_cell_is_recorded_with_its_line_and_the_next_one_runs(sandbox):
    report = ask(sandbox, notebook("x = 1", "y = 2\n\nx.shape", "z = 3"), read("z"))
    assert report.status is Status.GRADED
    [failure] = report.stops
    assert (failure.cell, failure.error.type, failure.error.line) == (2, "AttributeError", 3)
    assert (failure.error.file, failure.error.source) == ("cell 2", "x.shape")
    assert values(report) == [3]


def test_the_first_failure_of_a_cell_is_the_one_recorded(sandbox):
    report = ask(sandbox, notebook("1 / 0\nimport missing_library\ndef f(): return 1"), call("f"))
    assert [failure.error.type for failure in report.stops] == ["ZeroDivisionError"]
    assert values(report) == [1]


def test_later_definitions_of_a_failing_cell_are_made_and_its_other_lines_are_not(sandbox):
    cell = """
    x = 1
    undefined_name
    x = 2
    import math
    from math import sqrt
    def f(): return math.floor(sqrt(9)) + g(0)
    g = lambda y: y + x
    class C: pass
    """
    report = ask(sandbox, notebook(cell), call("f"), call("C"), read("x"))
    assert values(report)[0::2] == [4, 1]


def test_a_value_that_was_never_set_is_not_defined(sandbox):
    [answer] = ask(sandbox, notebook("x = 1"), read("y")).answers
    assert answer.not_defined
    assert not answer.is_usable


@pytest.mark.parametrize(
    "line", ["import sys; sys.exit()", "quit()", "raise KeyboardInterrupt", "raise SystemExit(3)"]
)
def test_leaving_in_a_cell_ends_the_cell_only(sandbox, line):
    report = ask(sandbox, notebook(line, "x = 1"), read("x"))
    assert report.stops[0].cell == 1
    assert values(report) == [1]


def test_a_syntax_error_ends_its_cell_only(sandbox):
    report = ask(sandbox, notebook("x = 1\ny = = 2", "x = 5"), read("x"), read("y"))
    [failure] = report.stops
    assert (failure.error.type, failure.error.line, failure.error.file) == ("SyntaxError", 2, "cell 1")
    assert [answer.not_defined for answer in report.answers] == [False, True]


def test_a_cell_that_needs_too_much_memory_ends_its_cell_only(sandbox):
    report = ask(sandbox, notebook("import numpy as np\nx = np.ones(10**12)", "x = 5"), read("x"))
    assert report.stops[0].error.type == "MemoryError"
    assert values(report) == [5]


def test_cells_keep_the_numbers_that_the_student_counts(sandbox):
    code = notebook("x = 1", "y")
    assert code.cells is not None
    code = Code(code.entry, {}, [cell.__class__(cell.number + 4, cell.source) for cell in code.cells])
    report = ask(sandbox, code)
    assert [(f.cell, f.error.file) for f in report.stops] == [(6, "cell 6")]


def test_an_empty_notebook_loads(sandbox):
    assert ask(sandbox, notebook(), call("f")).answers[0].not_defined
    assert ask(sandbox, notebook("", "# nothing", "\n\n"), call("f")).stops == ()


class Loud(int):
    """An int of the student's own, whose every use would run the student's code."""

    def __le__(self, other):
        raise AssertionError("compared")

    def __ge__(self, other):
        raise AssertionError("compared")

    def __int__(self):
        raise AssertionError("converted")


class Sly(type):
    """A type that claims to be equal to ``int``."""

    def __eq__(cls, other):
        return True

    def __hash__(cls):
        return hash(int)


class LooksLikeInt(metaclass=Sly):
    """An object of such a type."""


NO_SIZES = [
    -1,
    10**7,
    2**200,
    True,
    4.0,
    "4",
    None,
    [4],
    (4,),
    np.array(4),
    np.float64(4),
    np.bool_(True),
    Loud(4),
    LooksLikeInt(),
    property(lambda self: 4),
    lambda: 4,
    int,
]


@pytest.mark.parametrize("value", [0, 1, 4, 10**6, np.int64(4), np.int32(4), np.uint8(4)])
def test_plain_whole_numbers_may_be_sizes(value):
    assert is_size(value)


@pytest.mark.parametrize("value", NO_SIZES, ids=lambda value: type(value).__name__)
def test_nothing_else_is_a_size_and_no_code_of_it_runs(value):
    assert not is_size(value)
    namespace = {"N": value}
    with pytest.raises(NotAlterable, match="N"), rebound(namespace, {"N": 3}):
        raise AssertionError("it was bound")
    assert namespace["N"] is value


def test_names_are_bound_within_and_brought_back_after():
    namespace = {"N": 4, "D": 2, "other": "text"}
    with rebound(namespace, {"N": 7, "D": 5}):
        assert namespace == {"N": 7, "D": 5, "other": "text"}
    assert namespace == {"N": 4, "D": 2, "other": "text"}


def test_names_are_brought_back_whatever_the_call_does_to_them():
    namespace = {"N": 4}
    with pytest.raises(KeyboardInterrupt), rebound(namespace, {"N": 7}):
        del namespace["N"]
        raise KeyboardInterrupt
    assert namespace == {"N": 4}


def test_one_name_that_cannot_be_bound_leaves_all_as_they_are():
    namespace = {"N": 4, "X": "text"}
    for sizes in ({"N": 7, "X": 3}, {"N": 7, "missing": 3}):
        with pytest.raises(NotAlterable), rebound(namespace, sizes):
            raise AssertionError("it was bound")
    assert namespace == {"N": 4, "X": "text"}


def test_nothing_asked_changes_nothing():
    namespace = {"N": 4}
    with rebound(namespace, {}):
        assert namespace == {"N": 4}


def stopped(report):
    """What stopped on the way: the type of the exception, the file and the line."""
    return [(stop.error.type, stop.error.file, stop.error.line) for stop in report.stops]


@pytest.mark.parametrize(
    ("line", "kind"),
    [
        ("assert False", "AssertionError"),
        ("g(2, 3)", "TypeError"),
        ("import no_such_library", "ModuleNotFoundError"),
        ("input('name? ')", "EOFError"),
        ("import sys; sys.exit('bye')", "SystemExit"),
        ("quit()", "SystemExit"),
        ("import os; os._exit(3)", "SystemExit"),
        ("import unittest; unittest.main()", "SystemExit"),
        ("raise KeyboardInterrupt", "KeyboardInterrupt"),
        ("bytearray(1 << 50)", "MemoryError"),
        ("class Odd(BaseException): pass\nraise Odd", "an uncommon exception"),
    ],
)
def test_a_statement_that_stops_is_kept_and_all_others_run(sandbox, line, kind):
    source = f"def g(x): return x\n{line}\ny = 2\ndef f(): return g(y)\n"
    report = ask(sandbox, module(source), call("f"))
    assert values(report) == [2]
    assert stopped(report) == [(kind, "homework.py", 2 + line.count("\n"))]
    assert report.stops[0].cell is None


def test_the_line_within_a_function_is_named_where_a_demonstration_stops(sandbox):
    source = "def g(x):\n    return x + 1\n\nprint(g('a'))\ndef f(): return 1\n"
    report = ask(sandbox, module(source), call("f"))
    assert stopped(report) == [("TypeError", "homework.py", 2)]


def test_a_future_import_holds_for_all_statements_below_it(sandbox):
    source = '"Title."\nfrom __future__ import annotations\nx = 1\ndef f(x: Missing) -> Lost: return x\n'
    for code in (module(source), notebook(source)):
        report = ask(sandbox, code, call("f", 1))
        assert (values(report), stopped(report)) == ([1], [])


def test_what_uses_a_name_that_was_never_set_stops_too(sandbox):
    report = ask(sandbox, module("x = 1 / 0\ny = x + 1\nz = 3\ndef f(): return z"), call("f"))
    assert values(report) == [3]
    assert [kind for kind, _, _ in stopped(report)] == ["ZeroDivisionError", "NameError"]


def test_a_helper_that_stops_still_offers_what_it_defines(sandbox):
    code = module(
        "from helpers import *\ndef f(x): return double(x)",
        helpers="import missing\ndef half(x): return x / 2\nassert half(1) == 1\ndef double(x): return 2 * x",
    )
    report = ask(sandbox, code, call("f", 4))
    assert values(report) == [8]
    assert stopped(report) == [
        ("ModuleNotFoundError", "helpers.py", 1),
        ("AssertionError", "helpers.py", 3),
    ]


def test_a_helper_of_a_notebook_that_stops_still_offers_what_it_defines(sandbox):
    code = notebook(
        "from helpers import double", "x = double(4)", helpers="1 / 0\ndef double(x): return 2 * x"
    )
    report = ask(sandbox, code, read("x"))
    assert (values(report), stopped(report)) == ([8], [("ZeroDivisionError", "helpers.py", 1)])


def test_a_helper_that_is_not_python_stops_its_import_alone(sandbox):
    code = module("import helpers\ndef f(): return 1", helpers="x = 1\ndef g(:")
    report = ask(sandbox, code, call("f"))
    assert (values(report), stopped(report)) == ([1], [("SyntaxError", "helpers.py", 2)])


LOOP = "while True: pass"
SHORT = Limits(seconds=20, cpu_seconds=2)


def test_endless_statements_of_a_helper_leave_time_for_the_rest(sandbox):
    helpers = f"def half(x): return x / 2\n{LOOP}\ndef double(x): return 2 * x\n{LOOP}"
    source = f"{LOOP}\nfrom helpers import double\n{LOOP}\ndef f(x): return double(x)"
    report = ask(sandbox, module(source, helpers=helpers), call("f", 3), limits=SHORT)
    assert values(report) == [6]
    assert [(kind, file) for kind, file, _ in stopped(report)] == [
        ("TimeLimit", "homework.py"),
        ("TimeLimit", "helpers.py"),
        ("TimeLimit", "helpers.py"),
        ("TimeLimit", "homework.py"),
    ]


def test_what_follows_an_import_in_the_same_statement_is_still_timed(sandbox):
    code = module("if True:\n    import helpers\n    while True: pass\ndef f(): return 1", helpers="x = 1")
    report = ask(sandbox, code, call("f"), limits=SHORT)
    assert (values(report), stopped(report)) == ([1], [("TimeLimit", "homework.py", 3)])


def test_of_thousands_of_statements_that_stop_some_are_reported(sandbox):
    report = ask(sandbox, module("1 / 0\n" * 5000 + "def f(): return 1"), call("f"))
    assert (values(report), len(report.stops)) == ([1], MOST_STOPS)


def test_the_process_can_be_ended_by_a_call_but_not_while_loading(sandbox):
    source = "import os\nfrom os import _exit\n_exit(1)\ndef f(): os._exit(5)\ndef g(): return 1"
    assert values(ask(sandbox, module(source), call("g"))) == [1]
    assert ask(sandbox, module(source), call("f")).detail.endswith("(exit status 5)")


def test_an_interruption_comes_again_only_where_submitted_code_runs_on():
    with time_limit(0.05):
        with pytest.raises(CallTimeLimit):
            time.sleep(5)
        time.sleep(0.5)  # ours, as what ends a call is


def test_where_there_are_no_timers_a_thread_interrupts(monkeypatch):
    monkeypatch.setattr(load, "_set_timer", None)
    before = signal.getsignal(signal.SIGINT)
    for seconds in (0.05, 0.1):
        with pytest.raises(CallTimeLimit), time_limit(seconds):
            while True:
                pass
    with time_limit(60):
        assert load._waiting is not None
    assert load._waiting is None
    assert signal.getsignal(signal.SIGINT) is before
