"""A file is loaded statement by statement: what stops one of them is kept, and all others run."""

import signal
import time

import pytest

from autograder.sandbox.request import Limits
from autograder.worker import load
from autograder.worker.errors import CallTimeLimit
from autograder.worker.load import MOST_STOPS, time_limit

from .asking import ask, call, module, notebook, read, values


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
