"""Magics in the form in which a worker meets them: IPython has translated each into a call of its shell."""

import pytest
from IPython.core.inputtransformer2 import TransformerManager

from .asking import ask, call, module, notebook, read, values


def run_cells(sandbox, *cells, names=()):
    """Run cells as a student wrote them and read what they leave behind."""
    translate = TransformerManager().transform_cell
    return ask(sandbox, notebook(*map(translate, cells)), *map(read, names))


@pytest.mark.parametrize(
    "line",
    [
        "%matplotlib inline",
        "%load_ext autoreload\n%autoreload 2",
        "%config InlineBackend.figure_format = 'retina'",
        "!pip install seaborn",
        "%pip install numpy",
        "%cd /content",
        "%timeit -n 10 -r 3 sum(range(9))",
        "%prun -l 5 sum(range(9))",
        "%env KEY=1",
        "?print",
        "print??",
    ],
)
def test_a_line_magic_or_shell_line_does_nothing(sandbox, line):
    report = run_cells(sandbox, f"{line}\nx = 1", names=("x",))
    assert not report.stops
    assert values(report) == [1]


@pytest.mark.parametrize(
    "opening",
    ["%%bash", "%%html", "%%javascript", "%%latex", "%%script false", "%%markdown", "%%writefile a.txt"],
)
def test_a_cell_in_another_language_does_nothing(sandbox, opening):
    report = run_cells(sandbox, f"{opening}\n<this> is (no Python", "x = 1", names=("x",))
    assert not report.stops
    assert values(report) == [1]


@pytest.mark.parametrize("opening", ["%%time", "%%timeit", "%%capture output", "%%prun"])
def test_a_timing_magic_runs_its_cell_among_the_notebooks_names(sandbox, opening):
    cells = ["import numpy as np\nD = 3", f"{opening}\nx = np.ones(D).sum()\ndef f(y): return x + y + D"]
    report = ask(sandbox, notebook(*map(TransformerManager().transform_cell, cells)), call("f", 1))
    assert not report.stops
    assert values(report) == [7]


def test_magics_within_a_timed_cell_do_nothing(sandbox):
    report = run_cells(
        sandbox, "%%time\n!pip install x\nif True:\n    %matplotlib inline\nx = 5", names=("x",)
    )
    assert not report.stops
    assert values(report) == [5]


def test_a_percent_sign_at_the_start_of_a_line_of_python_stays(sandbox):
    report = run_cells(sandbox, "%%time\nx = (17\n% 5)", names=("x",))
    assert values(report) == [2]


def test_a_failure_in_a_timed_cell_has_the_line_in_the_cell_and_later_definitions(sandbox):
    code = notebook(TransformerManager().transform_cell("%%time\nx = 1\n1 / 0\ndef f(): return 3"))
    report = ask(sandbox, code, call("f"))
    [failure] = report.stops
    assert (failure.error.type, failure.error.line, failure.error.source) == ("ZeroDivisionError", 3, "1 / 0")
    assert failure.error.file == "cell 1 (magic)"
    assert values(report) == [3]


def test_a_timed_line_runs_and_gives_its_value(sandbox):
    cell = "D = 3\n%time x = D + 1\ny = %time D * 2\n%time z = [i for i in range(D)]"
    assert values(run_cells(sandbox, cell, names=("x", "y", "z"))) == [4, 6, [0, 1, 2]]


def test_the_output_of_a_shell_line_is_empty(sandbox):
    assert values(run_cells(sandbox, "files = !ls\nx = len(files)", names=("x",))) == [0]


def test_a_written_file_can_be_imported(sandbox):
    cells = ["%%writefile helper.py\ndef double(x): return 2 * x", "from helper import double\nx = double(4)"]
    assert values(run_cells(sandbox, *cells, names=("x",))) == [8]


def test_a_written_file_can_be_read(sandbox):
    cells = ["%%writefile notes.txt\nfour words, two lines", "x = open('notes.txt').read().split()[0]"]
    assert values(run_cells(sandbox, *cells, names=("x",))) == ["four"]


EXPORTED = """
#!/usr/bin/env python
# coding: utf-8

# # Homework

# In[1]:


import numpy as np
get_ipython().run_line_magic('matplotlib', 'inline')
get_ipython().system('pip install seaborn')


# In[2]:


get_ipython().run_cell_magic('time', '', 'def scale(x):\\n    return np.asarray(x) / D\\n')
D = 4
display(scale([4.0]))


# In[3]:


get_ipython().run_line_magic('time', 'y = scale([8.0])')
get_ipython().magic('pylab')
"""


def test_a_notebook_exported_as_a_python_file_runs(sandbox):
    report = ask(sandbox, module(EXPORTED), call("scale", 8), read("y"))
    assert [value.tolist() for value in values(report)] == [2.0, [2.0]]


def test_an_error_in_an_exported_magic_names_its_source(sandbox):
    source = "get_ipython().run_cell_magic('time', '', 'x = 1\\nx.missing\\n')"
    error = ask(sandbox, module(source)).load_error
    assert error is not None
    assert error.type == "AttributeError"
    assert "x.missing" in error.source
