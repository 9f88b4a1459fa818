"""Magics in the form in which a worker meets them: IPython has translated each into a call of its shell."""

import pytest
from IPython.core.inputtransformer2 import TransformerManager

from .asking import ask, call, module, notebook, read, values

LINES = """
%matplotlib inline
%load_ext autoreload
%config InlineBackend.figure_format = 'retina'
!pip install seaborn
%pip install numpy
%cd /content
%timeit -n 10 -r 3 sum(range(9))
%prun -l 5 sum(range(9))
%env KEY=1
?print
print??
""".strip().splitlines()
OPENINGS = [
    "%%bash",
    "%%html",
    "%%javascript",
    "%%latex",
    "%%script false",
    "%%markdown",
    "%%writefile a.txt",
]
CELLS = {
    **{line: ([f"{line}\nx = 1"], 1) for line in LINES},
    **{opening: ([f"{opening}\n<this> is (no Python", "x = 1"], 1) for opening in OPENINGS},
    "magics within a timed cell": (["%%time\n!pip install x\nif True:\n    %matplotlib inline\nx = 5"], 5),
    "a percent sign at the start of a line of Python": (["%%time\nx = (17\n% 5)"], 2),
    "a timed line": (["D = 3\n%time y = D + 1\nz = %time D * 2\n%time x = [y, z, D]"], [4, 6, 3]),
    "the output of a shell line": (["files = !ls\nx = len(files)"], 0),
    "a written file is imported":
        (["%%writefile helper.py\ndef double(x): return 2 * x", "from helper import double\nx = double(4)"], 8),
    "a written file is read":
        (["%%writefile notes.txt\nfour words", "x = open('notes.txt').read().split()[0]"], "four"),
}  # fmt: skip


@pytest.mark.parametrize("name", CELLS)
def test_magics_and_shell_lines_do_nothing_but_time_and_write_files(sandbox, name):
    cells, value = CELLS[name]
    report = ask(sandbox, notebook(*map(TransformerManager().transform_cell, cells)), read("x"))
    assert not report.stops
    assert values(report) == [value]


@pytest.mark.parametrize("opening", ["%%time", "%%timeit", "%%capture output", "%%prun"])
def test_a_timing_magic_runs_its_cell_among_the_notebooks_names(sandbox, opening):
    cells = ["import numpy as np\nD = 3", f"{opening}\nx = np.ones(D).sum()\ndef f(y): return x + y + D"]
    report = ask(sandbox, notebook(*map(TransformerManager().transform_cell, cells)), call("f", 1))
    assert not report.stops
    assert values(report) == [7]


def test_a_failure_in_a_timed_cell_has_the_line_in_the_cell_and_later_definitions(sandbox):
    code = notebook(TransformerManager().transform_cell("%%time\nx = 1\n1 / 0\ndef f(): return 3"))
    report = ask(sandbox, code, call("f"))
    [failure] = report.stops
    assert (failure.error.type, failure.error.line, failure.error.source) == ("ZeroDivisionError", 3, "1 / 0")
    assert failure.error.file == "cell 1 (magic)"
    assert values(report) == [3]


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
    assert error.type == "AttributeError"
    assert "x.missing" in error.source
