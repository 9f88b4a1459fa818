from __future__ import annotations

import linecache
import sys
from collections.abc import Callable
from types import SimpleNamespace

import numpy as np
import pytest

from autograder.worker.errors import MAX_FRAMES, MAX_MESSAGE, SUBMISSION_ROOT, CallTimeLimit, describe_error


def caught(source, filename=SUBMISSION_ROOT + "homework.py"):
    """What is reported of the exception that a submitted file raises."""
    linecache.cache[filename] = (len(source), None, source.splitlines(keepends=True), filename)
    try:
        exec(compile(source, filename, "exec"), {"raiser": raiser})
    except BaseException as error:
        return describe_error(error)
    finally:
        del linecache.cache[filename]
    raise AssertionError("nothing was raised")


def raiser(error):
    raise error


def test_an_error_carries_type_message_file_line_and_source():
    report = caught("x = 1\n\nx.shape  # here\n")
    assert report["type"] == "AttributeError"
    assert report["message"] == "'int' object has no attribute 'shape'"
    assert (report["file"], report["line"]) == ("homework.py", 3)
    assert report["source"] == "x.shape  # here"


def test_the_line_is_the_last_one_in_the_students_own_files():
    report = caught("def f():\n    raiser(ValueError('far away'))\nf()\n")
    assert report["line"] == 2
    assert "raiser(ValueError" in str(report["trace"])
    assert "test_errors.py" not in str(report["trace"])


def test_an_error_outside_of_the_students_files_has_no_line():
    report = describe_error(ValueError("nowhere"))
    assert (report["file"], report["line"], report["source"]) == (None, None, "")


@pytest.mark.parametrize(
    ("source", "kind", "line"),
    [
        ("x = 1\nreturn x y\n", "SyntaxError", 2),
        ("def f():\nreturn 1\n", "IndentationError", 2),
        ("if True:\n    x = 1\n\ty = 2\n", "TabError", 3),
    ],
)
def test_a_syntax_error_carries_the_students_line(source, kind, line):
    report = caught(source)
    assert (report["type"], report["file"], report["line"]) == (kind, "homework.py", line)
    assert report["source"] == source.splitlines()[line - 1].strip()


def test_a_syntax_error_of_another_text_is_placed_where_it_was_raised():
    report = caught("\neval('1 +')\n")
    assert (report["file"], report["line"]) == ("homework.py", 2)


def test_the_timer_is_called_a_time_limit():
    assert describe_error(CallTimeLimit())["type"] == "TimeLimit"


def test_numpys_own_memory_error_is_called_a_memory_error():
    with pytest.raises(MemoryError) as raised:
        np.ones(10**15)
    assert type(raised.value) is not MemoryError
    assert describe_error(raised.value)["type"] == "MemoryError"


def test_torchs_memory_error_is_called_a_memory_error():
    error = RuntimeError("[enforce fail at alloc_cpu.cpp:1] DefaultCPUAllocator: can't allocate memory")
    assert describe_error(error)["type"] == "MemoryError"


class LongName(Exception):
    pass


LongName.__name__ = "Very" * 100


class Unprintable(Exception):
    reason: Callable[[], BaseException] = staticmethod(ValueError)

    def __str__(self):
        raise self.reason()


class Quits(Unprintable):
    reason = staticmethod(SystemExit)


@pytest.mark.parametrize("error", [Unprintable(), Quits()], ids=["raises", "quits"])
def test_an_error_that_cannot_be_printed_is_still_reported(error):
    report = describe_error(error)
    assert report["type"] == type(error).__name__
    assert report["message"] == "(the exception could not be printed)"


def test_long_names_messages_and_traces_are_cut():
    assert len(str(describe_error(LongName("m" * 10_000))["type"])) == 100
    assert len(str(describe_error(ValueError("m" * 10_000))["message"])) == MAX_MESSAGE
    chain = "".join(f"def f{i}(): f{i + 1}()\n" for i in range(20))
    assert str(caught(f"{chain}f0()\n")["trace"]).count("File") == MAX_FRAMES


def test_endless_recursion_is_reported_in_a_few_lines():
    report = caught("def f(): return f()\nf()\n")
    assert report["type"] == "RecursionError"
    assert len(str(report["trace"])) < 1000


@pytest.mark.parametrize(
    ("filename", "place"),
    [("<ipython-input-3-0a1b2c>", "cell [3]"), ("/tmp/ipykernel_77/1234.py", "this notebook")],
)
def test_a_line_of_a_notebook_that_is_open_is_the_students_own(filename, place):
    report = caught("x = 1\nraise ValueError('no')\n", filename)
    assert (report["file"], report["line"]) == (place, 2)


def test_a_cell_of_a_notebook_that_is_open_has_the_number_that_jupyter_shows(monkeypatch):
    numbers = {"/tmp/ipykernel_77/1234.py": ("Cell", "In[5]")}
    compiler = SimpleNamespace(format_code_name=numbers.get)
    shell = SimpleNamespace(compile=compiler)
    monkeypatch.setitem(sys.modules, "IPython", SimpleNamespace(get_ipython=lambda: shell))
    assert caught("1 / 0\n", "/tmp/ipykernel_77/1234.py")["file"] == "cell [5]"
    assert caught("1 / 0\n", "/tmp/ipykernel_77/99.py")["file"] == "this notebook"
