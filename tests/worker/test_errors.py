"""What is reported of an exception, and which arrays met in the expression that raised it."""

import linecache
import sys
from collections.abc import Callable
from types import SimpleNamespace

import numpy as np
import pytest

from autograder.sandbox.report import read_error
from autograder.worker.errors import MAX_FRAMES, MAX_MESSAGE, CallTimeLimit, describe_error
from autograder.worker.places import SUBMISSION_ROOT


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


EMPTY_INDEX = """
import numpy as np
def lookup(input, weight):
    raise IndexError("index out of range in self")
lookup(np.zeros((0, 3)), np.zeros((4, 5)))
"""
ODD_TORCH_INDEX = EMPTY_INDEX.replace("np.zeros((0, 3))", "np.array(['a'])")


@pytest.mark.parametrize("source", [EMPTY_INDEX, ODD_TORCH_INDEX], ids=["empty", "no numbers"])
def test_an_exception_that_only_looks_like_torchs_is_reported_without_further_facts(source):
    report = caught(source)
    assert report["type"] == "IndexError"
    assert str(report["message"]).startswith("index out of range in self")
    assert (report["file"], report["line"]) == ("homework.py", 4)
    assert "nn.Embedding" not in str(report)


def test_an_object_that_raises_where_it_is_looked_at_costs_only_the_facts():
    odd = """
class Odd:
    @property
    def __class__(self): raise SystemExit
    def __eq__(self, other): raise SystemExit
    __hash__ = None
scores = Odd()
def softmax(values): return values - 1
softmax(scores)
"""
    report = caught(odd)
    assert (report["type"], report["line"]) == ("TypeError", 8)
    assert report["source"] == "def softmax(values): return values - 1"


def test_long_names_messages_and_traces_are_cut():
    assert len(str(describe_error(LongName("m" * 10_000))["type"])) == 100
    assert len(str(describe_error(ValueError("m" * 10_000))["message"])) == MAX_MESSAGE
    chain = "".join(f"def f{i}(): f{i + 1}()\n" for i in range(20))
    assert str(caught(f"{chain}f0()\n")["trace"]).count("File") == MAX_FRAMES


def test_a_long_message_costs_no_fact():
    long = "'shapes ' + 'm' * 10_000"
    report = caught(f"import numpy as np\nQ = np.ones((2, 3))\nraiser(ValueError({long}, Q.T)); Q\n")
    assert len(report["message"]) == MAX_MESSAGE
    assert report["shapes"] == {"Q.T": (3, 2)}


@pytest.mark.parametrize(
    "source",
    [
        "import numpy as np\nx = np.broadcast_to(1.0, (10**12, 2))\nx[0] + np.ones(3)\n",
        "import numpy as np\nx = np.broadcast_to(1.0, (10**12, 2))\nx + np.ones(3)\n",
        "import torch\nids = torch.tensor([float('nan'), 1.0]).long()\ntorch.nn.Embedding(4, 2)(ids)\n",
        "import torch\nfrom torch import nn\nids = torch.tensor([2**63 - 1])\nnn.Embedding(4, 2)(ids)\n",
    ],
)
def test_a_fact_about_huge_sizes_or_indices_makes_no_report_malformed(source):
    error = read_error(caught(source))
    assert error.type in ("ValueError", "IndexError")
    assert max(max(shape) for shape in (*error.shapes.values(), (0,))) < 10**12


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


X, W = np.zeros((7, 6)), np.zeros((5, 8))
NAME = f"{SUBMISSION_ROOT}work.py"


def operands(*lines, arguments=(X, W)):
    """The operands of what is raised in a function of X and W with these lines."""
    text = "import numpy as np\ndef f(X, W):\n" + "".join(f"    {line}\n" for line in lines)
    linecache.cache[NAME] = (len(text), None, text.splitlines(keepends=True), NAME)
    namespace = {}
    exec(compile(text, NAME, "exec"), namespace)
    with pytest.raises((ValueError, IndexError, TypeError, AttributeError, NameError)) as raised:
        namespace["f"](*arguments)
    operands_told = describe_error(raised.value).get("operands", [])
    return [(operand["shape"], operand["argument"]) for operand in operands_told]


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("X @ W", [((7, 6), 0), ((5, 8), 1)]),
        ("np.dot(X, W)", [((7, 6), 0), ((5, 8), 1)]),
        ("X.dot(W.T.T)", [((7, 6), 0), ((5, 8), 1)]),
        ("np.einsum('ij,jk', X, W)", [((7, 6), 0), ((5, 8), 1)]),
        ("X.T @ np.swapaxes(W, 0, 1)", [((6, 7), 0), ((8, 5), 1)]),
        ("X[1:4] @ W[:, None]", [((3, 6), 0), ((5, 1, 8), 1)]),
        ("(X * 2) @ W", [((7, 6), None), ((5, 8), 1)]),
        ("np.exp(X) @ (X.T @ X)[:2]", [((7, 6), None), ((2, 6), None)]),
        ("sorted(X[0]) @ W", [(None, None), ((5, 8), 1)]),
        ("X + W", [((7, 6), 0), ((5, 8), 1)]),
        ("X += W", [((7, 6), None), ((5, 8), 1)]),
        ("np.concatenate([X, W])", [((7, 6), 0), ((5, 8), 1)]),
        ("X.transpose(0, 2, 1)", [((7, 6), 0)]),
        ("a, b, c = X.shape", [((7, 6), 0)]),
        ("a, b, c = X", [((7, 6), 0)]),
        ("X[9]", [((7, 6), 0)]),
        ("raise ValueError('of my own')", []),
    ],
)
def test_operands_of_an_expression(line, expected):
    assert operands(line) == expected


def test_operands_of_an_expression_over_several_lines():
    assert operands("y = (X @", "     W[:, 0:3])") == [((7, 6), 0), ((5, 3), 1)]


def test_an_argument_is_known_in_a_helper_and_under_another_name():
    helper = ("def project(a, b):", "    return a @ b", "tokens = np.asarray(X)", "project(tokens, W)")
    assert operands(*helper) == [((7, 6), 0), ((5, 8), 1)]


def test_a_copy_is_no_argument():
    assert operands("X = X.copy()", "X @ W") == [((7, 6), None), ((5, 8), 1)]


@pytest.mark.parametrize(
    "odd",
    [
        type("ndarray", (), {"shape": property(lambda self: 1 / 0), "__module__": "numpy"})(),
        slice("a", 1),
        slice(0, 9, 0),
        None,
    ],
    ids=["a forged array", "a slice of texts", "a slice without steps", "nothing"],
)
def test_odd_values_are_unknown_and_nothing_of_them_is_called(odd):
    stacked = operands("np.stack([X, W, X[:1]])", arguments=(X, odd))
    assert stacked == [((7, 6), 0), (None, None), ((1, 6), 0)]


def test_an_exception_that_is_not_about_shapes_has_no_operands():
    assert operands("X.missing") == []
    assert operands("X @ undefined") == []
