"""What is said as a fact of a student's code is not said where it would be false, although the code looks like it.

Each row is a program beside the one that a sentence is meant for: another spelling or argument, a name that stands
for something of the student's, an object that is no array. The code is only read, so the rows take no time.
"""

import ast
import inspect

import numpy as np
import pytest
import torch
from submissions import edited
from torch import nn
from torch.nn import functional

from autograder.course.calls import FunctionCall
from autograder.reasons import moved_statements, pitfalls, probes, repairs
from autograder.reasons.earlier import raised_below
from autograder.reasons.errors import explain_no_value
from autograder.reasons.repairs import repairs_of
from autograder.reasons.student_code import StudentCode
from autograder.sandbox.report import StudentError
from autograder.sandbox.request import Cell, Code, Limits

FUNCTION = "def f(self, V, a, i, j):\n    {line}\n    return y\n"


def questions_of(code):
    """What is said of the repairs of the function `f`."""
    return {repair.question for repair in repairs_of(code.functions["f"])}


def says(questions, sentence):
    """Whether one of some sentences is this one, with whatever code it quotes."""
    start = sentence.partition("{")[0]
    end = sentence.rpartition("}")[2]
    return any(question.startswith(start) and question.endswith(end) for question in questions)


# Each sentence with a line of which it is told, and lines of which it would be false.
TRUE_AND_FALSE = {
    pitfalls.SUMS_ROWS: (
        "y = sum(V)",
        ["sum = np.sum; y = sum(V)", "y = [sum(V) for sum in V]"],
    ),
    pitfalls.ALL_PAIRS: ("y = np.dot(V, a)", ["y = self.dot(V)", "np = a; y = np.dot(V, a)"]),
    pitfalls.LAST_AXES: ("y = np.inner(V, a)", ["y = self.inner(V, a)", "np = a; y = np.inner(V, a)"]),
    pitfalls.NO_SUM: ("y = np.multiply(V, a)", ["y = self.multiply(V, a)", "y = np.multiply(V, a, out=i)"]),
    pitfalls.ALL_AXES: ("y = V.T", ["y = self.T", "y = np.transpose(V, (0, 2, 1))", "y = V.transpose(0, 1)"]),
    pitfalls.EXCLUSIVE_OR: ("y = V ^ 2", ["y = V ** 2"]),
    pitfalls.NO_ORDER: ("y = set(V)", ["set = list; y = set(V)", "y = self.set(V)"]),
    pitfalls.TAKES_FLAT: ("y = np.take(V, a)", ["y = np.take(V, a, axis=0)", "y = np.take(V, a, 0)"]),
    pitfalls.UNDER_THE_MASK: ("y = V.data", ["y = self.data"]),
    pitfalls.INCLUDES_ITS_END: (
        "y = np.linspace(0, i, j)",
        ["y = np.linspace(0, i, j, False)", "y = np.linspace(0, i, j, endpoint=False)"],
    ),
    pitfalls.CHOSEN_BY_NUMBER: (
        "y = np.where(V == 0, i, V)",
        ["y = np.where(a == 0, i, V)", "y = self.masked_fill(self == 0, i)"],
    ),
    pitfalls.PAIR: ("y = V.max(dim=1)", ["y = self.max(dim=1)", "y = V.amax(dim=1)", "y = max(V, dim=1)"]),
    pitfalls.LENGTH_OF_ROWS: (
        "y = np.linalg.norm(V, axis=1)",
        [
            "y = np.linalg.norm(V, ord=1, axis=1)",
            "y = np.linalg.norm(V, **i)",
            "y = np.linalg.norm(*V)",
            "y = self.linalg.norm(V)",
        ],
    ),
    pitfalls.ROOT_OF_SQUARES: (
        "y = np.sqrt(np.sum(V * V))",
        ["y = sqrt(sum(V * V))", "y = self.sqrt(np.sum(V * V))", "y = np.sqrt(self.sum(V * V))"],
    ),
    pitfalls.ONE_LESS: ("y = V.std(-1)", ["y = self.std(V)", "y = std(V)"]),
    pitfalls.ALWAYS_AT_WORK: (
        "y = F.dropout(V, 0.1)",
        ["y = self.dropout(V, 0.1)", "y = F.dropout(V, 0.1, training=self.training)"],
    ),
    pitfalls.NEW_IN_EACH_CALL: (
        "y = nn.Dropout(0.1)(V)",
        ["y = self.Dropout(0.1)(V)", "y = nn.Dropout(0.1).eval()(V)", "nn = a; y = nn.Dropout(0.1)(V)"],
    ),
    pitfalls.DROPS_IN_EACH_CALL: (
        "y = F.scaled_dot_product_attention(V, a, i, dropout_p=0.1)",
        ["y = self.scaled_dot_product_attention(V, a, i, dropout_p=0.1)"],
    ),
    pitfalls.KEEPS_ORDER: (
        "y = V.reshape(i, j)",
        [
            "y = V.T.reshape(i, j)",
            "y = V.reshape(i, j, order='F')",
            "y = self.reshape(i, j)",
            "y = np.swapaxes(V, 0, 1).reshape(i, j)",
        ],
    ),
    pitfalls.ROUNDS_DOWN: (
        "y = i // j",
        [
            "y = -(i // -j)",
            "y = -(-i // j)",
            "y = (i + j - 1) // j",
            "y = -i // j",
            "y = (i - a) // j",
            "y = (i + 1) // 2",
            "y = (i - 1) // j + 1",
            "y = 1 + (i - 1) // j",
            "y = int((i - 1) // j) + 1",
            "y = 1 + max(0, int((i - 1) // j))",
            "y = -int(-((i - 1) // j))",
            "half = 2; y = (i + 1) // half",
            "j: int = 2; y = (i + 1) // j",
            "y = (i + 1) // (j := 2)",
        ],
    ),
    pitfalls.ROUNDS_UP: ("y = -(-i // j)", ["y = -(i // j)", "y = -(-i // -j)", "y = -(-(i - a) // j)"]),
    pitfalls.DIGITS_OF_E: (
        "y = 2.718 ** V",
        ["y = 2.725 * V", "y = 2.71828182845904523 ** V", "y = 2.7 * V"],
    ),
    pitfalls.DIGITS_OF_PI: ("y = 3.1416 * V", ["y = 3.15 * V", "y = 3.145 * V", "y = 3.1 * V"]),
    pitfalls.LEFT_AS_IT_WAS: (
        "y = np.exp(V, out=a, where=i)",
        ["y = np.sum(V, out=a, where=i)", "y = self.exp(V, out=a, where=i)"],
    ),
    pitfalls.TYPE_OF_ANOTHER: (
        "y = np.zeros(i, dtype=V.dtype)",
        ["y = zeros(i, dtype=V.dtype)", "y = self.make(i, dtype=V.dtype)"],
    ),
    pitfalls.WHOLE_NUMBERS: (
        "y = np.zeros(i, dtype=int)",
        ["y = make(i, dtype=int)", "y = np.zeros(i, dtype=float)", "y = self.zeros(i, dtype=int)"],
    ),
    pitfalls.CUTS_DECIMALS: (
        "y = V.astype(a.dtype)",
        ["y = V.to(self.device)", "y = V.astype(float)", "y = self.to(int)"],
    ),
    pitfalls.FEW_DIGITS: (
        "y = V.half()",
        ["y = self.half()", "y = half(V)", "y = self.astype(np.float16)", "y = V.astype(np.float32)"],
    ),
    pitfalls.NAME_OF_SOMETHING_ELSE: (
        "for y in V: y = y - 1",
        ["for y in V: y -= 1", "for y in V: a = y - 1", "for y in V: y[:] = y - 1"],
    ),
    pitfalls.ITEMS_ONCE: (
        "y = map(len, V)",
        ["y = self.map(len, V)", "y = V.filter(a)", "zip = list; y = zip(V)", "y = range(i)"],
    ),
    pitfalls.MINUS_ZERO: ("y = V[-j:]", ["y = V[j:]", "y = V[-j]"]),
    repairs.VIEW: ("y = V[i]", ["y = V[i] + a"]),
    repairs.NO_COPY: ("y = V", ["y = V + a", "y = V.copy()"]),
    repairs.SAME_ITEMS: (
        "y = list(V)",
        ["list = np.array; y = list(V)", "y = np.asarray(V)", "y = self.list(V)"],
    ),
    repairs.NOT_CONVERTED: ("y = np.asarray(V)", ["y = np.array(V)", "y = V.astype(float)"]),
    repairs.SAME_OBJECT: ("y = [V] * i", ["y = [V for _ in range(i)]", "y = V * i"]),
    repairs.KEEPS_WHOLE_NUMBERS: (
        "y = np.zeros_like(V)",
        [
            "y = np.zeros_like(V, dtype=float)",
            "y = np.zeros_like(V, float)",
            "y = np.zeros_like(V, **i)",
            "y = self.zeros_like(V)",
        ],
    ),
    repairs.SAME_APPENDED: ("y.append(V)", ["y.append(V + a)"]),
    repairs.WRITES_OUT: (
        "y = np.exp(V, out=a)",
        ["y = project(V, out=a)", "y = self.project(V, out=a)"],
    ),
    repairs.TWO_NAMES: ("y = i = V + a", ["y = V + a"]),
    repairs.CHANGED_IN_PLACE: ("y /= a", ["y = y / a"]),
    repairs.LONGEST: ("y = max(V)", ["max = np.max; y = max(V)", "y = V.max()", "y = max(V, key=len)"]),
    repairs.OF_EACH_COLUMN: ("y = max(V)", ["max = np.max; y = max(V)", "y = np.max(V)"]),
    moved_statements.TAKEN_ANEW: (
        "for i in a: V[i] = V[i] / np.sum(V)",
        ["for i in a: V[i] = V[i] / V"],
    ),
    moved_statements.NOT_KEPT: (
        "V.clip(0)",
        ["V.pop()", "V.sort()", "V.add_(a)", "self.step()", "V.append(a)"],
    ),
}
ROWS = [(sentence, line) for sentence, (_, lines) in TRUE_AND_FALSE.items() for line in lines]


@pytest.mark.parametrize(("sentence", "line"), [(key, line) for key, (line, _) in TRUE_AND_FALSE.items()])
def test_a_fact_is_told_of_the_code_that_it_is_meant_for(sentence, line):
    code = StudentCode(Code("a.py", {"a.py": FUNCTION.format(line=line)}))
    assert says(questions_of(code), sentence)


@pytest.mark.parametrize(("sentence", "line"), ROWS)
def test_a_fact_is_not_told_of_code_of_which_it_is_false(sentence, line):
    code = StudentCode(Code("a.py", {"a.py": FUNCTION.format(line=line)}))
    assert not says(questions_of(code), sentence)


@pytest.mark.parametrize(
    ("around", "sentence"),
    [
        ("from numpy import *", pitfalls.SUMS_ROWS),
        ("from torch import sum", pitfalls.SUMS_ROWS),
        ("import numpy as np\nsum = np.sum", pitfalls.SUMS_ROWS),
        ("def sum(x):\n    return x.sum(axis=-1)", pitfalls.SUMS_ROWS),
        ("try:\n    from fast import sum\nexcept ImportError:\n    pass", pitfalls.SUMS_ROWS),
        ("from numpy import amax as max", repairs.LONGEST),
        ("from numpy import *", repairs.OF_EACH_COLUMN),
        ("class Net:\n    def half(self):\n        return self.d // 2", pitfalls.FEW_DIGITS),
        ("class Net:\n    def reshape(self, *sizes):\n        return self.T", pitfalls.KEEPS_ORDER),
        ("class Cache:\n    def clip(self, n):\n        self.n = n", moved_statements.NOT_KEPT),
        ("class np:\n    def dot(a, b):\n        return a @ b", pitfalls.ALL_PAIRS),
        ("import autograd.numpy as np", pitfalls.ALL_PAIRS),
        ("import helpers as F", pitfalls.ALWAYS_AT_WORK),
        ("from helpers import nn", pitfalls.NEW_IN_EACH_CALL),
        ("def choose():\n    global sum\n    sum = np.sum", pitfalls.SUMS_ROWS),
        ("class Net:\n    def choose(self):\n        global sum\n        sum = np.sum", pitfalls.SUMS_ROWS),
        ("from .math import *", pitfalls.SUMS_ROWS),
        ("from .numpy import sum", pitfalls.SUMS_ROWS),
        ("async def sum(x):\n    return x", pitfalls.SUMS_ROWS),
        ("match a:\n    case [sum, *np]:\n        pass", pitfalls.SUMS_ROWS),
        ("match a:\n    case [sum, *np]:\n        pass", pitfalls.ALL_PAIRS),
        ("match a:\n    case {'a': 1, **np}:\n        pass", pitfalls.ALL_PAIRS),
        ("match a:\n    case [1, 2] as np:\n        pass", pitfalls.ALL_PAIRS),
        ("try:\n    pass\nexcept ValueError as np:\n    pass", pitfalls.ALL_PAIRS),
        (
            "if True:\n    class Net:\n        def half(self):\n            return self.d // 2",
            pitfalls.FEW_DIGITS,
        ),
        (
            "def make():\n    class Net:\n        def half(self):\n            return 2\n    return Net",
            pitfalls.FEW_DIGITS,
        ),
        ("class Net:\n    async def half(self):\n        return self.d // 2", pitfalls.FEW_DIGITS),
        (
            "class Net:\n    if True:\n        def half(self):\n            return self.d // 2",
            pitfalls.FEW_DIGITS,
        ),
    ],
)
def test_a_name_that_the_file_or_another_cell_binds_is_not_taken_for_pythons_or_a_librarys(around, sentence):
    line, _ = TRUE_AND_FALSE[sentence]
    function = FUNCTION.format(line=line)
    for code in (
        Code("a.py", {"a.py": f"{around}\n\n\n{function}"}),
        Code("a.ipynb", {}, (Cell(1, around), Cell(2, function))),
        Code("a.ipynb", {}, (Cell(1, function), Cell(2, around))),
    ):
        assert not says(questions_of(StudentCode(code)), sentence)


@pytest.mark.parametrize(
    ("around", "sentence"),
    [
        ("import numpy as np\nimport numpy.linalg\nfrom math import *", pitfalls.SUMS_ROWS),
        ("import numpy as np", pitfalls.ALL_PAIRS),
        ("import torch.nn.functional as F", pitfalls.ALWAYS_AT_WORK),
        ("from torch.nn import functional as F", pitfalls.ALWAYS_AT_WORK),
        ("from torch import nn", pitfalls.NEW_IN_EACH_CALL),
        ("def g(sum):\n    return sum", pitfalls.SUMS_ROWS),
        ("class Net:\n    def max(self):\n        return self.half", pitfalls.FEW_DIGITS),
    ],
)
def test_the_usual_imports_leave_all_facts_as_they_are(around, sentence):
    line, _ = TRUE_AND_FALSE[sentence]
    code = StudentCode(Code("a.py", {"a.py": f"{around}\n\n\n{FUNCTION.format(line=line)}"}))
    assert says(questions_of(code), sentence)


@pytest.mark.parametrize(
    ("around", "line", "sentence"),
    [
        ("import numpy", "y = numpy.zeros_like(V)", repairs.KEEPS_WHOLE_NUMBERS),
        ("import numpy as numeric", "y = numeric.dot(V, a)", pitfalls.ALL_PAIRS),
        ("import torch.nn.functional as f_", "y = f_.dropout(V, 0.1)", pitfalls.ALWAYS_AT_WORK),
        ("from torch.nn import functional", "y = functional.dropout(V, 0.1)", pitfalls.ALWAYS_AT_WORK),
        ("from torch.nn.functional import dropout", "y = dropout(V, 0.1)", pitfalls.ALWAYS_AT_WORK),
        ("from torch.nn import Dropout", "y = Dropout(0.1)(V)", pitfalls.NEW_IN_EACH_CALL),
        ("from numpy import sqrt", "y = sqrt(np.sum(V ** 2))", pitfalls.ROOT_OF_SQUARES),
        ("from math import sqrt as root", "y = root((V * V).sum())", pitfalls.ROOT_OF_SQUARES),
        ("from numpy import sqrt, sum", "y = sqrt(sum(V ** 2))", pitfalls.ROOT_OF_SQUARES),
        ("", "y = V @ i / np.sqrt(sum(a ** 2))", pitfalls.ROOT_OF_SQUARES),
        ("import numpy", "y = V.astype(numpy.float16)", pitfalls.FEW_DIGITS),
    ],
)
def test_a_library_is_known_by_what_is_imported(around, line, sentence):
    function = FUNCTION.format(line=line)
    for code in (
        Code("a.py", {"a.py": f"{around}\n\n\n{function}"}),
        Code("a.py", {"a.py": function.replace("    y", f"    {around}\n    y", 1)}),
        Code("a.ipynb", {}, (Cell(1, around), Cell(2, function))),
    ):
        assert says(questions_of(StudentCode(code)), sentence)


@pytest.mark.parametrize(
    ("around", "line", "sentence"),
    [
        ("from helpers import sqrt", "y = sqrt(np.sum(V ** 2))", pitfalls.ROOT_OF_SQUARES),
        ("from numpy import max as sum", "y = np.sqrt(sum(V ** 2))", pitfalls.ROOT_OF_SQUARES),
        ("def sum(x):\n    return x.max()", "y = np.sqrt(sum(V ** 2))", pitfalls.ROOT_OF_SQUARES),
        ("import helpers as functional", "y = functional.dropout(V, 0.1)", pitfalls.ALWAYS_AT_WORK),
        ("import numpy\nimport fast as numpy", "y = numpy.dot(V, a)", pitfalls.ALL_PAIRS),
        ("import helpers as K", "y = K.T", pitfalls.ALL_AXES),
        ("class K:\n    T = 1", "y = K.T", pitfalls.ALL_AXES),
        ("def K():\n    return 1", "y = K.T", pitfalls.ALL_AXES),
        ("from .math import sqrt", "y = sqrt(np.sum(V ** 2))", pitfalls.ROOT_OF_SQUARES),
        ("from . import math", "y = math.sqrt(np.sum(V ** 2))", pitfalls.ROOT_OF_SQUARES),
        ("import scipy", "y = scipy.T", pitfalls.ALL_AXES),
        ("import scipy.special", "y = scipy.special.T", pitfalls.ALL_AXES),
        ("import random", "random.clip(0)", moved_statements.NOT_KEPT),
        ("import statistics", "y = statistics.std(V)", pitfalls.ONE_LESS),
        ("import numpy as m", "y = m.T", pitfalls.ALL_AXES),
        ("import numpy as m", "m.clip(0)", moved_statements.NOT_KEPT),
    ],
)
def test_a_name_is_not_taken_for_what_it_is_not_bound_to(around, line, sentence):
    function = FUNCTION.format(line=line)
    for code in (
        Code("a.py", {"a.py": f"{around}\n\n\n{function}"}),
        Code("a.ipynb", {}, (Cell(1, around), Cell(2, function))),
    ):
        assert not says(questions_of(StudentCode(code)), sentence)


@pytest.mark.parametrize(
    ("line", "sentence"),
    [
        ("match a:\n        case [sum, *others]: y = sum(V)", pitfalls.SUMS_ROWS),
        ("match a:\n        case [*np]: y = np.dot(V, a)", pitfalls.ALL_PAIRS),
        ("try: pass\n    except ValueError as np: y = np.dot(V, a)", pitfalls.ALL_PAIRS),
        ("class Net:\n        def half(self): return 2\n    y = V.half()", pitfalls.FEW_DIGITS),
        ("import statistics\n    y = statistics.std(V)", pitfalls.ONE_LESS),
    ],
)
def test_a_name_that_the_function_binds_in_any_way_is_not_taken_for_pythons_or_a_librarys(line, sentence):
    code = StudentCode(Code("a.py", {"a.py": FUNCTION.format(line=line)}))
    assert "f" in code.functions
    assert not says(questions_of(code), sentence)


@pytest.mark.parametrize(
    "text",
    [
        "W = np.ones((2, 3))\ndef f(Q):\n    return Q @ W.T",
        "def f(Q, *, K):\n    return Q @ K.T",
        "def f(K, /, Q):\n    return Q @ K.T",
        "def f(*K):\n    return K.T",
        "def f(Q):\n    return map(lambda k: k.T, Q)",
        "def f(Q):\n    def g(k):\n        return k.T\n    return g(Q)",
        "def f(F):\n    return F.T",
        "def K():\n    return 1\ndef f(K):\n    return K.T",
    ],
)
def test_arguments_of_any_function_and_global_variables_may_be_arrays(text):
    assert says(questions_of(StudentCode(Code("a.py", {"a.py": text}))), pitfalls.ALL_AXES)


@pytest.mark.parametrize(
    ("line", "sentence"),
    [
        ("y = self.K.T", pitfalls.ALL_AXES),
        ("y = self.K.reshape(i, j)", pitfalls.KEEPS_ORDER),
        ("y = self.K.max(dim=1)", pitfalls.PAIR),
        ("y = self.qkv(V).half()", pitfalls.FEW_DIGITS),
    ],
)
def test_an_attribute_of_self_may_be_an_array(line, sentence):
    code = StudentCode(Code("a.py", {"a.py": FUNCTION.format(line=line)}))
    assert says(questions_of(code), sentence)


@pytest.mark.parametrize(
    "line",
    [
        "y = np.sum(V, axis=0, where=a)",
        "y = np.nanmean(V, where=a)",
        "y = np.add.reduce(V, where=a)",
        "y = np.exp(V, i, where=a)",
        "y = np.exp(V, **self.options, where=a)",
        "y = self.exp(V, where=a)",
        "y = self.empty(i)",
    ],
)
def test_memory_is_not_called_unset_where_it_is_set(line):
    code = StudentCode(Code("a.py", {"a.py": FUNCTION.format(line=line)}))
    assert repairs_of(code.functions["f"], pitfalls.OF_MEMORY) == []


@pytest.mark.parametrize(
    "line",
    [
        "y = (i + 1) // j",
        "y = (len(V) - 1) // self.size * self.size",
        "y = int((i + 1) // j)",
        "half = 2; y = (i + 1) // j * half",
        "j = 2; y = i // j",
    ],
)
def test_one_item_more_or_less_is_divided_by_the_size_of_a_block_as_well(line):
    code = StudentCode(Code("a.py", {"a.py": FUNCTION.format(line=line)}))
    assert says(questions_of(code), pitfalls.ROUNDS_DOWN)


@pytest.mark.parametrize("around", ["HALF = 2", "HALF: int = 2", "if True:\n    HALF = 2"])
def test_half_of_a_number_that_is_rounded_up_is_not_told_to_be_rounded_down(around):
    function = FUNCTION.format(line="y = (i + 1) // HALF")
    for code in (
        Code("a.py", {"a.py": f"{around}\n\n\n{function}"}),
        Code("a.ipynb", {}, (Cell(1, around), Cell(2, function))),
    ):
        assert not says(questions_of(StudentCode(code)), pitfalls.ROUNDS_DOWN)


@pytest.mark.parametrize("array", ["np.einsum('ij->ji', V)", "self.split(V)", "V.transpose(0, 2, 1, 3)[0]"])
def test_of_what_a_call_returns_only_the_reshape_is_said_to_keep_the_order(array):
    code = StudentCode(Code("a.py", {"a.py": FUNCTION.format(line=f"y = {array}.reshape(i, j)")}))
    questions = questions_of(code)
    assert pitfalls.KEEPS_ORDER.format(old="….reshape(i, j)") in questions
    assert pitfalls.KEEPS_ORDER.format(old=f"{array}.reshape(i, j)") not in questions


def test_a_copy_of_an_array_is_never_taken_for_a_list_of_the_same_arrays():
    """What stands in its place raises for an array, so it is right for lists and tuples only."""
    code = StudentCode(Code("a.py", {"a.py": FUNCTION.format(line="y = V.copy()")}))
    [repair] = [one for one in repairs_of(code.functions["f"]) if says([one.question], repairs.SAME_ITEMS)]
    names = {}
    exec(repair.definition, names)
    old = [np.ones(2)]
    new = names["f"](None, old, 0, 0, 0)
    assert isinstance(new, list)
    assert new[0] is not old[0]
    for array in (np.ones((2, 3)), torch.ones(2, 3)):
        with pytest.raises((TypeError, AttributeError)):
            names["f"](None, array, 0, 0, 0)


@pytest.mark.parametrize(
    "argument", [np.ones(2, int), [np.ones(2, int)], [[np.ones(2, int)], [np.ones(3, int)]]]
)
def test_whole_numbers_become_floats_in_lists_of_lists_as_well(argument):
    [floats] = probes._with_floats(0, [argument], {})
    while isinstance(floats, list):
        floats = floats[-1]
    assert floats.dtype == np.float64


def test_each_fact_has_code_of_which_it_is_false():
    """A question is asked; all other sentences say something that has to be true."""
    facts = set()
    for module in (pitfalls, repairs, moved_statements):
        for node in ast.parse(inspect.getsource(module)).body:
            match node:
                case ast.Assign([ast.Name(name)]):
                    sentence = getattr(module, name)
                    if isinstance(sentence, str) and "{old}" in sentence and not sentence.endswith("?"):
                        facts.add(sentence)
    # Two are told of another search, and tested above; one is only about `keepdims`.
    facts -= {pitfalls.UNSET, pitfalls.UNFILLED, repairs.NO_KEEPDIMS}
    assert len(facts) > 30
    assert facts - TRUE_AND_FALSE.keys() == set()


# Exceptions

LIMITS = Limits(seconds=12, call_seconds=3)
NAMES = {
    "np": np,
    "nn": nn,
    "torch": torch,
    "F": functional,
    "x": np.ones((2, 3)),
    "t": torch.ones(2, 3),
    "needs_gradient": torch.ones(3, requires_grad=True),
    "items": [1.0, 2.0],
}


def explained(line, before=""):
    """Run some lines, and explain what the last of them raises."""
    with pytest.raises(Exception) as raised:  # noqa: PT011
        exec(f"{before}\n{line}", dict(NAMES))
    error = StudentError(type(raised.value).__name__, str(raised.value), "homework.py", 4, line, "File …")
    return explain_no_value(error, FunctionCall("attention", ()), LIMITS, error)


@pytest.mark.parametrize(
    ("line", "before", "wrong", "right"),
    [
        ("cache.append(1)", "cache = ()", "MultiheadAttention", "cannot be changed"),
        ("x.shape.T", "", "MultiheadAttention", "a tuple and no array"),
        ("t.size().view(x.shape)", "", "MultiheadAttention", "has no attribute"),
        ("np.hstack([x, x], 1)", "", "are given as one list", "and no axis"),
        ("np.hstack([f(x), x], 1)", "f = np.sin", "are given as one list", "and no axis"),
        ("np.vstack((x[:, :2], x[:, 1:]), 0)", "", "are given as one list", "and no axis"),
        ("np.column_stack([x[:, 0], f(x)], 1)", "f = np.sin", "are given as one list", "and no axis"),
        ("np.hstack([x, np.sin(x)], ax)", "ax = 1", "are given as one list", "and no axis"),
        ("np.vstack([row for row in x], dim)", "dim = 0", "are given as one list", "and no axis"),
        ("np.hstack(rows, 1)", "rows = [x, x]", "are given as one list", "and no axis"),
        ("np.dstack(rows, axis)", "rows = [x, x]; axis = 1", "are given as one list", "and no axis"),
        ("np.hstack(f(x), -1)", "f = list", "are given as one list", "and no axis"),
        ("np.hstack([x] * 2, n)", "n = 1", "are given as one list", "and no axis"),
        ("np.vstack(rows[:1], i)", "rows = [x, x]; i = 0", "are given as one list", "and no axis"),
        ("np.vstack(tuple(rows), int(i))", "rows = [x, x]; i = 0", "are given as one list", "and no axis"),
        ("np.stack(rows, n, None, 1)", "rows = [x, x]; n = 0", "are given as one list", ""),
        ("np.stack(tuple(rows), n, out, n)", "rows = [x, x]; n = 0; out = x", "are given as one list", ""),
        (
            "np.stack(rows[:1] + rows, n, out, n)",
            "rows = [x, x]; n = 0; out = x",
            "are given as one list",
            "",
        ),
        ("np.stack([x, x], 0, None, 1)", "", "are given as one list", ""),
        ("torch.hstack([torch.ones(2)], 1)", "", "are given as one list", "and no axis"),
        ("hstack([x], 1)", "hstack = lambda parts: parts", "no axis", ""),
        ("t + (1, 2)", "", "came back", "A tuple stands"),
        ("t.index_select(0, torch.tensor([7]))", "", "has no row", "reaches beyond the rows"),
        ("needs_gradient.numpy()", "", "A function of NumPy is given", "`.numpy()` takes a tensor out"),
        ("nn.MultiheadAttention(6, 4)", "", "ff_dim", "in this order"),
        ("(1, 2) * 1.5", "", "Python's lists do no arithmetic", "Only a whole number"),
        ("[0] * (len(items) / 2)", "", "Python's lists do no arithmetic", "`//`"),
        ("sum(np.exp(x), dim=1)", "", "NumPy calls them", ""),
        ("self.size[0]", "class self:\n    size = 3", "`.size` of a NumPy array", "a single number"),
        ("self.size(0)", "class self:\n    size = 3", "`.size` of a NumPy array", "call it as a function"),
        ("x.T @ x[:, :1].reshape(1, 2, 1)[0].T", "", "A list of columns becomes", ""),
        ("np.ones(3) @ np.ones((2, 3))", "", "A list of columns becomes", ""),
        ("y = 1 if x > max(1, 2) else 0", "", "compare the rows of a matrix", "np.where"),
        ("t[:, ::2].view(-1)", "", "After `.transpose`", "in the order that `.view` needs"),
        ("t.tolist() + t.item()", "", "`.item()` needs", "Only an array with a single entry"),
        (
            "a, b = g(x.shape)",
            "g = lambda shape: (1, 2, 3)",
            "X.shape[-2:]",
            "stands after its `return`",
        ),
        ("n, d, k = x.shape, t.shape", "", "X.shape[-2:]", "As many names"),
        (
            "n, d = x.shape; a, b = g(x)",
            "g = lambda shape: (1, 2, 3)",
            "X.shape[-2:]",
            "stands after its `return`",
        ),
        ("n, d = x.shape; a = [i for i, j in [n, [n] * 3]]", "", "X.shape[-2:]", ""),
        ("x[0] = np.take(x, 7)", "", "that this line fills", ""),
        ("{1}.remove(2)", "", "The dictionary", "no such key"),
        ("t.expand_as(torch.ones(2, 4))", "", "What is assigned", "from the last axis on"),
        ("torch.broadcast_to(t, (2, 4))", "", "What is assigned", "from the last axis on"),
        ("np.ones(3)[:, t[0] == 0]", "", "A mask in square brackets", ""),
        ("np.concatenate([items[np.array([0, 1])], [2.0]])", "", "are given as one list", ""),
        ("transpose(x, 1, 0)", "transpose = lambda x, axes: 0", "np.transpose", ""),
        ("transpose(x, 1, 0)", "def transpose(x, axes): pass", "torch's", ""),
        ("math.acos(2)", "import math", "There is no root", ""),
        ("0 ** -1", "", "The divisor is 0", "negative power"),
    ],
)
def test_a_false_reason_is_not_given_for_an_exception(line, before, wrong, right):
    text = explained(line, before).student
    assert wrong not in text
    assert right in text


@pytest.mark.parametrize(
    ("line", "before"),
    [
        ("cache.append(1)", "cache = ()"),
        ("x.shape.T", ""),
        ("x.shape[:1].mean()", ""),
        ("sizes.sum()", "sizes = x.shape"),
        ("input_shape.dtype", "input_shape = x.shape"),
        ("self_shape.T", "self_shape = x.shape"),
        ("x_SHAPE[1:].T", "x_SHAPE = x.shape"),
        ("np.shape(x).mean()", ""),
        ("t.size().mean()", ""),
        ("(lambda *args: args.sum())(x)", ""),
        ("(lambda *inputs_args: inputs_args[1:].sum())(x)", ""),
        ("dims.dim()", "dims = x.shape"),
        ("self.kv_dims.sum()", "class self:\n    kv_dims = (1, 2)"),
        ("(3, 4).size", ""),
        ("tuple(items).mean()", ""),
        ("((x, x) + (x, x)).mean()", ""),
        ("y = (x, x); y.mean()", ""),
        ("t + x.shape", ""),
        ("x.shape[:1] * t", ""),
        ("t * (1, 2)", ""),
        ("t + sizes", "sizes = (1, 2)"),
        ("torch.exp(x.shape)", ""),
        ("torch.exp(input=x.shape)", ""),
        ("needs_gradient.numpy()", ""),
        ("self.size[0]", "class self:\n    size = 3"),
        ("np.ones(3)[:, t[0] == 0]", ""),
    ],
)
def test_no_known_mistake_is_counted_where_its_words_alone_occur(line, before):
    assert explained(line, before).misconceptions == ()


def test_a_function_that_calls_itself_raises_in_no_other_one():
    frames = '  File "a.py", line 3, in f\n  File "a.py", line 3, in f\n'
    assert raised_below(StudentError("ValueError", "", trace=frames), "f") == ""
    frames += '  File "a.py", line 9, in g\n'
    assert raised_below(StudentError("ValueError", "", trace=frames), "f") == "g"


# The same in a grade

SOFTMAX = """largest = x.max(axis=-1, keepdims=True)
    exponentials = np.exp(x - largest)
    total = exponentials.sum(axis=-1, keepdims=True)
    return exponentials / total"""
IN_PLACE = """out = np.asarray(x)
    for i in range(len(x)):
        row = np.exp(x[i] - x[i].max())
        out[i] = row / row.sum()
    return out"""
HALF = """result = np.zeros_like(x, dtype=np.float16)
    result[:] = np.exp(x - x.max(axis=-1, keepdims=True))
    return result / result.sum(axis=-1, keepdims=True)"""
CLIPPED = ("np.where(mask, scores, -np.inf)", "np.where(mask, np.clip(scores, -500, 500), -np.inf)")


def reasons_given(grade_text, homework, *edits):
    result = grade_text(homework, edited(homework, *edits))
    return " ".join(check.reason for check in result.checks)


def test_an_array_that_is_not_converted_is_told_to_be_no_copy(grade_text):
    reasons = reasons_given(grade_text, "hw1_attention_scores", (SOFTMAX, IN_PLACE))
    assert repairs.NOT_CONVERTED.format(old="np.asarray(x)") in reasons
    assert "new list" not in reasons
    assert "is new itself" not in reasons


def test_an_array_with_a_type_of_few_digits_is_not_told_to_have_that_of_its_argument(grade_text):
    reasons = reasons_given(grade_text, "hw1_attention_scores", (SOFTMAX, HALF))
    assert "float16" in reasons
    assert "has the type of its argument" not in reasons


def test_the_sum_of_a_library_is_not_called_pythons(grade_text):
    edits = [
        ("import numpy as np", "import numpy as np\nfrom numpy import *"),
        ("return attention_weights @ V", "return np.array([sum(row * V.T) for row in attention_weights])"),
    ]
    reasons = reasons_given(grade_text, "hw1_attention_scores", *edits)
    assert "as Python's `sum` always does" not in reasons


def test_scores_that_are_cut_off_are_not_said_to_be_forbidden_ones_that_count(grade_text):
    reasons = reasons_given(grade_text, "hw8_batched_multihead_attention", CLIPPED)
    assert "Or are scores cut off or replaced where there is a mask?" in reasons
    assert "still count" not in reasons
