import pytest

from autograder.sandbox.report import Status
from autograder.sandbox.request import Code

from .asking import ask, call, module, notebook, read, values

# Modules


def test_a_module_is_loaded_from_memory_and_knows_its_name(sandbox):
    source = "def f(): return __name__, __file__"
    assert values(ask(sandbox, module(source), call("f"))) == [("homework", "/submission/homework.py")]


def test_code_under_the_main_guard_does_not_run_in_a_module(sandbox):
    source = """
    def f(): return 1
    if __name__ == "__main__":
        raise SystemExit("demonstration")
    """
    assert values(ask(sandbox, module(source), call("f"))) == [1]


def test_a_sibling_file_is_imported(sandbox):
    code = module(
        "from helpers import double\nimport more\ndef f(x): return double(x) + more.ONE",
        helpers="def double(x): return 2 * x",
        more="from helpers import double\nONE = double(0) + 1",
    )
    assert values(ask(sandbox, code, call("f", 4))) == [9]


def test_any_library_that_is_installed_is_imported(sandbox):
    source = "import markdown_it, statistics, typing_extensions\ndef f(): return markdown_it.__name__"
    assert values(ask(sandbox, module(source), call("f"))) == ["markdown_it"]


def test_a_sibling_can_import_the_entry(sandbox):
    code = module(
        "D = 3\nimport helpers\ndef f(): return helpers.g()",
        helpers="import homework\ndef g(): return homework.D",
    )
    assert values(ask(sandbox, code, call("f"))) == [3]


@pytest.mark.parametrize(
    "entry",
    [
        "random.py",
        "numpy.py",
        "torch.py",
        "json.py",
        "code.py",
        "this.py",
        "autograder.py",
        "typing.py",
        "plotly.py",
    ],
)
def test_an_entry_may_have_the_name_of_any_other_module(sandbox, entry):
    source = """
    import numpy as np
    from dataclasses import dataclass
    @dataclass
    class Pair:
        left: "int"
    def f(x): return np.sum(x) + Pair(3).left
    """
    assert values(ask(sandbox, module(source, entry), call("f", [1, 2]))) == [6]


@pytest.mark.parametrize("entry", ["my homework (1).py", "hw-1.py", "1.py", "übung.py", "class.py", "a.b.py"])
def test_an_entry_may_have_a_name_that_python_could_not_import(sandbox, entry):
    source = """
    from __future__ import annotations
    from dataclasses import dataclass
    @dataclass
    class Pair:
        left: int
    def f(): return Pair(1).left
    """
    assert values(ask(sandbox, module(source, entry), call("f"))) == [1]


def test_a_sibling_comes_before_a_library_that_nothing_has_imported(sandbox):
    code = module("from this import double\ndef f(x): return double(x)", this="def double(x): return 2 * x")
    assert values(ask(sandbox, code, call("f", 2))) == [4]


def test_a_sibling_never_replaces_numpy(sandbox):
    code = module("import numpy as np\ndef f(): return np.ones(2)", numpy="raise SystemExit")
    assert values(ask(sandbox, code, call("f")))[0].tolist() == [1, 1]


def test_annotations_stay_what_the_student_wrote(sandbox):
    source = "def f(x: int = 1): return f.__annotations__['x'] is int"
    assert values(ask(sandbox, module(source), call("f"))) == [True]
    assert values(ask(sandbox, notebook(source), call("f"))) == [True]


def test_the_source_of_a_function_can_be_inspected(sandbox):
    source = "import inspect\ndef f(): return inspect.getsource(f)\n"
    assert values(ask(sandbox, module(source), call("f"))) == ["def f(): return inspect.getsource(f)\n"]


def test_the_command_line_is_empty_as_for_a_script(sandbox):
    source = """
    import argparse
    options = argparse.ArgumentParser().parse_args()
    def f(): return 1
    """
    assert values(ask(sandbox, module(source), call("f"))) == [1]
    assert values(ask(sandbox, notebook(source), call("f"))) == [1]


def test_text_beyond_ascii_is_read_as_written(sandbox):
    source = "α = 'Zürich – 東京 🎓'\ndef größe(): return α"
    assert values(ask(sandbox, module(source), call("größe"))) == ["Zürich – 東京 🎓"]
    assert values(ask(sandbox, notebook(source), call("größe"))) == ["Zürich – 東京 🎓"]


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
    assert report.load_error is not None
    assert (report.load_error.type, report.load_error.file) == (kind, "homework.py")
    assert report.load_error.line == line
    assert report.answers == ()


def test_a_failing_sibling_is_named_as_the_place(sandbox):
    error = ask(sandbox, module("import helpers", helpers="x = 1\nx.y")).load_error
    assert error is not None
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


def test_cells_run_in_order_in_one_namespace(sandbox):
    assert values(ask(sandbox, notebook("x = 1", "x += 1\ny = x", "x *= 5"), read("x"), read("y"))) == [10, 2]


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


def test_the_last_definition_of_a_name_wins(sandbox):
    cells = ["def f(): raise NotImplementedError", "def f(): return 1", "print(f())", "def f(): return 2"]
    assert values(ask(sandbox, notebook(*cells), call("f"))) == [2]


def test_a_notebook_is_the_main_module(sandbox):
    cell = """
    import __main__
    if __name__ == "__main__":
        x = 1
    y = __main__.x
    """
    assert values(ask(sandbox, notebook(cell), read("y"))) == [1]


def test_top_level_values_are_read_as_they_stand_at_the_end(sandbox):
    cells = [
        "import numpy as np\nall_x_prime = []",
        "for i in range(3): all_x_prime.append(np.full((2, 1), i))",
    ]
    [value] = values(ask(sandbox, notebook(*cells), read("all_x_prime")))
    assert [part.tolist() for part in value] == [[[0], [0]], [[1], [1]], [[2], [2]]]


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


def test_display_shows_nothing_and_goes_on(sandbox):
    report = ask(sandbox, notebook("display('a', 1, metadata={})\nx = 1"), read("x"))
    assert not report.stops
    assert values(report) == [1]


def test_a_file_beside_the_notebook_is_imported(sandbox):
    code = notebook("from helpers import double", "x = double(4)", helpers="def double(x): return 2 * x")
    assert values(ask(sandbox, code, read("x"))) == [8]


def test_a_future_import_at_the_top_of_a_cell_is_allowed(sandbox):
    cell = "'''A title.'''\nfrom __future__ import annotations\nx = 1"
    report = ask(sandbox, notebook(cell), read("x"))
    assert not report.stops


def test_cells_keep_the_numbers_that_the_student_counts(sandbox):
    code = notebook("x = 1", "y")
    assert code.cells is not None
    code = Code(code.entry, {}, [cell.__class__(cell.number + 4, cell.source) for cell in code.cells])
    report = ask(sandbox, code)
    assert [(f.cell, f.error.file) for f in report.stops] == [(6, "cell 6")]


def test_an_empty_notebook_loads(sandbox):
    assert ask(sandbox, notebook(), call("f")).answers[0].not_defined
    assert ask(sandbox, notebook("", "# nothing", "\n\n"), call("f")).stops == ()
