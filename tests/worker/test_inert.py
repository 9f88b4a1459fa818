"""Magics and pictures of notebooks, where nobody looks at them."""

import numpy as np
import pytest

from autograder.worker.inert import INERT_PACKAGES, Inert, InertModule

from .asking import ask, call, module, notebook, read, values


@pytest.fixture
def inert():
    return Inert()


def test_attributes_calls_and_items_give_more_of_the_same(inert):
    assert isinstance(inert.figure(1, size=2)[0].axes["left"].set_title("x"), Inert)
    inert["key"] = 3
    assert isinstance(inert["key"], Inert)


def test_arithmetic_is_absorbed_from_both_sides(inert):
    results = [inert + 1, 1 - inert, inert * 2.5, 3 / inert, inert**2, -inert, inert // 2, inert % 2]
    results += [inert @ np.ones(3), np.ones(3) * inert, np.ones((2, 2)) - inert, np.float64(2) / inert]
    assert all(isinstance(result, Inert) for result in results)


def test_a_number_made_of_it_is_zero(inert):
    assert (float(inert), int(inert), f"{inert:.3f}") == (0.0, 0, "")


def test_it_is_empty_and_false(inert):
    assert list(inert) == []
    assert len(inert) == 0
    assert not inert


def test_it_compares_as_neither_smaller_nor_larger(inert):
    assert not inert < 1
    assert not inert >= 1
    assert inert != 1


def test_it_unpacks_into_as_many_names_as_asked(inert):
    (line,) = inert.plot([1, 2])
    counts, bins, (first, second) = inert.hist([1, 2])
    assert all(isinstance(part, Inert) for part in (line, counts, bins, first, second))


def test_loops_over_it_do_not_run(inert):
    assert [patch for patch in inert.patches] == list(zip(inert, [1, 2], strict=False)) == []  # noqa: C416


def test_a_with_block_runs_and_keeps_its_exceptions(inert):
    with pytest.raises(ValueError, match="mine"), inert.context():
        raise ValueError("mine")


def test_special_names_are_missing_so_that_python_sees_no_protocol(inert):
    with pytest.raises(AttributeError):
        inert.__array__  # noqa: B018
    with pytest.raises(AttributeError):
        InertModule("matplotlib").__wrapped__  # noqa: B018


@pytest.mark.parametrize("package", sorted(INERT_PACKAGES))
def test_a_package_that_draws_or_shows_imports_and_tells_a_version(sandbox, package):
    source = f"""
    import {package}
    import {package}.deep.inside as inside
    from {package}.other import thing
    def f(): return {package}.__version__, thing(inside.x) is None
    """
    assert values(ask(sandbox, module(source), call("f"))) == [("0", False)]


@pytest.mark.parametrize(
    "opening",
    ["import matplotlib.pyplot as plt", "from matplotlib import pyplot as plt", "import pylab as plt"],
)
@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("fig, ax = plt.subplots(figsize=(4, 4)); ax.imshow(np.ones((2, 2)), cmap='viridis')", 7),
        ("fig, (left, right) = plt.subplots(1, 2); left.plot([1]); right.bar([1], [2])", 7),
        ("fig, ((a, b, c), (d, e, g)) = plt.subplots(2, 3); g.set_title('x')", 7),
        ("fig, axes = plt.subplots(2, 3)\n        x = len([ax.axis('off') for ax in axes.flat])", 6),
        ("fig, axes = plt.subplots(nrows=4)\n        x = len([ax.plot(1) for ax in axes])", 4),
        ("fig, axes = plt.subplots(2, 3, squeeze=False)\n        x = axes.shape[1]; axes[1, 2].plot()", 3),
        ("n, bins, patches = plt.hist([1, 2]); line, = plt.plot([1])", 7),
        ("im = plt.imshow(np.eye(3)); plt.colorbar(im, ax=plt.gca()); plt.show()", 7),
        ("plt.rcParams['figure.figsize'] = (3, 3); plt.rcParams.update({'font.size': 3})", 7),
        ("c = plt.cm.viridis(0.5) * 255; plt.text(0, 0, f'{c:.2f}', color=c)", 7),
        ("with plt.style.context('dark'): plt.savefig('a.png')", 7),
    ],
)
def test_drawing_goes_nowhere_and_what_comes_after_it_counts(sandbox, opening, line, expected):
    source = f"""
    {opening}
    import numpy as np
    import seaborn as sns
    def f():
        x = 7
        {line}
        sns.heatmap(np.eye(2), annot=True, ax=plt.gca()).set(xlabel='keys')
        return x
    """
    assert values(ask(sandbox, module(source), call("f"))) == [expected]


def test_a_progress_bar_runs_its_loop(sandbox):
    source = """
    import tqdm
    from tqdm import tqdm as bar, trange
    from tqdm.auto import tqdm as auto
    from tqdm.notebook import tqdm as note, trange as count
    def f():
        x = [i for i in bar(range(3), desc='epochs')] + [i for i in auto([5])] + list(trange(2, leave=False))
        x += [i for i in tqdm.tqdm(range(2))] + list(tqdm.notebook.tqdm([8])) + list(count(1, 3))
        steps = note([4, 5])
        for step in steps:
            steps.set_postfix(loss=step)
            x.append(step)
        with bar(total=9) as whole:
            whole.update(1)
        bar.write('done')
        return x + [len(steps)]
    """
    [value] = values(ask(sandbox, module(source), call("f")))
    assert value == [0, 1, 2, 5, 0, 1, 0, 1, 8, 1, 2, 4, 5, 2]


def test_a_notebook_made_in_colab_runs(sandbox):
    code = notebook(
        "from google.colab import drive, files\ndrive.mount('/content/drive')\nuploaded = files.upload()\n"
        "import os, sys\nos.chdir('/content/drive/MyDrive/Colab/hw1')\nsys.path.append('/content')\n"
        "for name in uploaded.keys(): print(name, len(uploaded[name]))\nprint(os.listdir('.'))\ny = 4",
        "from IPython.display import HTML, Image, display\ndisplay(HTML('<b>'), Image('a.png'))",
        "import ipywidgets as widgets\n@widgets.interact(head=(0, 3))\ndef show(head=0): return head",
        "from IPython import get_ipython\nget_ipython().run_cell_magic('time', '', 'x = 3\\n')",
    )
    report = ask(sandbox, code, read("x"), read("y"))
    assert not report.stops
    assert values(report) == [3, 4]


def test_numpy_torch_and_the_standard_library_are_real(sandbox):
    assert not INERT_PACKAGES & {"numpy", "torch", "math", "json"}
    source = "import math, json, numpy\ndef f(): return math.sqrt(4), json.loads('[1]'), numpy.ones(2)"
    root, listed, array = values(ask(sandbox, module(source), call("f")))[0]
    assert (root, listed, array.tolist()) == (2.0, [1], [1, 1])


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


def translated(cell):
    """Return a cell as IPython gives it to Python. To import IPython would delay the collecting of all tests."""
    from IPython.core.inputtransformer2 import TransformerManager

    return TransformerManager().transform_cell(cell)


@pytest.mark.parametrize("name", CELLS)
def test_magics_and_shell_lines_do_nothing_but_time_and_write_files(sandbox, name):
    cells, value = CELLS[name]
    report = ask(sandbox, notebook(*map(translated, cells)), read("x"))
    assert not report.stops
    assert values(report) == [value]


@pytest.mark.parametrize("opening", ["%%time", "%%timeit", "%%capture output", "%%prun"])
def test_a_timing_magic_runs_its_cell_among_the_notebooks_names(sandbox, opening):
    cells = ["import numpy as np\nD = 3", f"{opening}\nx = np.ones(D).sum()\ndef f(y): return x + y + D"]
    report = ask(sandbox, notebook(*map(translated, cells)), call("f", 1))
    assert not report.stops
    assert values(report) == [7]


def test_a_failure_in_a_timed_cell_has_the_line_in_the_cell_and_later_definitions(sandbox):
    code = notebook(translated("%%time\nx = 1\n1 / 0\ndef f(): return 3"))
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
