import functools
import textwrap
import types

import numpy as np
import pytest

from autograder.worker.facts.globals_read import describe_functions
from autograder.worker.places import SUBMISSION_ROOT


def submitted(source, **functions):
    """The namespace of a submission, run here."""
    namespace = {"__name__": "homework", "np": np, **functions}
    exec(compile(textwrap.dedent(source), SUBMISSION_ROOT + "homework.py", "exec"), namespace)
    return namespace


def read_by(source, name="f", **functions):
    """The global data that a submitted function reads."""
    return describe_functions(submitted(source, **functions), [name])[name]["globals_read"]


def test_sizes_come_with_their_values_as_plain_numbers():
    namespace = submitted("def f():\n    return D, N, X, missing\n", N=np.int64(4), D=3, X=np.ones(3))
    sizes = describe_functions(namespace, ["f"])["f"]["sizes"]
    assert sizes == {"D": 3, "N": 4}
    assert isinstance(sizes, dict)
    assert {type(size) for size in sizes.values()} == {int}


@pytest.mark.parametrize(
    "value", ["4", "-1", "np.int64(4)", "np.ones((2, 3))", "np.ones(())", "[1, 2]", "(2, 3)"]
)
def test_whole_numbers_arrays_and_lists_may_hold_a_size(value):
    assert read_by(f"D = {value}\ndef f(x): return x, D") == ["D"]


@pytest.mark.parametrize(
    "value",
    ["1e-9", "'text'", "True", "None", "np", "print", "len", "np.sum", "lambda x: x", "{1: 2}", "int"],
)
def test_constants_texts_modules_and_functions_hold_none(value):
    assert read_by(f"D = {value}\ndef f(x): return x, D") == []


PROGRAMS = """
# builtins and undefined names are no globals of the submission |
def f(x): return len(x), print, undefined, np.sum(x)
# parameters and local names are no globals |
D = 4
N = 5
def f(D):
    N = D
    return N
# attributes of the same name are no globals |
T = 4
shape = 3
def f(x): return x.T, x.shape
# a helper of the name of an attribute is not called |
D = 4
def mean(x): return x / D
def f(x): return x.mean()
# the methods of a class and of its submitted bases count | D N
import collections
D, N = 4, 5
class Base(np.ndarray):
    def scale(self): return D
class f(Base):
    def again(self): return N
# a global declared as such is read | D
D = 4
def f(x):
    global D
    return D
# what helpers read counts too | H_D N
H_D = 4
N = 3
def scale(x): return x / H_D
def again(x): return scale(x) + again(N)
def f(x): return again(x)
# nested functions, lambdas and comprehensions count too | A B C D
A, B, C, D = 1, 2, 3, 4
def f(x):
    def inner():
        return A
    key = lambda y: y + B
    return inner(), key, [i + C for i in x], {i: D for i in x}
# an unused global is not read |
D = 4
def f(x): return x
# a config object with its own attribute access breaks nothing |
class Config(dict):
    __getattr__ = dict.__getitem__
config = Config(D=4)
def f(x): return config
# functions that refer to each other are each looked at once | D
D = 1
def f(x): return g(x)
def g(x): return f(x) + D
"""
"""The global data that a function reads is in the heading of its program."""


@pytest.mark.parametrize(
    "program", PROGRAMS.split("\n# ")[1:], ids=lambda program: program.partition(" |")[0]
)
def test_the_data_outside_that_a_function_reads_is_found(program):
    heading, _, source = program.partition("\n")
    assert read_by(source) == heading.partition("|")[2].split()


def test_a_helper_from_another_file_is_followed_in_its_own_names():
    helper = submitted("D = 4\nN = 5\ndef softmax(x): return x / D")["softmax"]
    assert read_by("N = 7\ndef f(x): return softmax(x)", softmax=helper) == ["D"]


def test_a_librarys_function_is_not_followed():
    def library(x):
        return x, np.pi, LIBRARY_SIZE

    assert read_by("LIBRARY_SIZE = 3\ndef f(x): return library(x)", library=library) == []


LIBRARY_SIZE = 9


@pytest.mark.parametrize("line", ["@functools.wraps(function)", ""])
def test_a_decorated_function_reads_what_it_wraps(line):
    source = f"""
    D = 4
    def timed(function):
        {line}
        def wrapper(*args): return function(*args)
        return wrapper
    @timed
    def f(x, y): return x * D
    """
    assert read_by(source, functools=functools) == ["D"]


def test_parameters_are_named_in_order():
    facts = describe_functions(submitted("def f(Q, K, /, V, *rest, mask=None): D = 1"), ["f"])
    assert facts["f"]["parameters"] == ["Q", "K", "V"]


def test_a_decorated_function_has_the_parameters_of_what_it_wraps():
    source = """
    def timed(function):
        @functools.wraps(function)
        def wrapper(*args): return function(*args)
        return wrapper
    @timed
    def f(x, y): return x
    """
    facts = describe_functions(submitted(source, functools=functools), ["f"])
    assert facts["f"]["parameters"] == ["x", "y"]


def test_a_module_has_the_parameters_of_its_forward():
    source = """
    class Block:
        def forward(self, x, mask=None): return x
    class Table:
        rows = 3
    """
    facts = describe_functions(submitted(source), ["Block", "Table"])
    assert facts["Block"]["parameters"] == ["x", "mask"]
    assert facts["Table"]["parameters"] == []


def test_a_class_reads_what_its_methods_read():
    source = """
    D = 4
    N = 5
    class Base:
        def scale(self, x): return x / D
    class Block(Base):
        @staticmethod
        def size(): return N
        def forward(self, x): return self.scale(x)
    def f(x): return Block().forward(x)
    """
    assert read_by(source) == ["D", "N"]
    assert read_by(source, "Block") == ["D", "N"]


def test_names_that_are_missing_or_no_functions_are_left_out():
    assert describe_functions(submitted("f = 3"), ["f", "g"]) == {}


def test_a_wrapper_that_wraps_itself_is_looked_at_once():
    namespace = submitted("D = 1\ndef f(x): return D")
    assert isinstance(namespace["f"], types.FunctionType)
    namespace["f"].__wrapped__ = namespace["f"]
    assert describe_functions(namespace, ["f"])["f"]["globals_read"] == ["D"]
